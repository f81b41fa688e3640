// FITS images (NASA's Flexible Image Transport System 4.0): blocks of 2,880 bytes, headers of cards of 80 characters, big-endian
// elements. The first image, or the one that "dataset" names by its EXTNAME or its number. Compressed images and tables are not
// read.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/scale_loss.hpp"
#include "io/stored.hpp"
#include "io/text_header.hpp"
#include "io/units.hpp"

namespace parallax::io::fits {
namespace {

constexpr std::uint64_t block_bytes = 2880;
constexpr std::size_t card_bytes = 80;
constexpr std::size_t most_cards = 1 << 16, most_units = 1 << 14;
constexpr const char* again = "the header is damaged or the file cut off: write or copy it again";

/// Keys of which a second, other value would make another image. Others may stand there as often as they like: a compressed
/// image keeps the name that it had before beside its table's, EXTNAME, of which the first is taken.
bool has_meaning(std::string_view key) {
    constexpr std::string_view keys[] = {"BITPIX", "BSCALE", "BZERO", "BLANK", "GROUPS", "PCOUNT", "XTENSION", "ZIMAGE"};
    constexpr std::string_view numbered[] = {"NAXIS", "CDELT", "CUNIT", "CTYPE", "CD"};
    const std::size_t digits = std::min(key.find_first_of("0123456789"), key.size());
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys) ||
           std::find(std::begin(numbered), std::end(numbered), key.substr(0, digits)) != std::end(numbered);
}

/// One header and what follows it.
struct Unit {
    Fields cards;
    std::uint64_t data = 0, bytes = 0;   ///< where its data begin, and how many they are
    std::vector<std::int64_t> sizes;     ///< the fastest first
    std::int64_t bits = 0;
    std::size_t number = 0;
    std::string_view card(std::string_view name) const {
        const auto found = cards.find(name);
        return found == cards.end() ? std::string_view() : std::string_view(found->second);
    }
    std::string name() const { return std::string(card("EXTNAME")); }
    bool is_image() const {
        const std::string_view kind = card("XTENSION");
        return !sizes.empty() && (kind.empty() || kind == "IMAGE") && std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
    }
    /// What it is where it is no image.
    std::string kind() const {
        if (card("GROUPS") == "T") return "random groups";
        const std::string_view extension = card("XTENSION");
        return extension.empty() || extension == "IMAGE" ? "an empty image" : "a " + in_lower_case(extension);
    }
};

/// A value as text: of a string what stands between the quotes.
std::string value_of(std::string_view card) {
    std::string_view text = card.substr(10);
    const std::string_view begin = trimmed(text);
    if (begin.starts_with('\'')) {
        const std::size_t end = begin.find('\'', 1);
        return std::string(trimmed(begin.substr(1, std::min(end, begin.size()) - 1)));
    }
    return std::string(trimmed(text.substr(0, text.find('/'))));
}

void add_card(const Source& source, Unit& unit, std::string_view name, const std::string& value) {
    const std::string problem = problem_of_adding(unit.cards, name, value, "FITS");
    if (!problem.empty() && has_meaning(name)) fail(source, problem, "each key stands there once: remove one of the two cards");
}

/// A card that holds a whole number; empty: there is none. What is no number is an error, as what stands for none is another
/// image.
std::optional<std::int64_t> whole_card(const Source& source, const Unit& unit, std::string_view name) {
    const std::string_view text = unit.card(name);
    if (text.empty()) return std::nullopt;
    const std::optional<std::int64_t> value = integer_of(text);
    if (!value)
        fail(source,
             fmt::format("has {} = \"{}\" in its FITS header {}, where a whole number should be", name, shortened(text),
                         unit.number),
             again);
    return value;
}

/// Leaves the file behind the header.
Unit read_unit(const Source& source, File& file, std::uint64_t at, std::size_t number) {
    Unit unit;
    unit.number = number;
    file.seek(at);
    std::string block(block_bytes, '\0');
    bool ended = false;
    for (std::size_t cards = 0; !ended; at += block_bytes) {
        file.read(block.data(), block_bytes, "a FITS header");
        for (std::size_t i = 0; i < block_bytes && !ended; i += card_bytes) {
            const std::string_view card = std::string_view(block).substr(i, card_bytes);
            const std::string_view name = trimmed(card.substr(0, 8));
            if (++cards > most_cards) fail(source, fmt::format("has a FITS header of more than {} cards", most_cards), again);
            if (name == "END")
                ended = true;
            else if (card.substr(8, 2) == "= ")
                add_card(source, unit, name, value_of(card));
        }
    }
    unit.data = at;
    const std::optional<std::int64_t> bits = integer_of(unit.card("BITPIX")), axes = integer_of(unit.card("NAXIS"));
    if (!bits || !axes || *axes < 0 || *axes > 999)
        fail(source,
             fmt::format("has BITPIX \"{}\" and NAXIS \"{}\" in its FITS header {}", unit.card("BITPIX"), unit.card("NAXIS"),
                         number),
             again);
    unit.bits = *bits;
    std::uint64_t elements = *axes == 0 ? 0 : 1;
    for (std::int64_t i = 1; i <= *axes; ++i) {
        const std::optional<std::int64_t> size = integer_of(unit.card(fmt::format("NAXIS{}", i)));
        if (!size || *size < 0) fail(source, fmt::format("has no size of axis {} in its FITS header {}", i, number), again);
        unit.sizes.push_back(*size);
        if (*size > 0 && elements > (std::uint64_t{1} << 60) / static_cast<std::uint64_t>(*size))
            fail(source, fmt::format("says in its FITS header {} that it holds more than 2^60 elements", number), again);
        elements *= static_cast<std::uint64_t>(*size);
    }
    const auto heap = static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole_card(source, unit, "PCOUNT").value_or(0)));
    unit.bytes = elements * static_cast<std::uint64_t>(std::abs(unit.bits) / 8) + (unit.sizes.empty() ? 0 : heap);
    return unit;
}

