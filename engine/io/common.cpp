// What all readers share: checks of declared sizes before memory is asked for, colour, byte order.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>

#include "io/file.hpp"
#include "io/format.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {

void fail(const Source& source, std::string problem, std::string hint) {
    throw IoError(source.name, without_ways(std::move(problem)), std::move(hint));   // of a reader's program, too
}

ArrayDesc declared(const Source& source, ElementType type, const std::vector<ArrayDesc::Extent>& extents) {
    std::uint64_t bytes = bytes_of(type);
    std::string sizes;
    for (const auto& [name, size] : extents) sizes += fmt::format("{}{}", sizes.empty() ? "" : " x ", size);
    for (const auto& [name, size] : extents) {
        if (size < 1) {
            fail(source, fmt::format("says that it holds {} elements: its axis {} is {}", sizes, name, size),
                 "the header is damaged or the array is empty: write it again");
        }
        if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / static_cast<std::uint64_t>(size)) {
            fail(source, fmt::format("says that it holds {} elements of {}, more than 2^63 bytes", sizes, to_string(type)),
                 "the header is damaged: write or copy the file again");
        }
        bytes *= static_cast<std::uint64_t>(size);
    }
    return ArrayDesc::dense(type, extents);
}

void check_plausible(const Source& source, std::uint64_t decoded, std::uint64_t stored, std::uint64_t ratio) {
    if (decoded / ratio <= stored) return;
    fail(source, fmt::format("says that it holds {} bytes of elements, which cannot come out of {} bytes", decoded, stored),
         "the header is damaged or the file is cut off: write or copy it again");
}

void check_in_palette(const Source& source, int index, int colours) {
    if (index < colours) return;
    fail(source, fmt::format("has a pixel of colour {} in a palette of {}, which are counted from 0", index, colours),
         "the file is damaged: write or copy it again");
}

void check_limit(const Source& source, const ArrayDesc& desc) {
    if (desc.dense_bytes() > source.options.limit_bytes) {
        fail(source,
             fmt::format("holds {}: {} bytes, the limit is {}", desc.describe(), desc.dense_bytes(), source.options.limit_bytes),
             "raise the limit, or read a range of its pages");
    }
}

HostArray allocate(const Source& source, const ArrayDesc& desc, const Metadata& metadata) {
    check_limit(source, desc);
    HostArray array = source.options.allocate ? source.options.allocate(desc) : HostArray::make(desc);
    if (!array.memory || array.desc.type != desc.type || array.desc.count() != desc.count() || !array.desc.is_dense()) {
        fail(source,
             fmt::format("the memory offered for {} is {}", desc.describe(), array.memory ? array.desc.describe() : "none"),
             "ReadOptions::allocate must return a dense array of what it is asked for");
    }
    array.desc = desc;
    array.metadata = metadata;
    return array;
}

std::int64_t FileInfo::pages() const noexcept {
    std::int64_t count = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(page_axes); ++i) count *= desc.axes[i].size;
    return count;
}

std::string deep_axes(const ArrayDesc& desc) {
    std::string names;
    for (const Axis& axis : desc.axes) {
        if (std::string_view("tzn").find(axis.name) != std::string_view::npos) names += axis.name;
    }
    return names;
}

std::vector<FilePart> parts_of_pages(const std::vector<FilePart>& parts, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages) {
    std::vector<FilePart> some;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(some), [&](const FilePart& part) {
        return !pages || !part.pages || (part.pages->first < pages->second && part.pages->second > pages->first);
    });
    return some;
}

bool has_no_pages(const FileInfo& file) { return file.page_axes == 0 && !deep_axes(file.desc).empty(); }

std::string instead_of_a_page(const FileInfo& file) {
    return fmt::format(R"(a step {{"run": "select", "axis": "{}", "index": 0}} takes one plane)", deep_axes(file.desc).front());
}

namespace {

/// Other axes with the spacing that the same had.
ArrayDesc with_extents(const ArrayDesc& desc, const std::vector<ArrayDesc::Extent>& extents) {
    ArrayDesc result = ArrayDesc::dense(desc.type, extents).with_unit(desc.unit);
    for (Axis& axis : result.axes) axis.spacing = desc.find(axis.name)->spacing;
    return result;
}

}  // namespace

std::pair<std::int64_t, std::int64_t> chosen_pages(const std::string& name, const FileInfo& file, const ReadOptions& options) {
    const std::int64_t there = file.pages();
    if (options.volume && options.pages) throw IoError(name, "both a volume and a range of pages are asked for", "choose one");
    if (options.pages && has_no_pages(file))
        throw IoError(name, fmt::format("holds {} as one piece, and no pages to choose from", file.desc.describe()),
                      instead_of_a_page(file));
    const auto whole = std::pair<std::int64_t, std::int64_t>{0, there};
    const auto range = options.volume ? std::pair<std::int64_t, std::int64_t>{*options.volume, *options.volume + 1}
                                      : options.pages.value_or(whole);
    const char* const what = file.format == "nifti" ? "volume" : "page";
    if (range.first < 0 || range.first >= range.second || range.second > there) {
        throw IoError(name,
                      fmt::format("has {} {}{}; {} to {} (the last not included) are asked for", there, what,
                                  there == 1 ? "" : "s", range.first, range.second),
                      fmt::format("choose {}s that are there", what));
    }
    if (file.page_axes > 1 && range != whole && range.second - range.first > 1) {
        throw IoError(name,
                      fmt::format("holds {}: some of its {} {}s are no array of these axes", file.desc.describe(), there, what),
                      fmt::format("choose one {}, or all; a crop step cuts along each axis", what));
    }
    return range;
}

