// The C interface: each function is one of the C++ interface with its exceptions caught.
#include "parallax/parallax.h"

#include "job/report.hpp"
#include "parallax/host/json.hpp"
#include "parallax/parallax.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

using namespace parallax;

struct plx_engine { Engine engine; };
struct plx_session { Session session; };
struct plx_array { Array array; };
struct plx_event { Event event; };
struct plx_pending { Pending pending; };
struct plx_preparation { Preparation preparation; };
struct plx_result { Result result; };
struct plx_cancel { CancelToken token; };

namespace {

/// What a thread's last error was, in parts.
struct LastError {
    plx_status status = PLX_OK;
    std::string message, pointer, found, expected, hint, call, code_name, step, file, details;
    int code = 0, line = 0;

    void take(const std::exception& error) {
        message = error.what();
        if (const auto* e = dynamic_cast<const ConfigError*>(&error)) {
            status = PLX_ERROR_CONFIG;
            pointer = e->pointer;
            found = e->found;
            expected = e->expected;
            hint = e->hint;
        } else if (const auto* e = dynamic_cast<const DeviceError*>(&error)) {
            status = PLX_ERROR_DEVICE;
            call = e->call;
            code = e->code;
            code_name = e->code_name;
            step = e->step;
            hint = e->hint;
        } else if (const auto* e = dynamic_cast<const BuildError*>(&error)) {
            status = PLX_ERROR_BUILD;
            file = e->file;
            line = e->line;
            details = e->log;
        } else if (const auto* e = dynamic_cast<const IoError*>(&error)) {
            status = PLX_ERROR_IO;
            file = e->path;
            details = e->problem;
            hint = e->hint;
        } else if (const auto* e = dynamic_cast<const UnsupportedError*>(&error)) {
            status = PLX_ERROR_UNSUPPORTED;
            for (const std::string& reason : e->reasons) details += (details.empty() ? "" : "\n") + reason;
        } else if (dynamic_cast<const CancelledError*>(&error) != nullptr) {
            status = PLX_ERROR_CANCELLED;
        } else if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
            status = PLX_ERROR_MEMORY;
            message = "this machine has too little memory";
        } else {
            status = PLX_ERROR;
        }
    }
};

thread_local LastError* error_there = nullptr;

void leave_error(void*) noexcept {
    if (error_there != nullptr) std::destroy_at(std::exchange(error_there, nullptr));
}

#if defined(_WIN32)
void leave_with_thread() noexcept {
    struct Leaver {
        ~Leaver() { leave_error(nullptr); }
    };
    thread_local const Leaver leaver;
}
#else
/// A destructor of a thread_local object ends the process where there is no memory for its registration. This one is left out then,
/// which costs the words of one message.
pthread_key_t threads_end{};
const bool has_threads_end = ::pthread_key_create(&threads_end, leave_error) == 0;

/// Where the library is unloaded, too: a thread that ends later must not look for it.
[[gnu::destructor]] void forget_threads() noexcept {
    if (has_threads_end) ::pthread_key_delete(threads_end);
}

void leave_with_thread() noexcept {
    if (has_threads_end) static_cast<void>(::pthread_setspecific(threads_end, &error_there));
}
#endif

/// Of this thread. It goes with the thread, before objects of the host's with static storage, which may call all the same: they
/// find another in its place.
LastError& last_error() {
    alignas(LastError) thread_local std::byte room[sizeof(LastError)];
    if (error_there == nullptr) {
        error_there = new (room) LastError;
        leave_with_thread();
    }
    return *error_there;
}

const Error& foreign_exception = *new Error("an exception that is not one of C++'s");   // made now: later there may be no memory

plx_status status_of(const std::exception& error) noexcept {
    try {
        last_error() = {};
        last_error().take(error);
    } catch (...) {   // no memory for the words
        last_error().status = PLX_ERROR_MEMORY;
    }
    return last_error().status;
}

/// Runs `work`; what it throws becomes a status and the thread's last error.
template <class Work>
plx_status guard(Work&& work) noexcept {
    try {
        work();
        return PLX_OK;
    } catch (const std::exception& error) {
        return status_of(error);
    } catch (...) {
        return status_of(foreign_exception);
    }
}

template <class T>
T& given(T* pointer, const char* what) {
    if (pointer == nullptr) throw ConfigError("", std::string("a null pointer for ") + what, what);
    return *pointer;
}

