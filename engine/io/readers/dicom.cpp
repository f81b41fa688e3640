// DICOM by GDCM: a file of one or many frames, or a folder of slices as one volume. GDCM, and not DCMTK: it decodes JPEG 2000,
// too (DCMTK's is sold apart), under a licence alike (BSD). Nothing that tells of a patient leaves this file: neither names nor
// dates nor descriptions.
#include <gdcmAttribute.h>
#include <gdcmDataSet.h>
#include <gdcmImageReader.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmSequenceOfItems.h>
#include <gdcmStringFilter.h>
#include <gdcmTrace.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "io/readers/serve.hpp"

namespace {

namespace fs = std::filesystem;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;
using Vector = std::array<double, 3>;

constexpr const char* again = "the file is damaged or cut off: write or copy it again";
constexpr std::size_t most_files = 20000;

std::string text_of(const gdcm::DataElement& element) {
    const gdcm::ByteValue* const value = element.GetByteValue();
    if (!value || value->GetLength() > (1u << 20)) return {};
    std::string text(value->GetPointer(), value->GetLength());
    while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.pop_back();
    return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

std::string text_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element) {
    const gdcm::Tag tag(group, element);
    return set.FindDataElement(tag) ? text_of(set.GetDataElement(tag)) : std::string();
}

/// Decimal strings: "0.5\0.5".
std::vector<double> decimals_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element) {
    const std::string text = text_at(set, group, element);
    std::vector<double> values;
    for (std::size_t at = 0; at < text.size() && values.size() < 65536;) {
        const std::size_t end = std::min(text.find('\\', at), text.size());
        std::size_t from = at;
        while (from < end && (text[from] == ' ' || text[from] == '+')) ++from;
        double value = NAN;
        std::from_chars(text.data() + from, text.data() + end, value);
        values.push_back(value);
        at = end + 1;
    }
    return values;
}

/// Binary numbers, in this machine's byte order as GDCM has read them.
template <class T>
std::vector<T> numbers_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element) {
    const gdcm::Tag tag(group, element);
    const gdcm::ByteValue* const value = set.FindDataElement(tag) ? set.GetDataElement(tag).GetByteValue() : nullptr;
    if (!value) return {};
    std::vector<T> numbers(value->GetLength() / sizeof(T));
    std::memcpy(numbers.data(), value->GetPointer(), numbers.size() * sizeof(T));
    return numbers;
}

std::optional<std::int64_t> word_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element) {
    const auto values = numbers_at<std::uint16_t>(set, group, element);
    return values.empty() ? std::nullopt : std::optional<std::int64_t>(values.front());
}

/// The items of a sequence.
std::vector<gdcm::DataSet> items_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element) {
    const gdcm::Tag tag(group, element);
    if (!set.FindDataElement(tag)) return {};
    const auto sequence = set.GetDataElement(tag).GetValueAsSQ();
    std::vector<gdcm::DataSet> items;
    for (gdcm::SequenceOfItems::SizeType i = 1; sequence && i <= sequence->GetNumberOfItems(); ++i)
        items.push_back(sequence->GetItem(i).GetNestedDataSet());
    return items;
}

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Where a picture lies in the body.
struct Place {
    std::optional<Vector> position;
    std::optional<std::array<Vector, 2>> directions;   ///< along a row, down a column
    std::vector<double> spacing;                       ///< of rows, of columns
    double between = 0;                                ///< slices
};

void add_place(const gdcm::DataSet& set, Place& place) {
    if (const auto p = decimals_at(set, 0x0020, 0x0032); p.size() == 3) place.position = Vector{p[0], p[1], p[2]};
    if (const auto d = decimals_at(set, 0x0020, 0x0037); d.size() == 6)
        place.directions = {Vector{d[0], d[1], d[2]}, Vector{d[3], d[4], d[5]}};
    if (const auto s = decimals_at(set, 0x0028, 0x0030); s.size() == 2 && s[0] > 0 && s[1] > 0) place.spacing = s;
    if (const auto b = decimals_at(set, 0x0018, 0x0088); b.size() == 1 && b[0] > 0) place.between = b[0];
}

/// An enhanced file keeps it in groups, shared by all frames or of each.
void add_groups(const gdcm::DataSet& group, Place& place, std::vector<double>& rescale) {
    for (const auto& [high, low] : {std::pair<std::uint16_t, std::uint16_t>{0x0020, 0x9113}, {0x0020, 0x9116}, {0x0028, 0x9110}})
        for (const gdcm::DataSet& item : items_at(group, high, low)) add_place(item, place);
    for (const gdcm::DataSet& item : items_at(group, 0x0028, 0x9145)) {
        const auto slope = decimals_at(item, 0x0028, 0x1053), intercept = decimals_at(item, 0x0028, 0x1052);
        if (slope.size() == 1 && intercept.size() == 1) rescale = {slope[0], intercept[0]};
    }
}

/// What stands for each stored value from `first` on; below and above stand the first and the last.
struct Table {
    std::vector<std::uint16_t> values;
    std::int64_t first = 0;
    int bits = 16;

    std::uint16_t of(std::int64_t stored) const {
        return values[static_cast<std::size_t>(std::clamp<std::int64_t>(stored - first, 0, static_cast<std::int64_t>(values.size()) - 1))];
    }
};

