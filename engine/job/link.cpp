#include "job/link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parallax::engine {

namespace {

struct Candidate {
    Candidate(Source m, std::string p, bool n) : maker(std::move(m)), pointer(std::move(p)), named(n) {}
    Source maker;
    std::string pointer;
    bool named;      // by "inputs" or by an "out", not just by the name of its port
};
using Candidates = std::map<std::string, std::vector<Candidate>>;

std::string title(const Job& job, const Source& maker) {
    return maker.step ? fmt::format("step \"{}\"", job.steps[*maker.step].id) : std::string("the job's inputs");
}

Candidates all_candidates(const Job& job) {
    Candidates all;
    for (const InputSpec& input : job.inputs) all[input.name].emplace_back(Source{{}, input.name}, input.pointer, true);
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        const StepSpec& step = job.steps[i];
        for (const Port& port : step.algorithm->outputs) {
            const auto named = step.out.find(port.name);
            const std::string& name = named == step.out.end() ? port.name : named->second;
            std::vector<Candidate>& others = all[name];
            if (named != step.out.end()) {
                for (const Candidate& other : others) {
                    if (!other.named) continue;
                    throw ConfigError(pointer_to(step.pointer + "/out", port.name), fmt::format("the name \"{}\"", name),
                                      "a name of its own", fmt::format("{} has an array of that name", title(job, other.maker)));
                }
            }
            others.emplace_back(Source{i, port.name}, step.pointer, named != step.out.end());
        }
    }
    return all;
}

/// Every name that something before step `end` makes.
std::vector<std::string> names_before(const Candidates& all, std::size_t end) {
    std::vector<std::string> names;
    for (const auto& [name, candidates] : all) {
        if (std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) { return !c.maker.step || *c.maker.step < end; })) {
            names.push_back(name);
        }
    }
    return names;
}

[[noreturn]] void refuse_ambiguous(const Job& job, const std::string& name, const std::vector<Candidate>& makers, const std::string& pointer) {
    std::vector<std::string> titles;
    for (const Candidate& c : makers) titles.push_back(title(job, c.maker));
    throw ConfigError(pointer, fmt::format("the name \"{}\", which {} make", name, fmt::join(titles, " and ")), "the name of one array",
                      fmt::format("give one of them another name, for instance \"out\": {{\"{}\": \"{}_2\"}}", makers.back().maker.port, name));
}

/// What a step finds under a name; nothing if no earlier step or input makes it.
std::optional<Source> find_before(const Job& job, const Candidates& all, const std::string& name, std::size_t step, const std::string& pointer) {
    const auto found = all.find(name);
    if (found == all.end()) return std::nullopt;
    std::vector<Candidate> earlier;
    for (const Candidate& c : found->second) {
        if (!c.maker.step || *c.maker.step < step) earlier.push_back(c);
    }
    if (earlier.empty()) return std::nullopt;
    if (earlier.size() > 1) refuse_ambiguous(job, name, earlier, pointer);
    return earlier.front().maker;
}

[[noreturn]] void refuse_unknown(const Job& job, const Candidates& all, const std::string& name, std::size_t step, const std::string& pointer) {
    const auto found = all.find(name);
    if (found != all.end()) {   // made too late
        const Source& maker = found->second.front().maker;
        const bool itself = *maker.step == step;
        throw ConfigError(pointer, fmt::format("\"{}\", which {} makes", name, itself ? "this step itself" : title(job, maker)),
                          "an input of the job or an output of an earlier step",
                          itself ? "a step cannot wait for itself" : fmt::format("move step \"{}\" to the front", job.steps[*maker.step].id));
    }
    const std::vector<std::string> known = names_before(all, step);
    throw ConfigError(pointer, fmt::format("the unknown array \"{}\"", name),
                      known.empty() ? std::string("an input of the job, and it has none") : fmt::format("one of {}", fmt::join(known, ", ")),
                      did_you_mean(name, known));
}

void check_is_array(const Job& job, const Source& maker, const std::string& name, const std::string& pointer) {
    if (!maker.step) return;
    const Port* port = job.steps[*maker.step].algorithm->output(maker.port);
    if (port->kind != PortKind::array) throw ConfigError(pointer, fmt::format("\"{}\", which is a {}", name, to_string(port->kind)), "the name of an array");
}

