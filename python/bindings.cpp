// The module _parallax: the C++ interface with NumPy's arrays and Python's exceptions. JSON crosses as text; parallax/__init__.py
// makes dictionaries of it.
#include <parallax/parallax.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <complex>
#include <condition_variable>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace nb = nanobind;
using namespace nb::literals;
using namespace parallax;

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// Threads of the library that use Python. Before the interpreter ends it waits for them and lets nobody in any more: a thread
/// that asks an interpreter which is ending for its lock is ended by it, in the midst of C++.
class Visits {
public:
    /// Runs `work` with the interpreter's lock, unless the interpreter is ending.
    template <class Work>
    void visit(const Work& work) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return;
            ++inside_;
        }
        const Leaver leaver{*this};
        const nb::gil_scoped_acquire gil;
        work();
    }
    void close() {
        const nb::gil_scoped_release released;
        std::unique_lock lock(mutex_);
        closed_ = true;
        empty_.wait(lock, [this] { return inside_ == 0; });
    }

private:
    struct Leaver {
        Visits& visits;
        ~Leaver() {
            const std::lock_guard lock(visits.mutex_);
            if (--visits.inside_ == 0) visits.empty_.notify_all();
        }
    };

    std::mutex mutex_;
    std::condition_variable empty_;
    int inside_ = 0;
    bool closed_ = false;
};

Visits& visits() {
    static Visits* const all = new Visits;   // for ever: threads may end after everything else
    return *all;
}

/// A Python function that C++ may call, copy and drop in any thread.
template <class... Args>
std::function<void(Args...)> callback(nb::object function) {
    if (function.is_none()) return {};
    auto held = std::shared_ptr<nb::object>(new nb::object(std::move(function)), [](nb::object* object) {
        visits().visit([&] { delete object; });
    });
    return [held](Args... args) {
        visits().visit([&] {
            try {
                (*held)(args...);
            } catch (nb::python_error& error) {   // must not pass through the library: Python prints it
                error.discard_as_unraisable("a callback of parallax");
            }
        });
    };
}

/// What Python holds of the library: it goes without the interpreter's lock. Destructors wait, for commands, for a thread, for a
/// lock, and whoever they wait for may be in a callback that wants that lock.
struct LockAfterwards {
    PyThreadState* state = nullptr;
    ~LockAfterwards() {
        if (state) PyEval_RestoreThread(state);
    }
};
template <class T>
struct Unlocked : private LockAfterwards, T {
    Unlocked(T&& value) : T(std::move(value)) {}
    Unlocked(Unlocked&& other) noexcept : T(std::move(other)) {}
    ~Unlocked() {
        if (PyGILState_Check()) state = PyEval_SaveThread();   // until T, and then LockAfterwards, have been destroyed
    }
};
using PyEngine = Unlocked<Engine>;
using PySession = Unlocked<Session>;
using PyPreparation = Unlocked<Preparation>;
using PyArray = Unlocked<Array>;
using PyEvent = Unlocked<Event>;
using PyResult = Unlocked<Result>;

/// Runs `work` without the interpreter's lock: whatever takes a lock of the library, enqueues or waits.
template <class Work>
auto unlocked(const Work& work) {
    const nb::gil_scoped_release released;
    return work();
}

unsigned long main_thread = 0;   ///< as threading.main_thread().ident: Python hears of Ctrl-C there alone

/// Runs `work` in a thread of its own and hears of Ctrl-C meanwhile: `stop` is then called, and `work`, which should end soon, is
/// waited for before KeyboardInterrupt is raised. `stop` empty: it is left to itself, and must hold what it uses.
template <class Work>
auto interruptible(Work work, const std::function<void()>& stop) {
    using Value = decltype(work());
    if (PyThread_get_thread_ident() != main_thread) return unlocked(work);
    struct State {
        explicit State(Work w) : task(std::move(w)), value(task.get_future()) {}
        std::packaged_task<Value()> task;
        std::future<Value> value;
    };
    const auto state = std::make_shared<State>(std::move(work));
    std::thread([state] { state->task(); }).detach();
    for (;;) {
        const bool over =
            unlocked([&] { return state->value.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready; });
        if (over) return state->value.get();
        if (PyErr_CheckSignals() == 0) continue;
        nb::python_error interrupt;   // takes what has been set
        if (stop) {
            stop();
            unlocked([&] { state->value.wait(); });
        }
        throw interrupt;
    }
}

