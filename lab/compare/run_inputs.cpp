// What lies on the disk while a point is measured: its inputs, and what the reference made of them.
#include <fmt/format.h>

#include <algorithm>

#include "cases/inputs.hpp"
#include "compare/running.hpp"
#include "job/paths.hpp"

namespace parallax::engine::compare {

Json Run::files_now(const Point& point) {
    return inputs_read_.of(point.inputs, with_our_images(options_.where, point.inputs, folder_.work()));
}

std::optional<Missing> Run::make_inputs(const Point& point, const fs::path& folder) {
    const auto changed = [](const char* since) {
        return Missing{"failed", fmt::format("files that it reads have changed {}", since)};
    };
    const Json files = files_now(point);
    if (const auto [at, fresh] = files_.try_emplace(&point, files); !fresh && at->second != files)
        return changed("since other rows of it were measured: --overwrite measures all of them again");
    auto missing = make_inputs_of(point, folder);
    if (files_now(point) == files) return missing;
    files_[&point] = "";   // nobody knows which of them was read
    return changed("while they were read");
}

std::optional<Missing> Run::make_inputs_of(const Point& point, const fs::path& folder) {
    const Locations where = with_our_images(options_.where, point.inputs, folder_.work());
    for (const auto& [name, spec] : point.inputs.items()) {
        if (const std::string why = missing_file(name, spec, where); !why.empty()) return Missing{"refused", why};
    }
    fs::create_directories(folder);
    Json roots = Json::object();
    for (const auto& [name, root] : where.roots) roots[name] = to_utf8(fs::absolute(root));
    const Json request{{"do", "make"},
                       {"inputs", point.inputs},
                       {"settings", point.settings},
                       {"folder", to_utf8(folder)},
                       {"base", to_utf8(fs::absolute(where.job_folder))},
                       {"roots", std::move(roots)}};
    // Algorithms are faster on a device; where that fails, the host makes them.
    for (std::size_t d = 0; d < devices_.size(); ++d) {
        if (devices_[d].info.backend == host::Backend::native || workers_[d]->given_up()) continue;
        try {
            const Json made = workers_[d]->ask(request, budget_.limit_s(study_.sampling.limit_s));
            if (!made.contains("error")) return std::nullopt;
        } catch (const WorkerLost& lost) {
            if (!budget_.limited() || lost.outcome != "hung") continue;
            workers_[d]->excuse();
            return late(point, "inputs", lost.what());
        }
    }
    const Json made = ask_oracle(request);
    if (!made.contains("error")) return std::nullopt;
    const std::string why = made["error"].value("message", std::string());
    if (budget_.limited() && made["error"].value("kind", std::string()) == "lost") return late(point, "inputs", why);
    return Missing{"failed", "its inputs could not be made: " + why};
}

Missing Run::late(const Point& point, const std::string& what, const std::string& why) {
    if (last_chance_) budget_.leave_out(point.id, fmt::format("whose {} did not end in its share of the time", what));
    return {"left out", why};
}

std::optional<Missing> Run::make_reference(const Point& point, const fs::path& folder) {
    const Case& c = study_.cases[point.case_index];
    reference_seconds_ = 0;
    reference_ = c.reference.value_or("");
    if (!c.reference) return std::nullopt;
    const fs::path to = folder / "reference";
    fs::create_directories(to);
    Json made{{"error", Json::object()}};
    for (const std::string& variant : references_for(c, point, folder)) {
        reference_ = variant;
        Way way = reference_way(c);
        way.variant = variant;
        Json job = job_of(point, way, algorithms_);
        for (const char* key : {"memory_limit", "step_timeout_s"}) job.erase(key);   // what is compared has them, and not the oracle
        Json request = job_request("reference", job, folder);
        request["folder"] = to_utf8(to);
        made = ask_oracle(request);
        if (!made.contains("error") || made["error"].value("kind", std::string()) == "lost") break;
    }
    if (made.contains("error")) {
        const std::string why = made["error"].value("message", std::string());
        if (budget_.limited() && made["error"].value("kind", std::string()) == "lost") return late(point, "reference", why);
        return Missing{"no reference", why};
    }
    reference_seconds_ = made.value("seconds", 0.0);
    return std::nullopt;
}

std::vector<std::string> Run::references_for(const Case& c, const Point& point, const fs::path& folder) const {
    constexpr std::uintmax_t large = std::uintmax_t{4} << 20;
    std::vector<std::string> variants{*c.reference};
    std::uintmax_t bytes = 0;
    for (const auto& file : fs::directory_iterator(folder / "inputs")) bytes += file.file_size();
    Way threaded = reference_way(c);
    threaded.variant = "threaded";
    if (!c.reference_stated && bytes > large && has_variant(point, threaded.variant) &&
        runs_on(point, threaded, host::Backend::native, algorithms_))
        variants.insert(variants.begin(), threaded.variant);
    return variants;
}

bool Run::has_variant(const Point& point, const std::string& name) const {
    const std::string run = point.steps.back().value("run", std::string());
    return std::any_of(algorithms_.begin(), algorithms_.end(),
                       [&](const Algorithm& a) { return a.name == run && a.variant(name) != nullptr; });
}

fs::path Run::folder_of(const Point& point) const {
    return fs::absolute(folder_.work() / std::to_string(static_cast<std::size_t>(&point - points_.data())));
}

void Run::tidy(const Point& point, int round) {
    bool again = !again_.empty() && again_.back() == &point;   // rows that did not fit
    for (const Way& way : point.ways)
        for (std::size_t d = 0; d < devices_.size() && round + 1 < processes(); ++d) {
            const auto at = done_.find(row_id(point, way, d));
            again = again || (at != done_.end() && lacks(rows_[at->second], processes() - 1));
        }
    std::error_code ignored;
    fs::remove_all(again ? folder_of(point) / "reference" : folder_of(point), ignored);
    if (!again) inputs_made_.erase(current_);
}

}  // namespace parallax::engine::compare