/// All headers up to the one that is wanted; its index, and what else there is.
struct Document {
    Unit unit;
    std::vector<std::string> others;
};

std::string in_words(const Unit& unit) {
    return fmt::format("{}{}", unit.number, unit.name().empty() ? "" : " \"" + unit.name() + "\"");
}

Document find_image(const Source& source) {
    File file = source.open();
    const std::string& wanted = source.options.dataset;
    const std::optional<std::int64_t> asked = integer_of(wanted);
    std::optional<Document> found;
    std::vector<std::string> images, others;
    std::string packed;
    std::uint64_t at = 0;
    for (std::size_t number = 0; at + block_bytes <= source.bytes && number < most_units; ++number) {
        if (number > 0) {   // what is no extension are records of somebody's own
            std::array<char, 8> start{};
            file.seek(at);
            file.read(start.data(), start.size(), "a FITS header");
            if (std::string_view(start.data(), 8) != "XTENSION") break;
        }
        Unit unit = read_unit(source, file, at, number);
        const std::uint64_t padded = (unit.bytes + block_bytes - 1) / block_bytes * block_bytes;
        at = unit.data + std::min(padded, source.bytes);
        const bool named = unit.name() == wanted || (asked && *asked == static_cast<std::int64_t>(number));
        if (unit.card("ZIMAGE") == "T") {
            others.push_back(fmt::format("{} (a compressed image)", in_words(unit)));
            if (packed.empty() && (wanted.empty() || named)) packed = in_words(unit);
            continue;
        }
        if (!unit.is_image()) {
            if (!unit.sizes.empty()) others.push_back(fmt::format("{} ({})", in_words(unit), unit.kind()));
            continue;
        }
        images.push_back(in_words(unit));
        if (!found && (wanted.empty() || named))
            found = Document{std::move(unit), {}};
        else
            others.push_back(images.back());
    }
    if (!found && !packed.empty())
        fail(source, fmt::format("is a FITS file whose image is compressed, which is not read: {}", packed),
             "write it uncompressed, for instance by funpack or astropy.io.fits");
    if (!found && !wanted.empty())
        fail(source, fmt::format("has no FITS image \"{}\"", wanted),
             fmt::format("choose one of {}",
                         images.empty() ? "none: it has no image" : fmt::format("{}", fmt::join(images, ", "))));
    if (!found)
        fail(source,
             fmt::format("is a FITS file without an image{}", others.empty() ? "" : fmt::format(": {}", fmt::join(others, ", "))),
             "see what it holds, for instance by fitsinfo");
    found->others = std::move(others);
    return *std::move(found);
}

