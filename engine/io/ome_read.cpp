#include "io/ome_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <unordered_map>
#include <utility>

#include "io/decimal.hpp"
#include "io/units.hpp"
#include "io/xml.hpp"
#include "support/text.hpp"

namespace parallax::io::tiff {
namespace {

using Extents = std::vector<ArrayDesc::Extent>;

constexpr std::size_t most_files = 1 << 18;   // that are named; an image's are fewer (tiff_spread.cpp)
constexpr std::size_t most_channels = 4096;
constexpr std::int64_t most_pages = std::int64_t{1} << 40;
constexpr std::int64_t not_said = 0;

std::string value_of(const XmlReader& tag, std::string_view name) { return tag.attribute(name).value_or(std::string()); }

/// Not made anew for each of a million planes.
constexpr std::string_view first_of(char axis) { return axis == 'Z' ? "FirstZ" : axis == 'C' ? "FirstC" : "FirstT"; }

double length_of(const XmlReader& pixels, const std::string& name, Description& d) {
    const double value = real_from(name, value_of(pixels, name), 0, d.warnings);
    if (!(value > 0)) return 0;
    const std::string said = value_of(pixels, name + "Unit");
    const auto [ours, factor] = said.empty() ? std::pair<std::string, double>("um", 1) : unit_from(said);
    if (ours.empty()) {
        d.warnings.push_back(fmt::format("its {} is in \"{}\", a unit that is not known: it is left out", name, said));
        return 0;
    }
    if (d.unit.empty()) d.unit = ours;
    constexpr std::pair<std::string_view, double> in_um[] = {{"nm", 1e-3}, {"um", 1}, {"mm", 1e3}, {"cm", 1e4}, {"m", 1e6}};
    double from = 1, to = 1;
    for (const auto& [word, scale] : in_um) {
        if (ours == word) from = scale;
        if (d.unit == word) to = scale;
    }
    return scaled(value, ours == d.unit ? factor : factor * from / to);
}

/// The files that are named, by both names.
class Files {
public:
    /// `most_files`: there are too many.
    std::uint32_t index_of(const OmeFile& file) {
        const auto [at, added] = numbers_.emplace(file.name + '\0' + file.uuid, static_cast<std::uint32_t>(all_.size()));
        if (added) all_.push_back(file);
        return at->second;
    }
    bool too_many() const noexcept { return all_.size() > most_files; }
    std::vector<OmeFile> take() { return std::move(all_); }

private:
    std::unordered_map<std::string, std::uint32_t> numbers_;
    std::vector<OmeFile> all_;
};

class Reader {
public:
    /// `series` below 0: no planes are kept.
    Reader(std::string_view text, std::int64_t channels, std::int64_t series)
        : xml_(text), channels_(channels), series_(series) {}

    void read() {
        bool annotations = false;
        for (;;) {
            const XmlReader::Event event = xml_.next();
            if (event == XmlReader::Event::end) break;
            if (event == XmlReader::Event::damaged) return refuse(xml_.problem());
            const std::size_t depth = xml_.depth();
            if (event == XmlReader::Event::open) {
                if (depth == 1) {
                    if (xml_.name() != "OME") return refuse(fmt::format("it begins with <{}>", xml_.name().substr(0, 40)));
                    meant = true;
                    words.uuid = value_of(xml_, "UUID");
                } else if (depth == 2) {
                    annotations = xml_.name() != "Image";
                    if (xml_.name() == "BinaryOnly") {
                        words.elsewhere = true;
                        words.other = {value_of(xml_, "MetadataFile"), value_of(xml_, "UUID")};
                    }
                } else if (!annotations) {
                    open(depth);
                }
            } else if (event == XmlReader::Event::close && !annotations) {
                if (depth == 4 && xml_.name() == "TiffData" && in_pixels_) close_run();
                if (depth == 3 && xml_.name() == "Pixels") close_pixels();
            } else if (event == XmlReader::Event::text && depth == 5 && in_uuid_) {
                file_.uuid += xml_.text();
            }
            if (files_.too_many()) return refuse(fmt::format("it names more than {} files", most_files));
        }
        words.files = files_.take();
        place_planes();
    }

    bool meant = false;   ///< the root is OME's
    OmeWords words;
    Description description;

private:
    void refuse(std::string problem) { words.problem = std::move(problem); }
    bool wanted() const noexcept { return static_cast<std::int64_t>(words.images.size()) == series_ + 1; }

