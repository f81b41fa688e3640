// Kernel text -> binary by NVRTC, which is opened at run time and needs no driver.
#pragma once

#include "parallax/host/program.hpp"

#include <memory>
#include <string>
#include <vector>

namespace parallax::host::cuda {

/// What to compile. `files` serve to read the log, the main file first.
struct ProgramText {
    std::vector<std::string> files;
    std::string text;
    std::vector<std::string> options;
    /// The options in one line: for errors and cache keys.
    std::string option_line() const;
};

struct CompiledProgram {
    std::vector<unsigned char> binary;   ///< CUBIN, or PTX with its closing NUL
    std::string log;                     ///< warnings
};

struct Nvrtc;

class Compiler {
public:
    /// The newest NVRTC that suits: not newer than the driver where there is a choice, and able to compile for the device.
    /// `driver_version` as cuDriverGetVersion tells it (13000), 0 for any; `architecture` 90 for compute capability 9.0.
    /// Null with `problem` and `hint` where there is none.
    static std::shared_ptr<const Compiler> open(int driver_version, int architecture, std::string& problem, std::string& hint);

    /// "NVRTC 13.0"
    const std::string& version() const noexcept { return version_; }
    /// "sm_90" (CUBIN), or "compute_90" (PTX, which the driver compiles) for a device newer than this NVRTC.
    const std::string& target() const noexcept { return target_; }

    /// Compiler flags and defines. The flags make float arithmetic mean what it means in OpenCL without fast-math.
    std::vector<std::string> options(const ProgramSpec&) const;
    /// Throws BuildError with file and line, DeviceError where NVRTC itself fails.
    CompiledProgram compile(const ProgramText&) const;

private:
    Compiler(std::shared_ptr<const Nvrtc> nvrtc, std::string target);

    std::shared_ptr<const Nvrtc> nvrtc_;
    std::string target_, version_;
};

}  // namespace parallax::host::cuda
