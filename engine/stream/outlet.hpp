// Where bytes go that somebody else takes: a pipe, a socket, a file. It never waits where a stop could not be heard.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace parallax::engine::stream {

/// Belongs to one thread. The descriptor stays the caller's, and so do its flags, which other processes share.
class Outlet {
public:
    explicit Outlet(int descriptor, std::function<bool()> cancelled = {});
    ~Outlet();
    Outlet(const Outlet&) = delete;
    Outlet& operator=(const Outlet&) = delete;

    /// All of them. False where nobody reads any more. Throws IoError where they cannot be written, of which nothing stays in a file,
    /// and CancelledError where a stop is asked for and nobody has taken a byte for two seconds.
    bool put(std::string_view bytes);

private:
    std::ptrdiff_t write_some(std::string_view bytes);
    void take_back(std::size_t written) const noexcept;

    int descriptor_;
    int own_ = -1;          ///< the same pipe, opened once more: to this end it says at once how much it takes
    bool socket_ = false;   ///< of bytes, not of messages
    bool only_read_ = false;
    std::size_t most_;       ///< bytes a call
    std::function<bool()> cancelled_;
};

/// Whether two descriptors stand for one file on a disk: what is written to the one would be read from the other, without end.
bool are_one_file(int a, int b) noexcept;

}   // namespace parallax::engine::stream
