// JSON -> Job. Every object is read key by key, and a key that nobody reads is an error.
#include "job/for_each.hpp"
#include "job/job.hpp"
#include "job/keys.hpp"
#include "job/link.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "job/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace parallax::engine {

namespace {

io::RawLayout read_raw(const Json& value, const std::string& pointer) {
    check_object(value, pointer, R"(an object such as {"type": "u16", "axes": "yx", "shape": [480, 640]})");
    check_keys(value, pointer, {"type", "axes", "shape", "offset", "big_endian"});
    for (const char* needed : {"type", "axes", "shape"}) {
        if (!value.contains(needed)) throw ConfigError(pointer, fmt::format("a raw layout without \"{}\"", needed), "type, axes and shape");
    }
    io::RawLayout raw;
    static const std::vector<std::string> types{"bool", "u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "c64", "c128"};
    raw.type = *element_type_from(read_word(value["type"], pointer + "/type", types));
    const std::string axes = read_string(value["axes"], pointer + "/axes", "letters of t c z y x, slowest first");
    if (axes.find_first_not_of("tczyx") != std::string::npos || std::set<char>(axes.begin(), axes.end()).size() != axes.size()) {
        throw ConfigError(pointer + "/axes", fmt::format("\"{}\"", axes), "letters of t c z y x, slowest first, none twice");
    }
    const Json& shape = value["shape"];
    if (!shape.is_array() || shape.size() != axes.size()) {
        throw ConfigError(pointer + "/shape", describe(shape), fmt::format("a list of {} sizes, one for each of \"{}\"", axes.size(), axes));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) raw.axes.push_back({axes[i], read_count(shape[i], pointer_to(pointer + "/shape", i), 1)});
    if (value.contains("offset")) raw.offset = static_cast<std::uint64_t>(read_count(value["offset"], pointer + "/offset"));
    if (value.contains("big_endian")) raw.big_endian = read_flag(value["big_endian"], pointer + "/big_endian");
    return raw;
}

std::optional<SpacingOverride> read_spacing(const Json& object, const std::string& pointer) {
    std::optional<SpacingOverride> spacing;
    for (const std::string& unit : spacing_units) {
        const std::string key = "spacing_" + unit;
        if (!object.contains(key)) continue;
        const std::string here = pointer_to(pointer, key);
        if (spacing) throw ConfigError(here, fmt::format("\"{}\" beside \"spacing_{}\"", key, spacing->unit), "one of the two", "remove one");
        const Json& value = object[key];
        const Json values = value.is_array() ? value : Json::array({value});
        if (values.empty() || values.size() > 3) throw ConfigError(here, describe(value), "a number, [x, y] or [x, y, z]");
        spacing.emplace();
        spacing->unit = unit;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool good = values[i].is_number() && std::isfinite(values[i].get<double>()) && values[i].get<double>() > 0;
            if (!good) throw ConfigError(value.is_array() ? pointer_to(here, i) : here, describe(values[i]), "a number above 0");
            spacing->values.push_back(values[i].get<double>());
        }
    }
    return spacing;
}

}  // namespace

