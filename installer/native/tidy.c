/* tidy.exe: the deleting hand of setup and uninstaller. It never goes through a link, and only where our marker is.
 *
 *   tidy tree MARKER FOLDER     delete FOLDER and all in it; MARKER is a file that must exist
 *   tidy listed LIST FOLDER     delete the files of FOLDER that LIST (UTF-8, one relative path a line) names, Python's
 *                               compiled files, and the folders that are empty then; what else is there stays
 *   tidy size FOLDER            write the bytes in FOLDER (without what links lead to) to stdout
 *   tidy drop FOLDER            remove FOLDER if it is empty
 *
 * A link (junction, symbolic link, mount point; any reparse point but a cloud file's) is removed itself; what it leads
 * to is never read. Exit code: 0 done, 1 something could not be deleted, 2 usage, 3 no marker.
 */
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#define WIDE 32768
#define IS_CLOUD(tag) (((tag) & 0xFFFF0FFF) == 0x9000001A) /* ntifs.h, IO_REPARSE_TAG_CLOUD and _1 to _F: OneDrive and the like */

enum { DONE = 0, LEFT = 1, USAGE = 2, NO_MARKER = 3 };
enum action { DELETE_ALL, DELETE_COMPILED, MEASURE };

static unsigned long long measured;

static wchar_t *join(const wchar_t *folder, const wchar_t *name)
{
    size_t size = wcslen(folder) + wcslen(name) + 2;
    wchar_t *path = malloc(size * sizeof *path);
    if (!path)
        ExitProcess(LEFT);
    _snwprintf(path, size, L"%ls\\%ls", folder, name);
    return path;
}

static BOOL is_link(const WIN32_FIND_DATAW *entry)
{
    return (entry->dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) && !IS_CLOUD(entry->dwReserved0);
}

static BOOL ends_with(const wchar_t *name, const wchar_t *end)
{
    size_t length = wcslen(name), wanted = wcslen(end);
    return length >= wanted && !_wcsicmp(name + length - wanted, end);
}

static int delete_file(const wchar_t *path)
{
    SetFileAttributesW(path, FILE_ATTRIBUTE_NORMAL);
    return DeleteFileW(path) || GetLastError() == ERROR_FILE_NOT_FOUND ? DONE : LEFT;
}

static int walk(const wchar_t *folder, enum action action);

static int visit(const wchar_t *path, const WIN32_FIND_DATAW *entry, enum action action)
{
    BOOL folder = entry->dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    if (is_link(entry)) { /* the attributes stay: setting them would go through the link */
        if (action != DELETE_ALL)
            return DONE;
        return (folder ? RemoveDirectoryW(path) : DeleteFileW(path)) ? DONE : LEFT;
    }
    if (folder)
        return walk(path, action);
    if (action == MEASURE)
        measured += ((unsigned long long)entry->nFileSizeHigh << 32) + entry->nFileSizeLow;
    else if (action == DELETE_ALL || ends_with(path, L".pyc"))
        return delete_file(path);
    return DONE;
}

static int walk(const wchar_t *folder, enum action action)
{
    WIN32_FIND_DATAW entry;
    wchar_t *pattern = join(folder, L"*");
    HANDLE search = FindFirstFileW(pattern, &entry);
    int result = DONE;
    free(pattern);
    if (search == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_PATH_NOT_FOUND || GetLastError() == ERROR_FILE_NOT_FOUND ? DONE : LEFT;
    do {
        if (wcscmp(entry.cFileName, L".") && wcscmp(entry.cFileName, L"..")) {
            wchar_t *path = join(folder, entry.cFileName);
            if (visit(path, &entry, action) != DONE)
                result = LEFT;
            free(path);
        }
    } while (FindNextFileW(search, &entry));
    FindClose(search);
    if (action == DELETE_ALL && !RemoveDirectoryW(folder))
        result = LEFT;
    if (action == DELETE_COMPILED)
        RemoveDirectoryW(folder); /* only where it is empty now */
    return result;
}

/* Whether the folder itself is a link. `path` has no backslash at its end. */
static BOOL leads_elsewhere(const wchar_t *path)
{
    WIN32_FIND_DATAW entry;
    HANDLE search = FindFirstFileW(path, &entry);
    if (search == INVALID_HANDLE_VALUE)
        return FALSE;
    FindClose(search);
    return is_link(&entry);
}

/* Whether a folder between `root` and the file `path` is a link: what lies behind it is not ours. */
static BOOL through_link(const wchar_t *root, const wchar_t *path)
{
    wchar_t *part = _wcsdup(path);
    BOOL found = FALSE;
    if (!part)
        ExitProcess(LEFT);
    for (wchar_t *at = wcsrchr(part, L'\\'); !found && at && (size_t)(at - part) > wcslen(root); at = wcsrchr(part, L'\\')) {
        *at = 0;
        found = leads_elsewhere(part);
    }
    free(part);
    return found;
}

static int delete_listed(const wchar_t *list, const wchar_t *root)
{
    FILE *file = leads_elsewhere(root) ? NULL : _wfopen(list, L"rb");
    static char line[WIDE];
    static wchar_t name[WIDE];
    int result = DONE;
    if (!file)
        return NO_MARKER;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!line[0] || strstr(line, "..") || strchr(line, ':') || !MultiByteToWideChar(CP_UTF8, 0, line, -1, name, WIDE))
            continue;
        wchar_t *path = join(root, name);
        if (!through_link(root, path) && GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES && delete_file(path) != DONE)
            result = LEFT;
        free(path);
    }
    fclose(file);
    return walk(root, DELETE_COMPILED) == DONE ? result : LEFT;
}

/* An absolute path in the form that has no limit of 260 characters. */
static wchar_t *make_long(const wchar_t *given)
{
    wchar_t *full = malloc(WIDE * sizeof *full), *path;
    if (!full || !GetFullPathNameW(given, WIDE, full, NULL))
        ExitProcess(USAGE);
    for (size_t end = wcslen(full); end > 3 && full[end - 1] == L'\\'; end--)
        full[end - 1] = 0;
    if (full[0] == L'\\')
        return full; /* a share, or long already */
    path = malloc((wcslen(full) + 5) * sizeof *path);
    if (!path)
        ExitProcess(USAGE);
    wcscpy(path, L"\\\\?\\");
    wcscat(path, full);
    return path;
}

/* Delete `root`; where it is itself a link, that alone. */
static int delete_tree(const wchar_t *marker, const wchar_t *root)
{
    WIN32_FIND_DATAW entry;
    HANDLE search;
    if (GetFileAttributesW(marker) == INVALID_FILE_ATTRIBUTES)
        return NO_MARKER;
    search = FindFirstFileW(root, &entry);
    if (search == INVALID_HANDLE_VALUE)
        return DONE; /* it is not there */
    FindClose(search);
    return visit(root, &entry, DELETE_ALL);
}

int wmain(int argc, wchar_t **argv)
{
    if (argc == 4 && !wcscmp(argv[1], L"tree"))
        return delete_tree(make_long(argv[2]), make_long(argv[3]));
    if (argc == 4 && !wcscmp(argv[1], L"listed"))
        return delete_listed(make_long(argv[2]), make_long(argv[3]));
    if (argc == 3 && !wcscmp(argv[1], L"drop"))
        return RemoveDirectoryW(make_long(argv[2])) ? DONE : LEFT;
    if (argc == 3 && !wcscmp(argv[1], L"size")) {
        int result = walk(make_long(argv[2]), MEASURE);
        printf("%llu", measured);
        return result;
    }
    return USAGE;
}
