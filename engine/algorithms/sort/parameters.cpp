#include "algorithms/sort/parameters.hpp"

#include "core/hints.hpp"

#include <fmt/format.h>

namespace parallax::engine::sort {
namespace {

const ParameterTable& bits_table() {
    static const auto& table = *new ParameterTable(TableBuilder<Bits>()
            .integer("begin", &Bits::begin, {.min = 0, .max = 64}, "The lowest bit that is compared.")
            .integer("end", &Bits::end, {.min = -1, .max = 64},
                     "The bit above the highest one that is compared. -1: all bits from begin on.")
            .build());   // to the end: for after main()
    return table;
}

void check_axis(const char* port, const ArrayDesc& array) {
    if (array.axes.size() != 1) throw ConfigError(port, array.describe(), "an array of one axis");
    if (!array.is_dense()) throw ConfigError(port, array.describe() + " with gaps", "a dense array");
}

}  // namespace

ParameterTable sort_table() {
    using P = SortParameters;
    return TableBuilder<P>()
        .choice("order", &P::order, {{"ascending", Order::ascending}, {"descending", Order::descending}},
                "Smallest or largest key first. Equal keys keep their order in both.")
        .object("bits", &P::bits, bits_table(), {}, "Which bits of the keys are compared; null: all. Fewer bits take less time.")
        .build();
}

SortSpec spec_of(const Problem& problem) {
    const auto& p = problem.parameters.as<SortParameters>();
    const ArrayDesc& keys = problem.inputs.at("keys");
    if (keys.type != ElementType::u32 && keys.type != ElementType::u64)
        throw ConfigError("/inputs/keys", keys.describe(), "keys of type u32 or u64", how_to_convert(keys, "u32"));
    check_axis("/inputs/keys", keys);

    SortSpec spec;
    spec.type = keys.type;
    spec.count = keys.count();
    spec.descending = p.order == Order::descending;
    const Bits bits = p.bits.value_or(Bits{});
    spec.begin = bits.begin;
    spec.end = bits.end == -1 ? spec.key_bits() : bits.end;
    if (spec.end > spec.key_bits())
        throw ConfigError("/bits/end", std::to_string(spec.end),
                          fmt::format("at most {}, the bits of {}", spec.key_bits(), to_string(keys.type)));
    if (spec.begin > spec.end)
        throw ConfigError("/bits/begin", std::to_string(spec.begin), fmt::format("at most end, {}", spec.end));

    const auto values = problem.inputs.find("values");
    if (values != problem.inputs.end()) {
        if (values->second.type != ElementType::u32)
            throw ConfigError("/inputs/values", values->second.describe(), "values of type u32");
        check_axis("/inputs/values", values->second);
        if (values->second.count() != spec.count)
            throw ConfigError("/inputs/values", fmt::format("{} values", values->second.count()),
                              fmt::format("one for each of the {} keys", spec.count));
    }
    spec.values = problem.wants("values");
    if (spec.values && values == problem.inputs.end())
        throw ConfigError("/outputs/values", "values", "keys alone: no values go in", "add an input \"values\"");
    return spec;
}

}  // namespace parallax::engine::sort
