; Firstlight's setup program: per user, no administrator. Made by installer/build.py, which defines VERSION, OUT, FILES,
; TIDY, ICON, LICENCE, COMPRESSION, DEEPEST and KILOBYTES, and for the offline artefact OFFLINE, for signing SIGN.
;
; Silent: setup.exe /S [/DESKTOP] [/OPENWITH] [/UPDATE] [/WAIT=seconds] [/D=folder, last, without quotes]
;         uninstall.exe /S [/PURGE] [/WAIT=seconds]
; Exit codes: 0 done, 1 cancelled, 2 failed, 3 not a 64-bit Windows, 4 Windows is too old, 5 another setup runs,
;             6 Firstlight runs, or a file is in use, 7 the folder is somebody else's, 8 no room, or the path is too long
Unicode true
Target amd64-unicode
!if "${COMPRESSION}" == "lzma"
  SetCompressor /SOLID lzma
  SetCompressorDictSize 64
!else
  SetCompressor zlib ; file by file: the wheels of the offline artefact are left as they are
!endif
!if "${COMPRESSION}" == "none"
  SetCompress off
!endif
SetDateSave off
CRCCheck force
ManifestDPIAware true
ManifestLongPathAware true
ManifestSupportedOS Win10
RequestExecutionLevel user

!include MUI2.nsh
!include FileFunc.nsh
!include LogicLib.nsh
!include Sections.nsh
!include WinVer.nsh
!include x64.nsh
!include nsDialogs.nsh

!define APP "Firstlight"
!define UNINSTALL_KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\${APP}"
!define APP_KEY "Software\${APP}"
!define CLASSES "Software\Classes"
!define PROGID "Firstlight.File"
!define MARKER "firstlight-program.txt" ; in the program folder: this folder is ours
!define DATA_MARKER ".firstlight"       ; in the data folder and the folder for pictures, likewise
!define RUNNING "Local\Firstlight.Running"
!define SYNCHRONIZE 0x00100000

Name "${APP}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${APP}"
InstallDirRegKey HKCU "${APP_KEY}" "InstallDir"
BrandingText "${APP} ${VERSION}"
VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${APP}"
VIAddVersionKey "FileDescription" "${APP} setup"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "LegalCopyright" "Apache License 2.0"

!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_WELCOMEFINISHPAGE_BITMAP "side.bmp"
!define MUI_WELCOMEPAGE_TEXT "$(WelcomeText)"
!define MUI_FINISHPAGE_RUN "$INSTDIR\app\Firstlight.exe"
!define MUI_LANGDLL_REGISTRY_ROOT HKCU
!define MUI_LANGDLL_REGISTRY_KEY "${APP_KEY}"
!define MUI_LANGDLL_REGISTRY_VALUENAME "SetupLanguage"
!insertmacro MUI_PAGE_WELCOME
!insertmacro MUI_PAGE_LICENSE "${LICENCE}"
!insertmacro MUI_PAGE_COMPONENTS
!define MUI_PAGE_CUSTOMFUNCTION_LEAVE CheckFolder
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
UninstPage custom un.ShowKeep un.LeaveKeep
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!include "strings.nsh"
!insertmacro MUI_RESERVEFILE_LANGDLL

!ifdef SIGN
  !finalize '${SIGN} "%1"' = 0
  !uninstfinalize '${SIGN} "%1"' = 0
!endif

Var Wait     ; seconds to wait for the running app
Var Updating ; "1": started by the app itself, which is to be started again
Var Purge    ; "1": the user's own things go, too
Var PurgePictures
Var PicturesFolder ; the folder for pictures
Var Tidy     ; path of tidy.exe
Var DataBox
Var PicturesBox
Var DataSize
Var PicturesSize

!macro Fail code text
  DetailPrint "${text}"
  MessageBox MB_OK|MB_ICONSTOP "${text}" /SD IDOK
  SetErrorLevel ${code}
  Quit
!macroend

; Runs tidy.exe, which never goes through links; its exit code comes to $0, what it wrote to $1
!macro Tidy arguments
  nsExec::ExecToStack '"$Tidy" ${arguments}'
  Pop $0
  Pop $1
!macroend

!macro TakeTidy
  InitPluginsDir
  StrCpy $Tidy "$PLUGINSDIR\tidy.exe"
  File "/oname=$PLUGINSDIR\tidy.exe" "${TIDY}"
