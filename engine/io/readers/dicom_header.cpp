#include "io/readers/dicom_header.hpp"

#include <gdcmDataSet.h>
#include <gdcmReader.h>
#include <gdcmSequenceOfItems.h>
#include <gdcmTrace.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <numeric>
#include <tuple>

#include "io/decimal.hpp"
#include "io/readers/dicom_meaning.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers::dicom {

namespace fs = std::filesystem;

namespace {

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
        auto table =
            table_at(set, static_cast<std::uint16_t>(0x1101 + c), static_cast<std::uint16_t>(0x1201 + c), header.sign != 0);
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
                {"its ultrasound regions are calibrated differently: distances are left out, crop one and state \"spacing_mm\"",
                 "spacing"});
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
    header.place.spacing = {as_decimal((*cm)[1] * 10), as_decimal((*cm)[0] * 10)};
    header.spacing_from = "ultrasound calibration";
    if (!whole)
        header.warnings.push_back("its distances are those of its calibrated ultrasound region" +
                                  std::string(lengths > 1 ? "s" : "") + ", and hold there");
}

/// By its beginning, for a file that GDCM cannot read: the element (0002,0010), which is explicit and little-endian always.
std::string syntax_at_beginning(const fs::path& path) {
    std::array<char, 4096> bytes{};
    std::ifstream in(path, std::ios::binary);
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    const std::string_view head(bytes.data(), static_cast<std::size_t>(in.gcount()));
    const std::size_t at = head.find(std::string_view("\x02\x00\x10\x00UI", 6));
    if (at == std::string_view::npos || at + 8 > head.size()) return {};
    const std::size_t length =
        static_cast<unsigned char>(head[at + 6]) | static_cast<std::size_t>(static_cast<unsigned char>(head[at + 7])) << 8;
    std::string name(head.substr(at + 8, std::min<std::size_t>(length, 64)));
    while (!name.empty() && (name.back() == '\0' || name.back() == ' ')) name.pop_back();
    return name;
}

}   // namespace

