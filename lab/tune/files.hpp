// The tuning files of a folder while they are written.
#pragma once

#include "core/tuning.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace parallax::engine::tune {

/// Reads what is there; every change is on disk, complete, before put() returns. Others may write into the folder meanwhile: a file is
/// read again before it is changed, under a lock.
class Files {
public:
    /// Throws IoError, and ConfigError for a file that is no tuning file.
    Files(std::filesystem::path folder, const std::vector<Algorithm>&);

    /// Throws ConfigError (pointer "--out") where files cannot be made in the folder, or where it would have to be.
    void require_writable() const;
    /// Before a search: that root may write anywhere says nothing of a folder that nobody can make, such as one of /proc. Throws
    /// ConfigError.
    void make_folder() const;

    /// The entry of exactly this device; null: none. Valid until the next put().
    const TunedPolicy* find(const std::string& algorithm, const TunedDevice&, const WorkClass&, const std::string& variant) const;
    void put(const std::string& algorithm, TunedPolicy);
    /// Marks one variant of the device and work as the fastest, and no other; a variant that has no entry is left out.
    void crown(const std::string& algorithm, const TunedDevice&, const WorkClass&, const std::string& variant);

private:
    void change(const std::string& algorithm, const std::function<void(TuningFile&)>&);

    std::filesystem::path folder_;
    std::vector<Algorithm> algorithms_;
    std::map<std::string, TuningFile> files_;
};

}  // namespace parallax::engine::tune
