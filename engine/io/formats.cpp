// The table of formats, and the public functions that choose from it: by the first bytes, then by the extension.
#include <fmt/format.h>

#include <new>
#include <stdexcept>
#include <utility>

#include "io/file.hpp"
#include "io/foreign.hpp"
#include "io/format.hpp"
#include "io/kept.hpp"
#include "io/ome_xml.hpp"
#include "io/parts.hpp"
#include "io/pieces.hpp"
#include "io/space.hpp"
#include "io/unlike_pages.hpp"
#include "parallax/host/error.hpp"
#include "support/text.hpp"

namespace fs = std::filesystem;

namespace parallax::io {
namespace {

constexpr Format formats[] = {
    {"png", {".png"}, false, png::matches, png::info, png::read, nullptr, png::refusal, png::write},
    {"tiff",
     {".tif", ".tiff"},
     true,
     tiff::matches,
     tiff::info,
     tiff::read,
     tiff::slices,
     tiff::refusal,
     tiff::write,
     of_series | of_levels},
    {"ome",
     {".ome", ".ome.xml"},
     true,
     tiff::is_ome_text,
     tiff::info,
     tiff::read,
     tiff::slices,
     nullptr,
     nullptr,
     of_series | of_levels},
    {"jpeg", {".jpg", ".jpeg"}, false, jpeg::matches, jpeg::info, jpeg::read, nullptr, jpeg::refusal, jpeg::write},
    {"bmp", {".bmp"}, false, bmp::matches, bmp::info, bmp::read, nullptr, nullptr, nullptr},
    {"pgm", {".pgm", ".ppm", ".pnm"}, false, pgm::matches, pgm::info, pgm::read, nullptr, nullptr, nullptr},
    {"npy", {".npy"}, true, npy::matches, npy::info, npy::read, npy::slices, npy::refusal, npy::write},
    {"npz", {".npz"}, true, npz::matches, npz::info, npz::read, npz::slices, nullptr, nullptr, of_datasets},
    {"nifti", {".nii", ".nii.gz"}, true, nifti::matches, nifti::info, nifti::read, nifti::slices, nifti::refusal, nifti::write},
    {"mgh", {".mgh", ".mgz"}, true, mgh::matches, mgh::info, mgh::read, mgh::slices, nullptr, nullptr},
    {"nrrd", {".nrrd"}, true, nrrd::matches, nrrd::info, nrrd::read, nrrd::slices, nrrd::refusal, nrrd::write},
    {"metaimage",
     {".mha"},
     true,
     metaimage::matches,
     metaimage::info,
     metaimage::read,
     metaimage::slices,
     metaimage::refusal,
     metaimage::write},
    {"fits", {".fits", ".fit", ".fts"}, true, fits::matches, fits::info, fits::read, fits::slices, nullptr, nullptr, of_datasets},
    {"hdf5", {".h5", ".hdf5"}, true, hdf5::matches, hdf5::info, hdf5::read, nullptr, hdf5::refusal, hdf5::write, of_datasets},
    {"mat", {".mat"}, true, mat::matches, mat::info, mat::read, nullptr, nullptr, nullptr, of_datasets},
    {"dicom", {".dcm", ".dicom"}, true, dicom::matches, dicom::info, dicom::read, nullptr, nullptr, nullptr, of_series},
    {"ome-zarr", {".ome.zarr"}, true, zarr::matches, zarr::info, zarr::read, nullptr, zarr::ome_refusal, zarr::write, 0, true},
    {"zarr",
     {".zarr"},
     true,
     zarr::matches,
     zarr::info,
     zarr::read,
     nullptr,
     zarr::refusal,
     zarr::write,
     of_datasets | of_levels,
     true},
    {"video", {".mp4"}, true, video::matches, video::info, video::read, nullptr, video::refusal, video::write},
    {"gif", {".gif"}, true, gif::matches, gif::info, gif::read, nullptr, gif::refusal, gif::write},
};
constexpr Format raw_format = {"raw", {}, false, nullptr, raw::info, raw::read, raw::slices, nullptr, nullptr};

constexpr const char* readable =
    "readable are PNG, TIFF, JPEG, BMP, PGM, GIF, NPY, NPZ, NIfTI, NRRD, MetaImage, MGH, FITS, DICOM, HDF5, OME-Zarr, AVI, MP4 "
    "and MATLAB's files; for anything else describe a raw layout (type, axes, offset)";
constexpr const char* writable = "writable are .png, .jpg, .gif, .mp4, .tif, .tiff, .npy, .nii, .nii.gz, .nrrd, .mha, .h5, "
                                 ".ome.zarr and .zarr";

const Format* by_extension(const fs::path& path) {
    const std::string name = host::lower(show(path.filename()));
    for (const Format& format : formats) {
        for (const std::string_view extension : format.extensions) {
            if (!extension.empty() && name.size() > extension.size() && name.ends_with(extension)) return &format;
        }
    }
    return nullptr;
}

constexpr unsigned for_head = 1u << 13;   ///< bytes that are unpacked for it

/// The first bytes, unpacked where the file is compressed.
std::vector<unsigned char> head_of(const Source& source, bool& compressed) {
    std::vector<unsigned char> head(static_cast<std::size_t>(std::min<std::uint64_t>(head_bytes, source.bytes)));
    File& file = source.looked_into.emplace(File::open(source.path, source.bytes, source.name));
    head.resize(file.peek(head.data(), head.size()));
    compressed = head.size() > 2 && head[0] == 0x1f && head[1] == 0x8b;
    if (compressed) {
        head.resize(head_bytes);
        head.resize(GzReader(source.path, for_head).read_some(head.data(), head.size()));
    }
    return head;
}

/// The header of its name beside a file that has none, as of the .img of a pair; empty: there is none.
std::string header_beside(const Source& source) {
    fs::path elements = source.asked.filename();
    if (host::lower(show(elements.extension())) == ".gz") elements.replace_extension();
    for (const char* const ending : {".hdr", ".nhdr", ".mhd"}) {
        const fs::path header = fs::path(elements).replace_extension(ending);
        if (header == elements) continue;
        try {
            std::error_code none;
            const auto opened = open_if_there(source, header);
            if (opened && fs::is_regular_file(opened->path(), none)) return show(header);
        } catch (const Error&) {   // of a confined job: elsewhere, or a folder
        }
    }
    return {};
}

struct Detected {
    const Format* format;
    std::string remark;  ///< what is odd about the name
};

const Format& format_named(std::string_view name) {
    return *std::find_if(std::begin(formats), std::end(formats), [name](const Format& format) { return format.name == name; });
}

Detected detect(const Source& source) {
    if (source.options.raw) return {&raw_format, {}};
    if (source.is_folder()) return {&format_named(zarr::is_folder_of(source.path) ? "zarr" : "dicom"), {}};
    bool compressed = false;
    const std::vector<unsigned char> head = head_of(source, compressed);
    const Format* named = by_extension(source.asked);
    const Foreign foreign = foreign_format(head);
    // A DICOM file may begin as a TIFF does, so that viewers of pictures open it; it is DICOM all the same.
    const bool dicom = dicom::is_marked(head);
    for (const Format& format : formats) {
        if (dicom ? format.name != "dicom" : !format.matches(head)) continue;
        if (compressed && format.name != "nifti" && format.name != "mgh") {
            fail(source, fmt::format("is a gzip-compressed {} file", format.name),
                 "unpack it first: only NIfTI and MGH volumes are read compressed");
        }
        if (!named || named == &format) return {&format, {}};
        return {&format, fmt::format("named as {} but holds {}", named->name, format.name)};
    }
    if (named && (named->name == "hdf5" || named->name == "mat") && hdf5::begins_later(source))
        return {&format_named("hdf5"), {}};
    if (named && named->name == "ome" && tiff::is_ome_file(source)) return {named, {}};
    if (foreign.what) {
        const std::string what = fmt::format("{}{}", foreign.what, compressed ? ", compressed" : "");
        const std::string problem = named ? fmt::format("is named as {} but does not begin as one: it is {}", named->name, what)
                                          : fmt::format("is {}, which is not read", what);
        fail(source, problem, foreign.hint);
    }
    if (named) {
        fail(source, fmt::format("is named as {} but does not begin as one", named->name),
             "the file is damaged, or its name is wrong");
    }
    const std::string header = header_beside(source);
    const std::string hint =
        header.empty() ? readable : fmt::format("{} beside it may describe its elements: read that file", header);
    fail(source, compressed ? "is compressed, and holds no format that is known" : "holds no format that is known", hint);
}

void check_selection(const Source& source, const Format& format) {
    const ReadOptions& options = source.options;
    if (options.volume && format.name != "nifti") {
        fail(source, fmt::format("is a {} file: a volume cannot be chosen from it", format.name),
             "volumes are chosen from 4-D NIfTI files");
    }
    if (options.pages && !format.stack && *options.pages != std::pair<std::int64_t, std::int64_t>{0, 1}) {
        fail(source, fmt::format("is a {} file: it has no pages to choose from", format.name),
             "pages are chosen from stacks of TIFF and NPY, and from times of other formats");
    }
    if (options.pages && options.raw)
        fail(source, "is read by a raw layout: it has no pages to choose from", "leave page and pages out");
}

void check_choices(const Source& source, const Format& format) {
    const ReadOptions& options = source.options;
    const auto check = [&](bool asked, unsigned choice, const char* key, const char* what) {
        if (!asked || (format.choices & choice) != 0) return;
        std::string which;
        for (const Format& other : formats) {
            if ((other.choices & choice) != 0) which += fmt::format("{}{}", which.empty() ? "" : ", ", other.name);
        }
        fail(source, fmt::format("is a {} file: it has no {} to choose from", format.name, what),
             fmt::format("leave \"{}\" out; files of these formats may have {}: {}", key, what, which));
    };
    check(!options.dataset.empty(), of_datasets, "dataset", "datasets");
    check(options.series.has_value(), of_series, "series", "series");
    check(options.level.has_value(), of_levels, "level", "levels");
}

[[noreturn]] void fail_as_changed(const Source& source, const std::string& how) {
    fail(source, "has changed since its first page was looked at" + how, "leave a file alone while a job goes through its pages; run the job again");
}

void hold_against_first_page(const Source& source) {
    if (!source.kept() || source.kept()->is_still(source.asked, *source.identity, source.path)) return;
    fail_as_changed(source, " (it was written to, replaced, or given other rights or a further name)");
}

/// The same of what belongs to it.
void hold_parts(const Source& source, const std::vector<FilePart>& parts) {
    for (const FilePart& part : parts)
        if (part.identity && !source.kept()->is_still(part.path, *part.identity, {})) fail_as_changed(source, ", in " + show(part.path));
}

/// Runs one reader; memory that is not there is the file's problem too.
template <class Work>
auto with_source(const fs::path& path, const ReadOptions& options, const Work& work) {
    const fs::path& there = options.through.empty() ? path : options.through;
    // A folder is one file to those that read folders: bytes that are its own it has none.
    std::error_code unreached;
    const host::FileState state = host::state_of(there, unreached);
    const bool folder = !options.raw && state.type == fs::file_type::directory;
    const std::uint64_t bytes = folder ? 0 : identity_of_source(there, state, unreached).bytes;
    const Source source{there, path, show(path), bytes, options, state.identity};
    try {
        hold_against_first_page(source);
        const Detected detected = detect(source);
        check_selection(source, *detected.format);
        check_choices(source, *detected.format);
        return work(source, detected);
    } catch (const std::bad_alloc&) {
        fail(source, "there is not enough memory to read it", "read a range of its pages, or close other programs");
    } catch (const std::length_error&) {
        fail(source, "says that it holds more than memory can", "the header is damaged: write or copy the file again");
    } catch (const UnlikePages& error) {
        throw UnlikePages(source.name, error.problem, error.hint);
    } catch (const IoError& error) {
        throw IoError(source.name, error.problem, error.hint);
    } catch (const DeviceError&) {   // the caller's memory for the result: no fault of the file
        throw;
    } catch (const Error& error) {
        fail(source, error.what());
    }
}

bool options_choose(const ReadOptions& options) { return options.pages || options.volume || !options.channel.empty(); }

/// One index of axis c of an array that has been read.
HostArray channel_of(const Source& source, HostArray array, const ReadOptions& options) {
    const auto [desc, index] = channelled(source.name, array.desc, array.metadata.channels, options);
    HostArray view = array;
    const auto c = std::find_if(view.desc.axes.begin(), view.desc.axes.end(), [](const Axis& axis) { return axis.name == 'c'; });
    view.desc.offset += index * c->stride;
    view.desc.axes.erase(c);
    std::vector<std::string>& names = view.metadata.channels;
    const bool named = static_cast<std::size_t>(index) < names.size();
    names = named ? std::vector<std::string>{names[static_cast<std::size_t>(index)]} : std::vector<std::string>();
    if (!options.allocate) return view.to_dense();
    const Source asking{source.path, source.asked, source.name, source.bytes, options};
    HostArray result = allocate(asking, desc, view.metadata);
    const HostArray dense = view.to_dense();
    std::memcpy(result.data(), dense.data(), desc.dense_bytes());
    return result;
}

/// `ome`: the name promises OME-TIFF.
std::string refusal_of(const Format& format, const ArrayDesc& desc, const WriteOptions& options, bool ome = false) {
    if (desc.count() == 0) return fmt::format("the array holds no elements: {}", desc.describe());
    const bool shown = format.name == "png" || format.name == "jpeg" || format.name == "gif" || format.name == "video";
    if (!shown &&
        (options.window || options.window_percentile || !options.colour_map.empty() || options.scale_bar || options.colour_bar))
        return "windows, colours and bars are for .png, .jpg, .gif and .mp4 files; other formats keep the values";
    if (options.montage && format.name != "png" && format.name != "jpeg") return "a montage is for .png and .jpg files";
    const std::string problem = ome ? tiff::ome_refusal(desc, options) : format.refusal(desc, options);
    if (!problem.empty() || format.name == "npy") return problem;   // where no axis has a name
    for (const Axis& axis : desc.axes) {
        const auto same = [&](const Axis& other) { return other.name == axis.name; };
        if (std::count_if(desc.axes.begin(), desc.axes.end(), same) > 1)
            return fmt::format("it tells axes by their names, and two of {} are called {}", desc.describe(), axis.name);
    }
    return {};
}

std::string refusal_of(const fs::path& path, const ArrayDesc& desc, const WriteOptions& options, const Format*& format) {
    format = by_extension(path);
    if (!format) throw IoError(show(path), "has an extension of no format that is known", writable);
    if (!format->write) throw IoError(show(path), fmt::format("{} files are only read", format->name), writable);
    return refusal_of(*format, desc, options, format->name == "tiff" && tiff::is_ome_name(show(path)));
}

}  // namespace

File Source::open() const {
    if (!looked_into) return File::open(path);
    File file = std::move(*looked_into);
    looked_into.reset();
    return file;
}

std::vector<std::string> endings_for(const ArrayDesc& desc, const WriteOptions& options) {
    std::vector<std::string> endings;
    for (const Format& format : formats) {
        if (!format.write || !refusal_of(format, desc, options).empty()) continue;
        for (const std::string_view extension : format.extensions) {
            if (!extension.empty()) endings.emplace_back(extension);
        }
    }
    return endings;
}

namespace {

/// What "page_axis" states of an array that has one axis of pages: by which name that goes in the file, where it is another.
std::optional<char> renamed_axis(const Source& source, const FileInfo& file) {
    const char stated = source.options.page_axis;
    const std::string deep = deep_axes(file.desc);
    if (stated == '\0' || deep.empty()) return std::nullopt;
    if (deep.size() > 1) {
        if (file.page_axes == 1 && deep.front() == stated) return std::nullopt;
        fail(source, fmt::format("holds {}, and \"page_axis\" says of one axis what it is", file.desc.describe()),
             "leave \"page_axis\" out, or take a part by a select step");
    }
    return deep.front() == stated ? std::nullopt : std::optional(deep.front());
}

/// Neither seconds nor a length is left of what the axis was taken for, and slices that were times have no place one behind the
/// other.
void rename_axis(ArrayDesc& desc, Metadata& metadata, std::optional<char> from, char to) {
    for (Axis& axis : desc.axes) {
        if (axis.name != from) continue;
        axis.name = to;
        axis.spacing = to == 't' ? 0 : 1;
        if (to == 'z') metadata.affine.reset();
    }
}

/// Whether a reader obeys "page_axis" by itself, whatever axes its pages have.
bool flattens_pages(const Format& format) { return format.info == tiff::info; }

std::optional<char> axis_to_rename(const Source& source, const Format& format) {
    if (source.options.page_axis == '\0' || flattens_pages(format)) return std::nullopt;
    return renamed_axis(source, format.info(source));
}

}  // namespace

FileInfo info(const fs::path& path, const ReadOptions& options) {
    return with_source(path, options, [](const Source& source, const Detected& detected) {
        Kept* const kept = source.options.pages || source.options.volume ? nullptr : source.kept();
        if (kept)
            if (std::optional<FileInfo> known = kept->info(*source.identity, source.options.parts_of)) return *std::move(known);
        FileInfo result = detected.format->info(source);
        if (!flattens_pages(*detected.format))
            rename_axis(result.desc, result.metadata, renamed_axis(source, result), source.options.page_axis);
        if (leave_out_flat(result.desc, result.metadata))
            result.warnings.push_back(
                std::string("its directions have the determinant 0, and go along fewer than its axes: they are left out, and so is "
                            "where its voxels lie"));
        result.identity = source.identity;
        if (!detected.remark.empty()) result.detail += "; " + detected.remark;
        if (kept) {
            hold_parts(source, result.parts);
            hold_parts(source, result.folders);
            kept->put(result);
        }
        if (const auto& pages = source.options.parts_of) {
            result.parts = parts_of_pages(result.parts, pages);
            result.folders = parts_of_pages(result.folders, pages);
        }
        return result;
    });
}

bool is_readable_folder(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return false;
    if (zarr::is_folder_of(path)) return true;
    constexpr int most = 100;   // files that are looked at
    int seen = 0;
    for (fs::directory_iterator it(path, error), none; !error && it != none && seen < most; it.increment(error)) {
        if (!it->is_regular_file(error) || it->file_size(error) < 132) continue;
        ++seen;
        std::vector<unsigned char> head(head_bytes);
        File file = File::open(it->path());
        head.resize(file.read_some(head.data(), head.size()));
        if (dicom::is_marked(head)) return true;
    }
    return false;
}

bool may_have_parts(const fs::path& path) {
    std::error_code unknown;
    if (fs::is_directory(path, unknown)) return !zarr::is_folder_of(path);   // slices
    std::vector<unsigned char> head(head_bytes);
    head.resize(File::open(path).read_some(head.data(), head.size()));
    if (head.size() > 2 && head[0] == 0x1f && head[1] == 0x8b) {
        head.resize(head_bytes);
        head.resize(GzReader(path, for_head).read_some(head.data(), head.size()));
    }
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    if (text.starts_with('<') || nrrd::matches(head) || metaimage::matches(head) || tiff::is_ome_text(head)) return true;
    const auto says = [&](std::size_t at, const char* word) { return text.size() > at && text.substr(at).starts_with(word); };
    return nifti::matches(head) && !says(344, "n+1") && !says(4, "n+2");   // which stand for voxels in the same file
}

void make_whole(ElementType type, std::byte* bytes, std::int64_t count) {
    if (type == ElementType::boolean)
        std::transform(bytes, bytes + count, bytes, [](std::byte one) { return std::byte{one != std::byte{0}}; });
}

HostArray read(const fs::path& path, const ReadOptions& options) {
    ReadOptions whole = options;   // the memory that the caller offers is for one channel, where one is chosen
    if (!options.channel.empty()) whole.allocate = {};
    return with_source(path, whole, [&options](const Source& source, const Detected& detected) {
        const std::optional<char> renamed = axis_to_rename(source, *detected.format);
        HostArray result = detected.format->read(source);
        make_whole(result.desc.type, result.data(), result.desc.count());
        rename_axis(result.desc, result.metadata, renamed, source.options.page_axis);
        leave_out_flat(result.desc, result.metadata);
        if (!options.channel.empty()) result = channel_of(source, std::move(result), options);
        if (!detected.remark.empty()) result.metadata.notes["file.remark"] = detected.remark;
        return result;
    });
}

SliceStream open_slices(const fs::path& path, const ReadOptions& options) {
    return with_source(path, options, [](const Source& source, const Detected& detected) {
        if (options_choose(source.options))
            fail(source, "is to be read in slices, and a part of it is chosen", "leave out page, pages, volume and channel");
        if (!detected.format->slices)
            fail(source, fmt::format("is a {} file, which is read as a whole", detected.format->name),
                 "TIFF stacks, NPY, NIfTI and raw files are read in slices");
        const std::optional<char> renamed = axis_to_rename(source, *detected.format);
        SliceStream stream = detected.format->slices(source);
        if (stream.desc.type == ElementType::boolean)
            stream.next = [next = std::move(stream.next), slice = slice_of(stream.desc)](
                              std::int64_t count, std::byte* to) {
                next(count, to);
                make_whole(ElementType::boolean, to, count * slice);
            };
        rename_axis(stream.desc, stream.metadata, renamed, source.options.page_axis);
        leave_out_flat(stream.desc, stream.metadata);
        if (!has_slices(stream.desc))
            fail(source, fmt::format("holds {}, which has no slices", stream.desc.describe()),
                 "slices are for volumes and images of one channel");
        return stream;
    });
}

namespace {

std::string endings_hint(const ArrayDesc& desc, const WriteOptions& options) {
    const std::vector<std::string> endings = endings_for(desc, options);
    return endings.empty() ? std::string(writable) : fmt::format("it can be written as {}", fmt::join(endings, ", "));
}

}  // namespace

void check_holds(const fs::path& path, const ArrayDesc& desc, const WriteOptions& options) {
    const Format* format = nullptr;
    const std::string problem = refusal_of(path, desc, options, format);
    if (!problem.empty()) throw IoError(show(path), problem, endings_hint(desc, options));
}

void check_writable(const fs::path& path, const ArrayDesc& desc, const WriteOptions& options) {
    check_holds(path, desc, options);
    check_target(path, options.overwrite, writes_folder(path));
}

void write(const fs::path& path, const HostArray& array, const WriteOptions& options) {
    check_writable(path, array.desc, options);
    const Format& format = *by_extension(path);
    HostArray dense = array.to_dense();
    leave_out_flat(dense.desc, dense.metadata);   // of which readers refuse the file
    const auto produce = [&](const fs::path& temporary) {
        try {
            format.write(temporary, show(path), dense, options);
        } catch (const std::bad_alloc&) {
            throw IoError(show(path), "there is not enough memory to write it");
        } catch (const IoError& error) {
            // The user knows the file by the name that it will have.
            throw IoError(show(path), error.problem, error.hint);
        }
    };
    write_atomically(path, options.overwrite, produce, false, format.in_folder);
}

std::string refusal_of_names(const fs::path& path, const ArrayDesc& desc, const Metadata& metadata) {
    const Format* const format = by_extension(path);
    if (format == nullptr) return {};
    if (format->name == "tiff" && tiff::is_ome_name(show(path))) return tiff::why_no_ome_names(desc, metadata);
    return format->name == "hdf5" ? hdf5::refusal_of_names(desc, metadata) : std::string();
}

bool writes_folder(const fs::path& path) {
    const Format* const format = by_extension(path);
    return format != nullptr && format->in_folder;
}

bool is_store(const fs::path& path) {
    std::error_code error;
    return fs::is_directory(path, error) && zarr::is_folder_of(path);
}

bool writes_pieces(const fs::path& path) {
    const Format* const format = by_extension(path);
    return format != nullptr && (format->name == "npy" || format->in_folder);
}

void write_pieces(const fs::path& path, const ArrayDesc& desc, const std::function<std::span<const std::byte>()>& next,
                  const WriteOptions& options, const Metadata& metadata) {
    check_writable(path, desc, options);
    if (!writes_pieces(path))
        throw IoError(show(path), "cannot be written piece by piece", "write a .npy file or a .zarr folder");
    const bool folder = writes_folder(path);
    const auto produce = [&](const fs::path& temporary) {
        if (folder) zarr::write_pieces(temporary, show(path), desc, metadata, next, options);
        else npy::write_pieces(temporary, desc, next);
    };
    write_atomically(path, options.overwrite, produce, false, folder);
}

}  // namespace parallax::io
