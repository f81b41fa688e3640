// The folder of a study's report: what must not be there before, what lies there while the study runs, and what appears at its
// end.
//
//   journal.jsonl             locked by the study that is at work; removed when its report is there
//   .parallax-...-study       inputs, references and logs until then
//   report.json, .csv, .html  appear together with logs/, by one transaction
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compare/compare.hpp"
#include "compare/journal.hpp"
#include "compare/work_folder.hpp"

namespace parallax::engine::compare {

class StudyFolder {
public:
    /// `logs`: of its processes, by their names. Throws ConfigError ("--out", "--resume") where another study is at work or was
    /// interrupted, and where a file has a name that the study will need and may not replace.
    StudyFolder(const CompareOptions&, const Json& header, const std::vector<std::string>& logs);

    Journal& journal() noexcept { return journal_; }
    const std::filesystem::path& work() const noexcept { return work_->path(); }
    std::filesystem::path log(const std::string& name) const;

    /// The report of a study that was killed when all was in its place but for the removal of its journal.
    std::optional<Json> written() const;
    /// Puts the report in its place, and what goes along with it. Throws IoError; then no file has changed.
    void write(const Json& report);
    /// The study has its report.
    void finish(const Json& report);

private:
    bool is_made(const std::filesystem::path& name) const;
    bool is_complete() const;
    void check_free() const;

    const CompareOptions& options_;
    std::vector<std::filesystem::path> names_;   ///< of all that will appear, relative to the folder
    Journal journal_;
    Json made_;   ///< name -> hash of the files that an earlier run put in their places, or was about to
    bool replace_ = false;
    std::optional<WorkFolder> work_;
};

}   // namespace parallax::engine::compare
