#include "report/collection.hpp"

#include "io/io.hpp"
#include "io/known_files.hpp"
#include "io/transaction.hpp"
#include "job/files_of_run.hpp"
#include "job/input_folders.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "report/page.hpp"
#include "report/report.hpp"
#include "report/unread.hpp"
#include "support/text.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

/// Machines that ran the same study.
struct Group {
    std::string folder;
    std::vector<Json> reports;
    std::vector<std::string> names;
};

/// Of a title, which may be longer than the name of a file, and than a path may be.
std::string folder_name(const std::string& title) {
    constexpr std::size_t most = 100;
    std::string name;
    for (const char c : title) {
        if (host::is_letter(c) || host::is_digit(c))
            name += host::lower(c);
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    name.resize(std::min(name.size(), most));
    while (!name.empty() && name.back() == '_') name.pop_back();
    return name.empty() ? "study" : name;
}

std::vector<Group> groups_of(const std::vector<Collected>& all) {
    std::vector<Group> groups;
    std::vector<std::string> keys;
    for (const Collected& one : all) {
        const std::string key = cases_of(one.report).dump() + (one.report.value("quick", false) ? "quick" : "");
        const auto found = std::find(keys.begin(), keys.end(), key);
        const auto at = static_cast<std::size_t>(found - keys.begin());
        if (found == keys.end()) {
            const std::string wanted = folder_name(one.report["study"].value("title", std::string()));
            std::string folder = wanted;
            for (int n = 2; std::any_of(groups.begin(), groups.end(), [&](const Group& g) { return g.folder == folder; }); ++n)
                folder = fmt::format("{}_{}", wanted, n);
            keys.push_back(key);
            groups.push_back({folder, {}, {}});
        }
        groups[at].reports.push_back(one.report);
        groups[at].names.push_back(one.name);
    }
    return groups;
}

std::size_t timed_points(const Json& of, std::size_t device) {
    return static_cast<std::size_t>(std::count_if(of["points"].begin(), of["points"].end(),
                                                  [device](const Json& p) { return !p["rows"][device].is_null(); }));
}

/// Against which the others are told: the slowest over all of those that have most points.
std::size_t slowest_of(const Json& of) {
    std::size_t slow = 0;
    for (std::size_t d = 1; d < of["overall"].size(); ++d) {
        const std::size_t most = timed_points(of, slow), own = timed_points(of, d);
        const Json& against = of["overall"][slow][d];
        if (own > most || (own == most && !against.is_null() && against["ratio"] > 1)) slow = d;
    }
    return slow;
}

/// The devices of a study, the fastest first.
Json devices_of(const Json& merged, const Group& group) {
    const Json& of = merged["answer"]["spans"][merged["answer"]["by"].get<std::string>()];
    Json devices = Json::array();
    std::size_t d = 0;
    for (std::size_t machine = 0; machine < group.reports.size(); ++machine) {
        const Json& report = group.reports[machine];
        const Json session = report["sessions"].empty() ? Json::object() : report["sessions"].back();
        const Json environment = session.value("environment", Json::object());
        for (std::size_t own = 0; own < report["devices"].size(); ++own, ++d) {
            devices.push_back({{"label", merged["devices"][d]["label"]},
                               {"info", merged["devices"][d]["info"]},
                               {"machine", group.names[machine]},
                               {"started", session.value("started", Json())},
                               {"engine", environment.value("engine", Json())},
                               {"note", environment.value("note", Json())},
                               {"timed", timed_points(of, d)},
                               {"speed", of["overall"][d][slowest_of(of)]}});
        }
    }
    std::stable_sort(devices.begin(), devices.end(), [](const Json& a, const Json& b) {
        const auto ratio = [](const Json& one) { return one["speed"].is_null() ? 0.0 : one["speed"]["ratio"].get<double>(); };
        return ratio(a) > ratio(b);
    });
    return devices;
}

bool are_one(const fs::path& a, const fs::path& b) {
    std::error_code none;
    return fs::equivalent(a, b, none);
}

bool is_named_report(const fs::path& file) {
    const std::string name = to_utf8(file.filename());
    return name == "report.json" || name == "report.json.gz";
}

/// Whether results made it, of reports that count themselves.
bool is_collected(const Json& report) { return report.contains(collected_key); }

/// `known`: two of those that are given may lead to one file, whose machine would be there twice.
void find_reports(const fs::path& folder, const fs::path& pages, io::KnownFiles& known, std::vector<Collected>& found) {
    if (are_one(folder, pages))
        throw ConfigError("--out", fmt::format("{}, whose reports are read", to_utf8(folder)), "a folder of its own, which may lie in it",
                          "choose another --out: pages would be read as reports of machines the next time");
    std::vector<fs::path> files;
    InputFolders folders;
    folders.recover(folder);
    const fs::recursive_directory_iterator end;
    for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied); at != end; ++at) {
        const fs::directory_entry& entry = *at;
        std::error_code unknown;
        if (entry.is_directory(unknown) && are_one(entry.path(), pages)) {
            at.disable_recursion_pending();
            continue;
        }
        if (entry.is_directory(unknown)) folders.recover(entry.path());   // before it is listed
        const bool named = is_named_report(entry.path());
        if (named) folders.recover_of(entry.path());
        if (std::error_code error; named && entry.is_regular_file(error)) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        if (known.has(file)) continue;
        Json report = load_json(file);
        const fs::path name = file.parent_path().lexically_relative(folder);
        check_report(report, to_utf8(file));
        if (is_collected(report)) {
            host::warn_once(fmt::format("{} is left out: parallax results made it, of reports of machines", to_utf8(file)));
            continue;
        }
        known.add(file);
        found.push_back({name == "." ? to_utf8(file.parent_path().filename()) : to_utf8(name), file, std::move(report)});
    }
}

