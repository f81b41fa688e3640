/* LD_PRELOAD: a compiler that aborts the process, whichever that is, when the text ABORT_AT occurs in what it is to compile, or
   when the kernel ABORT_LAUNCH is launched, which is when PoCL compiles once more. Adds a line to the file COUNT_IN for each
   compilation of a text with COUNT_OF in it, and the names of process and kernel to the file LAUNCHES_IN for each launch. */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_line(const char* variable, const char* line) {
    const char* place = getenv(variable);
    FILE* file = place ? fopen(place, "a") : NULL;
    if (!file) return;
    fprintf(file, "%s\n", line);
    fclose(file);
}

static void fail(void) {
    fprintf(stderr, "Assertion `the loop is sound' failed.\n");
    abort();
}

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts, const size_t* lengths,
                                     cl_int* status) {
    typedef cl_program (*create_fn)(cl_context, cl_uint, const char**, const size_t*, cl_int*);
    create_fn create;
    *(void**)&create = dlsym(RTLD_NEXT, "clCreateProgramWithSource"); /* as POSIX has it */
    const char* at = getenv("ABORT_AT");
    const char* of = getenv("COUNT_OF");
    if (count == 1 && lengths && at && memmem(texts[0], lengths[0], at, strlen(at))) fail();
    if (count == 1 && lengths && of && memmem(texts[0], lengths[0], of, strlen(of))) add_line("COUNT_IN", "compiled");
    return create(context, count, texts, lengths, status);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                              const size_t* global, const size_t* local, cl_uint waits, const cl_event* wait, cl_event* done) {
    typedef cl_int (*enqueue_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t*, const size_t*, const size_t*, cl_uint,
                                 const cl_event*, cl_event*);
    enqueue_fn enqueue;
    char name[256] = "", line[512];
    const char* at = getenv("ABORT_LAUNCH");
    *(void**)&enqueue = dlsym(RTLD_NEXT, "clEnqueueNDRangeKernel");
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (at && strcmp(at, name) == 0) fail();
    snprintf(line, sizeof line, "%s %s", program_invocation_short_name, name);
    add_line("LAUNCHES_IN", line);
    return enqueue(queue, kernel, dimensions, offset, global, local, waits, wait, done);
}
