// What the steps that work element by element have in common: types, operands of another shape, one kernel that streams
// through arrays (kernels_cl/elementwise/pass.clh), and the variants made of it.
#pragma once

#include "core/algorithm.hpp"
#include "core/plan.hpp"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace parallax::engine::elementwise {

/// u8, u16, i16, u32, i32 and f32: what these steps work on.
bool is_supported(ElementType) noexcept;
/// "uchar" ...; for supported types.
const char* kernel_type(ElementType) noexcept;
/// Smallest and largest integer of a type; for supported integer types.
struct Limits { std::int64_t low, high; };
Limits limits_of(ElementType) noexcept;
/// NAME=uchar, NAME_REAL=0, NAME_LOW=0, NAME_HIGH=UCHAR_MAX.
void define_type(host::Defines&, const std::string& name, ElementType);

/// Throws ConfigError at /inputs/PORT unless the array is dense and of a supported type.
void check_image(const ArrayDesc&, const std::string& port);

/// f(T{}) with the C++ type of a supported one.
template <class F>
void visit(ElementType type, F&& f) {
    switch (type) {
        case ElementType::u8: return f(std::uint8_t{});
        case ElementType::u16: return f(std::uint16_t{});
        case ElementType::i16: return f(std::int16_t{});
        case ElementType::u32: return f(std::uint32_t{});
        case ElementType::i32: return f(std::int32_t{});
        default: return f(float{});   // infer() admits no other type
    }
}

/// Turns of loops that a work-item may take: llvmpipe (Mesa 22.3) ends all its loops after 65535 in total, and says nothing.
inline constexpr std::uint64_t most_turns = 16384;

/// Which element of a second array belongs to element i of the image; numbers as PAIRING in pass.clh.
struct Pairing {
    enum Kind { none, same, channels, repeated } kind = none;
    std::int64_t n = 1;

    std::int64_t index(std::int64_t i) const noexcept {
        return kind == none ? 0 : kind == same ? i : kind == channels ? i / n : i % n;
    }
};
/// The image's shape, its shape without channels, or without axes in front (one for every slice or frame).
/// Throws ConfigError at /inputs/PORT for any other.
Pairing pairing_of(const ArrayDesc& image, const ArrayDesc& other, const std::string& port);
/// Where the array at `port` goes with `image` by its sizes, and its axes have other names.
std::vector<std::string> warnings_of_axes(const Problem&, const std::string& port);

/// The kernel of one step, for one size.
class ElementwisePass {
public:
    /// `file` ends with pass.clh; `defines` say A, B, OUT and what the file wants.
    ElementwisePass(PlanBuilder&, const std::string& file, host::Defines defines, const Pairing&, std::int64_t count,
                    const Policy&);
    /// Where a step has no second array or no parameters, any buffer.
    void enqueue(Execution&, std::string_view stage, const host::Buffer& image, const host::Buffer& other,
                 const host::Buffer& parameters, const host::Buffer& out);

private:
    std::unique_ptr<host::Kernel> kernel_;
    Pairing pairing_;
    std::uint64_t count_;
    std::size_t group_ = 1, groups_ = 1;
};
PolicyTable pass_policy();

/// `reference`: `work` runs on the host, its arrays in host memory; records that it leaves in `records` by port become the
/// step's.
using Work = std::function<void(const Problem&, const Bindings&, Json& records)>;
/// `taken`: bytes that the work takes beside the arrays; empty: none to speak of.
Variant reference_variant(Work, std::function<std::int64_t(const Problem&)> taken = {});

/// The elements of an input or output on the native device.
template <class T>
const T* input(const Bindings& arrays, std::string_view port) {
    return reinterpret_cast<const T*>(arrays.input(port).host_pointer());
}
template <class T>
T* output(const Bindings& arrays, std::string_view port) {
    return reinterpret_cast<T*>(arrays.output(port).host_pointer());
}

/// Whether a number is one as f32, too: neither infinite, nor 0 unless it is.
inline bool is_kept_by_float(double number) noexcept {
    const auto single = static_cast<float>(number);
    return std::isfinite(single) && (single != 0 || number == 0);
}
inline constexpr const char* numbers_of_float = "a number from 1.2e-38 to 3.4e38 in size";
/// Throws ConfigError for one that is not.
void check_kept_by_float(double number, const char* pointer);

}  // namespace parallax::engine::elementwise