/// What a file says, but its pixels.
struct Header {
    fs::path path;
    std::uint64_t bytes = 0;
    std::int64_t rows = 0, columns = 0, frames = 1, samples = 1, allocated = 8, stored = 8, sign = 0;
    std::string photometric, syntax, modality, series, window;
    double slope = 1, intercept = 0;
    std::vector<std::array<double, 2>> of_frames;   ///< slope and intercept, where frames have their own
    Place place;
    std::vector<Place> places;   ///< of frames
    double frame_time = 0;       ///< s
    std::int64_t number = 0;     ///< of the instance
    std::array<Table, 3> palette;   ///< red, green, blue, of 8 bits
    std::optional<Table> table;     ///< of values (Modality LUT), in place of slope and intercept
    std::vector<std::string> warnings, ignored;
    std::string spacing_from;
    bool compressed = false;
    bool scaled() const { return slope != 1 || intercept != 0 || !of_frames.empty(); }
    bool is_palette() const { return photometric == "PALETTE COLOR"; }
    bool has_colours() const { return samples == 3 || is_palette(); }
};

/// By a descriptor (entries, first value, bits) and data, both in group 0028. Nothing where one is missing or too short.
std::optional<Table> table_at(const gdcm::DataSet& set, std::uint16_t descriptor, std::uint16_t data, bool sign) {
    const auto desc = numbers_at<std::uint16_t>(set, 0x0028, descriptor);
    const std::size_t entries = desc.size() == 3 ? (desc[0] == 0 ? 65536 : desc[0]) : 0;
    const auto narrow = numbers_at<std::uint8_t>(set, 0x0028, data);
    if (entries == 0 || narrow.size() < entries) return std::nullopt;
    Table table;
    if (narrow.size() >= 2 * entries) table.values = numbers_at<std::uint16_t>(set, 0x0028, data);
    else table.values.assign(narrow.begin(), narrow.end());
    table.values.resize(entries);
    table.first = sign ? static_cast<std::int16_t>(desc[1]) : desc[1];
    table.bits = desc[2] <= 8 ? 8 : 16;
    return table;
}

void read_palette(const gdcm::DataSet& set, Header& header) {
    if (set.FindDataElement(gdcm::Tag(0x0028, 0x1221)))
        throw Problem{"is a DICOM file with a palette in segments, which is not read",
                      "expand it, for instance by pydicom's apply_color_lut"};
    for (std::uint16_t c = 0; c < 3; ++c) {
        auto table = table_at(set, static_cast<std::uint16_t>(0x1101 + c), static_cast<std::uint16_t>(0x1201 + c), header.sign != 0);
        if (!table) throw Problem{"is a DICOM file whose palette is missing or short", again};
        // Some writers fill the lower eight of sixteen bits alone.
        if (*std::max_element(table->values.begin(), table->values.end()) > 255)
            for (std::uint16_t& value : table->values) value = static_cast<std::uint16_t>(value >> 8);
        header.palette[c] = std::move(*table);
    }
}

/// The one calibration of an ultrasound picture, or none where its regions differ.
void read_regions(const gdcm::DataSet& set, Header& header) {
    std::optional<std::array<double, 2>> cm;
    std::size_t lengths = 0;
    bool whole = false;
    for (const gdcm::DataSet& region : items_at(set, 0x0018, 0x6011)) {
        const auto x = numbers_at<double>(region, 0x0018, 0x602c), y = numbers_at<double>(region, 0x0018, 0x602e);
        const std::int64_t unit_x = word_at(region, 0x0018, 0x6024).value_or(0),
                           unit_y = word_at(region, 0x0018, 0x6026).value_or(0);
        if (x.empty() || y.empty() || unit_x != 3 || unit_y != 3) continue;   // times, speeds
        const std::array<double, 2> here = {std::abs(x[0]), std::abs(y[0])};
        if (!(here[0] > 0 && here[1] > 0)) continue;
        ++lengths;
        if (cm && (std::abs((*cm)[0] - here[0]) > 1e-6 * here[0] || std::abs((*cm)[1] - here[1]) > 1e-6 * here[1])) {
            header.warnings.push_back(
                "its ultrasound regions are calibrated differently: distances are left out, crop one and state \"spacing_mm\"");
            return;
        }
        cm = here;
        const auto edge = [&](std::uint16_t e) {
            const auto v = numbers_at<std::uint32_t>(region, 0x0018, e);
            return v.empty() ? std::int64_t{-1} : static_cast<std::int64_t>(v[0]);
        };
        whole = whole ||
                (edge(0x6018) == 0 && edge(0x601a) == 0 && edge(0x601c) >= header.columns - 1 && edge(0x601e) >= header.rows - 1);
    }
    if (!cm || !header.place.spacing.empty()) return;
    header.place.spacing = {(*cm)[1] * 10, (*cm)[0] * 10};
    header.spacing_from = "ultrasound calibration";
    if (!whole)
        header.warnings.push_back("its distances are those of its calibrated ultrasound region" +
                                  std::string(lengths > 1 ? "s" : "") + ", and hold there");
}

