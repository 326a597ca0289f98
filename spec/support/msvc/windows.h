// The part of the Windows API that the sources use (see math.h).
#pragma once
typedef int BOOL;
typedef unsigned long DWORD;
typedef const char *LPCSTR;
typedef struct HINSTANCE__ *HMODULE;
typedef void *HANDLE;
typedef union LARGE_INTEGER {
    long long QuadPart;
} LARGE_INTEGER;
#define INVALID_HANDLE_VALUE ((HANDLE)(long long)-1)
#define FILE_SHARE_READ 1
#define FILE_SHARE_WRITE 2
#define FILE_SHARE_DELETE 4
#define OPEN_EXISTING 3
#define FILE_FLAG_BACKUP_SEMANTICS 0x02000000
#define FILE_NAME_NORMALIZED 0
#define MOVEFILE_REPLACE_EXISTING 1
#define ERROR_FILE_NOT_FOUND 2
#define ERROR_PATH_NOT_FOUND 3
#define ERROR_SHARING_VIOLATION 32
#define GET_MODULE_HANDLE_EX_FLAG_PIN 1
#define GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS 4
__declspec(dllimport) BOOL __stdcall GetModuleHandleExA(DWORD flags, LPCSTR name, HMODULE *out);
__declspec(dllimport) BOOL __stdcall MoveFileExA(LPCSTR from, LPCSTR to, DWORD flags);
__declspec(dllimport) HANDLE
    __stdcall CreateFileA(LPCSTR path, DWORD access, DWORD sharing, void *security, DWORD creation,
                          DWORD flags, HANDLE model);
__declspec(dllimport) BOOL __stdcall CloseHandle(HANDLE object);
__declspec(dllimport) DWORD
    __stdcall GetFinalPathNameByHandleA(HANDLE file, char *path, DWORD room, DWORD flags);
__declspec(dllimport) DWORD __stdcall GetLastError(void);
__declspec(dllimport) void __stdcall Sleep(DWORD milliseconds);
__declspec(dllimport) BOOL __stdcall QueryPerformanceCounter(LARGE_INTEGER *out);
__declspec(dllimport) BOOL __stdcall QueryPerformanceFrequency(LARGE_INTEGER *out);
