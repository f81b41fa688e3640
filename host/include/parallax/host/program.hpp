// Kernel text -> program -> kernel.
//
// A ProgramSpec names a file of kernels_cl and an ordered list of defines; it is all that a build depends
// on besides the device. Files are embedded in the library; PARALLAX_KERNEL_DIR makes them be read from a
// folder instead. #include "path" is resolved against kernels_cl and flattened with #line kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax::host {

/// Ordered: the same list gives the same cache key.
class Defines {
public:
    Defines& add(std::string name, std::string value);
    Defines& add(std::string name, std::int64_t value);
    /// Only for names whose presence matters.
    Defines& flag(std::string name) { return add(std::move(name), std::int64_t{1}); }
    const std::vector<std::pair<std::string, std::string>>& list() const noexcept { return list_; }
    /// "-DNAME=VALUE ..." in order.
    std::string options() const;

private:
    std::vector<std::pair<std::string, std::string>> list_;
};

struct ProgramSpec {
    std::string file;      ///< relative to kernels_cl, e.g. "fft/stockham.cl"
    Defines defines;
    /// Work-items that should fit on a compute unit together, for kernels that say RESIDENT_GROUP: where a driver lets itself be
    /// told (NVIDIA; through OpenCL for groups of up to 256), its compiler holds registers to that. 0: as it likes.
    std::int64_t resident_items = 0;
};

/// Flattened source of a kernels_cl file. Throws IoError if there is no such file or includes nest too deep.
std::string flatten_source(std::string_view file);
/// Names of all embedded kernel files.
std::vector<std::string> kernel_files();

/// A kernel of a built program; belongs to one thread at a time.
class Kernel {
public:
    virtual ~Kernel() = default;
    virtual const std::string& name() const noexcept = 0;
    /// Largest work-group the driver allows for this kernel on its device.
    virtual std::size_t max_work_group() const = 0;
};

class Program {
public:
    virtual ~Program() = default;
    /// A new kernel object. Throws DeviceError if the program has no such kernel.
    virtual std::unique_ptr<Kernel> kernel(const std::string& name) = 0;
    virtual const std::string& build_log() const noexcept = 0;
    /// Where it came from: "built", "disk" or "memory".
    virtual std::string_view origin() const noexcept = 0;
    virtual double build_seconds() const noexcept = 0;
    /// Hex hash of source, options and device: in reports it says which kernels made a result.
    virtual const std::string& hash() const noexcept = 0;
};

/// Binaries on disk, shared by threads and processes; entries carry length and checksum, are written to a
/// temporary file and renamed, and are rebuilt on any doubt. A folder that cannot be written is no error.
class ProgramCache {
public:
    /// folder empty: the platform's cache folder ($XDG_CACHE_HOME/parallax, ~/.cache/parallax, %LOCALAPPDATA%,
    /// ~/Library/Caches) or PARALLAX_CACHE_DIR; "off": memory only.
    static std::shared_ptr<ProgramCache> open(std::string folder = {});
    virtual ~ProgramCache() = default;
    /// Empty if there is no sound entry under this key.
    virtual std::vector<unsigned char> load(const std::string& key) = 0;
    virtual void store(const std::string& key, const std::vector<unsigned char>& binary) noexcept = 0;
    virtual void forget(const std::string& key) noexcept = 0;
    virtual std::string folder() const = 0;   ///< empty: memory only
};

}  // namespace parallax::host
