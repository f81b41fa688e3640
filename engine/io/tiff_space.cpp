#include "io/tiff_space.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "io/decimal.hpp"
#include "io/units.hpp"

namespace parallax::io::tiff {
namespace {

// Of tifffile's, beyond TIFF's own inches and centimetres.
constexpr std::uint16_t of_millimetres = 4, of_micrometres = 5;

}  // namespace

void describe_space(const Source& source, Document& document, const TiffFile& file, Description said) {
    TIFF* const tiff = file.handle();
    ArrayDesc& desc = document.file.desc;
    const char stated = source.options.page_axis;
    if (stated != '\0' && !(said.axes.size() == 1 && said.axes.front().name == stated))
        said.t = said.z = 0;   // pages are another axis than the one that these are said of
    if (said.t > 0) desc = desc.with_spacing('t', said.t);
    float x = 0, y = 0;
    std::uint16_t unit = RESUNIT_INCH;
    TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
    TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
    const auto& unknown = file.chain().units;
    if (const auto other = unknown.find(document.full.directory); other != unknown.end()) unit = other->second;
    const bool resolved = x > 0 && y > 0 && std::isfinite(x) && std::isfinite(y);
    if (!said.imagej && (said.x > 0 || said.y > 0 || said.z > 0)) {
        desc = desc.with_unit(said.unit);
        for (const auto& [axis, spacing] : {std::pair{'x', said.x}, {'y', said.y}, {'z', said.z}}) {
            if (spacing > 0) desc = desc.with_spacing(axis, spacing);
            else if (desc.find(axis))
                document.file.warnings.push_back(without_spacing("its " + said.by, axis, said.unit));
        }
        return;
    }
    double of_x = 0, of_y = 0;   // what the resolutions count pixels in, in desc.unit
    std::string name;
    if (said.imagej && !said.unit.empty()) {
        of_x = said.x, of_y = said.y, name = said.unit;
    } else if (unit == RESUNIT_INCH) {
        of_x = of_y = 25400, name = "um";
    } else if (unit == RESUNIT_CENTIMETER) {
        of_x = of_y = 10000, name = "um";
    } else if (unit == of_millimetres) {
        of_x = of_y = 1000, name = "um";
    } else if (unit == of_micrometres) {
        of_x = of_y = 1, name = "um";
    } else if (unit != RESUNIT_NONE && resolved) {
        document.file.warnings.push_back(
            fmt::format("its resolution is a number of pixels in a unit {} that TIFF does not have: it is left out", unit));
    } else if (resolved && x != y) {
        document.file.warnings.push_back(fmt::format(
            "its pixels are not square: {} columns are as long as {} rows, without a unit of length, which is left out", x, y));
    }
    if (resolved && of_x > 0)
        desc = desc.with_unit(name)
                   .with_spacing('x', as_decimal_by_float(of_x / x))
                   .with_spacing('y', as_decimal_by_float(of_y / y));
    // Without a unit ImageJ counts in pixels, slices too.
    const bool in_words = said.imagej && desc.unit == said.unit;
    if (in_words && said.z > 0) desc = desc.with_spacing('z', said.z);
    // ImageJ leaves out a distance of 1.
    if (desc.size('z') > 1 && !desc.unit.empty() && !in_words)
        document.file.warnings.push_back(without_spacing("its resolution", 'z', desc.unit));
}

double reduced_by(std::uint32_t whole, std::uint32_t here) {
    const double ratio = static_cast<double>(whole) / here;
    const auto step = static_cast<std::uint32_t>(std::lround(ratio));
    return step > 0 && (whole / step == here || (whole - 1) / step + 1 == here) ? step : ratio;
}

}  // namespace parallax::io::tiff
