/* Firstlight.exe (window) and firstlight.com (console): load Python from this folder and run `app.installed`.
 *
 * A process keeps the mutex Local\Firstlight.Running for its whole life, so that the setup program can wait for it.
 * Built with -DWINDOW for the one without a console. PYTHON_DLL and MODULE come from the build script.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define PATH_MAX_WIDE 32768
#define FAILED_TO_START 101

typedef int (*py_main_t)(int, wchar_t **);

static int fail(const wchar_t *what)
{
    wchar_t text[600];
    _snwprintf(text, 600, L"Firstlight cannot start: %ls (Windows error %lu).\nInstall Firstlight again; your pictures and models stay.",
               what, GetLastError());
    text[599] = 0;
#ifdef WINDOW
    MessageBoxW(NULL, text, L"Firstlight", MB_ICONERROR);
#else
    fwprintf(stderr, L"%ls\n", text);
#endif
    return FAILED_TO_START;
}

static int run(int argc, wchar_t **argv)
{
    static wchar_t path[PATH_MAX_WIDE];
    static const wchar_t *const options[] = {L"-X", L"utf8", L"-m", MODULE};
    const int extra = sizeof options / sizeof *options;
    DWORD length = GetModuleFileNameW(NULL, path, PATH_MAX_WIDE);
    HMODULE python;
    py_main_t py_main;
    wchar_t **full;

    CreateMutexW(NULL, FALSE, L"Local\\Firstlight.Running"); /* never closed: it ends with the process */
    SetDllDirectoryW(L"");                                   /* no library from the current folder */
    while (length && path[length - 1] != L'\\')
        length--;
    if (length + wcslen(PYTHON_DLL) >= PATH_MAX_WIDE)
        return fail(L"its path is too long");
    wcscpy(path + length, PYTHON_DLL);
    python = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (!python)
        return fail(L"Python cannot be loaded");
    py_main = (py_main_t)(void *)GetProcAddress(python, "Py_Main");
    if (!py_main)
        return fail(L"this is another Python");
    full = calloc((size_t)(argc + extra + 1), sizeof *full);
    if (!full)
        return fail(L"there is no memory");
    full[0] = argv[0];
    for (int i = 0; i < extra; i++)
        full[1 + i] = (wchar_t *)options[i];
    for (int i = 1; i < argc; i++)
        full[extra + i] = argv[i];
    return py_main(argc + extra, full);
}

#ifdef WINDOW
int WINAPI wWinMain(HINSTANCE instance, HINSTANCE previous, PWSTR line, int show)
{
    (void)instance, (void)previous, (void)line, (void)show;
    return run(__argc, __wargv);
}
#else
int wmain(int argc, wchar_t **argv)
{
    return run(argc, argv);
}
#endif
