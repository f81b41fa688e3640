// JSON -> Job. Every object is read key by key, and a key that nobody reads is an error.
#include "job/display.hpp"
#include "job/for_each.hpp"
#include "job/job.hpp"
#include "job/keys.hpp"
#include "job/resolve_names.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "job/pattern.hpp"
#include "support/json_reader.hpp"
#include "support/sizes.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace parallax::engine {

namespace {

io::RawLayout read_raw(const JsonValue& value) {
    const JsonObject layout(value, R"(an object such as {"type": "u16", "axes": "yx", "shape": [480, 640]})",
                            {"type", "axes", "shape", "offset", "big_endian"});
    for (const char* needed : {"type", "axes", "shape"}) {
        if (!layout.contains(needed))
            throw ConfigError(value.pointer(), fmt::format("a raw layout without \"{}\"", needed), "type, axes and shape");
    }
    io::RawLayout raw;
    static const auto& types = *new std::vector<std::string>{"bool", "u8",  "i8",  "u16", "i16",  "u32",     "i32",    "u64",
                                                             "i64",  "f32", "f64", "c64", "c128", "mono10p", "mono12p"};
    const std::string type = layout.word("type", types);
    raw.packed_bits = type == "mono10p" ? 10 : type == "mono12p" ? 12 : 0;
    raw.type = raw.packed_bits > 0 ? ElementType::u16 : *element_type_from(type);
    const std::string axes = layout.at("axes").text("letters of t c z y x, slowest first");
    if (axes.find_first_not_of("tczyx") != std::string::npos || std::set<char>(axes.begin(), axes.end()).size() != axes.size()) {
        throw ConfigError(layout.pointer("axes"), fmt::format("\"{}\"", axes), "letters of t c z y x, slowest first, none twice");
    }
    const auto sizes =
        layout.at("shape").list_of(axes.size(), fmt::format("a list of {} sizes, one for each of \"{}\"", axes.size(), axes));
    for (std::size_t i = 0; i < axes.size(); ++i) raw.axes.push_back({axes[i], sizes[i].count(1)});
    if (layout.contains("offset")) raw.offset = static_cast<std::uint64_t>(layout.at("offset").count());
    if (layout.contains("big_endian")) raw.big_endian = layout.at("big_endian").flag();
    if (raw.big_endian && raw.packed_bits > 0)
        throw ConfigError(layout.pointer("big_endian"), "\"big_endian\" of packed pixels", "nothing: their bits have one order");
    return raw;
}

std::optional<SpacingOverride> read_spacing(const JsonObject& input) {
    std::optional<SpacingOverride> spacing;
    for (const std::string& unit : spacing_units) {
        const std::string key = "spacing_" + unit;
        if (!input.contains(key)) continue;
        const JsonValue value = input.at(key);
        if (spacing)
            throw ConfigError(value.pointer(), fmt::format("\"{}\" beside \"spacing_{}\"", key, spacing->unit), "one of the two",
                              "remove one");
        const char* const expected = "a number, [x, y] or [x, y, z]";
        const std::vector<JsonValue> values = value.json().is_array() ? value.list(expected) : std::vector{value};
        if (values.empty() || values.size() > 3) value.refuse(expected);
        spacing.emplace();
        spacing->unit = unit;
        for (const JsonValue& one : values) {
            const bool good = one.json().is_number() && std::isfinite(one.json().get<double>()) && one.json().get<double>() > 0;
            if (!good) one.refuse("a number above 0");
            spacing->values.push_back(one.json().get<double>());
        }
    }
    return spacing;
}

/// Which pages of a file.
void read_pages(const JsonObject& object, io::ReadOptions& read) {
    if (object.contains("page") && object.contains("pages"))
        throw ConfigError(object.pointer("pages"), "\"pages\" beside \"page\"", "one of the two");
    if (object.contains("page")) {
        const std::int64_t page = object.at("page").count();
        read.pages = {page, page + 1};
    }
    if (object.contains("pages")) {
        const auto ends = object.at("pages").list_of(2, "[first, end]: from 0, the end left out");
        const std::int64_t first = ends[0].count();
        read.pages = {first, ends[1].count(first + 1)};
        read.keep_page_axis = true;
    }
    if (object.contains("volume")) read.volume = object.at("volume").count();
    if (object.contains("page_axis")) read.page_axis = object.word("page_axis", {"t", "z"})[0];
}

/// Which of what a file holds.
void read_choices(const JsonObject& object, io::ReadOptions& read) {
    if (object.contains("dataset")) read.dataset = object.at("dataset").text("the name of an array in the file");
    if (object.contains("channel")) {
        const JsonValue channel = object.at("channel");
        read.channel_by_number = !channel.json().is_string();
        read.channel =
            channel.json().is_string() ? channel.text("the name of a channel, or its number") : std::to_string(channel.count());
    }
    if (object.contains("series")) read.series = object.at("series").count();
    if (object.contains("level")) read.level = object.at("level").count();
}

/// Several files that become one array, or a file with its neighbours.
void read_combination(const JsonObject& object, InputSpec& input) {
    const bool several = object.contains("files");
    if (several) {
        if (object.contains("running"))
            throw ConfigError(object.pointer("running"), "\"running\" beside \"files\"", "it beside \"file\"",
                              R"({"file": "{frame}", "running": 3, "combine": "median"} combines an item with its neighbours)");
        if (!object.contains("combine")) {
            const Json& files = object.at("files").json();
            const Json& only = files.is_array() && files.size() == 1 ? files.front() : files;
            const bool is_one = only.is_string() && !has_wildcard(only.get_ref<const std::string&>());
            throw ConfigError(object.pointer(), is_one ? "\"files\" without \"combine\"" : "several files without \"combine\"",
                              list(combine_words),
                              is_one ? fmt::format("one file is read by {{\"file\": {}}}",
                                                   only.dump(-1, ' ', false, Json::error_handler_t::replace))
                                     : "say how they become one array; \"for_each\" runs the job for each of them");
        }
        input.combine = object.word("combine", combine_words);
    } else if (object.contains("running")) {
        input.running = object.at("running").count(1);
        if (input.running % 2 == 0) object.at("running").refuse("an odd number", "the item itself is in the middle");
        if (object.contains("combine")) input.combine = object.word("combine", combine_words);
    } else if (object.contains("combine")) {
        throw ConfigError(object.pointer("combine"), "\"combine\" beside \"file\"", "\"files\" to combine");
    }
}

/// The keys of an input that is an object. `read_here`: it names what is read; else an array stands in its place.
void read_input_keys(const JsonValue& value, bool read_here, InputSpec& input) {
    const std::string& pointer = input.pointer;
    std::vector<std::string> known{"file",      "files", "combine", "page",          "pages",   "volume",
                                   "page_axis", "raw",   "grey",    "keep_channels", "running", "slab"};
    for (const std::string& unit : spacing_units) known.push_back("spacing_" + unit);
    known.insert(known.end(), choice_keys.begin(), choice_keys.end());
    const JsonObject object(value, R"(a path, {"file": path, ...} or {"files": pattern, "combine": "mean"})", known);
    const bool one = object.contains("file"), several = object.contains("files");
    if (one == several && (one || read_here)) {
        throw ConfigError(pointer, one ? "\"file\" beside \"files\"" : "neither \"file\" nor \"files\"",
                          "one of \"file\" and \"files\"");
    }
    if (read_here) {
        input.files = one ? std::vector{object.at("file").path()} : object.at("files").paths();
        input.globs = input.read.alone = several;
        read_combination(object, input);
    } else if (object.contains("combine")) {
        input.combine = object.word("combine", combine_words);
    }
    read_pages(object, input.read);
    read_choices(object, input.read);
    if (object.contains("raw")) input.read.raw = read_raw(object.at("raw"));
    if (object.contains("grey")) input.read.grey = object.at("grey").flag();
    if (object.contains("keep_channels")) {   // what stood for "grey": false when grey was the default
        const bool grey = !object.at("keep_channels").flag();
        if (object.contains("grey") && grey != input.read.grey)
            throw ConfigError(object.pointer("keep_channels"), "\"keep_channels\" against \"grey\"", "\"grey\" alone");
        input.read.grey = grey;
    }
    if (input.read.grey && !input.read.channel.empty())
        throw ConfigError(object.pointer("channel"), "\"channel\" beside \"grey\"", "one of the two",
                          "a channel is one of all, and grey is made of them");
    if (object.contains("slab")) input.slab = object.at("slab").count(1);
    input.spacing = read_spacing(object);
}

}   // namespace

