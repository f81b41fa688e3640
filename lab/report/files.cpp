// report.json, report.csv and report.html, all from the report alone.
#include <fmt/format.h>

#include <algorithm>

#include "io/io.hpp"
#include "io/transaction.hpp"
#include "job/paths.hpp"
#include "report/page.hpp"
#include "report/report.hpp"
#include "timing/statistics.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

/// What the page shows, without samples: those stay in report.json.
Json shown(const Json& report) {
    Json page = report;
    for (Json& row : page["rows"]) {
        for (const char* key : {"samples", "kernels", "hashes"}) row.erase(key);
    }
    return page;
}

void write_csv(const Json& report, const fs::path& path, bool overwrite) {
    std::vector<std::string> axes, metrics;
    const auto note = [](std::vector<std::string>& names, const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    };
    for (const Json& row : report["rows"]) {
        for (const auto& [axis, value] : row["grid"].items()) note(axes, axis);
        for (const auto& [name, value] : row["metrics"].items()) note(metrics, name);
    }
    std::vector<std::string> header{"case"};
    header.insert(header.end(), axes.begin(), axes.end());
    for (const char* name : {"variant", "ran", "policy", "policy_from", "device", "backend", "outcome", "reason", "max_error",
                             "relative_error", "device_low_ms", "device_high_ms"})
        header.push_back(name);
    const bool few = std::any_of(report["rows"].begin(), report["rows"].end(), [](const Json& row) {
        return row["times"].contains("device") && row["times"]["device"].contains("confidence");
    });
    if (few) header.emplace_back("device_confidence");
    header.insert(header.end(), metrics.begin(), metrics.end());
    std::vector<std::vector<Json>> rows;
    for (const Json& row : report["rows"]) {
        const Json& device = report["devices"][row["device"].get<std::size_t>()];
        const Json agreement = row.value("agreement", Json::object());
        const Json policy = row.contains("policy") && !row["policy"].empty() ? Json(row["policy"].dump()) : Json();
        std::vector<Json> cells{row["case"]};
        for (const std::string& axis : axes) cells.push_back(row["grid"].value(axis, Json()));
        for (const Json& cell : {row["way"], row.value("variant", Json()), policy, row.value("policy_from", Json()),
                                 device["label"], device["info"]["backend"], row["outcome"], row.value("reason", Json()),
                                 agreement.value("max_error", Json()), agreement.value("relative", Json())})
            cells.push_back(cell);
        for (const char* end : {"low", "high"})
            cells.push_back(row["times"].contains("device") ? Json(row["times"]["device"][end].get<double>() * 1e3) : Json());
        if (few)
            cells.push_back(row["times"].contains("device") ? Json(row["times"]["device"].value("confidence", usual_confidence))
                                                            : Json());
        for (const std::string& metric : metrics) cells.push_back(row["metrics"].value(metric, Json()));
        rows.push_back(std::move(cells));
    }
    io::write_csv(path, header, rows, overwrite);
}

}  // namespace

std::string html_of(const Json& report) {
    return page_of(report["study"].value("title", std::string("Comparison")),
                   {"data.js", "quantities.js", "elements.js", "charts.js", "items.js", "answer.js", "accuracy.js", "roofline.js",
                    "energy.js", "rows.js", "page.js"},
                   shown(report));
}

std::vector<fs::path> report_names() { return {"report.json", "report.csv", "report.html"}; }

void add_report(const Json& report, const fs::path& folder, io::Transaction& files) {
    files.add(folder / "report.json", [&](const fs::path& part) { io::write_json(part, report, false); });
    files.add(folder / "report.csv", [&](const fs::path& part) { write_csv(report, part, false); });
    files.add(folder / "report.html", [&](const fs::path& part) { io::write_text(part, html_of(report), false); });
}

void write_report(const Json& report, const fs::path& folder, bool overwrite) {
    io::Transaction files(folder, {.overwrite = overwrite});
    add_report(report, folder, files);
    files.commit();
}

}  // namespace parallax::engine::compare
