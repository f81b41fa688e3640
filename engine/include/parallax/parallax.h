/* The C interface of Parallax: the base for other languages. docs/embedding.md shows how it is used.
 *
 * Objects are opaque; what a function hands out through its last argument is the caller's, to be given back by the
 * _release function of its kind (null is allowed) in any order: each keeps alive what it needs. Strings are UTF-8. Functions
 * return PLX_OK or say what went wrong; plx_last_error() has the message. Sizes are in elements unless they say bytes.
 *
 * Structs begin with struct_size. Set it by PLX_INIT, so that a newer library knows which fields the program has:
 *     plx_call call = PLX_INIT(plx_call);
 *
 * Threads: any may use an engine, a cancel token, an event, an array and a pending call, several at once. A session is safe to
 * call from several threads, too, but they take turns; threads that are to work side by side take a session each.
 * plx_last_error() is the thread's own. */
#ifndef PARALLAX_H
#define PARALLAX_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#if defined(PARALLAX_BUILDING)
#define PLX_API __declspec(dllexport)
#elif defined(PARALLAX_STATIC)
#define PLX_API
#else
#define PLX_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define PLX_API __attribute__((visibility("default")))
#else
#define PLX_API
#endif

#if defined(__cplusplus)
#define PLX_INIT(type) type{sizeof(type)}
extern "C" {
#else
#define PLX_INIT(type) {.struct_size = sizeof(type)}
#endif

typedef enum plx_status {
    PLX_OK = 0,
    PLX_ERROR = 1,              /* none of the following */
    PLX_ERROR_CONFIG = 2,       /* the request was wrong: a name, a value, a size, a null pointer */
    PLX_ERROR_DEVICE = 3,       /* a call to the driver failed */
    PLX_ERROR_BUILD = 4,        /* a kernel did not compile */
    PLX_ERROR_IO = 5,           /* a file could not be read or written */
    PLX_ERROR_UNSUPPORTED = 6,  /* nothing at hand can do it; the message has every reason */
    PLX_ERROR_CANCELLED = 7,    /* by a cancel token */
    PLX_ERROR_MEMORY = 8        /* the machine has too little memory */
} plx_status;

typedef enum plx_type {
    PLX_BOOL,
    PLX_U8,
    PLX_I8,
    PLX_U16,
    PLX_I16,
    PLX_U32,
    PLX_I32,
    PLX_U64,
    PLX_I64,
    PLX_F32,
    PLX_F64,
    PLX_C64,
    PLX_C128
} plx_type;
typedef enum plx_log_level { PLX_LOG_DEBUG, PLX_LOG_INFO, PLX_LOG_WARNING, PLX_LOG_ERROR } plx_log_level;

typedef struct plx_engine plx_engine;
typedef struct plx_session plx_session;
typedef struct plx_array plx_array;
typedef struct plx_event plx_event;
typedef struct plx_pending plx_pending;
typedef struct plx_preparation plx_preparation;
typedef struct plx_result plx_result;
typedef struct plx_cancel plx_cancel;

/* "0.1.0" */
PLX_API const char* plx_version(void);
/* What went wrong in the last call of this thread that failed: what was found, what was expected, what to try. Valid until the
 * thread's next call. */
PLX_API const char* plx_last_error(void);
/* The same in parts, for programs; what an error does not have is 0 or "". Strings live until the thread's next call. */
typedef struct plx_error {
    size_t struct_size;
    plx_status status;
    const char* message;        /* all of it, for a person */
    const char* pointer;        /* config: where it stands, a JSON pointer or the name of an option */
    const char* found;          /* config */
    const char* expected;       /* config */
    const char* hint;           /* config, device, io: what to try */
    const char* call;           /* device: the driver's function */
    int32_t code;               /* device: what that gave */
    const char* code_name;      /* device: "CL_OUT_OF_RESOURCES" */
    const char* step;           /* device: what was being done */
    const char* file;           /* build: the kernel's file; io: the file */
    int32_t line;               /* build */
    const char* details;        /* build: the compiler's log; io: the problem; unsupported: a reason a line */
} plx_error;
PLX_API plx_status plx_last_error_details(plx_error*);
/* A word for a status: "config", "device", ... */
PLX_API const char* plx_status_name(plx_status);
/* Gives back a string that came through a char**. */
PLX_API void plx_free(char*);

/* Engines */

typedef struct plx_engine_options {
    size_t struct_size;
    const char* device;         /* "gpu", "cpu", "native", an index, a part of a name, JSON; null: a GPU, else a CPU */
    const char* cache_folder;   /* null: the user's; "off": in memory only */
    /* Called by the threads that use the engine, perhaps several at once. Null: nothing is said, ever. */
    void (*log)(plx_log_level, const char* text, void* user);
    void* log_user;
    uint64_t memory_limit;      /* bytes of the device's memory that the engine takes at most; 0: what the device has */
    uint64_t plan_memory;       /* bytes of plans that are kept for calls to come; 0: a quarter of the above */
} plx_engine_options;

/* Every device as a JSON array of objects, and `problems`, a sentence for each platform that failed. */
PLX_API plx_status plx_devices(char** json);
/* `options` may be null everywhere. */
PLX_API plx_status plx_engine_open(const plx_engine_options* options, plx_engine**);
/* On the host application's cl_context and cl_device_id; both are retained. */
PLX_API plx_status plx_engine_from_opencl(void* context, void* device, const plx_engine_options* options, plx_engine**);
/* On a CUcontext; null: the calling thread's current one. */
PLX_API plx_status plx_engine_from_cuda(void* context, const plx_engine_options* options, plx_engine**);
PLX_API void plx_engine_release(plx_engine*);
PLX_API plx_status plx_engine_device_name(const plx_engine*, char** name);
/* Bytes of device memory in use, borrowed memory left out. */
PLX_API uint64_t plx_engine_allocated(const plx_engine*);
/* Lets go of the plans that no call under way uses; `freed`, which may be null, gets the bytes. */
PLX_API plx_status plx_engine_trim(const plx_engine*, uint64_t* freed);
/* "", or why the device can no longer be trusted: arrays and sessions of before are lost, and a session that is opened now is on
 * the device opened anew, where it can be. */
PLX_API plx_status plx_engine_lost(const plx_engine*, char** why);
/* Every algorithm with parameters, defaults and variants. */
PLX_API plx_status plx_engine_algorithms(const plx_engine*, char** json);

/* Arrays */

enum { PLX_MAX_AXES = 8 };
typedef struct plx_axis {
    char name;                  /* c channel, t time, z depth, y row, x column, n anything else */
    int64_t size;
    int64_t stride;             /* from one index to the next, of every axis; all 0: dense */
    double spacing;             /* in `unit`, 0: 1; of t in seconds, 0: no time is said */
} plx_axis;
typedef struct plx_layout {
    size_t struct_size;
    plx_type type;
    int32_t axis_count;
    plx_axis axes[PLX_MAX_AXES];   /* slowest first */
    int64_t offset;
    char unit[8];               /* of the spacings: "um", "mm", "", with a 0 at its end */
} plx_layout;

PLX_API plx_status plx_session_open(const plx_engine*, plx_session**);
/* Commands go to the host application's cl_command_queue, which is retained. */
PLX_API plx_status plx_session_from_queue(const plx_engine*, void* queue, plx_session**);
/* The same for a CUstream, which must outlive the session. */
PLX_API plx_status plx_session_from_stream(const plx_engine*, void* stream, plx_session**);
/* Waits for what was submitted. */
PLX_API void plx_session_release(plx_session*);
/* Lets go of plans and workspace; what is under way keeps what it uses until it has ended. */
PLX_API plx_status plx_session_trim(plx_session*);
/* Not 0: each launch by itself, with its own time in reports. Else short launches of a call that comes again with the same arrays start
   together where the driver can (CUDA: graphs), and a report has one row for them. */
PLX_API plx_status plx_session_time_each_launch(plx_session*, int each);

PLX_API plx_status plx_array_allocate(plx_session*, const plx_layout*, plx_array**);
PLX_API plx_status plx_array_upload(plx_session*, const plx_layout*, const void* data, plx_array**);
/* Dense, into `bytes` bytes at `data`, which must be the array's size: plx_array_bytes(). */
PLX_API plx_status plx_array_download(plx_session*, const plx_array*, void* data, size_t bytes);
/* Asynchronous: `data` must live until the event is complete. */
PLX_API plx_status plx_array_write(plx_session*, const plx_array*, const void* data, size_t bytes, const plx_event* const* wait,
                                   size_t wait_count, plx_event**);
PLX_API plx_status plx_array_read(plx_session*, const plx_array*, void* data, size_t bytes, const plx_event* const* wait,
                                  size_t wait_count, plx_event**);
/* The host application's cl_mem, retained. */
PLX_API plx_status plx_array_wrap_opencl(plx_session*, void* memory, const plx_layout*, plx_array**);
/* Device memory at a CUDA address, which must outlive the array. */
PLX_API plx_status plx_array_wrap_cuda(plx_session*, uint64_t address, const plx_layout*, plx_array**);
PLX_API plx_status plx_array_layout(const plx_array*, plx_layout*);
PLX_API size_t plx_array_bytes(const plx_array*);
/* The memory itself, borrowed: a cl_mem, or null; a CUDA address, or 0. */
PLX_API void* plx_array_opencl(const plx_array*);
PLX_API uint64_t plx_array_cuda(const plx_array*);
PLX_API void plx_array_release(plx_array*);

PLX_API plx_status plx_event_wait(const plx_event*);
/* 1 or 0 */
PLX_API plx_status plx_event_complete(const plx_event*, int* complete);
/* The cl_event, borrowed, or null. */
PLX_API void* plx_event_opencl(const plx_event*);
/* The host application's cl_event, retained. */
PLX_API plx_status plx_event_wrap_opencl(plx_session*, void* event, plx_event**);
PLX_API void plx_event_release(plx_event*);

PLX_API plx_status plx_cancel_create(plx_cancel**);
/* By any thread, at any time. */
PLX_API void plx_cancel_now(plx_cancel*);
PLX_API void plx_cancel_release(plx_cancel*);

/* Calls */

typedef struct plx_input {
    const char* name;
    const plx_array* array;     /* on the device already, or null: */
    const plx_layout* layout;
    const void* data;           /* the start of the memory */
} plx_input;
typedef struct plx_output {
    const char* name;
    const plx_array* array;
} plx_output;
typedef struct plx_call {
    size_t struct_size;
    const char* algorithm;
    const char* parameters;             /* JSON, as in a step of a job; null: defaults */
    const plx_input* inputs;
    size_t input_count;
    const char* const* outputs;         /* which are wanted; none: those that the algorithm always gives */
    size_t output_count;
    const plx_output* into; /* outputs that go into arrays which are there, and overlap no input and no other output */
    size_t into_count;
    const char* variant;                /* null: the best that can */
    const char* policy;                 /* JSON, with a variant only */
    const plx_event* const* wait;       /* what must be complete first */
    size_t wait_count;
    const plx_cancel* cancel;
} plx_call;

/* Runs and waits. */
PLX_API plx_status plx_run(plx_session*, const plx_call*, plx_result**);
/* Enqueues and returns; calls of a session run in the order of submission. Memory of inputs must live until plx_pending_done().
 */
PLX_API plx_status plx_submit(plx_session*, const plx_call*, plx_pending**);
PLX_API plx_status plx_pending_done(const plx_pending*, plx_event**);
/* An output array, for calls that wait for plx_pending_done(). */
PLX_API plx_status plx_pending_array(const plx_pending*, const char* name, plx_array**);
/* Waits; once. */
PLX_API plx_status plx_pending_get(plx_pending*, plx_result**);
PLX_API void plx_pending_release(plx_pending*);

/* Makes what the calls need in a thread of its own, which also calls `progress` with 0 to 1 (may be null). Of inputs that are
 * not arrays only the layouts matter. `progress` neither throws nor waits for its own preparation, nor releases it. */
PLX_API plx_status plx_prepare(plx_session*, const plx_call* calls, size_t call_count, void (*progress)(double done, void* user),
                               void* user, plx_preparation**);
PLX_API plx_status plx_preparation_wait(plx_preparation*);
PLX_API double plx_preparation_progress(const plx_preparation*);
/* Ends after the plan at hand. */
PLX_API void plx_preparation_release(plx_preparation*);

PLX_API plx_status plx_result_array(const plx_result*, const char* name, plx_array**);
/* JSON; both strings live as long as the result. */
PLX_API plx_status plx_result_record(const plx_result*, const char* name, const char** json);
PLX_API const char* plx_result_report(const plx_result*);
PLX_API void plx_result_release(plx_result*);

/* Jobs: JSON as in docs/jobs.md */

typedef struct plx_job_options {
    size_t struct_size;
    const char* folder;         /* what relative inputs are relative to; null: the working directory */
    const char* out;            /* what outputs are below; null: the working directory */
    int overwrite;
    void (*progress)(const char* stage, double done, void* user);
    void* progress_user;
    const plx_cancel* cancel;
    const char* const* root_names;   /* "NAME:path" in a job */
    const char* const* root_folders;
    size_t root_count;
    int confined;               /* inputs below `folder` and the roots alone, links followed: for jobs of strangers */
    /* Of a series, a job with for_each. */
    const char* manifest;       /* folder that remembers what is done; null: "job.series" below `out` */
    int resume;
    size_t shard, shards;       /* the items of one of several processes that share a manifest; 0, 0: all */
    int readers, writers;       /* threads; 0: by the processor */
    int in_flight;              /* items on a device at once; 0: 3 */
    const char* trace;          /* a file for who did what when */
    int ranks; /* of plx_run_job(): processes that mpirun started do the job together; the first has the report */
    size_t no_sync; /* not 0: do not wait for the disk; a power cut may take outputs that were told as done */
} plx_job_options;

/* On files, on this engine's device, a series too; `report` may be null. That of a series has items that failed under "failed".
 */
PLX_API plx_status plx_engine_run(const plx_engine*, const char* job, const plx_job_options*, char** report);
/* As `parallax run` does, on the devices that the job asks for; `device` of the engine's options replaces what the job says. */
PLX_API plx_status plx_run_job(const char* job, const plx_job_options*, const plx_engine_options*, char** report);
/* On engines that are there: several share the items of a series, or the parts of one problem. */
PLX_API plx_status plx_engines_run(const plx_engine* const* engines, size_t engine_count, const char* job, const plx_job_options*,
                                   char** report);
/* In memory: inputs by the job's names, each in the place of what the job would read (its spacing and "non_finite" hold), outputs
   in the result. PLX_ERROR_IO for values that "non_finite": "reject" does not want. */
PLX_API plx_status plx_session_run(plx_session*, const char* job, const plx_input* inputs, size_t input_count, const plx_cancel*,
                                   plx_result**);

#if defined(__cplusplus)
}
#endif
#endif
