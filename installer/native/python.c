/* python.exe and pythonw.exe (-DWINDOW): the plain interpreter, for child processes. The PSF's own are not in the wheel
 * that Python comes from. PYTHON_DLL comes from the build script.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <wchar.h>

#define PATH_MAX_WIDE 32768
#define FAILED_TO_START 101

typedef int (*py_main_t)(int, wchar_t **);

static int run(int argc, wchar_t **argv)
{
    static wchar_t path[PATH_MAX_WIDE];
    DWORD length = GetModuleFileNameW(NULL, path, PATH_MAX_WIDE);
    HMODULE python;
    py_main_t py_main = NULL;

    while (length && path[length - 1] != L'\\')
        length--;
    if (length + wcslen(PYTHON_DLL) >= PATH_MAX_WIDE)
        return FAILED_TO_START;
    wcscpy(path + length, PYTHON_DLL);
    python = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    if (python)
        py_main = (py_main_t)(void *)GetProcAddress(python, "Py_Main");
    return py_main ? py_main(argc, argv) : FAILED_TO_START;
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
