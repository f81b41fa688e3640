// Frames one behind the other, through a pipe: PGM and PPM as programs for pictures write them, YUV4MPEG2 (Y4M) as FFmpeg and mpv
// do, and raw elements.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/io.hpp"

namespace parallax::engine::stream {

/// Bytes from a descriptor, as they come.
class Pipe {
public:
    /// `cancelled` is asked while nothing comes: where it is true CancelledError is thrown. It may be empty. What cannot be read
    /// is an IoError, and no end.
    explicit Pipe(int descriptor, std::function<bool()> cancelled = {});

    /// The next byte; nothing at the end.
    std::optional<unsigned char> byte();
    void put_back() noexcept { --at_; }
    /// Whether all of them were there.
    bool read(std::byte* to, std::size_t count);
    /// Up to a line's end, without it; nothing at the end, or where it is longer than 4096.
    std::optional<std::string> line();
    /// When the last bytes came.
    std::chrono::steady_clock::time_point last() const noexcept { return last_; }

private:
    bool fill();

    int descriptor_;
    std::function<bool()> cancelled_;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0, end_ = 0;
    std::chrono::steady_clock::time_point last_;
};

enum class Kind { raw, pgm, y4m };

/// What the first line of Y4M says beside shape and type; empty: not said.
struct VideoWords {
    std::string rate;         ///< frames a second, "30000:1001"
    std::string aspect;       ///< width to height of a pixel, "16:11"
    std::string interlacing;  ///< "p", "t", "b"
    std::string range;        ///< of values: "FULL", "LIMITED"
    std::int64_t rows = 0;    ///< of a frame: fields are rows in turn
};

/// Frames of one shape and type. Of Y4M brightness alone is taken.
class FrameReader {
public:
    /// Reads what stands before the first frame's elements; `raw` says how frames without a header are laid out. Throws IoError
    /// for what is no stream of frames.
    FrameReader(Pipe&, const std::optional<io::RawLayout>& raw);

    Kind kind() const noexcept { return kind_; }
    const ArrayDesc& desc() const noexcept { return desc_; }
    const std::vector<std::string>& warnings() const noexcept { return warnings_; }
    const VideoWords& words() const noexcept { return words_; }

    /// The next frame; false at the end. Throws IoError for a frame that is cut off, or is unlike the first.
    bool read(std::byte* to);

private:
    void begin_y4m(const std::string& line);
    void check_words(std::int64_t height);
    /// Of the next frame: width, height, bytes a sample, channels; nothing at the end.
    struct Size {
        std::int64_t width = 0, height = 0, channels = 1;
        std::size_t bytes = 1;
        std::int64_t largest = 0;   ///< of PGM: the value that is white
        bool operator==(const Size&) const = default;
    };
    std::optional<Size> pnm_header();
    std::int64_t pnm_number();
    [[noreturn]] void fail(const std::string& problem, const std::string& hint = "") const;

    Pipe& pipe_;
    Kind kind_ = Kind::raw;
    ArrayDesc desc_;
    std::optional<io::RawLayout> raw_;
    Size size_;
    bool header_read_ = false;
    std::size_t behind_ = 0;   ///< bytes of a Y4M frame's colours
    VideoWords words_;
    std::size_t frames_ = 0;
    std::vector<std::string> warnings_;
};

/// Writes frames of one shape and type.
class FrameWriter {
public:
    /// Throws IoError for an array that such a stream does not hold.
    FrameWriter(Kind, const ArrayDesc&, io::WriteOptions, const VideoWords&);

    /// A frame's bytes, with what stands before them.
    std::string bytes_of(const HostArray&);

private:
    Kind kind_;
    io::WriteOptions options_;
    VideoWords words_;
    bool begun_ = false;
};

}   // namespace parallax::engine::stream
