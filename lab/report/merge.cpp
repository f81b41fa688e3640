// Reports of several machines -> one: NVIDIA, AMD and Intel cards rarely share a machine.
#include "report/report.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace parallax::engine::compare {

namespace {

bool has_label(const Json& devices, const std::string& label) {
    return std::any_of(devices.begin(), devices.end(), [&](const Json& d) { return d["label"] == label; });
}

std::string on_machine(const std::string& label, int machine) { return fmt::format("{} (machine {})", label, machine); }

/// Numbers for the machines that come to others, which are other machines: one for all devices of each.
class Numbers {
public:
    explicit Numbers(const Json& devices) {
        for (const Json& device : devices) taken_.insert(device.value("machine", 1));
    }
    int of(int machine) {
        const auto [known, fresh] = given_.try_emplace(machine, 0);
        if (fresh) {
            int& number = known->second;
            for (number = 2; !taken_.insert(number).second;) ++number;
        }
        return known->second;
    }

private:
    std::set<int> taken_;
    std::map<int, int> given_;
};

/// A label as its machine gave it.
std::string own_label(const Json& device) {
    const std::string label = device["label"], ending = on_machine("", device.value("machine", 1));
    return label.ends_with(ending) ? label.substr(0, label.size() - ending.size()) : label;
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
    if (reports.size() > 1) merged.erase(collected_key);   // whoever asks for one of several means it
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
        Numbers numbers(others);
        const bool is_another = std::any_of(next["devices"].begin(), next["devices"].end(),
                                            [&](const Json& d) { return has_label(others, own_label(d)); });
        for (Json device : next["devices"]) {
            const std::string was = device["label"].get<std::string>(), own = own_label(device);
            const int before = device.value("machine", 1);
            if (is_another || before > 1) {
                device["machine"] = numbers.of(before);
                device["label"] = has_label(merged["devices"], own) ? on_machine(own, device["machine"].get<int>()) : own;
            }
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
    if (merged["devices"].size() > most_devices)
        throw ConfigError("", fmt::format("{} devices in {} reports", merged["devices"].size(), reports.size()),
                          fmt::format("at most {} in one", most_devices), "make two of them");
    return derive(std::move(merged));
}

}  // namespace parallax::engine::compare
