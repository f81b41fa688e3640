// The module _parallax: the C++ interface with NumPy's arrays and Python's exceptions. JSON crosses as text; parallax/__init__.py
// makes dictionaries of it.
#include <parallax/parallax.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <complex>

namespace nb = nanobind;
using namespace nb::literals;
using namespace parallax;

namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

/// A Python function that C++ may call, copy and drop in any thread.
template <class... Args>
std::function<void(Args...)> callback(nb::object function) {
    if (function.is_none()) return {};
    auto held = std::shared_ptr<nb::object>(new nb::object(std::move(function)), [](nb::object* object) {
        const nb::gil_scoped_acquire gil;
        delete object;
    });
    return [held](Args... args) {
        const nb::gil_scoped_acquire gil;
        try {
            (*held)(args...);
        } catch (nb::python_error& error) {   // must not pass through the library: Python prints it
            error.discard_as_unraisable("a callback of parallax");
        }
    };
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
    if (code == Code::UInt) found = pick({{8, ElementType::u8}, {16, ElementType::u16}, {32, ElementType::u32}, {64, ElementType::u64}});
    if (code == Code::Int) found = pick({{8, ElementType::i8}, {16, ElementType::i16}, {32, ElementType::i32}, {64, ElementType::i64}});
    if (code == Code::Float) found = pick({{32, ElementType::f32}, {64, ElementType::f64}});
    if (code == Code::Complex) found = pick({{64, ElementType::c64}, {128, ElementType::c128}});
    if (!found) throw ConfigError("", "elements of " + std::to_string(type.bits) + " bits of another kind", "bool, integers of 8 to 64 bits, float32, float64, complex64 or complex128");
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

ArrayDesc desc_of(ElementType type, const std::vector<std::int64_t>& shape, const std::string& axes, const std::vector<double>& spacing, const std::string& unit) {
    if (axes.size() != shape.size()) throw ConfigError("", "axes \"" + axes + "\" for " + std::to_string(shape.size()) + " dimensions", "a letter for each dimension, slowest first: \"yx\", \"zyx\", \"yxc\"");
    if (!spacing.empty() && spacing.size() != shape.size()) throw ConfigError("", std::to_string(spacing.size()) + " spacings", "one for each axis");
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
    if (nb::isinstance<Array>(object)) return nb::cast<Array>(object);
    const PyView& view = nb::cast<const PyView&>(object);
    return View(view.desc, view.memory.data());
}

Inputs inputs_of(const nb::dict& inputs) {
    Inputs result;
    for (const auto& [name, input] : inputs) result.insert_or_assign(nb::cast<std::string>(name), input_of(input));
    return result;
}

Call call_of(const std::string& algorithm, const std::string& parameters, const nb::dict& inputs, const std::vector<std::string>& outputs, const std::map<std::string, Array>& into,
             const std::string& variant, const std::string& policy, const std::vector<Event>& wait, const CancelToken& cancel) {
    return {algorithm, parameters, inputs_of(inputs), {.outputs = outputs, .into = into, .variant = variant, .policy = policy, .wait = wait, .cancel = cancel}};
}

/// A submitted call with the memory that it reads.
struct PyPending {
    Pending pending;
    nb::dict inputs;
    PyPending(Pending p, nb::dict i) : pending(std::move(p)), inputs(std::move(i)) {}
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

template <class T>
T* pointer(std::uintptr_t handle) {
    return reinterpret_cast<T*>(handle);
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

    // The last that is registered is asked first: bases before what derives from them.
    auto error = nb::exception<Error>(m, "Error", PyExc_RuntimeError);
    nb::exception<ConfigError>(m, "ConfigError", error);
    nb::exception<DeviceError>(m, "DeviceError", error);
    nb::exception<BuildError>(m, "BuildError", error);
    nb::exception<IoError>(m, "IoError", error);
    nb::exception<UnsupportedError>(m, "UnsupportedError", error);
    nb::exception<CancelledError>(m, "CancelledError", error);

    m.def("devices", [] {
        nb::list list;
        for (const DeviceInfo& info : devices().devices) list.append(device_dict(info));
        return list;
    }, "Every device of every backend.");

    nb::class_<CancelToken>(m, "CancelToken", "Ends work between two launches, which then raises CancelledError.")
        .def(nb::init<>())
        .def("cancel", &CancelToken::cancel, "By any thread, at any time.")
        .def_prop_ro("cancelled", &CancelToken::cancelled);

    nb::class_<Event>(m, "Event", "The completion of what was enqueued.")
        .def("wait", &Event::wait, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("complete", &Event::complete)
        .def_prop_ro("opencl", [](const Event& event) { return reinterpret_cast<std::uintptr_t>(event.opencl()); }, "The cl_event as a number, or 0.");

    nb::class_<PyView>(m, "View")
        .def("__init__", [](PyView* self, AnyArray array, const std::string& axes, const std::vector<double>& spacing, const std::string& unit) {
            ArrayDesc desc = desc_of(array, axes, spacing, unit);
            new (self) PyView{std::move(array), std::move(desc)};
        }, "array"_a, "axes"_a, "spacing"_a, "unit"_a)
        .def("__repr__", [](const PyView& view) { return "<parallax.View " + view.desc.describe() + ">"; });

    nb::class_<Array>(m, "Array", "An array in a device's memory.")
        .def_prop_ro("shape", [](const Array& array) {
            std::vector<std::int64_t> shape;
            for (const Axis& axis : array.desc().axes) shape.push_back(axis.size);
            return nb::tuple(nb::cast(shape));
        })
        .def_prop_ro("axes", [](const Array& array) {
            std::string names;
            for (const Axis& axis : array.desc().axes) names += axis.name;
            return names;
        }, "A letter for each axis, slowest first: \"yx\".")
        .def_prop_ro("spacing", [](const Array& array) {
            std::vector<double> spacing;
            for (const Axis& axis : array.desc().axes) spacing.push_back(axis.spacing);
            return spacing;
        })
        .def_prop_ro("unit", [](const Array& array) { return array.desc().unit; }, "Of the spacing: \"um\", or \"\" for pixels.")
        .def_prop_ro("type", [](const Array& array) { return std::string(to_string(array.desc().type)); }, "\"u8\", \"f32\", \"c64\", ...")
        .def_prop_ro("opencl", [](const Array& array) { return reinterpret_cast<std::uintptr_t>(array.opencl()); }, "The cl_mem as a number, or 0.")
        .def_prop_ro("cuda", &Array::cuda, "The address on a CUDA device, or 0.")
        .def("_cuda", [](nb::object self) {   // for __dlpack__ and __cuda_array_interface__
            const Array& array = nb::cast<const Array&>(self);
            std::vector<std::size_t> shape;
            std::vector<std::int64_t> strides;
            for (const Axis& axis : array.desc().axes) {
                shape.push_back(static_cast<std::size_t>(axis.size));
                strides.push_back(axis.stride);
            }
            const std::uint64_t address = array.cuda() + static_cast<std::uint64_t>(array.desc().offset) * bytes_of(array.desc().type);
            return nb::ndarray<>(reinterpret_cast<void*>(address), shape.size(), shape.data(), self, strides.data(), dtype_of(array.desc().type), nb::device::cuda::value, 0);
        })
        .def("__repr__", [](const Array& array) { return "<parallax.Array " + array.desc().describe() + ">"; });

    nb::class_<Result>(m, "Result")
        .def_ro("arrays", &Result::arrays)
        .def_ro("records", &Result::records)
        .def_ro("warnings", &Result::warnings)
        .def_ro("report", &Result::report);

    nb::class_<PyPending>(m, "Pending", "A call that was submitted.")
        .def_prop_ro("done", [](const PyPending& p) { return p.pending.done(); })
        .def_prop_ro("arrays", [](const PyPending& p) { return p.pending.arrays(); })
        .def("get", [](PyPending& p) { return p.pending.get(); }, nb::call_guard<nb::gil_scoped_release>());

    nb::class_<Preparation>(m, "Preparation", "Plans that are being made in the background.")
        .def_prop_ro("progress", &Preparation::progress)
        .def_prop_ro("done", &Preparation::done)
        .def("wait", &Preparation::wait, nb::call_guard<nb::gil_scoped_release>())
        .def("cancel", &Preparation::cancel);

    nb::class_<Engine>(m, "Engine")
        .def("__init__", [](Engine* self, const std::string& device, const std::string& cache_folder, nb::object log) {
            EngineOptions options{device, cache_folder, {}};
            if (auto say = callback<const std::string&, const std::string&>(std::move(log))) {
                options.log = [say](LogLevel level, const std::string& text) {
                    static constexpr const char* names[] = {"debug", "info", "warning", "error"};
                    say(names[static_cast<int>(level)], text);
                };
            }
            const nb::gil_scoped_release released;
            new (self) Engine(options);
        }, "device"_a = "", "cache_folder"_a = "", "log"_a = nb::none())
        .def_static("from_opencl", [](std::uintptr_t context, std::uintptr_t device) { return Engine::from_opencl(pointer<_cl_context>(context), pointer<_cl_device_id>(device)); },
                    "context"_a, "device"_a, "On a cl_context and cl_device_id, as numbers (pyopencl: .int_ptr); both are retained.")
        .def_static("from_cuda", [](std::uintptr_t context) { return Engine::from_cuda(pointer<CUctx_st>(context)); }, "context"_a = 0,
                    "On a CUcontext; 0: the one that is current, as PyTorch's and CuPy's is.")
        .def_prop_ro("device", [](const Engine& engine) { return device_dict(engine.device()); })
        .def_prop_ro("allocated", &Engine::allocated, "Bytes of device memory that are in use.")
        .def("_algorithms", &Engine::algorithms_json)
        .def("_run", [](const Engine& engine, const std::string& job, const std::string& folder, const std::string& out, bool overwrite, nb::object progress, const CancelToken& cancel) {
            JobOptions options{.folder = folder, .out = out, .overwrite = overwrite, .progress = callback<const std::string&, double>(std::move(progress)), .cancel = cancel};
            const nb::gil_scoped_release released;
            return engine.run(Job::parse(job), options);
        });

    nb::class_<Session>(m, "Session")
        .def("__init__", [](Session* self, const Engine& engine, std::optional<std::uintptr_t> queue, std::optional<std::uintptr_t> stream) {
            if (queue) new (self) Session(Session::from_queue(engine, pointer<_cl_command_queue>(*queue)));
            else if (stream) new (self) Session(Session::from_stream(engine, pointer<CUstream_st>(*stream)));
            else new (self) Session(engine);
        }, "engine"_a, "queue"_a = nb::none(), "stream"_a = nb::none())
        .def_prop_ro("engine", &Session::engine, nb::rv_policy::copy)
        .def("_allocate", [](Session& session, const std::string& type, const std::vector<std::int64_t>& shape, const std::string& axes, const std::vector<double>& spacing, const std::string& unit) {
            const auto element = element_type_from(type);
            if (!element) throw ConfigError("", "the element type \"" + type + "\"", "u8, i16, f32, c64 and the like");
            return session.allocate(desc_of(*element, shape, axes, spacing, unit));
        })
        .def("_upload", [](Session& session, const PyView& view) {
            const nb::gil_scoped_release released;
            return session.upload(View(view.desc, view.memory.data()));
        })
        .def("_download", [](Session& session, const Array& array) {
            HostArray host = [&] {
                const nb::gil_scoped_release released;
                return session.download(array);
            }();
            return to_numpy(std::move(host));
        })
        .def("_wrap", [](Session& session, std::uintptr_t memory, const std::string& type, const std::vector<std::int64_t>& shape, const std::string& axes, bool cuda, const std::vector<std::int64_t>& strides) {
            const auto element = element_type_from(type);
            if (!element) throw ConfigError("", "the element type \"" + type + "\"", "u8, i16, f32, c64 and the like");
            ArrayDesc desc = desc_of(*element, shape, axes, {}, "");
            for (std::size_t i = 0; i < strides.size() && i < desc.axes.size(); ++i) desc.axes[i].stride = strides[i];
            return cuda ? session.wrap_cuda(memory, desc) : session.wrap(pointer<_cl_mem>(memory), desc);
        })
        .def("_run", [](Session& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs, const std::vector<std::string>& outputs,
                        const std::map<std::string, Array>& into, const std::string& variant, const std::string& policy, const std::vector<Event>& wait, const CancelToken& cancel) {
            const Call call = call_of(algorithm, parameters, inputs, outputs, into, variant, policy, wait, cancel);
            const nb::gil_scoped_release released;
            return session.run(call);
        })
        .def("_submit", [](Session& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs, const std::vector<std::string>& outputs,
                           const std::map<std::string, Array>& into, const std::string& variant, const std::string& policy, const std::vector<Event>& wait, const CancelToken& cancel) {
            const Call call = call_of(algorithm, parameters, inputs, outputs, into, variant, policy, wait, cancel);
            Pending pending = [&] {
                const nb::gil_scoped_release released;
                return session.submit(call);
            }();
            return PyPending(std::move(pending), std::move(inputs));
        })
        .def("_prepare", [](Session& session, const std::string& algorithm, const std::string& parameters, nb::dict inputs, const std::vector<std::string>& outputs,
                            const std::map<std::string, Array>& into, const std::string& variant, const std::string& policy, nb::object progress) {
            return session.prepare({call_of(algorithm, parameters, inputs, outputs, into, variant, policy, {}, {})}, callback<double>(std::move(progress)));
        })
        .def("_run_job", [](Session& session, const std::string& job, nb::dict inputs, const CancelToken& cancel) {
            const Inputs arrays = inputs_of(inputs);
            const nb::gil_scoped_release released;
            return session.run(Job::parse(job), arrays, cancel);
        });
}
