// A disk of its own whose power can be cut: what the program has not synced is lost, as the file system loses it.
#pragma once

#include "jobs/support.hpp"

#include <filesystem>
#include <string>

namespace parallax::tests {

/// An ext4 file system in a file, mounted. That takes root and a loop device.
class Disk {
public:
    Disk();
    ~Disk();
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;

    /// Why there is none; empty: there is one.
    const std::string& why_not() const noexcept { return why_not_; }
    std::filesystem::path folder() const { return top_ / "disk"; }
    /// What has been written until now is on it.
    void sync() const;
    /// Nothing reaches it from now on, and its log is not written either.
    void cut() const;
    /// As its machine does when it starts again. Throws std::runtime_error.
    void mount_again();

private:
    std::string image() const;
    bool mount() const;
    void unmount() const;

    TempFolder top_;
    std::string why_not_;
    int starts_ = 0;
};

}   // namespace parallax::tests