std::string text_or(const char* text, const char* otherwise = "") { return text != nullptr ? text : otherwise; }

std::string word(const char* text, const char* what) { return &given(text, what); }

char* copy_of(const std::string& text) {
    char* copy = static_cast<char*>(std::malloc(text.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, text.c_str(), text.size() + 1);
    return copy;
}

/// The caller's struct as this library knows it: fields that it does not have are 0, and those that we do not know must be.
template <class T>
T known(const T* given_struct, const char* what) {
    T ours{};
    if (given_struct == nullptr) return ours;
    std::size_t size = 0;
    std::memcpy(&size, given_struct, sizeof size);
    if (size < sizeof size || size > 4096)
        throw ConfigError("", std::string(what) + " with struct_size " + std::to_string(size), "one that PLX_INIT has set");
    const auto* bytes = reinterpret_cast<const unsigned char*>(given_struct);
    if (size > sizeof ours && std::any_of(bytes + sizeof ours, bytes + size, [](unsigned char byte) { return byte != 0; }))
        throw UnsupportedError(std::string(what) + " has fields that this version does not know",
                               {std::string("this is Parallax ") + version()});
    std::memcpy(&ours, given_struct, std::min(size, sizeof ours));
    return ours;
}

/// A caller's number in an enum. Of one that has no name C++ lets us ask nothing, not even whether it has one.
template <class Enum>
int number_of(const Enum& given_enum) noexcept {
    int number = 0;
    static_assert(sizeof number == sizeof given_enum);
    std::memcpy(&number, &given_enum, sizeof number);
    return number;
}

ArrayDesc desc_of(const plx_layout* layout) {
    given(layout, "a plx_layout");
    const plx_layout ours = known(layout, "a plx_layout");
    if (ours.axis_count < 1 || ours.axis_count > PLX_MAX_AXES)
        throw ConfigError("", std::to_string(ours.axis_count) + " axes", "1 to " + std::to_string(PLX_MAX_AXES));
    const int type = number_of(ours.type);
    if (type < PLX_BOOL || type > PLX_C128) throw ConfigError("", "the element type " + std::to_string(type), "one of plx_type");
    ArrayDesc desc;
    desc.type = static_cast<ElementType>(type);
    desc.offset = ours.offset;
    const char* const end = std::find(ours.unit, ours.unit + sizeof ours.unit, '\0');
    if (end == ours.unit + sizeof ours.unit) throw ConfigError("", "a unit of 8 bytes", "at most 7, and a 0 behind them");
    desc.unit.assign(ours.unit, end);
    const bool strides =
        std::any_of(ours.axes, ours.axes + ours.axis_count, [](const plx_axis& axis) { return axis.stride != 0; });
    for (int i = 0; i < ours.axis_count; ++i) {
        const plx_axis& axis = ours.axes[i];
        if (strides && axis.stride == 0 && axis.size > 1)
            throw ConfigError("", std::string("no stride of the axis ") + axis.name + " beside those of others",
                              "one for each axis, 1 for pixels side by side; or none, of a dense array");
        desc.axes.push_back({axis.name, axis.size, axis.stride, axis.spacing == 0 && axis.name != 't' ? 1.0 : axis.spacing});
    }
    if (!strides) {
        std::int64_t stride = 1;
        for (auto axis = desc.axes.rbegin(); axis != desc.axes.rend(); ++axis) {
            axis->stride = stride;
            if (axis->size < 0 || (axis->size > 1 && stride > (INT64_MAX / 64) / axis->size))
                throw ConfigError("", "an axis of " + std::to_string(axis->size) + " elements", "sizes that memory can hold");
            stride *= std::max<std::int64_t>(axis->size, 1);
        }
    }
    return desc;
}

plx_layout layout_of(const ArrayDesc& desc) {
    plx_layout layout{};
    layout.struct_size = sizeof layout;
    layout.type = static_cast<plx_type>(desc.type);
    if (desc.axes.size() > PLX_MAX_AXES)
        throw UnsupportedError("an array of " + std::to_string(desc.axes.size()) + " axes", {"a plx_layout holds 8"});
    layout.axis_count = static_cast<std::int32_t>(desc.axes.size());
    for (std::size_t i = 0; i < desc.axes.size(); ++i)
        layout.axes[i] = {desc.axes[i].name, desc.axes[i].size, desc.axes[i].stride, desc.axes[i].spacing};
    layout.offset = desc.offset;
    desc.unit.copy(layout.unit, sizeof layout.unit - 1);
    return layout;
}

EngineOptions options_of(const plx_engine_options* given_options) {
    const plx_engine_options options = known(given_options, "plx_engine_options");
    EngineOptions result{text_or(options.device), text_or(options.cache_folder), {}, options.memory_limit, options.plan_memory};
    if (options.log != nullptr) {
        result.log = [log = options.log, user = options.log_user](LogLevel level, const std::string& text) {
            log(static_cast<plx_log_level>(level), text.c_str(), user);
        };
    }
    return result;
}

std::vector<Event> events_of(const plx_event* const* wait, std::size_t count) {
    std::vector<Event> events;
    if (count != 0 && wait == nullptr) throw ConfigError("", "a null pointer for the events", "an array of them");
    for (std::size_t i = 0; i < count; ++i) events.push_back(given(wait[i], "an event").event);
    return events;
}

Inputs inputs_of(const plx_input* inputs, std::size_t count) {
    Inputs result;
    if (count != 0 && inputs == nullptr) throw ConfigError("", "a null pointer for the inputs", "an array of them");
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = word(inputs[i].name, "an input's name");
        if (result.contains(name)) throw ConfigError("/inputs/" + name, "a second input of this name", "each once");
        if (inputs[i].array != nullptr) result.insert_or_assign(name, inputs[i].array->array);
        else result.insert_or_assign(name, View(desc_of(inputs[i].layout), inputs[i].data));
    }
    return result;
}

