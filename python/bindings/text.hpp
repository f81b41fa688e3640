// Text between Python and the library: names of files are bytes, which need not be UTF-8, and cross as Python's os has them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

namespace parallax::python {

/// As os.fsdecode() makes it of bytes.
inline nanobind::object text(const std::string& value) {
    PyObject* const decoded = PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape");
    if (decoded == nullptr) throw nanobind::python_error();
    return nanobind::steal(decoded);
}

/// Of bytes, as os.fsencode() makes them of a path, or of text.
inline std::string path(nanobind::handle value) {
    if (!nanobind::isinstance<nanobind::bytes>(value)) return nanobind::cast<std::string>(value);
    const auto bytes = nanobind::borrow<nanobind::bytes>(value);
    return {bytes.c_str(), bytes.size()};
}

}   // namespace parallax::python