Header read_header(const fs::path& path, std::uint64_t bytes) {
    gdcm::Trace::SetDebug(false), gdcm::Trace::SetWarning(false), gdcm::Trace::SetError(false);
    Header h;
    h.path = path;
    h.bytes = bytes;
    gdcm::Reader reader;
    reader.SetFileName(path.c_str());
    if (!reader.ReadUpToTag(gdcm::Tag(0x7fe0, 0x0008))) throw Problem{"cannot be read as DICOM", again};
    const gdcm::File& file = reader.GetFile();
    const gdcm::DataSet& set = file.GetDataSet();
    const gdcm::TransferSyntax& syntax = file.GetHeader().GetDataSetTransferSyntax();
    h.syntax = gdcm::TransferSyntax::GetTSString(syntax) ? gdcm::TransferSyntax::GetTSString(syntax) : "";
    h.compressed = syntax.IsEncapsulated();
    const auto rows = word_at(set, 0x0028, 0x0010), columns = word_at(set, 0x0028, 0x0011);
    if (!rows || !columns || *rows < 1 || *columns < 1)
        throw Problem{"is a DICOM file without a picture", "choose one that has pixels"};
    h.rows = *rows, h.columns = *columns;
    const auto frames = decimals_at(set, 0x0028, 0x0008);
    h.frames = frames.empty() || !(frames[0] >= 1 && frames[0] < 1e9) ? 1 : static_cast<std::int64_t>(frames[0]);
    h.samples = word_at(set, 0x0028, 0x0002).value_or(1);
    h.allocated = word_at(set, 0x0028, 0x0100).value_or(8);
    h.stored = word_at(set, 0x0028, 0x0101).value_or(h.allocated);
    h.sign = word_at(set, 0x0028, 0x0103).value_or(0);
    h.photometric = text_at(set, 0x0028, 0x0004);
    h.modality = text_at(set, 0x0008, 0x0060);
    h.series = text_at(set, 0x0020, 0x000e);
    if (const auto n = decimals_at(set, 0x0020, 0x0013); !n.empty() && std::isfinite(n[0]))
        h.number = static_cast<std::int64_t>(n[0]);
    if (h.samples != 1 && h.samples != 3)
        throw Problem{"is a DICOM file of " + std::to_string(h.samples) + " samples a pixel, which is not read",
                      "convert it to grey or RGB"};
    if (h.allocated != 1 && h.allocated != 8 && h.allocated != 16 && h.allocated != 32)
        throw Problem{"is a DICOM file of " + std::to_string(h.allocated) + " bits a pixel, which is not read",
                      "convert it to 8 or 16 bits"};
    if (h.stored < 1 || h.stored > h.allocated)
        throw Problem{"says that " + std::to_string(h.stored) + " of " + std::to_string(h.allocated) + " bits are used", again};
    const auto slope = decimals_at(set, 0x0028, 0x1053), intercept = decimals_at(set, 0x0028, 0x1052);
    if (slope.size() == 1 && intercept.size() == 1 && std::isfinite(slope[0]) && slope[0] != 0 && std::isfinite(intercept[0]) &&
        h.samples == 1)
        h.slope = slope[0], h.intercept = intercept[0];
    const std::vector<gdcm::DataSet> tables = items_at(set, 0x0028, 0x3000);
    if (!tables.empty() && h.samples == 1) {
        h.table = table_at(tables.front(), 0x3002, 0x3006, h.sign != 0);
        if (!h.table) throw Problem{"is a DICOM file whose table of values (Modality LUT) is missing or short", again};
    }
    const auto centre = decimals_at(set, 0x0028, 0x1050), width = decimals_at(set, 0x0028, 0x1051);
    if (!centre.empty() && !width.empty()) {
        const auto plain = [](double v) {
            std::string text = std::to_string(v);
            while (text.back() == '0') text.pop_back();
            if (text.back() == '.') text.pop_back();
            return text;
        };
        h.window = "[" + plain(centre[0] - width[0] / 2) + ", " + plain(centre[0] + width[0] / 2) + "]";
    }
    add_place(set, h.place);
    if (h.place.spacing.empty()) {
        // At the detector, or as a film was scanned: not in the body.
        for (const auto& [group, element, what] :
             {std::tuple<std::uint16_t, std::uint16_t, const char*>{0x0018, 0x1164, "at the detector"},
              {0x0018, 0x2010, "of the scanned film"}}) {
            const auto s = decimals_at(set, group, element);
            if (s.size() != 2 || !(s[0] > 0 && s[1] > 0) || !h.place.spacing.empty()) continue;
            h.place.spacing = s;
            h.spacing_from = what;
            h.warnings.push_back(std::string("its distances are those ") + what + ", not of the body");
        }
    }
    read_regions(set, h);
    if (h.place.spacing.empty()) {
        const auto ratio = decimals_at(set, 0x0028, 0x0034);
        if (ratio.size() == 2 && ratio[0] > 0 && ratio[1] > 0 && ratio[0] != ratio[1])
            h.warnings.push_back("its pixels are not square, and it tells no distances: they are left out");
    }
    std::vector<double> rescale;
    for (const gdcm::DataSet& group : items_at(set, 0x5200, 0x9229)) add_groups(group, h.place, rescale);
    if (rescale.size() == 2) h.slope = rescale[0], h.intercept = rescale[1];
    const std::vector<gdcm::DataSet> groups = items_at(set, 0x5200, 0x9230);
    if (groups.size() == static_cast<std::size_t>(h.frames)) {
        for (const gdcm::DataSet& group : groups) {
            Place place = h.place;
            std::vector<double> own;
            add_groups(group, place, own);
            h.places.push_back(place);
            if (own.size() == 2) h.of_frames.push_back({own[0], own[1]});
        }
        if (h.of_frames.size() != h.places.size()) h.of_frames.clear();
        const auto first = h.of_frames.empty() ? std::array<double, 2>{1, 0} : h.of_frames[0];
        if (std::all_of(h.of_frames.begin(), h.of_frames.end(), [&](const auto& r) { return r == first; })) {
            if (!h.of_frames.empty()) h.slope = first[0], h.intercept = first[1];
            h.of_frames.clear();
        }
        h.place = h.places.front();
    }
    const auto ms = decimals_at(set, 0x0018, 0x1063), steps = decimals_at(set, 0x0018, 0x1065),
               rate = decimals_at(set, 0x0018, 0x0040);
    if (!ms.empty() && ms[0] > 0) {
        h.frame_time = ms[0] / 1000;
    } else if (steps.size() > 1) {
        h.frame_time = std::accumulate(steps.begin() + 1, steps.end(), 0.0) / static_cast<double>(steps.size() - 1) / 1000;
        if (std::any_of(steps.begin() + 2, steps.end(), [&](double s) { return std::abs(s - steps[1]) > 0.01 * steps[1]; }))
            h.warnings.push_back("its frames are not evenly spaced in time: their mean is taken");
    } else if (!rate.empty() && rate[0] > 0) {
        h.frame_time = 1 / rate[0];
    }
    if (h.is_palette()) read_palette(set, h);
    if (set.FindDataElement(gdcm::Tag(0x6000, 0x3000))) h.ignored.push_back("an overlay");
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(h.rows) * static_cast<std::uint64_t>(h.columns) * static_cast<std::uint64_t>(h.samples);
    if (pixels > (std::uint64_t{1} << 56) / static_cast<std::uint64_t>(h.frames))
        throw Problem{"says that it holds more than 2^56 values", again};
    const std::uint64_t declared =
        (pixels * static_cast<std::uint64_t>(h.frames) * static_cast<std::uint64_t>(h.allocated) + 7) / 8;
    const bool halved = h.photometric == "YBR_FULL_422";
    if (h.photometric.rfind("YBR_PARTIAL", 0) == 0)
        throw Problem{"is a DICOM file of colours " + h.photometric + ", which are not read", "convert it to RGB"};
    if (halved && (h.allocated != 8 || h.samples != 3))
        throw Problem{"is a DICOM file of halved colours of " + std::to_string(h.allocated) + " bits, which is not read",
                      "convert it to RGB"};
    const bool deflated = syntax == gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian;
    const std::uint64_t ratio = h.compressed ? 10000 : deflated ? 1032 : 1;
    if ((halved && !h.compressed ? declared / 3 * 2 : declared) / ratio > h.bytes)
        throw Problem{"says that it holds " + std::to_string(declared) + " bytes of pixels, which cannot come out of " +
                          std::to_string(h.bytes),
                      again};
    return h;
}

