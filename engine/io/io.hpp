// Files -> arrays -> files. Formats: PNG, TIFF, JPEG, BMP, PGM, NPY, NIfTI, raw in; PNG, TIFF, NPY, NIfTI, JSON, CSV out.
// Every declared size is checked against the file's length and against `limit_bytes` before memory is asked for;
// a truncated, lying or empty file is an IoError that names it. Nothing is ever left half-written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parallax/array.hpp"
#include "parallax/host/json.hpp"
#include "support/file_identity.hpp"
#include "support/folder.hpp"

namespace parallax::io {

class Kept;

/// How the bytes of a raw file are laid out.
struct RawLayout {
    ElementType type = ElementType::u8;
    std::vector<ArrayDesc::Extent> axes{};  ///< slowest first
    std::uint64_t offset = 0;               ///< bytes before the first element
    bool big_endian = false;
    int packed_bits = 0;   ///< 10 or 12: GenICam's Mono10p and Mono12p, the lowest bits first, into u16; 0: not so
};

struct ReadOptions {
    /// [first, end) of a stack of TIFF or NPY, or volumes (times) of other formats; not set: all.
    std::optional<std::pair<std::int64_t, std::int64_t>> pages{};
    bool keep_page_axis = false;           ///< false: one page alone has no page axis
    std::optional<std::int64_t> volume{};  ///< of a 4-D NIfTI: one volume; not set: all, axis t
    std::optional<RawLayout> raw{};        ///< must be given for unknown formats; then nothing is detected
    /// true: colours become luminance (Rec. 601, as PIL's "L"), alpha is dropped; false: all channels, axis c.
    bool grey = false;
    /// 't' time or 'z' depth: what the one axis before rows and columns is, whatever the file says (of a TIFF all pages are one);
    /// several are an error. 0: what the file says, of one that says nothing z, before it t.
    char page_axis = '\0';
    /// Where the file is opened, of one that is held open; its name stays that by which it is asked for.
    std::filesystem::path through{};
    std::uint64_t limit_bytes = std::uint64_t{1} << 40;     ///< larger arrays are refused
    std::function<HostArray(const ArrayDesc&)> allocate{};  ///< e.g. pinned memory; not set: HostArray::make
    std::string dataset{};                  ///< of a file that holds several arrays: which, by its name; empty: the only one
    std::string channel{};                  ///< one index of axis c, by its name or its number; empty: all
    bool channel_by_number = false;         ///< the number is meant, whatever the names are
    std::optional<std::int64_t> series{};   ///< of a file that holds several images or series: which, from 0; not set: the first
    std::optional<std::int64_t> level{};    ///< of a pyramid: 0 the largest, the default
    /// An OME-TIFF that is one of several files of one image: true reads its own planes alone, false the whole.
    bool alone = false;
    /// How other files are opened that the file names (its voxels, its slices); not set: by their paths. One with an empty path:
    /// there is no such file. Throws.
    std::function<host::OpenedFile(const std::filesystem::path&)> open_part{};
    /// Where pages or volumes of one file are read one after the other: what is known of it by then. All calls that share it have
    /// the same choices, pages and volumes aside.
    std::shared_ptr<Kept> kept{};
    /// Of info(): the pages whose parts are told; not set: all.
    std::optional<std::pair<std::int64_t, std::int64_t>> parts_of{};
};

/// A file that belongs to another: detached voxels, a chunk, a slice.
struct FilePart {
    std::filesystem::path path;
    std::optional<host::FileIdentity> identity{};   ///< when it was looked at
    std::optional<std::pair<std::int64_t, std::int64_t>> pages{};   ///< [first, end) of which it has something; not set: all
    bool operator==(const FilePart&) const = default;
};
/// Those that have something of these pages; not set: all.
std::vector<FilePart> parts_of_pages(const std::vector<FilePart>&, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages);

/// What the channels of a picture mean. other: not colours, but stains or detectors.
enum class Colour { grey, grey_alpha, rgb, rgb_alpha, other };

/// Bytes of a file.
struct Stretch {
    std::uint64_t first = 0, bytes = 0;
};

/// What a warning is about, where whoever reads the file may have settled it.
enum class Concern {
    other,
    spacing,   ///< how large its pixels are: a stated spacing settles it
    slices     ///< how far its slices lie apart: likewise, and so does a choice of one slice
};

/// What a file says of itself and the array does not, or what is taken for something.
struct Warning {
    Warning(std::string words, Concern of = Concern::other) : text(std::move(words)), about(of) {}
    Warning(const char* words) : text(words) {}

