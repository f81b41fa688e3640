// Tuned policies: what `parallax tune` found on devices. A plan takes the policy of the nearest device that was tuned for such
// work; where there is none, the variant's defaults.
#pragma once

#include "core/algorithm.hpp"
#include "parallax/host/device.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::engine {

/// What a policy was tuned for: the elements of the largest input, and how large that is.
struct WorkClass {
    std::string type;   ///< "f32", or what Algorithm::elements says; empty where there is no input
    std::string size;   ///< "small" (less than 1 MiB), "medium" (less than 64 MiB) or "large"
    static WorkClass of(const Algorithm&, const Problem&);
    bool operator==(const WorkClass&) const = default;
};

/// A device as tuning files name it.
struct TunedDevice {
    std::string backend, name, architecture, vendor, platform, type;
    static TunedDevice of(const host::DeviceInfo&);
    bool operator==(const TunedDevice&) const = default;
};

/// "sm_90" of CUDA devices, "gfx942" of AMD's, "skylake-avx512" of PoCL's; empty where the driver does not tell.
std::string architecture_of(const host::DeviceInfo&);

/// An entry of a tuning file.
struct TunedPolicy {
    TunedDevice device;
    WorkClass work;
    std::string variant;
    Json policy = Json::object();   ///< empty: no policy was faster than the defaults
    bool best = false;          ///< the fastest variant of the algorithm for this work
    Json found;                 ///< provenance: date, driver, engine, problem, gain, seconds, candidates

    Json to_json() const;
};

/// All entries of one algorithm: the file configs/tuning/<algorithm>.json.
struct TuningFile {
    std::string algorithm;
    std::vector<TunedPolicy> entries;
    std::string origin{};   ///< the file's name

    /// Throws ConfigError with a pointer into `origin`, which is the file's name.
    static TuningFile parse(const std::string& text, const std::string& origin);
    Json to_json() const;
    /// Takes the place of an entry for the same device, work and variant.
    void put(TunedPolicy);
};

/// How near the device of an entry is to the one at hand.
enum class Nearness { other, vendor, architecture, device };
std::string_view to_string(Nearness) noexcept;

class Tuning {
public:
    Tuning() = default;
    /// Entries under a name that a variant had get the one that it has.
    Tuning(std::vector<TuningFile>, const std::vector<Algorithm>&);

    /// The entries of this build, or, where PARALLAX_TUNING is set, of the files in that folder instead. Throws IoError,
    /// ConfigError.
    static Tuning load(const std::vector<Algorithm>&);
    /// Every *.json of a folder, one for each algorithm.
    static Tuning from_folder(const std::filesystem::path&, const std::vector<Algorithm>&);

    struct Match {
        const TunedPolicy* entry = nullptr;
        Nearness nearness = Nearness::other;
        /// "tuned on this device, 2026-11-21, driver 580.159, gain 1.08"
        std::string describe() const;
    };
    /// The entry of the nearest device; among equals the newest. None: nothing was tuned for such work.
    std::optional<Match> policy(std::string_view algorithm, std::string_view variant, const host::DeviceInfo&,
                                const WorkClass&) const;
    /// The entry of the variant that was fastest for such work on this device or its architecture.
    std::optional<Match> best(std::string_view algorithm, const host::DeviceInfo&, const WorkClass&) const;

    const std::vector<TuningFile>& files() const noexcept { return files_; }

private:
    const TuningFile* file(std::string_view algorithm) const noexcept;

    std::vector<TuningFile> files_;
};

}  // namespace parallax::engine
