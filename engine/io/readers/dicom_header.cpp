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
#include <sstream>
#include <tuple>

#include "io/decimal.hpp"
#include "io/readers/dicom_deflated.hpp"
#include "io/readers/dicom_meaning.hpp"
#include "io/readers/dicom_whole.hpp"
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

/// Decimal strings, "0.5\0.5", with spaces around each; none where one of them is no number to its end ("0,5").
std::optional<std::vector<double>> decimals_in(std::string_view text) {
    std::vector<double> values;
    for (std::size_t at = 0; at < text.size() && values.size() < 65536;) {
        const std::size_t end = std::min(text.find('\\', at), text.size());
        std::string_view one = text.substr(at, end - at);
        at = end + 1;
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        if (one.starts_with('+') && !one.starts_with("+-")) one.remove_prefix(1);
        double value = NAN;
        const auto [rest, error] = std::from_chars(one.data(), one.data() + one.size(), value);
        if (error != std::errc() || rest != one.data() + one.size() || !std::isfinite(value)) return std::nullopt;
        values.push_back(value);
    }
    return values;
}

/// An element with its text, for messages. What has other letters than numbers have is not shown: by a fault it may be a name.
std::string shown_number(std::uint16_t group, std::uint16_t element, const std::string& text) {
    std::array<char, 32> tag{};
    std::snprintf(tag.data(), tag.size(), "its element (%04x,%04x) is ", group, element);
    const bool plain = text.size() <= 64 && text.find_first_not_of("0123456789+-.,eE \\") == std::string::npos;
    return tag.data() + (plain ? '"' + text + '"' : std::string("text"));
}

void tell(std::vector<Told>& to, Told told) {   // of a thousand frames once
    if (std::find(to.begin(), to.end(), told) == to.end()) to.push_back(std::move(told));
}

/// The same of an element; what is no number is told, and counts as not there.
std::vector<double> decimals_at(const gdcm::DataSet& set, std::uint16_t group, std::uint16_t element, std::vector<Told>& told) {
    const std::string text = text_at(set, group, element);
    if (const auto values = decimals_in(text)) return *values;
    const bool distances = element == 0x0030 || element == 0x0088 || element == 0x1164 || element == 0x2010;
    tell(told, {shown_number(group, element, text) + ", which is no number: it is left out", distances ? "spacing" : ""});
    return {};
}

