#include "tune/problems.hpp"

#include "problems/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace parallax::engine::tune {
namespace {

using Shape = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// A shape of a class to be searched with, and one to be checked with.
struct Shapes {
    const char* size;
    Shape wide;          ///< of elements of one byte, and of two where these are large enough
    Shape wide_check;
    Shape deep;          ///< of other elements
    Shape deep_check;
};

/// Less than 1 MiB, less than 64 MiB, more: a frame of a camera, a mosaic, and away from the edges of each class.
const auto& tables = *new std::map<std::string, std::array<Shapes, 3>>{
    {"frames", {{
        {"small", {800, 1000}, {300, 401}, {400, 500}, {150, 203}},
        {"medium", {2304, 3072}, {1300, 1101}, {2048, 2048}, {700, 901}},
        {"large", {8192, 8192}, {9000, 10001}, {4096, 4096}, {5000, 6001}},
    }}},
    {"holograms", {{   // widths that every transform takes
        {"small", {480, 640}, {300, 416}, {400, 512}, {150, 256}},
        {"medium", {2304, 3072}, {1300, 1120}, {2048, 2048}, {700, 896}},
        {"large", {8192, 8192}, {9000, 9600}, {4096, 4096}, {5000, 6000}},
    }}},
    {"volumes", {{
        {"small", {40, 140, 140}, {20, 90, 101}, {20, 100, 100}, {10, 60, 71}},
        {"medium", {64, 512, 512}, {30, 250, 301}, {64, 256, 256}, {30, 120, 151}},
        {"large", {128, 768, 768}, {256, 600, 601}, {128, 384, 384}, {200, 300, 301}},
    }}},
    {"lists", {{
        {"small", {800000}, {150001}, {100000}, {40001}},
        {"medium", {12000000}, {1500001}, {4000000}, {400003}},
        {"large", {80000000}, {70000001}, {20000000}, {17000003}},
    }}},
    {"cubes", {{
        {"small", {96}, {61}, {}, {}},
        {"medium", {256}, {150}, {}, {}},
        {"large", {512}, {450}, {}, {}},
    }}},
};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

std::string named(const std::string& algorithm, const Shape& shape) {
    if (shape.empty()) return {};
    if (shape.size() == 1) return fmt::format("{} {}", shape.front(), algorithm == "box_count" ? "a side" : "elements");
    return fmt::format("{}", fmt::join(shape, " x "));
}

/// A row of an algorithm: in each of its types and sizes one problem and its checks.
class Row {
public:
    Row(std::string algorithm, const Json& written) : algorithm_(std::move(algorithm)), written_(written) {}

    void add_to(std::vector<ProblemSet>& sets) const {
        if (!written_.contains("types")) {   // without an input: one class
            sets.push_back({algorithm_, {"", "small"}, problem({}, "", {}), {}, {}});
            for (const Json& check : written_.at("checks")) sets.back().checks.push_back(problem(check, "", {}));
            return;
        }
        const Names sizes = written_.value("sizes", size_classes());
        for (const auto& type : written_.at("types").get<Names>()) {
            for (const Shapes& shapes : tables.at(written_.at("shapes").get<std::string>())) {
                if (std::find(sizes.begin(), sizes.end(), shapes.size) != sizes.end()) sets.push_back(set_of(type, shapes));
            }
        }
    }

private:
    ProblemSet set_of(const std::string& type, const Shapes& shapes) const {
        const bool wide = type == "u8" || (type == "u16" && std::string(shapes.size) != "small");
        const Shape& shape = wide ? shapes.wide : shapes.deep;
        const Shape& other = wide ? shapes.wide_check : shapes.deep_check;
        ProblemSet set{
            algorithm_, {type, shapes.size}, problem(Json::object(), type, shape), {}, written_.value("variants", Names())};
        const auto checks = written_.value("checks", std::vector<Json>{Json::object()});
        const auto last = std::find_if(checks.rbegin(), checks.rend(), [](const Json& check) { return !check.contains("as"); });
        for (auto check = checks.begin(); check != checks.end(); ++check)
            set.checks.push_back(problem(*check, type, last != checks.rend() && &*check == &*last ? other : shape));
        return set;
    }

    /// `check`: parameters in place of the row's; empty: the row's own. With "as", a name: of other outputs, and of inputs beside
    /// the row's, without parameters.
    TuningProblem problem(const Json& check, const std::string& type, const Shape& shape) const {
        const bool other = check.contains("as");
        TuningProblem made{other ? check["as"].get<std::string>() : named(algorithm_, shape), Json::object(), Json::object(), {}};
        made.outputs = (other ? check : written_).value("outputs", Names());
        if (!other) made.parameters = check.empty() ? written_.value("parameters", Json::object()) : check;
        for (const auto& [name, value] : made.parameters.items())
            made.name += fmt::format("{}{} {}", made.name.empty() ? "" : ", ", name, text_of(value));
        Json inputs = written_.value("inputs", Json::object());
        if (other) inputs.update(check.value("inputs", Json::object()));
        for (const auto& [port, rule] : inputs.items()) made.inputs[port] = problems::input_rule(rule, type, shape);
        return made;
    }

    std::string algorithm_;
    const Json& written_;
};

std::vector<ProblemSet> make_sets() {
    std::vector<ProblemSet> sets;
    for (const std::string& algorithm : problems::algorithms())
        for (const Json& row : problems::rows(algorithm, "tuning")) Row(algorithm, row).add_to(sets);
    return sets;
}

}  // namespace

const std::vector<ProblemSet>& problem_sets() {
    static const auto& all = *new std::vector<ProblemSet>(make_sets());
    return all;
}

const std::vector<std::string>& size_classes() {
    static const auto& all = *new std::vector<std::string>{"small", "medium", "large"};
    return all;
}

}  // namespace parallax::engine::tune