InputSpec parse_input(const std::string& name, const Json& value, const std::string& pointer) {
    InputSpec input;
    input.name = read_name(name, pointer);
    input.pointer = pointer;
    input.written = value;
    if (value.is_string()) {
        input.files = {read_path(value, pointer)};
        return input;
    }
    check_object(value, pointer, R"(a path, {"file": path, ...} or {"files": pattern, "combine": "mean"})");
    std::vector<std::string> known{"file", "files", "combine", "page", "pages", "volume", "page_axis", "raw", "grey", "keep_channels", "running", "slab"};
    for (const std::string& unit : spacing_units) known.push_back("spacing_" + unit);
    check_keys(value, pointer, known);
    const bool one = value.contains("file"), several = value.contains("files");
    if (one == several) {
        throw ConfigError(pointer, one ? "\"file\" beside \"files\"" : "neither \"file\" nor \"files\"", "one of \"file\" and \"files\"");
    }
    if (one) input.files = {read_path(value["file"], pointer + "/file")};
    if (several) {
        input.files = read_paths(value["files"], pointer + "/files");
        input.globs = true;
        if (!value.contains("combine")) {
            throw ConfigError(pointer, "several files without \"combine\"", list(combine_words),
                              "say how they become one array; \"for_each\" runs the job for each of them");
        }
        input.combine = read_word(value["combine"], pointer + "/combine", combine_words);
    } else if (value.contains("running")) {
        input.running = read_count(value["running"], pointer + "/running", 1);
        if (input.running % 2 == 0) throw ConfigError(pointer + "/running", describe(value["running"]), "an odd number", "the item itself is in the middle");
        if (value.contains("combine")) input.combine = read_word(value["combine"], pointer + "/combine", combine_words);
    } else if (value.contains("combine")) {
        throw ConfigError(pointer + "/combine", "\"combine\" beside \"file\"", "\"files\" to combine");
    }
    if (value.contains("page") && value.contains("pages")) throw ConfigError(pointer + "/pages", "\"pages\" beside \"page\"", "one of the two");
    if (value.contains("page")) {
        const std::int64_t page = read_count(value["page"], pointer + "/page");
        input.read.pages = {page, page + 1};
    }
    if (value.contains("pages")) {
        const Json& pages = value["pages"];
        if (!pages.is_array() || pages.size() != 2) throw ConfigError(pointer + "/pages", describe(pages), "[first, end]: from 0, the end left out");
        const std::int64_t first = read_count(pages[0], pointer + "/pages/0");
        input.read.pages = {first, read_count(pages[1], pointer + "/pages/1", first + 1)};
    }
    if (value.contains("volume")) input.read.volume = read_count(value["volume"], pointer + "/volume");
    if (value.contains("page_axis")) input.read.page_axis = read_word(value["page_axis"], pointer + "/page_axis", {"t", "z"})[0];
    if (value.contains("raw")) input.read.raw = read_raw(value["raw"], pointer + "/raw");
    if (value.contains("grey")) input.read.grey = read_flag(value["grey"], pointer + "/grey");
    if (value.contains("keep_channels")) {   // what stood for "grey": false when grey was the default
        const bool grey = !read_flag(value["keep_channels"], pointer + "/keep_channels");
        if (value.contains("grey") && grey != input.read.grey) throw ConfigError(pointer + "/keep_channels", "\"keep_channels\" against \"grey\"", "\"grey\" alone");
        input.read.grey = grey;
    }
    if (value.contains("slab")) input.slab = read_count(value["slab"], pointer + "/slab", 1);
    input.spacing = read_spacing(value, pointer);
    return input;
}