InputSpec parse_input(const std::string& name, const Json& json, const std::string& pointer) {
    const JsonValue value(json, pointer);
    InputSpec input;
    input.name = check_name(name, pointer);
    input.pointer = pointer;
    input.written = json;
    if (json.is_string())
        input.files = {value.path()};
    else
        read_input_keys(value, true, input);
    return input;
}

namespace {

std::string known_names(const std::vector<Port>& ports) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_port(const std::string& name, const std::vector<Port>& ports, const Algorithm& algorithm,
                              const char* what, const std::string& pointer) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    throw ConfigError(pointer, fmt::format("\"{}\", which is no {} of {}", name, what, algorithm.name),
                      ports.empty()       ? fmt::format("no {}: it has none", what)
                      : ports.size() == 1 ? fmt::format("\"{}\"", names.front())
                                          : "one of " + known_names(ports),
                      did_you_mean(name, names));
}

JsonObject read_ports(const JsonValue& value, const char* what, const std::vector<Port>& ports) {
    if (value.json().is_object()) return {value, ""};
    value.refuse(fmt::format("an object: {} of the algorithm -> name of an array", what),
                 ports.empty() ? ""
                               : fmt::format(R"(for instance {{"{}": {}}})", ports.front().name,
                                             value.json().is_string() ? value.json().dump() : "\"NAME\""));
}