template <class T>
void clean(T* values, std::size_t count, std::int64_t stored) {
    // Bits above those that are used may hold overlays, and the sign stands at the last one that is used.
    const int unused = static_cast<int>(sizeof(T) * 8) - static_cast<int>(stored);
    if (unused <= 0) return;
    using U = std::make_unsigned_t<T>;
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<T>(static_cast<T>(static_cast<U>(static_cast<U>(values[i]) << unused)) >> unused);
}

template <class T>
void scale_as(const char* from, float* to, std::size_t count, double slope, double intercept) {
    const T* const in = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(static_cast<double>(in[i]) * slope + intercept);
}

template <class T>
void through(const Table& table, const char* from, std::size_t count, char* to) {
    const T* const in = reinterpret_cast<const T*>(from);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t value = table.of(in[i]);
        if (table.bits == 8) to[i] = static_cast<char>(value);
        else std::memcpy(to + 2 * i, &value, 2);
    }
}

void through_table(const Header& h, const char* from, std::size_t count, char* to) {
    if (h.allocated == 8) h.sign ? through<std::int8_t>(*h.table, from, count, to) : through<std::uint8_t>(*h.table, from, count, to);
    else if (h.allocated == 16)
        h.sign ? through<std::int16_t>(*h.table, from, count, to) : through<std::uint16_t>(*h.table, from, count, to);
    else h.sign ? through<std::int32_t>(*h.table, from, count, to) : through<std::uint32_t>(*h.table, from, count, to);
}

std::string type_of(const Header& h) {
    if (h.is_palette() || h.allocated == 1) return "u8";
    if (h.table) return h.table->bits == 8 ? "u8" : "u16";
    if (h.scaled()) return "f32";
    return (h.sign ? "i" : "u") + std::to_string(h.allocated);
}

std::size_t bytes_of(const std::string& type) { return type.ends_with("32") ? 4 : type.ends_with("16") ? 2 : 1; }

/// PackBits, as RLE's segments are: what is missing at the end stays 0, and damage is told by the count.
std::size_t unpack(const unsigned char* from, std::size_t bytes, unsigned char* to, std::size_t stride, std::size_t count) {
    std::size_t done = 0;
    for (std::size_t at = 0; at < bytes && done < count;) {
        const int code = static_cast<signed char>(from[at++]);
        if (code == -128) continue;
        const std::size_t run = code >= 0 ? static_cast<std::size_t>(code) + 1 : static_cast<std::size_t>(1 - code);
        for (std::size_t i = 0; i < run && done < count; ++i, ++done) {
            const std::size_t place = code >= 0 ? at + i : at;
            if (place >= bytes) return done;
            to[done * stride] = from[place];
        }
        at += code >= 0 ? run : 1;
    }
    return done;
}