namespace {

std::string known_names(const std::vector<Port>& ports) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

[[noreturn]] void refuse_port(const std::string& name, const std::vector<Port>& ports, const Algorithm& algorithm, const char* what,
                              const std::string& pointer) {
    std::vector<std::string> names;
    for (const Port& port : ports) names.push_back(port.name);
    throw ConfigError(pointer, fmt::format("\"{}\", which is no {} of {}", name, what, algorithm.name),
                      ports.empty() ? fmt::format("no {}: it has none", what) : ports.size() == 1 ? fmt::format("\"{}\"", names.front()) : "one of " + known_names(ports),
                      did_you_mean(name, names));
}

void check_ports(const Json& value, const std::string& pointer, const char* what, const std::vector<Port>& ports) {
    if (value.is_object()) return;
    throw ConfigError(pointer, describe(value), fmt::format("an object: {} of the algorithm -> name of an array", what),
                      ports.empty() ? "" : fmt::format(R"(for instance {{"{}": {}}})", ports.front().name, value.is_string() ? value.dump() : "\"NAME\""));
}

/// What does such a thing, by the lines that say what each algorithm does.
std::string algorithms_for(const std::string& word, const std::vector<Algorithm>& algorithms) {
    std::vector<std::string> found;
    for (const Algorithm& algorithm : algorithms) {
        if (word.size() > 2 && algorithm.summary.find(word) != std::string::npos) found.push_back(algorithm.name);
    }
    return found.empty() ? "`parallax algorithms` says what each of them does" : fmt::format("{} may be what you mean: `parallax algorithms` says what each does", fmt::join(found, ", "));
}

StepSpec read_step(const Json& value, const std::string& pointer, const std::vector<Algorithm>& algorithms) {
    check_object(value, pointer, R"(an object such as {"run": "fft"})");
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms) names.push_back(algorithm.name);
    if (!value.contains("run")) {
        throw ConfigError(pointer, "a step without \"run\"", "\"run\": one of " + list(names), [&] {
            for (const auto& [key, ignored] : value.items()) {
                if (nearest(key, {"run"}) == "run") return fmt::format("\"{}\" should be \"run\"", key);
            }
            return std::string();
        }());
    }
    StepSpec step;
    step.pointer = pointer;
    const std::string asked = value["run"].is_string() ? value["run"].get<std::string>() : std::string();
    if (std::find(names.begin(), names.end(), asked) == names.end() && did_you_mean(asked, names).empty()) {
        throw ConfigError(pointer + "/run", describe(value["run"]), "one of " + list(names), algorithms_for(asked, algorithms));
    }
    const std::string run = read_word(value["run"], pointer + "/run", names);
    step.algorithm = &*std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == run; });
    const Algorithm& algorithm = *step.algorithm;
    step.id = algorithm.name;
    if (value.contains("id")) step.id = read_name(read_string(value["id"], pointer + "/id", "a name"), pointer + "/id");

    if (value.contains("in")) {
        check_ports(value["in"], pointer + "/in", "input", algorithm.inputs);
        for (const auto& [port, array] : value["in"].items()) {
            if (is_comment(port)) continue;
            const std::string here = pointer_to(pointer + "/in", port);
            const Port* known = algorithm.input(port);
            if (!known) refuse_port(port, algorithm.inputs, algorithm, "input", here);
            if (array.is_null() && known->required) throw ConfigError(here, "null", "the name of an array: this input is required");
            if (array.is_null()) step.in.emplace(port, std::nullopt);
            else step.in.emplace(port, read_string(array, here, "the name of an array"));
        }
    }
    if (value.contains("out")) {
        check_ports(value["out"], pointer + "/out", "output", algorithm.outputs);
        for (const auto& [port, array] : value["out"].items()) {
            if (is_comment(port)) continue;
            const std::string here = pointer_to(pointer + "/out", port);
            if (!algorithm.output(port)) refuse_port(port, algorithm.outputs, algorithm, "output", here);
            step.names.emplace(port, read_name(read_string(array, here, "a name for the array"), here));
        }
    }
    if (value.contains("variant") && !value["variant"].is_null()) {
        std::vector<std::string> variants;
        for (const Variant& variant : algorithm.variants) variants.push_back(variant.name);
        step.variant = read_word(value["variant"], pointer + "/variant", variants);
    }
    if (value.contains("policy")) {
        check_object(value["policy"], pointer + "/policy", "an object of policy names and integers");
        step.policy = value["policy"];
        if (!step.policy.empty() && step.variant.empty()) {
            throw ConfigError(pointer + "/policy", "a policy without a variant", "\"variant\" beside \"policy\"", "policies belong to one variant");
        }
        if (!step.variant.empty()) Policy::parse(algorithm.variant(step.variant)->policy, step.policy, pointer + "/policy");
    }
    step.parameters = algorithm.parameters.parse(value, pointer, step_keys);
    return step;
}

/// ".nii.gz" counts as one extension.
std::string extension_of(const std::string& file) {
    std::string name = to_utf8(path_from(file).filename());
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.size() > 7 && name.compare(name.size() - 7, 7, ".nii.gz") == 0) return ".nii.gz";
    return to_utf8(path_from(name).extension());
}

