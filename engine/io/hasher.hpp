// XXH3 of 128 bits, piece by piece, as the program xxhsum prints it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace parallax::io {

class Hasher {
public:
    Hasher();
    ~Hasher();
    void add(const void* bytes, std::size_t count) noexcept;
    /// Of what was added so far.
    std::string hex() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}   // namespace parallax::io
