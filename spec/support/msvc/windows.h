// See math.h.
#pragma once
typedef int BOOL;
typedef unsigned long DWORD;
typedef const char *LPCSTR;
typedef struct HINSTANCE__ *HMODULE;
typedef union LARGE_INTEGER {
    long long QuadPart;
} LARGE_INTEGER;
#define MOVEFILE_REPLACE_EXISTING 1
#define ERROR_FILE_NOT_FOUND 2
#define ERROR_PATH_NOT_FOUND 3
#define ERROR_SHARING_VIOLATION 32
#define GET_MODULE_HANDLE_EX_FLAG_PIN 1
#define GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS 4
__declspec(dllimport) BOOL __stdcall GetModuleHandleExA(DWORD flags, LPCSTR name, HMODULE *out);
__declspec(dllimport) BOOL __stdcall MoveFileExA(LPCSTR from, LPCSTR to, DWORD flags);
__declspec(dllimport) DWORD __stdcall GetLastError(void);
__declspec(dllimport) void __stdcall Sleep(DWORD milliseconds);
__declspec(dllimport) BOOL __stdcall QueryPerformanceCounter(LARGE_INTEGER *out);
__declspec(dllimport) BOOL __stdcall QueryPerformanceFrequency(LARGE_INTEGER *out);
