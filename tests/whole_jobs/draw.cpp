#include "draw.hpp"

#include "files.hpp"
#include "job/prepare.hpp"
#include "sizes/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace parallax::tests::whole_jobs {

namespace fs = std::filesystem;

namespace {

using namespace engine;
using sizes::Random;

constexpr int most_tries = 300;
constexpr std::int64_t most_made = 300000;   // elements of what a step makes

/// What steps can take: arrays of files and of steps before.
struct Array {
    std::string name;
    ArrayDesc desc;
    bool is_half_spectrum = false;
};

class Drawing {
public:
    Drawing(Random& random, const std::vector<Algorithm>& algorithms, const fs::path& folder, const Bounds& bounds)
        : random_(random), algorithms_(algorithms), folder_(folder), bounds_(bounds) {}

    WholeJob draw() {
        made_.job = {{"parallax", 1}, {"inputs", Json::object()}, {"steps", Json::array()}, {"outputs", Json::object()}};
        draw_files();
        for (std::int64_t i = random_.between(1, 4); i > 0; --i) draw_step();
        if (made_.job["steps"].empty()) throw std::runtime_error("no algorithm takes what was drawn");
        leave_out_inputs();
        made_.confined = random_.chance(0.15) && !reads_folder();
        if (random_.chance(0.1)) made_.job["non_finite"] = random_.chance(0.5) ? "mask" : "propagate";
        return std::move(made_);
    }

private:
    void draw_files() {
        const HostArray first = draw_array(random_, bounds_.elements);
        const std::string name = "a";
        if (random_.chance(0.12)) return draw_series(name, first);
        take_input(name, first);
        // A second one of the same shape, as backgrounds and references are, or of any.
        if (!random_.chance(0.4)) return;
        take_input("b", random_.chance(0.8) ? like(first, seed()) : draw_array(random_, bounds_.elements));
    }

    std::uint64_t seed() { return static_cast<std::uint64_t>(random_.below(1000)); }

    /// One file of the array, and the words of an input that say how it is read.
    Json keep(const std::string& stem, const std::string& ending, const HostArray& array) {
        const std::string file = stem + ending;
        const Json raw = write_input(folder_ / file, array);
        made_.files.emplace(file, array);
        Json input{{"file", file}};
        if (!raw.is_null()) input["raw"] = raw;
        return input;
    }

    void take_input(const std::string& name, const HostArray& array) {
        const std::string ending = random_.one_of(endings_for(array, folder_));
        Json input;
        // Patterns mean files, and no folders.
        if (random_.chance(0.08) && ending != ".raw" && !ending.ends_with(".zarr") && !is_complex(array.desc.type)) {
            for (int i = 0; i < 3; ++i) keep(fmt::format("{}_{}", name, i), ending, i == 0 ? array : like(array, seed()));
            input = {{"files", name + "_*" + ending}, {"combine", random_.chance(0.5) ? "mean" : "median"}};
        } else {
            input = keep(name, ending, array);
        }
        if (random_.chance(0.15)) input["spacing_um"] = random_.real(0.3, 3);
        if ((ending == ".tif" || ending == ".npy") && array.desc.axes.size() == 3 && array.desc.axes.front().name != 'y' &&
            random_.chance(0.5))
            input["page_axis"] = random_.chance(0.5) ? "z" : "t";
        add_input(name, input);
    }

    /// A key may not suit the file: the input then goes without.
    void add_input(const std::string& name, Json input) {
        for (const char* const key : {"", "page_axis", "spacing_um"}) {
            input.erase(key);
            try {
                Locations where;
                where.job_folder = folder_;
                const PreparedInput prepared = prepare_input(parse_input(name, input, "/inputs/" + name), where);
                if (input.size() == 1 && input.contains("file") && random_.chance(0.5)) input = input["file"];
                made_.job["inputs"][name] = input;
                pool_.push_back({name, prepared.desc});
                return;
            } catch (const ConfigError&) {
            }
        }
        throw std::runtime_error("no input can be made of " + input.dump());
    }

    /// A confined job reads no folders.
    bool reads_folder() const {
        return std::any_of(made_.files.begin(), made_.files.end(),
                           [](const auto& file) { return file.first.ends_with(".zarr"); });
    }

