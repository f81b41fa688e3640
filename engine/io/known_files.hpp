#pragma once

#include "io/one_name.hpp"
#include "io/real_paths.hpp"

#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

namespace parallax::io {

/// Files that are there, by their numbers and by names that are one: two paths may lead to one.
class KnownFiles {
public:
    void add(const std::filesystem::path&);
    bool has(const std::filesystem::path&);
    /// One that lies in this folder; nothing: there is none.
    const std::filesystem::path* inside(const std::filesystem::path& folder);
    /// The same of one that is a folder, in which this lies or would lie.
    const std::filesystem::path* around(const std::filesystem::path&);

private:
    /// Links followed.
    std::filesystem::path real(const std::filesystem::path&);

    std::set<std::pair<std::uint64_t, std::uint64_t>> numbers_;
    AlikePlaces places_;
    RealPaths real_;
};

}  // namespace parallax::io
