// Of several processes that need the same program at once one compiles it, and the others wait for what it leaves in the cache.
#pragma once

#include "parallax/host/program.hpp"

#include <chrono>
#include <filesystem>
#include <string>

namespace parallax::host {

class BuildLock {
public:
    /// Waits until nobody else has it: a process that dies lets go of it. Not held where the cache is no folder, its file system
    /// knows no locks or cannot tell one file from another, or `limit` is over: then several compile the same, and all is as
    /// right.
    BuildLock(const ProgramCache*, const std::string& key, std::chrono::duration<double> limit = std::chrono::minutes(5));
    ~BuildLock();
    BuildLock(const BuildLock&) = delete;
    BuildLock& operator=(const BuildLock&) = delete;
    bool held() const noexcept { return file_ >= 0; }
    /// Takes a lock's file away that a process has left behind, if nobody has it and it is such a file.
    static void remove_left(const std::filesystem::path&) noexcept;

private:
    std::string path_;
    int file_ = -1;
};

}  // namespace parallax::host