std::array<double, 2> read_window(const Json& value, const std::string& pointer, double least, double most) {
    const auto good = [&](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()) && v.get<double>() >= least && v.get<double>() <= most; };
    if (!value.is_array() || value.size() != 2 || !good(value[0]) || !good(value[1]) || !(value[0].get<double>() < value[1].get<double>())) {
        throw ConfigError(pointer, value.is_array() && value.size() == 2 ? value.dump() : describe(value),
                          std::isfinite(least) ? fmt::format("[low, high] with {:g} <= low < high <= {:g}", least, most) : "[low, high] with low < high");
    }
    return {value[0].get<double>(), value[1].get<double>()};
}

OutputSpec read_output(const std::string& name, const Json& value, const std::string& pointer) {
    OutputSpec output;
    output.name = output.of = read_name(name, pointer);
    output.pointer = pointer;
    output.written = value;
    std::string here = pointer;
    if (value.is_string()) {
        output.file = read_path(value, pointer);
    } else {
        check_object(value, pointer, R"(a path, {"file": path, ...} or {"table": path})");
        check_keys(value, pointer, {"file", "table", "of", "combine", "times", "window", "window_percentile", "bits"});
        const bool file = value.contains("file"), table = value.contains("table");
        if (file == table) throw ConfigError(pointer, file ? "\"file\" beside \"table\"" : "neither \"file\" nor \"table\"", "one of \"file\" and \"table\"");
        here = pointer + (file ? "/file" : "/table");
        output.file = read_path(value[file ? "file" : "table"], here);
        if (table) output.form = OutputForm::table;
        if (value.contains("of")) output.of = read_name(read_string(value["of"], pointer + "/of", "the name of an array or record"), pointer + "/of");
        if (value.contains("combine")) {
            if (table) throw ConfigError(pointer + "/combine", "\"combine\" beside \"table\"", "it beside \"file\"", "a table has a row for each item");
            output.combine = read_word(value["combine"], pointer + "/combine", fold_words);
        }
        if (value.contains("times")) {
            if (!table) throw ConfigError(pointer + "/times", "\"times\" beside \"file\"", "it beside \"table\"");
            output.times = read_flag(value["times"], pointer + "/times");
        }
    }
    const std::string extension = extension_of(output.file);
    if (output.form == OutputForm::table) {
        if (extension != ".csv") throw ConfigError(here, fmt::format("\"{}\"", output.file), "the path of a .csv file");
    } else if (extension == ".json") {
        output.form = OutputForm::json;
    } else if (extension == ".csv") {
        output.form = OutputForm::csv;
    } else if (extension == ".svg") {
        output.form = OutputForm::svg;
    }   // any other is to hold an array: prepare() knows which formats can
    for (const char* key : {"window", "window_percentile", "bits"}) {
        if (value.is_object() && value.contains(key) && extension != ".png") {
            throw ConfigError(pointer_to(pointer, std::string(key)), fmt::format("\"{}\" for \"{}\"", key, output.file), "it beside a .png file only",
                              "other formats keep the values as they are");
        }
    }
    if (value.is_object() && value.contains("window")) {
        if (value.contains("window_percentile")) throw ConfigError(pointer + "/window_percentile", "\"window_percentile\" beside \"window\"", "one of the two");
        output.write.window = read_window(value["window"], pointer + "/window", -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
    }
    if (value.is_object() && value.contains("window_percentile")) {
        output.write.window_percentile = read_window(value["window_percentile"], pointer + "/window_percentile", 0, 100);
    }
    if (value.is_object() && value.contains("bits")) {
        if (value["bits"] != 8 && value["bits"] != 16) throw ConfigError(pointer + "/bits", describe(value["bits"]), "8 or 16");
        output.write.png_bits = value["bits"].get<int>();
    }
    return output;
}

/// "8 GB", "1.5MiB", with spaces around and between.
std::optional<double> bytes_from(std::string_view text) {
    static const std::map<std::string_view, double> factors{{"B", 1},   {"kB", 1e3},     {"MB", 1e6},       {"GB", 1e9},          {"TB", 1e12},
                                                            {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824}, {"TiB", 1099511627776.0}};
    const auto is_space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    double number = 0;
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || end[-1] == '.') return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    const auto factor = factors.find(text);
    return factor == factors.end() ? std::nullopt : std::optional<double>(number * factor->second);
}