/// What does such a thing, by the lines that say what each algorithm does.
std::string algorithms_for(const std::string& word, const std::vector<Algorithm>& algorithms) {
    std::vector<std::string> found;
    for (const Algorithm& algorithm : algorithms) {
        if (word.size() > 2 && algorithm.summary.find(word) != std::string::npos) found.push_back(algorithm.name);
    }
    return found.empty()
               ? "`parallax algorithms` says what each of them does"
               : fmt::format("{} may be what you mean: `parallax algorithms` says what each does", fmt::join(found, ", "));
}

const Algorithm& read_algorithm(const JsonObject& step, const std::vector<Algorithm>& algorithms) {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms) names.push_back(algorithm.name);
    if (!step.contains("run")) {
        throw ConfigError(step.pointer(), "a step without \"run\"", "\"run\": one of " + list(names), [&] {
            for (const auto& [key, ignored] : step.json().items()) {
                if (nearest(key, {"run"}) == "run") return fmt::format("\"{}\" should be \"run\"", key);
            }
            return std::string();
        }());
    }
    const JsonValue run = step.at("run");
    const std::string asked = run.json().is_string() ? run.json().get<std::string>() : std::string();
    if (std::find(names.begin(), names.end(), asked) == names.end() && did_you_mean(asked, names).empty())
        run.refuse("one of " + list(names), algorithms_for(asked, algorithms));
    const std::string name = run.word(names);
    return *std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == name; });
}

void read_inputs(const JsonValue& value, StepSpec& step) {
    const Algorithm& algorithm = *step.algorithm;
    for (const auto& [port, array] : read_ports(value, "input", algorithm.inputs).members()) {
        const Port* known = algorithm.input(port);
        if (!known) refuse_port(port, algorithm.inputs, algorithm, "input", array.pointer());
        if (array.json().is_null() && known->required) array.refuse("the name of an array: this input is required");
        if (array.json().is_null()) step.in.emplace(port, std::nullopt);
        else step.in.emplace(port, array.text("the name of an array"));
    }
}

void read_outputs(const JsonValue& value, StepSpec& step) {
    const Algorithm& algorithm = *step.algorithm;
    for (const auto& [port, array] : read_ports(value, "output", algorithm.outputs).members()) {
        if (!algorithm.output(port)) refuse_port(port, algorithm.outputs, algorithm, "output", array.pointer());
        step.names.emplace(port, array.name("a name for the array"));
    }
}

