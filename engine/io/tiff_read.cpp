// Decoding of TIFF pages: strips and tiles, interleaved and planar samples, 1 to 128 bits.
#include <fmt/format.h>

#include <type_traits>

#include "io/kept.hpp"
#include "io/tiff_codec.hpp"
#include "io/tiff_missing.hpp"
#include "io/tiff_pages.hpp"
#include "io/tiff_unpack.hpp"
#include "io/unlike_pages.hpp"

namespace parallax::io::tiff {
namespace {

/// Unpacks samples of 1, 2 or 4 bits; `scale` spreads them over 0 to 255 (palette indices stay).
void expand_row(const std::byte* from, std::byte* to, std::uint32_t samples, int bits, int scale) {
    const int mask = (1 << bits) - 1;
    for (std::uint32_t i = 0; i < samples; ++i) {
        const std::size_t bit = std::size_t{i} * static_cast<std::size_t>(bits);
        const int value = (std::to_integer<int>(from[bit / 8]) >> (8 - bits - static_cast<int>(bit % 8))) & mask;
        to[i] = static_cast<std::byte>(value * scale);
    }
}

/// What the pages read so far have cost. Tiles reach beyond a picture, and many may be one piece of the file.
struct Costs {
    std::uint64_t stored = 0, decoded = 0, wanted = 0;   ///< bytes: of strips and tiles, out of them, and of the pictures
};
constexpr std::uint64_t at_any_rate = 64 << 20;
constexpr std::uint64_t most_tile = 16 << 20;   ///< that is larger than its picture

/// Puts the strips and tiles of one page into dense memory of {y, x, samples}.
class PageDecoder {
public:
    PageDecoder(const Source& source, const TiffFile& file, const Document& document, const Page& page, Costs& costs,
                std::byte* to)
        : source_(source),
          file_(file),
          costs_(costs),
          page_(page),
          fill_(document.fill),
          to_(to),
          element_(document.half ? 2 : bytes_of(document.type)),
          planes_(page.planar == PLANARCONFIG_SEPARATE ? page.samples : 1),
          expand_(document.expand),
          scale_(document.palette ? 1 : 255 / ((1 << (page.bits < 8 ? page.bits : 8)) - 1)) {}

    void decode() {
        TIFF* tiff = file_.handle();
        check_codec(source_, page_);
        if (page_.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        const std::uint64_t row = TIFFScanlineSize64(tiff), plain = plane_row(page_.width);
        if (!page_.tiled && row != plain) fail(source_, fmt::format("its rows have {} bytes where {} belong", row, plain), again);
        page_.tiled ? decode_tiles() : decode_strips();
    }

private:
    static constexpr const char* again = "the file is damaged: write or copy it again";

    std::uint64_t samples_together() const { return planes_ == 1 ? page_.samples : 1; }
    std::uint64_t plane_row(std::uint32_t width) const { return (width * samples_together() * page_.bits + 7) / 8; }

    /// Throws where the strips or tiles cost out of proportion to the pictures and the file.
    void charge(std::uint64_t decoded) {
        TIFF* tiff = file_.handle();
        const std::uint32_t count = page_.tiled ? TIFFNumberOfTiles(tiff) : TIFFNumberOfStrips(tiff);
        for (std::uint32_t i = 0; i < count; ++i) costs_.stored += std::min(TIFFGetStrileByteCount(tiff, i), source_.bytes);
        costs_.decoded += decoded;
        costs_.wanted += page_.packed_row() * page_.height;
        const char* const what = page_.tiled ? "tiles" : "strips";
        const std::uint64_t most_decoded = 8 * (costs_.wanted + source_.bytes) + at_any_rate,
                            most_stored = 4 * source_.bytes + 2 * costs_.decoded + at_any_rate;
        if (costs_.decoded > most_decoded)
            fail(source_,
                 fmt::format("its TIFF {} unpack to {} bytes for pictures of {}; {} may", what, costs_.decoded, costs_.wanted,
                             most_decoded),
                 "write it with tiles no larger than its pictures");
        if (costs_.stored > most_stored)
            fail(
                source_,
                fmt::format("its TIFF {} have {} bytes in a file of {}; {} may", what, costs_.stored, source_.bytes, most_stored),
                again);
    }

    /// One strip or tile, as its elements are stored.
    void unpack(std::uint32_t index, std::byte* to, Room room) {
        const std::uint64_t bytes = room.bytes;
        TIFF* tiff = file_.handle();
        const char* const what = page_.tiled ? "tile" : "strip";
        if (is_missing(tiff, index)) {
            if (fill_.size() == 1) std::fill_n(to, bytes, fill_.front());
            for (std::size_t i = 0; fill_.size() > 1 && i < bytes; i += fill_.size())
                std::memcpy(to + i, fill_.data(), fill_.size());
            return;
        }
        if (TIFFGetStrileOffset(tiff, index) == 0)
            fail(source_,
                 fmt::format("its TIFF {} {} has {} bytes from byte 0 on, where the header stands", what, index,
                             TIFFGetStrileByteCount(tiff, index)),
                 again);
        const std::string why = Unpacker::knows(page_.compression) ? unpacker_.unpack(file_, page_, index, room, to)
                                                                   : decode_by_libtiff(index, to, room);
        if (!why.empty())
            fail(source_, fmt::format("its TIFF {} {} cannot be decoded: {}", what, index, why),
                 "the file is cut off or damaged: write or copy it again");
    }

    /// Returns why it cannot.
    std::string decode_by_libtiff(std::uint32_t index, std::byte* to, const Room& room) {
        TIFF* tiff = file_.handle();
        if (page_.compression != COMPRESSION_NONE) std::memset(to, 0, room.bytes);   // what a decoder leaves out is nobody's
        if (Unpacker::hands_over(page_.compression)) {
            std::uint32_t columns = page_.width;
            if (page_.tiled) TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &columns);
            return unpacker_.hand_over(file_, page_, index, columns, room, to);
        }
        const auto size = static_cast<tmsize_t>(room.bytes);
        return file_.decode([&] {
            return (page_.tiled ? TIFFReadEncodedTile(tiff, index, to, size) : TIFFReadEncodedStrip(tiff, index, to, size)) == size;
        });
    }