    std::string text;   ///< a sentence without a full stop
    Concern about = Concern::other;
    bool operator==(const Warning&) const = default;
};

/// What a file says of itself, without decoding its pixels.
struct FileInfo {
    std::string format;  ///< "png", "tiff", "bigtiff", "jpeg", "bmp", "pgm", "npy", "nifti", "raw"
    ArrayDesc desc;      ///< of the whole array, channels included, before any luminance conversion
    Metadata metadata;
    std::uint64_t file_bytes = 0;
    std::string detail;  ///< "lzw, 12 pages, big-endian"
    Colour colour = Colour::grey;
    bool white_is_zero = false;      ///< it is to be seen so; the values are as they are stored
    int page_axes = 0;               ///< so many of the first axes are pages, or volumes: what ReadOptions::pages chooses from
    std::vector<Warning> warnings{};
    std::vector<std::string> ignored{};   ///< what else it holds and is left out
    std::optional<host::FileIdentity> identity{};  ///< of the file when it was looked at
    std::optional<Stretch> read_bytes{};   ///< all that is read of it, where that is known and one stretch (raw, NPY)
    bool in_slices = false;  ///< open_slices() can read it; of a part that options choose, it cannot
    std::vector<FilePart> parts{};     ///< other files that its elements come from
    std::vector<FilePart> folders{};   ///< of those, where others might appear

