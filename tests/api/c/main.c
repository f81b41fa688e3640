/* The C interface from C: results, errors that stay errors, and structs of other sizes. */
#include <parallax/parallax.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition) \
    ((condition) ? (void)0 : (void)(printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, plx_last_error()), ++failures))

static int calls_of_progress = 0;
static void progress(double done, void* user) { (void)done; ++*(int*)user; }
static int lines_of_log = 0;
static void log_line(plx_log_level level, const char* text, void* user) {
    (void)level;
    (void)user;
    lines_of_log += text[0] != '\0';
}

static plx_layout image_layout(void) {
    plx_layout layout = PLX_INIT(plx_layout);
    layout.type = PLX_F32;
    layout.axis_count = 2;
    layout.axes[0].name = 'y';
    layout.axes[0].size = 4;
    layout.axes[1].name = 'x';
    layout.axes[1].size = 6;
    return layout;
}

static void test_calls(plx_session* session) {
    float in[24], out[24] = {0};
    for (int i = 0; i < 24; ++i) in[i] = (float)i;
    const plx_layout layout = image_layout();
    plx_array* array = NULL;
    CHECK(plx_array_upload(session, &layout, in, &array) == PLX_OK);
    CHECK(plx_array_bytes(array) == sizeof in);

    plx_input inputs[1] = {{"image", NULL, NULL, NULL}};
    inputs[0].array = array;
    const plx_output into[1] = {{"image", array}};
    plx_call call = PLX_INIT(plx_call);
    call.algorithm = "arithmetic";
    call.parameters = "{\"op\": \"add\", \"value\": 1}";
    call.inputs = inputs;
    call.input_count = 1;
    call.into = into;
    call.into_count = 1;

    plx_preparation* preparation = NULL;
    CHECK(plx_prepare(session, &call, 1, progress, &calls_of_progress, &preparation) == PLX_OK);
    CHECK(plx_preparation_wait(preparation) == PLX_OK);
    CHECK(plx_preparation_progress(preparation) == 1.0);
    CHECK(calls_of_progress == 2);
    plx_preparation_release(preparation);

    plx_event* last = NULL;
    for (int i = 0; i < 5; ++i) {
        const plx_event* wait[1];
        wait[0] = last;
        call.wait = last ? wait : NULL;
        call.wait_count = last ? 1 : 0;
        plx_pending* pending = NULL;
        CHECK(plx_submit(session, &call, &pending) == PLX_OK);
        plx_event* done = NULL;
        CHECK(plx_pending_done(pending, &done) == PLX_OK);
        plx_pending_release(pending);   /* before it has ended */
        plx_event_release(last);
        last = done;
    }
    plx_event* read = NULL;
    const plx_event* wait[1];
    wait[0] = last;
    CHECK(plx_array_read(session, array, out, sizeof out, wait, 1, &read) == PLX_OK);
    CHECK(plx_event_wait(read) == PLX_OK);
    int complete = 0;
    CHECK(plx_event_complete(read, &complete) == PLX_OK && complete == 1);
    CHECK(out[0] == 5 && out[23] == 28);
    plx_event_release(read);
    plx_event_release(last);

    plx_layout given_back = PLX_INIT(plx_layout);
    CHECK(plx_array_layout(array, &given_back) == PLX_OK);
    CHECK(given_back.axis_count == 2 && given_back.axes[0].stride == 6 && given_back.type == PLX_F32);
    plx_array_release(array);

    inputs[0].array = NULL;   /* from the caller's memory, and a record */
    inputs[0].name = "array";
    inputs[0].layout = &layout;
    inputs[0].data = in;
    plx_call sum = PLX_INIT(plx_call);
    sum.algorithm = "reduce";
    sum.inputs = inputs;
    sum.input_count = 1;
    plx_result* result = NULL;
    const char* record = NULL;
    CHECK(plx_run(session, &sum, &result) == PLX_OK);
    CHECK(plx_result_record(result, "value", &record) == PLX_OK && strstr(record, "276") != NULL);
    CHECK(strstr(plx_result_report(result), "variant") != NULL);
    plx_result_release(result);
}

