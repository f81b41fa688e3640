#include "io/readers/gif_lzw.hpp"

#include <array>
#include <cstdint>
#include <string>

#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

constexpr const char* write_again = "the file is cut off or damaged: write or copy it again";

[[noreturn]] void untrue(const char* what) { throw Problem{std::string("is a damaged GIF: a frame of it ") + what, write_again}; }

/// Takes the bytes of a frame as they come.
class Frame {
public:
    Frame(int bits, std::size_t count) : clear_(1u << bits), first_width_(static_cast<unsigned>(bits) + 1), pixels_(count) {
        for (unsigned i = 0; i < clear_; ++i) suffixes_[i] = firsts_[i] = static_cast<unsigned char>(i), lengths_[i] = 1;
        begin();
    }

    void take(const GifByteType* bytes, std::size_t count) {
        for (std::size_t i = 0; i < count && !ended_; ++i) {
            waiting_ |= static_cast<std::uint32_t>(bytes[i]) << waiting_bits_;
            waiting_bits_ += 8;
            while (waiting_bits_ >= width_ && !ended_) {
                const unsigned code = waiting_ & ((1u << width_) - 1);
                waiting_ >>= width_, waiting_bits_ -= width_;
                take_code(code);
            }
        }
    }

    /// Some writers leave out the code for the end.
    std::vector<unsigned char> finish() {
        if (done_ < pixels_.size()) untrue("ends before its pixels do");
        return std::move(pixels_);
    }

private:
    void begin() { width_ = first_width_, next_ = clear_ + 2, before_ = none; }

    void take_code(unsigned code) {
        if (code == clear_) return begin();
        if (code == clear_ + 1) {
            ended_ = true;
            return;
        }
        // What the code before stands for, and the first pixel of this one, are the next string.
        if (before_ != none && next_ < most) {
            if (code > next_) untrue("has a code for which nothing stands");
            prefixes_[next_] = static_cast<std::uint16_t>(before_);
            firsts_[next_] = firsts_[before_];
            suffixes_[next_] = code == next_ ? firsts_[before_] : firsts_[code];
            lengths_[next_] = lengths_[before_] + 1;
            ++next_;
        } else if (code >= next_) {
            untrue("has a code for which nothing stands");
        }
        if (next_ >= 1u << width_ && width_ < 12) ++width_;
        const std::size_t length = lengths_[code];
        if (length > pixels_.size() - done_) untrue("goes on behind its last pixel");
        done_ += length;
        std::size_t at = done_;
        for (unsigned one = code;; one = prefixes_[one]) {
            pixels_[--at] = suffixes_[one];
            if (one < clear_) break;
        }
        before_ = code;
    }

    static constexpr unsigned most = 4096, none = most;
    unsigned clear_, first_width_, width_ = 0, next_ = 0, before_ = none;
    std::uint32_t waiting_ = 0;   // the first bit in the lowest place
    unsigned waiting_bits_ = 0;
    bool ended_ = false;
    std::array<std::uint16_t, most> prefixes_{};
    std::array<unsigned char, most> suffixes_{}, firsts_{};
    std::array<std::uint32_t, most> lengths_{};
    std::size_t done_ = 0;
    std::vector<unsigned char> pixels_;
};

}   // namespace

std::string words_of_gif(int error, const char* otherwise) {
    const char* const words = GifErrorString(error);
    return words ? words : otherwise;
}

void damaged_gif(const GifFileType* gif) { throw Problem{"is a damaged GIF: " + words_of_gif(gif->Error), write_again}; }

std::vector<unsigned char> pixels_of_frame(GifFileType* gif, std::size_t count) {
    int bits = 0;
    GifByteType* block = nullptr;   // its length stands before its bytes
    if (DGifGetCode(gif, &bits, &block) != GIF_OK) damaged_gif(gif);
    if (bits < 1 || bits > 8) untrue("has codes for pixels of no bits");
    Frame frame(bits, count);
    while (block) {
        frame.take(block + 1, block[0]);
        if (DGifGetCodeNext(gif, &block) != GIF_OK) damaged_gif(gif);
    }
    return frame.finish();
}

}   // namespace parallax::io::readers
