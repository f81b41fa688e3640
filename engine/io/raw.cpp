// Bare elements, laid out as the caller says.
#include <fmt/format.h>

#include "io/file.hpp"
#include "io/format.hpp"

namespace parallax::io::raw {

FileInfo info(const Source& source) {
    const RawLayout& layout = *source.options.raw;
    FileInfo info;
    info.format = "raw";
    info.file_bytes = source.bytes;
    info.desc = declared(source, layout.type, layout.axes);
    info.in_slices = has_slices(info.desc);
    info.detail = fmt::format("{}-endian, from byte {}", layout.big_endian ? "big" : "little", layout.offset);
    if (layout.offset > source.bytes || source.bytes - layout.offset < info.desc.dense_bytes()) {
        fail(source,
             fmt::format("has {} bytes; {} from byte {} on takes {} more", source.bytes, info.desc.describe(), layout.offset,
                         info.desc.dense_bytes()),
             "check the type, the axes and the offset of the raw layout");
    }
    return info;
}

HostArray read(const Source& source) {
    const FileInfo header = info(source);
    HostArray array = allocate(source, header.desc, header.metadata);
    File file = File::open(source.path);
    file.seek(source.options.raw->offset);
    file.read(array.data(), array.desc.dense_bytes(), "the elements");
    const bool file_is_big = source.options.raw->big_endian;
    if (file_is_big != (std::endian::native == std::endian::big)) swap_bytes(array.data(), array.desc.count(), array.desc.type);
    return array;
}

SliceStream slices(const Source& source) {
    const FileInfo header = info(source);
    const auto file = std::make_shared<File>(File::open(source.path));
    file->seek(source.options.raw->offset);
    const bool swap = source.options.raw->big_endian != (std::endian::native == std::endian::big);
    return {header.desc, header.metadata,
            [file, swap, slice = slice_of(header.desc), type = header.desc.type](std::int64_t count, std::byte* to) {
                file->read(to, static_cast<std::size_t>(count * slice) * bytes_of(type), "the elements");
                if (swap) swap_bytes(to, count * slice, type);
            },
            [file, bytes = static_cast<std::uint64_t>(slice_of(header.desc)) * bytes_of(header.desc.type)](std::int64_t count) {
                file->skip(static_cast<std::uint64_t>(count) * bytes);
            }};
}

}  // namespace parallax::io::raw