    std::int64_t whole(std::string_view name, std::int64_t otherwise) {
        return whole_from(name, value_of(xml_, name), otherwise, description.warnings);
    }

    void open(std::size_t depth) {
        const std::string_view name = xml_.name();
        if (depth == 3) {
            in_pixels_ = name == "Pixels";
            if (in_pixels_) open_pixels();
        } else if (depth == 4 && in_pixels_) {
            in_uuid_ = named_ = false;
            if (name == "TiffData")
                open_run();
            else if (name == "Channel" && wanted())
                open_channel();
            else if (name == "BinData")
                words.images.back().inside = true;
            in_run_ = name == "TiffData";
        } else if (depth == 5 && in_pixels_) {
            in_uuid_ = in_run_ && name == "UUID" && !named_;   // the first
            if (in_uuid_) {
                named_ = true;
                file_ = {value_of(xml_, "FileName"), {}};
            }
        }
    }

    void open_pixels() {
        words.images.emplace_back();
        if (!wanted()) return;
        Description& d = description;
        d.type = value_of(xml_, "Type");
        d.width = whole("SizeX", 0);
        d.height = whole("SizeY", 0);
        order_ = value_of(xml_, "DimensionOrder");
        std::string letters = order_;
        std::sort(letters.begin(), letters.end());
        if (!order_.starts_with("XY") || letters != "CTXYZ") {
            d.warnings.push_back(fmt::format("its OME-XML gives the order of axes as \"{}\", which is not followed", order_));
            order_.clear();
            return;
        }
        order_.erase(0, 2);
        for (std::size_t i = 0; i < 3; ++i) {
            sizes_[i] = std::max<std::int64_t>(1, whole(fmt::format("Size{}", order_[i]), 1));
            if (order_[i] == 'C' && channels_ > 1) sizes_[i] = std::max<std::int64_t>(1, sizes_[i] / channels_);
        }
        for (std::size_t i = 3; i-- > 0;) {
            const char axis = static_cast<char>(order_[i] + 32);
            if (sizes_[i] > 1) d.axes.push_back({axis, sizes_[i]});
            d.images = times(d.images, sizes_[i]);
        }
        d.x = length_of(xml_, "PhysicalSizeX", d);
        d.y = length_of(xml_, "PhysicalSizeY", d);
        d.z = length_of(xml_, "PhysicalSizeZ", d);
        if (const double increment = real_from("TimeIncrement", value_of(xml_, "TimeIncrement"), 0, d.warnings); increment > 0) {
            const std::string unit = value_of(xml_, "TimeIncrementUnit");
            d.t = scaled(increment, seconds_of(unit));
            if (!(seconds_of(unit) > 0))
                d.warnings.push_back(
                    fmt::format("its TimeIncrement is in \"{}\", a unit that is not known: it is left out", unit));
        }
    }

    void open_channel() {
        std::vector<std::string>& names = description.channels;
        if (names.size() < most_channels) names.push_back(value_of(xml_, "Name"));
    }

    void open_run() {
        run_ = {};
        paged_ = xml_.attribute("IFD").has_value();
        file_ = {};
        if (!wanted()) return;
        run_.page = std::clamp<std::int64_t>(whole("IFD", 0), -1, most_pages);
        run_.plane = first_plane();
        run_.count = whole("PlaneCount", whole("NumPlanes", not_said));
        run_.count = std::max(not_said, run_.count);
    }

    /// Which plane is the first of a run, the first axis of the order fastest; -1: one beyond the sizes.
    std::int64_t first_plane() {
        std::int64_t plane = 0, stride = 1;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            const std::int64_t at = whole(first_of(order_[i]), 0);
            if (at < 0 || at >= sizes_[i]) return -1;
            const std::int64_t further = times(at, stride);
            if (further >= INT64_MAX - plane) return -1;   // more than there can be
            plane += further;
            stride = times(stride, sizes_[i]);
        }
        return plane;
    }

    void close_run() {
        file_.uuid = host::trim(file_.uuid);
        const bool named = named_ && !(file_.name.empty() && file_.uuid.empty());
        const std::uint32_t file = named ? files_.index_of(file_) : OmeWords::here;
        in_uuid_ = in_run_ = named_ = false;
        OmeImage& image = words.images.back();
        note(image.files, seen_, file);
        if (!paged_) note(image.unpaged, seen_unpaged_, file);
        if (!wanted() || order_.empty()) return;
        run_.file = file;
        run_.counted = run_.count != not_said;
        paged_runs_.push_back(paged_);
        description.planes.push_back(run_);
    }