/// Frames in RLE: of each the bytes of all samples, the most significant first. Samples come out side by side.
std::vector<char> decode_rle(const Header& h, const gdcm::SequenceOfFragments& fragments) {
    if (fragments.GetNumberOfFragments() != static_cast<std::size_t>(h.frames))
        throw Problem{"has " + std::to_string(fragments.GetNumberOfFragments()) + " RLE fragments for " +
                          std::to_string(h.frames) + " frames",
                      again};
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8, samples = static_cast<std::size_t>(h.samples),
                      pixels = static_cast<std::size_t>(h.rows * h.columns), frame = pixels * samples * element;
    std::vector<char> out(frame * static_cast<std::size_t>(h.frames));
    for (std::size_t f = 0; f < static_cast<std::size_t>(h.frames); ++f) {
        const gdcm::ByteValue* const value = fragments.GetFragment(f).GetByteValue();
        const std::size_t bytes = value ? static_cast<std::size_t>(value->GetLength()) : 0;
        if (bytes < 64) throw Problem{"has an RLE fragment of " + std::to_string(bytes) + " bytes", again};
        const auto* const data = reinterpret_cast<const unsigned char*>(value->GetPointer());
        const auto word = [&](std::size_t i) {
            return static_cast<std::size_t>(data[4 * i] | data[4 * i + 1] << 8 | data[4 * i + 2] << 16) |
                   static_cast<std::size_t>(data[4 * i + 3]) << 24;
        };
        const std::size_t segments = word(0);
        if (segments != samples * element)
            throw Problem{
                "has " + std::to_string(segments) + " RLE segments for " + std::to_string(samples * element) + " bytes a pixel",
                again};
        for (std::size_t s = 0; s < segments; ++s) {
            const std::size_t begin = word(s + 1), end = s + 1 < segments ? word(s + 2) : bytes;
            if (begin > end || end > bytes) throw Problem{"has an RLE segment past the end of its fragment", again};
            const std::size_t sample = s / element, byte = element - 1 - s % element;   // little endian in memory
            auto* const to = reinterpret_cast<unsigned char*>(out.data()) + f * frame + sample * element + byte;
            if (unpack(data + begin, end - begin, to, samples * element, pixels) != pixels)
                throw Problem{"has too few pixels in an RLE segment", again};
        }
    }
    return out;
}

/// GDCM fills up what a file that is cut off lacks: its length must reach to the end of the pixels, behind their element's head.
void check_whole(const Header& h, std::size_t pixels, bool big) {
    if (h.syntax == "1.2.840.10008.1.2.1.99") return;   // deflated
    std::ifstream in(h.path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(h.bytes), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const std::string tag = big ? std::string("\x7f\xe0\x00\x10", 4) : std::string("\xe0\x7f\x10\x00", 4);
    for (std::size_t at = bytes.find(tag); at != std::string::npos; at = bytes.find(tag, at + 1)) {
        for (const std::size_t head : {std::size_t{8}, std::size_t{12}}) {
            if (at + head > bytes.size()) continue;
            std::uint32_t length = 0;
            for (std::size_t i = 0; i < 4; ++i)
                length |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + head - 4 + i]))
                          << 8 * (big ? 3 - i : i);
            if (length <= pixels && pixels - length <= 1 && at + head + length <= bytes.size()) return;
        }
    }
    throw Problem{"ends before its " + std::to_string(pixels) + " bytes of pixels do",
                  "the file is cut off: write or copy it again"};
}

/// Frames without compression, in this machine's byte order; empty: not such, or of halved colours.
std::vector<char> decode_native(const Header& h, const gdcm::DataSet& set, bool big) {
    const gdcm::Tag tag(0x7fe0, 0x0010);
    const gdcm::ByteValue* const value = set.FindDataElement(tag) ? set.GetDataElement(tag).GetByteValue() : nullptr;
    if (!value) throw Problem{"has no pixels that are integers", "choose another, or convert it"};
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8,
                      pixels = static_cast<std::size_t>(h.rows * h.columns) * static_cast<std::size_t>(h.frames);
    const std::size_t there = value->GetLength();
    check_whole(h, there, big);
    std::vector<char> out(value->GetPointer(), value->GetPointer() + there);
    if (big && element == 4) {   // GDCM has turned the bytes of each half
        for (std::size_t i = 0; i + 4 <= out.size(); i += 4) std::swap(out[i], out[i + 2]), std::swap(out[i + 1], out[i + 3]);
    }
    if (h.photometric == "YBR_FULL_422") {   // two pixels: Y Y B R
        if (there < 2 * pixels)
            throw Problem{"has " + std::to_string(there) + " bytes of pixels for " + std::to_string(2 * pixels), again};
        std::vector<char> full(3 * pixels);
        for (std::size_t i = 0; i < pixels; ++i) {
            const char* const pair = out.data() + i / 2 * 4;
            full[3 * i] = pair[i % 2], full[3 * i + 1] = pair[2], full[3 * i + 2] = pair[3];
        }
        return full;
    }
    const std::size_t wanted = h.allocated == 1 ? (pixels * static_cast<std::size_t>(h.samples) + 7) / 8
                                                : pixels * static_cast<std::size_t>(h.samples) * element;
    if (there < wanted)
        throw Problem{"has " + std::to_string(there) + " bytes of pixels for " + std::to_string(wanted),
                      "the file is cut off: write or copy it again"};
    return out;
}

/// What a file holds, decoded: elements side by side or in planes, and whether colours are YCbCr.
struct Decoded {
    std::vector<char> bytes;
    bool planes = false, ybr = false;
};

