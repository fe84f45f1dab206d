/* For tests: runs the command line that a UTF-8 file holds, exactly as it stands there, and returns its exit code.
 * (Wine quotes an argument with blanks as a whole, and NSIS wants /D= last and without quotes.)
 * Without a file it waits to be ended: while it is there, Wine's services stay up, and commands need not start them.
 */
#include <windows.h>
#include <stdio.h>

int wmain(int argc, wchar_t **argv)
{
    static char text[8192];
    static wchar_t line[8192];
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION process;
    DWORD code = 99;
    FILE *file;
    if (argc == 1)
        Sleep(INFINITE);
    file = argc == 2 ? _wfopen(argv[1], L"rb") : NULL;
    if (!file || !fread(text, 1, sizeof text - 1, file) || !MultiByteToWideChar(CP_UTF8, 0, text, -1, line, 8192))
        return 98;
    if (!CreateProcessW(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &process))
        return 97;
    WaitForSingleObject(process.hProcess, INFINITE);
    GetExitCodeProcess(process.hProcess, &code);
    return (int)code;
}
