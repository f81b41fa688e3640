#include "job/resolve_names.hpp"

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
            const auto named = step.names.find(port.name);
            const std::string& name = named == step.names.end() ? port.name : named->second;
            std::vector<Candidate>& others = all[name];
            if (named != step.names.end()) {
                for (const Candidate& other : others) {
                    if (!other.named) continue;
                    throw ConfigError(
                        pointer_to(step.pointer + "/out", port.name), fmt::format("the name \"{}\"", name), "a name of its own",
                        fmt::format("{} {} an array of that name", title(job, other.maker), other.maker.step ? "has" : "have"));
                }
            }
            others.emplace_back(Source{i, port.name}, step.pointer, named != step.names.end());
        }
    }
    return all;
}

/// Every name that something before step `end` makes.
std::vector<std::string> names_before(const Candidates& all, std::size_t end) {
    std::vector<std::string> names;
    for (const auto& [name, candidates] : all) {
        if (std::any_of(candidates.begin(), candidates.end(),
                        [&](const Candidate& c) { return !c.maker.step || *c.maker.step < end; })) {
            names.push_back(name);
        }
    }
    return names;
}

[[noreturn]] void refuse_ambiguous(const Job& job, const std::string& name, const std::vector<Candidate>& makers,
                                   const std::string& pointer) {
    std::vector<std::string> titles;
    for (const Candidate& c : makers) titles.push_back(title(job, c.maker));
    throw ConfigError(
        pointer, fmt::format("the name \"{}\", which {} make", name, fmt::join(titles, " and ")), "the name of one array",
        fmt::format("give one of them another name, for instance \"out\": {{\"{}\": \"{}_2\"}}", makers.back().maker.port, name));
}

