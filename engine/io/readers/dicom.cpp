// DICOM by GDCM: a file of one or many frames, or a folder of slices as one volume. GDCM, and not DCMTK: it decodes JPEG 2000,
// too (DCMTK's is sold apart), under a licence alike (BSD). Nothing that tells of a patient leaves this program: neither names
// nor dates nor descriptions.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "io/decimal.hpp"
#include "io/readers/dicom_meaning.hpp"
#include "io/readers/dicom_pixels.hpp"
#include "io/readers/serve.hpp"
#include "io/scale_loss.hpp"

namespace {

namespace fs = std::filesystem;
using namespace parallax::io::readers::dicom;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;

constexpr std::size_t most_files = 20000;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
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
    // Places are decimals, and their differences have the last digits of the largest.
    const double share = 4 * std::numeric_limits<double>::epsilon() *
                         (1 + std::max(std::abs(along.front()), std::abs(along.back())) / std::abs(step));
    return Planes{parallax::io::shortest_near(std::abs(step), share, 12), step < 0};
}

std::optional<Vector> normal_of(const Place& place) {
    if (!place.directions) return std::nullopt;
    const Vector n = cross((*place.directions)[0], (*place.directions)[1]);
    return dot(n, n) > 0.5 ? std::optional<Vector>(n) : std::nullopt;
}

/// Of slices that both say how they lie, whether they cannot be of one volume.
bool lie_unlike(const Place& a, const Place& b) {
    const bool distances = !a.spacing.empty() && !b.spacing.empty() && unlike_distances(a.spacing, b.spacing);
    return distances || (a.directions && b.directions && unlike_directions(a, b));
}

/// What of the way from one place to another does not go along a normal.
Vector offset_aside(const Vector& normal, const Vector& to, const Vector& from) {
    Vector way{to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double along = dot(way, normal) / dot(normal, normal);
    for (std::size_t i = 0; i < 3; ++i) way[i] -= along * normal[i];
    return way;
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
            // Frames that are planes are one array; those that are times are pages, for the next of which all of them stay decoded.
            if (!pages_) first = 0, count = headers_[0].frames;
            if (!decoded_) decoded_ = decode(headers_[0]);
            return deliver(headers_[0], *decoded_, first, count, static_cast<char*>(to));
        }
        const std::size_t slice =
            static_cast<std::size_t>(headers_[0].rows * headers_[0].columns * (headers_[0].has_colours() ? 3 : 1)) *
            bytes_of(type_);
        for (std::size_t i = 0; i < headers_.size(); ++i) deliver(headers_[i], decode(headers_[i]), 0, 1, static_cast<char*>(to) + i * slice);
    }