Decoded decode_whole(const Header& h) {
    // To the end of the pixels and no further: what follows may be megabytes of empty elements, each of which GDCM would keep.
    std::ifstream stream(h.path, std::ios::binary);
    std::streamoff end = 0;
    {
        gdcm::Reader reader;
        reader.SetStream(stream);
        if (!reader.ReadUpToTag(gdcm::Tag(0x7fe0, 0x0010))) throw Problem{"cannot be read as DICOM to its pixels", again};
        end = stream.tellg();
        const gdcm::DataSet& set = reader.GetFile().GetDataSet();
        const gdcm::TransferSyntax& syntax = reader.GetFile().GetHeader().GetDataSetTransferSyntax();
        const bool ybr = h.photometric == "YBR_FULL" || h.photometric == "YBR_FULL_422";
        if (!h.compressed) {
            const bool big = syntax.GetSwapCode() == gdcm::SwapCode::BigEndian;
            return {decode_native(h, set, big), word_at(set, 0x0028, 0x0006).value_or(0) == 1 && h.photometric != "YBR_FULL_422",
                    ybr};
        }
        if (syntax == gdcm::TransferSyntax::RLELossless) {
            const gdcm::Tag tag(0x7fe0, 0x0010);
            const gdcm::SequenceOfFragments* const fragments =
                set.FindDataElement(tag) ? set.GetDataElement(tag).GetSequenceOfFragments() : nullptr;
            if (!fragments || h.allocated == 1) throw Problem{"has no RLE pixels that can be read", again};
            return {decode_rle(h, *fragments), false, ybr};
        }
    }
    stream.clear();
    if (end < 0) end = static_cast<std::streamoff>(h.bytes);
    std::string bytes(static_cast<std::size_t>(end), '\0');
    stream.seekg(0).read(bytes.data(), end);
    std::istringstream part(bytes);
    gdcm::ImageReader reader;
    reader.SetStream(part);
    if (!reader.Read())
        throw Problem{"its pixels (" + h.syntax + ") cannot be read by GDCM",
                      "convert it, for instance by dcmconv or gdcmconv --raw"};
    const gdcm::Image& image = reader.GetImage();
    const gdcm::PixelFormat& format = image.GetPixelFormat();
    const auto* const sizes = image.GetDimensions();
    const std::int64_t frames = image.GetNumberOfDimensions() > 2 ? sizes[2] : 1;
    if (sizes[0] != h.columns || sizes[1] != h.rows || frames != h.frames || format.GetSamplesPerPixel() != h.samples ||
        format.GetBitsAllocated() != h.allocated)
        throw Problem{"has other pixels than its header says", again};
    Decoded decoded;
    decoded.bytes.resize(image.GetBufferLength());
    if (!image.GetBuffer(decoded.bytes.data())) throw Problem{"its pixels (" + h.syntax + ") cannot be decoded", again};
    decoded.planes = image.GetPlanarConfiguration() == 1;
    decoded.ybr = image.GetPhotometricInterpretation() == gdcm::PhotometricInterpretation::YBR_FULL ||
                  image.GetPhotometricInterpretation() == gdcm::PhotometricInterpretation::YBR_FULL_422;
    return decoded;
}

/// Frames of one file, as our elements.
void decode(const Header& h, std::int64_t first, std::int64_t count, char* to) {
    Decoded decoded = decode_whole(h);
    std::vector<char>& buffer = decoded.bytes;
    const std::size_t pixels = static_cast<std::size_t>(h.rows * h.columns), samples = static_cast<std::size_t>(h.samples);
    const std::size_t values = pixels * samples, whole = values * static_cast<std::size_t>(h.frames);
    if (h.allocated == 1) {
        if (buffer.size() < (whole + 7) / 8) throw Problem{"has fewer pixels than its header says", again};
        for (std::size_t i = 0; i < values * static_cast<std::size_t>(count); ++i) {
            const std::size_t bit = static_cast<std::size_t>(first) * values + i;
            to[i] = static_cast<char>((static_cast<unsigned char>(buffer[bit / 8]) >> (bit % 8) & 1) * 255);
        }
        return;
    }
    const std::size_t element = static_cast<std::size_t>(h.allocated) / 8;
    if (buffer.size() < whole * element) throw Problem{"has fewer pixels than its header says", again};
    char* from = buffer.data() + static_cast<std::size_t>(first) * values * element;
    const std::size_t wanted = values * static_cast<std::size_t>(count);
    if (element == 2)
        h.sign ? clean(reinterpret_cast<std::int16_t*>(from), wanted, h.stored)
               : clean(reinterpret_cast<std::uint16_t*>(from), wanted, h.stored);
    if (element == 1)
        h.sign ? clean(reinterpret_cast<std::int8_t*>(from), wanted, h.stored)
               : clean(reinterpret_cast<std::uint8_t*>(from), wanted, h.stored);
    if (h.is_palette()) {
        for (std::size_t i = 0; i < wanted; ++i) {
            const std::int64_t index =
                element == 1 ? static_cast<unsigned char>(from[i]) : reinterpret_cast<const std::uint16_t*>(from)[i];
            for (const Table& colour : h.palette) *to++ = static_cast<char>(colour.of(index));
        }
        return;
    }
    if (samples == 3) {
        const bool planes = decoded.planes, ybr = decoded.ybr;
        if (ybr && element != 1)
            throw Problem{"is a DICOM file of colours " + h.photometric + " of 16 bits, which are not read", "convert it to RGB"};
        for (std::int64_t f = 0; f < count; ++f, from += values * element) {
            for (std::size_t i = 0; i < pixels; ++i, to += 3 * element) {
                if (!ybr) {
                    for (std::size_t c = 0; c < 3; ++c)
                        std::memcpy(to + c * element, from + (planes ? c * pixels + i : 3 * i + c) * element, element);
                    continue;
                }
                const auto part = [&](std::size_t c) {
                    return static_cast<double>(static_cast<unsigned char>(from[planes ? c * pixels + i : 3 * i + c]));
                };
                const double y = part(0), b = part(1) - 128, r = part(2) - 128;
                const auto byte = [](double v) {
                    return static_cast<char>(static_cast<unsigned char>(std::clamp(std::floor(v + 0.5), 0.0, 255.0)));
                };
                to[0] = byte(y + 1.402 * r);
                to[1] = byte(y - 0.114 * 1.772 / 0.587 * b - 0.299 * 1.402 / 0.587 * r);
                to[2] = byte(y + 1.772 * b);
            }
        }
        return;
    }
    if (h.table) return through_table(h, from, wanted, to);
    if (!h.scaled()) {
        std::memcpy(to, from, wanted * element);
        return;
    }
    for (std::int64_t f = 0; f < count; ++f, from += values * element, to += values * 4) {
        const auto own =
            h.of_frames.empty() ? std::array<double, 2>{h.slope, h.intercept} : h.of_frames[static_cast<std::size_t>(first + f)];
        auto* const out = reinterpret_cast<float*>(to);
        if (element == 1)
            h.sign ? scale_as<std::int8_t>(from, out, values, own[0], own[1])
                   : scale_as<std::uint8_t>(from, out, values, own[0], own[1]);
        else if (element == 2)
            h.sign ? scale_as<std::int16_t>(from, out, values, own[0], own[1])
                   : scale_as<std::uint16_t>(from, out, values, own[0], own[1]);
        else
            h.sign ? scale_as<std::int32_t>(from, out, values, own[0], own[1])
                   : scale_as<std::uint32_t>(from, out, values, own[0], own[1]);
    }
}