std::uint64_t read_memory(const Json& value, const std::string& pointer) {
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > 0) return value.get<std::uint64_t>();
    const double bytes = value.is_string() ? bytes_from(value.get_ref<const std::string&>()).value_or(0) : 0;
    if (!(bytes >= 1 && bytes < 9e18)) throw ConfigError(pointer, describe(value), "a number of bytes, or a text such as \"512 MiB\" or \"8 GB\"");
    return static_cast<std::uint64_t>(bytes);
}

double read_timeout(const Json& value, const std::string& pointer) {
    if (value.is_number() && value.get<double>() >= 0 && value.get<double>() <= 1e9) return value.get<double>();
    throw ConfigError(pointer, describe(value), "a number of seconds, 0 for no limit");
}

void check_ids(const std::vector<StepSpec>& steps) {
    std::map<std::string, std::string> seen;
    for (const StepSpec& step : steps) {
        const auto [first, fresh] = seen.emplace(step.id, step.pointer);
        if (!fresh) {
            throw ConfigError(step.pointer + "/id", fmt::format("the id \"{}\", which {} has", step.id, first->second), "an id of its own",
                              fmt::format("for instance \"id\": \"{}{}\"", step.id, seen.size() + 1));
        }
    }
}

/// Files of ours that are no jobs.
void refuse_other_documents(const Json& json) {
    if (!json.is_object() || json.contains("steps")) return;
    const auto has = [&](const char* key) { return json.contains(key); };
    if (has("parallax_study") || has("parallax_comparison")) throw ConfigError("", "a study", "a job", "`parallax compare FILE --out DIR` runs a study");
    if (has("parallax_tuning")) throw ConfigError("", "a tuning file", "a job", "jobs take it with PARALLAX_TUNING=FOLDER");
    if (has("job") && has("engine")) throw ConfigError("", "a report", "a job", "its member \"job\" is the job that was run");
    if (has("prefer") || has("use")) throw ConfigError("", "rules for a device", "a job", "--device FILE takes them for a job");
}

}  // namespace

const InputSpec* Job::input(const std::string& name) const noexcept {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& input) { return input.name == name; });
    return found == inputs.end() ? nullptr : &*found;
}

namespace {

/// All but the arrays: what a job on files and one on a caller's arrays have alike.
Job read_settings(const Json& json) {
    refuse_other_documents(json);
    check_object(json, "", R"(a job: {"parallax": 1, "inputs": ..., "steps": ..., "outputs": ...})");
    check_keys(json, "", job_keys);
    if (!json.contains("parallax")) throw ConfigError("/parallax", "nothing", "1, the version of the job format", "add \"parallax\": 1");
    if (json["parallax"] != 1) {
        throw ConfigError("/parallax", describe(json["parallax"]), "1, the version of the job format that this program reads",
                          json["parallax"] == "1" ? "write it without quotes: 1" : "");
    }

    Job job;
    if (json.contains("$schema")) read_string(json["$schema"], "/$schema", "the address of a schema");
    if (json.contains("comment")) {
        if (!json["comment"].is_string()) throw ConfigError("/comment", describe(json["comment"]), "a string");
        job.comment = json["comment"].get<std::string>();
    }
    if (json.contains("device")) job.device = host::DeviceSelector::parse(without_comments(json["device"]), "/device");
    if (json.contains("for_each")) job.for_each = read_for_each(json["for_each"], "/for_each");
    if (json.contains("non_finite")) {
        const std::string word = read_word(json["non_finite"], "/non_finite", non_finite_words);
        job.non_finite = word == "mask" ? NonFinite::mask : word == "reject" ? NonFinite::reject : NonFinite::propagate;
    }
    if (json.contains("memory_limit")) job.memory_limit = read_memory(json["memory_limit"], "/memory_limit");
    if (json.contains("retry")) job.retry = read_flag(json["retry"], "/retry");
    if (json.contains("step_timeout_s")) job.step_timeout_s = read_timeout(json["step_timeout_s"], "/step_timeout_s");
    return job;
}

void read_steps(const Json& json, const std::vector<Algorithm>& algorithms, Job& job) {
    if (!json.contains("steps") || !json["steps"].is_array() || json["steps"].empty()) {
        throw ConfigError("/steps", json.contains("steps") ? describe(json["steps"]) : "nothing", R"(a list of steps such as [{"run": "fft"}])");
    }
    for (std::size_t i = 0; i < json["steps"].size(); ++i) {
        job.steps.push_back(read_step(json["steps"][i], pointer_to("/steps", i), algorithms));
    }
    check_ids(job.steps);
}

/// An output that goes back to the caller: of its value only "of" matters.
OutputSpec read_wanted(const std::string& name, const Json& value, const std::string& pointer) {
    OutputSpec output;
    output.name = output.of = read_name(name, pointer);
    output.pointer = pointer;
    if (value.is_object() && value.contains("of")) output.of = read_name(read_string(value["of"], pointer + "/of", "the name of an array or record"), pointer + "/of");
    return output;
}

}  // namespace

