// FITS images (NASA's Flexible Image Transport System 4.0): big-endian elements behind a header (fits_header.hpp). Compressed images
// and tables are not read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "io/file.hpp"
#include "io/fits_header.hpp"
#include "io/fits_space.hpp"
#include "io/scale_loss.hpp"
#include "io/stored.hpp"

namespace parallax::io::fits {
namespace {

/// The value of elements that are none; empty: all are. One that no element can have is as good as none.
std::optional<std::int64_t> blank_of(const Source& source, const Unit& unit, std::vector<Warning>& warnings) {
    if (unit.bits < 0) return std::nullopt;   // real numbers have NaN
    const std::optional<std::int64_t> blank = whole_card(source, unit, "BLANK");
    if (!blank || unit.bits == 64) return blank;
    const std::int64_t half = std::int64_t{1} << (unit.bits - 1), least = unit.bits == 8 ? 0 : -half;
    if (*blank >= least && *blank < least + 2 * half) return blank;
    warnings.push_back(fmt::format("its BLANK is {}, which no element of {} bits can be: it is left out", *blank, unit.bits));
    return std::nullopt;
}

/// What is lost of whole numbers of 64 bits that become real ones, since they are scaled or one of them says that there is none.
std::string loss_of_wide(std::int64_t bits, bool scaled) {
    if (bits != 64) return {};   // f64 holds all of 32, and is what -64 is
    return fmt::format("its values are stored as i64{}, and read as f64, which keeps 15 digits of each",
                       scaled ? " and scaled" : ", of which one stands for none (BLANK)");
}

template <class T, class R>
void convert_as(const std::byte* from, std::byte* to, std::int64_t count, double scale, double zero,
                std::optional<std::int64_t> blank) {
    const T* in = reinterpret_cast<const T*>(from);
    R* out = reinterpret_cast<R*>(to);
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<R>(static_cast<double>(in[i]) * scale + zero);
        if constexpr (std::is_integral_v<T>) {
            if (blank && in[i] == static_cast<T>(*blank)) out[i] = std::numeric_limits<R>::quiet_NaN();
        }
    }
}

StoredArray read_header(const Source& source) {
    const Document document = find_image(source);
    const Unit& unit = document.unit;
    StoredArray array;
    FileInfo& file = array.file;
    file.format = "fits";
    file.file_bytes = source.bytes;
    constexpr std::pair<std::int64_t, ElementType> types[] = {{8, ElementType::u8},    {16, ElementType::i16},
                                                              {32, ElementType::i32},  {64, ElementType::i64},
                                                              {-32, ElementType::f32}, {-64, ElementType::f64}};
    const auto* row = std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.first == unit.bits; });
    if (row == std::end(types)) fail(source, fmt::format("has BITPIX {}, which FITS does not know", unit.bits), again);
    array.stored = row->second;
    std::vector<std::int64_t> sizes = unit.sizes;
    while (sizes.size() > 2 && sizes.back() == 1) sizes.pop_back();   // spectra and polarisations of one index
    if (sizes.size() > 4) fail(source, fmt::format("has {} FITS axes; up to 4 can be read", sizes.size()), "write a part of it");
    std::vector<ArrayDesc::Extent> extents;
    const std::string letters = name_axes(unit, sizes.size(), file.warnings);
    for (std::size_t i = sizes.size(); i-- > 0;) extents.push_back({letters[i], sizes[i]});
    file.page_axes = letters.ends_with('t') ? 1 : 0;

    // BZERO of half the range says unsigned numbers; other scales make real ones, as in astropy.
    const double scale = number_card(source, unit, "BSCALE", 1), zero = number_card(source, unit, "BZERO", 0);
    const std::optional<std::int64_t> blank = blank_of(source, unit, file.warnings);
    ElementType type = array.stored;
    const auto flip = [&](ElementType other, int bit) {
        type = other;
        array.convert = [bit, bytes = bytes_of(other)](const std::byte* from, std::byte* to, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i, from += bytes, to += bytes) {
                std::uint64_t value = 0;
                std::memcpy(&value, from, bytes);
                value ^= std::uint64_t{1} << bit;
                std::memcpy(to, &value, bytes);
            }
        };
    };
    static_assert(std::endian::native == std::endian::little, "the bytes of a number are taken from its front");
    if (scale == 1 && zero == 32768 && unit.bits == 16 && !blank)
        flip(ElementType::u16, 15);
    else if (scale == 1 && zero == 2147483648.0 && unit.bits == 32 && !blank)
        flip(ElementType::u32, 31);
    else if (scale == 1 && zero == 9223372036854775808.0 && unit.bits == 64 && !blank)
        flip(ElementType::u64, 63);
    else if (scale == 1 && zero == -128 && unit.bits == 8 && !blank)
        flip(ElementType::i8, 7);
    else if (scale != 1 || zero != 0 || blank) {
        const bool wide = unit.bits == 32 || unit.bits == 64 || unit.bits == -64;
        type = wide ? ElementType::f64 : ElementType::f32;
        const std::string loss = wide ? loss_of_wide(unit.bits, scale != 1 || zero != 0)
                                      : loss_by_scale(to_string(array.stored), scale, zero);
        if (!loss.empty()) file.warnings.push_back(loss);
        array.convert = [stored = array.stored, wide, scale, zero, blank](const std::byte* from, std::byte* to,
                                                                          std::int64_t count) {
            visit_real(stored, [&]<class T>(T) {
                if (wide)
                    convert_as<T, double>(from, to, count, scale, zero, blank);
                else
                    convert_as<T, float>(from, to, count, scale, zero, blank);
            });
        };
    }
    declared(source, array.stored, extents);
    file.desc = declared(source, type, extents);
    describe_space(source, unit, file);
    array.swap = bytes_of(array.stored) > 1 && std::endian::native != std::endian::big;
    array.at = unit.data;
    check_stored(source, array);
    file.in_slices = has_slices(file.desc);
    if (document.images > 1 && source.options.dataset.empty())
        file.warnings.push_back(fmt::format("it holds {} images, of which the first that is not compressed is read: image {}; \"dataset\" takes another",
                                            document.images, in_words(unit)));
    if (!document.others.empty()) file.ignored.push_back(fmt::format("what else it holds: {}", fmt::join(document.others, ", ")));
    file.detail = fmt::format("image {}, BITPIX {}{}, the first row is that which FITS shows at the bottom", in_words(unit),
                              unit.bits, scale != 1 || zero != 0 ? fmt::format(", scaled by {} plus {}", scale, zero) : "");
    return array;
}

}   // namespace

bool matches(Head head) { return head.size() >= 30 && std::memcmp(head.data(), "SIMPLE  =", 9) == 0; }

FileInfo info(const Source& source) { return read_header(source).file; }

HostArray read(const Source& source) { return read_stored(source, read_header(source)); }

SliceStream slices(const Source& source) { return stream_stored(source, read_header(source)); }

}   // namespace parallax::io::fits
