// Typed errors. Each says what was found, what was expected and what to try next,
// so that the command line, the C ABI and a host application can all show the same sentence.
#pragma once

#include "parallax/export.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace parallax {

/// Base of every error that Parallax throws. `what()` is a complete message for a person.
class PARALLAX_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    /// A stable word for machines: "config", "device", "build", "io", "unsupported", "cancelled".
    virtual const char* kind() const noexcept { return "error"; }
};

/// The caller asked for the work to end before it was done; nothing is left of it.
class PARALLAX_API CancelledError : public Error {
public:
    explicit CancelledError(const std::string& what) : Error(what) {}
    const char* kind() const noexcept override { return "cancelled"; }
};

/// The request was wrong: a key, a value or a combination in a job or device configuration.
/// `pointer` is a JSON pointer (RFC 6901) into the text that the user wrote.
class PARALLAX_API ConfigError : public Error {
public:
    ConfigError(std::string pointer, std::string found, std::string expected, std::string hint = {});
    const char* kind() const noexcept override { return "config"; }

    std::string pointer;   ///< e.g. "/steps/0/wavelength_nm"
    std::string found;     ///< what stands there, e.g. "the string \"red\""
    std::string expected;  ///< what may stand there, e.g. "a number above 0"
    std::string hint;      ///< what to try, e.g. "did you mean \"wavelength_nm\"?"
};

/// A call to a driver failed. `code_name` is the symbol ("CL_OUT_OF_RESOURCES"), `step` what was
/// being done ("launch hologram/transfer"), `hint` what to try.
class PARALLAX_API DeviceError : public Error {
public:
    DeviceError(std::string call, int code, std::string code_name, std::string step, std::string hint = {});
    const char* kind() const noexcept override { return "device"; }
    /// The device is sound, and too little of its memory is free.
    bool is_shortage() const noexcept;

    std::string call;
    int code = 0;
    std::string code_name;
    std::string step;
    std::string hint;
};

/// A kernel did not compile. `file` and `line` point into kernels_cl where the log names a place.
class PARALLAX_API BuildError : public Error {
public:
    BuildError(std::string file, int line, std::string options, std::string log);
    const char* kind() const noexcept override { return "build"; }

    std::string file;
    int line = 0;          ///< 0: the log names no line
    std::string options;
    std::string log;
};

/// A file could not be read or written, or holds something else than it says.
class PARALLAX_API IoError : public Error {
public:
    IoError(std::string path, std::string problem, std::string hint = {});
    const char* kind() const noexcept override { return "io"; }

    std::string path;
    std::string problem;
    std::string hint;
};

/// Nothing at hand can do what was asked; `reasons` holds one line for each candidate.
class PARALLAX_API UnsupportedError : public Error {
public:
    UnsupportedError(std::string what, std::vector<std::string> reasons);
    const char* kind() const noexcept override { return "unsupported"; }

    std::vector<std::string> reasons;
};

}  // namespace parallax