ArrayDesc chosen(const std::string& name, const FileInfo& file, const ReadOptions& options) {
    const auto [first, end] = chosen_pages(name, file, options);
    const bool plane = (options.pages && !options.keep_page_axis) || options.volume;   // "page": 0 of one page is a plane, too
    if (end - first == file.pages() && !(plane && end - first == 1)) return file.desc;
    std::vector<ArrayDesc::Extent> extents;
    // Of several axes of pages one page is one of each.
    if (end - first > 1 || (options.keep_page_axis && file.page_axes == 1))
        extents.push_back({file.desc.axes.front().name, end - first});
    for (std::size_t i = static_cast<std::size_t>(file.page_axes); i < file.desc.axes.size(); ++i)
        extents.push_back({file.desc.axes[i].name, file.desc.axes[i].size});
    return with_extents(file.desc, extents);
}

std::vector<std::string> chosen_names(const std::string& name, const FileInfo& file, const ReadOptions& options) {
    const std::vector<std::string>& names = file.metadata.channels;
    const auto pages_end = file.desc.axes.begin() + file.page_axes;
    const auto c = std::find_if(file.desc.axes.begin(), pages_end, [](const Axis& axis) { return axis.name == 'c'; });
    if (c == pages_end || std::ssize(names) != c->size) return names;
    const auto [first, end] = chosen_pages(name, file, options);
    if (file.page_axes == 1) return {names.begin() + first, names.begin() + end};
    if (end - first > 1) return names;   // of several axes it is all, or one page
    std::int64_t apart = 1;              // pages from a channel to the next
    for (auto axis = c + 1; axis != pages_end; ++axis) apart *= axis->size;
    return {names[static_cast<std::size_t>(first / apart % c->size)]};
}

bool takes_channels(Colour colour, std::int64_t channels) noexcept {
    switch (colour) {
        case Colour::grey: return channels == 1;
        case Colour::grey_alpha: return channels == 2;
        case Colour::rgb: return channels == 3;
        case Colour::rgb_alpha: return channels == 4;
        case Colour::other: break;
    }
    return false;
}

ArrayDesc greyed(const std::string& name, const ArrayDesc& desc, Colour colour, const ReadOptions& options) {
    if (!desc.find('c') || !options.grey) return desc;
    if (!takes_channels(colour, desc.size('c'))) {
        throw IoError(name, fmt::format("has {} channels that are not colours: there is no grey of them", desc.size('c')),
                      "leave \"grey\" out, and take one of them by a select step");
    }
    if (is_complex(desc.type) || desc.type == ElementType::boolean)
        throw IoError(name, fmt::format("has colours of {} values, which have no grey", to_string(desc.type)),
                      "leave \"grey\" out, and take one of its channels by a select step");
    std::vector<ArrayDesc::Extent> extents;
    for (const Axis& axis : desc.axes) {
        if (axis.name != 'c') extents.push_back({axis.name, axis.size});
    }
    return with_extents(desc, extents);
}

namespace {

/// What is left of a file, and the number of the channel that is chosen.
std::pair<ArrayDesc, std::int64_t> taken(const std::filesystem::path& path, const FileInfo& file, const ReadOptions& options) {
    const std::string name = show(path);
    const ArrayDesc desc = greyed(name, chosen(name, file, options), file.colour, options);
    return channelled(name, desc, chosen_names(name, file, options), options);
}

}  // namespace

ArrayDesc delivered(const std::filesystem::path& path, const FileInfo& file, const ReadOptions& options) {
    return taken(path, file, options).first;
}

Metadata delivered_metadata(const std::filesystem::path& path, const FileInfo& file, const ReadOptions& options) {
    Metadata metadata = file.metadata;
    metadata.channels = chosen_names(show(path), file, options);
    if (options.channel.empty() || metadata.channels.empty()) return metadata;
    const auto number = static_cast<std::size_t>(taken(path, file, options).second);
    if (number < metadata.channels.size()) metadata.channels = {std::string(metadata.channels[number])};
    return metadata;
}