void read_variant(const JsonObject& object, StepSpec& step) {
    const Algorithm& algorithm = *step.algorithm;
    if (object.has("variant")) {
        std::vector<std::string> variants;
        for (const Variant& variant : algorithm.variants) variants.push_back(variant.name);
        const Json& written = object.json().at("variant");
        const Variant* const known = written.is_string() ? algorithm.variant(written.get<std::string>()) : nullptr;
        step.variant = known != nullptr ? known->name : object.word("variant", variants);
    }
    if (!object.contains("policy")) return;
    step.policy = JsonObject(object.at("policy"), "an object of policy names and integers").json();
    if (!step.policy.empty() && step.variant.empty()) {
        throw ConfigError(object.pointer("policy"), "a policy without a variant", "\"variant\" beside \"policy\"",
                          "policies belong to one variant");
    }
    if (!step.variant.empty()) Policy::parse(algorithm.variant(step.variant)->policy, step.policy, object.pointer("policy"));
}

StepSpec read_step(const JsonValue& value, const std::vector<Algorithm>& algorithms) {
    const JsonObject object(value, R"(an object such as {"run": "fft"})");
    StepSpec step;
    step.pointer = value.pointer();
    step.algorithm = &read_algorithm(object, algorithms);
    step.id = object.contains("id") ? object.at("id").name() : step.algorithm->name;
    if (object.contains("in")) read_inputs(object.at("in"), step);
    if (object.contains("out")) read_outputs(object.at("out"), step);
    read_variant(object, step);
    step.parameters = step.algorithm->parameters.parse(value.json(), value.pointer(), step_keys);
    return step;
}

/// ".nii.gz" counts as one extension.
std::string extension_of(const std::string& file) {
    const std::string name = host::lower(to_utf8(path_from(file).filename()));
    if (name.size() > 7 && name.compare(name.size() - 7, 7, ".nii.gz") == 0) return ".nii.gz";
    return to_utf8(path_from(name).extension());
}

OutputForm form_of(const std::string& extension) {
    if (extension == ".json") return OutputForm::json;
    if (extension == ".csv") return OutputForm::csv;
    return extension == ".svg" ? OutputForm::svg
                               : OutputForm::array;   // any other is to hold an array: prepare() knows which formats can
}

/// Where an output goes, and of what; the place of its path.
JsonValue read_target(const JsonObject& object, OutputSpec& output) {
    const bool file = object.contains("file"), table = object.contains("table");
    if (file == table)
        throw ConfigError(object.pointer(), file ? "\"file\" beside \"table\"" : "neither \"file\" nor \"table\"",
                          "one of \"file\" and \"table\"");
    if (table) output.form = OutputForm::table;
    if (object.contains("of")) output.of = object.at("of").name("the name of an array or record");
    if (object.contains("combine")) {
        if (table)
            throw ConfigError(object.pointer("combine"), "\"combine\" beside \"table\"", "it beside \"file\"",
                              "a table has a row for each item");
        output.combine = object.word("combine", fold_words);
    }
    if (object.contains("times")) {
        if (!table) throw ConfigError(object.pointer("times"), "\"times\" beside \"file\"", "it beside \"table\"");
        output.times = object.at("times").flag();
    }
    return object.at(file ? "file" : "table");
}

std::vector<std::string> output_keys() {
    std::vector<std::string> keys = display_keys();
    keys.insert(keys.end(), {"file", "table", "of", "combine", "times"});
    return keys;
}

OutputSpec read_output(const std::string& name, const JsonValue& value) {
    OutputSpec output;
    output.name = output.of = check_name(name, value.pointer());
    output.pointer = value.pointer();
    output.written = value.json();
    std::optional<JsonObject> object;
    if (!value.json().is_string())
        object.emplace(value, R"(a path, {"file": path, ...} or {"table": path})",
                       output_keys());
    const JsonValue target = object ? read_target(*object, output) : value;
    output.file = target.path();
    const std::string extension = extension_of(output.file);
    if (output.form != OutputForm::table) output.form = form_of(extension);
    else if (extension != ".csv")
        throw ConfigError(target.pointer(), fmt::format("\"{}\"", output.file), "the path of a .csv file");
    if (object) read_display(*object, extension, output.file, output.write);
    return output;
}

