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
/// Why a format has no number for an axis's distance, which would be `stored` in it; empty: it has.
std::string refusal_of_distance(std::string_view format, const Axis& axis, double stored, bool as_f32);
using engine::millimetres;

}   // namespace parallax::io
