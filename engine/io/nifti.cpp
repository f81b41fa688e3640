// NIfTI-1 and NIfTI-2 volumes in one file, .nii or .nii.gz, or in a pair of .hdr and .img, either byte order. The first axis of a
// header is x, the fastest; spacing is in the file's unit, the affine in mm, the time step in seconds.
#include "io/nifti.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "io/decimal.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/kept.hpp"
#include "io/parts.hpp"
#include "io/scale_loss.hpp"
#include "io/units.hpp"
#include "parallax/host/error.hpp"
#include "support/text.hpp"

namespace parallax::io::nifti {
namespace {

struct Volume {
    FileInfo file;
    Header header;
    ElementType stored = ElementType::u8;
    bool scaled = false, compressed = false;
    std::uint64_t elements_at = 0;
    std::optional<Part> voxels{};   ///< of a pair: the other file
};

/// 1 or 2 for the NIfTI versions; 0: neither.
int version_of(Head head, bool& swap) {
    if (head.size() < 4) return 0;
    for (const bool s : {false, true}) {
        swap = s;
        const auto size = load<std::int32_t>(head.data(), s);
        if (size == static_cast<std::int32_t>(header_bytes_1)) return 1;
        if (size == static_cast<std::int32_t>(header_bytes_2)) return 2;
    }
    return 0;
}

using Matrix = std::array<double, 16>;

/// Of the sform, whose rows the header has.
Matrix matrix_of_rows(const Header& h) {
    Matrix affine{};
    std::copy(h.srow.begin(), h.srow.end(), affine.begin());
    affine[15] = 1;
    return affine;
}

bool is_finite(const Matrix& m) {
    return std::all_of(m.begin(), m.end(), [](double v) { return std::isfinite(v); });
}

bool has_sform(const Header& h) { return h.sform_code > 0 && is_finite(matrix_of_rows(h)); }

/// How long a step of the sform is, in the header's unit.
double length_by_rows(const Header& h, std::size_t column) {
    return std::hypot(h.srow[column], h.srow[column + 4], h.srow[column + 8]);
}

/// Whether two ways from voxels to space lead to the same, by a hundredth of a voxel or as f32 rounds.
bool alike(const Matrix& a, const Matrix& b, const ArrayDesc& desc) {
    for (std::size_t row = 0; row < 3; ++row) {
        double most = 0, step = 0;
        for (std::size_t column = 0; column < 4; ++column) {
            const double far = column < 3 ? static_cast<double>(desc.size("xyz"[column])) : 1;
            most += std::abs(a[row * 4 + column] - b[row * 4 + column]) * far;
            if (column < 3) step = std::max(step, std::abs(a[row * 4 + column]));
        }
        if (most > 0.01 * step + 1e-5 * std::abs(a[row * 4 + 3])) return false;
    }
    return true;
}

void note_thickness(Volume& volume) {
    const Header& h = volume.header;
    const double stored = std::abs(h.pixdim[3]), step = h.version == 1 ? as_decimal_of_float(static_cast<float>(stored)) : stored;
    const ArrayDesc& desc = volume.file.desc;
    if (h.dim[0] < 3 || desc.find('z') || !std::isfinite(step) || !(step > 0) || (step == 1 && desc.unit.empty())) return;
    volume.file.metadata.notes[thickness_note] = fmt::format("{}{}{}", step, desc.unit.empty() ? "" : " ", desc.unit);
}

void describe_space(Volume& volume) {
    const Header& h = volume.header;
    ArrayDesc& desc = volume.file.desc;
    FileInfo& file = volume.file;
    double in_mm = 1;
    for (const Unit& unit : units) {
        if ((h.xyzt_units & 7) == unit.code) desc.unit = unit.name, in_mm = unit.in_mm;
    }
    const int time = h.xyzt_units & 0x38;
    const double in_s = time == 16 ? 1e-3 : time == 24 ? 1e-6 : 1;
    const char* const no_time = time == 32   ? "hertz"
                                : time == 40 ? "parts per million"
                                : time == 48 ? "radians a second"
                                             : nullptr;
    const bool sform = has_sform(h);
    bool unlike_one = false;
    std::string unsaid;   // axes whose distance nothing says
    for (Axis& axis : desc.axes) {
        const std::size_t at = std::string_view("?xyztn").find(axis.name);
        if (at == std::string_view::npos || axis.name == 'c') continue;
        const double stored = std::abs(h.pixdim[at]),
                     step = h.version == 1 ? as_decimal_of_float(static_cast<float>(stored)) : stored;
        if (axis.name == 't' && no_time != nullptr) {
            file.warnings.push_back(fmt::format(
                "its fourth axis goes in steps of {} {}, not of time: it is read as t without a time", step, no_time));
            continue;
        }
        if (axis.name == 't' && time == 0 && std::isfinite(step) && step > 0 && step != 1)
            file.warnings.push_back(
                fmt::format("its frames are {} of a unit that it does not name apart: seconds are taken", step));
        if (axis.name == 't' && time == 0 && step == 1) continue;   // what stands there where nothing is said
        const bool said = std::isfinite(step) && step > 0;
        if (said) axis.spacing = axis.name == 't' ? scaled(step, in_s) : step;
        else if (const double length = at <= 3 && sform ? length_by_rows(h, at - 1) : 0; length > 0) axis.spacing = length;
        else unsaid += axis.name;
        unlike_one = unlike_one || (at <= 3 && axis.spacing != 1);
    }
    if (desc.unit.empty() && unlike_one) {
        const auto spacing = [&](char axis) { return desc.find(axis) ? desc.find(axis)->spacing : 1.0; };
        file.warnings.push_back({fmt::format("its voxels are {} x {} x {} of a unit that it does not name, most often mm: "
                                             "\"spacing_mm\" of the input states it",
                                             spacing('x'), spacing('y'), spacing('z')),
                                 Concern::spacing});
    }
    tell_unsaid("its header (pixdim)", unsaid, file);
    // The sizes of a qform are those of pixdim.
    const bool sized = std::none_of(desc.axes.begin(), desc.axes.end(), [&](const Axis& axis) {
        const std::size_t at = std::string_view("?xyz").find(axis.name);
        return at != std::string_view::npos && axis.size > 1 && !(std::abs(h.pixdim[at]) > 0);
    });
    const bool qform = h.qform_code > 0 && turns(h) && is_finite(matrix_of_quaternion(h)) && sized;
    if (h.sform_code > 0 && !sform) file.warnings.push_back("its sform has numbers that are none: it is left out");
    if (h.qform_code > 0 && !qform)
        file.warnings.push_back(!turns(h) ? "its qform's quaternion is no rotation: the qform is left out"
                                : sized   ? "its qform has numbers that are none: it is left out"
                                          : "its qform goes by sizes (pixdim) of which one is 0: the qform is left out");
    if (!sform && !qform) return note_thickness(volume);
    if (!sform && std::any_of(h.pixdim.begin() + 1, h.pixdim.begin() + 4, [](double size) { return size < 0; }))
        file.warnings.push_back(
            fmt::format("its pixdim is {:.6g} x {:.6g} x {:.6g}, where the qform has sizes: numbers below 0 are taken without their sign",
                        h.pixdim[1], h.pixdim[2], h.pixdim[3]));
    Matrix affine = sform ? matrix_of_rows(h) : matrix_of_quaternion(h);
    const bool both = sform && qform && alike(affine, matrix_of_quaternion(h), desc);
    if (sform && qform && !both)
        file.warnings.push_back("its two orientations, sform and qform, differ: the sform is followed and the qform left out");
    std::string longer;
    for (std::size_t i = 0; i < 3; ++i) {
        const Axis* const axis = desc.find("xyz"[i]);
        const double step = std::hypot(affine[i], affine[4 + i], affine[8 + i]);
        const double stored = std::abs(h.pixdim[i + 1]);
        if (std::isfinite(stored) && stored > 0 && axis && axis->size > 1 && std::abs(step - axis->spacing) > 1e-3 * axis->spacing)
            longer += fmt::format("{}{} {:.6g} and {:.6g}", longer.empty() ? "" : ", ", axis->name, axis->spacing, step);
    }
    if (!longer.empty())
        file.warnings.push_back(
            fmt::format("its pixdim and its {} give unlike distances ({}): those of pixdim are taken, and NIfTI alone keeps "
                        "where its voxels lie",
                        sform ? "sform" : "qform", longer));
    for (std::size_t i = 0; i < 12; ++i) affine[i] *= in_mm;
    file.metadata.affine = affine;
    // What of the two is written back, with its code.
    if (sform) file.metadata.notes["nifti.sform"] = fmt::format("{}", h.sform_code);
    if (qform && (both || !sform)) file.metadata.notes["nifti.qform"] = fmt::format("{}", h.qform_code);
}

/// What the values mean, kept as a note: the code, its three numbers and its name.
void describe_intent(Volume& volume) {
    const Header& h = volume.header;
    if (h.intent == 0 && h.intent_name.empty()) return;
    const auto& n = h.intent_numbers;
    volume.file.metadata.notes["nifti.intent"] = fmt::format("{} {} {} {} {}", h.intent, n[0], n[1], n[2], h.intent_name);
}

/// Of a compressed file, what is unpacked and not used: extensions before the voxels, and whatever stands behind them. A megabyte
/// of gzip may hold a gigabyte.
constexpr std::uint64_t most_unused = 64 << 20;

/// Reads on to gzip's checksum.
void verify_end(GzReader& stream, const std::string& name, std::uint64_t voxel_bytes) {
    if (stream.verify_to_end(most_unused + voxel_bytes)) return;
    throw IoError(name,
                  fmt::format("holds {} bytes of voxels, and more than {} behind them", voxel_bytes, most_unused + voxel_bytes),
                  "the header or the file is damaged: write it again");
}

/// To the voxels that are wanted, from behind the header.
void go_to(GzReader& stream, std::uint64_t bytes, bool compressed) {
    if (compressed)
        stream.skip(bytes, "the voxels");
    else
        stream.jump(bytes);
}

/// Of a pair, by the name of its header: a.img belongs to a.hdr, a.img.gz to a.hdr.gz. Where that is not there the other is
/// taken: voxels may be packed where the header is not, and the other way round.
Part find_voxels(const Source& source) {
    std::string stem = show(source.asked.filename());
    const bool packed = host::lower(stem).ends_with(".gz");
    for (const std::string_view ending : {".gz", ".hdr"}) {
        if (host::lower(stem).ends_with(ending)) stem.resize(stem.size() - ending.size());
    }
    const auto endings = packed ? std::array{".img.gz", ".img", ".IMG"} : std::array{".img", ".IMG", ".img.gz"};
    for (const char* const ending : endings) {
        const std::string name = stem + ending;
        if (open_if_there(source, std::filesystem::path(std::u8string(name.begin(), name.end())))) return open_part(source, name);
    }
    return open_part(source, stem + endings[0]);
}

/// Leaves the stream behind the header; `position` is where that is.
Volume read_header(const Source& source, GzReader& stream, std::uint64_t& position) {
    std::array<unsigned char, header_bytes_2> bytes{};
    stream.read(bytes.data(), header_bytes_1, "the NIfTI header");
    bool swap = false;
    const int version = version_of(bytes, swap);
    if (version == 2) stream.read(bytes.data() + header_bytes_1, header_bytes_2 - header_bytes_1, "the NIfTI header");
    position = version == 2 ? header_bytes_2 : header_bytes_1;

    Volume volume;
    volume.header = parse(bytes, version, swap);
    const Header& h = volume.header;
    const char* again = "the header is damaged: write or copy the file again";
    const std::string_view magic(h.magic.data(), 3);
    const bool pair = magic == (version == 2 ? "ni2" : "ni1");
    if (!pair && magic != (version == 2 ? "n+2" : "n+1"))
        fail(source, "has the size of a NIfTI header but not its magic word", "Analyze files must be converted to NIfTI");
    if (h.dim[0] < 1 || h.dim[0] > 7) fail(source, fmt::format("declares {} dimensions; NIfTI has 1 to 7", h.dim[0]), again);
    const auto* row =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.code == h.datatype; });
    if (row == std::end(type_table)) {
        fail(source, fmt::format("holds elements of NIfTI's data type {}, which cannot be read", h.datatype),
             "convert it to an integer or float type");
    }
    const int bits = static_cast<int>(bytes_of(row->type)) * row->channels * 8;
    if (h.bits != 0 && h.bits != bits)
        volume.file.warnings.push_back(fmt::format(
            "it says that its elements have {} bits (bitpix), and NIfTI's data type {}, which has {}: the data type is followed",
            h.bits, h.datatype, bits));
    volume.stored = row->type;
    volume.file.colour = row->channels == 4 ? Colour::rgb_alpha : row->channels == 3 ? Colour::rgb : Colour::grey;