/// Advice on a file that may be one, such as compare --contribute wrote.
std::string called_otherwise(const std::vector<fs::path>& folders) {
    for (const fs::path& folder : folders) {
        for (const auto& entry : fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
            const std::string file = to_utf8(entry.path());
            if (is_named_report(entry.path())) continue;   // was left out
            if (std::error_code error; entry.is_regular_file(error) && (file.ends_with(".json") || file.ends_with(".json.gz")))
                return fmt::format("a report of another name is given by itself: parallax results {}", file);
        }
    }
    return {};
}

}  // namespace

std::vector<Collected> collect(const std::vector<fs::path>& where, const fs::path& pages) {
    std::vector<Collected> found;
    io::KnownFiles known;
    for (const fs::path& one : where) {
        if (fs::is_directory(one)) {
            find_reports(one, pages, known, found);
        } else if (!known.has(one)) {
            Json report = load_json(one);
            check_report(report, to_utf8(one));
            if (is_collected(report))
                throw ConfigError("", fmt::format("{}, which parallax results made, of reports of machines", to_utf8(one)), "those reports",
                                  "without them, parallax report puts it together with others, as one that counts");
            known.add(one);
            found.push_back({to_utf8(one), one, std::move(report)});
        }
    }
    if (found.empty())
        throw ConfigError("", "no report.json or report.json.gz", "a folder with reports below it, such as results",
                          called_otherwise(where));
    return found;
}

void write_collection(const std::vector<Collected>& all, const fs::path& folder, bool overwrite) {
    FilesOfRun read(
        [&](FilesOfRun& of) {
            for (const Collected& one : all) of.add(std::vector{OwnFile{one.file, "a report that is read"}});
        },
        false);
    const std::vector<Group> groups = groups_of(all);
    for (const Group& group : groups) check_unread(folder / path_from(group.folder), read);
    io::Transaction files(folder, {.overwrite = overwrite});
    Json index{{"studies", Json::array()}};
    for (const Group& group : groups) {
        Json merged = merge(group.reports, group.names);
        merged[collected_key] = group.reports.size();
        add_report(merged, folder / path_from(group.folder), files);
        index["studies"].push_back(
            {{"title", merged["study"].value("title", std::string())},
             {"about", merged["study"].value("about", std::string())},
             {"quick", merged.value("quick", false)},
             {"page", group.folder + "/report.html"},
             {"by", merged["answer"]["by"]},
             {"points", merged["answer"]["spans"][merged["answer"]["by"].get<std::string>()]["points"].size()},
             {"devices", devices_of(merged, group)}});
    }
    const std::string page = page_of("Results", {"quantities.js", "elements.js", "collection.js"}, index);
    files.add(folder / "index.html", [&](const fs::path& part) { io::write_text(part, page, false); });
    files.commit();
}

}  // namespace parallax::engine::compare
