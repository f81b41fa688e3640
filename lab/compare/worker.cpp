#include "compare/worker.hpp"

#include <fstream>
#include <optional>

#include "cases/saved.hpp"
#include "compare/picture.hpp"
#include "job/runner.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "study/expand.hpp"
#include "timing/bench.hpp"
#include "timing/power.hpp"
#include "timing/rates.hpp"
#include "timing/sampling.hpp"
#include "workers/worker_protocol.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

fs::path path_of(const Json& text) { return path_from(text.get<std::string>()); }

Locations locations_of(const Json& request) {
    Locations where;
    where.job_folder = path_of(request.at("base"));
    const Json roots = request.value("roots", Json::object());
    for (const auto& [name, folder] : roots.items()) where.roots[name] = path_of(folder);
    return where;
}

/// Larger inputs stay where they are: they touch so many pages that one place is like another.
constexpr std::size_t most_moved_bytes = std::size_t{256} << 20;

bool same_shape(const ArrayDesc& a, const ArrayDesc& b) {
    return std::equal(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                      [](const Axis& x, const Axis& y) { return x.size == y.size; });
}

/// One device, one point, one row at a time.
class Worker {
public:
    Json answer(const Json& request) {
        const std::string what = request.at("do").get<std::string>();
        if (what == "open") return open(request);
        if (what == "make") return make(request);
        if (what == "reference") return reference(request);
        if (what == "prepare") return prepare(request);
        if (what == "agree") return agree(request);
        if (what == "sample") return sample(request);
        if (what == "end_to_end") return end_to_end(request);
        if (what == "sustained") return sustained(request);
        if (what == "energy") return energy(request);
        if (what == "release") return release();
        throw Error("a worker was asked to \"" + what + "\": this is a fault of the engine");
    }

private:
    Json open(const Json& request) {
        device_ = find_device(request.at("device"));
        cache_ = request.value("cache", std::string());
        engine_ =
            std::make_unique<Engine>(*device_, registry_with_peers(), host::ContextOptions{host::ProgramCache::open(cache_)});
        Session session(*engine_);
        Json rates = request.value("rates", true)
                         ? measure_rates(session.context(), session.queue(), request.value("quick", false)).to_json()
                         : Json();
        if (!rates.is_null() && request.value("roofs", false))
            rates.update(measure_roofs(session.context(), session.queue(), request.value("quick", false)).to_json());
        const host::Capabilities& found = session.context().capabilities();
        Json info = engine::to_json(engine_->device());
        info["probed"] = {{"fp64", found.fp64},
                          {"int64_atomics", found.int64_atomics},
                          {"inline_ptx", found.inline_ptx},
                          {"images", found.images},
                          {"event_times", found.event_times},
                          {"grid_exchange", found.grid_exchange},
                          {"warp_width", found.warp_width}};
        return {{"device", std::move(info)}, {"rates", std::move(rates)}};
    }

    Json make(const Json& request) {
        const fs::path folder = path_of(request.at("folder"));
        const Locations where = locations_of(request);
        Session session(*engine_);
        HostArrays made;
        Json arrays = Json::object();
        for (const auto& [name, spec] : request.at("inputs").items()) {
            made[name] = make_input(name, spec, session, made, where, request.at("settings"));
            save_array(folder, name, made[name]);
            arrays[name] = made[name].desc.describe();
        }
        return {{"arrays", std::move(arrays)}};
    }

    /// The arrays of a point stay on the device until another point comes.
    void bind(const Json& inputs, const fs::path& folder) {
        if (bound_ && bound_folder_ == folder) return;
        bench_.reset();
        bound_.reset();
        HostArrays arrays;
        for (const Json& name : inputs) arrays.emplace(name.get<std::string>(), fetch_array(folder, name.get<std::string>()));
        Session session(*engine_);
        bound_ = std::make_unique<BoundInputs>(bind_inputs(arrays, session));
        bound_folder_ = folder;
    }

    Bench::First start(const Json& request) {
        bench_.reset();
        pipeline_ = std::make_unique<Pipeline>(compare::pipeline_of(request.at("job"), engine_->registry().algorithms()));
        bind(request.at("inputs"), path_of(request.at("input_folder")));
        bench_ = std::make_unique<Bench>(*engine_, *pipeline_, *bound_);
        return bench_->first();
    }

    Json reference(const Json& request) {
        const fs::path folder = path_of(request.at("folder"));
        const Bench::First first = start(request);
        for (const auto& [name, array] : bench_->arrays()) save_array(folder, name, array);
        io::write_json(folder / "records.json", bench_->records(), true);
        bench_.reset();
        return {{"seconds", first.wall - first.plan_seconds}};
    }

