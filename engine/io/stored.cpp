#include "io/stored.hpp"

#include <fmt/format.h>

namespace parallax::io {
namespace {

constexpr std::uint64_t most_behind = 64 << 20;   ///< bytes of a packed file behind the elements, beside as many as they are

std::uint64_t bytes_in_all(const StoredArray& array) {
    return static_cast<std::uint64_t>(array.file.desc.count()) * bytes_of(array.stored);
}

/// Bytes of elements in each file.
std::uint64_t bytes_of_each(const StoredArray& array) {
    return bytes_in_all(array) / std::max<std::uint64_t>(1, array.parts.size());
}

/// Where they begin in a file of so many bytes.
std::uint64_t begin_in(const StoredArray& array, std::uint64_t there) {
    return array.at_end ? std::max(array.at, there - std::min(there, bytes_of_each(array))) : array.at;
}

std::unique_ptr<Input> input_of(const Source& source, const StoredArray& array) {
    if (array.parts.empty()) return open_input(source.open(), begin_in(array, source.bytes), array.packing);
    std::vector<std::unique_ptr<Input>> inputs;
    for (const Part& part : array.parts)
        inputs.push_back(open_input(File::open(part.opened.path()), begin_in(array, part.bytes), array.packing));
    return chain_inputs(std::move(inputs), bytes_of_each(array));
}

void read_some(Input& input, const StoredArray& array, std::int64_t count, std::byte* to) {
    const auto decode = [&](std::byte* at, std::int64_t n) {
        input.read(at, static_cast<std::size_t>(n) * bytes_of(array.stored), "the elements");
        if (array.swap) swap_bytes(at, n, array.stored);
    };
    if (!array.convert) return decode(to, count);
    constexpr std::int64_t at_once = 1 << 16;
    const HostArray scratch = HostArray::make(ArrayDesc::dense(array.stored, {{'x', std::min(at_once, count)}}));
    for (std::int64_t done = 0; done < count; done += at_once) {
        const std::int64_t n = std::min(at_once, count - done);
        decode(scratch.data(), n);
        array.convert(scratch.data(), to + static_cast<std::size_t>(done) * bytes_of(array.file.desc.type), n);
    }
}

/// Each file holds as much as the others of the slowest axes: slices, or some of them. More files than slices are not spread over
/// what there is.
void check_number_of_parts(const Source& source, const StoredArray& array) {
    auto left = static_cast<std::int64_t>(array.parts.size());
    for (const Axis& axis : array.file.desc.axes) {
        if (left <= 1) return;
        const std::int64_t size = std::max<std::int64_t>(1, axis.size);
        if (left % size == 0) left /= size;
        else if (size % left == 0) return;
        else break;
    }
    if (left <= 1) return;
    fail(source,
         fmt::format("names {} files for its elements, which {} cannot be divided among", array.parts.size(),
                     array.file.desc.describe()),
         "name one file for each slice, or correct the sizes");
}

}   // namespace

void check_stored(const Source& source, StoredArray& array) {
    check_number_of_parts(source, array);
    const std::uint64_t all = bytes_in_all(array);
    const std::uint64_t files = std::max<std::uint64_t>(1, array.parts.size());
    if (all % files != 0)
        fail(source, fmt::format("says that its {} bytes of elements stand in {} files, alike", all, files),
             "the header is damaged: write it again");
    const auto check = [&](std::uint64_t there, const std::string& where) {
        const std::uint64_t rest = there - std::min(there, begin_in(array, there)), needed = bytes_of_each(array);
        if (array.packing != Packing::none) return check_plausible(source, needed, rest, deflate_ratio);
        if (needed <= rest) return;
        fail(source,
             fmt::format("says that it holds {}: {} bytes, but {} follow {}", array.file.desc.describe(), needed, rest, where),
             "the file is cut off or its header is damaged: write or copy it again");
    };
    if (array.parts.empty()) check(source.bytes, "its header");
    for (const Part& part : array.parts) {
        check(part.bytes, fmt::format("byte {} of {}", begin_in(array, part.bytes), show(part.part.path.filename())));
        array.file.parts.push_back(part.part);
        array.file.file_bytes += part.bytes;
    }
}

HostArray read_stored(const Source& source, const StoredArray& array) {
    const auto [first, end] = chosen_pages(source.name, array.file, source.options);
    const std::int64_t pages = array.file.pages();
    const std::uint64_t page = bytes_in_all(array) / static_cast<std::uint64_t>(pages);
    const bool all = end - first == pages;
    FileInfo part = array.file;
    part.desc = chosen(source.name, array.file, source.options);
    const std::unique_ptr<Input> input = input_of(source, array);
    HostArray result = read_picture(source, part, [&, first = first](std::byte* to) {
        input->skip(static_cast<std::uint64_t>(first) * page, "the elements before those that are wanted");
        read_some(*input, array, part.desc.count(), to);
    });
    if (all) input->finish(most_behind + bytes_in_all(array));
    return result;
}

SliceStream stream_stored(const Source& source, const StoredArray& array) {
    const std::shared_ptr<Input> input = input_of(source, array);
    const ArrayDesc& desc = array.file.desc;
    const std::int64_t slice = slice_of(desc);
    const std::uint64_t bytes = static_cast<std::uint64_t>(slice) * bytes_of(array.stored);
    return {desc, array.file.metadata,
            [input, array, slice](std::int64_t count, std::byte* to) { read_some(*input, array, count * slice, to); },
            [input, bytes](std::int64_t count) {
                input->skip(static_cast<std::uint64_t>(count) * bytes, "the slices before those that are wanted");
            }};
}

}   // namespace parallax::io
