// Units of length and time: by the names that programs write.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/units.hpp"
#include "io/io.hpp"
#include "io/unit_names.hpp"
#include "parallax/array.hpp"

namespace parallax::io {

/// A length in another unit, both of ours; 0 where one of them is no unit of length.
double converted(double length, const std::string& from, const std::string& to);
/// What is told of an axis without a distance, where `by` ("its OME-XML") gives others one.
Warning without_spacing(std::string_view by, char axis, std::string_view unit);
/// Tells of x, y and z those along which steps are taken and whose distance is not said (`unsaid`). Where none has one, the unit is
/// left out, too: 1 of it would be a size that nobody measured.
void tell_unsaid(std::string_view by, std::string_view unsaid, FileInfo&);
/// Why a format has no number for an axis's distance, which would be `stored` in it; empty: it has.
std::string refusal_of_distance(std::string_view format, const Axis& axis, double stored, bool as_f32);
using engine::millimetres;

}   // namespace parallax::io