std::uint64_t read_memory(const JsonValue& memory) {
    const Json& value = memory.json();
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0) return value.get<std::uint64_t>();
    const bool whole = value.is_number_float() && value.get<double>() == std::floor(value.get<double>());   // 1e9
    const double bytes = value.is_string() ? host::bytes_from(value.get_ref<const std::string&>()).value_or(0)
                         : whole           ? value.get<double>()
                                           : 0;
    if (!(bytes >= 1 && bytes < 9e18)) memory.refuse("a number of bytes, or a text such as \"512 MiB\" or \"8 GB\"");
    return static_cast<std::uint64_t>(bytes);
}

double read_timeout(const JsonValue& timeout) {
    const Json& value = timeout.json();
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1e9))
        timeout.refuse("a number of seconds, 0 for no limit");
    return value.get<double>();
}

void check_ids(const std::vector<StepSpec>& steps) {
    std::map<std::string, std::string> seen;
    for (const StepSpec& step : steps) {
        const auto [first, fresh] = seen.emplace(step.id, step.pointer);
        if (!fresh) {
            throw ConfigError(step.pointer + "/id", fmt::format("the id \"{}\", which {} has", step.id, first->second),
                              "an id of its own", fmt::format("for instance \"id\": \"{}{}\"", step.id, seen.size() + 1));
        }
    }
}

/// Files of ours that are no jobs.
void refuse_other_documents(const Json& json) {
    if (!json.is_object()) return;
    const auto has = [&](const char* key) { return json.contains(key); };
    const char* const whose = "its member \"job\" is the job that was run";
    if (has("parallax_report")) throw ConfigError("", "a report", "a job", whose);   // steps of its own
    if (has("steps")) return;
    if (has("parallax_study") || has("parallax_comparison"))
        throw ConfigError("", "a study", "a job", "`parallax compare FILE --out DIR` runs a study");
    if (has("parallax_tuning")) throw ConfigError("", "a tuning file", "a job", "jobs take it with PARALLAX_TUNING=FOLDER");
    if (has("job") && has("engine")) throw ConfigError("", "a report", "a job", whose);
    if (has("prefer") || has("use")) throw ConfigError("", "rules for a device", "a job", "--device FILE takes them for a job");
}

}  // namespace

const InputSpec* Job::input(const std::string& name) const noexcept {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& input) { return input.name == name; });
    return found == inputs.end() ? nullptr : &*found;
}

namespace {

/// All but the arrays: what a job on files and one on a caller's arrays have alike.
Job read_settings(const JsonObject& whole) {
    if (!whole.contains("parallax"))
        throw ConfigError("/parallax", "nothing", "1, the version of the job format", "add \"parallax\": 1");
    const JsonValue version = whole.at("parallax");
    if (version.json() != 1)
        version.refuse("1, the version of the job format that this program reads",
                       version.json() == "1" ? "write it without quotes: 1" : "");

    Job job;
    if (whole.contains("$schema")) whole.at("$schema").text("the address of a schema");
    if (whole.contains("comment")) {
        if (!whole.at("comment").json().is_string()) whole.at("comment").refuse("a string");
        job.comment = whole.at("comment").json().get<std::string>();
    }
    if (whole.contains("device"))
        job.device = host::DeviceSelector::parse(without_comments(whole.at("device").json()), "/device");
    if (whole.contains("for_each")) job.for_each = std::make_shared<const ForEach>(read_for_each(whole.at("for_each")));
    if (whole.contains("non_finite")) {
        const std::string word = whole.word("non_finite", non_finite_words);
        job.non_finite = word == "mask" ? NonFinite::mask : word == "reject" ? NonFinite::reject : NonFinite::propagate;
    }
    if (whole.contains("memory_limit")) job.limits.memory_limit = read_memory(whole.at("memory_limit"));
    if (whole.contains("retry")) job.retry = whole.at("retry").flag();
    if (whole.contains("step_timeout_s")) job.limits.step_timeout_s = read_timeout(whole.at("step_timeout_s"));
    return job;
}

JsonObject job_object(const Json& json) {
    refuse_other_documents(json);
    return {JsonValue(json, ""), R"(a job: {"parallax": 1, "inputs": ..., "steps": ..., "outputs": ...})", job_keys};
}

void read_steps(const JsonObject& whole, const std::vector<Algorithm>& algorithms, Job& job) {
    const char* const form = R"(a list of steps such as [{"run": "fft"}])";
    if (!whole.contains("steps")) throw ConfigError("/steps", "nothing", form);
    const auto steps = whole.at("steps").list(form);
    if (steps.empty()) whole.at("steps").refuse(form);
    for (const JsonValue& step : steps) job.steps.push_back(read_step(step, algorithms));
    check_ids(job.steps);
}

/// An output that goes back to the caller: of its value only "of" matters.
OutputSpec read_wanted(const std::string& name, const JsonValue& value) {
    OutputSpec output;
    output.name = output.of = check_name(name, value.pointer());
    output.pointer = value.pointer();
    if (value.json().is_object() && value.json().contains("of"))
        output.of = JsonObject(value, "").at("of").name("the name of an array or record");
    return output;
}

void require_outputs(const Job& job) {
    if (job.outputs.empty()) throw ConfigError("/outputs", "no output", "at least one: a job without outputs computes nothing");
}

}  // namespace

