// What was done, with all that is needed to do it again.
#pragma once

#include "core/session.hpp"
#include "exec/step_report.hpp"
#include "job/job.hpp"
#include "support/file_identity.hpp"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace parallax::io {
class Transaction;
}

namespace parallax::engine {

struct FileReport {
    std::string path;            ///< absolute
    std::uint64_t bytes = 0;
    std::string hash;            ///< xxh3-128
    std::string format;
    std::optional<host::FileIdentity> identity;   ///< of the file that the hash is of
    std::optional<io::Stretch> hashed{};          ///< what the hash is of, where that is not the whole file
    bool certain = false;        ///< its time is such that a change since would have given it another
};
struct InputReport {
    std::string name;
    std::vector<FileReport> files;
    std::string array;           ///< "u8 480 x 640 (y, x)"
    std::vector<std::string> warnings;
};
struct OutputReport {
    std::string name;
    FileReport file;
    std::string array;           ///< empty: a record
    std::vector<std::string> warnings{};   ///< what of it could not be written as it was
    std::vector<std::string> left_out{};   ///< a table: lists of the record that it has no columns for
};

struct JobResult {
    std::string engine_version;
    std::string finished;        ///< UTC, ISO 8601
    Json job;                    ///< with every default spelled out
    host::DeviceInfo device;
    std::vector<InputReport> inputs;
    std::vector<StepReport> steps;
    std::vector<OutputReport> outputs;
    Json records = Json::object();   ///< that the job wrote, by name
    std::vector<Stage> stages;
    std::string retried;         ///< what failed before the run that is told here; empty: nothing did
    double wall_seconds = 0;
    std::uint64_t peak_device_bytes = 0;
    /// That the data gave cause for, with the input, step or output; others were known before.
    std::vector<std::string> warnings;
    Json ranks = Json::array();  ///< who did what of a job that several devices shared; empty: one did it all
};

/// Size and hash of a file that is there, or of a part of it. `hash`: of all of it, where it is known already.
FileReport report_file(const std::filesystem::path&, std::string format = {}, const std::stop_token& = {},
                       std::optional<io::Stretch> part = {}, std::string hash = {});
/// The same of a file that has been looked at; `through`: where it is opened.
FileReport report_file(const std::filesystem::path&, const std::filesystem::path& through, const io::FileInfo&, const std::stop_token&,
                       std::string hash = {});
/// "2026-01-31T23:59:59Z".
std::string utc_now();

/// Called once, when all outputs are written and none is in its place yet, with the report: files that it adds appear together
/// with the outputs, and what it throws ends the run without any.
using Along = std::function<void(const Json& report, io::Transaction&)>;

Json to_json(const FileReport&);
Json to_json(const JobResult&);
Json to_json(const host::DeviceInfo&);

}  // namespace parallax::engine
