#include "selftest/problems.hpp"

#include "problems/problems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

namespace parallax::engine::selftest {

namespace {

using Shape = std::vector<std::int64_t>;

/// Problems of an algorithm that differ in type, size and operation. Sizes are small: one element, odd numbers, primes, more than
/// a work-group.
struct Family {
    Family(std::string name, const Json& row)
        : algorithm(std::move(name)),
          types(row.value("types", std::vector<std::string>{""})),
          shapes(row.value("shapes", std::vector<Shape>{{}})),
          operations(row.value("parameters", std::vector<Json>{Json::object()})),
          inputs(row.value("inputs", Json::object())),
          common(row.value("common", Json::object())),
          outputs(row.at("outputs").get<std::vector<std::string>>()) {}

    std::string algorithm;
    std::vector<std::string> types;
    std::vector<Shape> shapes;
    std::vector<Json> operations;          ///< parameters
    Json inputs;                           ///< rules for any type and shape
    Json common;                           ///< parameters of all of them
    std::vector<std::string> outputs;
};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

SmallProblem problem_of(const Family& family, const std::string& type, const Shape& shape, const Json& operation) {
    SmallProblem problem{family.algorithm, type, Json::object(), family.common, family.outputs};
    for (const auto& [port, rule] : family.inputs.items()) problem.inputs[port] = problems::input_rule(rule, type, shape);
    if (!shape.empty()) problem.name += fmt::format("{}{}", type.empty() ? "" : ", ", fmt::join(shape, " x "));
    for (auto input = problem.inputs.begin(); input != problem.inputs.end(); ++input)
        if (input != problem.inputs.begin() && input->contains("make")) problem.name += ", with " + input.key();
    for (const auto& [name, value] : operation.items()) {
        problem.name += fmt::format("{}{} {}", problem.name.empty() ? "" : ", ", name, text_of(value));
        problem.parameters[name] = value;
    }
    return problem;
}

void add(std::vector<SmallProblem>& all, const Family& f, Extent extent) {
    const std::size_t types = f.types.size(), shapes = f.shapes.size(), operations = f.operations.size();
    if (extent == Extent::cover) {
        for (std::size_t i = 0; i < std::max({types, shapes, operations}); ++i)
            all.push_back(problem_of(f, f.types[i % types], f.shapes[i % shapes], f.operations[i % operations]));
        return;
    }
    for (const std::string& type : f.types)
        for (const Json& operation : f.operations)
            for (const Shape& shape : f.shapes) all.push_back(problem_of(f, type, shape, operation));
}

std::vector<SmallProblem> make_problems(Extent extent) {
    std::vector<SmallProblem> all;
    for (const std::string& algorithm : problems::algorithms())
        for (const Json& row : problems::rows(algorithm, "selftest")) add(all, Family(algorithm, row), extent);
    return all;
}

}  // namespace

const std::vector<SmallProblem>& problems(Extent extent) {
    static const auto& cover = *new std::vector<SmallProblem>(make_problems(Extent::cover));
    static const auto& product = *new std::vector<SmallProblem>(make_problems(Extent::product));
    return extent == Extent::cover ? cover : product;
}

}  // namespace parallax::engine::selftest