/// What a step finds under a name; nothing if no earlier step or input makes it.
std::optional<Source> find_before(const Job& job, const Candidates& all, const std::string& name, std::size_t step,
                                  const std::string& pointer) {
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

std::string one_of(const std::vector<std::string>& names) {
    return names.size() == 1 ? fmt::format("\"{}\"", names.front()) : fmt::format("one of {}", fmt::join(names, ", "));
}

/// The names of a step's outputs.
std::string made_by(const Job& job, const StepSpec& step) {
    std::vector<std::string> names;
    for (const Port& port : step.algorithm->outputs)
        names.push_back(fmt::format("\"{}\"", job.name_of({static_cast<std::size_t>(&step - job.steps.data()), port.name})));
    return fmt::format("{}", fmt::join(names, " or "));
}

[[noreturn]] void refuse_unknown(const Job& job, const Candidates& all, const std::string& name, std::size_t step,
                                 const std::string& pointer) {
    const auto found = all.find(name);
    if (found != all.end()) {   // made too late
        const Source& maker = found->second.front().maker;
        const bool itself = *maker.step == step;
        const bool circle = std::any_of(job.steps[*maker.step].in.begin(), job.steps[*maker.step].in.end(), [&](const auto& in) {
            const auto made = in.second ? all.find(*in.second) : all.end();
            return made != all.end() && std::any_of(made->second.begin(), made->second.end(),
                                                    [&](const Candidate& c) { return c.maker.step == step; });
        });
        throw ConfigError(pointer, fmt::format("\"{}\", which {} makes", name, itself ? "this step itself" : title(job, maker)),
                          "an input of the job or an output of an earlier step",
                          itself   ? "a step cannot wait for itself"
                          : circle ? "each of the two waits for the other: one needs another input"
                                   : fmt::format("move step \"{}\" to the front", job.steps[*maker.step].id));
    }
    const std::vector<std::string> known = names_before(all, step);
    std::string hint = did_you_mean(name, known);
    const auto maker = std::find_if(job.steps.begin(), job.steps.end(), [&](const StepSpec& s) { return s.id == name; });
    if (maker != job.steps.end()) hint = fmt::format("\"{}\" is a step: say what it makes, {}", name, made_by(job, *maker));
    else if (name.find_first_of("./") != std::string::npos)
        hint = fmt::format(R"(a file has a name in "inputs": "inputs": {{"image": "{}"}})", name);
    throw ConfigError(pointer, fmt::format("the unknown array \"{}\"", name),
                      known.empty() ? std::string("an input of the job, and it has none") : one_of(known), std::move(hint));
}

void check_is_array(const Job& job, const Source& maker, const std::string& name, const std::string& pointer) {
    if (!maker.step) return;
    const Port* port = job.steps[*maker.step].algorithm->output(maker.port);
    if (port->kind != PortKind::array)
        throw ConfigError(pointer, fmt::format("\"{}\", which is a {}", name, to_string(port->kind)), "the name of an array");
}

/// Whether a step makes an output only where somebody asks for it, and nobody has given it a name. An input that may be left
/// out does not ask for it: of two `sort` steps the second would want the first's "values", which has none.
bool only_on_request(const Job& job, const Source& maker) {
    if (!maker.step) return false;
    const StepSpec& step = job.steps[*maker.step];
    return !step.algorithm->output(maker.port)->required && step.names.find(maker.port) == step.names.end();
}

void link_inputs(Job& job, const Candidates& all, std::size_t index, std::set<Source>& used) {
    StepSpec& step = job.steps[index];
    for (const Port& port : step.algorithm->inputs) {
        const auto given = step.in.find(port.name);
        if (given != step.in.end() && !given->second) continue;
        const bool explicitly = given != step.in.end();
        // {"in": {"volume": "image"}} means the volume alone, although another input is called "image", too.
        const bool taken = !explicitly && !port.required &&
                           std::any_of(step.in.begin(), step.in.end(), [&](const auto& in) { return in.second == port.name; });
        if (taken) continue;
        const std::string name = explicitly ? *given->second : port.name;
        const std::string pointer = explicitly ? pointer_to(step.pointer + "/in", port.name) : step.pointer + "/in";
        const std::optional<Source> maker = find_before(job, all, name, index, pointer);
        if (maker && !explicitly && !port.required && only_on_request(job, *maker)) continue;
        if (!maker && explicitly) refuse_unknown(job, all, name, index, pointer);
        if (!maker && port.required) {
            if (const auto later = all.find(name); later != all.end() && *later->second.front().maker.step != index) {
                refuse_unknown(job, all, name, index, pointer);
            }
            const std::vector<std::string> known = names_before(all, index);
            throw ConfigError(pointer, fmt::format("no array \"{}\" for the input of that name", port.name),
                              known.empty()
                                  ? std::string("an input of the job")
                                  : fmt::format("an array of that name, or \"in\": {{\"{}\": {}}}", port.name, one_of(known)),
                              known.empty() ? fmt::format(R"(for instance "inputs": {{"{}": "FILE"}})", port.name)
                                            : did_you_mean(port.name, known));
        }
        if (!maker) continue;
        check_is_array(job, *maker, name, pointer);
        step.inputs[port.name] = *maker;
        used.insert(*maker);
    }
}

/// What a table or a .json file could have in the place of an array.
std::string records_in(const Job& job, const Candidates& all) {
    std::vector<std::string> names;
    for (const auto& [name, candidates] : all) {
        const bool record = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& c) {
            return c.maker.step && job.steps[*c.maker.step].algorithm->output(c.maker.port)->kind == PortKind::record;
        });
        if (record) names.push_back(name);
    }
    return names.empty() ? "no step makes one, as reduce and metrics do" : "there is " + one_of(names);
}

