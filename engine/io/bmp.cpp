// BMP, read here: the format is a header and plain rows, and stb_image (2.27) reads uninitialised palette entries and
// fills files that are cut off with zeros. 1, 4, 8-bit palettes, 16 and 32 bits with masks, 24 bits; not RLE.
#include <fmt/format.h>

#include "io/file.hpp"
#include "io/format.hpp"

namespace parallax::io::bmp {
namespace {

/// A colour inside a 16 or 32-bit pixel.
struct Field {
    std::uint32_t mask = 0;
    int shift = 0;
    std::uint32_t most = 0;

    explicit Field(std::uint32_t m) : mask(m), shift(m ? std::countr_zero(m) : 0), most(m >> shift) {}
    std::uint8_t of(std::uint32_t pixel) const {
        if (most == 0) return 0;
        return static_cast<std::uint8_t>((std::uint64_t{(pixel & mask) >> shift} * 255 + most / 2) / most);
    }
};

struct Picture {
    FileInfo file;
    int bits = 0;
    bool top_down = false;
    std::uint64_t pixels_at = 0, row_bytes = 0;
    std::array<std::array<std::uint8_t, 3>, 256> palette{};
    int colours = 0;                       ///< of it
    std::array<std::uint32_t, 4> masks{};  ///< red, green, blue, alpha
};

Picture read_header(const Source& source, File& file) {
    std::array<unsigned char, 14 + 124> head{};
    const std::size_t got = file.read_some(head.data(), head.size());
    const auto u16 = [&](std::size_t at) { return load_little<std::uint16_t>(head.data() + at); };
    const auto u32 = [&](std::size_t at) { return load_little<std::uint32_t>(head.data() + at); };
    const char* again = "write or copy the file again";
    const std::uint32_t header = got >= 18 ? u32(14) : 0;
    if (got < 26 || got < 14 + std::min<std::uint64_t>(header, 124)) fail(source, "ends inside the BMP header", again);
    if (header != 12 && (header < 40 || header > 124))
        fail(source, fmt::format("has a BMP header of {} bytes; 12 or 40 to 124 are known", header), again);

    const bool old = header == 12;
    const std::int64_t width = old ? u16(18) : static_cast<std::int32_t>(u32(18));
    std::int64_t height = old ? u16(20) : static_cast<std::int32_t>(u32(22));
    const std::uint32_t compression = old ? 0 : u32(30);
    Picture picture;
    picture.top_down = height < 0;
    height = height < 0 ? -height : height;
    picture.bits = u16(old ? 24 : 28);
    picture.pixels_at = u32(10);
    const bool has_masks = compression == 3 || compression == 6;
    if (compression != 0 && !has_masks) {
        fail(source, fmt::format("is a compressed BMP (method {}); only plain ones are read", compression), "convert it to PNG");
    }
    const int bits = picture.bits;
    const bool by_palette = bits == 1 || bits == 4 || bits == 8, by_masks = bits == 16 || bits == 32;
    if ((!by_palette && !by_masks && bits != 24) || (has_masks && !by_masks)) {
        fail(source, fmt::format("has {} bits a pixel (method {}); 1, 4, 8, 16, 24 or 32 can be read", bits, compression),
             "convert it to PNG");
    }

    int channels = 3;
    picture.file.colour = Colour::rgb;
    std::uint64_t headers_end = 14 + header;
    if (by_palette) {
        const std::size_t entry = old ? 3 : 4;
        const std::uint32_t named = old ? 0 : u32(46);
        std::size_t colours = named == 0 ? std::size_t{1} << bits : named;
        // The oldest header cannot say that its palette is shorter: the pixels begin where it ends.
        if (old && picture.pixels_at > 14 + header)
            colours = std::min<std::size_t>(colours, (picture.pixels_at - 14 - header) / entry);
        if (colours > (std::size_t{1} << bits))
            fail(source, fmt::format("has a palette of {} colours for {} bits", colours, bits), again);
        std::array<unsigned char, 1024> table{};
        file.seek(14 + header);
        file.read(table.data(), colours * entry, "the palette");
        headers_end += colours * entry;
        picture.colours = static_cast<int>(colours);
        bool grey = true;
        for (std::size_t i = 0; i < colours; ++i) {
            const unsigned char* c = table.data() + i * entry;
            picture.palette[i] = {c[2], c[1], c[0]};
            grey = grey && c[0] == c[1] && c[1] == c[2];
        }
        if (grey) picture.file.colour = Colour::grey, channels = 1;
    } else if (by_masks) {
        if (has_masks) {
            // Behind a 40-byte header the masks follow it, longer headers hold them: the same place.
            std::array<unsigned char, 16> masks{};
            file.seek(54);
            file.read(masks.data(), header >= 56 || compression == 6 ? 16 : 12, "the colour masks");
            for (std::size_t i = 0; i < 4; ++i) picture.masks[i] = load_little<std::uint32_t>(masks.data() + 4 * i);
        } else if (bits == 16) {
            picture.masks = {0x7c00, 0x03e0, 0x001f, 0};
        } else {
            picture.masks = {0xff0000, 0xff00, 0xff, 0};
        }
        if (picture.masks[3] != 0) picture.file.colour = Colour::rgb_alpha, channels = 4;
    }
    std::vector<ArrayDesc::Extent> extents = {{'y', height}, {'x', width}};
    if (channels > 1) extents.push_back({'c', channels});
    picture.file.format = "bmp";
    picture.file.file_bytes = source.bytes;
    picture.file.desc = declared(source, ElementType::u8, extents);
    picture.file.detail = fmt::format("{}-bit{}", bits, by_palette ? (channels == 1 ? ", palette of greys" : ", palette") : "");
    picture.row_bytes = (static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(bits) + 31) / 32 * 4;
    const std::uint64_t pixels = picture.row_bytes * static_cast<std::uint64_t>(height);
    if (picture.pixels_at < headers_end)
        fail(source,
             fmt::format("says that its pixels begin at byte {}, inside its headers, which end at byte {}", picture.pixels_at,
                         headers_end),
             "its header is damaged: write or copy it again");
    if (picture.pixels_at > source.bytes || source.bytes - picture.pixels_at < pixels) {
        fail(source,
             fmt::format("says that {} bytes of pixels begin at byte {}, but it has {} bytes", pixels, picture.pixels_at,
                         source.bytes),
             "the file is cut off or its header is damaged: write or copy it again");
    }
    return picture;
}

void decode(const Source& source, File& file, const Picture& picture, std::byte* to) {
    const ArrayDesc& desc = picture.file.desc;
    const std::int64_t width = desc.size('x'), height = desc.size('y'), channels = desc.size('c');
    const std::array<Field, 4> fields = {Field(picture.masks[0]), Field(picture.masks[1]), Field(picture.masks[2]),
                                         Field(picture.masks[3])};
    std::vector<unsigned char> row(picture.row_bytes);
    file.seek(picture.pixels_at);
    for (std::int64_t line = 0; line < height; ++line) {
        file.read(row.data(), row.size(), "the pixels");
        const std::int64_t y = picture.top_down ? line : height - 1 - line;
        auto* out = reinterpret_cast<std::uint8_t*>(to) + y * width * channels;
        for (std::int64_t x = 0; x < width; ++x, out += channels) {
            const unsigned char* in = row.data() + x * picture.bits / 8;
            if (picture.bits <= 8) {
                const int shift = 8 - picture.bits - static_cast<int>(x * picture.bits % 8);
                const int index = (*in >> shift) & ((1 << picture.bits) - 1);
                check_in_palette(source, index, picture.colours);
                const auto& colour = picture.palette[static_cast<std::size_t>(index)];
                std::copy_n(colour.begin(), channels, out);
            } else if (picture.bits == 24) {
                out[0] = in[2], out[1] = in[1], out[2] = in[0];
            } else {
                const std::uint32_t pixel = picture.bits == 16 ? load_little<std::uint16_t>(in) : load_little<std::uint32_t>(in);
                for (std::int64_t c = 0; c < channels; ++c) out[c] = fields[static_cast<std::size_t>(c)].of(pixel);
            }
        }
    }
}

}  // namespace

bool matches(Head head) { return head.size() >= 2 && head[0] == 'B' && head[1] == 'M'; }

FileInfo info(const Source& source) {
    File file = source.open();
    return read_header(source, file).file;
}

HostArray read(const Source& source) {
    File file = source.open();
    const Picture picture = read_header(source, file);
    return read_picture(source, picture.file, [&](std::byte* to) { decode(source, file, picture, to); });
}

}  // namespace parallax::io::bmp