    Json prepare(const Json& request) {
        const Bench::First first = start(request);
        if (request.value("again", false)) return Json::object();   // another process has told the rest
        const HostArrays arrays = bench_->arrays();
        const Json records = bench_->records();
        Json answer{{"variant", first.variants.back()},
                    {"steps", steps_of(first)},
                    {"policy", first.policies.back().to_json()},
                    {"records", records},
                    {"memory", {{"allocated", first.allocated}, {"workspace", first.workspace}}}};
        if (!answer["policy"].empty())
            answer["policy_from"] = first.policies_from.back() == "job" ? "given" : first.policies_from.back();
        Json kernels = Json::array();
        bool cold = false, warm = false;
        for (const PlanBuilder::Built& built : first.built) {
            kernels.push_back({{"file", built.file},
                               {"kernel", built.kernel},
                               {"hash", built.hash},
                               {"origin", built.origin},
                               {"seconds", built.seconds}});
            cold = cold || built.origin == "built";
            warm = warm || built.origin == "disk";
        }
        answer["kernels"] = std::move(kernels);
        answer["warnings"] = first.warnings;
        double run = first.wall - first.plan_seconds;   // drivers compile at first launches: where that may be, once more
        if (run > 0.02 && engine_->device().backend != host::Backend::native) run = std::min(run, bench_->run().wall);
        answer["run_s"] = run;
        answer["compile"] = {{"first_s", first.plan_seconds}, {"cold", cold && !warm}};
        if (request.value("cold", false) && !first.built.empty()) answer["compile"]["cached_s"] = seconds_from_cache();
        Json hashes = Json::object();
        for (const auto& [name, array] : arrays) hashes[name] = io::hash_array(array);
        answer["hashes"] = std::move(hashes);
        if (request.contains("reference") && !request["reference"].is_null())
            answer["agreement"] = agreement_of(request, arrays, records).to_json();
        answer["evaluations"] = evaluate(request, arrays);
        Json pictures = Json::object();
        for (const Json& name : request.value("keep", Json::array())) {
            const auto made = arrays.find(name.get<std::string>());
            pictures[name.get<std::string>()] =
                picture_of(made != arrays.end() ? made->second : bound_->host.at(name.get<std::string>()));
        }
        answer["pictures"] = std::move(pictures);
        return answer;
    }

    /// What ran, step by step: a chain is more than its last one.
    Json steps_of(const Bench::First& first) const {
        Json steps = Json::array();
        for (std::size_t i = 0; i < first.variants.size(); ++i)
            steps.push_back({{"run", pipeline_->steps[i].algorithm->name}, {"variant", first.variants[i]}});
        return steps;
    }

    /// Planning the same job in a context that has no programs yet, with all of them on disk.
    double seconds_from_cache() {
        Engine fresh(*device_, engine_->registry(), host::ContextOptions{host::ProgramCache::open(cache_)});
        Session session(fresh);
        BoundInputs inputs = bind_inputs(bound_->host, session);
        return Bench(fresh, *pipeline_, inputs).first().plan_seconds;
    }

    Agreement agreement_of(const Json& request, const HostArrays& arrays, const Json& records) {
        const fs::path folder = path_of(request["reference"]);
        const Json tolerance = request.value("tolerance", Json());
        Agreement all;
        for (const auto& [name, array] : arrays) {
            const HostArray expected = fetch_array(folder, name);
            merge_into(all, compare_arrays(array, expected, tolerance_for(tolerance, name, "/tolerance"), name));
        }
        std::ifstream file(folder / "records.json");
        const Json expected = Json::parse(file);
        for (const auto& [name, record] : records.items())
            merge_into(all, compare_records(record, expected.at(name), tolerance_for(tolerance, name, "/tolerance"), name));
        return all;
    }

