// Frames of greys, or of red, green and blue, as a GIF: with all their colours where they are no more than 256, else with the 256
// that they are cut into by the median (Heckbert 1982), for all frames alike.
#pragma once

#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "io/readers/gif_lzw.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// Colours, and which of them each colour of 5 bits a channel, or each exact one, becomes.
class Palette {
public:
    Palette(const unsigned char* pixels, std::size_t count, std::size_t channels) {
        if (channels == 1) {
            for (int i = 0; i < 256; ++i) colours_[static_cast<std::size_t>(i)] = grey(i);
            return;
        }
        if (!take_all(pixels, count)) cut(pixels, count);
    }

    const GifColorType* colours() const noexcept { return colours_.data(); }

    GifPixelType of(const unsigned char* rgb) const {
        if (cut_) return indices_[coarse(rgb)];
        const auto at = std::lower_bound(exact_.begin(), exact_.end(), Exact{number(rgb), 0});
        return at->index;
    }

private:
    struct Exact {
        std::uint32_t colour;
        GifPixelType index;
        bool operator<(const Exact& other) const { return colour < other.colour; }
    };
    /// Colours of 5 bits a channel between two corners, and how many pixels have them.
    struct Box {
        std::vector<std::uint16_t> colours;
        std::uint64_t pixels = 0;
    };

    static GifColorType grey(int value) {
        const auto v = static_cast<GifByteType>(value);
        return {v, v, v};
    }
    static std::uint32_t number(const unsigned char* rgb) {
        return static_cast<std::uint32_t>(rgb[0]) << 16 | static_cast<std::uint32_t>(rgb[1]) << 8 | rgb[2];
    }
    static std::uint16_t coarse(const unsigned char* rgb) {
        return static_cast<std::uint16_t>((rgb[0] >> 3) << 10 | (rgb[1] >> 3) << 5 | rgb[2] >> 3);
    }
    static int part(std::uint16_t colour, int channel) { return colour >> (10 - 5 * channel) & 31; }

    /// False where there are more than 256.
    bool take_all(const unsigned char* pixels, std::size_t count) {
        std::vector<std::uint32_t> seen;
        std::uint32_t last = 1u << 24;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t colour = number(pixels + 3 * i);
            if (colour == last) continue;
            last = colour;
            const auto at = std::lower_bound(seen.begin(), seen.end(), colour);
            if (at != seen.end() && *at == colour) continue;
            if (seen.size() == 256) return false;
            seen.insert(at, colour);
        }
        for (std::size_t i = 0; i < seen.size(); ++i) {
            exact_.push_back({seen[i], static_cast<GifPixelType>(i)});
            colours_[i] = {static_cast<GifByteType>(seen[i] >> 16), static_cast<GifByteType>(seen[i] >> 8),
                           static_cast<GifByteType>(seen[i])};
        }
        return true;
    }

    void cut(const unsigned char* pixels, std::size_t count) {
        cut_ = true;
        std::vector<std::uint64_t> counts(1 << 15);
        for (std::size_t i = 0; i < count; ++i) ++counts[coarse(pixels + 3 * i)];
        std::vector<Box> boxes(1);
        for (std::size_t c = 0; c < counts.size(); ++c) {
            if (counts[c] == 0) continue;
            boxes[0].colours.push_back(static_cast<std::uint16_t>(c));
            boxes[0].pixels += counts[c];
        }
        while (boxes.size() < 256) {
            const auto largest = std::max_element(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
                return (a.colours.size() > 1 ? a.pixels : 0) < (b.colours.size() > 1 ? b.pixels : 0);
            });
            if (largest->colours.size() < 2) break;
            boxes.push_back(halve(*largest, counts));
        }
        indices_.resize(1 << 15);
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            std::array<std::uint64_t, 3> sum{};
            for (const std::uint16_t c : boxes[b].colours) {
                for (int channel = 0; channel < 3; ++channel)
                    sum[static_cast<std::size_t>(channel)] += counts[c] * static_cast<std::uint64_t>(part(c, channel) * 255 / 31);
                indices_[c] = static_cast<GifPixelType>(b);
            }
            const auto mean = [&](std::size_t channel) { return static_cast<GifByteType>(sum[channel] / boxes[b].pixels); };
            colours_[b] = {mean(0), mean(1), mean(2)};
        }
    }

    /// Cuts a box in two of about as many pixels along the channel in which it is longest, and returns the second.
    static Box halve(Box& box, const std::vector<std::uint64_t>& counts) {
        int longest = 0, most = -1;
        for (int channel = 0; channel < 3; ++channel) {
            const auto [low, high] =
                std::minmax_element(box.colours.begin(), box.colours.end(),
                                    [&](std::uint16_t a, std::uint16_t b) { return part(a, channel) < part(b, channel); });
            const int length = part(*high, channel) - part(*low, channel);
            if (length > most) most = length, longest = channel;
        }
        std::sort(box.colours.begin(), box.colours.end(), [&](std::uint16_t a, std::uint16_t b) {
            return std::pair(part(a, longest), a) < std::pair(part(b, longest), b);
        });
        std::uint64_t before = 0;
        std::size_t at = 0;
        while (at + 1 < box.colours.size() && (at == 0 || 2 * before < box.pixels)) before += counts[box.colours[at++]];
        Box second{{box.colours.begin() + static_cast<std::ptrdiff_t>(at), box.colours.end()}, box.pixels - before};
        box.colours.resize(at);
        box.pixels = before;
        return second;
    }

    std::array<GifColorType, 256> colours_{};
    std::vector<Exact> exact_;
    std::vector<GifPixelType> indices_;
    bool cut_ = false;
};