std::function<void()> stop_by(const CancelToken& cancel) {
    return [cancel] { cancel.cancel(); };
}

/// The types of errors, which live as long as the process.
struct ErrorTypes {
    nb::object error, config, device, build, io, unsupported, cancelled;
};
ErrorTypes& error_types() {
    static ErrorTypes* const types = new ErrorTypes;
    return *types;
}

using Attributes = std::initializer_list<std::pair<const char*, nb::object>>;

void raise(const nb::object& type, const std::exception& error, const Attributes& attributes) {
    nb::object instance = type(error.what());
    for (const auto& [name, value] : attributes) nb::setattr(instance, name, value);
    PyErr_SetObject(type.ptr(), instance.ptr());
}

void add_exceptions(nb::module_& m) {
    const auto add = [&](const char* name, nb::handle base, const char* doc,
                         const std::vector<std::pair<const char*, nb::object>>& without) {
        nb::dict members;
        members["__doc__"] = doc;
        members["__module__"] = m.attr("__name__");   // as of everything here: what describes the module's types looks for its own
        for (const auto& [attribute, value] : without) members[attribute] = value;
        nb::object type = nb::handle(reinterpret_cast<PyObject*>(&PyType_Type))(name, nb::make_tuple(base), members);
        m.attr(name) = type;
        return type;
    };
    const nb::object none = nb::str(""), zero = nb::int_(0);
    ErrorTypes& types = error_types();
    types.error =
        add("Error", PyExc_RuntimeError, "What the library raises; str() of it is a complete message for a person.", {});
    types.config = add("ConfigError", types.error,
                       "The request was wrong: `found` stands at `pointer`, `expected` may stand there, `hint` says what to try.",
                       {{"pointer", none}, {"found", none}, {"expected", none}, {"hint", none}});
    types.device = add("DeviceError", types.error,
                       "`call` of the driver gave `code`, which is called `code_name`, at `step`; `hint` says what to try.",
                       {{"call", none}, {"code", zero}, {"code_name", none}, {"step", none}, {"hint", none}});
    types.build = add("BuildError", types.error, "A kernel did not compile: `file`, `line`, and the compiler's `log`.",
                      {{"file", none}, {"line", zero}, {"options", none}, {"log", none}});
    types.io = add("IoError", types.error, "A file, `path`, could not be read or written: `problem`, and `hint`, what to try.",
                   {{"path", none}, {"problem", none}, {"hint", none}});
    types.unsupported = add("UnsupportedError", types.error, "Nothing at hand can do it; `reasons` has one for each candidate.",
                            {{"reasons", nb::make_tuple()}});
    types.cancelled = add("CancelledError", types.error, "Ended by a CancelToken; nothing of the work is left.", {});
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        const ErrorTypes& known = error_types();
        const auto text = [](const std::string& value) -> nb::object { return nb::str(value.c_str(), value.size()); };
        try {
            std::rethrow_exception(thrown);
        } catch (const ConfigError& e) {
            raise(
                known.config, e,
                {{"pointer", text(e.pointer)}, {"found", text(e.found)}, {"expected", text(e.expected)}, {"hint", text(e.hint)}});
        } catch (const DeviceError& e) {
            raise(known.device, e,
                  {{"call", text(e.call)},
                   {"code", nb::int_(e.code)},
                   {"code_name", text(e.code_name)},
                   {"step", text(e.step)},
                   {"hint", text(e.hint)}});
        } catch (const BuildError& e) {
            raise(known.build, e,
                  {{"file", text(e.file)}, {"line", nb::int_(e.line)}, {"options", text(e.options)}, {"log", text(e.log)}});
        } catch (const IoError& e) {
            raise(known.io, e, {{"path", text(e.path)}, {"problem", text(e.problem)}, {"hint", text(e.hint)}});
        } catch (const UnsupportedError& e) {
            nb::list reasons;
            for (const std::string& reason : e.reasons) reasons.append(text(reason));
            raise(known.unsupported, e, {{"reasons", nb::tuple(reasons)}});
        } catch (const CancelledError& e) {
            raise(known.cancelled, e, {});
        } catch (const Error& e) {
            raise(known.error, e, {});
        }
    });
}

