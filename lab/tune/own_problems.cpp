#include "tune/own_problems.hpp"

#include "cases/inputs.hpp"
#include "cases/saved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parallax::engine::tune {

namespace fs = std::filesystem;

namespace {

/// A grid may have dozens of points of one class, and each check costs a comparison.
constexpr std::size_t most_checks = 4;

/// One step of one point.
struct Met {
    TuningProblem problem;
    std::uint64_t bytes = 0;   ///< of its largest input
};

/// A set with all that was found for it, to be sorted out at the end.
struct Group {
    ProblemSet set;
    std::vector<Met> found;
};

/// Variants of the last step that a case names; none where it leaves the choice to the engine.
std::vector<std::string> variants_of(const compare::Point& point, const compare::Case& one) {
    if (one.ways.empty()) return {};
    std::vector<std::string> names;
    for (const compare::Way& way : point.ways) {
        if (way.variant.empty()) return {};
        if (way.set.empty() && std::find(names.begin(), names.end(), way.variant) == names.end()) names.push_back(way.variant);
    }
    return names;
}

class Walk {
public:
    Walk(const OwnWork& work, Engine& judge, const fs::path& folder, const std::function<void(const std::string&)>& progress)
        : work_(work), judge_(judge), folder_(folder), progress_(progress) {}

    std::vector<ProblemSet> run() {
        for (std::size_t i = 0; i < work_.points.size(); ++i) walk(i);
        std::vector<ProblemSet> sets;
        for (Group& group : groups_) sets.push_back(sorted_out(std::move(group)));
        return sets;
    }

private:
    void say(const std::string& what) const {
        if (progress_) progress_(what);
    }

    bool keeps() const { return !folder_.empty(); }

    void walk(std::size_t index) {
        const compare::Point& point = work_.points[index];
        Session session(judge_);
        const auto& algorithms = judge_.registry().algorithms();
        const Pipeline pipeline = compare::pipeline_of(compare::job_of(point, {}, algorithms), algorithms);
        shapes_.clear();
        names_.clear();
        say("inputs of " + point.id);
        compare::HostArrays made;
        std::map<Source, DeviceArray> arrays;
        for (const auto& [name, spec] : point.inputs.items()) {
            made[name] = compare::make_input(name, spec, session, made, work_.where, point.settings);
            hold({std::nullopt, name}, made[name].desc, fmt::format("{}-{}", index, name));
            if (keeps()) compare::save_array(folder_, names_.at({std::nullopt, name}), made[name]);
        }
        std::set<Source> handed_on;
        for (const Step& step : pipeline.steps)
            for (const auto& [port, source] : step.inputs) handed_on.insert(source);
        for (std::size_t s = 0; s < pipeline.steps.size(); ++s) {
            const Step& step = pipeline.steps[s];
            note(step, point, s + 1 == pipeline.steps.size());
            Problem problem = problem_of(step);
            for (const auto& [port, desc] : step.algorithm->infer(problem))
                hold({s, port}, desc, fmt::format("{}-{}-{}", index, s, port));
            const bool is_used =
                std::any_of(handed_on.begin(), handed_on.end(), [s](const Source& source) { return source.step == s; });
            if (!keeps() || !is_used) continue;
            say("step " + step.id + " of " + point.id);
            Call call{step.id, step.algorithm, step.parameters, "", Json::object(), {}, step.outputs, step.pointer};
            for (const auto& [port, source] : step.inputs) {
                if (!arrays.count(source)) arrays.emplace(source, session.upload(made.at(source.port)));
                call.inputs.emplace(port, arrays.at(source));
            }
            const CallResult result = session.run(call);
            for (const auto& [port, array] : result.outputs) {
                arrays.emplace(Source{s, port}, array);
                if (handed_on.count({s, port})) compare::save_array(folder_, names_.at({s, port}), session.download(array));
            }
        }
    }

    void hold(const Source& source, const ArrayDesc& desc, std::string name) {
        shapes_.insert_or_assign(source, desc);
        names_.insert_or_assign(source, std::move(name));
    }

    Problem problem_of(const Step& step) const {
        Problem problem{{}, step.parameters, step.outputs};
        for (const auto& [port, source] : step.inputs) problem.inputs.emplace(port, shapes_.at(source));
        return problem;
    }

    void note(const Step& step, const compare::Point& point, bool is_last) {
        const Problem problem = problem_of(step);
        const WorkClass work = WorkClass::of(*step.algorithm, problem);
        Met found;
        found.problem.parameters = step.parameters.to_json();
        found.problem.outputs = step.outputs;
        const ArrayDesc* largest = nullptr;
        for (const auto& [port, source] : step.inputs) {
            found.problem.inputs[port] = {{"saved", to_utf8(folder_)}, {"name", names_.at(source)}};
            const ArrayDesc& desc = shapes_.at(source);
            if (largest == nullptr || desc.dense_bytes() > largest->dense_bytes()) largest = &desc;
        }
        found.bytes = largest != nullptr ? largest->dense_bytes() : 0;
        const bool is_job = work_.points.size() == 1;
        found.problem.name =
            fmt::format("{}{}{}", largest != nullptr ? largest->describe() + ", " : "", work_.name, is_job ? "" : " " + point.id);
        std::vector<std::string> variants;
        if (!step.variant.empty()) variants = {step.variant};
        else if (is_last) variants = variants_of(point, work_.study.cases[point.case_index]);
        const auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& g) {
            return g.set.algorithm == step.algorithm->name && g.set.work == work && g.set.variants == variants;
        });
        if (group != groups_.end()) group->found.push_back(std::move(found));
        else groups_.push_back({{step.algorithm->name, work, {}, {}, std::move(variants)}, {std::move(found)}});
    }

    /// Largest first, and of the others so many, from all over the range.
    static ProblemSet sorted_out(Group group) {
        std::stable_sort(group.found.begin(), group.found.end(),
                         [](const Met& a, const Met& b) { return a.bytes > b.bytes; });
        group.set.problem = std::move(group.found.front().problem);
        const std::size_t others = group.found.size() - 1, count = std::min(others, most_checks);
        for (std::size_t i = 0; i < count; ++i)
            group.set.checks.push_back(std::move(group.found[1 + (i + 1) * others / count - 1].problem));
        return std::move(group.set);
    }

    const OwnWork& work_;
    Engine& judge_;
    const fs::path& folder_;
    const std::function<void(const std::string&)>& progress_;
    std::map<Source, ArrayDesc> shapes_;
    std::map<Source, std::string> names_;   ///< under which arrays are kept
    std::vector<Group> groups_;
};

}  // namespace

std::vector<ProblemSet> problem_sets_of(const OwnWork& work, Engine& judge, const fs::path& folder,
                                        const std::function<void(const std::string&)>& progress) {
    return Walk(work, judge, folder, progress).run();
}

}  // namespace parallax::engine::tune