/// The distance of planes that lie one behind the other, and whether they stand in the opposite order; nothing where they do not.
struct Planes {
    double distance = 0;
    bool backwards = false;
};
std::optional<Planes> even(const std::vector<double>& along) {
    if (along.size() < 2) return std::nullopt;
    const double step = (along.back() - along.front()) / static_cast<double>(along.size() - 1);
    if (!(std::abs(step) > 1e-9)) return std::nullopt;
    for (std::size_t i = 1; i < along.size(); ++i) {
        if (std::abs(along[i] - along[i - 1] - step) > 0.02 * std::abs(step) + 1e-6) return std::nullopt;
    }
    return Planes{std::abs(step), step < 0};
}

std::optional<Vector> normal_of(const Place& place) {
    if (!place.directions) return std::nullopt;
    const Vector n = cross((*place.directions)[0], (*place.directions)[1]);
    return dot(n, n) > 0.5 ? std::optional<Vector>(n) : std::nullopt;
}

class DicomFile {
public:
    DicomFile(const std::string& path, const Json& request) {
        const fs::path where(path);
        if (fs::is_directory(where)) {
            read_folder(where, request);
        } else {
            headers_.push_back(read_header(where, request.at("bytes").get<std::uint64_t>()));
            if (request.contains("series") && request["series"] != 0)
                throw Problem{"is one DICOM file: it has no series to choose from", "leave \"series\" out"};
        }
        describe();
    }

    Json description() const { return said_; }

