#include "algorithms/scan/device.hpp"

namespace parallax::engine::scan {

host::Defines defines_of(const Problem& problem) {
    const ElementType type = problem.inputs.at("array").type;
    const std::int64_t number = type == ElementType::u32 ? 0 : type == ElementType::i32 ? 1 : type == ElementType::u64 ? 2 : 3;
    host::Defines d;
    d.add("TYPE", number).add("OP", static_cast<std::int64_t>(problem.parameters.as<ScanParameters>().op));
    return d;
}

Variant device_variant(std::string name, std::string summary, Role role, std::string file) {
    Variant v;
    v.name = std::move(name);
    v.summary = std::move(summary);
    v.role = role;
    v.backends = {host::Backend::opencl, host::Backend::cuda};
    v.kernels = {std::move(file)};
    return v;
}

}  // namespace parallax::engine::scan
