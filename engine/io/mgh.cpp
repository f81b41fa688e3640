// FreeSurfer's volumes: .mgh, and packed by gzip .mgz. A header of 284 bytes, big-endian, then the elements, x the fastest.
#include <fmt/format.h>

#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/format.hpp"

namespace parallax::io::mgh {
namespace {

constexpr std::size_t header_bytes = 284;
constexpr std::uint64_t most_behind = 64 << 20;   ///< of a packed file: tags behind the voxels, beside as many as they are
constexpr const char* again = "the header is damaged: write or copy the file again";
constexpr bool swapped = std::endian::native != std::endian::big;

struct Volume {
    FileInfo file;
    bool packed = false;
};

/// x to the left, y down, z to the front, around the middle.
std::array<double, 16> coronal_affine(const ArrayDesc& desc) {
    const auto half = [&](char axis) { return static_cast<double>(desc.size(axis)) / 2; };
    return {-1, 0, 0, half('x'), 0, 0, 1, -half('z'), 0, -1, 0, half('y'), 0, 0, 0, 1};
}

/// The time from one volume to the next, in ms, is the first of the numbers behind the voxels, where the stream is; a file may
/// end without them.
void add_time(GzReader& stream, ArrayDesc& desc) {
    std::array<unsigned char, 4> tr{};
    if (!desc.find('t') || stream.read_some(tr.data(), tr.size()) != tr.size()) return;
    const float milliseconds = load<float>(tr.data(), swapped);
    if (std::isfinite(milliseconds) && milliseconds > 0)
        desc = desc.with_spacing('t', scaled(as_decimal_of_float(milliseconds), 1e-3));
}

Volume read_header(const Source& source, GzReader& stream) {
    std::array<unsigned char, header_bytes> h{};
    stream.read(h.data(), h.size(), "the MGH header");
    const auto number = [&](std::size_t at) { return load<std::int32_t>(h.data() + at, swapped); };
    const auto real = [&](std::size_t at) { return static_cast<double>(load<float>(h.data() + at, swapped)); };
    constexpr std::pair<std::int32_t, ElementType> types[] = {
        {0, ElementType::u8}, {1, ElementType::i32}, {3, ElementType::f32}, {4, ElementType::i16}, {10, ElementType::u16}};
    const auto* const row =
        std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.first == number(20); });
    if (row == std::end(types))
        fail(source, fmt::format("holds elements of MGH's type {}, which cannot be read", number(20)),
             "convert it by mri_convert");
    std::vector<ArrayDesc::Extent> extents;
    if (number(16) != 1) extents.push_back({'t', number(16)});
    for (const auto& [name, at] : {std::pair<char, std::size_t>{'z', 12}, {'y', 8}, {'x', 4}})
        extents.push_back({name, number(at)});
    Volume volume;
    FileInfo& file = volume.file;
    file.format = "mgh";
    file.file_bytes = source.bytes;
    file.desc = declared(source, row->second, extents).with_unit("mm");
    file.page_axes = number(16) != 1 ? 1 : 0;
    file.in_slices = has_slices(file.desc);
    // The affine leads to the middle of the volume; the flag says whether it is told at all. Else FreeSurfer takes a coronal one
    // of 1 mm.
    if (load<std::int16_t>(h.data() + 28, swapped) <= 0) {
        file.metadata.affine = coronal_affine(file.desc);
        file.warnings.push_back(
            "it does not say how its voxels lie: they are taken for coronal ones of 1 mm, as FreeSurfer takes them");
    } else {
        std::array<double, 16> affine{};
        affine[15] = 1;
        for (std::size_t column = 0; column < 3; ++column) {
            const double spacing = std::abs(real(30 + 4 * column));
            if (!(spacing > 0) || !std::isfinite(spacing)) fail(source, fmt::format("has voxels of {} mm", spacing), again);
            file.desc = file.desc.with_spacing("xyz"[column], as_decimal_of_float(static_cast<float>(spacing)));
            for (std::size_t r = 0; r < 3; ++r) affine[r * 4 + column] = real(42 + 4 * (3 * column + r)) * spacing;
        }
        for (std::size_t r = 0; r < 3; ++r) {
            affine[r * 4 + 3] = real(78 + 4 * r);
            for (std::size_t column = 0; column < 3; ++column)
                affine[r * 4 + 3] -= affine[r * 4 + column] * static_cast<double>(number(4 + 4 * column)) / 2;
        }
        file.metadata.affine = affine;
    }
    unsigned char start[2] = {};
    source.open().read_some(start, 2);
    volume.packed = start[0] == 0x1f && start[1] == 0x8b;
    const std::uint64_t needed = header_bytes + file.desc.dense_bytes();
    if (volume.packed) {
        check_plausible(source, needed, source.bytes, deflate_ratio);
    } else if (needed > source.bytes) {
        fail(source,
             fmt::format("says that it holds {} up to byte {}, but it has {}", file.desc.describe(), needed, source.bytes),
             "the file is cut off or its header is damaged: write or copy it again");
    }
    file.detail = volume.packed ? "gzip" : "not packed";
    return volume;
}

