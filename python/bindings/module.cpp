// The module _parallax: the C++ interface with NumPy's arrays and Python's exceptions. JSON crosses as text; parallax/__init__.py
// makes dictionaries of it.
#include "arrays.hpp"
#include "calls.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "threads.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace parallax;
using namespace parallax::python;

namespace {

/// Plans that are being made, and the thread that tells of its progress.
struct PyPreparation : Unlocked<Preparation> {
    using Worker = std::atomic<std::thread::id>;
    PyPreparation(Preparation preparation, std::shared_ptr<Worker> teller)
        : Unlocked(std::move(preparation)), worker(std::move(teller)) {}
    std::shared_ptr<Worker> worker;
};

template <class T>
T* pointer(std::uintptr_t handle) {
    return reinterpret_cast<T*>(handle);
}

}   // namespace

NB_MODULE(_parallax, m) {
    m.attr("__version__") = version();
    nb::set_leak_warnings(false);

    add_exceptions(m);
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { visits().close(); }));
    if (const nb::module_ os = nb::module_::import_("os"); nb::hasattr(os, "register_at_fork"))
        os.attr("register_at_fork")("after_in_child"_a = nb::cpp_function(&after_fork));

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
        .def_prop_ro(
            "cuda_device", [](const PyArray& array) { return array.cuda_device(); },
            "Which of the CUDA devices that the process sees has it; -1: none.")
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
                                      dtype_of(array.desc().type), nb::device::cuda::value, array.cuda_device());
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
        .def("wait",
             [](PyPreparation& p) {
                 if (*p.worker == std::this_thread::get_id() && !p.done()) p.wait();   // which is refused
                 while (!p.done()) {   // PyErr_CheckSignals() hears of Ctrl-C in the main thread alone
                     unlocked([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
                     if (PyErr_CheckSignals() != 0) throw nb::python_error();
                 }
                 unlocked([&] { p.wait(); });
             })
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
             [](PySession& session, const PyArray& array) {
                 if (!array.desc().is_dense()) return to_numpy(unlocked([&] { return session.download(array); }));
                 HostArray host = HostArray::make(array.desc());
                 const Event read = unlocked([&] { return session.read(array, MutableView(host)); });
                 interruptible([read, memory = host.memory] { read.wait(); }, {});   // which holds what is still written to
                 return to_numpy(std::move(host));
             })
        .def("_wrap",
             [](PySession& session, std::uintptr_t memory, const std::string& type, const std::vector<std::int64_t>& shape,
                const std::string& axes, bool cuda, const std::vector<std::int64_t>& strides) {
                 ArrayDesc desc = desc_of(type_from(type), shape, axes, {}, "");
                 for (std::size_t i = 0; i < strides.size() && i < desc.axes.size(); ++i)
                     if (desc.axes[i].size > 1) desc.axes[i].stride = strides[i];
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
                const auto worker = std::make_shared<PyPreparation::Worker>();
                std::function<void(double)> tell;
                if (const auto told = callback<double>(std::move(progress)))
                    tell = [told, worker](double done) {
                        *worker = std::this_thread::get_id();
                        told(done);
                    };
                return PyPreparation(unlocked([&] { return session.prepare({call}, tell); }), worker);
            },
            "algorithm"_a, "parameters"_a, "inputs"_a, "outputs"_a, "into"_a, "variant"_a, "policy"_a, "progress"_a.none())
        .def("_run_job", [](PySession& session, const std::string& job, nb::dict inputs, const CancelToken& cancel) {
            const Inputs arrays = inputs_of(inputs);
            return PyResult(interruptible([&] { return session.run(Job::parse(job), arrays, cancel); }, stop_by(cancel)));
        });
}
