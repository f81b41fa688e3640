#include "core/profiler.hpp"

#include <algorithm>
#include <functional>

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

Stage& child_of(std::vector<Stage>& siblings, const std::string& name, StageKind kind) {
    const auto found = std::find_if(siblings.begin(), siblings.end(),
                                    [&](const Stage& s) { return s.name == name && s.kind == kind; });
    if (found != siblings.end()) return *found;
    siblings.push_back({name, kind, 0, 0, true, {}});
    return siblings.back();
}

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
    for (const Entry& entry : entries_) {
        std::vector<Stage>* level = &roots;
        for (std::size_t i = 0; i + 1 < entry.path.size(); ++i) {
            Stage& group = child_of(*level, entry.path[i], entry.kind);
            group.calls = std::max(group.calls, 1);
            level = &group.children;
        }
        Stage& leaf = child_of(*level, entry.path.back(), entry.kind);
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
    for (const Stage& stage : more) {
        Stage& same = child_of(into, stage.name, stage.kind);
        same.seconds += stage.seconds;
        same.calls += stage.calls;
        same.measured = same.measured && stage.measured;
        merge(same.children, stage.children);
    }
}

void Profiler::clear() { entries_.clear(); }

}  // namespace parallax::engine
