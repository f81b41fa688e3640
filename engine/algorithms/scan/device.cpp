#include "algorithms/scan/device.hpp"

namespace parallax::engine::scan {

host::Defines defines_of(const Problem& problem) {
    const ElementType type = problem.inputs.at("array").type;
    const Word word = type == ElementType::u32   ? Word::u32
                      : type == ElementType::i32 ? Word::i32
                      : type == ElementType::u64 ? Word::u64
                                                 : Word::f32;
    host::Defines d;
    d.add("TYPE", static_cast<std::int64_t>(word))
        .add("OP", static_cast<std::int64_t>(problem.parameters.as<ScanParameters>().op));
    return d;
}

}  // namespace parallax::engine::scan
