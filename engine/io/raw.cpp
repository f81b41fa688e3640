// Bare elements, laid out as the caller says.
#include <fmt/format.h>

#include "io/file.hpp"
#include "io/format.hpp"

namespace parallax::io::raw {
namespace {

/// Bytes of so many elements in the file.
std::uint64_t stored_bytes(const RawLayout& layout, std::int64_t count) {
    const auto elements = static_cast<std::uint64_t>(count);
    if (layout.packed_bits == 0) return elements * bytes_of(layout.type);
    const auto bits = static_cast<std::uint64_t>(layout.packed_bits);
    return elements / 8 * bits + (elements % 8 * bits + 7) / 8;
}

/// GenICam's "p" formats: one pixel behind the other, the lowest bits first, nothing between rows.
void unpack(const std::byte* from, std::uint16_t* to, std::int64_t count, int bits) {
    std::uint32_t held = 0;
    int there = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        for (; there < bits; there += 8) held |= std::to_integer<std::uint32_t>(*from++) << there;
        to[i] = static_cast<std::uint16_t>(held & ((1u << bits) - 1));
        held >>= bits;
        there -= bits;
    }
}

/// `count` elements from where the file is; packed ones begin with a byte.
void read_elements(File& file, const RawLayout& layout, std::int64_t count, std::byte* to) {
    if (layout.packed_bits == 0) {
        file.read(to, static_cast<std::size_t>(count) * bytes_of(layout.type), "the elements");
        if (layout.big_endian != (std::endian::native == std::endian::big)) swap_bytes(to, count, layout.type);
        return;
    }
    constexpr std::int64_t block = 1 << 16;   // of whole bytes
    std::vector<std::byte> packed(stored_bytes(layout, std::min(block, count)));
    for (std::int64_t done = 0; done < count; done += block) {
        const std::int64_t n = std::min(block, count - done);
        file.read(packed.data(), stored_bytes(layout, n), "the elements");
        unpack(packed.data(), reinterpret_cast<std::uint16_t*>(to) + done, n, layout.packed_bits);
    }
}

}   // namespace

Colour colour_of(const ArrayDesc& desc) {
    if (!desc.find('c')) return Colour::grey;
    const bool shades = !is_complex(desc.type) && desc.type != ElementType::boolean;
    const std::int64_t channels = desc.size('c');
    return shades && channels == 3 ? Colour::rgb : shades && channels == 4 ? Colour::rgb_alpha : Colour::other;
}

FileInfo info(const Source& source) {
    const RawLayout& layout = *source.options.raw;
    FileInfo info;
    info.format = "raw";
    info.file_bytes = source.bytes;
    info.desc = declared(source, layout.type, layout.axes);
    info.colour = colour_of(info.desc);
    const std::uint64_t stored = stored_bytes(layout, info.desc.count());
    info.in_slices = has_slices(info.desc) && (layout.packed_bits == 0 || slice_of(info.desc) * layout.packed_bits % 8 == 0);
    info.detail = layout.packed_bits == 0
                      ? fmt::format("{}-endian, from byte {}", layout.big_endian ? "big" : "little", layout.offset)
                      : fmt::format("{} bits a pixel, packed, from byte {}", layout.packed_bits, layout.offset);
    if (layout.offset > source.bytes || source.bytes - layout.offset < stored) {
        fail(source,
             fmt::format("has {} bytes; {} from byte {} on takes {} more", source.bytes, info.desc.describe(), layout.offset,
                         stored),
             "check the type, the axes and the offset of the raw layout");
    }
    if (const std::uint64_t left = source.bytes - layout.offset - stored; left > 0)
        info.warnings.push_back(
            fmt::format("{} of its {} bytes lie behind the raw layout, which takes {} from byte {} on, and are not read: see "
                        "whether the shape lacks frames (an axis \"t\") or the offset is another",
                        left, source.bytes, stored, layout.offset));
    info.read_bytes = {layout.offset, stored};
    return info;
}

HostArray read(const Source& source) {
    const FileInfo header = info(source);
    return read_picture(source, header, [&](std::byte* to) {
        File file = source.open();
        file.seek(source.options.raw->offset);
        read_elements(file, *source.options.raw, header.desc.count(), to);
    });
}

SliceStream slices(const Source& source) {
    const FileInfo header = info(source);
    const auto file = std::make_shared<File>(source.open());
    file->seek(source.options.raw->offset);
    const RawLayout layout = *source.options.raw;
    return {header.desc, header.metadata,
            [file, layout, slice = slice_of(header.desc)](std::int64_t count, std::byte* to) {
                read_elements(*file, layout, count * slice, to);
            },
            [file, bytes = stored_bytes(layout, slice_of(header.desc))](std::int64_t count) {
                file->skip(static_cast<std::uint64_t>(count) * bytes);
            }};
}

}  // namespace parallax::io::raw
