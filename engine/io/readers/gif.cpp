// GIF: frames are drawn one over the other, as the file says, and given as grey where its colours are greys, else as red, green
// and blue.
#include <gif_lib.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/readers/gif_lzw.hpp"
#include "io/readers/gif_writer.hpp"

namespace {

using parallax::io::readers::damaged_gif;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;

constexpr const char* again = "the file is cut off or damaged: write or copy it again";

// A frame of which one pixel changes takes some 20 bytes of the file and is a whole canvas when it is read. A film of a full
// screen may say so little (20,000 a byte are a hundred bytes for each frame of 1920 x 1080), and a short one may be large beside
// its file.
constexpr std::uint64_t pixels_a_byte = 20000, pixels_at_any_rate = std::uint64_t{64} << 20;

/// What one frame says before its pixels.
struct Frame {
    int left = 0, top = 0, width = 0, height = 0, disposal = DISPOSAL_UNSPECIFIED, transparent = NO_TRANSPARENT_COLOR, delay = 0;
    bool interlaced = false;
    std::array<GifColorType, 256> colours{};
    int count = 0;   ///< of its colours
};

/// A GIF that is gone through frame by frame, from the first on.
class Frames {
public:
    Frames(const std::string& path, std::uint64_t bytes) : bytes_(bytes), gif_(nullptr, &Frames::close) {
        int error = 0;
        gif_.reset(DGifOpenFileName(path.c_str(), &error));
        if (!gif_)   // of a head that is cut off giflib says nothing
            throw Problem{"is a damaged GIF: " + parallax::io::readers::words_of_gif(
                              error, "its head, where its size and its colours stand, cannot be read to the end"), again};
        width_ = gif_->SWidth, height_ = gif_->SHeight;
        if (width_ < 1 || height_ < 1) throw Problem{"is a GIF of no pixels", again};
    }

    /// Goes to the next one; false where there is none. Then each_row() is to be called, once.
    bool next() {
        Frame frame;
        while (true) {
            GifRecordType kind = UNDEFINED_RECORD_TYPE;
            if (DGifGetRecordType(gif_.get(), &kind) != GIF_OK) damaged_gif(gif_.get());
            if (kind == TERMINATE_RECORD_TYPE) return false;
            if (kind == EXTENSION_RECORD_TYPE) take_extension(frame);
            if (kind == IMAGE_DESC_RECORD_TYPE) break;
        }
        if (DGifGetImageDesc(gif_.get()) != GIF_OK) damaged_gif(gif_.get());
        const GifImageDesc& desc = gif_->Image;
        frame.left = desc.Left, frame.top = desc.Top, frame.width = desc.Width, frame.height = desc.Height;
        frame.interlaced = desc.Interlace;
        const ColorMapObject* const map = desc.ColorMap ? desc.ColorMap : gif_->SColorMap;
        if (!map)
            throw Problem{"is a GIF with a frame that has no table of colours, so that nobody can know them",
                          "write it anew with one, for instance by Pillow, which takes its numbers for greys"};
        if (frame.width < 1 || frame.height < 1) throw Problem{"is a GIF with a frame of no pixels", again};
        const int right = frame.left + frame.width, bottom = frame.top + frame.height;
        if (right > width_ || bottom > height_) {
            (count_ == 0 ? larger_ : cut_) = true;
            if (count_ == 0) width_ = std::max(width_, right), height_ = std::max(height_, bottom);
        }
        frame.count = std::min(map->ColorCount, 256);
        std::copy(map->Colors, map->Colors + frame.count, frame.colours.begin());
        ++count_;
        check_plausible(frame);
        frame_ = frame;
        return true;
    }

    const Frame& frame() const noexcept { return frame_; }
    std::int64_t count() const noexcept { return count_; }   ///< so far
    int width() const noexcept { return width_; }            ///< of the canvas, once there was a frame
    int height() const noexcept { return height_; }
    bool larger() const noexcept { return larger_; }   ///< the first frame than the screen
    bool cut() const noexcept { return cut_; }         ///< others are

    /// Calls `work` with each row of the frame, in the order of the file, and where it belongs.
    template <class Work>
    void each_row(const Work& work) {
        const auto width = static_cast<std::size_t>(frame_.width);
        const std::vector<unsigned char> pixels =
            parallax::io::readers::pixels_of_frame(gif_.get(), width * static_cast<std::size_t>(frame_.height));
        const unsigned char* row = pixels.data();
        constexpr std::pair<int, int> passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}}, one_pass[] = {{0, 1}};
        for (const auto& [from, step] : frame_.interlaced ? std::span<const std::pair<int, int>>(passes) : one_pass)
            for (int y = from; y < frame_.height; y += step, row += width) work(y, row);
    }