void link_output(Job& job, const Candidates& all, OutputSpec& output) {
    const auto makers_of = [&](const std::vector<Candidate>& candidates) {
        std::vector<Candidate> makers;
        std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(makers),
                     [](const Candidate& c) { return c.maker.step.has_value(); });
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
        std::string hint = did_you_mean(output.of, known);
        const auto maker = std::find_if(job.steps.begin(), job.steps.end(), [&](const StepSpec& s) { return s.id == output.of; });
        if (maker != job.steps.end())
            hint = fmt::format("\"{}\" is a step: say what it makes, {}", output.of, made_by(job, *maker));
        else if (hint.empty() && output.of == output.name && !known.empty())
            hint = fmt::format(R"("{}": {{"of": "{}", "file": "{}"}} gives an array another name)", output.name, known.front(),
                               output.file);
        throw ConfigError(output.pointer, fmt::format("\"{}\", which no step makes", output.of), one_of(known), std::move(hint));
    }
    if (makers.size() > 1) refuse_ambiguous(job, output.of, makers, output.pointer);
    output.source = makers.front().maker;
    if (!output.source.step) return;
    const Port* port = job.steps[*output.source.step].algorithm->output(output.source.port);
    if (port->kind != PortKind::array && !output.combine.empty()) {
        throw ConfigError(output.pointer, fmt::format("\"combine\" for the {} \"{}\"", to_string(port->kind), output.of),
                          R"({"table": path}: a row for each item)");
    }
    if (output.file.empty()) {   // it goes to the caller
        output.form = port->kind == PortKind::array ? OutputForm::array : OutputForm::json;
        return;
    }
    const bool drawing = port->kind == PortKind::drawing;
    if (drawing && output.form != OutputForm::svg) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the drawing \"{}\"", output.file, output.of), "an .svg file");
    }
    if (!drawing && output.form == OutputForm::svg) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for \"{}\"", output.file, output.of),
                          "another format: .svg is for drawings");
    }
    if (port->kind == PortKind::record && output.form == OutputForm::array) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the record \"{}\"", output.file, output.name),
                          "a .json or .csv file");
    }
    if (port->kind == PortKind::array && output.form != OutputForm::array) {
        throw ConfigError(output.pointer, fmt::format("\"{}\" for the array \"{}\"", output.file, output.name),
                          "a .png, .tif, .npy, .nii or .nii.gz file",
                          fmt::format("tables, .csv and .json files are of records; {}", records_in(job, all)));
    }
}

}  // namespace

void resolve_names(Job& job) {
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
        std::string hint;
        for (const StepSpec& step : job.steps) {
            for (const Port& port : step.algorithm->inputs) {
                if (port.name != input.name) {
                    ports.push_back(port.name);
                    continue;
                }
                const auto given = step.in.find(port.name);   // else it would be used
                hint = fmt::format("\"in\" of step \"{}\" takes {} for it", step.id,
                                   given != step.in.end() && given->second ? fmt::format("\"{}\"", *given->second) : "nothing");
            }
        }
        const char* const or_else = "a step that takes it by \"in\"";
        throw ConfigError(input.pointer, fmt::format("the input \"{}\", which no step uses", input.name),
                          !hint.empty() ? fmt::format("{}, or no such input", or_else)
                          : ports.empty() ? std::string("no inputs")
                                          : fmt::format("one of {}, or {}", fmt::join(ports, ", "), or_else),
                          hint.empty() ? did_you_mean(input.name, ports) : hint);
    }
    for (std::size_t i = 0; i < job.steps.size(); ++i) {
        StepSpec& step = job.steps[i];
        for (const Port& port : step.algorithm->outputs) {
            if (used.count(Source{i, port.name})) {
                step.outputs.push_back(port.name);
            } else if (step.names.count(port.name)) {
                throw ConfigError(pointer_to(step.pointer + "/out", port.name),
                                  fmt::format("the array \"{}\", which nothing uses", job.name_of({i, port.name})),
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
    return source.step ? steps[*source.step].name_of(source.port) : source.port;
}

Pipeline Job::pipeline() const {
    Pipeline pipeline;
    pipeline.inputs.assign(inputs.begin(), inputs.end());
    pipeline.steps.assign(steps.begin(), steps.end());
    for (const OutputSpec& output : outputs) {
        pipeline.outputs.push_back(output);
        pipeline.outputs.back().is_array = output.form == OutputForm::array;
    }
    pipeline.limits = limits;
    return pipeline;
}

}  // namespace parallax::engine
