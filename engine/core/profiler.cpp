#include "core/profiler.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace parallax::engine {

std::string_view to_string(StageKind kind) noexcept {
    switch (kind) {
        case StageKind::host: return "host";
        case StageKind::compile: return "compile";
        case StageKind::upload: return "upload";
        case StageKind::kernel: return "kernel";
        case StageKind::download: return "download";
    }
    return "unknown";
}

Json Stage::to_json() const {
    Json j{{"name", name}, {"kind", to_string(kind)}, {"seconds", seconds}, {"calls", calls}};
    if (!measured) j["measured"] = false;
    if (!children.empty()) {
        Json& list = j["children"] = Json::array();
        for (const Stage& child : children) list.push_back(child.to_json());
    }
    return j;
}

void Profiler::enter(std::string_view name) { path_.emplace_back(name); }
void Profiler::leave() { path_.pop_back(); }

void Profiler::add(std::string_view name, StageKind kind, host::Event event, int calls) {
    add(path_, name, kind, std::move(event), calls);
}

void Profiler::add(std::vector<std::string> path, std::string_view name, StageKind kind, host::Event event, int calls) {
    path.emplace_back(name);
    entries_.push_back({std::move(path), kind, std::move(event), 0.0, std::chrono::steady_clock::now(), calls});
}

void Profiler::add(std::string_view name, StageKind kind, double seconds) {
    std::vector<std::string> path = path_;
    path.emplace_back(name);
    entries_.push_back({std::move(path), kind, host::Event{}, seconds, std::chrono::steady_clock::now()});
}

namespace {

/// Where stages stand among their siblings, of which a job may have a hundred thousand.
class Places {
public:
    Places() = default;
    /// Of siblings that are there.
    explicit Places(const std::vector<Stage>& siblings) {
        for (std::size_t i = 0; i < siblings.size(); ++i) places_.try_emplace({0, siblings[i].kind, siblings[i].name}, i);
    }
    /// The one of that name, or a new one behind the others. `path`: of the siblings.
    std::size_t child_of(std::size_t path, std::vector<Stage>& siblings, const std::string& name, StageKind kind) {
        const auto [place, is_new] = places_.try_emplace({path, kind, name}, siblings.size());
        if (is_new) siblings.push_back({name, kind, 0, 0, true, {}});
        return place->second;
    }
    /// A number of what lies below a sibling.
    std::size_t path_of(std::size_t path, std::size_t sibling) {
        return paths_.try_emplace({path, sibling}, paths_.size() + 1).first->second;
    }

private:
    std::map<std::tuple<std::size_t, StageKind, std::string>, std::size_t> places_;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> paths_;
};

void sum_up(Stage& stage) {
    for (Stage& child : stage.children) {
        sum_up(child);
        stage.seconds += child.seconds;
        stage.measured = stage.measured && child.measured;
    }
}

}  // namespace

std::vector<Stage> Profiler::collect() {
    std::vector<Stage> roots;
    Places places;
    for (const Entry& entry : entries_) {
        std::vector<Stage>* level = &roots;
        std::size_t path = 0;
        for (std::size_t i = 0; i + 1 < entry.path.size(); ++i) {
            const std::size_t at = places.child_of(path, *level, entry.path[i], entry.kind);
            Stage& group = (*level)[at];
            group.calls = std::max(group.calls, 1);
            level = &group.children;
            path = places.path_of(path, at);
        }
        Stage& leaf = (*level)[places.child_of(path, *level, entry.path.back(), entry.kind)];
        leaf.calls += entry.calls;
        if (!entry.event) {
            leaf.seconds += entry.seconds;
        } else if (const auto times = entry.event.times()) {
            leaf.seconds += times->seconds();
        } else {
            leaf.measured = false;
        }
    }
    for (Stage& root : roots) sum_up(root);
    return roots;
}

void merge(std::vector<Stage>& into, const std::vector<Stage>& more) {
    Places places(into);
    for (const Stage& stage : more) {
        Stage& same = into[places.child_of(0, into, stage.name, stage.kind)];
        same.seconds += stage.seconds;
        same.calls += stage.calls;
        same.measured = same.measured && stage.measured;
        merge(same.children, stage.children);
    }
}

void Profiler::clear() { entries_.clear(); }

}  // namespace parallax::engine
