#include "job/hashing.hpp"

#include "job/read.hpp"
#include "job/small_inputs.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace parallax::engine {

Hashing::Hashing(const InputSpec& spec, const PreparedInput& input) {
    std::vector<std::pair<std::filesystem::path, io::FileInfo>> files;
    for (std::size_t f = 0; f < input.files.size(); ++f) files.emplace_back(input.files[f], input.infos[f]);
    const auto task = std::make_shared<std::packaged_task<InputReport(std::stop_token)>>(
        [report = InputReport{spec.name, {}, input.desc.describe(), input.warnings},
         files = std::move(files), input](const std::stop_token& stop) mutable {
            const auto add = [&](const std::filesystem::path& path, const host::OpenedFile& opened, const std::string& format,
                                 std::optional<io::Stretch> read) {
                report.files.push_back(report_file(opened.path(), format, stop, read));
                if (opened.path() != path) report.files.back().path = to_utf8(std::filesystem::absolute(path));
            };
            for (const auto& [path, info] : files) {
                const host::OpenedFile opened = input.open(path);
                if (!std::filesystem::is_directory(opened.path()))   // of a folder its parts are hashed
                    add(path, opened, info.format, info.read_bytes);
                for (const io::FilePart& part : info.parts) add(part.path, input.open(part.path), info.format, {});
                check_unchanged(path, opened.path(), info);   // so that the hash is that of what was computed
            }
            return std::move(report);
        });
    report_ = task->get_future();
    if (is_small(input)) {
        (*task)({});
        return;
    }
    try {
        thread_ = std::jthread([task](const std::stop_token& stop) { (*task)(stop); });
    } catch (const std::system_error&) {   // no thread to be had: then now
        (*task)({});
    }
}

InputReport Hashing::finish(const std::function<void()>& proceed) {
    while (proceed && report_.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) proceed();
    return report_.get();
}

}  // namespace parallax::engine
