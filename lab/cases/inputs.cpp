#include "cases/inputs.hpp"

#include "job/keys.hpp"
#include "job/prepare.hpp"
#include "job/read.hpp"
#include "support/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parallax::engine::compare {

namespace {

const auto& kinds = *new std::vector<std::string>{"random", "smooth", "constant", "blocks"};
const auto& types = *new std::vector<std::string>{"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64", "c64"};
const auto& make_keys = *new std::vector<std::string>{"make", "type", "axes", "shape", "seed", "range"};

/// SplitMix64: element i of sequence `seed`, whatever the order in which elements are made.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i) {
    std::uint64_t z = (seed * 0x632BE59BD9B4E019u) + (i + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/// From 0 to 1, 1 left out.
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

struct Making {
    std::string kind;
    ElementType type = ElementType::f32;
    std::vector<ArrayDesc::Extent> extents;
    std::uint64_t seed = 1;
    double low = 0, high = 1;
    bool whole_range = true;         ///< of the integer type: every bit is drawn
};

double largest_of(ElementType type) {
    switch (type) {
        case ElementType::u8: return 255;
        case ElementType::i8: return 127;
        case ElementType::u16: return 65535;
        case ElementType::i16: return 32767;
        case ElementType::u32: return 4294967295.0;
        case ElementType::i32: return 2147483647;
        case ElementType::u64: return 18446744073709549568.0;
        case ElementType::i64: return 9223372036854774784.0;
        default: return 1;
    }
}

Making read_making(const Json& spec, const std::string& pointer) {
    const JsonObject f(JsonValue(spec, pointer),
                       R"(an object such as {"make": "random", "type": "u8", "axes": "yx", "shape": [480, 640]})", make_keys);
    Making m;
    m.kind = f.word("make", kinds);
    m.type = *element_type_from(f.word("type", types));
    const std::string axes = f.text("axes");
    const Json shape = f.list("shape");
    if (shape.size() != axes.size())
        throw ConfigError(f.pointer("shape"), shape.dump(), fmt::format("{} sizes, one for each of \"{}\"", axes.size(), axes));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (std::string("tczyxn").find(axes[i]) == std::string::npos)
            throw ConfigError(f.pointer("axes"), fmt::format("\"{}\"", axes), "letters of t c z y x n, slowest first");
        if (!shape[i].is_number_integer() || shape[i].get<std::int64_t>() < 0)
            throw ConfigError(pointer_to(f.pointer("shape"), i), describe(shape[i]), "an integer of at least 0");
        m.extents.push_back({axes[i], shape[i].get<std::int64_t>()});
    }
    m.seed = static_cast<std::uint64_t>(f.integer("seed", 1, 0, 2147483647));
    m.high = largest_of(m.type);
    if (f.has("range")) {
        const Json range = f.list("range");
        if (range.size() != 2 || !range[0].is_number() || !range[1].is_number() ||
            !(range[0].get<double>() <= range[1].get<double>()))
            throw ConfigError(f.pointer("range"), range.dump(), "[low, high]");
        m.low = range[0].get<double>();
        m.high = range[1].get<double>();
        m.whole_range = false;
    }
    return m;
}

/// Element i as a number between 0 and 1: what the kinds differ in.
double shape_of(const Making& m, std::int64_t i, std::int64_t width, std::int64_t height) {
    const std::int64_t x = i % width, y = i / width % height;
    if (m.kind == "constant") return 0.5;
    if (m.kind == "smooth") {   // two slow waves
        const double u = static_cast<double>(x) / static_cast<double>(width),
                     v = static_cast<double>(y) / static_cast<double>(height);
        return 0.5 + 0.24 * std::sin(6.283185307179586 * (u + 0.3 * v)) + 0.24 * std::cos(6.283185307179586 * (2 * v - 0.5 * u));
    }
    if (m.kind == "blocks") {   // squares of two greys with speckle: edges that stay and noise that goes
        return ((x / 64 + y / 64) % 2 == 0 ? 0.31 : 0.63) + 0.08 * unit(random_bits(m.seed, static_cast<std::uint64_t>(i)));
    }
    return unit(random_bits(m.seed, static_cast<std::uint64_t>(i)));
}

template <class T>
void fill(HostArray& array, const Making& m, std::int64_t parts) {
    const std::int64_t count = array.desc.count() * parts;
    const std::int64_t width = std::max<std::int64_t>(array.desc.axes.empty() ? 1 : array.desc.axes.back().size, 1) * parts;
    const std::int64_t height =
        std::max<std::int64_t>(array.desc.axes.size() < 2 ? 1 : array.desc.axes[array.desc.axes.size() - 2].size, 1);
    T* const values = array.as<T>();
    if (std::is_integral_v<T> && m.kind == "random" && m.whole_range) {
        for (std::int64_t i = 0; i < count; ++i)
            values[i] = static_cast<T>(random_bits(m.seed, static_cast<std::uint64_t>(i)) >> 8);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const double value = m.low + (m.high - m.low) * shape_of(m, i, width, height);
        values[i] = static_cast<T>(std::is_integral_v<T> ? std::floor(value + 0.5) : value);
    }
}

HostArray make(const Making& m) {
    HostArray array = HostArray::make(ArrayDesc::dense(m.type, m.extents));
    switch (m.type) {
        case ElementType::u8: fill<std::uint8_t>(array, m, 1); break;
        case ElementType::i8: fill<std::int8_t>(array, m, 1); break;
        case ElementType::u16: fill<std::uint16_t>(array, m, 1); break;
        case ElementType::i16: fill<std::int16_t>(array, m, 1); break;
        case ElementType::u32: fill<std::uint32_t>(array, m, 1); break;
        case ElementType::i32: fill<std::int32_t>(array, m, 1); break;
        case ElementType::u64: fill<std::uint64_t>(array, m, 1); break;
        case ElementType::i64: fill<std::int64_t>(array, m, 1); break;
        case ElementType::f32: fill<float>(array, m, 1); break;
        case ElementType::f64: fill<double>(array, m, 1); break;
        default: fill<float>(array, m, 2); break;
    }
    return array;
}

const Algorithm* algorithm_named(const std::vector<Algorithm>& algorithms, const std::string& name) {
    const auto found = std::find_if(algorithms.begin(), algorithms.end(), [&](const Algorithm& a) { return a.name == name; });
    return found == algorithms.end() ? nullptr : &*found;
}

HostArray run_algorithm(const std::string& name, const Json& spec, Session& session, const HostArrays& earlier) {
    Call call;
    call.algorithm = &session.engine().registry().get(spec["run"].get<std::string>());
    call.parameters = call.algorithm->parameters.parse(spec, "/inputs/" + name, {"run", "in", "output"});
    const Json in = spec.value("in", Json::object());
    for (const auto& [port, from] : in.items()) call.inputs.emplace(port, session.upload(earlier.at(from.get<std::string>())));
    std::string output = spec.value("output", std::string());
    for (const Port& port : call.algorithm->outputs) {
        if (output.empty() && port.kind == PortKind::array) output = port.name;
    }
    call.outputs = {output};
    return session.download(session.run(call).outputs.at(output));
}

bool is_window(const Json& spec) { return spec.is_object() && spec.contains("frames"); }

/// Inputs of a job that it reads: one, or the frames of a window, each with a file, page or volume of its own.
std::vector<InputSpec> inputs_in(const std::string& name, const Json& spec, const std::string& pointer) {
    if (!is_window(spec)) return {parse_input(name, spec, pointer)};
    const JsonObject f(JsonValue(spec, pointer), R"(an object such as {"frames": ["1.tif", "2.tif"], "combine": "median"})",
                       {"frames", "combine"});
    std::vector<InputSpec> frames;
    for (const JsonValue& frame : f.at("frames").list("a list of files")) frames.push_back(parse_input(name, frame.json(), frame.pointer()));
    if (frames.empty()) f.at("frames").refuse("at least one file");
    if (!f.contains("combine"))
        throw ConfigError(pointer, "\"frames\" without \"combine\"", list(combine_words), "say how they become one array");
    f.word("combine", combine_words);
    return frames;
}

NonFinite non_finite_in(const Json& settings) {
    const auto word = std::find(non_finite_words.begin(), non_finite_words.end(), settings.value("non_finite", "propagate"));
    return static_cast<NonFinite>(word - non_finite_words.begin());
}

HostArray read_input_of(const std::string& name, const Json& spec, const Locations& where, NonFinite policy) {
    const std::vector<InputSpec> inputs = inputs_in(name, spec, "/inputs/" + name);
    InputWarnings untold;   // as those of the files are: all who are compared get the same
    std::vector<HostArray> arrays;
    for (const InputSpec& input : inputs)
        arrays.push_back(read_input(input, prepare_input(input, where), policy, {}, untold));
    if (!is_window(spec)) return std::move(arrays.front());
    InputSpec window = inputs.front();   // as a series has it: an item's own file, and a word for its neighbours
    window.combine = spec["combine"].get<std::string>();
    return combine_input(window, prepare_input(window, where), arrays, untold);
}

}  // namespace