private:
    static void close(GifFileType* gif) { DGifCloseFile(gif, nullptr); }

    void take_extension(Frame& frame) {
        int code = 0;
        GifByteType* block = nullptr;
        if (DGifGetExtension(gif_.get(), &code, &block) != GIF_OK) damaged_gif(gif_.get());
        GraphicsControlBlock control{};
        if (code == GRAPHICS_EXT_FUNC_CODE && block && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK) {
            frame.disposal = control.DisposalMode;
            frame.transparent = control.TransparentColor;
            frame.delay = control.DelayTime;
        }
        while (block) {
            if (DGifGetExtensionNext(gif_.get(), &block) != GIF_OK) damaged_gif(gif_.get());
        }
    }

    void check_plausible(const Frame& frame) {
        // A code of LZW gives at most 4,096 pixels for 12 bits.
        drawn_ += static_cast<std::uint64_t>(frame.width) * static_cast<std::uint64_t>(frame.height);
        const auto frames = static_cast<std::uint64_t>(count_);
        const std::uint64_t pixels = static_cast<std::uint64_t>(width_) * static_cast<std::uint64_t>(height_);
        const auto said = [&] {
            return std::to_string(frames) + (frames == 1 ? " frame" : " frames") + " of " + std::to_string(width_) + " x " +
                   std::to_string(height_) + " pixels and more";
        };
        if (drawn_ / 3000 > bytes_ || pixels / 3000 > bytes_)
            throw Problem{"says that it holds " + said() + ", which cannot come out of " + std::to_string(bytes_) + " bytes", again};
        // Each frame is a whole picture, however little of it is drawn.
        if (frames * pixels > pixels_at_any_rate + pixels_a_byte * bytes_)
            throw Problem{"shows " + said() + " out of " + std::to_string(bytes_) +
                              " bytes: frames are read whole, and these are more than 20,000 pixels for each of its bytes "
                              "and 64 Mi beside",
                          "make shorter films of it, or one on a smaller canvas, for instance by gifsicle"};
    }

    std::uint64_t bytes_ = 0, drawn_ = 0;
    std::unique_ptr<GifFileType, void (*)(GifFileType*)> gif_;
    Frame frame_;
    std::int64_t count_ = 0;
    int width_ = 0, height_ = 0;
    bool larger_ = false, cut_ = false;
};

class GifFile {
public:
    GifFile(const std::string& path, const Json& request) : path_(path), bytes_(request.at("bytes").get<std::uint64_t>()) {
        // Once through all frames, without keeping their colours: whether they are grey, and whether something is drawn on every
        // pixel.
        Frames frames(path_, bytes_);
        std::vector<unsigned char> drawn, before;   // the second of a frame's own pixels: a large canvas costs nothing a frame
        std::size_t holes = 0;
        while (frames.next()) {
            const Frame& frame = frames.frame();
            if (drawn.empty()) {
                width_ = frames.width(), height_ = frames.height();
                shortest_ = longest_ = frame.delay;
                drawn.resize(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_));
                holes = drawn.size();
            }
            before.clear();
            if (frame.disposal == DISPOSE_PREVIOUS) each_place(frame, [&](std::size_t at) { before.push_back(drawn[at]); });
            frames.each_row([&](int y, const unsigned char* row) {
                for (int x = 0; x < frame.width; ++x) {
                    const GifColorType& c = frame.colours[row[x]];
                    if (row[x] == frame.transparent) continue;
                    grey_ = grey_ && c.Red == c.Green && c.Green == c.Blue;
                    if (frame.left + x >= width_ || frame.top + y >= height_) continue;
                    unsigned char& one = drawn[place(frame.left + x, frame.top + y)];
                    if (one == 0) --holes;
                    one = 1;
                }
            });
            gaps_ = gaps_ || holes > 0;
            std::size_t next = 0;
            if (frame.disposal == DISPOSE_PREVIOUS || frame.disposal == DISPOSE_BACKGROUND)
                each_place(frame, [&](std::size_t at) {
                    const unsigned char then = before.empty() ? 0 : before[next++];
                    if (drawn[at] != 0 && then == 0) ++holes;
                    drawn[at] = then;
                });
            shortest_ = std::min(shortest_, frame.delay);
            longest_ = std::max(longest_, frame.delay);
            shown_ += frame.delay;
        }
        frames_ = frames.count();
        larger_ = frames.larger(), cut_ = frames.cut();
        if (frames_ == 0) throw Problem{"is a GIF without a picture", again};
    }

    Json description() const {
        Json axes = Json::array();
        if (frames_ > 1)
            axes.push_back({{"name", "t"}, {"size", frames_}});
        if (frames_ > 1 && shown_ > 0) axes.back()["spacing"] = static_cast<double>(shown_) / static_cast<double>(100 * frames_);
        axes.push_back({{"name", "y"}, {"size", height_}});
        axes.push_back({{"name", "x"}, {"size", width_}});
        if (!grey_) axes.push_back({{"name", "c"}, {"size", 3}});
        Json said{{"type", "u8"},
                  {"axes", axes},
                  {"page_axes", frames_ > 1 ? 1 : 0},
                  {"colour", grey_ ? "grey" : "rgb"},
                  {"detail", std::to_string(frames_) + (frames_ == 1 ? " frame" : " frames")}};
        // Hundredths of a second that take turns are a rate that whole ones do not have.
        if (longest_ - shortest_ > 1)
            said["warnings"].push_back("its frames are shown for times of different lengths, " + std::to_string(shortest_) +
                                       " to " + std::to_string(longest_) +
                                       " hundredths of a second: their mean is taken for all");
        if (larger_)
            said["warnings"].push_back(
                "its first frame lies beyond its screen: all of it is read, as Pillow and browsers show it");
        if (cut_) said["warnings"].push_back("what its frames draw beyond its screen is left out");
        if (gaps_) said["warnings"].push_back("pixels that its frames leave transparent are read as black");
        return said;
    }

    /// Frames are drawn one over the other, so that it goes on from the last that was read where it can.
    void read(std::int64_t first, std::int64_t count, void* to) {
        std::optional<Film> film = std::exchange(film_, std::nullopt);   // of a file that is damaged nothing is kept
        if (!film || film->frames.count() > first) film = Film{Frames(path_, bytes_), canvas()};
        auto* out = static_cast<unsigned char*>(to);
        while (film->frames.count() < first + count) {
            if (!film->frames.next() || film->frames.width() != width_ || film->frames.height() != height_)
                throw Problem{"is another film than when it was looked at", "do not write to a file while it is read"};
            const bool wanted = film->frames.count() > first;
            draw(*film, [&] {
                if (wanted) out = std::copy(film->canvas.begin(), film->canvas.end(), out);
            });
        }
        film_ = std::move(film);
    }