Call call_of(const plx_call* given_call) {
    given(given_call, "a plx_call");
    const plx_call ours = known(given_call, "a plx_call");
    Call call;
    call.algorithm = word(ours.algorithm, "an algorithm's name");
    call.parameters = text_or(ours.parameters, "{}");
    call.inputs = inputs_of(ours.inputs, ours.input_count);
    if ((ours.output_count != 0 && ours.outputs == nullptr) || (ours.into_count != 0 && ours.into == nullptr))
        throw ConfigError("", "a null pointer for the outputs", "an array of them");
    for (std::size_t i = 0; i < ours.output_count; ++i) call.options.outputs.push_back(word(ours.outputs[i], "an output's name"));
    for (std::size_t i = 0; i < ours.into_count; ++i)
        call.options.into.insert_or_assign(word(ours.into[i].name, "an output's name"),
                                           given(ours.into[i].array, "an array for an output").array);
    call.options.variant = text_or(ours.variant);
    call.options.policy = text_or(ours.policy);
    call.options.wait = events_of(ours.wait, ours.wait_count);
    if (ours.cancel != nullptr) call.options.cancel = ours.cancel->token;
    return call;
}

/// Hands out a new T of `make()`.
template <class T, class Make>
plx_status create(T** out, const char* what, Make&& make) noexcept {
    return guard([&] {
        given(out, what) = nullptr;
        *out = new T{make()};
    });
}

void check_bytes(const Array& array, const void* data, std::size_t bytes) {
    if (data == nullptr && bytes != 0) throw ConfigError("", "a null pointer for memory", "the start of memory");
    const std::size_t needed = array.desc().dense_bytes();
    if (bytes != needed)
        throw ConfigError("", std::to_string(bytes) + " bytes", std::to_string(needed) + " for " + array.desc().describe());
}

JobOptions job_options_of(const plx_job_options* given_options) {
    const plx_job_options ours = known(given_options, "plx_job_options");
    JobOptions options;
    options.folder = text_or(ours.folder, ".");
    options.out = text_or(ours.out, ".");
    options.overwrite = ours.overwrite != 0;
    options.confined = ours.confined != 0;
    if (ours.root_count != 0 && (ours.root_names == nullptr || ours.root_folders == nullptr))
        throw ConfigError("roots", "a null pointer for the roots", "names and folders");
    for (std::size_t i = 0; i < ours.root_count; ++i)
        options.roots.insert_or_assign(word(ours.root_names[i], "a root's name"), word(ours.root_folders[i], "a root's folder"));
    if (ours.progress != nullptr) {
        options.progress = [call = ours.progress, user = ours.progress_user](const std::string& stage, double done) {
            call(stage.c_str(), done, user);
        };
    }
    if (ours.cancel != nullptr) options.cancel = ours.cancel->token;
    options.manifest = text_or(ours.manifest);
    options.resume = ours.resume != 0;
    if (ours.shard != 0 || ours.shards != 0) {
        options.shard = ours.shard;
        options.shards = ours.shards;
    }
    options.readers = ours.readers;
    options.writers = ours.writers;
    if (ours.in_flight != 0) options.in_flight = ours.in_flight;
    options.trace = text_or(ours.trace);
    options.ranks = ours.ranks != 0;
    options.sync = ours.no_sync == 0;
    return options;
}