void check_input_spec(const Json& spec, const std::string& pointer, const std::vector<Algorithm>& algorithms,
                      const std::vector<std::string>& earlier) {
    if (spec.is_object() && spec.contains("make")) {
        read_making(spec, pointer);
        return;
    }
    if (!spec.is_object() || !spec.contains("run")) {
        inputs_in("input", spec, pointer);
        return;
    }
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms) names.push_back(algorithm.name);
    const std::string run = spec["run"].is_string() ? spec["run"].get<std::string>() : std::string();
    const Algorithm* const algorithm = algorithm_named(algorithms, run);
    if (!algorithm)
        throw ConfigError(pointer + "/run", describe(spec["run"]), "the name of an algorithm", did_you_mean(run, names));
    algorithm->parameters.parse(spec, pointer, {"run", "in", "output"});
    const Json in = spec.value("in", Json::object());
    if (!in.is_object())
        throw ConfigError(pointer + "/in", describe(in), "an object: input of the algorithm -> an input before this one");
    for (const auto& [port, from] : in.items()) {
        const std::string here = pointer_to(pointer + "/in", port);
        if (!algorithm->input(port)) throw ConfigError(here, fmt::format("\"{}\"", port), "an input of " + run);
        if (!from.is_string() || std::find(earlier.begin(), earlier.end(), from.get<std::string>()) == earlier.end())
            throw ConfigError(
                here, describe(from),
                earlier.empty() ? "an input before this one: there is none" : fmt::format("one of {}", fmt::join(earlier, ", ")));
    }
    for (const Port& port : algorithm->inputs) {
        if (port.required && !in.contains(port.name)) throw ConfigError(pointer + "/in", "no \"" + port.name + "\"", port.doc);
    }
}