    // x and y stand always, z and the rest where they are said to be there; trailing axes of one index add nothing.
    std::vector<ArrayDesc::Extent> extents;
    const auto dims = static_cast<std::size_t>(h.dim[0]);
    std::size_t used = dims;
    while (used > 3 && h.dim[used] == 1) --used;
    if (used > 5) fail(source, fmt::format("has {} dimensions; up to 5 can be read", used), "split it into 4-D files");
    for (std::size_t i = used; i > 0; --i) {
        if (i > 2 && i < used && h.dim[i] == 1) continue;  // a series of pictures, or vectors without time
        extents.push_back({"?xyztn"[i], h.dim[i]});
    }
    if (row->channels > 1) extents.push_back({'c', row->channels});
    // A slope of 0 means that there is none.
    volume.scaled =
        row->channels == 1 && std::isfinite(h.slope) && std::isfinite(h.inter) && h.slope != 0 && !(h.slope == 1 && h.inter == 0);
    if (volume.scaled && is_complex(volume.stored))
        fail(source, "holds scaled complex numbers, which cannot be read", "write it without scl_slope");

    FileInfo& file = volume.file;
    file.format = "nifti";
    file.file_bytes = source.bytes;
    const ArrayDesc stored = declared(source, volume.stored, extents);
    file.desc = volume.scaled ? declared(source, ElementType::f32, extents) : stored;
    file.in_slices = has_slices(file.desc);
    const auto inside = std::find_if(file.desc.axes.begin(), file.desc.axes.end(),
                                     [](const Axis& axis) { return axis.name != 't' && axis.name != 'n'; });
    file.page_axes = static_cast<int>(inside - file.desc.axes.begin());
    // A slope that is NaN says that there is none, as nibabel writes it.
    if (row->channels == 1 && std::isinf(h.slope))
        file.warnings.push_back(fmt::format("its slope is {}: values are read as they are stored", h.slope));
    if (row->channels == 1 && std::isfinite(h.slope) && h.slope != 0 && !std::isfinite(h.inter))
        file.warnings.push_back(
            fmt::format("its slope is {}, and its intercept no number: values are read as they are stored", h.slope));
    const std::string loss = volume.scaled ? loss_by_scale(to_string(volume.stored), h.slope, h.inter) : std::string();
    if (!loss.empty()) file.warnings.push_back(loss);
    for (const Axis& axis : file.desc.axes) {
        const std::size_t at = std::string_view("?xyztn").find(axis.name);
        if (at == std::string_view::npos || std::isfinite(h.pixdim[at])) continue;
        const bool by_sform = at <= 3 && has_sform(h) && length_by_rows(h, at - 1) > 0;
        if (at <= 3 && axis.size > 1 && !by_sform)
            fail(source, fmt::format("says that its voxels are {} apart along {} (pixdim[{}])", h.pixdim[at], axis.name, at),
                 again);
        file.warnings.push_back(fmt::format("its distance along {} is {} (pixdim[{}]): {}", axis.name, h.pixdim[at], at,
                                            by_sform ? "that of its sform is taken" : "it is left out"));
        volume.header.pixdim[at] = 0;   // as where nothing is said
    }
    describe_space(volume);
    describe_intent(volume);
    if (!h.description.empty()) file.metadata.notes["nifti.description"] = h.description;