Job parse_job(const Json& json, const std::vector<Algorithm>& algorithms) {
    Job job = read_settings(json);
    if (json.contains("inputs")) {
        check_object(json["inputs"], "/inputs", "an object: name of an array -> file");
        for (const auto& [name, value] : json["inputs"].items()) {
            if (!is_comment(name)) job.inputs.push_back(parse_input(name, value, pointer_to("/inputs", name)));
        }
    }
    read_steps(json, algorithms, job);
    if (!json.contains("outputs")) throw ConfigError("/outputs", "nothing", "an object: name of an array -> file");
    check_object(json["outputs"], "/outputs", "an object: name of an array -> file");
    for (const auto& [name, value] : json["outputs"].items()) {
        if (!is_comment(name)) job.outputs.push_back(read_output(name, value, pointer_to("/outputs", name)));
    }
    if (job.outputs.empty()) throw ConfigError("/outputs", "no output", "at least one: a job without outputs computes nothing");

    for (InputSpec& input : job.inputs) {
        for (const std::string& file : input.files) input.each = check_placeholders(file, job.for_each, input.pointer, false) || input.each;
    }
    for (const OutputSpec& output : job.outputs) check_placeholders(output.file, job.for_each, output.pointer, true);
    check_series_keys(job);
    link(job);
    return job;
}

Pipeline parse_pipeline(const Json& json, const std::vector<Algorithm>& algorithms, const std::vector<std::string>& given) {
    Job job = read_settings(json);
    if (job.for_each) throw UnsupportedError("for_each reads files", {"run the job once for each array"});
    for (const std::string& name : given) {
        InputSpec input;
        input.name = read_name(name, pointer_to("/inputs", name));
        input.pointer = pointer_to("/inputs", name);
        job.inputs.push_back(std::move(input));
    }
    if (json.contains("inputs") && json["inputs"].is_object()) {
        for (const auto& [name, value] : json["inputs"].items()) {
            if (is_comment(name) || job.input(name) != nullptr) continue;
            throw ConfigError(pointer_to("/inputs", name), fmt::format("the input \"{}\", for which no array was given", name), "an array for every input",
                              "Engine::run reads inputs from files");
        }
    }
    read_steps(json, algorithms, job);
    const Json outputs = json.value("outputs", Json());
    if (outputs.is_array()) {   // ["amplitude", "focus"] says as much
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const std::string pointer = pointer_to("/outputs", i);
            job.outputs.push_back(read_wanted(read_string(outputs[i], pointer, "the name of an array or record"), Json(), pointer));
        }
    } else {
        if (!json.contains("outputs")) throw ConfigError("/outputs", "nothing", "names of arrays and records");
        check_object(outputs, "/outputs", "an object: name of an array -> null, or a list of names");
        for (const auto& [name, value] : outputs.items())
            if (!is_comment(name)) job.outputs.push_back(read_wanted(name, value, pointer_to("/outputs", name)));
    }
    if (job.outputs.empty()) throw ConfigError("/outputs", "no output", "at least one: a job without outputs computes nothing");
    link(job);
    return job.pipeline();
}

}  // namespace parallax::engine