    void draw_series(const std::string& name, const HostArray& first) {
        std::vector<std::string> fitting = endings_for(first, folder_);
        std::erase_if(fitting, [](const std::string& one) { return one == ".raw" || one.ends_with(".zarr"); });
        const std::string ending = random_.one_of(fitting);
        const bool of_unlike_spacing = !first.desc.unit.empty() && !first.metadata.affine && random_.chance(0.5);
        for (std::int64_t i = random_.between(2, 5); i > 0; --i) {
            HostArray frame = like(first, seed());
            for (Axis& axis : frame.desc.axes)
                if (of_unlike_spacing && axis.name != 'c' && axis.name != 't') axis.spacing *= 1 + static_cast<double>(i) / 4;
            keep(fmt::format("frame_{}", i), ending, std::move(frame));
        }
        add_input(name, {{"file", "frame_1" + ending}});
        made_.job["for_each"] = {{"frame", "frame_*" + ending}};
        made_.job["inputs"][name] = "{frame}";
    }

    void draw_step() {
        for (int i = 0; i < most_tries; ++i) {
            const Algorithm& algorithm = random_.one_of(algorithms_);
            Json step = sizes::draw_parameters(random_, algorithm, {bounds_.elements, bounds_.backend, false},
                                               0.4 * (1 - static_cast<double>(i) / most_tries));
            if (!is_taken(algorithm, step)) continue;
            if (const auto drawn = connect(algorithm, std::move(step))) {
                made_.job["steps"].push_back(*drawn);
                return;
            }
        }
    }

    /// Words that the table takes one by one need not go together: a sweep whose step leads away from its end.
    static bool is_taken(const Algorithm& algorithm, const Json& parameters) {
        try {
            algorithm.parameters.parse(parameters, "");
            return true;
        } catch (const ConfigError&) {
            return false;
        }
    }

    std::optional<Json> connect(const Algorithm& algorithm, const Json& parameters) {
        Json in = Json::object();
        ArrayDescs descs;
        bool has_half = false;
        for (const Port& port : algorithm.inputs) {
            if (pool_.empty() || (!port.required && random_.chance(0.6))) {
                if (port.required) return std::nullopt;
                in[port.name] = nullptr;
                continue;
            }
            // What was made last as often as all the others: chains rather than fans.
            const Array& array = random_.chance(0.5) ? pool_.back() : random_.one_of(pool_);
            in[port.name] = array.name;
            descs.emplace(port.name, array.desc);
            has_half = has_half || array.is_half_spectrum;
        }
        // Numbers that are no half of a spectrum have no one answer (docs/testing.md).
        const bool is_fft = algorithm.name == "fft";
        if (is_fft && parameters.value("kind", "") == "c2r" && !has_half) return std::nullopt;
        // What is found once for a series an item by itself need not find: tests/series has it.
        if (made_.is_series() && algorithm.finding && algorithm.finding->needed(algorithm.parameters.parse(parameters, "")))
            return std::nullopt;
        Json step = parameters;
        scale_threshold(algorithm, descs, step);
        std::vector<std::string> outputs = draw_outputs(algorithm, step);
        try {
            const Problem problem{descs, algorithm.parameters.parse(step, ""), outputs};
            const ArrayDescs made = algorithm.infer(problem);
            for (const auto& [port, desc] : made)
                if (desc.count() > most_made) return std::nullopt;
            step["id"] = fmt::format("step{}", made_.job["steps"].size());
            step["run"] = algorithm.name;
            if (!in.empty()) step["in"] = in;
            for (const std::string& port : outputs) take_output(algorithm, port, made, step);
            if (is_fft && step.value("kind", "") == "r2c") pool_.back().is_half_spectrum = true;
            return step;
        } catch (const ConfigError&) {   // these do not belong together
            return std::nullopt;
        } catch (const UnsupportedError&) {
            return std::nullopt;
        }
    }

    /// As of the test of sizes (docs/testing.md). Of arrays that steps make the range is not known: the type's then.
    static void scale_threshold(const Algorithm& algorithm, const ArrayDescs& descs, Json& step) {
        const bool diffuses = algorithm.name == "diffusion_lb" || algorithm.name == "diffusion_aos";
        if (!diffuses || descs.empty() || descs.begin()->second.type != ElementType::u16) return;
        step["threshold"] = 257 * step.value("threshold", 4.0);
    }