    // In one file 0 stands where nothing is said: behind the header.
    const bool inside_header = !pair && h.vox_offset != 0 && h.vox_offset < static_cast<double>(position + 4);
    if (!(h.vox_offset >= 0 && h.vox_offset < 1e15) || h.vox_offset != std::floor(h.vox_offset) || inside_header)
        fail(source,
             fmt::format("says that its voxels begin at byte {}{}", h.vox_offset, inside_header ? ", inside its header" : ""),
             again);
    volume.elements_at = static_cast<std::uint64_t>(h.vox_offset);
    std::uint64_t there = source.bytes;   // of the file that holds the voxels
    if (pair) {
        volume.voxels = find_voxels(source);
        there = volume.voxels->bytes;
        file.parts.push_back(volume.voxels->part);
        file.file_bytes += there;
    } else {
        volume.elements_at = std::max<std::uint64_t>(volume.elements_at, position + 4);
        if (volume.elements_at > position + 4)
            file.ignored.push_back(fmt::format("{} bytes of extensions", volume.elements_at - position - 4));
    }
    unsigned char start[2] = {};
    (pair ? File::open(volume.voxels->opened.path()) : source.open()).read_some(start, 2);
    volume.compressed = start[0] == 0x1f && start[1] == 0x8b;
    const std::uint64_t bytes_needed = volume.elements_at + stored.dense_bytes();
    if (volume.compressed) {
        check_plausible(source, bytes_needed, there, deflate_ratio);
        if (volume.elements_at > most_unused + there)
            fail(source,
                 fmt::format("says that {} bytes come before its voxels; {} may", volume.elements_at, most_unused + there),
                 again);
    } else if (bytes_needed > there) {
        fail(source,
             fmt::format("says that it holds {} up to byte {}, but {} has {} bytes", stored.describe(), bytes_needed,
                         pair ? show(volume.voxels->part.path.filename()) : "it", there),
             "the file is cut off or its header is damaged: write or copy it again");
    }
    const bool big = swap != (std::endian::native == std::endian::big);
    file.detail = fmt::format("version {}, {}-endian{}{}", version, big ? "big" : "little", volume.compressed ? ", gzip" : "",
                              pair ? ", a pair" : "");
    if (volume.scaled) file.detail += fmt::format(", {} scaled by {} plus {}", to_string(volume.stored), h.slope, h.inter);
    return volume;
}

