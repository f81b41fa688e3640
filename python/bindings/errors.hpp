// The library's errors as Python's exceptions.
#pragma once

#include <nanobind/nanobind.h>

namespace parallax::python {

/// Adds the types to the module, and what makes one of each error that leaves the library.
void add_exceptions(nanobind::module_&);

}   // namespace parallax::python
