// What a file format has to offer, and what all readers share: checks of declared sizes, memory, colour.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "io/file.hpp"
#include "io/half.hpp"
#include "io/io.hpp"

namespace parallax::io {

/// A file to be read, as the readers get it.
struct Source {
    std::filesystem::path path;    ///< where it is opened
    std::filesystem::path asked;   ///< by which the user knows it
    std::string name;              ///< that as UTF-8
    std::uint64_t bytes = 0;  ///< its length
    const ReadOptions& options;
    std::optional<host::FileIdentity> identity{};   ///< before anything of it was read
    /// Open since its first bytes said which format it is, for whoever opens it next: a job may read files by the ten thousand.
    mutable std::optional<File> looked_into{};

    bool is_folder() const noexcept { return bytes == 0; }   ///< an empty file is refused before
    /// Null: nothing is kept of it.
    Kept* kept() const noexcept { return identity ? options.kept.get() : nullptr; }
    /// From its first byte on. Throws IoError.
    File open() const;
};

/// What may be chosen from a file of a format, beside pages.
enum Choice : unsigned { of_datasets = 1, of_series = 2, of_levels = 4 };

/// The first bytes of a file, after gzip.
using Head = std::span<const unsigned char>;

/// One row of the table of formats.
struct Format {
    std::string_view name;
    std::array<std::string_view, 3> extensions;  ///< lower case, with the dot
    bool stack = false;                          ///< may hold several pages or volumes
    bool (*matches)(Head) = nullptr;
    FileInfo (*info)(const Source&) = nullptr;
    HostArray (*read)(const Source&) = nullptr;
    /// Null: the format cannot be read in slices.
    SliceStream (*slices)(const Source&) = nullptr;
    /// Why the format cannot hold such an array; empty: it can. Null: the format is not written.
    std::string (*refusal)(const ArrayDesc&, const WriteOptions&) = nullptr;
    /// Writes a dense array into a new file; `name` is the path that the user knows.
    void (*write)(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&) = nullptr;
    unsigned choices = 0;   ///< of Choice
    bool in_folder = false;   ///< write() fills an empty folder
};

namespace png {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}  // namespace png
namespace tiff {
bool matches(Head);
/// OME-XML by itself, which says of TIFF files beside it what they are; in any encoding that is read.
bool is_ome_text(Head);
/// The same of a file that is named so, however long the comments at its beginning are.
bool is_ome_file(const Source&);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
/// The same for a name that promises OME-TIFF.
std::string ome_refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}  // namespace tiff
namespace jpeg {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
/// A file's bytes. Throws IoError.
std::string encoded(const HostArray&, const WriteOptions&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}  // namespace jpeg
namespace bmp {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
}  // namespace bmp
namespace pgm {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
}  // namespace pgm
namespace npy {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
void write_pieces(const std::filesystem::path&, const ArrayDesc&, const std::function<std::span<const std::byte>()>& next);
}  // namespace npy
namespace nifti {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}  // namespace nifti
namespace nrrd {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}   // namespace nrrd
namespace metaimage {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}   // namespace metaimage
namespace npz {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
}   // namespace npz
namespace mgh {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
}  // namespace mgh
namespace fits {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
}   // namespace fits
namespace hdf5 {
bool matches(Head);
/// Whether HDF5 begins behind so long a block of the user's own that the first bytes do not show it.
bool begins_later(const Source&);
FileInfo info(const Source&);
HostArray read(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
std::string refusal_of_names(const ArrayDesc&, const Metadata&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}   // namespace hdf5
namespace mat {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
}   // namespace mat
namespace gif {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}   // namespace gif
namespace dicom {
/// By its mark, not by what may be the beginning of one: so that another format's first bytes stand for that.
bool is_marked(Head);
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
}   // namespace dicom
namespace video {
bool matches(Head);
FileInfo info(const Source&);
HostArray read(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
}  // namespace video
namespace zarr {
bool matches(Head);
bool is_folder_of(const std::filesystem::path&);
FileInfo info(const Source&);
HostArray read(const Source&);
std::string refusal(const ArrayDesc&, const WriteOptions&);
/// The same for a name that promises OME-Zarr.
std::string ome_refusal(const ArrayDesc&, const WriteOptions&);
void write(const std::filesystem::path&, const std::string& name, const HostArray&, const WriteOptions&);
void write_pieces(const std::filesystem::path&, const std::string& name, const ArrayDesc&, const Metadata&,
                  const std::function<std::span<const std::byte>()>& next, const WriteOptions&);
}   // namespace zarr
namespace raw {
/// What channels are of which only the layout is known: three are red, green, blue, and four have alpha behind them.
Colour colour_of(const ArrayDesc&);
FileInfo info(const Source&);
HostArray read(const Source&);
SliceStream slices(const Source&);
}  // namespace raw

/// Throws IoError where the format that a path's ending names does not hold such an array; nothing of that path is looked at.
void check_holds(const std::filesystem::path&, const ArrayDesc&, const WriteOptions&);
/// Why that format does not hold the names of an array's channels; empty: it does, or no format has this ending.
std::string refusal_of_names(const std::filesystem::path&, const ArrayDesc&, const Metadata&);
/// Endings of the formats that can hold such an array.
std::vector<std::string> endings_for(const ArrayDesc&, const WriteOptions& = {});

[[noreturn]] void fail(const Source&, std::string problem, std::string hint = {});

/// A dense description; sizes below 1 and products past 2^63 bytes are IoErrors.
ArrayDesc declared(const Source&, ElementType, const std::vector<ArrayDesc::Extent>&);
/// Throws where `decoded` bytes cannot come out of `stored` bytes of a format that shrinks at most `ratio` times.
void check_plausible(const Source&, std::uint64_t decoded, std::uint64_t stored, std::uint64_t ratio);
/// Throws IoError for a pixel whose index is beyond its palette of so many colours.
void check_in_palette(const Source&, int index, int colours);
/// Throws past limit_bytes.
void check_limit(const Source&, const ArrayDesc&);
/// Memory for the result, from the caller's allocator if there is one. Throws past limit_bytes.
HostArray allocate(const Source&, const ArrayDesc&, const Metadata&);

/// Largest factors by which formats can shrink data (the best case of their codes, rounded up).
inline constexpr std::uint64_t deflate_ratio = 1032;
inline constexpr std::uint64_t jpeg_ratio = 5000;

/// Elements of one slice: all axes but the slowest.
inline std::int64_t slice_of(const ArrayDesc& desc) { return desc.axes.empty() ? 1 : desc.count() / desc.axes.front().size; }

/// Whether it has slices of one channel.
inline bool has_slices(const ArrayDesc& desc) { return desc.axes.size() > 1 && !desc.find('c'); }

/// Whether so many channels are such colours.
bool takes_channels(Colour, std::int64_t channels) noexcept;
/// Without the c axis where luminance is wanted. Throws IoError for channels that are no colours.
ArrayDesc greyed(const std::string& name, const ArrayDesc&, Colour, const ReadOptions&);
/// The names of the axes that are neither rows, columns nor channels.
std::string deep_axes(const ArrayDesc&);
/// Whether it is a stack or a series of which no page can be chosen, and the step that takes one plane of it.
bool has_no_pages(const FileInfo&);
std::string instead_of_a_page(const FileInfo&);
/// Which of all pages are wanted, from the first on, the end left out. Throws IoError for some that are not there.
std::pair<std::int64_t, std::int64_t> chosen_pages(const std::string& name, const FileInfo&, const ReadOptions&);
/// Those pages, with all channels. One page alone has no axis of pages.
ArrayDesc chosen(const std::string& name, const FileInfo&, const ReadOptions&);
/// The names of the channels of those pages, which in some formats are channels themselves; of one page its own.
std::vector<std::string> chosen_names(const std::string& name, const FileInfo&, const ReadOptions&);
/// Without the c axis where one channel is chosen, and which that is. Throws IoError for one that is not there.
std::pair<ArrayDesc, std::int64_t> channelled(const std::string& name, const ArrayDesc&, const std::vector<std::string>& names,
                                              const ReadOptions&);
/// Interleaved channels -> one: luminance of red, green, blue as PIL's "L", or the grey of grey and alpha.
/// Rec. 601 in 16-bit fixed point for integers: (R*19595 + G*38470 + B*7471 + 0x8000) >> 16.
void to_luminance(const std::byte* from, std::byte* to, std::int64_t pixels, std::int64_t channels, ElementType, Colour);
/// The same of a dense array whose axis c may stand anywhere.
void to_luminance(const ArrayDesc& channels, const std::byte* from, std::byte* to, Colour);
/// A picture of one page: `decode` fills dense memory of `info.desc`; converted to luminance if the caller wants that.
HostArray read_picture(const Source&, const FileInfo&, const std::function<void(std::byte*)>& decode);

/// Reverses the bytes of `count` elements, complex ones by their parts.
void swap_bytes(std::byte*, std::int64_t count, ElementType) noexcept;

/// Files and frames may hold any byte for true, and 1 stands for it here; other types stay as they are.
void make_whole(ElementType, std::byte*, std::int64_t count);

/// A number in a file's header; `swap`: its byte order is not this machine's.
template <class T>
T load(const unsigned char* at, bool swap) noexcept {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), at, sizeof(T));
    if (swap) std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}
template <class T>
T load_little(const unsigned char* at) noexcept {
    return load<T>(at, std::endian::native != std::endian::little);
}

/// Calls f with a value of the element type's C++ type (bool as a byte). Complex types have no order: the caller
/// has refused them before.
template <class F>
decltype(auto) visit_real(ElementType type, F&& f) {
    switch (type) {
        case ElementType::i8:
            return f(std::int8_t{});
        case ElementType::u16:
            return f(std::uint16_t{});
        case ElementType::i16:
            return f(std::int16_t{});
        case ElementType::u32:
            return f(std::uint32_t{});
        case ElementType::i32:
            return f(std::int32_t{});
        case ElementType::u64:
            return f(std::uint64_t{});
        case ElementType::i64:
            return f(std::int64_t{});
        case ElementType::f32:
            return f(float{});
        case ElementType::f64:
            return f(double{});
        default:
            return f(std::uint8_t{});
    }
}

}  // namespace parallax::io
