#include "io/nrrd_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/decimal.hpp"
#include "io/nrrd_axes.hpp"
#include "io/space.hpp"
#include "io/units.hpp"

namespace parallax::io::nrrd {
namespace {

/// How many of x, y and z a named space has, and by which factors its axes go left, posterior and superior. 0: not a known one.
struct NamedSpace {
    std::string_view names[2];
    Vector3 signs;
    bool time;
};
constexpr NamedSpace spaces[] = {
    {{"right-anterior-superior", "ras"}, {-1, -1, 1}, false},    {{"left-anterior-superior", "las"}, {1, -1, 1}, false},
    {{"left-posterior-superior", "lps"}, {1, 1, 1}, false},      {{"right-anterior-superior-time", "rast"}, {-1, -1, 1}, true},
    {{"left-anterior-superior-time", "last"}, {1, -1, 1}, true}, {{"left-posterior-superior-time", "lpst"}, {1, 1, 1}, true},
};

constexpr std::string_view lengths = "xyz";

/// Reads what one header says of space, axis by axis, and then what all of them make together.
class SpaceReader {
public:
    SpaceReader(const Source& source, const Header& header, const std::vector<std::string>& directions, FileAxes& axes, FileInfo& file)
        : source_(source),
          header_(header),
          directions_(directions),
          axes_(axes),
          file_(file),
          name_(in_lower_case(field(header, "space"))),
          known_(std::find_if(std::begin(spaces), std::end(spaces),
                              [&](const NamedSpace& s) { return s.names[0] == name_ || s.names[1] == name_; })),
          units_(units_of(header, axes.names, file.warnings)) {}

    void read() {
        file_.desc.unit = !units_.ours.empty() ? units_.ours : is_anatomical() && units_.said.empty() ? "mm" : "";
        read_axes();
        const bool in_unit = !file_.desc.unit.empty();
        warn_of_distances();
        const std::string origin(field(header_, "spaceorigin"));
        if (!there_[0]) {   // nothing but distances
            if (dimension_ > 0 || !origin.empty())
                leave_out("do not say how x, y and z go");
            return;
        }
        if (in_unit && file_.desc.unit.empty()) return;   // nothing says how long a step is
        if (by_vectors_) read_origin(origin);
        if (!complete()) return leave_out("have the determinant 0, and go along fewer than its axes");
        turn();
        const double in_mm = file_.desc.unit.empty() ? 1 : millimetres(file_.desc.unit) * units_.factor;
        file_.metadata.affine = affine_of(space_, in_mm);
    }

private:
    using Step = std::optional<std::vector<double>>;

    bool is_anatomical() const { return known_ != std::end(spaces); }
    bool has_time() const { return is_anatomical() && known_->time; }
    bool is_length(std::size_t i) const { return lengths.find(axes_.names[i]) != lengths.npos; }
    bool has_spacing(std::size_t i) const { return std::isfinite(axes_.spacing[i]); }

    void leave_out(std::string_view why) {
        file_.warnings.push_back(fmt::format("its space directions {}: they are left out, and so is where its voxels lie", why));
    }

    void read_axes() {
        const std::size_t count = axes_.names.size();
        axes_.spacing = numbers(source_, header_, "spacings", count);
        if (axes_.spacing.empty()) axes_.spacing.assign(count, NAN);
        for (double& spacing : axes_.spacing)
            if (spacing == 0) spacing = NAN;   // no distance, as where none is said
        starts_ = numbers(source_, header_, "axismins", count);
        ends_ = numbers(source_, header_, "axismaxs", count);
        const std::vector<std::string_view> centres =
            words_of(field(header_, "centers").empty() ? field(header_, "centerings") : field(header_, "centers"));
        for (std::size_t i = 0; i < count; ++i) {
            const bool nodes = centres.size() == count && in_lower_case(centres[i]) == "node";
            const Step step = step_of(i);
            const double ratio = step || axes_.names[i] == 't' ? 1 : units_.of_axes[i];   // the space has units of its own
            const bool below = !step && axes_.spacing[i] < 0;
            if (below)
                file_.warnings.push_back(fmt::format("its spacing along {} is below 0: it counts by its size", axes_.names[i]));
            find_spacing(i, step, nodes, ratio);
            if (is_length(i)) place(i, step, nodes, ratio, below);
        }
    }

    /// The vector from one element to the next, and as spacing its length.
    Step step_of(std::size_t i) {
        if (directions_.empty() || directions_[i] == "none") return std::nullopt;
        Step step = vector_from(directions_[i]);
        if (!step)
            fail(source_, fmt::format("has the space direction \"{}\" in its NRRD header", shortened(directions_[i])), again);
        dimension_ = step->size();
        for (std::size_t j = 0; j < std::min<std::size_t>(3, step->size()); ++j)
            if (units_.of_space[j] != 1) (*step)[j] *= units_.of_space[j];
        double squares = 0, along = 0;
        for (const double part : *step) squares += part * part, along += std::abs(part);
        const bool along_one = std::count(step->begin(), step->end(), 0.0) + 1 >= static_cast<std::ptrdiff_t>(step->size());
        axes_.spacing[i] = along == 0 ? NAN : along_one ? along : as_decimal(std::sqrt(squares));   // nowhere: no distance
        return step;
    }