/// A card that holds a real number, whose exponent may be written with a D.
double number_card(const Source& source, const Unit& unit, std::string_view name, double otherwise) {
    std::string text(unit.card(name));
    if (text.empty()) return otherwise;
    std::replace(text.begin(), text.end(), 'D', 'E');
    const std::optional<double> value = number_of(text);
    if (!value || !std::isfinite(*value))
        fail(source,
             fmt::format("has {} = \"{}\" in its FITS header {}, where a number should be", name, shortened(unit.card(name)),
                         unit.number),
             "FITS writes numbers as 0.25, 2.5E-1 or 2.5D-1, of up to 1.8E308: write the file again");
    return *value;
}

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

/// How far the next element of an axis is, counting from 1: CDELT, or what stands for it in a matrix (CD) that turns nothing.
double step_of(const Source& source, const Unit& unit, std::size_t axis, std::size_t axes) {
    const double step = number_card(source, unit, fmt::format("CDELT{}", axis), 0);
    if (step != 0) return std::abs(step);
    for (std::size_t other = 1; other <= axes; ++other) {
        if (other != axis && (number_card(source, unit, fmt::format("CD{}_{}", axis, other), 0) != 0 ||
                              number_card(source, unit, fmt::format("CD{}_{}", other, axis), 0) != 0))
            return 0;
    }
    return std::abs(number_card(source, unit, fmt::format("CD{}_{}", axis, axis), 0));
}

/// Distances between pixels, where they are lengths and not angles in the sky, and times between frames.
void describe_space(const Source& source, const Unit& unit, FileInfo& file) {
    const bool lengths = !unit_from(unit.card("CUNIT1")).first.empty();   // the third axis of others is one of wavelengths
    std::string without;
    for (std::size_t i = 0; i < std::min<std::size_t>(file.desc.axes.size(), 4); ++i) {
        const char axis = file.desc.axes[file.desc.axes.size() - 1 - i].name;
        const std::string_view name = unit.card(fmt::format("CUNIT{}", i + 1));
        const double step = step_of(source, unit, i + 1, file.desc.axes.size());
        if (axis == 't') {
            const double seconds = name.empty() ? 0 : seconds_of(name);
            if (step > 0 && seconds > 0) file.desc = file.desc.with_spacing('t', scaled(step, seconds));
            continue;
        }
        const auto [ours, factor] = unit_from(name);
        if (!lengths || ours.empty() || !(step > 0)) {
            without += axis;
            continue;
        }
        if (file.desc.unit.empty()) file.desc = file.desc.with_unit(ours);
        file.desc = file.desc.with_spacing(axis, converted(scaled(step, factor), ours, file.desc.unit));
    }
    if (file.desc.unit.empty()) return;
    for (const char axis : without) file.warnings.push_back(without_spacing("its header", axis, file.desc.unit));
}

/// Whether an axis, counting from 1, is one of time.
bool is_time(const Unit& unit, std::size_t axis) {
    const std::string_view kind = unit.card(fmt::format("CTYPE{}", axis)), name = unit.card(fmt::format("CUNIT{}", axis));
    return kind == "TIME" || kind == "UTC" || kind == "TT" || kind == "TAI" ||
           (kind.empty() && !name.empty() && seconds_of(name) > 0);
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
    const bool frames = sizes.size() == 4 || (sizes.size() == 3 && is_time(unit, 3));
    for (std::size_t i = sizes.size(); i-- > 0;)
        extents.push_back({i == 2 && sizes.size() == 3 && frames ? 't' : "xyzt"[i], sizes[i]});
    file.page_axes = frames ? 1 : 0;

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
        const std::string loss = wide ? std::string() : loss_by_scale(to_string(array.stored), scale, zero);
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