/// `work` gives the report.
template <class Work>
plx_status run_job(char** report, Work&& work) noexcept {
    return guard([&] {
        if (report != nullptr) *report = nullptr;
        const std::string text = work();
        if (report != nullptr) *report = copy_of(text);
    });
}

_cl_command_queue* queue_of(void* queue) { return static_cast<_cl_command_queue*>(queue); }

}  // namespace

const char* plx_version(void) { return version(); }
const char* plx_last_error(void) { return last_error().message.c_str(); }
plx_status plx_last_error_details(plx_error* out) {
    if (out == nullptr || out->struct_size < sizeof out->struct_size)
        return PLX_ERROR_CONFIG;   // the last error stays what it is
    const LastError& last = last_error();
    const plx_error ours{out->struct_size,
                         last.status,
                         last.message.c_str(),
                         last.pointer.c_str(),
                         last.found.c_str(),
                         last.expected.c_str(),
                         last.hint.c_str(),
                         last.call.c_str(),
                         last.code,
                         last.code_name.c_str(),
                         last.step.c_str(),
                         last.file.c_str(),
                         last.line,
                         last.details.c_str()};
    std::memcpy(out, &ours, std::min(out->struct_size, sizeof ours));
    return PLX_OK;
}
const char* plx_status_name(plx_status status) {
    static constexpr const char* names[] = {"ok", "error",       "config",    "device", "build",
                                            "io", "unsupported", "cancelled", "memory"};
    const int number = number_of(status);
    return number >= PLX_OK && number <= PLX_ERROR_MEMORY ? names[number] : "unknown";
}
void plx_free(char* text) { std::free(text); }

plx_status plx_devices(char** json) {
    return guard([&] {
        given(json, "a char**") = nullptr;
        const Devices list = devices();
        Json all = Json::array();
        for (const DeviceInfo& info : list.devices) all.push_back(engine::to_json(info));
        *json = copy_of(Json{{"devices", std::move(all)}, {"problems", list.problems}}.dump());
    });
}

plx_status plx_engine_open(const plx_engine_options* options, plx_engine** out) {
    return create(out, "a plx_engine**", [&] { return Engine(options_of(options)); });
}
plx_status plx_engine_from_opencl(void* context, void* device, const plx_engine_options* options, plx_engine** out) {
    return create(out, "a plx_engine**", [&] {
        return Engine::from_opencl(static_cast<_cl_context*>(context), static_cast<_cl_device_id*>(device), options_of(options));
    });
}
plx_status plx_engine_from_cuda(void* context, const plx_engine_options* options, plx_engine** out) {
    return create(out, "a plx_engine**", [&] { return Engine::from_cuda(static_cast<CUctx_st*>(context), options_of(options)); });
}
void plx_engine_release(plx_engine* engine) { delete engine; }
plx_status plx_engine_device_name(const plx_engine* engine, char** name) {
    return guard([&] { given(name, "a char**") = copy_of(given(engine, "an engine").engine.device().name); });
}
uint64_t plx_engine_allocated(const plx_engine* engine) { return engine != nullptr ? engine->engine.allocated() : 0; }
plx_status plx_engine_trim(const plx_engine* engine, uint64_t* freed) {
    return guard([&] {
        const std::uint64_t bytes = given(engine, "an engine").engine.trim();
        if (freed != nullptr) *freed = bytes;
    });
}
plx_status plx_engine_lost(const plx_engine* engine, char** why) {
    return guard([&] {
        given(why, "a char**") = nullptr;
        *why = copy_of(given(engine, "an engine").engine.lost());
    });
}
plx_status plx_engine_algorithms(const plx_engine* engine, char** json) {
    return guard([&] { given(json, "a char**") = copy_of(given(engine, "an engine").engine.algorithms_json()); });
}