ElementType element_type(nb::dlpack::dtype type) {
    using Code = nb::dlpack::dtype_code;
    const auto code = static_cast<Code>(type.code);
    const auto pick = [&](std::initializer_list<std::pair<int, ElementType>> choices) -> std::optional<ElementType> {
        for (const auto& [bits, element] : choices) {
            if (bits == type.bits && type.lanes == 1) return element;
        }
        return std::nullopt;
    };
    std::optional<ElementType> found;
    if (code == Code::Bool) found = pick({{8, ElementType::boolean}});
    if (code == Code::UInt)
        found = pick({{8, ElementType::u8}, {16, ElementType::u16}, {32, ElementType::u32}, {64, ElementType::u64}});
    if (code == Code::Int)
        found = pick({{8, ElementType::i8}, {16, ElementType::i16}, {32, ElementType::i32}, {64, ElementType::i64}});
    if (code == Code::Float) found = pick({{32, ElementType::f32}, {64, ElementType::f64}});
    if (code == Code::Complex) found = pick({{64, ElementType::c64}, {128, ElementType::c128}});
    if (!found)
        throw ConfigError("", "elements of " + std::to_string(type.bits) + " bits of another kind",
                          "bool, integers of 8 to 64 bits, float32, float64, complex64 or complex128");
    return *found;
}

nb::dlpack::dtype dtype_of(ElementType type) {
    switch (type) {
        case ElementType::boolean: return nb::dtype<bool>();
        case ElementType::u8: return nb::dtype<std::uint8_t>();
        case ElementType::i8: return nb::dtype<std::int8_t>();
        case ElementType::u16: return nb::dtype<std::uint16_t>();
        case ElementType::i16: return nb::dtype<std::int16_t>();
        case ElementType::u32: return nb::dtype<std::uint32_t>();
        case ElementType::i32: return nb::dtype<std::int32_t>();
        case ElementType::u64: return nb::dtype<std::uint64_t>();
        case ElementType::i64: return nb::dtype<std::int64_t>();
        case ElementType::f32: return nb::dtype<float>();
        case ElementType::f64: return nb::dtype<double>();
        case ElementType::c64: return nb::dtype<std::complex<float>>();
        case ElementType::c128: return nb::dtype<std::complex<double>>();
    }
    throw Error("an element type that Python does not know");
}

ArrayDesc desc_of(ElementType type, const std::vector<std::int64_t>& shape, const std::string& axes,
                  const std::vector<double>& spacing, const std::string& unit) {
    if (axes.size() != shape.size())
        throw ConfigError("", "axes \"" + axes + "\" for " + std::to_string(shape.size()) + " dimensions",
                          "a letter for each dimension, slowest first: \"yx\", \"zyx\", \"yxc\"");
    if (!spacing.empty() && spacing.size() != shape.size())
        throw ConfigError("", std::to_string(spacing.size()) + " spacings", "one for each axis");
    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = 0; i < shape.size(); ++i) extents.push_back({axes[i], shape[i]});
    ArrayDesc desc = ArrayDesc::dense(type, extents);
    for (std::size_t i = 0; i < spacing.size(); ++i) desc.axes[i].spacing = spacing[i];
    desc.unit = unit;
    return desc;
}

ArrayDesc desc_of(const AnyArray& array, const std::string& axes, const std::vector<double>& spacing, const std::string& unit) {
    std::vector<std::int64_t> shape;
    for (std::size_t i = 0; i < array.ndim(); ++i) shape.push_back(static_cast<std::int64_t>(array.shape(i)));
    ArrayDesc desc = desc_of(element_type(array.dtype()), shape, axes, spacing, unit);
    for (std::size_t i = 0; i < array.ndim(); ++i) desc.axes[i].stride = array.stride(i);
    return desc;
}

/// What a call takes: an Array, or NumPy's memory with what its axes mean.
struct PyView {
    AnyArray memory;
    ArrayDesc desc;
};

