; The uninstaller: removes the program, the engine runtime, caches, keys and shortcuts. What is the user's stays, unless
; it is ticked, or /PURGE is given. Nothing is deleted through a link, or in a folder without our marker.

Function un.onInit
  !insertmacro MUI_UNGETLANGUAGE
  !insertmacro OnlyOne
  !insertmacro TakeTidy
  !insertmacro ReadWait
  StrCpy $Updating ""
  StrCpy $Purge ""
  StrCpy $PurgePictures ""
  StrCpy $PicturesFolder "$PICTURES\${APP}"
  !insertmacro ReadSwitch "/PURGE" $Purge
  StrCpy $PurgePictures $Purge
  ${IfNot} ${FileExists} "$INSTDIR\${MARKER}"
    !insertmacro Fail 7 "$(NotOurs)"
  ${EndIf}
FunctionEnd

; "12.3 MB" from bytes in $1, to $0
Function un.SayBytes
  System::Int64Op $1 / 104858
  Pop $0
  IntOp $R1 $0 % 10
  IntOp $0 $0 / 10
  StrCpy $0 "$0$(DecimalPoint)$R1 MB"
FunctionEnd

Function un.ShowKeep
  !insertmacro MUI_HEADER_TEXT "$(KeepTitle)" "$(KeepSubtitle)"
  nsDialogs::Create 1018
  Pop $0
  ${NSD_CreateLabel} 0 0 100% 24u "$(KeepText)"
  Pop $0
  !insertmacro Tidy 'size "$LOCALAPPDATA\${APP}"'
  Call un.SayBytes
  StrCpy $DataSize $0
  ${NSD_CreateCheckbox} 0 30u 100% 12u "$(KeepData) ($DataSize)"
  Pop $DataBox
  ${NSD_CreateLabel} 12u 44u 95% 12u "$LOCALAPPDATA\${APP}"
  Pop $0
  !insertmacro Tidy 'size "$PicturesFolder"'
  Call un.SayBytes
  StrCpy $PicturesSize $0
  ${NSD_CreateCheckbox} 0 62u 100% 12u "$(KeepPictures) ($PicturesSize)"
  Pop $PicturesBox
  ${NSD_CreateLabel} 12u 76u 95% 12u "$PicturesFolder"
  Pop $0
  ${IfNot} ${FileExists} "$LOCALAPPDATA\${APP}\${DATA_MARKER}"
    EnableWindow $DataBox 0
  ${EndIf}
  ${IfNot} ${FileExists} "$PicturesFolder\${DATA_MARKER}"
    EnableWindow $PicturesBox 0
  ${EndIf}
  nsDialogs::Show
FunctionEnd

Function un.LeaveKeep
  StrCpy $Purge ""
  StrCpy $PurgePictures ""
  ${NSD_GetState} $DataBox $0
  ${If} $0 == ${BST_CHECKED}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$(SureData)$\r$\n$\r$\n$LOCALAPPDATA\${APP} ($DataSize)" IDYES +2
    Abort
    StrCpy $Purge "1"
  ${EndIf}
  ${NSD_GetState} $PicturesBox $0
  ${If} $0 == ${BST_CHECKED}
    MessageBox MB_YESNO|MB_ICONEXCLAMATION|MB_DEFBUTTON2 "$(SurePictures)$\r$\n$\r$\n$PicturesFolder ($PicturesSize)" IDYES +2
    Abort
    StrCpy $PurgePictures "1"
  ${EndIf}
FunctionEnd

Section "Uninstall"
  Call un.WaitForApp
  SetOutPath "$TEMP" ; not in a folder that is to go
  ${If} $Purge == "1"
    nsExec::Exec '"$INSTDIR\app\firstlight.com" models token --remove' ; from the system's keyring
    Pop $0
  ${EndIf}

  ; 1. The program: first moved away whole, so that nothing is deleted while a part of it is in use
  ${If} ${FileExists} "$INSTDIR\app\*.*"
    !insertmacro DeleteListed "$INSTDIR\app.old"
    !insertmacro Move "un." "$INSTDIR\app" "$INSTDIR\app.gone"
    ${If} $0 != 0
      !insertmacro Fail 6 "$(StillRunning)"
    ${EndIf}
    !insertmacro DeleteListed "$INSTDIR\app.gone"
    ${If} ${FileExists} "$INSTDIR\app.gone\*.*"
      Rename "$INSTDIR\app.gone" "$INSTDIR\app" ; something of the user's is in it
    ${EndIf}
  ${EndIf}
  !insertmacro DeleteListed "$INSTDIR\app.old"
  !insertmacro Tidy 'tree "$INSTDIR\${MARKER}" "$INSTDIR\app.new"'
  !insertmacro DeleteListed "$INSTDIR\wheels"
  Delete "$INSTDIR\uninstall.exe"
  Delete "$INSTDIR\${MARKER}"
  RMDir "$INSTDIR" ; only where it is empty

  ; 2. What can be made again: engine runtime, engines, caches, logs
  StrCpy $R5 "$LOCALAPPDATA\${APP}"
  !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5\runtime"'
  !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5\engines"'
  !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5\updates"'
  !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5\Cache"'
  !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5\Logs"'
  ${If} ${FileExists} "$R5\${DATA_MARKER}"
    Delete "$R5\window.lock"
  ${EndIf}

  ; 3. What is the user's
  ${If} $Purge == "1"
    !insertmacro Tidy 'tree "$R5\${DATA_MARKER}" "$R5"'
  ${EndIf}
  ${If} $PurgePictures == "1"
    !insertmacro Tidy 'tree "$PicturesFolder\${DATA_MARKER}" "$PicturesFolder"'
  ${EndIf}
  StrCpy $R0 "$R5"
  Call un.DropEmpty
  StrCpy $R0 "$PicturesFolder"
  Call un.DropEmpty

  ; 4. Shortcuts and keys
  Delete "$SMPROGRAMS\${APP}.lnk"
  Delete "$DESKTOP\${APP}.lnk"
  DeleteRegKey HKCU "${UNINSTALL_KEY}"
  DeleteRegKey HKCU "${APP_KEY}"
  DeleteRegKey HKCU "${CLASSES}\${PROGID}"
  DeleteRegValue HKCU "${CLASSES}\.safetensors\OpenWithProgids" "${PROGID}"
  DeleteRegValue HKCU "${CLASSES}\.png\OpenWithProgids" "${PROGID}"
  DeleteRegValue HKCU "${CLASSES}\.jpg\OpenWithProgids" "${PROGID}"
  DeleteRegValue HKCU "${CLASSES}\.webp\OpenWithProgids" "${PROGID}"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.safetensors\OpenWithProgids"
  DeleteRegKey /ifempty HKCU "${CLASSES}\.safetensors"
  System::Call 'shell32::SHChangeNotify(i 0x08000000, i 0, p 0, p 0)' ; SHCNE_ASSOCCHANGED
SectionEnd

; Removes the folder $R0 where our marker is all that is in it
Function un.DropEmpty
  ${IfNot} ${FileExists} "$R0\${DATA_MARKER}"
    Return
  ${EndIf}
  ClearErrors
  FindFirst $0 $1 "$R0\*"
  loop:
    ${If} ${Errors}
      FindClose $0
      Delete "$R0\${DATA_MARKER}"
      RMDir "$R0"
      Return
    ${EndIf}
    ${If} $1 != "."
    ${AndIf} $1 != ".."
    ${AndIf} $1 != "${DATA_MARKER}"
      FindClose $0
      Return
    ${EndIf}
    ClearErrors
    FindNext $0 $1
    Goto loop
FunctionEnd
