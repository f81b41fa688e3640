// Reports of several machines -> one: NVIDIA, AMD and Intel cards rarely share a machine.
#include "report/report.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::compare {

namespace {

bool has_label(const Json& devices, const std::string& label) {
    return std::any_of(devices.begin(), devices.end(), [&](const Json& d) { return d["label"] == label; });
}

std::string on_machine(const std::string& label, int machine) { return fmt::format("{} (machine {})", label, machine); }

/// The number of a machine that comes to others, one for all of its devices: theirs are other machines.
int free_machine(const Json& coming, const Json& devices) {
    const auto is_taken = [&](int machine) {
        const std::string ending = on_machine("", machine);
        return std::any_of(devices.begin(), devices.end(),
                           [&](const Json& d) { return d["label"].get_ref<const std::string&>().ends_with(ending); }) ||
               std::any_of(coming.begin(), coming.end(),
                           [&](const Json& d) { return has_label(devices, on_machine(d["label"].get<std::string>(), machine)); });
    };
    int machine = 2;
    while (is_taken(machine)) ++machine;
    return machine;
}

/// What a newer report's study says of what is wanted, where the first one is silent.
void add_wishes(Json& study, const Json& of) {
    if (!study.contains("ranked_by") && of.contains("ranked_by")) study["ranked_by"] = of["ranked_by"];
    if (of.contains("prices")) {
        for (const auto& [name, price] : of["prices"].items()) {
            if (!study.contains("prices") || !study["prices"].contains(name)) study["prices"][name] = price;
        }
    }
    for (std::size_t i = 0; i < study["cases"].size(); ++i) {
        for (const char* key : {"frames", "frames_a_second"}) {
            if (!study["cases"][i].contains(key) && of["cases"][i].contains(key)) study["cases"][i][key] = of["cases"][i][key];
        }
    }
}

}  // namespace

Json cases_of(const Json& report) {
    Json cases = report["study"].value("cases", Json::array());
    for (Json& one : cases) {
        for (const char* key : {"frames", "frames_a_second"})
            one.erase(key);   // what is wanted, and what is counted, changes no time
        if (one.contains("work") && one["work"].is_object())
            for (const char* key : {"bytes", "operations"}) one["work"].erase(key);
    }
    return cases;
}

void check_same_study(const Json& earlier, const Json& later, const std::string& earlier_name, const std::string& later_name) {
    const auto title = [](const Json& report) { return report["study"].value("title", std::string()); };
    const auto refuse = [&](const std::string& what) {
        throw ConfigError("", fmt::format("{} and {}, {}", earlier_name, later_name, what), "reports of one study",
                          "parallax compare --replay runs the study of a report again");
    };
    if (earlier.value("quick", false) != later.value("quick", false))
        refuse("one of which was made with --quick, of other sizes");
    bool common = false;
    const Json before = cases_of(earlier), now = cases_of(later);
    for (const Json& one : before) {
        const auto other = std::find_if(now.begin(), now.end(), [&](const Json& c) { return c["id"] == one["id"]; });
        if (other == now.end()) continue;
        common = true;
        if (*other != one) refuse(fmt::format("in which the case \"{}\" is not the same", one["id"].get<std::string>()));
    }
    if (!common) refuse(fmt::format("which hold different studies (\"{}\", \"{}\")", title(earlier), title(later)));
}

Json merge(const std::vector<Json>& reports, const std::vector<std::string>& names) {
    Json merged = reports.front();
    for (std::size_t i = 1; i < reports.size(); ++i) {
        const Json& next = reports[i];
        if (cases_of(next) != cases_of(merged) || next.value("quick", false) != merged.value("quick", false)) {
            throw ConfigError(
                "",
                fmt::format("{} and {}, which hold different studies (\"{}\", \"{}\")", names.front(), names[i],
                            merged["study"].value("title", std::string()), next["study"].value("title", std::string())),
                "reports of one study", "run the same study file on each machine, with --quick on all or none");
        }
        add_wishes(merged["study"], next["study"]);
        const std::size_t devices = merged["devices"].size(), sessions = merged["sessions"].size();
        std::vector<std::pair<std::string, std::string>> renamed;
        const Json others = merged["devices"];
        const int machine = free_machine(next["devices"], others);
        const bool is_another = std::any_of(next["devices"].begin(), next["devices"].end(),
                                            [&](const Json& d) { return has_label(others, d["label"].get<std::string>()); });
        for (Json device : next["devices"]) {
            const std::string was = device["label"].get<std::string>();
            if (has_label(others, was)) device["label"] = on_machine(was, machine);
            if (is_another) device["machine"] = machine;
            renamed.emplace_back(was, device["label"].get<std::string>());
            merged["devices"].push_back(std::move(device));
        }
        for (Json session : next["sessions"]) {
            for (const char* key : {"rates", "probed", "problems"}) {   // by label
                Json by_label = Json::object();
                for (const auto& [was, now] : renamed) {
                    if (session.contains(key) && session[key].contains(was)) by_label[now] = session[key][was];
                }
                session[key] = std::move(by_label);
            }
            merged["sessions"].push_back(std::move(session));
        }
        for (Json row : next["rows"]) {
            row["device"] = row["device"].get<std::size_t>() + devices;
            row["session"] = row["session"].get<std::size_t>() + sessions;
            const std::string id = row["id"].get<std::string>();
            row["id"] = id.substr(0, id.rfind('@')) + "@" +
                        merged["devices"][row["device"].get<std::size_t>()]["label"].get<std::string>();
            merged["rows"].push_back(std::move(row));
        }
    }
    return derive(std::move(merged));
}

}  // namespace parallax::engine::compare