!macroend

!macro ReadSwitch switch variable
  ClearErrors
  ${GetParameters} $R0
  ${GetOptions} $R0 "${switch}" $R1
  ${IfNot} ${Errors}
    StrCpy ${variable} "1"
  ${EndIf}
!macroend

!macro ReadWait
  StrCpy $Wait 60
  ClearErrors
  ${GetParameters} $R0
  ${GetOptions} $R0 "/WAIT=" $R1
  ${IfNot} ${Errors}
    StrCpy $Wait $R1
  ${EndIf}
!macroend

; One setup or uninstaller at a time
!macro OnlyOne
  System::Call 'kernel32::CreateMutexW(p 0, i 0, w "Local\${APP}.Setup") p .r1 ?e'
  Pop $0
  ${If} $0 == 183 ; ERROR_ALREADY_EXISTS
    !insertmacro Fail 5 "$(AnotherSetup)"
  ${EndIf}
!macroend

; Returns when no Firstlight runs; asks the user, or in silent mode waits $Wait seconds
!macro WaitForApp un
Function ${un}WaitForApp
  StrCpy $R2 0
  again:
    System::Call 'kernel32::OpenMutexW(i ${SYNCHRONIZE}, i 0, w "${RUNNING}") p .r1'
    ${If} $1 P= 0
      Return
    ${EndIf}
    System::Call 'kernel32::CloseHandle(p r1)'
    ${If} ${Silent}
    ${OrIf} $Updating == "1"
      ${If} $R2 >= $Wait
        !insertmacro Fail 6 "$(StillRunning)"
      ${EndIf}
      Sleep 500
      IntOp $R3 $R3 ^ 1
      IntOp $R2 $R2 + $R3
      Goto again
    ${EndIf}
    MessageBox MB_RETRYCANCEL|MB_ICONINFORMATION "$(CloseApp)" /SD IDCANCEL IDRETRY again
    SetErrorLevel 6
    Quit
FunctionEnd
!macroend
!insertmacro WaitForApp ""
!insertmacro WaitForApp "un."

; Renames a folder, trying for ten seconds: a virus scanner may hold a file open. $0 is 0, or 1 where it failed
!macro DefineMove un
Function ${un}Move
  Pop $R1 ; to
  Pop $R0 ; from
  StrCpy $R2 0
  again:
    ClearErrors
    Rename "$R0" "$R1"
    ${IfNot} ${Errors}
      StrCpy $0 0
      Return
    ${EndIf}
    IntOp $R2 $R2 + 1
    ${If} $R2 > 20
      StrCpy $0 1
      Return
    ${EndIf}
    Sleep 500
    Goto again
FunctionEnd
!macroend
!insertmacro DefineMove ""
!insertmacro DefineMove "un."
!macro Move un from to
  Push "${from}"
  Push "${to}"
  Call ${un}Move
!macroend

; Deletes what our list names in a folder; what else is there stays. List and folder are ours: the marker is beside them
!macro DeleteListed folder
  ${If} ${FileExists} "${folder}\files.txt"
    CopyFiles /SILENT "${folder}\files.txt" "$PLUGINSDIR\list.txt"
    !insertmacro Tidy 'listed "$PLUGINSDIR\list.txt" "${folder}"'
  ${EndIf}
!macroend

Function .onInit
  ${IfNot} ${RunningX64}
    !insertmacro Fail 3 "$(Need64)"
  ${EndIf}
  ${IfNot} ${AtLeastWin10}
    !insertmacro Fail 4 "$(NeedWindows)"
  ${EndIf}
  !insertmacro OnlyOne
  !insertmacro TakeTidy
  !insertmacro ReadWait
  !insertmacro ReadSwitch "/UPDATE" $Updating
  !insertmacro MUI_LANGDLL_DISPLAY
  Call ChooseComponents
  ${If} ${Silent}
    Call CheckFolder
  ${EndIf}
FunctionEnd

