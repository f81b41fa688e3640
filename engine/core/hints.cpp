#include "core/hints.hpp"

#include <fmt/format.h>

namespace parallax::engine {

std::string how_to_convert(const ArrayDesc& array, std::string_view type) {
    if (is_complex(array.type)) return "it is complex: give its real part or its magnitude";
    const bool never = array.type == ElementType::u64 || array.type == ElementType::i64 || array.type == ElementType::i8;
    if (never) return fmt::format("no step converts {}: save it as {}", to_string(array.type), type);
    return fmt::format(R"(a step before it converts: {{"run": "convert", "type": "{}"}})", type);
}

std::string how_to_take_one(const ArrayDesc& array, char axis, bool slices) {
    const std::string select =
        fmt::format(R"(a step before it takes one of any array: {{"run": "select", "axis": "{}", "index": 0}})", axis);
    if (axis == 't' && array.find('z')) return R"("volume": 0 of the input takes one volume of a NIfTI file; )" + select;
    if (axis == 't' && slices) return R"(if its pages are slices, say "page_axis": "z" of the input; )" + select;
    if (axis == 't' || axis == 'z') return R"("page": 0 of the input takes one page of a TIFF or NPY; )" + select;
    return select;
}

}  // namespace parallax::engine