constexpr const char* full_disk =
    "see whether the disk is full, and files may be longer than this (--limit output=SIZE, ulimit -f)";

struct GifWriter {
    static void write(const Json& request, std::istream& in) {
        std::map<std::string, int> sizes{{"t", 1}, {"y", 1}, {"x", 1}, {"c", 1}};
        for (const Json& axis : request.at("axes")) sizes[axis.at("name")] = axis.at("size").get<int>();
        const int width = sizes["x"], height = sizes["y"], channels = sizes["c"], frames = sizes["t"];
        std::vector<unsigned char> pixels(request.at("bytes").get<std::size_t>());
        if (!in.read(reinterpret_cast<char*>(pixels.data()), static_cast<std::streamsize>(pixels.size())))
            throw Problem{"got fewer pixels than were announced", "this is a fault of the engine"};
        const std::size_t step = static_cast<std::size_t>(channels);
        const Palette palette(pixels.data(), pixels.size() / step, step);
        const std::unique_ptr<ColorMapObject, void (*)(ColorMapObject*)> map(GifMakeMapObject(256, palette.colours()),
                                                                             GifFreeMapObject);
        int error = 0;
        Sink sink(request.at("write").get<std::string>());
        GifFileType* const gif = sink.is_open() ? EGifOpen(&sink, Sink::put, &error) : nullptr;
        if (!gif || !map) throw Problem{"cannot be written: " + (error != 0 ? words_of_gif(error) : sink.why()), full_disk};
        EGifSetGifVersion(gif, true);
        bool good = EGifPutScreenDesc(gif, width, height, 8, 0, map.get()) == GIF_OK && (frames == 1 || repeat(gif));
        std::vector<GifPixelType> row(static_cast<std::size_t>(width));
        const unsigned char* from = pixels.data();
        const double delay = request.at("delay").get<double>();   // in hundredths of a second, in the mean
        for (int frame = 0; good && frame < frames; ++frame) {
            const auto shown = static_cast<int>(std::llround((frame + 1) * delay) - std::llround(frame * delay));
            const GraphicsControlBlock control{DISPOSE_DO_NOT, false, shown, NO_TRANSPARENT_COLOR};
            GifByteType block[4];
            EGifGCBToExtension(&control, block);
            good = (frames == 1 || EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, sizeof block, block) == GIF_OK) &&
                   EGifPutImageDesc(gif, 0, 0, width, height, false, nullptr) == GIF_OK;
            for (int y = 0; good && y < height; ++y) {
                for (GifPixelType& pixel : row) pixel = channels == 1 ? *from : palette.of(from), from += step;
                good = EGifPutLine(gif, row.data(), width) == GIF_OK;
            }
        }
        const int failed = gif->Error;
        const bool ended = EGifCloseFile(gif, &error) == GIF_OK;
        if (!sink.close()) throw Problem{"cannot be written: " + sink.why(), full_disk};
        if (!good || !ended) throw Problem{"cannot be written: " + words_of_gif(good ? error : failed), full_disk};
    }

private:
    /// The file, which remembers what giflib does not look at.
    class Sink {
    public:
        explicit Sink(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) { note(file_ != nullptr); }
        ~Sink() { close(); }
        Sink(const Sink&) = delete;
        Sink& operator=(const Sink&) = delete;

        bool is_open() const noexcept { return file_ != nullptr; }
        /// Whether all is there, as far as the system tells.
        bool close() noexcept {
            if (file_ != nullptr) note(std::fclose(std::exchange(file_, nullptr)) == 0);
            return problem_ == 0;
        }
        std::string why() const { return std::strerror(problem_); }
        static int put(GifFileType* gif, const GifByteType* bytes, int count) {
            auto& sink = *static_cast<Sink*>(gif->UserData);
            const bool put = std::fwrite(bytes, 1, static_cast<std::size_t>(count), sink.file_) == static_cast<std::size_t>(count);
            sink.note(put);
            return put ? count : 0;
        }

    private:
        void note(bool good) noexcept {
            if (!good && problem_ == 0) problem_ = errno != 0 ? errno : EIO;
        }
        std::FILE* file_;
        int problem_ = 0;
    };

    /// For ever, in the words that browsers know.
    static bool repeat(GifFileType* gif) {
        const GifByteType times[3] = {1, 0, 0};
        return EGifPutExtensionLeader(gif, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
               EGifPutExtensionBlock(gif, 11, "NETSCAPE2.0") == GIF_OK &&
               EGifPutExtensionBlock(gif, sizeof times, times) == GIF_OK && EGifPutExtensionTrailer(gif) == GIF_OK;
    }
};

}   // namespace parallax::io::readers