static void test_errors(const plx_engine* engine, plx_session* session) {
    plx_result* result = NULL;
    plx_call call = PLX_INIT(plx_call);
    CHECK(plx_run(session, &call, &result) == PLX_ERROR_CONFIG);   /* no algorithm */
    call.algorithm = "box_filtre";
    CHECK(plx_run(session, &call, &result) == PLX_ERROR_CONFIG && strstr(plx_last_error(), "box_filter") != NULL);
    CHECK(result == NULL);
    CHECK(plx_run(NULL, &call, &result) == PLX_ERROR_CONFIG);
    CHECK(plx_run(session, NULL, &result) == PLX_ERROR_CONFIG);
    CHECK(plx_run(session, &call, NULL) == PLX_ERROR_CONFIG);
    call.algorithm = "reduce";
    call.input_count = 1;   /* and no inputs */
    CHECK(plx_run(session, &call, &result) == PLX_ERROR_CONFIG);
    call.input_count = 0;

    call.struct_size = 0;   /* not initialised */
    CHECK(plx_run(session, &call, &result) == PLX_ERROR_CONFIG);
    struct { plx_call call; void* of_the_future; } newer;   /* a program newer than the library */
    memset(&newer, 0, sizeof newer);
    newer.call.struct_size = sizeof newer;
    newer.call.algorithm = "phantom";
    newer.call.parameters = "{\"kind\": \"carpet\", \"size\": 9}";
    CHECK(plx_run(session, &newer.call, &result) == PLX_OK);
    plx_result_release(result);
    newer.of_the_future = &newer;
    CHECK(plx_run(session, &newer.call, &result) == PLX_ERROR_UNSUPPORTED);
    newer.call.struct_size = offsetof(plx_call, variant);   /* a program older than the library */
    CHECK(plx_run(session, &newer.call, &result) == PLX_OK);
    plx_array* array = NULL;
    CHECK(plx_result_array(result, "no such", &array) == PLX_ERROR_CONFIG && array == NULL);
    plx_result_release(result);

    plx_cancel* cancel = NULL;
    CHECK(plx_cancel_create(&cancel) == PLX_OK);
    plx_cancel_now(cancel);
    plx_call cancelled = PLX_INIT(plx_call);
    cancelled.algorithm = "phantom";
    cancelled.cancel = cancel;
    CHECK(plx_run(session, &cancelled, &result) == PLX_ERROR_CANCELLED);
    plx_cancel_release(cancel);

    plx_layout layout = image_layout();
    layout.axes[0].size = INT64_MAX;
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG);
    layout.axes[0].size = -4;
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG);
    layout = image_layout();
    layout.axes[0].stride = 6;   /* a pitch alone: the pixels of a row would be its first one */
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG);
    CHECK(strstr(plx_last_error(), "no stride of the axis x beside those of others") != NULL);
    layout.axes[1].stride = 1;
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_OK);
    plx_array_release(array);
    array = NULL;
    layout = image_layout();
    memcpy(layout.unit, "microns!", sizeof layout.unit);
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG);
    layout = image_layout();
    static const float pixels[24] = {0};
    plx_input twice[2] = {{"array", NULL, NULL, NULL}, {"array", NULL, NULL, NULL}};
    twice[0].layout = twice[1].layout = &layout;
    twice[0].data = twice[1].data = pixels;
    plx_call again = PLX_INIT(plx_call);
    again.algorithm = "reduce";
    again.inputs = twice;
    again.input_count = 2;
    CHECK(plx_run(session, &again, &result) == PLX_ERROR_CONFIG);
    CHECK(strstr(plx_last_error(), "a second input of this name") != NULL);
    layout.axis_count = 9;
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG);
    layout = image_layout();
    layout.type = (plx_type)99;
    CHECK(plx_array_allocate(session, &layout, &array) == PLX_ERROR_CONFIG && strstr(plx_last_error(), "element type 99") != NULL);
    layout = image_layout();
    layout.axes[0].size = (int64_t)1 << 50;   /* more than there is: whatever it is called, no exception comes through */
    CHECK(plx_array_allocate(session, &layout, &array) != PLX_OK && array == NULL);
    CHECK(plx_array_upload(session, &layout, NULL, &array) == PLX_ERROR_CONFIG);

    CHECK(plx_engine_run(engine, "{", NULL, NULL) == PLX_ERROR_CONFIG);
    CHECK(plx_engine_run(engine,
                         "{\"parallax\": 1, \"inputs\": {\"image\": \"/no/such.png\"}, \"steps\": [{\"run\": \"box_filter\"}], "
                         "\"outputs\": {\"image\": \"a.png\"}}",
                         NULL, NULL) != PLX_OK);
    plx_engine* none = NULL;
    plx_engine_options options = PLX_INIT(plx_engine_options);
    options.device = "no such device";
    CHECK(plx_engine_open(&options, &none) == PLX_ERROR_UNSUPPORTED && none == NULL);
    CHECK(plx_engine_from_opencl(NULL, NULL, NULL, &none) == PLX_ERROR_CONFIG);
    CHECK(strcmp(plx_status_name(PLX_ERROR_CANCELLED), "cancelled") == 0);
    CHECK(strcmp(plx_status_name((plx_status)99), "unknown") == 0);

    plx_engine_release(NULL);
    plx_session_release(NULL);
    plx_array_release(NULL);
    plx_event_release(NULL);
    plx_result_release(NULL);
    plx_pending_release(NULL);
    plx_free(NULL);
}

