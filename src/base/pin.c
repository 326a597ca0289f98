// Pinning of the library that contains an address. Each kind of system has a different call.
//
// A host may define CT_STATIC for the whole build if the binding and all plugins are part of the
// program. Then nothing is pinned, and the dynamic linker, which some systems lack, is not used.
#if !defined(_WIN32) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // dladdr; NOLINT(bugprone-reserved-identifier)
#endif

#include "base/pin.h"

#include <string.h>

#if defined(CT_STATIC) && CT_STATIC

void ct_pin_library(const void *address) { (void)address; }

#elif defined(_WIN32)

#include <windows.h>

void ct_pin_library(const void *address) {
    HMODULE module;
    GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                       (LPCSTR)address, &module);
}

#elif defined(__unix__) || defined(__APPLE__)

#include <dlfcn.h>

#ifndef RTLD_NODELETE
#define RTLD_NODELETE 0
#endif
#ifndef RTLD_NOLOAD
#define RTLD_NOLOAD 0
#endif

void ct_pin_library(const void *address) {
    Dl_info library;
    if (dladdr((void *)address, &library) == 0 || library.dli_fname == NULL) return;
    // Never closed: if the flag does not exist, the open handle keeps the library loaded.
    dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

#else

void ct_pin_library(const void *address) { (void)address; }

#endif

// Assumes that function pointers convert to data pointers, as on all systems with libraries.
void ct_pin_code(void (*function)(void)) {
    const void *address;
    memcpy(&address, &function, sizeof address);
    if (address != NULL) ct_pin_library(address);
}
