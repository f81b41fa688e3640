// The arrays of all items in one file, one behind the other in the order in which they were added: what needs every value keeps
// them so.
#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "io/file.hpp"
#include "series/statistic.hpp"

namespace parallax::engine::series {

class FrameFile {
public:
    FrameFile(std::size_t frame_bytes, std::filesystem::path path);

    /// Writes the n-th frame by `write`, which is given each stretch of it to pass on, in order. Several threads may at once.
    template <class Write>
    void add(std::size_t n, const Write& write) {
        count();
        io::File file = take();
        file.seek(static_cast<std::uint64_t>(n) * frame_bytes_);
        FrameSeal seal;
        write([&](const void* bytes, std::size_t count) {
            file.write(bytes, count);
            seal.add(bytes, count);
        });
        put_back(std::move(file), n, seal.finish());
    }

    const std::filesystem::path& path() const noexcept { return path_; }
    /// Of the first `count` frames.
    Seal seal(std::size_t count) const;

private:
    void count() const;
    io::File take();
    void put_back(io::File, std::size_t n, std::string seal);

    std::size_t frame_bytes_;
    std::filesystem::path path_;
    std::mutex mutex_;
    bool created_ = false;
    std::vector<io::File> idle_;       ///< a handle for each thread that has been writing
    std::vector<std::string> seals_;   ///< of each frame
};

}   // namespace parallax::engine::series
