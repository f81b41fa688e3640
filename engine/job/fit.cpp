#include "job/fit.hpp"

#include <fmt/format.h>

namespace parallax::engine {

namespace {

std::string human(std::uint64_t bytes) {
    return bytes < 10000000 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

void check_fits(const Prepared& prepared, const host::DeviceInfo& device) {
    std::vector<std::string> reasons;
    const auto check = [&](const std::string& name, const ArrayDesc& desc) {
        if (device.max_allocation > 0 && desc.dense_bytes() > device.max_allocation) {
            reasons.push_back(fmt::format("\"{}\", {}, takes {}; the largest allocation is {}", name, desc.describe(), human(desc.dense_bytes()),
                                          human(device.max_allocation)));
        }
    };
    const Job& job = prepared.job;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) check(job.inputs[i].name, prepared.inputs[i].desc);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : prepared.steps[i].shapes) check(job.name_of({i, port}), desc);
    }
    const std::uint64_t total = prepared.array_bytes();
    if (device.global_memory > 0 && total > device.global_memory) {
        reasons.push_back(fmt::format("all arrays together take {}; the device has {}", human(total), human(device.global_memory)));
    }
    if (job.memory_limit && total > *job.memory_limit) {
        reasons.push_back(fmt::format("all arrays together take {}; memory_limit is {}", human(total), human(*job.memory_limit)));
    }
    if (!reasons.empty()) throw UnsupportedError(fmt::format("the job does not fit into the memory of {}", device.name), reasons);
}

}  // namespace

std::vector<Choice> choose_variants(const Prepared& prepared, Session& session) {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
        const StepSpec& step = prepared.job.steps[i];
        in_terms_of(prepared.job, step, [&] {
            choices.push_back(session.choose(*step.algorithm, prepared.steps[i].problem, step.variant, step.policy, step.pointer));
        });
    }
    check_fits(prepared, session.engine().device());
    return choices;
}

void check_limit(const Job& job, std::uint64_t allocated) {
    if (!job.memory_limit || allocated <= *job.memory_limit) return;
    throw UnsupportedError("the job needs more memory than it may use",
                           {fmt::format("with the workspace of its steps it takes {}; memory_limit is {}", human(allocated), human(*job.memory_limit))});
}

}  // namespace parallax::engine
