#include "job/hashing.hpp"

#include "job/read.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

namespace {

constexpr std::uint64_t worth_a_thread = std::uint64_t{16} << 20;

}  // namespace

Hashing::Hashing(const InputSpec& spec, const PreparedInput& input) {
    std::uint64_t bytes = 0;
    std::vector<std::pair<std::filesystem::path, io::FileInfo>> files;
    for (std::size_t f = 0; f < input.files.size(); ++f) {
        files.emplace_back(input.files[f], input.infos[f]);
        bytes += input.infos[f].file_bytes;
    }
    std::packaged_task<InputReport(std::stop_token)> task(
        [report = InputReport{spec.name, {}, input.desc.describe(), input.warnings},
         files = std::move(files)](const std::stop_token& stop) mutable {
            for (const auto& [path, info] : files) {
                report.files.push_back(report_file(path, info.format, stop));
                check_unchanged(path, info);   // so that the hash is that of what was computed
            }
            return std::move(report);
        });
    report_ = task.get_future();
    if (bytes < worth_a_thread) task({});
    else thread_ = std::jthread(std::move(task));
}

InputReport Hashing::finish(const std::function<void()>& proceed) {
    while (proceed && report_.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) proceed();
    return report_.get();
}

}  // namespace parallax::engine