private:
    void read_folder(const fs::path& folder, const Json& request) {
        std::map<std::string, std::vector<Header>> series;
        std::map<std::string, Problem> refused;   // by the file's name
        std::size_t others = 0, files = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            if (!entry.is_regular_file() || entry.file_size() == 0) continue;
            if (++files > most_files)
                throw Problem{"holds more than " + std::to_string(most_files) + " files", "divide them into folders"};
            try {
                Header h = read_header(entry.path(), entry.file_size());
                series[h.series].push_back(std::move(h));
            } catch (const NoPicture&) {
                ++others;
            } catch (const Problem& problem) {
                refused.emplace(entry.path().filename().string(), problem);
            }
        }
        if (!refused.empty()) why_not_all_ = " (" + refused.begin()->first + " " + refused.begin()->second.problem + ")";
        if (series.empty() && !refused.empty())
            throw Problem{"holds no DICOM picture that is read" + why_not_all_, refused.begin()->second.hint};
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
        if (others > 0)
            said_["ignored"].push_back(others == 1 ? std::string("a file that is no DICOM picture")
                                                   : std::to_string(others) + " files that are no DICOM pictures");
        if (!refused.empty())   // of which no step knows, and no result that it is without them: more than a thing left out
            warnings_.push_back("it is without " +
                                (refused.size() == 1 ? std::string("a picture that is not read")
                                                     : std::to_string(refused.size()) + " pictures that are not read") +
                                why_not_all_);
        sort();
        for (const Header& h : headers_) said_["parts"].push_back({{"path", h.path.string()}});
    }

    static Problem unlike(const Header& one, const Header& other) {
        return {"holds slices that are unlike: " + one.path.filename().string() + " beside " + other.path.filename().string(),
                "put those that belong together into a folder of their own"};
    }

    void sort() {
        const Header first = headers_.front();
        bool scaled = false;
        for (const Header& h : headers_) {
            if (h.rows != first.rows || h.columns != first.columns || h.samples != first.samples ||
                h.allocated != first.allocated || h.sign != first.sign || h.frames != 1 || h.photometric != first.photometric ||
                lie_unlike(h.place, first.place))
                throw unlike(h, first);
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
        for (const Header& h : headers_)   // with tables of values
            if (type_of(h) != type_of(headers_.front())) throw unlike(h, headers_.front());
    }

    void describe() {
        Header& h = headers_.front();
        type_ = type_of(h);
        const std::int64_t count = headers_.size() > 1 ? static_cast<std::int64_t>(headers_.size()) : h.frames;
        Json axes = Json::array();
        Place place = h.place;
        std::optional<Planes> planes;
        std::optional<Vector> aside;   ///< how far each of them lies further aside
        std::vector<Told> warnings = warnings_;
        for (const Header& other : headers_)   // each thing once
            for (const Told& warning : other.warnings)
                if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end()) warnings.push_back(warning);
        if (const std::string loss = loss_in_f32(); !loss.empty()) warnings.push_back(loss);
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
            const bool by_offsets = along.empty() && headers_.size() == 1;
            if (by_offsets) along = h.offsets;
            const bool all = along.size() == static_cast<std::size_t>(count);
            if (all) planes = even(along);
            if (all && !planes && headers_.size() > 1)
                throw Problem{
                    "holds slices that are not evenly spaced: one is missing, or several lie at one place" + why_not_all_,
                    "put those of one volume into a folder of their own"};
            if (all && !planes && h.frame_time == 0)
                warnings.push_back(
                    "its frames do not lie evenly one behind the other: they are in the order in which they are stored");
            const bool times = !planes && headers_.size() == 1 &&
                               (h.frame_time > 0 || h.modality == "US" || h.modality == "XA" || h.modality == "RF" ||
                                h.modality == "ES" || h.modality == "IVUS");
            pages_ = times;
            if (!times && headers_.size() == 1 && !h.nuclear_frames.empty())
                warnings.push_back("its frames are those of a picture of nuclear medicine that is " + h.nuclear_frames +
                                   " (Image Type), and no planes of one volume: they are taken for z, in the order in which they are stored; "
                                   "\"page_axis\": \"t\" of the input says that they are times");
            Json axis{{"name", times ? "t" : "z"}, {"size", count}};
            if (times && h.frame_time > 0) axis["spacing"] = h.frame_time;
            if (planes && !by_offsets) aside = aside_of_each(*planes, count);
            if (aside) {
                char text[40];
                std::snprintf(text, sizeof text, "%.3g", length_of(*aside));
                warnings.push_back("its planes do not lie straight one behind the other (a tilted gantry): each lies " +
                                   std::string(text) +
                                   " mm further aside than the one before. Their places say so, and steps take them for a box");
            }
            const bool in_mm = place.spacing.size() == 2;   // without it lengths have no unit
            if (planes && in_mm)   // from one to the next, as ITK counts it
                axis["spacing"] = aside ? std::hypot(planes->distance, length_of(*aside)) : planes->distance;
            else if (!planes && !times && place.between != 0 && in_mm)
                axis["spacing"] = std::abs(place.between);
            else if (!planes && !times && place.between != 0)
                warnings.push_back({"it says that its planes lie " + parallax::io::shortest(std::abs(place.between)) +
                                        " mm apart, and not how large its pixels are: the distance is left out",
                                    "slices"});
            else if (!planes && !times && in_mm)
                warnings.push_back({std::string(all ? "its planes do not lie one distance apart"
                                                    : "it does not say how far its planes lie apart") +
                                        ": 1 mm stands for it",
                                    "slices"});
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
            const double step = planes ? planes->distance * (planes->backwards ? -1 : 1) : place.between != 0 ? place.between : 1;
            std::array<double, 16> affine{};
            for (std::size_t row = 0; row < 3; ++row) {
                const double sign = row < 2 ? -1 : 1;   // DICOM goes to the left and back, the affine right and to the front
                affine[row * 4] = sign * (*place.directions)[0][row] * place.spacing[1] + 0.0;
                affine[row * 4 + 1] = sign * (*place.directions)[1][row] * place.spacing[0] + 0.0;
                affine[row * 4 + 2] = sign * (normal[row] * step + (aside ? (*aside)[row] : 0)) + 0.0;
                affine[row * 4 + 3] = sign * (*place.position)[row] + 0.0;
            }
            affine[15] = 1;
            said_["affine"] = affine;
        }
        if (!h.window.empty()) said_["notes"]["dicom.window"] = h.window;
        if (!h.modality.empty() && h.modality.size() <= 16) said_["notes"]["dicom.modality"] = h.modality;
        for (const Told& warning : warnings) said_["warnings"].push_back({{"text", warning.text}, {"about", warning.about}});
        for (const std::string& thing : h.ignored) said_["ignored"].push_back(thing);
        said_["detail"] = h.syntax + ", " + (h.photometric.empty() ? "" : shown(h.photometric) + ", ") +
                          std::to_string(h.stored) + " bits" + h.bits_at +
                          (h.table      ? ", through its table of values"
                           : h.scaled() ? ", rescaled"
                                        : "") +
                          (headers_.size() > 1 ? ", " + std::to_string(count) + " files sorted by place" : "") +
                          (h.spacing_from.empty() ? "" : ", distances by " + h.spacing_from);
    }

    /// By the largest slope and intercept of all frames.
    std::string loss_in_f32() const {
        if (type_ != "f32") return {};
        double slope = 0, intercept = 0;
        const auto add = [&](const std::array<double, 2>& line) {
            slope = std::max(slope, std::abs(line[0])), intercept = std::max(intercept, std::abs(line[1]));
        };
        for (const Header& h : headers_) {
            add({h.slope, h.intercept});
            for (const auto& line : h.of_frames) add(line);
        }
        const Header& h = headers_.front();
        return parallax::io::loss_by_scale((h.sign ? "i" : "u") + std::to_string(h.stored), slope, intercept);
    }

    static double length_of(const Vector& v) { return std::sqrt(dot(v, v)); }

    /// How far each plane lies further aside than the one before, where they do not lie straight one behind the other.
    std::optional<Vector> aside_of_each(const Planes& planes, std::int64_t count) const {
        const Header& h = headers_.front();
        Vector aside =
            offset_aside(*normal_of(h.place), *(headers_.size() > 1 ? headers_.back().place : h.places.back()).position,
                         *(headers_.size() > 1 ? headers_.front().place : h.places.front()).position);
        for (double& part : aside) part /= static_cast<double>(count - 1);
        const bool straight = length_of(aside) <= 0.02 * planes.distance;
        return straight ? std::nullopt : std::optional(aside);
    }

    std::vector<Header> headers_;
    std::vector<Told> warnings_;   ///< of a folder
    std::string why_not_all_;             ///< the first of its pictures that is not read, and the reason
    std::string type_;
    bool pages_ = false;
    std::optional<Decoded> decoded_;   ///< of one file
    Json said_ = Json::object();
};

}   // namespace

// GDCM asks for what an element says that it holds, whether the file has it or not; JPEG 2000 takes some words for a pixel's byte.
int main() {
    return parallax::io::readers::serve<DicomFile>({.at_any_rate = 64 << 20, .for_an_element_byte = 16, .keeps_all = true});
}
