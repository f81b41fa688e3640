// The hash of a file, taken while it is written, so that it need not be read again for its report: reading 16 MB of a page cache
// and hashing them takes as long as writing them.
#pragma once

#include "io/hasher.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

namespace parallax::io {

/// Sees what this thread writes into one new file, as long as it lives. Once a thread.
///
///   const Witness witness(path);
///   write(path, array);
///   const std::string hash = witness.hash().empty() ? hash_file(path) : witness.hash();
class Witness {
public:
    explicit Witness(std::filesystem::path);
    ~Witness();
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

    /// As hash_file() has it. Empty where the file was not written by one File, from its first byte to its last, in order.
    std::string hash() const;

    /// What a File tells.
    class Seen;
    /// That of the file which this thread is about to make; null: nobody wants to know.
    static std::shared_ptr<Seen> of(const std::filesystem::path&);

private:
    std::filesystem::path path_;
    std::shared_ptr<Seen> seen_;
};

class Witness::Seen {
public:
    void wrote(const void* bytes, std::size_t count) noexcept {
        if (in_order_) hash_.add(bytes, count);
    }
    void moved() noexcept { in_order_ = false; }
    void closed() noexcept { ++closed_; }
    std::string hash() const { return in_order_ && closed_ == 1 ? hash_.hex() : std::string(); }

private:
    Hasher hash_;
    bool in_order_ = true;
    int closed_ = 0;   ///< without an error
};

}   // namespace parallax::io
