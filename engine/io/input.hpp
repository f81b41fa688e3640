// Bytes one after the other, wherever they come from: a piece of a file, unpacked or not, or several files.
#pragma once

#include <memory>
#include <vector>

#include "io/file.hpp"

namespace parallax::io {

class Input {
public:
    virtual ~Input() = default;
    /// Exactly so many; `what` names them where they end before. Throws IoError.
    virtual void read(void* to, std::size_t bytes, const char* what) = 0;
    virtual void skip(std::uint64_t bytes, const char* what) = 0;
    /// Once all that is wanted has been read: checksums, which stand at the end. At most `most` bytes are passed over on the way
    /// there. Throws IoError. Returns how many were.
    virtual std::uint64_t finish(std::uint64_t most) = 0;
};

enum class Packing { none, zlib, deflate };   ///< zlib: with its head or gzip's; deflate: without any

/// The bytes of a file from `at` on. Packed ones: at most `stored` bytes of the file belong to them.
std::unique_ptr<Input> open_input(File, std::uint64_t at, Packing, std::uint64_t stored = UINT64_MAX);
/// One behind the other, so many bytes of each.
std::unique_ptr<Input> chain_inputs(std::vector<std::unique_ptr<Input>>, std::uint64_t bytes_of_each);

}   // namespace parallax::io
