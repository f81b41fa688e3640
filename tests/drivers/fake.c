/* An OpenCL driver that ABORTS or EXITS when its library is loaded, or CRASHES, HANGS, SPINS, is STOPPED or TAKES_TIME (so many
 * seconds, computing) when it is asked for its platforms. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

__attribute__((constructor)) static void when_loaded(void) {
#if defined(ABORTS)
    fputs("fake driver: nothing works here\n", stderr);
    abort();
#elif defined(EXITS)
    _exit(0);
#endif
}

EXPORT int clIcdGetPlatformIDsKHR(unsigned count, void* platforms, unsigned* found) {
    (void)count, (void)platforms, (void)found;
#if defined(CRASHES)
    raise(SIGSEGV);
#elif defined(HANGS)
    for (;;) pause();
#elif defined(SPINS)
    for (volatile unsigned turns = 0;; ++turns) continue;
#elif defined(STOPPED)
    for (;;) raise(SIGSTOP);
#elif defined(TAKES_TIME)
    for (const time_t end = time(NULL) + TAKES_TIME; time(NULL) < end;) continue;
#endif
    return -1001; /* no platform */
}
EXPORT int clGetPlatformInfo(void* platform, unsigned what, size_t bytes, void* value, size_t* needed) {
    (void)platform, (void)what, (void)bytes, (void)value, (void)needed;
    return -30;
}
EXPORT void* clGetExtensionFunctionAddress(const char* name) {
    (void)name;
    return (void*)(size_t)&clIcdGetPlatformIDsKHR;
}