/// Elements -> f32, through double as the header's numbers want.
void scale(const std::byte* from, std::byte* to, std::int64_t count, const Volume& volume) {
    visit_real(volume.stored, [&]<class T>(T) {
        const T* in = reinterpret_cast<const T*>(from);
        auto* out = reinterpret_cast<float*>(to);
        for (std::int64_t i = 0; i < count; ++i) {
            out[i] = static_cast<float>(static_cast<double>(in[i]) * volume.header.slope + volume.header.inter);
        }
    });
}

void read_elements(GzReader& stream, std::byte* to, std::int64_t count, const Volume& volume) {
    stream.read(to, static_cast<std::size_t>(count) * bytes_of(volume.stored), "the voxels");
    if (volume.header.swap) swap_bytes(to, count, volume.stored);
}

/// The same, scaled where the header says so.
void read_values(GzReader& stream, std::byte* to, std::int64_t count, const Volume& volume) {
    if (!volume.scaled) return read_elements(stream, to, count, volume);
    constexpr std::int64_t block = 1 << 16;
    const HostArray scratch = HostArray::make(ArrayDesc::dense(volume.stored, {{'x', std::min(block, count)}}));
    for (std::int64_t done = 0; done < count; done += block) {
        const std::int64_t n = std::min(block, count - done);
        read_elements(stream, scratch.data(), n, volume);
        scale(scratch.data(), to + done * 4, n, volume);
    }
}

}  // namespace

