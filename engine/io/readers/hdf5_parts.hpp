// What reading and writing HDF5 have in common: what the library has opened, types of elements, attributes.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// What to try with a file that is not as HDF5 has it.
constexpr const char* again = "the file is damaged or cut off: write or copy it again";

/// Debian's library serves one thread at a time.
std::mutex& library();

/// What the library has opened, closed at the end.
class Handle {
public:
    Handle() = default;
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    /// Before its time, to hear whether it went well: negative where it did not.
    herr_t close() noexcept { return close_(std::exchange(id_, -1)); }
    operator hid_t() const noexcept { return id_; }
    bool good() const noexcept { return id_ >= 0; }

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

/// What the library said of its last error, in the place where it began.
std::string last_words();
/// What is told of a dataset whose chunks no memory is left for.
Problem no_memory_for(const std::string& path);
/// Whether it ended for want of memory.
bool is_out_of_memory();

/// A dataset of this file by its path: no link on the way leads to another file.
Handle open_dataset(hid_t file, const char* path);
/// Whether elements are another file's: of a virtual dataset, or of any file in raw form. Asked before its sizes are, for which
/// those of a virtual one are opened.
bool is_elsewhere(hid_t dataset);

/// How elements are stored and delivered.
struct Type {
    const char* name = nullptr;   ///< ours; null: none that is read
    Handle memory{};
    std::string why{};   ///< not
};

Handle own(hid_t type);
Type type_of(hid_t stored);
/// What MATLAB calls a variable.
constexpr const char* matlab_class = "MATLAB_class";
/// The same of a dataset: MATLAB's texts are stored as numbers.
Type type_of_dataset(hid_t dataset);

/// Whether it has no elements, not even one (H5S_NULL).
bool is_null(hid_t dataset);
std::vector<hsize_t> sizes_of(hid_t dataset);
std::string in_words(const std::vector<hsize_t>& sizes);

/// How many letters the texts of any length of an attribute have together, or entries its lists, before one of them is read:
/// several may name the same, and be far longer together than the file.
std::uint64_t entries_of(hid_t attribute, std::size_t count);
constexpr std::uint64_t most_entries = 1 << 20;   ///< that are read
constexpr std::size_t most_channels = 1 << 16;   ///< whose names are read: an attribute has 64 KiB

/// Numbers of an attribute; empty: it has none of that name.
std::vector<double> numbers_at(hid_t object, const char* name, std::size_t most = 64);
/// Texts of an attribute, of fixed or of any length; empty, too, where they are more than a million letters together.
std::vector<std::string> texts_at(hid_t object, const char* name, std::size_t most = 256);
std::string text_at(hid_t object, const char* name);

}   // namespace parallax::io::readers