    /// Results that another program left in a folder, against a reference: the names of axes are the reference's.
    static Json agree(const Json& request) {
        const fs::path folder = path_of(request.at("folder")), reference = path_of(request.at("reference"));
        const Json tolerance = request.value("tolerance", Json()), given = request.value("records", Json::object());
        Agreement all;
        for (const auto& entry : fs::directory_iterator(reference)) {
            if (entry.path().extension() != ".npy") continue;
            const std::string name = to_utf8(entry.path().stem());
            const HostArray expected = fetch_array(reference, name);
            if (!fs::exists(folder / entry.path().filename())) throw Error("the program left no " + name + ".npy");
            HostArray made = io::read(folder / entry.path().filename());
            if (made.desc.type == expected.desc.type && same_shape(made.desc, expected.desc)) made.desc = expected.desc;
            merge_into(all, compare_arrays(made, expected, tolerance_for(tolerance, name, "/tolerance"), name));
        }
        std::ifstream file(reference / "records.json");
        const Json expected = Json::parse(file);
        for (const auto& [name, record] : expected.items()) {
            if (!given.contains(name)) throw Error("the program gave no record " + name);
            merge_into(all, compare_records(given[name], record, tolerance_for(tolerance, name, "/tolerance"), name));
        }
        return {{"agreement", all.to_json()}};
    }

    Json evaluate(const Json& request, const HostArrays& arrays) {
        Json results = Json::object();
        for (const Json& asked : request.value("evaluate", Json::array())) {
            if (!judge_) judge_ = std::make_unique<Engine>(*host::native_device(), engine_->registry());
            Session session(*judge_);
            Call call;
            call.algorithm = &judge_->registry().get(asked.at("run").get<std::string>());
            call.parameters = call.algorithm->parameters.parse(asked.at("parameters"), "/evaluate");
            for (const auto& [port, from] : asked.at("in").items()) {
                const auto made = arrays.find(from.get<std::string>());
                call.inputs.emplace(
                    port, session.upload(made != arrays.end() ? made->second : bound_->host.at(from.get<std::string>())));
            }
            const CallResult judged = session.run(call);
            Json result = judged.records.size() == 1 ? judged.records.begin().value() : judged.records;
            for (const auto& [port, array] : judged.outputs) {   // short lists of counts, which reports can draw
                if (array.desc.type != ElementType::u32 || array.desc.count() > 4096) continue;
                const HostArray counts = session.download(array);
                result[port] =
                    std::vector<std::uint32_t>(counts.as<std::uint32_t>(), counts.as<std::uint32_t>() + counts.desc.count());
            }
            results[asked.at("name").get<std::string>()] = std::move(result);
        }
        return results;
    }

    /// The same row in other memory. Where arrays lie changes times by a tenth and more; a process that always has them in one
    /// place would take that for a property of the device.
    void move_arrays() {
        std::size_t bytes = 0;
        for (const auto& [name, array] : bound_->host) bytes += array.desc.dense_bytes();
        if (bytes > most_moved_bytes) return;
        Session session(*engine_);
        auto inputs = std::make_unique<BoundInputs>(bind_inputs(bound_->host, session));
        bench_->move(*inputs);
        bound_ = std::move(inputs);
    }

    Json sample(const Json& request) {
        if (request.value("move", false)) move_arrays();
        const auto caches = request.value("cold_cache", false) ? Bench::Caches::cold : Bench::Caches::as_they_are;
        return take_samples(request, [this, caches] { return bench_->run(caches); });
    }

    Json end_to_end(const Json& request) {
        return take_end_to_end(request, [this] { return bench_->run_from_end_to_end(); });
    }

    /// Runs from end to end without pause, and what the card says of itself meanwhile.
    Json sustained(const Json& request) {
        const double seconds = request.at("seconds").get<double>();
        const auto source = power_source_of(device_->info());
        const auto monitor = source ? std::make_unique<PowerMonitor>(*source, std::max(0.05, seconds / 200)) : nullptr;
        Json answer = run_without_pause(request, [this] { return bench_->run_from_end_to_end(Bench::EventTimes::leave).wall; });
        answer["history"] = monitor ? monitor->history() : Json();
        return answer;
    }

    /// Joules of a run from end to end. {} where nobody tells.
    Json energy(const Json& request) {
        const auto source = power_source_of(device_->info());
        if (!source) return Json::object();
        return measure_energy(*source, request.at("seconds").get<double>(), request.at("idle_s").get<double>(),
                              [this] { bench_->run_from_end_to_end(Bench::EventTimes::leave); });
    }

    Json release() {
        bench_.reset();
        return Json::object();
    }

    std::shared_ptr<const host::Device> device_;
    std::string cache_;
    std::unique_ptr<Engine> engine_, judge_;
    std::unique_ptr<BoundInputs> bound_;
    fs::path bound_folder_;
    std::unique_ptr<Pipeline> pipeline_;
    std::unique_ptr<Bench> bench_;
};

}  // namespace

int serve() {
    Worker worker;
    return serve_requests([&worker](const Json& request) { return worker.answer(request); });
}

}  // namespace parallax::engine::compare