Header read_header(const fs::path& path, std::uint64_t bytes) {
    gdcm::Trace::SetDebug(false), gdcm::Trace::SetWarning(false), gdcm::Trace::SetError(false);
    Header h;
    h.path = path;
    h.bytes = bytes;
    gdcm::Reader reader;
    reader.SetFileName(path.c_str());
    if (!reader.ReadUpToTag(gdcm::Tag(0x7fe0, 0x0008))) {
        check_syntax(syntax_at_beginning(path));
        throw NoPicture{{"cannot be read as DICOM", again}};
    }
    const gdcm::File& file = reader.GetFile();
    const gdcm::DataSet& set = file.GetDataSet();
    const gdcm::TransferSyntax& syntax = file.GetHeader().GetDataSetTransferSyntax();
    h.syntax = gdcm::TransferSyntax::GetTSString(syntax) ? gdcm::TransferSyntax::GetTSString(syntax) : "";
    h.compressed = syntax.IsEncapsulated();
    if (h.syntax.rfind("1.2.840.10008.1.2.4.20", 0) != 0) check_syntax(h.syntax);   // newer libraries read those
    const auto rows = word_at(set, 0x0028, 0x0010), columns = word_at(set, 0x0028, 0x0011);
    if (!rows || !columns || *rows < 1 || *columns < 1)
        throw NoPicture{{"is a DICOM file without a picture", "choose one that has pixels"}};
    h.rows = *rows, h.columns = *columns;
    const auto frames = decimals_at(set, 0x0028, 0x0008);
    h.frames = frames.empty() || !(frames[0] >= 1 && frames[0] < 1e9) ? 1 : static_cast<std::int64_t>(frames[0]);
    h.samples = word_at(set, 0x0028, 0x0002).value_or(1);
    h.allocated = word_at(set, 0x0028, 0x0100).value_or(8);
    h.stored = word_at(set, 0x0028, 0x0101).value_or(h.allocated);
    const auto planar_configuration = word_at(set, 0x0028, 0x0006);
    h.planes = planar_configuration == 1;
    h.sign = word_at(set, 0x0028, 0x0103).value_or(0);
    h.photometric = text_at(set, 0x0028, 0x0004);
    h.modality = text_at(set, 0x0008, 0x0060);
    h.series = text_at(set, 0x0020, 0x000e);
    if (const auto n = decimals_at(set, 0x0020, 0x0013); !n.empty() && std::abs(n[0]) < 1e15)
        h.number = static_cast<std::int64_t>(n[0]);
    if (h.samples != 1 && h.samples != 3)
        throw Problem{"is a DICOM file of " + std::to_string(h.samples) + " samples a pixel, which is not read",
                      "convert it to grey or RGB"};
    if (h.allocated != 1 && h.allocated != 8 && h.allocated != 16 && h.allocated != 32)
        throw Problem{"is a DICOM file of " + std::to_string(h.allocated) + " bits a pixel, which is not read",
                      "convert it to 8 or 16 bits"};
    if (h.stored < 1 || h.stored > h.allocated)
        throw Problem{"says that " + std::to_string(h.stored) + " of " + std::to_string(h.allocated) + " bits are used", again};
    check_meaning(h, planar_configuration, word_at(set, 0x0028, 0x0102));
    const auto slope = decimals_at(set, 0x0028, 0x1053), intercept = decimals_at(set, 0x0028, 0x1052);
    const bool line =
        slope.size() == 1 && intercept.size() == 1 && std::isfinite(slope[0]) && slope[0] != 0 && std::isfinite(intercept[0]);
    if (line && h.samples == 1)
        h.slope = slope[0], h.intercept = intercept[0];
    else if (!line && h.samples == 1 && (!slope.empty() || !intercept.empty()))
        h.warnings.push_back("its rescale slope and intercept, of which one is missing or none that can be, are not applied");
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
        h.frame_time = as_decimal(ms[0] / 1000);
    } else if (steps.size() > 1) {
        h.frame_time =
            as_decimal(std::accumulate(steps.begin() + 1, steps.end(), 0.0) / static_cast<double>(steps.size() - 1) / 1000);
        if (std::any_of(steps.begin() + 2, steps.end(), [&](double s) { return std::abs(s - steps[1]) > 0.01 * steps[1]; }))
            h.warnings.push_back("its frames are not evenly spaced in time: their mean is taken");
    } else if (!rate.empty() && rate[0] > 0) {
        h.frame_time = as_decimal(1 / rate[0]);
    }
    if (h.is_palette()) read_palette(set, h);
    if (const auto scaling = decimals_at(set, 0x3004, 0x000e); scaling.size() == 1 && scaling[0] > 0 && scaling[0] != 1)
        h.warnings.push_back("its doses are the values that are read times its Dose Grid Scaling, which is not applied");
    // Sixteen groups, of which each may hold one; before 2004 in bits beside those of the pixel, which are cleared.
    std::size_t overlays = 0;
    for (std::uint16_t group = 0x6000; group <= 0x601e; group = static_cast<std::uint16_t>(group + 2)) {
        const bool own = set.FindDataElement(gdcm::Tag(group, 0x3000)), in_pixels = word_at(set, group, 0x0102).value_or(0) > 0;
        overlays += own || in_pixels ? 1 : 0;
    }
    if (overlays > 0) h.ignored.push_back(overlays == 1 ? "an overlay" : std::to_string(overlays) + " overlays");
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(h.rows) * static_cast<std::uint64_t>(h.columns) * static_cast<std::uint64_t>(h.samples);
    if (pixels > (std::uint64_t{1} << 56) / static_cast<std::uint64_t>(h.frames))
        throw Problem{"says that it holds more than 2^56 values", again};
    const std::uint64_t declared =
        (pixels * static_cast<std::uint64_t>(h.frames) * static_cast<std::uint64_t>(h.allocated) + 7) / 8;
    const bool halved = h.photometric == "YBR_FULL_422";
    if (halved && h.allocated != 8)
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

}   // namespace parallax::io::readers::dicom