    void read(std::int64_t first, std::int64_t count, void* to) {
        if (headers_.size() == 1) {
            // Frames that are planes are one array; those that are times are pages.
            if (!pages_) first = 0, count = headers_[0].frames;
            return decode(headers_[0], first, count, static_cast<char*>(to));
        }
        const std::size_t slice =
            static_cast<std::size_t>(headers_[0].rows * headers_[0].columns * (headers_[0].has_colours() ? 3 : 1)) *
            bytes_of(type_);
        for (std::size_t i = 0; i < headers_.size(); ++i) decode(headers_[i], 0, 1, static_cast<char*>(to) + i * slice);
    }

private:
    void read_folder(const fs::path& folder, const Json& request) {
        std::map<std::string, std::vector<Header>> series;
        std::size_t others = 0, files = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (!entry.is_regular_file() || entry.file_size() == 0) continue;
            if (++files > most_files)
                throw Problem{"holds more than " + std::to_string(most_files) + " files", "divide them into folders"};
            try {
                Header h = read_header(entry.path(), entry.file_size());
                series[h.series].push_back(std::move(h));
            } catch (const Problem&) {
                ++others;
            }
        }
        if (series.empty()) throw Problem{"is a folder without DICOM pictures", "name a folder of slices, or a file"};
        const std::int64_t wanted = request.value("series", std::int64_t{-1});
        std::string list;
        for (const auto& [uid, slices] : series)
            list += (list.empty() ? "" : ", ") + std::to_string(slices.size()) + " " + slices.front().modality;
        if (wanted < 0 && series.size() > 1)
            throw Problem{"holds " + std::to_string(series.size()) + " series (pictures in each: " + list + ")",
                          "say which: \"series\": 0 to " + std::to_string(series.size() - 1)};
        if (wanted >= static_cast<std::int64_t>(series.size()))
            throw Problem{
                "holds " + std::to_string(series.size()) + " series, and series " + std::to_string(wanted) + " is asked for",
                "choose one from 0 to " + std::to_string(series.size() - 1)};
        headers_ = std::move(std::next(series.begin(), std::max<std::int64_t>(0, wanted))->second);
        if (series.size() > 1) said_["ignored"].push_back(std::to_string(series.size() - 1) + " other series");
        if (others > 0) said_["ignored"].push_back(std::to_string(others) + " files that are no DICOM pictures");
        sort();
        for (const Header& h : headers_) said_["parts"].push_back(h.path.string());
    }

    void sort() {
        const Header first = headers_.front();
        bool scaled = false;
        for (const Header& h : headers_) {
            if (h.rows != first.rows || h.columns != first.columns || h.samples != first.samples ||
                h.allocated != first.allocated || h.sign != first.sign || h.frames != 1 || h.photometric != first.photometric)
                throw Problem{
                    "holds slices that are unlike: " + h.path.filename().string() + " beside " + first.path.filename().string(),
                    "put those that belong together into a folder of their own"};
            scaled = scaled || h.scaled();
        }
        const std::optional<Vector> normal = normal_of(first.place);
        const bool placed =
            normal && std::all_of(headers_.begin(), headers_.end(), [&](const Header& h) {
                return h.place.position && h.place.directions && std::abs(dot(*normal_of(h.place), *normal) - 1) < 1e-3;
            });
        if (placed) {
            std::sort(headers_.begin(), headers_.end(), [&](const Header& a, const Header& b) {
                return dot(*a.place.position, *normal) < dot(*b.place.position, *normal);
            });
        } else {
            std::sort(headers_.begin(), headers_.end(),
                      [](const Header& a, const Header& b) { return std::tie(a.number, a.path) < std::tie(b.number, b.path); });
            if (headers_.size() > 1)
                headers_.front().warnings.push_back(
                    "its slices do not say where they lie: they are in the order of their numbers");
        }
        if (scaled) {   // each by its own numbers, all into one type
            for (Header& h : headers_) {
                if (!h.scaled()) h.of_frames = {{1.0, 0.0}};
            }
        }
    }

    void describe() {
        Header& h = headers_.front();
        type_ = type_of(h);
        const std::int64_t count = headers_.size() > 1 ? static_cast<std::int64_t>(headers_.size()) : h.frames;
        Json axes = Json::array();
        Place place = h.place;
        std::optional<Planes> planes;
        std::vector<std::string> warnings = h.warnings;
        if (count > 1) {
            std::vector<double> along;
            const std::optional<Vector> normal = normal_of(place);
            const auto add = [&](const Place& p) {
                if (normal && p.position) along.push_back(dot(*p.position, *normal));
            };
            for (const Header& other : headers_) {
                if (headers_.size() > 1) add(other.place);
            }
            for (const Place& p : h.places) add(p);
            const bool all = along.size() == static_cast<std::size_t>(count);
            if (all) planes = even(along);
            if (all && !planes && headers_.size() > 1)
                throw Problem{"holds slices that are not evenly spaced: one is missing, or several lie at one place",
                              "put those of one volume into a folder of their own"};
            if (all && !planes && h.frame_time == 0)
                warnings.push_back(
                    "its frames do not lie evenly one behind the other: they are in the order in which they are stored");
            const bool times = !planes && headers_.size() == 1 &&
                               (h.frame_time > 0 || h.modality == "US" || h.modality == "XA" || h.modality == "RF" ||
                                h.modality == "ES" || h.modality == "IVUS");
            pages_ = times;
            Json axis{{"name", times ? "t" : "z"}, {"size", count}};
            if (times && h.frame_time > 0) axis["spacing"] = h.frame_time;
            if (planes)
                axis["spacing"] = planes->distance;
            else if (!times && place.between > 0)
                axis["spacing"] = place.between;
            axes.push_back(axis);
        }
        Json y{{"name", "y"}, {"size", h.rows}}, x{{"name", "x"}, {"size", h.columns}};
        if (place.spacing.size() == 2) y["spacing"] = place.spacing[0], x["spacing"] = place.spacing[1], said_["unit"] = "mm";
        axes.push_back(y), axes.push_back(x);
        if (h.has_colours()) axes.push_back({{"name", "c"}, {"size", 3}});
        said_["type"] = type_;
        said_["format"] = "dicom";
        said_["axes"] = axes;
        said_["page_axes"] = pages_ ? 1 : 0;
        said_["colour"] = h.has_colours() ? "rgb" : "grey";
        if (h.photometric == "MONOCHROME1") {
            said_["white_is_zero"] = true;
            warnings.push_back("white is zero in it (MONOCHROME1), 0 to be shown white: values are read as they are stored");
        }
        if (place.directions && place.position && place.spacing.size() == 2) {
            const Vector normal = cross((*place.directions)[0], (*place.directions)[1]);
            const double step = planes ? planes->distance * (planes->backwards ? -1 : 1) : place.between > 0 ? place.between : 1;
            std::array<double, 16> affine{};
            for (std::size_t row = 0; row < 3; ++row) {
                const double sign = row < 2 ? -1 : 1;   // DICOM goes to the left and back, the affine right and to the front
                affine[row * 4] = sign * (*place.directions)[0][row] * place.spacing[1] + 0.0;
                affine[row * 4 + 1] = sign * (*place.directions)[1][row] * place.spacing[0] + 0.0;
                affine[row * 4 + 2] = sign * normal[row] * step + 0.0;
                affine[row * 4 + 3] = sign * (*place.position)[row] + 0.0;
            }
            affine[15] = 1;
            said_["affine"] = affine;
        }
        if (!h.window.empty()) said_["notes"]["dicom.window"] = h.window;
        if (!h.modality.empty() && h.modality.size() <= 16) said_["notes"]["dicom.modality"] = h.modality;
        said_["warnings"] = warnings;
        for (const std::string& thing : h.ignored) said_["ignored"].push_back(thing);
        said_["detail"] = h.syntax + ", " + h.photometric + ", " + std::to_string(h.stored) + " bits" +
                          (h.table ? ", through its table of values" : h.scaled() ? ", rescaled" : "") +
                          (headers_.size() > 1 ? ", " + std::to_string(count) + " files sorted by place" : "") +
                          (h.spacing_from.empty() ? "" : ", distances by " + h.spacing_from);
    }

    std::vector<Header> headers_;
    std::string type_;
    bool pages_ = false;
    Json said_ = Json::object();
};

}   // namespace

int main() { return parallax::io::readers::serve<DicomFile>(); }