    void decode_strips() {
        TIFF* tiff = file_.handle();
        std::uint32_t rows = 0;
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
        rows = std::min(rows, page_.height);
        if (rows == 0) fail(source_, "has TIFF strips of no rows", again);
        const std::uint64_t row = plane_row(page_.width);
        charge(row * page_.height * static_cast<std::uint64_t>(planes_));
        const bool direct = planes_ == 1 && !expand_;
        std::vector<std::byte> scratch(direct ? 0 : row * rows);
        std::uint32_t strip = 0;
        for (int plane = 0; plane < planes_; ++plane) {
            for (std::uint32_t y = 0; y < page_.height; y += std::min(rows, page_.height - y), ++strip) {
                const std::uint32_t n = std::min(rows, page_.height - y);
                std::byte* at = direct ? to_ + row * y : scratch.data();
                unpack(strip, at, {row * n, row * rows, row});
                if (!direct) place(at, row, 0, y, page_.width, n, plane);
            }
        }
    }

    void decode_tiles() {
        TIFF* tiff = file_.handle();
        std::uint32_t width = 0, height = 0;
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
        const std::uint64_t row = TIFFTileRowSize64(tiff), bytes = TIFFTileSize64(tiff);
        if (width == 0 || height == 0 || row != plane_row(width) || bytes / height != row) {
            fail(source_, fmt::format("has TIFF tiles of {} x {} pixels in {} bytes", width, height, bytes), again);
        }
        // A tile may be larger than the picture, but not out of all proportion.
        check_plausible(source_, bytes, source_.bytes, ratio_of(page_.compression));
        const std::uint64_t picture = page_.packed_row() * page_.height;
        if (bytes > 2 * picture + most_tile)
            fail(source_,
                 fmt::format("has TIFF tiles of {} x {} pixels, {} bytes, for a picture of {}", width, height, bytes, picture),
                 "write it with tiles no larger than the picture");
        charge(bytes * TIFFNumberOfTiles(tiff));
        std::vector<std::byte> scratch(bytes);
        std::uint32_t tile = 0;
        for (int plane = 0; plane < planes_; ++plane) {
            for (std::uint64_t y = 0; y < page_.height; y += height) {
                for (std::uint64_t x = 0; x < page_.width; x += width, ++tile) {
                    unpack(tile, scratch.data(), {bytes, bytes, row});
                    const auto x0 = static_cast<std::uint32_t>(x), y0 = static_cast<std::uint32_t>(y);
                    place(scratch.data(), row, x0, y0, std::min(width, page_.width - x0), std::min(height, page_.height - y0),
                          plane);
                }
            }
        }
    }

