#include "io/tiff_missing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>

#include "io/text_header.hpp"

namespace parallax::io::tiff {
namespace {

constexpr std::uint32_t nodata_tag = 42113;   ///< GDAL's: a number as text

std::uint32_t pieces_of(TIFF* tiff) { return TIFFIsTiled(tiff) ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff); }

/// Empty: the directory has none.
std::string nodata_of(TIFF* tiff) {
    std::uint32_t count = 0;
    const char* text = nullptr;
    if (!TIFFGetField(tiff, nodata_tag, &count, &text) || !text) return {};
    std::string_view words(text, count);
    words = words.substr(0, words.find('\0'));
    const std::size_t first = words.find_first_not_of(' ');
    if (first == std::string_view::npos) return {};
    return std::string(words.substr(first, words.find_last_not_of(' ') + 1 - first));
}

template <class T>
std::optional<T> number_in(std::string_view text) {
    const char* const end = text.data() + text.size();
    T number{};
    if (const auto read = std::from_chars(text.data(), end, number); read.ec == std::errc() && read.ptr == end) return number;
    if constexpr (std::is_integral_v<T>) {   // "255.0"
        const std::optional<double> real = number_in<double>(text);
        if (real && std::abs(*real) < 0x1p53 && *real == std::floor(*real) && std::in_range<T>(static_cast<std::int64_t>(*real)))
            return static_cast<T>(*real);
    }
    return std::nullopt;
}

template <class T>
std::vector<std::byte> bytes_in(T value, std::size_t size = sizeof(T)) {
    std::vector<std::byte> bytes(size);
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}

/// One sample of that value; nothing: the samples hold no such.
std::optional<std::vector<std::byte>> sample_of(const std::string& text, const Document& document) {
    if (document.half) {
        const std::optional<double> number = number_in<double>(text);
        return number ? std::optional(bytes_in(narrow_half(*number))) : std::nullopt;
    }
    if (document.expand) {   // several samples in a byte
        const int most = (1 << document.like.bits) - 1;
        const std::optional<std::uint8_t> number = number_in<std::uint8_t>(text);
        if (!number || *number > most) return std::nullopt;
        return bytes_in(static_cast<std::uint8_t>(*number * (255 / most)));
    }
    const std::size_t size = bytes_of(document.type);
    const ElementType part = document.type == ElementType::c64      ? ElementType::f32
                             : document.type == ElementType::c128   ? ElementType::f64
                             : document.signed_by_offset            ? ElementType::u16
                                                                    : document.type;
    return visit_real(part, [&]<class T>(T) -> std::optional<std::vector<std::byte>> {
        const std::optional<T> number = number_in<T>(text);
        return number ? std::optional(bytes_in(*number, size)) : std::nullopt;   // the imaginary part is 0
    });
}

/// Of how many strips or tiles the directory that the file stands at says where they are and how long, whatever it says of them:
/// the rest are zeros to libtiff, too.
std::uint64_t entries_of(const TiffFile& file) {
    const bool big = file.chain().big, swap = TIFFIsByteSwapped(file.handle()) != 0;
    const std::size_t count_bytes = big ? 8 : 2, entry_bytes = big ? 20 : 12;
    std::vector<unsigned char> bytes(count_bytes);
    file.file().seek(TIFFCurrentDirOffset(file.handle()));
    file.file().read(bytes.data(), bytes.size(), "a TIFF directory");
    const std::uint64_t entries = big ? load<std::uint64_t>(bytes.data(), swap) : load<std::uint16_t>(bytes.data(), swap);
    bytes.resize(entries * entry_bytes);   // bounded when the directories were walked
    file.file().read(bytes.data(), bytes.size(), "a TIFF directory");
    // The tags of strips and of tiles are one to libtiff.
    const auto said = [&](std::uint16_t of_strips, std::uint16_t of_tiles) -> std::optional<std::uint64_t> {
        for (const unsigned char* at = bytes.data(); at != bytes.data() + bytes.size(); at += entry_bytes) {
            const auto tag = load<std::uint16_t>(at, swap);
            if (tag == of_strips || tag == of_tiles)
                return big ? load<std::uint64_t>(at + 4, swap) : load<std::uint32_t>(at + 4, swap);
        }
        return std::nullopt;
    };
    const std::uint64_t places = said(TIFFTAG_STRIPOFFSETS, TIFFTAG_TILEOFFSETS).value_or(0);
    // Without a table of lengths libtiff finds them out.
    return std::min(places, said(TIFFTAG_STRIPBYTECOUNTS, TIFFTAG_TILEBYTECOUNTS).value_or(places));
}

/// Of the pages that lack some.
struct Count {
    std::uint64_t pages = 0, pieces = 0, missing = 0;
};

Count count_missing(const Source& source, const TiffSet& set, const Document& document) {
    // Sizes of strips that a directory leaves out are zeros to libtiff, a million for a hundred bytes.
    const std::uint64_t most = document.bytes + (16 << 20);
    Count count;
    for (const Page& page : document.pages) {
        if (!page.sparse) continue;
        set.within(page.member, [&](const TiffFile& file) {
            if (!file.go_to(page.directory))
                fail(source, fmt::format("its TIFF directory is damaged: {}", file.take_error()), again);
            const std::uint32_t pieces = pieces_of(file.handle());
            count.pages += 1;
            count.pieces += pieces;
            if (count.pieces > most)
                fail(source, fmt::format("lacks some of more than {} TIFF strips or tiles; of up to so many it may", most),
                     again);
            if (const std::uint64_t told = entries_of(file); told < pieces)
                fail(source,
                     fmt::format("has {0} TIFF {1} in its page {2}, and says of {3} alone where they are", pieces,
                                 page.tiled ? "tiles" : "strips", page.index, told),
                     again);
            for (std::uint32_t i = 0; i < pieces; ++i) count.missing += is_missing(file.handle(), i) ? 1 : 0;
        });
    }
    return count;
}

}   // namespace

bool is_missing(TIFF* tiff, std::uint32_t index) {
    // Of a single strip without a size libtiff says how long it might be.
    return TIFFGetStrileOffset(tiff, index) == 0 && (TIFFGetStrileByteCount(tiff, index) == 0 || pieces_of(tiff) == 1);
}

bool lacks_some(TIFF* tiff) {
    for (std::uint32_t i = 0, n = pieces_of(tiff); i < n; ++i) {
        if (is_missing(tiff, i)) return true;
    }
    return false;
}

bool describe_missing(const Source& source, const TiffSet& set, Document& document) {
    const Count count = count_missing(source, set, document);
    if (count.missing == 0) return false;
    const char* const what = document.like.tiled ? "tiles" : "strips";
    if (count.missing == count.pieces && count.pages == document.pages.size())
        fail(source, fmt::format("has none of its {} TIFF {}", count.pieces, what), again);
    std::string nodata;
    set.within(document.like.member, [&](const TiffFile& file) {
        if (file.go_to(document.like.directory)) nodata = nodata_of(file.handle());
    });
    const auto sample = nodata.empty() ? std::nullopt : sample_of(nodata, document);
    if (sample) document.fill = *sample;
    const std::string of = document.pages.size() == 1 ? fmt::format("its {} {}", count.pieces, what)
                                                      : fmt::format("the {} {} of {} of its {} pages", count.pieces, what,
                                                                    count.pages, document.pages.size());
    document.file.warnings.push_back(fmt::format("{} of {} are not there: they are filled with {}", count.missing, of,
                                                 sample ? fmt::format("{} (GDAL_NODATA)", shortened(nodata)) : "0"));
    return true;
}

}   // namespace parallax::io::tiff