; Whether the folder may be ours, and whether all fits in, before anything is written
Function CheckFolder
  ${If} ${FileExists} "$INSTDIR\*.*"
  ${AndIfNot} ${FileExists} "$INSTDIR\${MARKER}"
    ${If} ${FileExists} "$INSTDIR\app\*.*"
    ${OrIf} ${FileExists} "$INSTDIR\app.new\*.*"
    ${OrIf} ${FileExists} "$INSTDIR\app.old\*.*"
    ${OrIf} ${FileExists} "$INSTDIR\wheels\*.*"
      MessageBox MB_OK|MB_ICONSTOP "$(NotOurs)" /SD IDOK
      Call Refuse7
    ${EndIf}
  ${EndIf}
  StrLen $0 "$INSTDIR"
  IntOp $0 $0 + ${DEEPEST}
  ${If} $0 > 259
    MessageBox MB_OK|MB_ICONSTOP "$(TooLong)" /SD IDOK
    Call Refuse8
  ${EndIf}
  ${GetRoot} "$INSTDIR" $0
  ${DriveSpace} "$0\" "/D=F /S=K" $1
  ${If} $1 != ""
  ${AndIf} $1 < ${KILOBYTES}
    MessageBox MB_OK|MB_ICONSTOP "$(NoRoom)" /SD IDOK
    Call Refuse8
  ${EndIf}
FunctionEnd

!macro Refuse code
Function Refuse${code}
  ${If} ${Silent}
    SetErrorLevel ${code}
    Quit
  ${EndIf}
  Abort ; back to the page
FunctionEnd
!macroend
!insertmacro Refuse 7
!insertmacro Refuse 8

Section "$(ProgramTitle)" SecProgram
  SectionIn RO
  Call WaitForApp
  CreateDirectory "$INSTDIR"
  FileOpen $0 "$INSTDIR\${MARKER}" w
  FileWriteUTF16LE /BOM $0 "$(MarkerText)"
  FileClose $0

  ; 1. The new program beside the old one: a setup that is cut off here has changed nothing
  !insertmacro Tidy 'tree "$INSTDIR\${MARKER}" "$INSTDIR\app.new"'
  ClearErrors
  !include "${FILES}"
  ${If} ${Errors}
    !insertmacro Fail 2 "$(CopyFailed)"
  ${EndIf}

  ; 2. Change places; where the old one is in use, it stays
  SetOutPath "$INSTDIR"
  ${If} ${FileExists} "$INSTDIR\app.old\*.*"
    !insertmacro DeleteListed "$INSTDIR\app.old"
    Call KeepForeign
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\app\*.*"
    !insertmacro Move "" "$INSTDIR\app" "$INSTDIR\app.old"
    ${If} $0 != 0
      !insertmacro Tidy 'tree "$INSTDIR\${MARKER}" "$INSTDIR\app.new"'
      !insertmacro Fail 6 "$(StillRunning)"
    ${EndIf}
  ${EndIf}
  !insertmacro Move "" "$INSTDIR\app.new" "$INSTDIR\app"
  ${If} $0 != 0
    Rename "$INSTDIR\app.old" "$INSTDIR\app"
    !insertmacro Fail 6 "$(StillRunning)"
  ${EndIf}
  ${If} ${FileExists} "$INSTDIR\app.old\*.*"
    !insertmacro DeleteListed "$INSTDIR\app.old"
    Call KeepForeign
  ${EndIf}

  ; 3. Wheels of another version are of no use
  !insertmacro DeleteListed "$INSTDIR\wheels"
  !ifdef OFFLINE
    ClearErrors
    !include "${WHEELS}"
    ${If} ${Errors}
      !insertmacro Fail 2 "$(CopyFailed)"
    ${EndIf}
    SetOutPath "$INSTDIR"
  !endif

  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortCut "$SMPROGRAMS\${APP}.lnk" "$INSTDIR\app\Firstlight.exe" "" "$INSTDIR\app\Firstlight.exe" 0
  Call MarkData
  Call WriteKeys
SectionEnd

Section /o "$(DesktopTitle)" SecDesktop
  CreateShortCut "$DESKTOP\${APP}.lnk" "$INSTDIR\app\Firstlight.exe" "" "$INSTDIR\app\Firstlight.exe" 0
SectionEnd