Json input_spec_schema() {
    const Json number{{"anyOf", {Json{{"type", "number"}}, Json{{"type", "string"}, {"pattern", "^\\$"}}}}};
    Json made{{"type", "object"},
              {"properties",
               {{"make", {{"enum", kinds}}},
                {"type", {{"enum", types}}},
                {"axes", {{"type", "string"}, {"description", "Slowest first, for instance \"yx\"; n for a plain list."}}},
                {"shape", {{"type", "array"}, {"items", number}}},
                {"seed", {{"type", "integer"}, {"minimum", 0}}},
                {"range", {{"type", "array"}, {"items", number}, {"minItems", 2}, {"maxItems", 2}}}}},
              {"required", {"make", "type", "axes", "shape"}},
              {"additionalProperties", false}};
    Json run{{"type", "object"},
             {"required", {"run"}},
             {"description", "An algorithm with its parameters; \"in\" names inputs before this one."}};
    Json file{{"type", "object"},
              {"description", "A file as in a job, or several as frames, which combine makes one array."},
              {"not", {{"anyOf", {Json{{"required", {"make"}}}, Json{{"required", {"run"}}}}}}}};
    return {{"anyOf", {Json{{"type", "string"}}, std::move(made), std::move(run), std::move(file)}}};
}

bool is_read(const Json& spec) { return !spec.is_object() || (!spec.contains("make") && !spec.contains("run")); }

std::vector<std::filesystem::path> files_of(const std::string& name, const Json& spec, const Locations& where) {
    std::vector<std::filesystem::path> files;
    for (const InputSpec& input : inputs_in(name, spec, "/inputs/" + name)) {
        for (std::filesystem::path& file : prepare_input(input, where).files)
            if (files.empty() || files.back() != file) files.push_back(std::move(file));   // frames may be pages of one
    }
    return files;
}

std::string missing_file(const std::string& name, const Json& spec, const Locations& where) {
    if (!is_read(spec)) return {};
    try {
        files_of(name, spec, where);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

HostArray make_input(const std::string& name, const Json& spec, Session& session, const HostArrays& earlier,
                     const Locations& where, const Json& settings) {
    if (spec.is_object() && spec.contains("make")) return make(read_making(spec, "/inputs/" + name));
    if (spec.is_object() && spec.contains("run")) return run_algorithm(name, spec, session, earlier);
    return read_input_of(name, spec, where, non_finite_in(settings));
}

}  // namespace parallax::engine::compare