    /// A decoded rectangle -> its place; of separate planes, the samples of one.
    void place(const std::byte* from, std::uint64_t from_row, std::uint32_t x, std::uint32_t y, std::uint32_t width,
               std::uint32_t height, int plane) {
        const std::uint64_t pixel = element_ * page_.samples;
        for (std::uint32_t line = 0; line < height; ++line, from += from_row) {
            std::byte* to = to_ + (std::uint64_t{y + line} * page_.width + x) * pixel;
            if (expand_) {
                expand_row(from, to, width, page_.bits, scale_);  // one sample a pixel: element_type() saw to that
            } else if (planes_ == 1) {
                std::memcpy(to, from, width * pixel);
            } else {
                to += static_cast<std::size_t>(plane) * element_;
                for (std::uint32_t i = 0; i < width; ++i) std::memcpy(to + i * pixel, from + i * element_, element_);
            }
        }
    }

    const Source& source_;
    const TiffFile& file_;
    Costs& costs_;
    const Page& page_;
    const std::vector<std::byte>& fill_;
    Unpacker unpacker_;
    std::byte* to_;
    std::size_t element_;
    int planes_;
    bool expand_;
    int scale_;
};

/// Palette indices -> red, green, blue of 8 bits.
void apply_palette(const Source& source, const TiffFile& file, const Page& page, const std::byte* indices, std::byte* to) {
    std::uint16_t *red = nullptr, *green = nullptr, *blue = nullptr;
    if (!TIFFGetField(file.handle(), TIFFTAG_COLORMAP, &red, &green, &blue)) {
        fail(source, "is a TIFF with a palette that is missing", "the file is damaged: write or copy it again");
    }
    // TIFF has entries of 16 bits. Some write 8, of which half would be black; then none is above 255.
    const std::size_t entries = std::size_t{1} << page.bits;
    const auto is_byte = [&](const std::uint16_t* part) { return std::all_of(part, part + entries, [](auto v) { return v < 256; }); };
    const int shift = is_byte(red) && is_byte(green) && is_byte(blue) ? 0 : 8;
    const std::uint64_t pixels = std::uint64_t{page.width} * page.height;
    for (std::uint64_t i = 0; i < pixels; ++i) {
        const auto index = std::to_integer<std::size_t>(indices[i]);
        for (const std::uint16_t* part : {red, green, blue}) *to++ = static_cast<std::byte>(part[index] >> shift);
    }
}

/// One picture with all its channels, as its elements are stored.
void read_stored_page(const Source& source, const TiffFile& file, const Document& document, std::int64_t index, Costs& costs,
                      std::byte* to) {
    const Page& first = document.like;
    const std::int64_t count = std::int64_t{first.width} * first.height * document.channels;
    const ElementType stored = document.half ? ElementType::u16 : document.type;
    if (document.contiguous_at != 0) {
        const std::uint64_t bytes = static_cast<std::uint64_t>(count) * bytes_of(stored);
        file.file().seek(document.contiguous_at + static_cast<std::uint64_t>(index) * bytes);
        file.file().read(to, bytes, "the images of the stack");
        std::uint16_t order = FILLORDER_MSB2LSB;   // of pages libtiff turns the bits itself
        TIFFGetFieldDefaulted(file.handle(), TIFFTAG_FILLORDER, &order);
        if (order == FILLORDER_LSB2MSB) TIFFReverseBits(reinterpret_cast<std::uint8_t*>(to), static_cast<tmsize_t>(bytes));
        if (TIFFIsByteSwapped(file.handle())) swap_bytes(to, count, stored);
    } else {
        const Page& page = document.pages[static_cast<std::size_t>(index)];
        if (!file.go_to(page.directory)) {
            fail(source, fmt::format("its page {} cannot be read: {}", index, file.take_error()),
                 "the file is damaged: write or copy it again");
        }
        std::vector<std::byte> indices(document.palette ? static_cast<std::size_t>(first.width) * first.height : 0);
        PageDecoder(source, file, document, page, costs, document.palette ? indices.data() : to).decode();
        if (document.palette) apply_palette(source, file, page, indices.data(), to);
    }
}

/// The same, 16-bit floats widened, and what ImageJ stores without a sign with it.
void read_page(const Source& of, const TiffSet& set, const Document& document, std::int64_t index, Costs& costs, std::byte* to) {
    const Source source{of.path, of.asked, of.name, document.bytes, of.options};   // as long as all its files
    const std::size_t member = document.contiguous_at != 0 ? 0 : document.pages[static_cast<std::size_t>(index)].member;
    const auto stored = [&](std::byte* at) {
        set.within(member, [&](const TiffFile& file) { read_stored_page(source, file, document, index, costs, at); });
    };
    const std::int64_t count = std::int64_t{document.like.width} * document.like.height * document.channels;
    if (!document.half) {
        stored(to);
        if (!document.signed_by_offset) return;
        auto* const values = reinterpret_cast<std::uint16_t*>(to);
        std::transform(values, values + count, values, [](std::uint16_t v) { return static_cast<std::uint16_t>(v ^ 0x8000); });
        return;
    }
    const HostArray halves = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'x', count}}));
    stored(halves.data());
    std::transform(halves.as<std::uint16_t>(), halves.as<std::uint16_t>() + count, reinterpret_cast<float*>(to), widen_half);
}