    /// 1 where there is nothing to choose from.
    std::int64_t pages() const noexcept;
};

/// Throws IoError for what read() would refuse by the header alone. A name that does not fit the contents is told in `detail`.
FileInfo info(const std::filesystem::path&, const ReadOptions& = {});
/// Decodes. Elements keep their type (8-bit stays u8, 1, 2 and 4-bit TIFF and PNG become u8 from 0 to 255); NIfTI
/// scl_slope/inter other than 1/0 make f32. Axes: those that the file names (OME-XML, ImageJ's and tifffile's descriptions,
/// NIfTI), else {t, z, y, x}, and c last where pixels have channels. Spacing: OME's physical sizes, ImageJ's, TIFF's resolution
/// tags in um, NIfTI's pixdim in its unit, with t in seconds; a NIfTI affine is always in mm.
HostArray read(const std::filesystem::path&, const ReadOptions& = {});

/// Whether a folder is one input by itself: an OME-Zarr, or slices of DICOM.
bool is_readable_folder(const std::filesystem::path&);

/// Whether info() may tell of parts by what a file begins with; else it need not be asked for them. Throws IoError.
bool may_have_parts(const std::filesystem::path&);

/// What read() delivers of a file that info() has described: pages chosen, colours made grey. Throws IoError where it would.
ArrayDesc delivered(const std::filesystem::path&, const FileInfo&, const ReadOptions&);
/// What it delivers beside the elements: of a channel that is chosen its name alone. Throws IoError where read() would.
Metadata delivered_metadata(const std::filesystem::path&, const FileInfo&, const ReadOptions&);

/// A volume that is read a few slices at a time, in the order of its slowest axis: for what fits into no memory.
struct SliceStream {
    ArrayDesc desc;   ///< of the whole
    Metadata metadata;
    /// Decodes the next `count` slices, dense, into `to`. No more than are left. Throws IoError.
    std::function<void(std::int64_t count, std::byte* to)> next;
    /// Passes over the next `count` slices. No more than are left. Throws IoError.
    std::function<void(std::int64_t count)> skip;
};
/// What read() would give, slice by slice: TIFF stacks, NPY in C order, NIfTI volumes (compressed ones too), raw. Throws IoError
/// for other formats, and for pages, volumes and channels to choose from.
SliceStream open_slices(const std::filesystem::path&, const ReadOptions& = {});

struct WriteOptions {
    std::optional<std::array<double, 2>> window{};             ///< PNG: [low, high] -> 0..255 (or 0..65535)
    std::optional<std::array<double, 2>> window_percentile{};  ///< PNG: percentiles, e.g. [1, 99]
    int png_bits = 0;   ///< of a PNG, 8 or 16; 0: of u16 without a window 16, else 8
    bool overwrite = false;                                    ///< false: an existing file is an IoError
    double frames_a_second = 0;                                ///< of a video or GIF; 0: by the array's times, else 10
    std::string colour_map{};                                  ///< of a picture: one of picture::colour_map_names; empty: greys
    std::optional<double> scale_bar{};                         ///< how long, in the array's unit; 0: a round length
    bool colour_bar = false;                                   ///< what the greys or colours mean, to the right
    std::optional<std::int64_t> montage{};                     ///< all pages in one picture, in so many columns; 0: as fit
    std::optional<int> compression{};                          ///< PNG, TIFF, Zarr: 0 none, 9 small; not set: PNG 1, others 0
    std::string format{};                                      ///< of frames on standard output: raw, pgm, y4m; empty: as came
    int quality = 90;                                          ///< of a JPEG, to 100
    std::optional<std::array<double, 2>> range{};              ///< of the finite elements, where it is known already
    std::optional<HostArray> greys{};                          ///< the elements through `window` in 8 bits, if made already
    std::string name{};                                        ///< of the image in OME-Zarr, an ending aside; empty: the file's
};

/// By extension: pictures for people, .png, .jpg, .gif and .mp4 (u8, and u16 for PNG, as they are; anything else through a
/// window, default its range), .tif/.tiff, .npy, .nii, .nii.gz, .nrrd, .mha, .h5, .ome.zarr, .zarr. Folders that are missing are
/// made. bool becomes 0 and 255 in PNG and TIFF, 0 and 1 in NIfTI. Throws IoError naming what the format cannot hold.
void write(const std::filesystem::path&, const HostArray&, const WriteOptions& = {});
/// Whether what is written under such a name is a folder (.ome.zarr, .zarr).
bool writes_folder(const std::filesystem::path&);
/// Whether a folder is a Zarr store, which may be replaced as a whole.
bool is_store(const std::filesystem::path&);
/// Throws IoError now if write() could not work later: unknown extension, type or axes that the format cannot hold,
/// existing file, folder that cannot be written. Creates nothing.
void check_writable(const std::filesystem::path&, const ArrayDesc&, const WriteOptions& = {});

/// The part of check_writable that needs no array, for .json and .csv: name, existing file, folder. Folders that are
/// not there yet are made when the file is written.
/// `store`: a folder will stand there, and may replace one that is a store.
void check_target(const std::filesystem::path&, bool overwrite, bool store = false);

/// Throws IoError where something stands that a file (a folder) may not replace: a folder, a device, a pipe, what the system
/// holds in its place or protects from writing.
void check_replaceable(const std::filesystem::path&, bool store = false);

/// UTF-8 as it is.
void write_text(const std::filesystem::path&, const std::string&, bool overwrite, bool strict = false);
void write_json(const std::filesystem::path&, const Json&, bool overwrite, bool strict = false);
/// Rows of equal length; numbers with all digits, text quoted where needed.
void write_csv(const std::filesystem::path&, const std::vector<std::string>& header, const std::vector<std::vector<Json>>& rows,
               bool overwrite);

/// `produce` writes the file that it is given; it is there as a whole or not at all (io/transaction.hpp). `strict`: no link is
/// followed on the way to it. `folder`: `produce` fills the empty folder that it is given.
void write_atomically(const std::filesystem::path&, bool overwrite,
                      const std::function<void(const std::filesystem::path&)>& produce, bool strict = false,
                      bool folder = false);

/// Several arrays of one shape -> one: "mean" (f32) or "median" (f32), element by element.
HostArray combine(const std::vector<HostArray>&, const std::string& how);
/// What the arrays, all like this one, and their combination take in memory beside its result.
std::uint64_t bytes_to_combine(std::size_t arrays, const ArrayDesc& one, const std::string& how);

/// xxh3-128 as hex, of a file's bytes (or a stretch of them) or of an array's elements.
std::string hash_file(const std::filesystem::path&, const std::stop_token& = {}, std::optional<Stretch> = {});
std::string hash_array(const HostArray&);
std::string hash_text(std::string_view);

}  // namespace parallax::io
