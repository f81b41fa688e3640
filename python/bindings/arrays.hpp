// NumPy's memory and the library's arrays.
#pragma once

#include "threads.hpp"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <vector>

namespace parallax::python {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

nb::dlpack::dtype dtype_of(ElementType);
/// "u8", "f32", ... Throws ConfigError.
ElementType type_from(const std::string& name);

/// Throws ConfigError where axes or spacing are not those of the shape.
ArrayDesc desc_of(ElementType, const std::vector<std::int64_t>& shape, const std::string& axes,
                  const std::vector<double>& spacing, const std::string& unit);
/// The same of NumPy's memory, strides included.
ArrayDesc desc_of(const AnyArray&, const std::string& axes, const std::vector<double>& spacing, const std::string& unit);

/// An array of NumPy's that owns what `host` held.
nb::ndarray<nb::numpy> to_numpy(HostArray host);

}   // namespace parallax::python
