// A study from its beginning to its report.
#include <fmt/format.h>

#include <algorithm>

#include "compare/running.hpp"
#include "job/report.hpp"
#include "report/report.hpp"
#include "support/warnings.hpp"

namespace parallax::engine::compare {

namespace {

/// The names of a study's processes: one a device, and the reference's.
std::vector<std::string> processes_of(const std::vector<StudyDevice>& devices) {
    std::vector<std::string> names{reference_process};
    for (std::size_t d = 0; d < devices.size(); ++d) names.push_back(device_process(d));
    return names;
}

}  // namespace

std::string device_process(std::size_t device) { return fmt::format("device-{}", device); }

Run::Run(const Study& study, const std::vector<Point>& points, const std::vector<StudyDevice>& devices,
         const std::vector<Algorithm>& algorithms, const CompareOptions& options)
    : study_(study),
      points_(points),
      devices_(devices),
      algorithms_(algorithms),
      options_(options),
      budget_(options.minutes, options.began),
      room_(room_of_rows(count_rows(), devices.size(), study)),
      sampling_(study.sampling),
      folder_(options, header(), processes_of(devices)) {
    take_up();
}

/// Its rows as those of a report: a hash keeps damage out, and not whoever writes one.
void Run::check_journal() {
    Json devices = Json::array(), sessions = Json::array(), rows = Json::array();
    for (const StudyDevice& device : devices_)
        devices.push_back({{"label", device.label}, {"info", engine::to_json(device.info)}});
    for (const Json& entry : folder_.journal().earlier()) {
        if (entry.contains("session")) sessions.push_back(entry["session"]);
        if (entry.contains("row")) rows.push_back(entry["row"]);
    }
    if (sessions.empty() && rows.empty()) return;
    try {
        check_report({{"parallax_comparison", 1},
                      {"study", {{"cases", Json::array()}}},
                      {"devices", std::move(devices)},
                      {"sessions", std::move(sessions)},
                      {"rows", std::move(rows)}},
                     "it");
    } catch (const ConfigError& error) {
        throw ConfigError("--resume",
                          fmt::format("{}, in which {} is {}", to_utf8(options_.out / "journal.jsonl"), error.pointer, error.found),
                          error.expected, "--overwrite to begin anew");
    }
}

void Run::take_up() {
    std::map<std::string, const Point*> points;
    for (const Point& point : points_)
        for (const Way& way : point.ways)
            for (std::size_t d = 0; d < devices_.size(); ++d) points[row_id(point, way, d)] = &point;
    std::map<const Point*, Json> now;
    std::set<std::string> changed;
    check_journal();
    for (const Json& entry : folder_.journal().earlier()) {
        if (entry.contains("session")) sessions_.push_back(entry["session"]);
        if (!entry.contains("row")) continue;
        const std::string id = entry["row"]["id"].get<std::string>();
        if (const auto at = points.find(id); entry.contains("files") && at != points.end()) {
            const auto [files, fresh] = now.try_emplace(at->second);
            if (fresh) files->second = files_now(*at->second);
            if (files->second != entry["files"]) {
                changed.insert(id);
                continue;
            }
            files_[at->second] = files->second;
        }
        place(entry["row"]);
    }
    if (!changed.empty())
        host::warn_once(fmt::format("{} row{} of the study in {} {} measured again: files that {} computed from have changed since",
                                    changed.size(), changed.size() == 1 ? "" : "s", to_utf8(options_.out),
                                    changed.size() == 1 ? "is" : "are", changed.size() == 1 ? "it was" : "they were"));
}

Json Run::run() {
    if (std::optional<Json> report = folder_.written()) {
        folder_.finish(*report);
        return *std::move(report);
    }
    total_ = count_rows();
    if (done_.size() < total_ || rows_lack_rounds()) {
        try {
            start_workers();
            run_points();
            repeat_points();
        } catch (const CancelledError&) {   // asked between requests, or by a worker that was ended while it was at work
            throw CancelledError("stopped on request; --resume goes on with what is left");
        }
    }
    Json devices = Json::array();
    for (const StudyDevice& device : devices_)
        devices.push_back({{"label", device.label}, {"info", engine::to_json(device.info)}});
    Json report = assemble(study_, std::move(devices), sessions_, in_order());
    oracle_.reset();
    workers_.clear();   // they have said all that is in their logs
    folder_.write(report);
    return report;
}

Json Run::header() const {
    Json labels = Json::array();
    for (const StudyDevice& device : devices_) labels.push_back({device.label, device.info.driver});
    return {{"parallax_journal", 1},
            {"engine", PARALLAX_VERSION},
            {"study", study_.written},
            {"quick", study_.quick},
            {"devices", std::move(labels)}};
}

std::string Run::row_id(const Point& point, const Way& way, std::size_t device) const {
    return fmt::format("{}/{}@{}", point.id, way_of(way, device), devices_[device].label);
}

bool Run::has_row(const Point& point, const Way& way, std::size_t device) const {
    if (is_program(device)) return &way == point.ways.data();
    return runs_on(point, way, devices_[device].info.backend, algorithms_);
}

std::size_t Run::count_rows() const {
    std::size_t count = 0;
    for (const Point& point : points_)
        for (const Way& way : point.ways)
            for (std::size_t d = 0; d < devices_.size(); ++d) count += has_row(point, way, d);
    return count;
}

std::vector<Json> Run::in_order() const {
    std::vector<Json> rows;
    for (const Point& point : points_)
        for (const Way& way : point.ways)
            for (std::size_t d = 0; d < devices_.size(); ++d)
                if (const auto at = done_.find(row_id(point, way, d)); at != done_.end()) rows.push_back(rows_[at->second]);
    return rows.size() == rows_.size() ? rows : rows_;   // a journal may have rows that the study no longer has
}

void Run::check_cancelled() const {
    if (options_.cancelled && options_.cancelled()) throw CancelledError("stopped on request");
}

void Run::say(const std::string& what) const {
    if (!options_.progress) return;
    const auto whole = static_cast<double>(total_ * static_cast<std::size_t>(processes()));
    options_.progress(what, whole == 0 ? 0.0 : static_cast<double>(done_.size() + repeated_) / whole);
}

void Run::place(Json row) {
    const auto [at, fresh] = done_.emplace(row["id"].get<std::string>(), rows_.size());
    if (fresh)
        rows_.push_back(std::move(row));
    else
        rows_[at->second] = std::move(row);
}

void Run::keep(Json row, const Point& point) {
    Json entry{{"row", row}};
    if (const auto files = files_.find(&point); files != files_.end() && !files->second.is_null()) entry["files"] = files->second;
    folder_.journal().append(entry);
    place(std::move(row));
}

Json run(const Study& study, const std::vector<Point>& points, const std::vector<StudyDevice>& devices,
         const std::vector<Algorithm>& algorithms, const CompareOptions& options) {
    return Run(study, points, devices, algorithms, options).run();
}

}  // namespace parallax::engine::compare
