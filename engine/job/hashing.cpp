#include "job/hashing.hpp"

#include "io/kept.hpp"
#include "job/read.hpp"
#include "job/small_inputs.hpp"

#include <algorithm>
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
namespace {

/// By `report`, to which the hash is given where it is known: a file of a thousand pages is not hashed for each. `there`: where the
/// file is open.
template <class Report>
FileReport hashed_once(io::Kept* kept, const std::optional<host::FileIdentity>& file, const std::filesystem::path& there,
                       const std::stop_token& stop, const Report& report) {
    if (!kept || !file) return report(std::string());
    if (std::optional<std::string> known = kept->hash(*file)) return report(*std::move(known));
    FileReport made = report(std::string());
    const auto now = host::identity_of(there);
    if (!stop.stop_requested() && now == file && now->changed == file->changed) kept->put(*file, made.hash, made.hashed);
    return made;
}

}   // namespace

std::vector<FileReport> report_input_file(const PreparedInput& input, std::size_t file, const host::OpenedFile& opened,
                                          const std::stop_token& stop) {
    const std::filesystem::path& path = input.files[file];
    const io::FileInfo& info = input.infos[file];
    std::vector<FileReport> reports;
    const bool folder = !info.parts.empty() && std::filesystem::is_directory(opened.path());   // of which its parts are hashed
    if (!folder)
        reports.push_back(hashed_once(input.kept.get(), info.identity, opened.path(), stop, [&](std::string hash) {
            return report_file(path, opened.path(), info, stop, std::move(hash));
        }));
    for (const io::FilePart& part : info.parts) {
        const host::OpenedFile held = input.open(part.path);
        const auto identity = input.kept ? host::identity_of(held.path()) : std::nullopt;
        reports.push_back(hashed_once(input.kept.get(), identity, held.path(), stop, [&](std::string hash) {
            return report_file(held.path(), info.format, stop, {}, std::move(hash));
        }));
        if (held.path() != part.path) reports.back().path = to_utf8(std::filesystem::absolute(part.path));
    }
    return reports;
}

bool is_certain(const io::FileInfo& info) {
    const auto certain = [](const std::optional<host::FileIdentity>& identity) {
        return !identity || !host::may_change_unseen(*identity);
    };
    const auto are_certain = [&](const std::vector<io::FilePart>& parts) {
        return std::all_of(parts.begin(), parts.end(), [&](const io::FilePart& part) { return certain(part.identity); });
    };
    return certain(info.identity) && are_certain(info.parts) && are_certain(info.folders);
}

Hashing::Hashing(const InputSpec& spec, const PreparedInput& input) {
    const auto task = std::make_shared<std::packaged_task<InputReport(std::stop_token)>>(
        [report = InputReport{spec.name, {}, input.desc.describe(), input.warnings}, input](const std::stop_token& stop) mutable {
            for (std::size_t f = 0; f < input.files.size(); ++f) {
                const host::OpenedFile opened = input.open(input.files[f]);
                for (FileReport& file : report_input_file(input, f, opened, stop)) report.files.push_back(std::move(file));
                check_unchanged(input.files[f], opened.path(), input.infos[f]);   // the hash is that of what was computed
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

Hashing::Hashing(const InputSpec& spec, const PreparedInput& input, std::vector<FileReport> files) {
    std::promise<InputReport> done;
    done.set_value({spec.name, std::move(files), input.desc.describe(), input.warnings});
    report_ = done.get_future();
}

InputReport Hashing::finish(const std::function<void()>& proceed) {
    while (proceed && report_.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) proceed();
    return report_.get();
}

}  // namespace parallax::engine