private:
    /// Its frames, and what is seen before the next of them is drawn.
    struct Film {
        Frames frames;
        std::vector<unsigned char> canvas;
    };

    std::size_t channels() const { return grey_ ? 1 : 3; }
    std::vector<unsigned char> canvas() const {
        return std::vector<unsigned char>(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * channels());
    }

    /// The frame that has come, and calls `show` before it is done with.
    template <class Show>
    void draw(Film& film, const Show& show) const {
        const Frame& frame = film.frames.frame();
        std::vector<unsigned char> before;
        if (frame.disposal == DISPOSE_PREVIOUS) before = film.canvas;
        film.frames.each_row([&](int y, const unsigned char* row) {
            for (int x = 0; x < frame.width; ++x) {
                const int cx = frame.left + x, cy = frame.top + y;
                if (row[x] == frame.transparent || cx >= width_ || cy >= height_) continue;
                const GifColorType& c = frame.colours[row[x]];
                unsigned char* at = film.canvas.data() + place(cx, cy) * channels();
                at[0] = c.Red;
                if (!grey_) at[1] = c.Green, at[2] = c.Blue;
            }
        });
        show();
        if (frame.disposal == DISPOSE_PREVIOUS) film.canvas = std::move(before);
        if (frame.disposal == DISPOSE_BACKGROUND)
            each_place(frame, [&](std::size_t at) {
                std::fill_n(film.canvas.begin() + static_cast<std::ptrdiff_t>(at * channels()), channels(), 0);
            });
    }

    std::size_t place(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
    }

    /// Calls `work` with the place of each pixel of a frame that lies on the canvas.
    template <class Work>
    void each_place(const Frame& frame, const Work& work) const {
        for (int y = frame.top; y < std::min(height_, frame.top + frame.height); ++y)
            for (int x = frame.left; x < std::min(width_, frame.left + frame.width); ++x) work(place(x, y));
    }

    std::string path_;
    std::uint64_t bytes_ = 0;
    int width_ = 0, height_ = 0;
    bool larger_ = false, cut_ = false, grey_ = true, gaps_ = false;
    std::int64_t frames_ = 0;
    int shortest_ = 0, longest_ = 0;   // hundredths of a second that a frame is shown
    std::int64_t shown_ = 0;           // all frames
    std::optional<Film> film_;
};

}   // namespace

int main() { return parallax::io::readers::serve<GifFile, parallax::io::readers::GifWriter>(); }