    /// Each file once for an image, whatever its number of runs.
    void note(std::vector<std::uint32_t>& list, std::unordered_map<std::uint32_t, std::size_t>& seen, std::uint32_t file) {
        std::size_t& last = seen[file];
        if (std::exchange(last, words.images.size()) != words.images.size()) list.push_back(file);
    }

    void close_pixels() {
        in_pixels_ = false;
        if (!wanted()) return;
        // Where one channel has no name, none is told.
        std::vector<std::string>& names = description.channels;
        if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.empty(); })) names.clear();
    }

    /// Which pages have which planes. By OME's schema a run begins at page 0 and takes all planes that are left; where it states
    /// a page, it takes one.
    void place_planes() {
        Description& d = description;
        std::set<std::int64_t> begins;   // of the runs, in planes
        std::unordered_map<std::uint32_t, std::size_t> without_page;
        for (std::size_t i = 0; i < d.planes.size(); ++i) {
            begins.insert(d.planes[i].plane);
            if (!paged_runs_[i]) ++without_page[d.planes[i].file];
        }
        std::unordered_map<std::uint32_t, std::int64_t> next;   // the page behind the run before, by file
        std::int64_t covered = 0;                               // planes that stand one behind the other
        bool in_order = true;
        const bool alone = words.images.size() == 1 && words.images[0].files.size() == 1;
        for (std::size_t i = 0; i < d.planes.size(); ++i) {
            PlaneRun& run = d.planes[i];
            // Of several runs without a page each would begin at page 0: such files mean the pages that follow.
            if (!paged_runs_[i] && without_page[run.file] > 1) run.page = next[run.file];
            in_order = in_order && run.plane == covered && run.page == covered;
            if (!run.counted) {
                // Of an image alone, planes in order that end early go on: programs write the first of them, and no number.
                const bool last = alone && in_order && i + 1 == d.planes.size();
                const auto other = begins.upper_bound(run.plane);
                const bool one = run.plane < 0 || (paged_runs_[i] && !last);
                run.count = one ? 1 : (other == begins.end() ? d.images : *other) - run.plane;
            }
            covered = run.count > d.images - covered ? d.images : covered + run.count;
            next[run.file] = run.count > most_pages - run.page ? most_pages : run.page + run.count;
            d.first = i == 0 ? run.page : std::min(d.first, run.page);
        }
        d.in_order = in_order && covered == d.images;
    }

    XmlReader xml_;
    std::int64_t channels_, series_;
    Files files_;
    std::string order_;   ///< of the pages' axes, the fastest first; empty: it is not followed
    std::array<std::int64_t, 3> sizes_{};
    bool in_pixels_ = false, in_run_ = false, in_uuid_ = false, named_ = false, paged_ = false;
    PlaneRun run_;
    OmeFile file_;
    std::vector<bool> paged_runs_;   ///< which runs say at which page they begin
    std::unordered_map<std::uint32_t, std::size_t> seen_, seen_unpaged_;
};

}   // namespace

bool is_ome(std::string_view text) {
    return text.find("<OME") != std::string_view::npos || text.find(":OME") != std::string_view::npos;
}

OmeWords read_ome(std::string_view text) {
    Reader reader(text, 1, -1);
    reader.read();
    return std::move(reader.words);
}

Description describe_ome(std::string_view text, std::int64_t channels, std::int64_t series) {
    Reader reader(text, channels, series);
    reader.read();
    Description d = std::move(reader.description);
    if (!reader.words.problem.empty()) {
        d = {};
        if (!reader.meant && reader.words.problem.starts_with("it begins")) return d;   // other words, which are not OME's
        d.warnings.push_back(fmt::format("its OME-XML is damaged, and not followed: {}", reader.words.problem));
        return d;
    }
    d.by = "OME-XML";
    d.series = static_cast<std::int64_t>(reader.words.images.size());
    return d;
}

bool same_uuid(std::string_view a, std::string_view b) {
    const auto bare = [](std::string_view uuid) {
        std::string text = host::lower(host::trim(uuid));
        return text.starts_with("urn:uuid:") ? text.substr(9) : text;
    };
    return bare(a) == bare(b);
}

}   // namespace parallax::io::tiff