void check_alike(const Source& source, const Document& document, std::int64_t index, std::int64_t first) {
    if (document.contiguous_at != 0 || document.pages[static_cast<std::size_t>(index)].same_picture(document.like)) return;
    fail(source, fmt::format("its page {} is not like page {}", index, first), "choose a range of pages that are alike");
}

/// A file that stays open.
struct OpenStack : Kept::Reader {
    explicit OpenStack(const Source& s, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages)
        : options(without_the_call(s.options, pages)),
          source{s.path, s.asked, s.name, s.bytes, options},
          set(source),
          document(read_document(source, set)) {}
    ReadOptions options;
    Source source;
    TiffSet set;
    Document document;
    Costs costs;

private:
    /// What belongs to one call does not stay with the file.
    static ReadOptions without_the_call(ReadOptions options, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages) {
        options.pages = pages;
        options.allocate = {};
        options.kept = {};
        return options;
    }
};

/// Its directories are gone through once, however often it is asked for a page, where all pages are alike.
std::unique_ptr<OpenStack> open_stack(const Source& source) {
    const auto& pages = source.options.pages;
    if (pages && source.kept()) {
        if (auto known = source.kept()->take<OpenStack>(*source.identity, pages->first)) return known;
        try {
            return std::make_unique<OpenStack>(source, std::nullopt);
        } catch (const UnlikePages&) {   // those that are asked for may be alike
        }
    }
    return std::make_unique<OpenStack>(source, pages);
}

}  // namespace

bool matches(Head head) {
    if (head.size() < 4) return false;
    const bool little = head[0] == 'I' && head[1] == 'I' && head[3] == 0 && (head[2] == 42 || head[2] == 43);
    const bool big = head[0] == 'M' && head[1] == 'M' && head[2] == 0 && (head[3] == 42 || head[3] == 43);
    return little || big;
}

FileInfo info(const Source& source) {
    TiffSet set(source);
    return read_document(source, set).file;
}

HostArray read(const Source& source) {
    std::unique_ptr<OpenStack> stack = open_stack(source);
    const TiffSet& set = stack->set;
    const Document& document = stack->document;
    const auto [first, end] = chosen_pages(source.name, document.file, source.options);
    const ArrayDesc part = chosen(source.name, document.file, source.options);
    const ArrayDesc desc = greyed(source.name, part, document.file.colour, source.options);
    HostArray result = allocate(source, desc, document.file.metadata);
    result.metadata.channels = chosen_names(source.name, document.file, source.options);
    const bool to_grey = desc.axes.size() != part.axes.size();
    const std::int64_t pages = end - first, pixels = desc.size('x') * desc.size('y');
    const HostArray scratch =
        to_grey ? HostArray::make(ArrayDesc::dense(document.type, {{'x', pixels}, {'c', document.channels}})) : HostArray{};
    Costs costs;
    const std::size_t page_bytes = desc.dense_bytes() / static_cast<std::size_t>(pages);
    for (std::int64_t i = 0; i < pages; ++i) {
        check_alike(source, document, first + i, first);
        std::byte* to = result.data() + static_cast<std::size_t>(i) * page_bytes;
        read_page(source, set, document, first + i, costs, to_grey ? scratch.data() : to);
        if (to_grey) to_luminance(scratch.data(), to, pixels, document.channels, document.type, document.colour);
    }
    set.check_unchanged();
    if (source.kept() && !stack->options.pages) source.kept()->put(*source.identity, std::move(stack));
    return result;
}

SliceStream slices(const Source& source) {
    const auto stack = std::make_shared<OpenStack>(source, source.options.pages);
    const Document& document = stack->document;
    const ArrayDesc& desc = document.file.desc;
    if (!document.file.in_slices)
        fail(source, fmt::format("holds {}: its slices cannot be read one by one", desc.describe()),
             "slices are for stacks of grey pages");
    return {desc, document.file.metadata,
            [stack, bytes = static_cast<std::size_t>(slice_of(desc)) * bytes_of(desc.type)](std::int64_t count, std::byte* to) {
                for (const std::int64_t end = stack->next + count; stack->next < end; ++stack->next, to += bytes) {
                    check_alike(stack->source, stack->document, stack->next, 0);
                    read_page(stack->source, stack->set, stack->document, stack->next, stack->costs, to);
                }
            },
            [stack](std::int64_t count) { stack->next += count; }};
}

}  // namespace parallax::io::tiff