std::pair<ArrayDesc, std::int64_t> channelled(const std::string& name, const ArrayDesc& desc,
                                              const std::vector<std::string>& names, const ReadOptions& options) {
    if (options.channel.empty()) return {desc, 0};
    const Axis* const axis = desc.find('c');
    if (!axis)
        throw IoError(name, fmt::format("has no channels, and channel \"{}\" is asked for", options.channel),
                      "leave \"channel\" out");
    const bool all_named = std::ssize(names) == axis->size;   // else nobody can say which has which
    const auto named = options.channel_by_number || !all_named ? names.end() : std::find(names.begin(), names.end(), options.channel);
    if (named != names.end() && std::count(named, names.end(), options.channel) > 1)
        throw IoError(name, fmt::format("has several channels \"{}\": {}", options.channel, fmt::join(names, ", ")),
                      "choose one by its number, from 0");
    std::int64_t index = named - names.begin();
    if (named == names.end()) {
        const char* const end = options.channel.data() + options.channel.size();
        const auto [stop, error] = std::from_chars(options.channel.data(), end, index);
        if (error != std::errc() || stop != end || index < 0 || index >= axis->size) {
            throw IoError(name,
                          fmt::format("has {} channels{}{}, and none is \"{}\"", axis->size, names.empty() ? "" : ": ",
                                      fmt::join(names, ", "), options.channel),
                          fmt::format("choose one from 0 to {}{}", axis->size - 1, names.empty() ? "" : ", or by its name"));
        }
    }
    std::vector<ArrayDesc::Extent> extents;
    for (const Axis& a : desc.axes) {
        if (a.name != 'c') extents.push_back({a.name, a.size});
    }
    return {with_extents(desc, extents), index};
}

namespace {

/// The nearest whole number that the type has: doubles of the largest of 64 bits are rounded up, to what it has not.
template <class T>
T nearest_whole(double value) {
    constexpr double end = 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);   // one behind its largest
    const double rounded = value < 0 ? value - 0.5 : value + 0.5;
    if (rounded >= end) return std::numeric_limits<T>::max();
    if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
    return static_cast<T>(rounded);
}

/// `step`: elements from a pixel to the next; `apart`: from one of its channels to the next.
void make_luminance(const std::byte* from, std::byte* to, std::int64_t pixels, std::int64_t step, std::int64_t apart,
                    ElementType type, Colour colour) {
    const bool rgb = colour == Colour::rgb || colour == Colour::rgb_alpha;
    visit_real(type, [&]<class T>(T) {
        const T* in = reinterpret_cast<const T*>(from);
        T* out = reinterpret_cast<T*>(to);
        for (std::int64_t i = 0; i < pixels; ++i, in += step) {
            if (!rgb) {
                out[i] = in[0];
            } else if constexpr (sizeof(T) <= 2 && std::is_unsigned_v<T>) {
                out[i] = static_cast<T>((in[0] * 19595u + in[apart] * 38470u + in[2 * apart] * 7471u + 0x8000u) >> 16);
            } else {
                const double grey = (in[0] * 19595.0 + in[apart] * 38470.0 + in[2 * apart] * 7471.0) / 65536.0;
                if constexpr (std::is_integral_v<T>) {
                    out[i] = nearest_whole<T>(grey);
                } else {
                    out[i] = static_cast<T>(grey);
                }
            }
        }
    });
}

}  // namespace

void to_luminance(const std::byte* from, std::byte* to, std::int64_t pixels, std::int64_t channels, ElementType type,
                  Colour colour) {
    make_luminance(from, to, pixels, channels, 1, type, colour);
}

void to_luminance(const ArrayDesc& desc, const std::byte* from, std::byte* to, Colour colour) {
    const auto c = std::find_if(desc.axes.begin(), desc.axes.end(), [](const Axis& axis) { return axis.name == 'c'; });
    const std::int64_t apart = c->stride;   // 1, or the pixels of a plane of one channel
    if (apart == 1) return make_luminance(from, to, desc.count() / c->size, c->size, 1, desc.type, colour);
    const std::size_t plane = static_cast<std::size_t>(apart) * bytes_of(desc.type);
    for (std::int64_t left = desc.count(); left > 0; left -= apart * c->size) {
        make_luminance(from, to, apart, 1, apart, desc.type, colour);
        from += plane * static_cast<std::size_t>(c->size);
        to += plane;
    }
}

HostArray read_picture(const Source& source, const FileInfo& file, const std::function<void(std::byte*)>& decode) {
    const ArrayDesc desc = greyed(source.name, file.desc, file.colour, source.options);
    HostArray array = allocate(source, desc, file.metadata);
    if (desc.axes.size() == file.desc.axes.size()) {
        decode(array.data());
        return array;
    }
    const HostArray channels = HostArray::make(file.desc);
    decode(channels.data());
    to_luminance(file.desc, channels.data(), array.data(), file.colour);
    return array;
}

namespace {

// A width known to the compiler becomes vector shuffles.
template <std::size_t Width>
void swap_each(std::byte* data, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) std::reverse(data + i * Width, data + (i + 1) * Width);
}

}  // namespace

void swap_bytes(std::byte* data, std::int64_t count, ElementType type) noexcept {
    const std::size_t parts = is_complex(type) ? 2 : 1;
    const std::size_t numbers = static_cast<std::size_t>(count) * parts;
    switch (bytes_of(type) / parts) {
        case 2:
            return swap_each<2>(data, numbers);
        case 4:
            return swap_each<4>(data, numbers);
        case 8:
            return swap_each<8>(data, numbers);
        default:
            return;
    }
}

}  // namespace parallax::io