/// Slope and intercept, each with as many numbers as are there. Without them pixels are others: what is no number is an error.
std::array<std::vector<double>, 2> rescale_at(const gdcm::DataSet& set) {
    std::array<std::vector<double>, 2> line;
    for (std::uint16_t i = 0; i < 2; ++i) {
        const auto element = static_cast<std::uint16_t>(i == 0 ? 0x1053 : 0x1052);
        const std::string text = text_at(set, 0x0028, element);
        auto values = decimals_in(text);
        if (!values)
            throw Problem{
                "is a DICOM file that cannot be rescaled: " + shown_number(0x0028, element, text) + ", which is no number", mend};
        line[i] = std::move(*values);
    }
    return line;
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

/// Of length 1, as a direction is; one that is longer or shorter is told, and one that goes nowhere is none.
std::optional<Vector> direction_in(const double* from, std::vector<Told>& told) {
    const double length = std::hypot(from[0], from[1], from[2]);
    if (std::abs(length - 1) <= 1e-3) return Vector{from[0], from[1], from[2]};
    const bool is_none = !(length > 0) || !std::isfinite(length);
    tell(told, {std::string("its directions (0020,0037) are not of length 1: ") +
                    (is_none ? "they are left out" : "they count as if they were"),
                "slices"});
    return is_none ? std::nullopt : std::optional(Vector{from[0] / length, from[1] / length, from[2] / length});
}

void add_place(const gdcm::DataSet& set, Place& place, std::vector<Told>& told) {
    if (const auto p = decimals_at(set, 0x0020, 0x0032, told); p.size() == 3) place.position = Vector{p[0], p[1], p[2]};
    if (const auto d = decimals_at(set, 0x0020, 0x0037, told); d.size() == 6) {
        const std::optional<Vector> row = direction_in(d.data(), told), column = direction_in(d.data() + 3, told);
        if (row && column) place.directions = {*row, *column};
    }
    if (const auto s = decimals_at(set, 0x0028, 0x0030, told); s.size() == 2 && s[0] > 0 && s[1] > 0) place.spacing = s;
    if (const auto b = decimals_at(set, 0x0018, 0x0088, told); b.size() == 1) place.between = b[0];
}

/// Values of which DICOM says that they are no part of the picture, as they are stored: one, or those up to a limit.
void tell_padding(const gdcm::DataSet& set, Header& h) {
    const auto number = [&](std::uint16_t element) -> std::optional<std::int64_t> {
        const auto value = word_at(set, 0x0028, element);
        return value && h.sign != 0 ? static_cast<std::int16_t>(*value) : value;
    };
    const auto value = number(0x0120), limit = number(0x0121);
    if (!value || h.samples != 1) return;
    const auto [least, most] = std::minmax({*value, limit.value_or(*value)});
    h.warnings.push_back("its pixels whose stored value is " + std::to_string(least) +
                         (least == most ? std::string() : " to " + std::to_string(most)) +
                         " stand for none (Pixel Padding Value): they are read as others are");
}

/// Of a set that says what stored values stand for in a unit of its own, otherwise than by the slope and intercept that are applied.
void tell_mapping(const gdcm::DataSet& set, Header& h) {
    const std::vector<gdcm::DataSet> mappings = items_at(set, 0x0040, 0x9096);
    if (mappings.empty()) return;
    const auto slope = numbers_at<double>(mappings.front(), 0x0040, 0x9225), intercept = numbers_at<double>(mappings.front(), 0x0040, 0x9224);
    const bool applied = mappings.size() == 1 && h.of_frames.empty() && !h.table && slope.size() == 1 && intercept.size() == 1 &&
                         slope[0] == h.slope && intercept[0] == h.intercept;
    if (!applied) tell(h.warnings, "its stored values stand for others in a unit of their own (Real World Value Mapping): that is not applied");
}

/// What frames of nuclear medicine are that are no planes of one volume, by the third word of its Image Type. One of DICOM's words
/// alone: what else stands there may tell of a patient.
std::string frames_of_nuclear_medicine(const gdcm::DataSet& set) {
    std::istringstream words(text_at(set, 0x0008, 0x0008));
    std::string word;
    for (int i = 0; i < 3; ++i) std::getline(words, word, '\\');
    word.erase(word.find_last_not_of(' ') + 1);
    for (const char* const known : {"STATIC", "DYNAMIC", "GATED", "WHOLE BODY", "TOMO", "GATED TOMO", "RECON GATED TOMO"})
        if (words && word == known) return word;
    return {};
}

/// Of nuclear medicine: a detector's. Several have places of their own, and the frames of which one is are not told apart here.
void add_place_of_detector(const gdcm::DataSet& set, Place& place, std::vector<Told>& told) {
    const std::vector<gdcm::DataSet> detectors = items_at(set, 0x0054, 0x0022);
    if (detectors.size() == 1 && !place.position && !place.directions) add_place(detectors.front(), place, told);
}

/// Of doses: how far along the normal each frame lies (Grid Frame Offset Vector).
void read_offsets(const gdcm::DataSet& set, Header& h) {
    h.offsets = decimals_at(set, 0x3004, 0x000c, h.warnings);
    if (h.offsets.empty() || h.offsets.size() == static_cast<std::size_t>(h.frames)) return;
    tell(h.warnings, {"it says of " + std::to_string(h.offsets.size()) + " frames where they lie (Grid Frame Offset Vector), and has " +
                          std::to_string(h.frames) + ": that is left out",
                      "slices"});
    h.offsets.clear();
}

using Rescale = std::optional<std::array<double, 2>>;

/// An enhanced file keeps it in groups, shared by all frames or of each.
void add_groups(const gdcm::DataSet& group, Place& place, Rescale& rescale, std::vector<Told>& told) {
    for (const auto& [high, low] : {std::pair<std::uint16_t, std::uint16_t>{0x0020, 0x9113}, {0x0020, 0x9116}, {0x0028, 0x9110}})
        for (const gdcm::DataSet& item : items_at(group, high, low)) add_place(item, place, told);
    for (const gdcm::DataSet& item : items_at(group, 0x0028, 0x9145)) {
        const auto [slope, intercept] = rescale_at(item);
        if (slope.size() != 1 || intercept.size() != 1 || slope[0] == 0)
            throw Problem{"is an enhanced DICOM file whose rescale slope (0028,1053) is 0, or it or the intercept (0028,1052) is "
                          "not one number",
                          mend};
        rescale = {slope[0], intercept[0]};
    }
}

/// One distance and one direction stand for all frames: where they have others, none does.
void leave_out_unlike(Header& h) {
    const Place first = h.places.front();
    const auto other = [&](const auto& unlike) {   // its number, from 1
        const auto found = std::find_if(h.places.begin(), h.places.end(), unlike);
        return found == h.places.end() ? std::string() : std::to_string(found - h.places.begin() + 1);
    };
    const std::string sizes = other([&](const Place& p) {
        return unlike_distances(p.spacing, first.spacing) || unlike_distances({p.between}, {first.between});
    });
    const std::string directions = other([&](const Place& p) { return unlike_directions(p, first); });
    if (!sizes.empty())
        tell(h.warnings,
             {"its frame " + sizes + " has other distances of pixels or slices than frame 1: they are left out", "spacing"});
    if (!directions.empty())
        tell(h.warnings,
             {"its frame " + directions + " lies in other directions than frame 1: where they lie is left out", "slices"});
    for (Place& place : h.places) {
        if (!sizes.empty()) place.spacing.clear();
        if (!directions.empty()) place.position.reset(), place.directions.reset();
        if (!sizes.empty() || !directions.empty()) place.between = 0;
    }
}

/// Where frames have groups of their own. A frame that has none of what others have leaves its pixels without a meaning.
void read_groups_of_frames(const gdcm::DataSet& set, const Rescale& shared, Header& h) {
    const std::vector<gdcm::DataSet> groups = items_at(set, 0x5200, 0x9230);
    std::vector<Place> places;
    std::vector<Rescale> lines;
    for (const gdcm::DataSet& group : groups) {
        places.push_back(h.place);
        lines.push_back(shared);
        add_groups(group, places.back(), lines.back(), h.warnings);
    }
    const std::size_t frames = static_cast<std::size_t>(h.frames);
    const auto differs = [&](const Rescale& line) { return line && line != shared; };
    const bool scaled = h.samples == 1 && std::any_of(lines.begin(), lines.end(), differs);
    if (groups.size() != frames) {
        const std::string count = std::to_string(groups.size()) + " of its " + std::to_string(frames) + " frames";
        if (scaled) throw Problem{"is an enhanced DICOM file that tells how " + count + " are rescaled", mend};
        if (!groups.empty()) tell(h.warnings, {"it tells where " + count + " lie: that is left out", "slices"});
        return;
    }
    if (scaled) {
        const auto without = std::find(lines.begin(), lines.end(), Rescale());
        if (without != lines.end())
            throw Problem{"is an enhanced DICOM file that tells how frames are rescaled, but not frame " +
                              std::to_string(without - lines.begin() + 1) + " of " + std::to_string(frames),
                          mend};
        h.slope = (*lines[0])[0], h.intercept = (*lines[0])[1];
        if (std::any_of(lines.begin(), lines.end(), [&](const Rescale& line) { return line != lines[0]; }))
            for (const Rescale& line : lines) h.of_frames.push_back(*line);
    }
    h.places = std::move(places);
    leave_out_unlike(h);
    h.place = h.places.front();
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
        header.palette[c] = std::move(*table);
    }
    // Some writers fill the lower eight of sixteen bits alone, of all three: one colour by itself may be dark.
    const bool wide = std::any_of(header.palette.begin(), header.palette.end(), [](const Table& table) {
        return *std::max_element(table.values.begin(), table.values.end()) > 255;
    });
    for (Table& table : header.palette)
        for (std::uint16_t& value : table.values) value = wide ? static_cast<std::uint16_t>(value >> 8) : value;
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

bool unlike_distances(const std::vector<double>& a, const std::vector<double>& b) {
    const auto alike = [](double x, double y) { return std::abs(x - y) <= 1e-3 * std::abs(y); };
    return !std::equal(a.begin(), a.end(), b.begin(), b.end(), alike);
}

bool unlike_directions(const Place& a, const Place& b) {
    if (a.directions.has_value() != b.directions.has_value()) return true;
    if (!a.directions) return false;
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            if (std::abs((*a.directions)[i][j] - (*b.directions)[i][j]) > 1e-3) return true;
    return false;
}

std::uint64_t pixel_bytes(const Header& h, std::int64_t frames) {
    const auto pixels = static_cast<std::uint64_t>(h.rows * h.columns) * static_cast<std::uint64_t>(frames);
    if (h.photometric == "YBR_FULL_422") return (pixels + 1) / 2 * 4;   // two pixels are Y Y B R, the last of an odd number too
    return (pixels * static_cast<std::uint64_t>(h.samples) * static_cast<std::uint64_t>(h.allocated) + 7) / 8;
}

void check_frames(const Header& h, std::uint64_t there) {
    const std::uint64_t wanted = pixel_bytes(h, h.frames), filled_up = wanted + wanted % 2;
    if (there <= filled_up || there < pixel_bytes(h, h.frames + 1)) return;
    const std::uint64_t of_8 = pixel_bytes(h, 8);
    throw Problem{"has pixels of " + std::to_string(there / of_8 * 8 + there % of_8 * 8 / of_8) + " frames, and " +
                      (h.frames_said.empty() ? "does not say how many it has (Number of Frames, (0028,0008))" : h.frames_said),
                  mend};
}

Header read_header(const fs::path& path, std::uint64_t bytes) {
    gdcm::Trace::SetDebug(false), gdcm::Trace::SetWarning(false), gdcm::Trace::SetError(false);
    Header h;
    h.path = path;
    h.bytes = bytes;
    check_header_whole(path, bytes);
    std::optional<std::string> unpacked = unpack_deflated(path, bytes);
    std::optional<RoomFor> room;   // for what GDCM keeps of it, whatever an element says and however many there are
    if (unpacked) room.emplace(room_for_unpacked(unpacked->size(), bytes));
    std::istringstream plain(unpacked ? std::move(*unpacked) : std::string());
    gdcm::Reader reader;
    if (unpacked) reader.SetStream(plain);
    else reader.SetFileName(path.c_str());
    if (!(unpacked ? read_unpacked(reader, {0x7fe0, 0x0008}) : reader.ReadUpToTag(gdcm::Tag(0x7fe0, 0x0008)))) {
        check_syntax(syntax_at_beginning(path));
        throw NoPicture{{"cannot be read as DICOM", again}};
    }
    const gdcm::File& file = reader.GetFile();
    const gdcm::DataSet& set = file.GetDataSet();
    const gdcm::TransferSyntax& syntax = file.GetHeader().GetDataSetTransferSyntax();
    h.syntax = unpacked                                     ? deflated
               : gdcm::TransferSyntax::GetTSString(syntax) ? gdcm::TransferSyntax::GetTSString(syntax)
                                                            : "";
    h.compressed = syntax.IsEncapsulated();
    if (h.syntax.rfind("1.2.840.10008.1.2.4.20", 0) != 0) check_syntax(h.syntax);   // newer libraries read those
    const auto rows = word_at(set, 0x0028, 0x0010), columns = word_at(set, 0x0028, 0x0011);
    if (!rows || !columns || *rows < 1 || *columns < 1)
        throw NoPicture{{"is a DICOM file without a picture", "choose one that has pixels"}};
    h.rows = *rows, h.columns = *columns;
    const std::string frames_said = text_at(set, 0x0028, 0x0008);
    const auto frames = decimals_in(frames_said);
    if (frames && frames->size() == 1 && (*frames)[0] >= 1 && (*frames)[0] < 1e9 && std::floor((*frames)[0]) == (*frames)[0])
        h.frames = static_cast<std::int64_t>((*frames)[0]);
    else if (!frames_said.empty())
        h.warnings.push_back(shown_number(0x0028, 0x0008, frames_said) + ", which is no number of frames: one is taken");
    if (!frames_said.empty()) h.frames_said = shown_number(0x0028, 0x0008, frames_said);
    h.samples = word_at(set, 0x0028, 0x0002).value_or(1);
    h.allocated = word_at(set, 0x0028, 0x0100).value_or(8);
    h.stored = word_at(set, 0x0028, 0x0101).value_or(h.allocated);
    const auto planar_configuration = word_at(set, 0x0028, 0x0006);
    h.planes = planar_configuration == 1;
    h.sign = word_at(set, 0x0028, 0x0103).value_or(0);
    h.photometric = text_at(set, 0x0028, 0x0004);
    h.modality = text_at(set, 0x0008, 0x0060);
    h.series = text_at(set, 0x0020, 0x000e);
    if (const auto n = decimals_at(set, 0x0020, 0x0013, h.warnings); !n.empty() && std::abs(n[0]) < 1e15)
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
    const auto [slope, intercept] = h.samples == 1 ? rescale_at(set) : std::array<std::vector<double>, 2>{};
    const bool line = slope.size() == 1 && intercept.size() == 1 && slope[0] != 0;
    if (line && h.samples == 1)
        h.slope = slope[0], h.intercept = intercept[0];
    else if (!line && h.samples == 1 && (!slope.empty() || !intercept.empty()))
        h.warnings.push_back("its rescale slope and intercept, of which one is missing or none that can be, are not applied");
    const std::vector<gdcm::DataSet> tables = items_at(set, 0x0028, 0x3000);
    if (!tables.empty() && h.samples == 1) {
        h.table = table_at(tables.front(), 0x3002, 0x3006, h.sign != 0);
        if (!h.table) throw Problem{"is a DICOM file whose table of values (Modality LUT) is missing or short", again};
    }
    const auto centre = decimals_at(set, 0x0028, 0x1050, h.warnings), width = decimals_at(set, 0x0028, 0x1051, h.warnings);
    if (!centre.empty() && !width.empty()) {
        const auto plain = [](double v) {
            std::string text = std::to_string(v);
            while (text.back() == '0') text.pop_back();
            if (text.back() == '.') text.pop_back();
            return text;
        };
        h.window = "[" + plain(centre[0] - width[0] / 2) + ", " + plain(centre[0] + width[0] / 2) + "]";
    }
    add_place(set, h.place, h.warnings);
    add_place_of_detector(set, h.place, h.warnings);
    read_offsets(set, h);
    if (h.place.spacing.empty()) {
        // At the detector, or as a film was scanned: not in the body.
        for (const auto& [group, element, what] :
             {std::tuple<std::uint16_t, std::uint16_t, const char*>{0x0018, 0x1164, "at the detector"},
              {0x0018, 0x2010, "of the scanned film"}}) {
            const auto s = decimals_at(set, group, element, h.warnings);
            if (s.size() != 2 || !(s[0] > 0 && s[1] > 0) || !h.place.spacing.empty()) continue;
            h.place.spacing = s;
            h.spacing_from = what;
            h.warnings.push_back(std::string("its distances are those ") + what + ", not of the body");
        }
    }
    read_regions(set, h);
    if (h.place.spacing.empty()) {
        const auto ratio = decimals_at(set, 0x0028, 0x0034, h.warnings);
        if (ratio.size() == 2 && ratio[0] > 0 && ratio[1] > 0 && ratio[0] != ratio[1])
            h.warnings.push_back("its pixels are not square, and it tells no distances: they are left out");
    }
    Rescale shared;
    for (const gdcm::DataSet& group : items_at(set, 0x5200, 0x9229)) add_groups(group, h.place, shared, h.warnings);
    if (shared && h.samples == 1) h.slope = (*shared)[0], h.intercept = (*shared)[1];
    read_groups_of_frames(set, shared, h);
    const auto ms = decimals_at(set, 0x0018, 0x1063, h.warnings), steps = decimals_at(set, 0x0018, 0x1065, h.warnings),
               rate = decimals_at(set, 0x0018, 0x0040, h.warnings);
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
    tell_padding(set, h);
    tell_mapping(set, h);
    for (const std::uint16_t groups : {0x9229, 0x9230})   // of all frames, of each
        for (const gdcm::DataSet& group : items_at(set, 0x5200, groups)) tell_mapping(group, h);
    if (h.modality == "NM") h.nuclear_frames = frames_of_nuclear_medicine(set);
    const auto scaling = decimals_at(set, 0x3004, 0x000e, h.warnings);
    if (scaling.size() == 1 && scaling[0] > 0 && scaling[0] != 1)
        h.warnings.push_back("its doses are the values that are read times its Dose Grid Scaling, which is not applied");
    // Sixteen groups, of which each may hold one; before 2004 in bits beside those of the pixel, which are cleared.
    std::size_t overlays = 0;
    for (std::uint16_t group = 0x6000; group <= 0x601e; group = static_cast<std::uint16_t>(group + 2)) {
        const bool own = set.FindDataElement(gdcm::Tag(group, 0x3000)), in_pixels = word_at(set, group, 0x0102).value_or(0) > 0;
        overlays += own || in_pixels ? 1 : 0;
        h.overlay_in_pixels = h.overlay_in_pixels || in_pixels;
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
    const gdcm::Tag tag(0x7fe0, 0x0010);
    const gdcm::ByteValue* const value = set.FindDataElement(tag) ? set.GetDataElement(tag).GetByteValue() : nullptr;
    if (!h.compressed && value) check_frames(h, value->GetLength());
    const std::uint64_t ratio = h.compressed ? 10000 : unpacked ? 1032 : 1;
    if ((halved && !h.compressed ? declared / 3 * 2 : declared) / ratio > h.bytes)
        throw Problem{"says that it holds " + std::to_string(declared) + " bytes of pixels, which cannot come out of " +
                          std::to_string(h.bytes),
                      again};
    return h;
}

}   // namespace parallax::io::readers::dicom