bool matches(Head head) {
    bool swap = false;
    return version_of(head, swap) != 0;
}

FileInfo info(const Source& source) {
    GzReader stream(source.path);
    std::uint64_t position = 0;
    return read_header(source, stream, position).file;
}

namespace {

/// Where the voxels are read, and where in it they begin: behind the header, or in the other file of a pair.
std::shared_ptr<GzReader> open_voxels(const Source& source, Volume& volume, std::uint64_t& behind) {
    auto stream = std::make_shared<GzReader>(source.path);
    std::uint64_t position = 0;
    volume = read_header(source, *stream, position);
    behind = volume.elements_at - (volume.voxels ? 0 : position);
    if (volume.voxels) stream = std::make_shared<GzReader>(volume.voxels->opened.path());
    return stream;
}

/// A file that stays open: its volumes are unpacked one after the other.
struct OpenVolumes : Kept::Reader {
    Volume volume;
    std::shared_ptr<GzReader> stream;
    std::uint64_t behind = 0;   ///< bytes from where the stream stands to the next volume
};

std::unique_ptr<OpenVolumes> open_volumes(const Source& source) {
    if (source.kept()) {
        const auto wanted = source.options.volume.value_or(source.options.pages ? source.options.pages->first : 0);
        if (auto known = source.kept()->take<OpenVolumes>(*source.identity, wanted)) return known;
    }
    auto open = std::make_unique<OpenVolumes>();
    open->stream = open_voxels(source, open->volume, open->behind);
    return open;
}

}  // namespace