Input input_of(nb::handle object) {
    if (nb::isinstance<PyArray>(object)) return static_cast<const Array&>(nb::cast<const PyArray&>(object));
    const PyView& view = nb::cast<const PyView&>(object);
    return View(view.desc, view.memory.data());
}

Inputs inputs_of(const nb::dict& inputs) {
    Inputs result;
    for (const auto& [name, input] : inputs) result.insert_or_assign(nb::cast<std::string>(name), input_of(input));
    return result;
}

Call call_of(const std::string& algorithm, const std::string& parameters, const nb::dict& inputs,
             const std::vector<std::string>& outputs, const nb::dict& into, const std::string& variant, const std::string& policy,
             const nb::list& wait, const CancelToken& cancel) {
    CallOptions options{.outputs = outputs, .variant = variant, .policy = policy, .cancel = cancel};
    for (const auto& [name, array] : into)
        options.into.insert_or_assign(nb::cast<std::string>(name), nb::cast<const PyArray&>(array));
    for (const nb::handle event : wait) options.wait.push_back(nb::cast<const PyEvent&>(event));
    return {algorithm, parameters, inputs_of(inputs), std::move(options)};
}

nb::dict dict_of(const std::map<std::string, Array>& arrays) {
    nb::dict result;
    for (const auto& [name, array] : arrays) result[name.c_str()] = PyArray(Array(array));
    return result;
}

/// A submitted call with the memory that it reads.
struct PyPending {
    nb::dict inputs;              // goes last, and with the lock
    Unlocked<Pending> pending;
    PyPending(Pending p, nb::dict i) : inputs(std::move(i)), pending(std::move(p)) {}
    PyPending(PyPending&&) = default;
    ~PyPending() {
        if (!pending) return;
        const nb::gil_scoped_release released;
        try {
            pending.done().wait();   // Python may take the inputs' memory next
        } catch (const std::exception&) {   // nobody is left to be told
        }
    }
};

nb::ndarray<nb::numpy> to_numpy(HostArray host) {
    std::vector<std::size_t> shape;
    for (const Axis& axis : host.desc.axes) shape.push_back(static_cast<std::size_t>(axis.size));
    auto held = std::make_unique<HostArray>(std::move(host));
    void* const data = held->data();
    const ElementType type = held->desc.type;
    nb::capsule owner(held.get(), [](void* p) noexcept { delete static_cast<HostArray*>(p); });
    held.release();
    return {data, shape.size(), shape.data(), owner, nullptr, dtype_of(type), nb::device::cpu::value, 0};
}

EngineOptions engine_options(const std::string& device, const std::string& cache_folder, nb::object log,
                             std::uint64_t memory_limit, std::uint64_t plan_memory) {
    EngineOptions options{device, cache_folder, {}, memory_limit, plan_memory};
    if (auto say = callback<const std::string&, const std::string&>(std::move(log))) {
        options.log = [say](LogLevel level, const std::string& text) {
            static constexpr const char* names[] = {"debug", "info", "warning", "error"};
            say(names[static_cast<int>(level)], text);
        };
    }
    return options;
}

JobOptions job_options(const nb::dict& given) {
    JobOptions options;
    const auto take = [&]<class T>(const char* name, T& value) {
        if (given.contains(name)) value = nb::cast<T>(given[name]);
    };
    take("folder", options.folder);
    take("roots", options.roots);
    take("out", options.out);
    take("overwrite", options.overwrite);
    take("confined", options.confined);
    take("sync", options.sync);
    take("manifest", options.manifest);
    take("resume", options.resume);
    take("shard", options.shard);
    take("shards", options.shards);
    take("readers", options.readers);
    take("writers", options.writers);
    take("in_flight", options.in_flight);
    take("trace", options.trace);
    take("ranks", options.ranks);
    return options;
}

template <class T>
T* pointer(std::uintptr_t handle) {
    return reinterpret_cast<T*>(handle);
}

ElementType type_from(const std::string& name) {
    const auto type = element_type_from(name);
    if (!type) throw ConfigError("", "the element type \"" + name + "\"", "u8, i16, f32, c64 and the like");
    return *type;
}

