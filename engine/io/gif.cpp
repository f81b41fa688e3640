// GIF by giflib, in a program of its own: its frames as they are shown, one after the other.
#include <fmt/format.h>

#include <cmath>

#include "io/picture/picture.hpp"
#include "io/reader_file.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::gif {
namespace {

constexpr ReaderOf reader_of_gif = {"gif", "a GIF", "libgif-dev", true};
constexpr picture::Kind gif_kind = {"GIF", true};
constexpr std::int64_t most_a_side = 65535;

}   // namespace

bool matches(Head head) { return head.size() >= 6 && std::memcmp(head.data(), "GIF8", 4) == 0; }

FileInfo info(const Source& source) { return reader_info(source, reader_of_gif); }

HostArray read(const Source& source) { return reader_read(source, reader_of_gif); }

std::string refusal(const ArrayDesc& desc, const WriteOptions& options) {
    if (std::string why = why_not_written(reader_of_gif); !why.empty()) return why;
    if (desc.size('x') > most_a_side || desc.size('y') > most_a_side)
        return fmt::format("GIF holds at most {} rows and columns, this is {}", most_a_side, desc.describe());
    std::string why = picture::problem(desc, options, gif_kind);
    // Times of two bytes, in hundredths of a second.
    return why.empty() ? picture::pace_problem(desc, options, gif_kind, 655.35) : why;
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& given, const WriteOptions& options) {
    const HostArray array = picture::make(given, options, gif_kind);
    if (array.desc.size('x') > most_a_side || array.desc.size('y') > most_a_side)
        throw IoError(
            name,
            fmt::format("would be a GIF of {}, which holds at most {} rows and columns", array.desc.describe(), most_a_side),
            "write a .png file");
    // A frame has whole hundredths of a second. Of two and more they are chosen so that the film keeps its pace; shorter frames
    // are alike, since browsers show one of a hundredth for a tenth of a second.
    const double hundredths = 100 / picture::frame_rate(given.desc, options);
    write_by_reader(path, name, array, reader_of_gif,   // of one frame, which is shown for ever, any time will do
                    {{"delay", std::clamp(hundredths < 2 ? std::round(hundredths) : hundredths, 1.0, 65535.0)}});
}

}   // namespace parallax::io::gif
