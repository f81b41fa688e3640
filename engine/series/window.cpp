#include "series/window.hpp"

#include "job/hashing.hpp"
#include "series/neighbours.hpp"

#include <algorithm>
#include <vector>

namespace parallax::engine::series {

InputSpec spec_of_frame(const PreparedSeries& series, std::size_t input, std::size_t item) {
    InputSpec spec = job_of(series.job, series.items, item).inputs[input];
    spec.combine.clear();
    spec.running = 0;
    return spec;
}

std::string contents_of(const InputReport& report) {
    std::string hashes;
    for (const FileReport& file : report.files) hashes += file.hash + ' ';
    return hashes;
}

std::string hash_of_window(const std::string& window) { return window.empty() ? std::string() : io::hash_text(window); }

std::string WindowsNow::of(std::size_t item) {
    std::string window;
    for (std::size_t i = 0; i < series_.job.inputs.size(); ++i) {
        const std::int64_t width = series_.job.inputs[i].running;
        if (width == 0) continue;
        const auto [first, end] = taken_around(item, width, series_.items.size());
        for (std::size_t n = first; n < end; ++n) add_frame(window, series_.items.name(n), contents(i, n));
    }
    return hash_of_window(window);
}

const std::string& WindowsNow::contents(std::size_t input, std::size_t item) {
    const auto [known, is_new] = known_.try_emplace({input, item});
    if (is_new) known->second = look(input, item);
    return known->second;
}

std::string WindowsNow::look(std::size_t input, std::size_t item) const {
    if (const auto record = records_.find(series_.items.name(item)); record != records_.end()) {
        InputReport report;
        bool unchanged = reads_.as_recorded(item, record->second.inputs, record->second.reads);
        for (const FileState& file : record->second.inputs) {
            if (file.of != series_.job.inputs[input].name) continue;
            unchanged = unchanged && files_.unchanged(file);
            report.files.push_back({file.path, file.bytes, file.hash, {}, {}});
        }
        if (unchanged && !report.files.empty()) return contents_of(report);
    }
    try {
        const InputSpec spec = spec_of_frame(series_, input, item);
        return contents_of(Hashing(spec, prepare_input(spec, series_.where)).finish());
    } catch (const Error&) {   // who has it as a neighbour is told when it is read
        return "not to be read";
    }
}

}  // namespace parallax::engine::series