nb::object device_dict(const DeviceInfo& info) {
    nb::dict result;
    result["index"] = info.index;
    result["name"] = info.name;
    result["backend"] = std::string(host::to_string(info.backend));
    result["type"] = std::string(host::to_string(info.type));
    result["vendor"] = info.vendor;
    result["platform"] = info.platform;
    result["driver"] = info.driver;
    result["global_memory"] = info.global_memory;
    result["max_allocation"] = info.max_allocation;
    result["local_memory"] = info.local_memory;
    result["compute_units"] = info.compute_units;
    return result;
}

}  // namespace

NB_MODULE(_parallax, m) {
    m.attr("__version__") = version();
    nb::set_leak_warnings(false);

    add_exceptions(m);
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { visits().close(); }));

    m.def("devices", [] {
        nb::list list;
        for (const DeviceInfo& info : unlocked([] { return devices(); }).devices) list.append(device_dict(info));
        return list;
    }, "Every device of every backend.");

    nb::class_<CancelToken>(m, "CancelToken", "Ends work between two launches, which then raises CancelledError.")
        .def(nb::init<>())
        .def_static("_none", &CancelToken::none)
        .def("cancel", &CancelToken::cancel, "By any thread, at any time.")
        .def_prop_ro("cancelled", &CancelToken::cancelled);

    nb::class_<PyEvent>(m, "Event", "The completion of what was enqueued.")
        .def("wait", [](const PyEvent& event) { interruptible([event = Event(event)] { event.wait(); }, {}); })
        .def_prop_ro("complete", [](const PyEvent& event) { return unlocked([&] { return event.complete(); }); })
        .def_prop_ro(
            "opencl", [](const PyEvent& event) { return reinterpret_cast<std::uintptr_t>(event.opencl()); },
            "The cl_event as a number, or 0.");

    nb::class_<PyView>(m, "View")
        .def(
            "__init__",
            [](PyView* self, AnyArray array, const std::string& axes, const std::vector<double>& spacing,
               const std::string& unit) {
                ArrayDesc desc = desc_of(array, axes, spacing, unit);
                new (self) PyView{std::move(array), std::move(desc)};
            },
            "array"_a, "axes"_a, "spacing"_a, "unit"_a)
        .def("__repr__", [](const PyView& view) { return "<parallax.View " + view.desc.describe() + ">"; });

    nb::class_<PyArray>(m, "Array", "An array in a device's memory.")
        .def_prop_ro("shape",
                     [](const PyArray& array) {
                         std::vector<std::int64_t> shape;
                         for (const Axis& axis : array.desc().axes) shape.push_back(axis.size);
                         return nb::tuple(nb::cast(shape));
                     })
        .def_prop_ro(
            "axes",
            [](const PyArray& array) {
                std::string names;
                for (const Axis& axis : array.desc().axes) names += axis.name;
                return names;
            },
            "A letter for each axis, slowest first: \"yx\".")
        .def_prop_ro("spacing",
                     [](const PyArray& array) {
                         std::vector<double> spacing;
                         for (const Axis& axis : array.desc().axes) spacing.push_back(axis.spacing);
                         return spacing;
                     })
        .def_prop_ro(
            "unit", [](const PyArray& array) { return array.desc().unit; }, "Of the spacing: \"um\", or \"\" for pixels.")
        .def_prop_ro(
            "type", [](const PyArray& array) { return std::string(to_string(array.desc().type)); },
            "\"u8\", \"f32\", \"c64\", ...")
        .def_prop_ro(
            "opencl", [](const PyArray& array) { return reinterpret_cast<std::uintptr_t>(array.opencl()); },
            "The cl_mem as a number, or 0.")
        .def_prop_ro(
            "cuda", [](const PyArray& array) { return array.cuda(); }, "The address on a CUDA device, or 0.")
        .def("_cuda",
             [](nb::object self) {   // for __dlpack__ and __cuda_array_interface__
                 const Array& array = nb::cast<const PyArray&>(self);
                 std::vector<std::size_t> shape;
                 std::vector<std::int64_t> strides;
                 for (const Axis& axis : array.desc().axes) {
                     shape.push_back(static_cast<std::size_t>(axis.size));
                     strides.push_back(axis.stride);
                 }
                 const std::uint64_t address =
                     array.cuda() + static_cast<std::uint64_t>(array.desc().offset) * bytes_of(array.desc().type);
                 return nb::ndarray<>(reinterpret_cast<void*>(address), shape.size(), shape.data(), self, strides.data(),
                                      dtype_of(array.desc().type), nb::device::cuda::value, 0);
             })
        .def("__repr__", [](const PyArray& array) { return "<parallax.Array " + array.desc().describe() + ">"; });

    nb::class_<PyResult>(m, "Result")
        .def_prop_ro("arrays", [](const PyResult& result) { return dict_of(result.arrays); })
        .def_prop_ro("records", [](const PyResult& result) { return result.records; })
        .def_prop_ro("warnings", [](const PyResult& result) { return result.warnings; })
        .def_prop_ro("report", [](const PyResult& result) { return result.report; });

    nb::class_<PyPending>(m, "Pending", "A call that was submitted.")
        .def_prop_ro("done", [](const PyPending& p) { return PyEvent(Event(p.pending.done())); })
        .def_prop_ro("arrays", [](const PyPending& p) { return dict_of(p.pending.arrays()); })
        .def("get", [](PyPending& p) {
            interruptible([done = Event(p.pending.done())] { done.wait(); }, {});
            return PyResult(unlocked([&] { return p.pending.get(); }));
        });

    nb::class_<PyPreparation>(m, "Preparation", "Plans that are being made in the background.")
        .def_prop_ro("progress", [](const PyPreparation& p) { return p.progress(); })
        .def_prop_ro("done", [](const PyPreparation& p) { return p.done(); })
        .def("wait", [](PyPreparation& p) { unlocked([&] { p.wait(); }); })
        .def("cancel", [](PyPreparation& p) { p.cancel(); });

    nb::class_<PyEngine>(m, "Engine")
        .def(
            "__init__",
            [](PyEngine* self, const std::string& device, const std::string& cache_folder, nb::object log,
               std::uint64_t memory_limit, std::uint64_t plan_memory, const std::string& of, std::uintptr_t context,
               std::uintptr_t opencl_device) {
                const EngineOptions options = engine_options(device, cache_folder, std::move(log), memory_limit, plan_memory);
                new (self) PyEngine(unlocked([&] {
                    if (of == "opencl")
                        return Engine::from_opencl(pointer<_cl_context>(context), pointer<_cl_device_id>(opencl_device), options);
                    if (of == "cuda") return Engine::from_cuda(pointer<CUctx_st>(context), options);
                    return Engine(options);
                }));
            },
            "device"_a, "cache_folder"_a, "log"_a.none(), "memory_limit"_a, "plan_memory"_a, "of"_a, "context"_a,
            "opencl_device"_a)
        .def_prop_ro("device", [](const PyEngine& engine) { return device_dict(engine.device()); })
        .def_prop_ro(
            "allocated", [](const PyEngine& engine) { return unlocked([&] { return engine.allocated(); }); },
            "Bytes of device memory that are in use.")
        .def(
            "trim", [](const PyEngine& engine) { return unlocked([&] { return engine.trim(); }); },
            "Lets go of the plans that no call under way uses; returns the bytes of device memory that this freed.")
        .def_prop_ro(
            "lost", [](const PyEngine& engine) { return unlocked([&] { return engine.lost(); }); },
            "\"\", or why the device can no longer be trusted: arrays and sessions of before are lost, and a new session opens "
            "it anew.")
        .def("_algorithms", [](const PyEngine& engine) { return unlocked([&] { return engine.algorithms_json(); }); });

    m.def(
        "_run_job",
        [](const std::string& job, nb::list engines, const nb::dict& options, const std::string& device,
           const std::string& cache_folder, nb::object log, nb::object progress, const CancelToken& cancel) {
            JobOptions how = job_options(options);
            how.progress = callback<const std::string&, double>(std::move(progress));
            how.cancel = cancel;
            const EngineOptions opening = engine_options(device, cache_folder, std::move(log), 0, 0);
            std::vector<Engine> there;
            for (const nb::handle engine : engines) there.push_back(nb::cast<const PyEngine&>(engine));
            return interruptible(
                [&] { return there.empty() ? run(Job::parse(job), how, opening) : run(Job::parse(job), there, how); },
                stop_by(cancel));
        },
        "job"_a, "engines"_a, "options"_a, "device"_a, "cache_folder"_a, "log"_a.none(), "progress"_a.none(), "cancel"_a);

    nb::class_<PySession>(m, "Session")
        .def(
            "__init__",
            [](PySession* self, const PyEngine& engine, std::optional<std::uintptr_t> queue,
               std::optional<std::uintptr_t> stream) {
                new (self) PySession(unlocked([&] {
                    if (queue) return Session::from_queue(engine, pointer<_cl_command_queue>(*queue));
                    if (stream) return Session::from_stream(engine, pointer<CUstream_st>(*stream));
                    return Session(engine);
                }));
            },
            "engine"_a, "queue"_a = nb::none(), "stream"_a = nb::none())
        .def("_trim", [](PySession& session) { unlocked([&] { session.trim(); }); })
        .def("_time_each_launch", [](PySession& session, bool each) { unlocked([&] { session.time_each_launch(each); }); })
        .def_prop_ro("engine", [](const PySession& session) { return PyEngine(Engine(session.engine())); })
        .def("_allocate",
             [](PySession& session, const std::string& type, const std::vector<std::int64_t>& shape, const std::string& axes,
                const std::vector<double>& spacing, const std::string& unit) {
                 const ArrayDesc desc = desc_of(type_from(type), shape, axes, spacing, unit);
                 return PyArray(unlocked([&] { return session.allocate(desc); }));
             })
        .def("_upload",
             [](PySession& session, const PyView& view) {
                 return PyArray(unlocked([&] { return session.upload(View(view.desc, view.memory.data())); }));
             })
        .def("_download",
             [](PySession& session, const PyArray& array) { return to_numpy(unlocked([&] { return session.download(array); })); })
        .def("_wrap",
             [](PySession& session, std::uintptr_t memory, const std::string& type, const std::vector<std::int64_t>& shape,
                const std::string& axes, bool cuda, const std::vector<std::int64_t>& strides) {
                 ArrayDesc desc = desc_of(type_from(type), shape, axes, {}, "");
                 for (std::size_t i = 0; i < strides.size() && i < desc.axes.size(); ++i) desc.axes[i].stride = strides[i];
                 return PyArray(unlocked(
                     [&] { return cuda ? session.wrap_cuda(memory, desc) : session.wrap(pointer<_cl_mem>(memory), desc); }));
             })
        .def("_run",
             [](PySession& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs,
                const std::vector<std::string>& outputs, nb::dict into, const std::string& variant, const std::string& policy,
                nb::list wait, const CancelToken& cancel) {
                 const Call call = call_of(algorithm, parameters, inputs, outputs, into, variant, policy, wait, cancel);
                 return PyResult(interruptible([&] { return session.run(call); }, stop_by(cancel)));
             })
        .def("_submit",
             [](PySession& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs,
                const std::vector<std::string>& outputs, nb::dict into, const std::string& variant, const std::string& policy,
                nb::list wait, const CancelToken& cancel) {
                 const Call call = call_of(algorithm, parameters, inputs, outputs, into, variant, policy, wait, cancel);
                 return PyPending(unlocked([&] { return session.submit(call); }), std::move(inputs));
             })
        .def(
            "_prepare",
            [](PySession& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs,
               const std::vector<std::string>& outputs, nb::dict into, const std::string& variant, const std::string& policy,
               nb::object progress) {
                const Call call = call_of(algorithm, parameters, inputs, outputs, into, variant, policy, {}, {});
                const std::function<void(double)> tell = callback<double>(std::move(progress));
                return PyPreparation(unlocked([&] { return session.prepare({call}, tell); }));
            },
            "algorithm"_a, "parameters"_a, "inputs"_a, "outputs"_a, "into"_a, "variant"_a, "policy"_a, "progress"_a.none())
        .def("_run_job", [](PySession& session, const std::string& job, nb::dict inputs, const CancelToken& cancel) {
            const Inputs arrays = inputs_of(inputs);
            return PyResult(interruptible([&] { return session.run(Job::parse(job), arrays, cancel); }, stop_by(cancel)));
        });
}