plx_status plx_session_open(const plx_engine* engine, plx_session** out) {
    return create(out, "a plx_session**", [&] { return Session(given(engine, "an engine").engine); });
}
plx_status plx_session_from_queue(const plx_engine* engine, void* queue, plx_session** out) {
    return create(out, "a plx_session**",
                  [&] { return Session::from_queue(given(engine, "an engine").engine, queue_of(queue)); });
}
plx_status plx_session_from_stream(const plx_engine* engine, void* stream, plx_session** out) {
    return create(out, "a plx_session**",
                  [&] { return Session::from_stream(given(engine, "an engine").engine, static_cast<CUstream_st*>(stream)); });
}
void plx_session_release(plx_session* session) { delete session; }

plx_status plx_session_trim(plx_session* session) {
    return guard([&] { given(session, "a session").session.trim(); });
}
plx_status plx_session_time_each_launch(plx_session* session, int each) {
    return guard([&] { given(session, "a session").session.time_each_launch(each != 0); });
}
plx_status plx_array_allocate(plx_session* session, const plx_layout* layout, plx_array** out) {
    return create(out, "a plx_array**", [&] { return given(session, "a session").session.allocate(desc_of(layout)); });
}
plx_status plx_array_upload(plx_session* session, const plx_layout* layout, const void* data, plx_array** out) {
    return create(out, "a plx_array**", [&] { return given(session, "a session").session.upload(View(desc_of(layout), data)); });
}
plx_status plx_array_download(plx_session* session, const plx_array* array, void* data, size_t bytes) {
    return guard([&] {
        const Array& source = given(array, "an array").array;
        check_bytes(source, data, bytes);
        given(session, "a session").session.download(source, MutableView(source.desc().to_dense(), data));
    });
}
plx_status plx_array_write(plx_session* session, const plx_array* array, const void* data, size_t bytes,
                           const plx_event* const* wait, size_t wait_count, plx_event** out) {
    return create(out, "a plx_event**", [&] {
        const Array& target = given(array, "an array").array;
        check_bytes(target, data, bytes);
        return given(session, "a session")
            .session.write(target, View(target.desc().to_dense(), data), events_of(wait, wait_count));
    });
}
plx_status plx_array_read(plx_session* session, const plx_array* array, void* data, size_t bytes, const plx_event* const* wait,
                          size_t wait_count, plx_event** out) {
    return create(out, "a plx_event**", [&] {
        const Array& source = given(array, "an array").array;
        check_bytes(source, data, bytes);
        return given(session, "a session")
            .session.read(source, MutableView(source.desc().to_dense(), data), events_of(wait, wait_count));
    });
}
plx_status plx_array_wrap_opencl(plx_session* session, void* memory, const plx_layout* layout, plx_array** out) {
    return create(out, "a plx_array**",
                  [&] { return given(session, "a session").session.wrap(static_cast<_cl_mem*>(memory), desc_of(layout)); });
}
plx_status plx_array_wrap_cuda(plx_session* session, uint64_t address, const plx_layout* layout, plx_array** out) {
    return create(out, "a plx_array**", [&] { return given(session, "a session").session.wrap_cuda(address, desc_of(layout)); });
}
plx_status plx_array_layout(const plx_array* array, plx_layout* layout) {
    return guard([&] {
        std::size_t size = given(layout, "a plx_layout").struct_size;
        const plx_layout full = layout_of(given(array, "an array").array.desc());
        if (size < sizeof size)
            throw ConfigError("", "a plx_layout with struct_size " + std::to_string(size), "one that PLX_INIT has set");
        std::memcpy(layout, &full, std::min(size, sizeof full));
        layout->struct_size = size;
    });
}
size_t plx_array_bytes(const plx_array* array) {
    std::size_t bytes = 0;
    guard([&] { bytes = given(array, "an array").array.desc().dense_bytes(); });
    return bytes;
}
void* plx_array_opencl(const plx_array* array) { return array != nullptr ? array->array.opencl() : nullptr; }
uint64_t plx_array_cuda(const plx_array* array) { return array != nullptr ? array->array.cuda() : 0; }
void plx_array_release(plx_array* array) { delete array; }

plx_status plx_event_wait(const plx_event* event) {
    return guard([&] { given(event, "an event").event.wait(); });
}
plx_status plx_event_complete(const plx_event* event, int* complete) {
    return guard([&] { given(complete, "an int*") = given(event, "an event").event.complete() ? 1 : 0; });
}
void* plx_event_opencl(const plx_event* event) { return event != nullptr ? event->event.opencl() : nullptr; }
plx_status plx_event_wrap_opencl(plx_session* session, void* event, plx_event** out) {
    return create(out, "a plx_event**", [&] { return given(session, "a session").session.wrap(static_cast<_cl_event*>(event)); });
}
void plx_event_release(plx_event* event) { delete event; }