/* A job on files, by the engine and without one, and what an error is made of. */
static void test_jobs_on_files(const plx_engine* engine) {
    static const char* const job =
        "{\"parallax\": 1, \"steps\": [{\"run\": \"phantom\", \"kind\": \"carpet\", \"size\": 27}], \"outputs\": {\"volume\": "
        "\"plx_c_carpet.npy\"}}";
    plx_job_options options = PLX_INIT(plx_job_options);
    options.overwrite = 1;
    char* report = NULL;
    CHECK(plx_engine_run(engine, job, &options, &report) == PLX_OK && strstr(report, "\"steps\"") != NULL);
    plx_free(report);
    CHECK(plx_engines_run(&engine, 1, job, &options, NULL) == PLX_OK);
    CHECK(plx_engines_run(NULL, 0, job, &options, NULL) == PLX_ERROR_CONFIG);
    plx_engine_options native = PLX_INIT(plx_engine_options);
    native.device = "native";
    CHECK(plx_run_job(job, &options, &native, &report) == PLX_OK && strstr(report, "\"native") != NULL);
    plx_free(report);
    remove("plx_c_carpet.npy");

    plx_error error = PLX_INIT(plx_error);
    options.resume = 1;
    CHECK(plx_run_job(job, &options, &native, NULL) == PLX_ERROR_CONFIG);
    CHECK(plx_last_error_details(&error) == PLX_OK && error.status == PLX_ERROR_CONFIG && strcmp(error.pointer, "resume") == 0);
    CHECK(strcmp(error.message, plx_last_error()) == 0 && error.expected[0] != '\0' && error.code == 0);
    options.resume = 0;
    options.folder = "";
    CHECK(plx_run_job(job, &options, &native, NULL) == PLX_ERROR_CONFIG);
    CHECK(plx_last_error_details(&error) == PLX_OK && strcmp(error.pointer, "folder") == 0);
    options.folder = NULL;
    CHECK(plx_run_job("{\"parallax\": 1, \"steps\": [{\"run\": \"box_filtre\"}]}", &options, &native, NULL) == PLX_ERROR_CONFIG);
    CHECK(plx_last_error_details(&error) == PLX_OK && strcmp(error.pointer, "/steps/0/run") == 0 &&
          strstr(error.hint, "box_filter") != NULL);
    native.device = "no such device";
    CHECK(plx_run_job(job, &options, &native, NULL) == PLX_ERROR_UNSUPPORTED);
    CHECK(plx_last_error_details(&error) == PLX_OK && error.status == PLX_ERROR_UNSUPPORTED && error.details[0] != '\0');
    error.struct_size = sizeof error.struct_size + sizeof error.status;   /* an older program's */
    error.message = NULL;
    CHECK(plx_last_error_details(&error) == PLX_OK && error.message == NULL);
    CHECK(plx_last_error_details(NULL) == PLX_ERROR_CONFIG);

    char* why = NULL;
    CHECK(plx_engine_lost(engine, &why) == PLX_OK && why[0] == '\0');
    plx_free(why);
    uint64_t freed = 0;
    CHECK(plx_engine_trim(engine, &freed) == PLX_OK);
}

int main(void) {
    char *devices = NULL, *name = NULL, *algorithms = NULL;
    CHECK(plx_devices(&devices) == PLX_OK && strstr(devices, "native") != NULL);
    plx_free(devices);

    plx_engine_options options = PLX_INIT(plx_engine_options);
    options.log = log_line;
    plx_engine* engine = NULL;
    plx_session* session = NULL;
    if (plx_engine_open(&options, &engine) != PLX_OK || plx_session_open(engine, &session) != PLX_OK) {
        printf("%s\n", plx_last_error());
        return 1;
    }
    CHECK(lines_of_log > 0);
    CHECK(plx_engine_device_name(engine, &name) == PLX_OK && name[0] != '\0');
    test_jobs_on_files(engine);
    CHECK(plx_engine_algorithms(engine, &algorithms) == PLX_OK && strstr(algorithms, "hologram") != NULL);
    plx_free(name);
    plx_free(algorithms);
    test_calls(session);
    test_errors(engine, session);

    plx_array* survivor = NULL;
    const plx_layout layout = image_layout();
    CHECK(plx_array_allocate(session, &layout, &survivor) == PLX_OK);
    plx_engine_release(engine);   /* in the worst order */
    plx_session_release(session);
    plx_array_release(survivor);
    printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
