// The datasets of an HDF5 file, wherever its groups have them.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/readers/hdf5_parts.hpp"

namespace parallax::io::readers {

struct Found {
    bool scale = false;              ///< of axes: nothing else is told of it
    std::string sizes{};
    bool numbers = false;            ///< which are read
    std::string what{};              ///< its elements are
    std::string closed{};            ///< why it cannot be opened; empty: it can
    std::uint64_t bytes_of_type = 0;   ///< as the library packs it: many datasets may share one that stands in the file once
};

constexpr std::size_t most_objects = 4096;   ///< that are looked at

/// Of two that are open: one object, by whatever names.
bool is_one_object(hid_t, hid_t);

/// What groups hold. Each object once, by a path of the fewest links. Links to other places, in the file or not, are not followed.
class Outline {
public:
    explicit Outline(hid_t file);

    bool whole() const noexcept { return whole_; }   ///< no object was left out
    /// In the order of their paths.
    const std::vector<std::size_t>& datasets() const noexcept { return datasets_; }
    /// To be shown: one that is very long without its middle.
    std::string path_of(std::size_t index) const;
    bool is_at(std::size_t index, std::string_view path) const;
    bool is_same(std::size_t index, hid_t opened) const;
    /// By where it is, and not by its path, which the library would keep.
    Handle open(std::size_t index) const;
    Found look_at(std::size_t index) const;

private:
    /// The names of those around it are its path: paths of their own would take the square of the file's length.
    struct Object {
        std::size_t parent;
        std::string name, place;
        bool is_group;
        std::size_t first = 0, end = 0;   ///< of a group's own
    };
    void put_in_order();

    hid_t file_;
    std::vector<Object> objects_;   ///< the file's root first
    std::vector<std::size_t> datasets_;
    bool whole_ = true;
};

}   // namespace parallax::io::readers