/// From behind the header.
void skip_to_time(GzReader& stream, Volume& volume) {
    if (!volume.file.desc.find('t')) return;
    const std::uint64_t bytes = volume.file.desc.dense_bytes();
    if (volume.packed) stream.skip(bytes, "the voxels");
    else stream.jump(bytes);
    add_time(stream, volume.file.desc);
}

void read_elements(GzReader& stream, std::byte* to, std::int64_t count, ElementType type) {
    stream.read(to, static_cast<std::size_t>(count) * bytes_of(type), "the voxels");
    if (swapped) swap_bytes(to, count, type);
}

}  // namespace

bool matches(Head head) {
    if (head.size() < 28 || load<std::int32_t>(head.data(), swapped) != 1) return false;
    for (const std::size_t at : {4, 8, 12, 16}) {
        const auto size = load<std::int32_t>(head.data() + at, swapped);
        if (size < 1 || size > (1 << 20)) return false;
    }
    const auto type = load<std::int32_t>(head.data() + 20, swapped);
    return type >= 0 && type <= 10;
}

FileInfo info(const Source& source) {
    GzReader stream(source.path);
    Volume volume = read_header(source, stream);
    skip_to_time(stream, volume);
    return volume.file;
}

HostArray read(const Source& source) {
    GzReader stream(source.path);
    Volume volume = read_header(source, stream);
    const auto [first, end] = chosen_pages(source.name, volume.file, source.options);
    FileInfo part = volume.file;
    part.desc = chosen(source.name, volume.file, source.options);
    const std::uint64_t page = volume.file.desc.dense_bytes() / static_cast<std::uint64_t>(volume.file.pages());
    HostArray result = read_picture(source, part, [&, first = first](std::byte* to) {
        stream.skip(static_cast<std::uint64_t>(first) * page, "the volumes before the one that is wanted");
        read_elements(stream, to, part.desc.count(), part.desc.type);
    });
    if (result.desc.find('t')) {
        const std::uint64_t left = page * static_cast<std::uint64_t>(volume.file.pages() - end);
        if (volume.packed) stream.skip(left, "the voxels");
        else stream.jump(left);
        add_time(stream, result.desc);
    }
    if (end - first == volume.file.pages() && volume.packed &&
        !stream.verify_to_end(most_behind + volume.file.desc.dense_bytes()))
        fail(source, "goes on for too long behind its voxels", again);
    return result;
}

SliceStream slices(const Source& source) {
    const auto stream = std::make_shared<GzReader>(source.path);
    Volume volume = read_header(source, *stream);
    if (volume.file.desc.find('t')) volume.file = info(source);   // the time stands behind the voxels
    const ArrayDesc& desc = volume.file.desc;
    return {desc, volume.file.metadata,
            [stream, slice = slice_of(desc), type = desc.type](std::int64_t count, std::byte* to) {
                read_elements(*stream, to, count * slice, type);
            },
            [stream, bytes = static_cast<std::uint64_t>(slice_of(desc)) * bytes_of(desc.type)](std::int64_t count) {
                stream->skip(static_cast<std::uint64_t>(count) * bytes, "the slices before those that are wanted");
            }};
}

}  // namespace parallax::io::mgh