HostArray read(const Source& source) {
    std::unique_ptr<OpenVolumes> open = open_volumes(source);
    const Volume& volume = open->volume;
    const std::int64_t volumes = volume.file.pages();
    const auto [first, end] = chosen_pages(source.name, volume.file, source.options);
    const bool all = end - first == volumes;
    const std::uint64_t volume_bytes = static_cast<std::uint64_t>(volume.file.desc.count() / volumes) * bytes_of(volume.stored);

    FileInfo part = volume.file;
    part.desc = chosen(source.name, volume.file, source.options);
    HostArray result = read_picture(source, part, [&, first = first](std::byte* to) {   // clang 14 captures no structured binding
        go_to(*open->stream, open->behind + static_cast<std::uint64_t>(first - open->next) * volume_bytes, volume.compressed);
        read_values(*open->stream, to, part.desc.count(), volume);
    });
    if (all && volume.compressed) verify_end(*open->stream, source.name, static_cast<std::uint64_t>(volumes) * volume_bytes);
    if (!source.kept()) return result;
    open->behind = 0;
    open->next = end;
    source.kept()->put(*source.identity, std::move(open));
    return result;
}

SliceStream slices(const Source& source) {
    Volume volume;
    std::uint64_t behind = 0;
    const std::shared_ptr<GzReader> stream = open_voxels(source, volume, behind);
    go_to(*stream, behind, volume.compressed);
    const ArrayDesc& desc = volume.file.desc;
    const auto left = std::make_shared<std::int64_t>(desc.axes.front().size);
    return {desc, volume.file.metadata,
            [stream, volume, slice = slice_of(desc), left, name = source.name](std::int64_t count, std::byte* to) {
                read_values(*stream, to, count * slice, volume);
                *left -= count;
                if (*left == 0 && volume.compressed)
                    verify_end(*stream, name, static_cast<std::uint64_t>(volume.file.desc.count()) * bytes_of(volume.stored));
            },
            [stream, left, compressed = volume.compressed,
             bytes = static_cast<std::uint64_t>(slice_of(desc)) * bytes_of(volume.stored)](std::int64_t count) {
                go_to(*stream, static_cast<std::uint64_t>(count) * bytes, compressed);
                *left -= count;
            }};
}

}  // namespace parallax::io::nifti
