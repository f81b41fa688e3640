/* LD_PRELOAD: a compiler that aborts the process, whichever that is, when the text ABORT_AT occurs in what it is to compile, and adds a line for
   each compilation to the file COUNT_IN. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts, const size_t* lengths, cl_int* status) {
    typedef cl_program (*create_fn)(cl_context, cl_uint, const char**, const size_t*, cl_int*);
    create_fn create;
    *(void**)&create = dlsym(RTLD_NEXT, "clCreateProgramWithSource"); /* as POSIX has it */
    const char* at = getenv("ABORT_AT");
    const char* log = getenv("COUNT_IN");
    if (count == 1 && lengths && at && memmem(texts[0], lengths[0], at, strlen(at))) {
        fprintf(stderr, "Assertion `the loop is sound' failed.\n");
        abort();
    }
    if (log) {
        FILE* file = fopen(log, "a");
        if (file) {
            fputs("compiled\n", file);
            fclose(file);
        }
    }
    return create(context, count, texts, lengths, status);
}