Job parse_job(const Json& json, const std::vector<Algorithm>& algorithms) {
    const JsonObject whole = job_object(json);
    Job job = read_settings(whole);
    const char* const form = "an object: name of an array -> file";
    if (whole.contains("inputs")) {
        for (const auto& [name, value] : JsonObject(whole.at("inputs"), form).members())
            job.inputs.push_back(parse_input(name, value.json(), value.pointer()));
    }
    read_steps(whole, algorithms, job);
    if (!whole.contains("outputs")) throw ConfigError("/outputs", "nothing", form);
    for (const auto& [name, value] : JsonObject(whole.at("outputs"), form).members())
        job.outputs.push_back(read_output(name, value));
    require_outputs(job);

    for (InputSpec& input : job.inputs) {
        for (const std::string& file : input.files)
            input.each = check_placeholders(file, job.for_each.get(), input.pointer, false) || input.each;
        input.read.alone = input.globs || input.each;
    }
    for (const OutputSpec& output : job.outputs) check_placeholders(output.file, job.for_each.get(), output.pointer, true);
    check_series_keys(job);
    resolve_names(job);
    return job;
}

Job parse_job_on_arrays(const Json& json, const std::vector<Algorithm>& algorithms, const std::vector<std::string>& given) {
    const JsonObject whole = job_object(json);
    Job job = read_settings(whole);
    if (job.for_each) throw UnsupportedError("for_each reads files", {"run the job once for each array"});
    for (const std::string& name : given) {
        InputSpec input;
        input.pointer = pointer_to("/inputs", name);
        input.name = check_name(name, input.pointer);
        job.inputs.push_back(std::move(input));
    }
    if (whole.contains("inputs") && whole.at("inputs").json().is_object()) {
        for (const auto& [name, value] : JsonObject(whole.at("inputs"), "").members()) {
            const auto input =
                std::find_if(job.inputs.begin(), job.inputs.end(), [&wanted = name](const InputSpec& i) { return i.name == wanted; });
            if (input == job.inputs.end())
                throw ConfigError(value.pointer(), fmt::format("the input \"{}\", for which no array was given", name),
                                  "an array for every input", "Engine::run reads inputs from files");
            if (!value.json().is_object()) continue;
            input->written = value.json();
            read_input_keys(value, false, *input);
        }
    }
    read_steps(whole, algorithms, job);
    if (!whole.contains("outputs")) throw ConfigError("/outputs", "nothing", "names of arrays and records");
    const JsonValue outputs = whole.at("outputs");
    if (outputs.json().is_array()) {   // ["amplitude", "focus"] says as much
        for (const JsonValue& name : outputs.list("names"))
            job.outputs.push_back(read_wanted(name.text("the name of an array or record"), name));
    } else {
        for (const auto& [name, value] : JsonObject(outputs, "an object: name of an array -> null, or a list of names").members())
            job.outputs.push_back(read_wanted(name, value));
    }
    require_outputs(job);
    resolve_names(job);
    return job;
}

Pipeline parse_pipeline(const Json& json, const std::vector<Algorithm>& algorithms, const std::vector<std::string>& given) {
    return parse_job_on_arrays(json, algorithms, given).pipeline();
}

}  // namespace parallax::engine
