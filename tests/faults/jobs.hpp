// Small jobs that between them use every kind of OpenCL call that Parallax makes.
#pragma once

#include "core/session.hpp"
#include "job/load.hpp"
#include "job/runner.hpp"
#include "jobs/support.hpp"
#include "peers/peers.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace parallax::tests::faults {

struct Subject {
    const char* name;
    const char* steps;
    const char* outputs;
    std::uint64_t memory_limit = 0;
};

inline const std::vector<Subject>& subjects() {
    static const std::vector<Subject> list{
        {"hologram",
         R"([{"run": "hologram", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": {"from": 900, "to": 1000, "step": 50},
             "autofocus": {"object": "amplitude"}, "planes": "best"}])",
         R"({"amplitude": "amplitude.npy", "focus": "focus.json"})"},
        {"hologram by VkFFT",
         R"([{"run": "hologram", "variant": "staged", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000,
             "fft": "vkfft", "padding": "none"}])",
         R"({"amplitude": "deep/er/amplitude.tif"})"},
        {"equalize", R"([{"run": "equalize", "out": {"image": "even"}}, {"run": "histogram", "in": {"image": "even"}}])",
         R"({"even": "even.png", "histogram": "histogram.npy"})"},
        {"box_count", R"([{"run": "box_count", "threshold": 100}])", R"({"counts": "counts.json"})"},
        {"scan and sort",
         R"([{"run": "scan", "in": {"array": "keys"}}, {"run": "sort", "in": {"values": null}, "out": {"keys": "sorted"}},
             {"run": "reduce", "in": {"array": "keys"}}])",
         R"({"array": "sums.npy", "sorted": "sorted.npy", "value": "value.json"})"},
        {"box_filter", R"([{"run": "box_filter", "variant": "image", "radius": 3}])", R"({"image": "blurred.png"})"},
        {"diffusion", R"([{"run": "diffusion_lb", "variant": "image", "iterations": 2}])", R"({"image": "smooth.tif"})"},
        {"in tiles", R"([{"run": "threshold", "method": "value", "value": 99}, {"run": "histogram", "in": {"image": "mask"}}])",
         R"({"mask": "mask.png", "histogram": "histogram.npy"})", 3500},
    };
    return list;
}

/// A folder with the inputs, and jobs prepared to write below it.
class Workshop {
public:
    Workshop() {
        io::write(folder_ / "image.npy", ramp(48, 40));
        HostArray keys = HostArray::make(ArrayDesc::dense(ElementType::u32, {{'x', 1000}}));
        for (std::uint32_t i = 0; i < 1000; ++i) keys.as<std::uint32_t>()[i] = (i * 2654435761u) >> 12;
        io::write(folder_ / "keys.npy", keys);
    }

    engine::Prepared prepare(const Subject& subject, std::string out = "out") const {
        Json job{{"parallax", 1}, {"steps", Json::parse(subject.steps)}, {"outputs", Json::parse(subject.outputs)}};
        job["inputs"] =
            std::string(subject.name).starts_with("scan") ? Json{{"keys", "keys.npy"}} : Json{{input_of(job), "image.npy"}};
        if (subject.memory_limit > 0) job["memory_limit"] = subject.memory_limit;
        engine::Locations where;
        where.job_folder = folder_.path();
        where.out = folder_ / out;
        return engine::prepare(engine::parse_job(job, registry_.algorithms()), where, false);
    }

    /// Files below the output folder, with their contents.
    std::map<std::string, std::string> outputs(const std::string& out = "out") const {
        std::map<std::string, std::string> files;
        if (!fs::exists(folder_ / out)) return files;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / out))
            files[entry.path().lexically_relative(folder_ / out).generic_string()] =
                entry.is_regular_file() ? read_text(entry.path()) : "";
        return files;
    }
    void clear(const std::string& out = "out") const { fs::remove_all(folder_ / out); }
    const TempFolder& folder() const { return folder_; }

private:
    static std::string input_of(const Json& job) {
        return std::string(job["steps"][0]["run"]).starts_with("hologram") ? "hologram" : "image";
    }

    TempFolder folder_;
    engine::Registry registry_ = engine::registry_with_peers();
};

}  // namespace parallax::tests::faults
