#include "algorithms/reduce/device.hpp"

namespace parallax::engine::reduce {
namespace {

const char* kernel_type(ElementType type) {
    switch (type) {
        case ElementType::u8: return "uchar";
        case ElementType::i8: return "char";
        case ElementType::u16: return "ushort";
        case ElementType::i16: return "short";
        case ElementType::u32: return "uint";
        case ElementType::i32: return "int";
        case ElementType::f64: return "double";
        default: return "float";   // infer() admits no other type
    }
}

}  // namespace

DevicePlan::DevicePlan(const Problem& problem)
    : parameters_(problem.parameters.as<ReduceParameters>()),
      type_(problem.inputs.at("array").type),
      count_(problem.inputs.at("array").count()),
      kind_(kind_of(problem)),
      wants_value_(problem.wants("value")),
      wants_statistics_(problem.wants("statistics")) {}

host::Defines DevicePlan::defines(bool simd) const {
    host::Defines d;
    const char* integer = is_signed(type_) ? simd ? "long" : "long64" : simd ? "ulong" : "ulong64";
    d.add("KIND", static_cast<std::int64_t>(kind_)).add("ELEMENT", kernel_type(type_));
    d.add(simd ? "LANE" : "WORD", is_floating(type_) ? kernel_type(type_) : integer);
    d.add("REAL", is_floating(type_)).add("SIGNED", is_signed(type_));
    return d;
}

void DevicePlan::enqueue(Execution& x, const Bindings& arrays) {
    const Left left = count_ != 0 ? reduce(x, arrays.input("array")) : Left{};
    const auto record = [&](const char* port, auto make) {
        if (count_ == 0) return x.record(port, [make, type = type_] { return make(Totals(type)); });
        x.record(port, *left.buffer, bytes(left.accumulators),
                 [make, type = type_, kind = kind_, count = count_](std::span<const std::byte> read) {
                     Totals totals = totals_from(type, kind, read);
                     totals.count = static_cast<std::uint64_t>(count);
                     return make(totals);
                 });
    };
    if (wants_value_) record("value", [p = parameters_](const Totals& t) { return value_record(p, t); });
    if (wants_statistics_) record("statistics", [](const Totals& t) { return statistics_record(t); });
}

Support has_double_precision(const Problem& problem, host::Context& context) {
    const bool wide = problem.inputs.at("array").type == ElementType::f64;
    return wide && !context.capabilities().fp64
               ? Support::no("the array is f64 and the device has no double precision: convert it to f32")
               : Support::yes();
}

}  // namespace parallax::engine::reduce