; Offers Firstlight under "Open with"; what opens these files otherwise stays as it is
Section /o "$(OpenWithTitle)" SecOpenWith
  WriteRegStr HKCU "${CLASSES}\${PROGID}" "" "${APP}"
  WriteRegStr HKCU "${CLASSES}\${PROGID}" "FriendlyTypeName" "$(FileTitle)"
  WriteRegStr HKCU "${CLASSES}\${PROGID}\DefaultIcon" "" "$INSTDIR\app\Firstlight.exe,0"
  WriteRegStr HKCU "${CLASSES}\${PROGID}\shell\open\command" "" '"$INSTDIR\app\Firstlight.exe" --open "%1"'
  WriteRegNone HKCU "${CLASSES}\.safetensors\OpenWithProgids" "${PROGID}"
  WriteRegNone HKCU "${CLASSES}\.png\OpenWithProgids" "${PROGID}"
  WriteRegNone HKCU "${CLASSES}\.jpg\OpenWithProgids" "${PROGID}"
  WriteRegNone HKCU "${CLASSES}\.webp\OpenWithProgids" "${PROGID}"
SectionEnd

Section -Done
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; SHCNE_ASSOCCHANGED
  ${If} $Updating == "1"
    Exec '"$INSTDIR\app\Firstlight.exe"'
  ${EndIf}
SectionEnd

; What the user has put among our files is kept, under a name that says so
Function KeepForeign
  ${If} ${FileExists} "$INSTDIR\app.old\*.*"
    StrCpy $R4 1
    next:
    ${If} ${FileExists} "$INSTDIR\kept-$R4\*.*"
      IntOp $R4 $R4 + 1
      Goto next
    ${EndIf}
    Rename "$INSTDIR\app.old" "$INSTDIR\kept-$R4"
  ${EndIf}
FunctionEnd

; Our mark in the folders that an uninstaller may clear: those that are new, or that are ours by what is in them
Function MarkData
  StrCpy $R0 "$LOCALAPPDATA\${APP}"
  ${IfNot} ${FileExists} "$R0\*.*"
  ${OrIf} ${FileExists} "$R0\settings.json"
  ${OrIf} ${FileExists} "$R0\library.sqlite"
  ${OrIf} ${FileExists} "$R0\models\*.*"
  ${OrIf} ${FileExists} "$R0\Logs\firstlight.log"
    Call Mark
  ${EndIf}
  StrCpy $R0 "$PICTURES\${APP}"
  ${IfNot} ${FileExists} "$R0\*.*"
    Call Mark
  ${EndIf}
FunctionEnd

Function Mark
  CreateDirectory "$R0"
  FileOpen $0 "$R0\${DATA_MARKER}" w
  FileWriteUTF16LE /BOM $0 "$(MarkerText)"
  FileClose $0
  SetFileAttributes "$R0\${DATA_MARKER}" HIDDEN
FunctionEnd

Function WriteKeys
  WriteRegStr HKCU "${APP_KEY}" "InstallDir" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayName" "${APP}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "Publisher" "The Firstlight project"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "DisplayIcon" "$INSTDIR\app\Firstlight.exe"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL_KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL_KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "NoRepair" 1
  WriteRegDWORD HKCU "${UNINSTALL_KEY}" "EstimatedSize" ${KILOBYTES}
FunctionEnd

; The boxes as the last setup left them, or as the command line says
Function ChooseComponents
  StrCpy $R5 ""
  !insertmacro ReadSwitch "/DESKTOP" $R5
  ${If} ${FileExists} "$DESKTOP\${APP}.lnk"
  ${OrIf} $R5 == "1"
    !insertmacro SelectSection ${SecDesktop}
  ${EndIf}
  StrCpy $R5 ""
  !insertmacro ReadSwitch "/OPENWITH" $R5
  ReadRegStr $0 HKCU "${CLASSES}\${PROGID}" ""
  ${If} $0 != ""
  ${OrIf} $R5 == "1"
    !insertmacro SelectSection ${SecOpenWith}
  ${EndIf}
FunctionEnd

!insertmacro MUI_FUNCTION_DESCRIPTION_BEGIN
  !insertmacro MUI_DESCRIPTION_TEXT ${SecProgram} "$(ProgramText)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SecDesktop} "$(DesktopText)"
  !insertmacro MUI_DESCRIPTION_TEXT ${SecOpenWith} "$(OpenWithText)"
!insertmacro MUI_FUNCTION_DESCRIPTION_END

!include "uninstall.nsh"