    std::vector<std::string> draw_outputs(const Algorithm& algorithm, const Json& step) {
        std::vector<std::string> outputs;
        for (const Port& port : algorithm.outputs) {
            // What tells which of several right answers was taken (tests/sizes/settle.hpp).
            const bool tells = algorithm.name == "hologram" && ((port.name == "carrier" && step.contains("off_axis")) ||
                                                                (port.name == "focus" && step.contains("autofocus")));
            if (tells || random_.chance(port.required ? 0.9 : 0.3)) outputs.push_back(port.name);
        }
        if (outputs.empty()) outputs.push_back(algorithm.outputs.front().name);
        return outputs;
    }

    void take_output(const Algorithm& algorithm, const std::string& port, const ArrayDescs& made, Json& step) {
        const std::string name = fmt::format("{}_{}", port, made_.job["steps"].size());
        step["out"][port] = name;
        const auto kind = std::find_if(algorithm.outputs.begin(), algorithm.outputs.end(),
                                       [&](const Port& one) { return one.name == port; })->kind;
        const std::string stem = made_.is_series() ? "{frame.stem}_" + name : name;
        if (kind == PortKind::array) {
            if (!made.contains(port)) return;
            pool_.push_back({name, made.at(port)});
            made_.job["outputs"][name] = array_file(stem, made.at(port));
        } else if (kind == PortKind::drawing) {
            made_.job["outputs"][name] = stem + ".svg";
        } else {
            made_.job["outputs"][name] = random_.chance(0.8)     ? Json(stem + ".json")
                                         : made_.is_series()     ? Json{{"table", name + ".csv"}}
                                                                 : Json{{"table", stem + ".csv"}};
        }
    }

    Json array_file(const std::string& stem, const ArrayDesc& desc) {
        static constexpr std::array endings{".npy", ".npy", ".tif",    ".png", ".nrrd",     ".mha",    ".nii",
                                            ".h5",  ".jpg", ".nii.gz", ".zarr", ".ome.zarr", ".ome.tif"};
        for (int i = 0; i < 20; ++i) {
            const std::string ending = random_.one_of(endings);
            try {
                io::check_writable(folder_ / ("out" + ending), desc);
            } catch (const Error&) {
                continue;
            }
            const std::string file = (random_.chance(0.2) ? "below/" : "") + stem + ending;
            if ((ending == ".png" || ending == ".jpg") && random_.chance(0.3))
                return {{"file", file}, {"window_percentile", {1, 99}}};
            if ((ending == ".tif" || ending == ".png") && random_.chance(0.3)) return {{"file", file}, {"compression", 5}};
            return file;
        }
        return stem + ".npy";
    }

    /// An input that no step takes is refused.
    void leave_out_inputs() {
        std::vector<std::string> unused;
        for (const auto& entry : made_.job["inputs"].items()) {
            const std::string name = entry.key();
            const bool used = std::any_of(made_.job["steps"].begin(), made_.job["steps"].end(), [&](const Json& step) {
                if (!step.contains("in")) return false;
                for (const auto& [port, from] : step["in"].items())
                    if (from == name) return true;
                return false;
            });
            if (!used) unused.push_back(name);
        }
        for (const std::string& name : unused) {
            made_.job["inputs"].erase(name);
            if (name == "a") made_.job.erase("for_each");
        }
        if (made_.job["inputs"].empty()) made_.job.erase("inputs");
        if (!made_.is_series())
            for (auto& [name, output] : made_.job["outputs"].items()) forget_series(output);
    }

    static void forget_series(Json& output) {
        std::string& file =
            output.is_string() ? output.get_ref<std::string&>()
                               : output[output.contains("file") ? "file" : "table"].get_ref<std::string&>();
        if (const std::size_t at = file.find("{frame.stem}_"); at != std::string::npos) file.erase(at, 13);
    }

    Random& random_;
    const std::vector<Algorithm>& algorithms_;
    const fs::path& folder_;
    const Bounds& bounds_;
    WholeJob made_;
    std::vector<Array> pool_;
};

}  // namespace

WholeJob draw_job(Random& random, const std::vector<Algorithm>& algorithms, const fs::path& folder, const Bounds& bounds) {
    return Drawing(random, algorithms, folder, bounds).draw();
}

}  // namespace parallax::tests::whole_jobs