plx_status plx_cancel_create(plx_cancel** out) {
    return create(out, "a plx_cancel**", [] { return CancelToken(); });
}
void plx_cancel_now(plx_cancel* cancel) {
    if (cancel != nullptr) cancel->token.cancel();
}
void plx_cancel_release(plx_cancel* cancel) { delete cancel; }

plx_status plx_run(plx_session* session, const plx_call* call, plx_result** out) {
    return create(out, "a plx_result**", [&] { return given(session, "a session").session.run(call_of(call)); });
}
plx_status plx_submit(plx_session* session, const plx_call* call, plx_pending** out) {
    return create(out, "a plx_pending**", [&] { return given(session, "a session").session.submit(call_of(call)); });
}
plx_status plx_pending_done(const plx_pending* pending, plx_event** out) {
    return create(out, "a plx_event**", [&] { return given(pending, "a pending call").pending.done(); });
}
plx_status plx_pending_array(const plx_pending* pending, const char* name, plx_array** out) {
    return create(out, "a plx_array**", [&] {
        Result outputs;
        outputs.arrays = given(pending, "a pending call").pending.arrays();
        return outputs.array(text_or(name));
    });
}
plx_status plx_pending_get(plx_pending* pending, plx_result** out) {
    return create(out, "a plx_result**", [&] { return given(pending, "a pending call").pending.get(); });
}
void plx_pending_release(plx_pending* pending) { delete pending; }

plx_status plx_prepare(plx_session* session, const plx_call* calls, size_t count, void (*progress)(double, void*), void* user,
                       plx_preparation** out) {
    return create(out, "a plx_preparation**", [&] {
        std::vector<Call> list;
        const char* next = reinterpret_cast<const char*>(calls);
        for (std::size_t i = 0; i < count; ++i) {   // the caller's structs may be of another size than ours
            const auto* call = reinterpret_cast<const plx_call*>(&given(next, "the calls"));
            list.push_back(call_of(call));
            next += call->struct_size;
        }
        std::function<void(double)> report;
        if (progress != nullptr) report = [progress, user](double done) { progress(done, user); };
        return given(session, "a session").session.prepare(std::move(list), std::move(report));
    });
}
plx_status plx_preparation_wait(plx_preparation* preparation) {
    return guard([&] { given(preparation, "a preparation").preparation.wait(); });
}
double plx_preparation_progress(const plx_preparation* preparation) {
    return preparation != nullptr ? preparation->preparation.progress() : 0;
}
void plx_preparation_release(plx_preparation* preparation) { delete preparation; }

plx_status plx_result_array(const plx_result* result, const char* name, plx_array** out) {
    return create(out, "a plx_array**", [&] { return given(result, "a result").result.array(text_or(name)); });
}
plx_status plx_result_record(const plx_result* result, const char* name, const char** json) {
    return guard([&] {
        given(json, "a const char**") = nullptr;
        *json = given(result, "a result").result.record(text_or(name)).c_str();
    });
}
const char* plx_result_report(const plx_result* result) { return result != nullptr ? result->result.report.c_str() : ""; }
void plx_result_release(plx_result* result) { delete result; }

plx_status plx_engine_run(const plx_engine* engine, const char* job, const plx_job_options* options, char** report) {
    return run_job(
        report, [&] { return given(engine, "an engine").engine.run(Job::parse(word(job, "a job")), job_options_of(options)); });
}
plx_status plx_run_job(const char* job, const plx_job_options* options, const plx_engine_options* how, char** report) {
    return run_job(report, [&] { return run(Job::parse(word(job, "a job")), job_options_of(options), options_of(how)); });
}
plx_status plx_engines_run(const plx_engine* const* engines, size_t count, const char* job, const plx_job_options* options,
                           char** report) {
    return run_job(report, [&] {
        std::vector<Engine> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(given((&given(engines, "the engines"))[i], "an engine").engine);
        return run(Job::parse(word(job, "a job")), all, job_options_of(options));
    });
}
plx_status plx_session_run(plx_session* session, const char* job, const plx_input* inputs, size_t count, const plx_cancel* cancel,
                           plx_result** out) {
    return create(out, "a plx_result**", [&] {
        return given(session, "a session")
            .session.run(Job::parse(word(job, "a job")), inputs_of(inputs, count),
                         cancel != nullptr ? cancel->token : CancelToken::none());
    });
}