void link_inputs(Job& job, const Candidates& all, std::size_t index, std::set<Source>& used) {
    StepSpec& step = job.steps[index];
    for (const Port& port : step.algorithm->inputs) {
        const auto given = step.in.find(port.name);
        if (given != step.in.end() && !given->second) continue;
        const bool explicitly = given != step.in.end();
        const std::string name = explicitly ? *given->second : port.name;
        const std::string pointer = explicitly ? pointer_to(step.pointer + "/in", port.name) : step.pointer + "/in";
        const std::optional<Source> maker = find_before(job, all, name, index, pointer);
        if (!maker && explicitly) refuse_unknown(job, all, name, index, pointer);
        if (!maker && port.required) {
            if (const auto later = all.find(name); later != all.end() && *later->second.front().maker.step != index) {
                refuse_unknown(job, all, name, index, pointer);
            }
            const std::vector<std::string> known = names_before(all, index);
            throw ConfigError(pointer, fmt::format("no array \"{}\" for the input of that name", port.name),
                              known.empty() ? std::string("an input of the job")
                                            : fmt::format("an array of that name, or \"in\": {{\"{}\": one of {}}}", port.name, fmt::join(known, ", ")),
                              did_you_mean(port.name, known));
        }
        if (!maker) continue;
        check_is_array(job, *maker, name, pointer);
        step.inputs[port.name] = *maker;
        used.insert(*maker);
    }
}

void link_output(Job& job, const Candidates& all, OutputSpec& output) {
    const auto makers_of = [&](const std::vector<Candidate>& candidates) {
        std::vector<Candidate> makers;
        std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(makers), [](const Candidate& c) { return c.maker.step.has_value(); });
        if (makers.empty() && !output.combine.empty()) return candidates;   // the mean of the frames themselves
        return makers;
    };
    const auto found = all.find(output.of);
    const std::vector<Candidate> makers = found == all.end() ? std::vector<Candidate>() : makers_of(found->second);
    if (makers.empty()) {
        std::vector<std::string> known;
        for (const auto& [name, candidates] : all) {
            if (!makers_of(candidates).empty()) known.push_back(name);
        }
        throw ConfigError(output.pointer, fmt::format("\"{}\", which no step makes", output.of), fmt::format("one of {}", fmt::join(known, ", ")),
                          did_you_mean(output.of, known));
    }
    if (makers.size() > 1) refuse_ambiguous(job, output.of, makers, output.pointer);
    output.source = makers.front().maker;
    if (!output.source.step) return;
    const Port* port = job.steps[*output.source.step].algorithm->output(output.source.port);
    if (port->kind != PortKind::array && !output.combine.empty()) {
        throw ConfigError(output.pointer, fmt::format("\"combine\" for the {} \"{}\"", to_string(port->kind), output.of), R"({"table": path}: a row for each item)");
    }
    const bool drawing = port->kind == PortKind::drawing;
    if (drawing && output.form != OutputForm::svg) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the drawing \"{}\"", output.file, output.of), "an .svg file");
    }
    if (!drawing && output.form == OutputForm::svg) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for \"{}\"", output.file, output.of), "another format: .svg is for drawings");
    }
    if (port->kind == PortKind::record && output.form == OutputForm::array) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the record \"{}\"", output.file, output.name), "a .json or .csv file");
    }
    if (port->kind == PortKind::array && output.form != OutputForm::array) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the array \"{}\"", output.file, output.name),
                          "a .png, .tif, .npy, .nii or .nii.gz file");
    }
}

}  // namespace

void link(Job& job) {
    const Candidates all = all_candidates(job);
    std::set<Source> used;
    for (std::size_t i = 0; i < job.steps.size(); ++i) link_inputs(job, all, i, used);
    for (OutputSpec& output : job.outputs) {
        link_output(job, all, output);
        used.insert(output.source);
    }

    for (const InputSpec& input : job.inputs) {
        if (used.count(Source{std::nullopt, input.name})) continue;
        std::vector<std::string> ports;
        for (const StepSpec& step : job.steps) {
            for (const Port& port : step.algorithm->inputs) ports.push_back(port.name);
        }
        throw ConfigError(input.pointer, fmt::format("the input \"{}\", which no step uses", input.name),
                          ports.empty() ? std::string("no inputs") : fmt::format("one of {}, or a step that takes it by \"in\"", fmt::join(ports, ", ")),
                          did_you_mean(input.name, ports));
    }
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        StepSpec& step = job.steps[i];
        for (const Port& port : step.algorithm->outputs) {
            if (used.count(Source{i, port.name})) {
                step.outputs.push_back(port.name);
            } else if (step.out.count(port.name)) {
                throw ConfigError(pointer_to(step.pointer + "/out", port.name), fmt::format("the array \"{}\", which nothing uses", job.name_of({i, port.name})),
                                  "an array that a later step or an output uses");
            }
        }
        if (step.outputs.empty()) {
            std::vector<std::string> names;
            for (const Port& port : step.algorithm->outputs) names.push_back(job.name_of({i, port.name}));
            throw ConfigError(step.pointer, fmt::format("step \"{}\", whose outputs nothing uses", step.id),
                              fmt::format("an output or a later step that uses one of {}", fmt::join(names, ", ")));
        }
    }
}

const std::string& Job::name_of(const Source& source) const {
    if (!source.step) return source.port;
    const auto& out = steps[*source.step].out;
    const auto named = out.find(source.port);
    return named == out.end() ? source.port : named->second;
}

}  // namespace parallax::engine