    void find_spacing(std::size_t i, const Step& step, bool nodes, double ratio) {
        double& spacing = axes_.spacing[i];
        const bool of_time = axes_.names[i] == 't';
        // From end to end an axis has as many steps as cells, and one less than nodes; cells where nothing is said, as in Teem.
        const std::int64_t steps = axes_.sizes[i] - (nodes ? 1 : 0);
        if (!step && !std::isfinite(spacing) && !starts_.empty() && !ends_.empty() && steps > 0)
            spacing = as_decimal((ends_[i] - starts_[i]) / static_cast<double>(steps));
        // A 1 without a unit is what programs write that know of no time.
        if (of_time && (!(units_.seconds > 0) || (!units_.in_time && spacing == 1))) spacing = NAN;
        if (std::isfinite(spacing) && spacing != 0)
            spacing = scaled(std::abs(spacing), of_time ? units_.seconds : scaled(units_.factor, ratio));
    }

    /// Of x, y or z. `below`: its spacing is below 0.
    void place(std::size_t i, const Step& step, bool nodes, double ratio, bool below) {
        const std::size_t at = lengths.find(axes_.names[i]);
        Vector3& way = space_.steps[at];
        const bool in_space = step && (step->size() == 2 || step->size() == 3 || (step->size() == 4 && (has_time() || step->back() == 0)));
        if (in_space) {
            std::copy_n(step->begin(), std::min<std::size_t>(3, step->size()), way.begin());
            // Of an axis of one index that goes nowhere only across the others can be meant.
            there_[at] = length_of(way) > 0 || axes_.sizes[i] > 1;
            by_vectors_ = true;
        } else if (!starts_.empty() && std::isfinite(starts_[i])) {
            // Towards lower numbers where it ends at one.
            const double sign = below || (!ends_.empty() && ends_[i] < starts_[i]) ? -1 : 1;
            way[at] = sign * (has_spacing(i) ? axes_.spacing[i] / units_.factor : 1);
            space_.origin[at] = starts_[i] * ratio + (nodes ? 0 : way[at] / 2);
            there_[at] = true;
        }
    }

    void warn_of_distances() {
        const auto count = axes_.names.size();
        const bool unlike_one =
            std::any_of(axes_.spacing.begin(), axes_.spacing.end(), [](double s) { return std::isfinite(s) && s != 1; });
        if (file_.desc.unit.empty() && units_.said.empty() && unlike_one)
            file_.warnings.push_back(
                {"its distances are of a unit that it does not name, most often mm: \"spacing_mm\" of the input states it",
                 Concern::spacing});
        std::string unsaid;
        for (std::size_t i = 0; i < count; ++i)
            if (is_length(i) && !has_spacing(i)) unsaid += axes_.names[i];
        tell_unsaid("its header", unsaid, file_);
    }

    void read_origin(const std::string& text) {
        const std::vector<std::string> words = vectors_of(text);
        if (words.empty()) return;
        const Step at = vector_from(words.front());
        if (!at)
            fail(source_, fmt::format("has the space origin \"{}\" in its NRRD header, which is no place", shortened(text)),
                 "(x,y,z) are three numbers: write the file again");
        if (at->size() != dimension_)
            fail(source_, fmt::format("has the space origin \"{}\" in its NRRD header, of {} numbers in a space of {}", shortened(text),
                                      at->size(), dimension_),
                 again);
        for (std::size_t i = 0; i < std::min<std::size_t>(3, at->size()); ++i) space_.origin[i] = (*at)[i] * units_.of_space[i];
    }

    /// Directions that nothing is said of. False where all of them go along fewer than the axes.
    bool complete() {
        for (std::size_t i = 1; i < 3; ++i) {
            if (there_[i]) continue;
            space_.steps[i] = i == 2 ? across(space_.steps[0], space_.steps[1], 1) : Vector3{0, 1, 0};
        }
        // One direction alone may be any; two have a third across.
        return there_[1] || there_[2] ? spans(space_) : length_of(space_.steps[0]) > 0;
    }

    /// To left, posterior and superior.
    void turn() {
        const Vector3 signs = is_anatomical() ? known_->signs : Vector3{1, 1, 1};
        for (std::size_t i = 0; i < 3; ++i) {
            space_.origin[i] *= signs[i];
            for (Vector3& step : space_.steps) step[i] *= signs[i];
        }
        if (is_anatomical()) return;
        file_.warnings.push_back(
            fmt::format("it names {} for its space: its axes are taken to go left, posterior and superior, as ITK takes them",
                        name_.empty() ? "no sides of a body" : "\"" + name_ + "\""));
    }

    const Source& source_;
    const Header& header_;
    const std::vector<std::string>& directions_;
    FileAxes& axes_;
    FileInfo& file_;
    const std::string name_;
    const NamedSpace* const known_;
    const Units units_;
    std::vector<double> starts_, ends_;   ///< of the axes; empty: not said
    Space space_;
    std::array<bool, 3> there_{};     ///< whether x, y and z have a direction
    bool by_vectors_ = false;
    std::size_t dimension_ = 0;       ///< the space's, by its vectors
};

}   // namespace

void describe_space(const Source& source, const Header& header, const std::vector<std::string>& directions, FileAxes& axes,
                    FileInfo& file) {
    SpaceReader(source, header, directions, axes, file).read();
}

}   // namespace parallax::io::nrrd
