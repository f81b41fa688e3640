#include "job/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace parallax::engine {

namespace {

std::string human(std::uint64_t bytes) {
    return bytes < 10000000 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::int64_t slices_of(const ArrayDesc& desc) { return desc.axes.empty() ? 1 : desc.axes.front().size; }

/// Two slabs: one is read while the device has the other.
std::uint64_t slab_bytes(const ArrayDesc& desc, std::int64_t slab) {
    return 2 * static_cast<std::uint64_t>(std::min(slab, slices_of(desc))) * (desc.dense_bytes() / static_cast<std::uint64_t>(slices_of(desc)));
}

std::uint64_t memory_of(const Job& job, const host::DeviceInfo& device) {
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    return std::min(job.memory_limit.value_or(any), device.global_memory > 0 ? device.global_memory : any);
}

/// The step that an input can come to in slabs, or why there is none.
std::string why_whole(const Prepared& prepared, std::size_t input, std::size_t& step) {
    const Job& job = prepared.job;
    const InputSpec& spec = job.inputs[input];
    const io::ReadOptions& read = spec.read;
    if (spec.globs || spec.running > 0) return "an input of several files is combined as a whole";
    if (spec.each) return "the items of a series are read as a whole";
    if (read.pages || read.volume || read.keep_channels) return "pages, volumes and channels are chosen from files that are read as a whole";
    if (prepared.inputs[input].desc.axes.size() < 2) return "it has one axis";
    std::size_t users = 0;
    for (std::size_t i = 0; i < job.steps.size(); ++i)
        for (const auto& [port, source] : job.steps[i].inputs)
            if (source == Source{std::nullopt, spec.name}) ++users, step = i;
    if (users != 1) return fmt::format("{} steps use it", users);
    if (job.steps[step].inputs.size() != 1) return fmt::format("step \"{}\" has other inputs beside it", job.steps[step].id);
    const std::vector<Variant>& variants = job.steps[step].algorithm->variants;
    if (std::none_of(variants.begin(), variants.end(), [](const Variant& v) { return v.slabs; }))
        return fmt::format("{} needs its input as a whole", job.steps[step].algorithm->name);
    return {};
}

}  // namespace

std::uint64_t array_bytes(const Prepared& prepared, const Slabs& slabs) {
    std::uint64_t bytes = prepared.array_bytes();
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        const ArrayDesc& desc = prepared.inputs[i].desc;
        if (slabs.by_input[i] > 0) bytes -= desc.dense_bytes() - std::min<std::uint64_t>(desc.dense_bytes(), slab_bytes(desc, slabs.by_input[i]));
    }
    return bytes;
}

namespace {

void check_fits(const Prepared& prepared, const host::DeviceInfo& device, const Slabs& slabs) {
    std::vector<std::string> reasons;
    const auto check = [&](const std::string& name, const ArrayDesc& desc) {
        if (device.max_allocation > 0 && desc.dense_bytes() > device.max_allocation) {
            reasons.push_back(fmt::format("\"{}\", {}, takes {}; the largest allocation is {}", name, desc.describe(), human(desc.dense_bytes()),
                                          human(device.max_allocation)));
        }
    };
    const Job& job = prepared.job;
    for (std::size_t i = 0; i < job.inputs.size(); ++i)
        if (slabs.by_input[i] == 0) check(job.inputs[i].name, prepared.inputs[i].desc);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        for (const auto& [port, desc] : prepared.steps[i].shapes) check(job.name_of({i, port}), desc);
    }
    const std::uint64_t total = array_bytes(prepared, slabs);
    if (device.global_memory > 0 && total > device.global_memory) {
        reasons.push_back(fmt::format("all arrays together take {}; the device has {}", human(total), human(device.global_memory)));
    }
    if (job.memory_limit && total > *job.memory_limit) {
        reasons.push_back(fmt::format("all arrays together take {}; memory_limit is {}", human(total), human(*job.memory_limit)));
    }
    if (!reasons.empty()) throw UnsupportedError(fmt::format("the job does not fit into the memory of {}", device.name), reasons);
}

}  // namespace

Slabs choose_slabs(const Prepared& prepared, const host::DeviceInfo& device) {
    const Job& job = prepared.job;
    Slabs slabs{std::vector<std::int64_t>(job.inputs.size(), 0), std::vector<std::int64_t>(job.steps.size(), 0)};
    const std::uint64_t memory = memory_of(job, device);
    slabs.workspace = std::min(memory / 2, device.max_allocation > 0 ? device.max_allocation : memory);
    const bool too_much = prepared.array_bytes() > memory;
    for (std::size_t i = 0; i < job.inputs.size(); ++i) {
        const ArrayDesc& desc = prepared.inputs[i].desc;
        std::int64_t slab = job.inputs[i].slab;
        const bool too_large = device.max_allocation > 0 && desc.dense_bytes() > device.max_allocation;
        if (slab == 0 && !too_large && !too_much) continue;
        std::size_t step = 0;
        const std::string why = why_whole(prepared, i, step);
        if (!why.empty() && slab == 0) continue;   // check_fits() has the numbers
        if (!why.empty()) throw ConfigError(job.inputs[i].pointer + "/slab", fmt::format("{} slices at a time, and {}", slab, why), "no slab");
        if (slab == 0) {
            constexpr std::uint64_t enough = std::uint64_t{256} << 20;   // more at a time would not be faster
            const std::uint64_t most = std::min({enough, memory / 8, device.max_allocation > 0 ? device.max_allocation : enough});
            slab = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most / (desc.dense_bytes() / static_cast<std::uint64_t>(slices_of(desc)))));
        }
        slabs.by_input[i] = slabs.by_step[step] = std::min(slab, slices_of(desc));
    }
    return slabs;
}

std::vector<Choice> choose_variants(const Prepared& prepared, Session& session, const Slabs& slabs) {
    std::vector<Choice> choices;
    for (std::size_t i = 0; i < prepared.steps.size(); ++i) {
        const StepSpec& step = prepared.job.steps[i];
        in_terms_of(prepared.job, step, [&] {
            Problem problem = prepared.steps[i].problem;
            problem.slab = slabs.by_step[i];
            problem.slab_workspace = slabs.workspace;
            choices.push_back(session.choose(*step.algorithm, problem, step.variant, step.policy, step.pointer));
        });
    }
    check_fits(prepared, session.engine().device(), slabs);
    return choices;
}

void check_limit(const Job& job, std::uint64_t allocated) {
    if (!job.memory_limit || allocated <= *job.memory_limit) return;
    throw UnsupportedError("the job needs more memory than it may use",
                           {fmt::format("with the workspace of its steps it takes {}; memory_limit is {}", human(allocated), human(*job.memory_limit))});
}

}  // namespace parallax::engine
