#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

namespace parallax::io {

/// Files that are there, by their numbers: two paths may lead to one.
class KnownFiles {
public:
    void add(const std::filesystem::path&);
    bool has(const std::filesystem::path&) const;

private:
    std::set<std::pair<std::uint64_t, std::uint64_t>> numbers_;
};

}  // namespace parallax::io
