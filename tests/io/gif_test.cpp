// GIFs made by hand: frames whose codes are not sound, and frames larger than their screen.
#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

using Codes = std::vector<unsigned>;
constexpr unsigned clear = 4, end = 5;   // of pixels of two bits

/// Codes as LZW packs them, the lowest bit first, wider as the strings become more.
std::string packed(const Codes& codes) {
    std::string bytes;
    std::uint64_t waiting = 0;
    unsigned bits = 0, width = 3, next = end;
    for (const unsigned code : codes) {
        waiting |= std::uint64_t{code} << bits;
        bits += width;
        for (; bits >= 8; bits -= 8, waiting >>= 8) bytes += static_cast<char>(waiting & 0xff);
        if (code == clear)
            width = 3, next = end;
        else if (++next >= 1u << width)
            ++width;
    }
    if (bits > 0) bytes += static_cast<char>(waiting);
    return bytes;
}

struct Frame {
    std::uint16_t left, width, height;
    std::string codes;
    bool interlaced = false;
};

/// Greys 0, 85, 170, 255.
std::string gif(std::uint16_t width, std::uint16_t height, const std::vector<Frame>& frames) {
    Bytes out;
    out.add_text("GIF89a").add(width).add(height).add_text(std::string("\x81\0\0", 3));
    for (int grey = 0; grey < 256; grey += 85) out.add_text(std::string(3, static_cast<char>(grey)));
    for (const Frame& frame : frames) {
        out.add_text(",").add(frame.left).add<std::uint16_t>(0).add(frame.width).add(frame.height);
        out.add<std::uint8_t>(frame.interlaced ? 0x40 : 0).add<std::uint8_t>(2);
        // Blocks of two bytes each: a code may go over their borders.
        for (std::size_t at = 0; at < frame.codes.size(); at += 2) {
            const std::string block = frame.codes.substr(at, 2);
            out.add(static_cast<std::uint8_t>(block.size())).add_text(block);
        }
        out.add<std::uint8_t>(0);
    }
    return out.add_text(";").text;
}

bool can_read_gif() {
    if (!host::program_beside("parallax-read-gif").empty()) return true;
    MESSAGE("skipped: the program that reads GIF is not built");
    return false;
}

}   // namespace

TEST_CASE("gif: a frame whose codes stand for nothing, end early or go on behind its pixels is damaged") {
    if (!can_read_gif()) return;
    const Folder folder;
    const fs::path path = folder / "a.gif";
    const std::vector<std::uint8_t> six = {85, 170, 85, 170, 85, 170};
    struct Row {
        Codes codes;
        const char* words;   ///< null: they are sound
    };
    for (const Row& row :
         {Row{{clear, 1, 2, 6, 6, end}, nullptr}, Row{{clear, 1, 2, 6, 6}, nullptr},   // some leave out the end
          Row{{1, 2, 6, 6, end}, nullptr},                                             // and some the beginning
          Row{{clear, 1, 2, 6, 6, clear, end}, nullptr}, Row{{clear, 1, 2, 1, clear, 2, 1, 2, end}, nullptr},
          Row{{clear, 1, 7, 6, 6, end}, "has a code for which nothing stands"},
          Row{{clear, 1, 2, 6, 9, end}, "has a code for which nothing stands"},
          Row{{clear, 6, 2, 6, 6, end}, "has a code for which nothing stands"},
          Row{{clear, 1, 2, 6, end}, "ends before its pixels do"}, Row{{clear, 1, 2, 6}, "ends before its pixels do"},
          Row{{clear, 1, 2, 6, 8, end}, "goes on behind its last pixel"},
          Row{{clear, 1, 2, 6, 6, 3, end}, "goes on behind its last pixel"}}) {
        CAPTURE(packed(row.codes));
        put(path, gif(3, 2, {{0, 3, 2, packed(row.codes)}}));
        if (row.words == nullptr) {
            CHECK(values_of<std::uint8_t>(io::read(path)) == six);
            continue;
        }
        const IoError error = io_error(path, [&] { io::read(path); });
        CHECK(error.problem == std::string("is a damaged GIF: a frame of it ") + row.words);
    }
    // A string that is made of itself: 1, then 1 1, then 1 1 1.
    put(path, gif(3, 2, {{0, 3, 2, packed({clear, 1, 6, 7, end})}}));
    CHECK(values_of<std::uint8_t>(io::read(path)) == std::vector<std::uint8_t>(6, 85));
    put(path, gif(1, 5, {{0, 1, 5, packed({clear, 0, 1, 2, 3, 1, end}), true}}));   // rows 0, 4, 2, 1, 3
    CHECK(values_of<std::uint8_t>(io::read(path)) == std::vector<std::uint8_t>{0, 255, 170, 85, 85});
}

TEST_CASE("gif: a frame larger than its screen is read whole where it is the first, and cut else, and it is told") {
    if (!can_read_gif()) return;
    const Folder folder;
    const fs::path path = folder / "a.gif";
    const std::string four = packed({clear, 0, 1, 2, 3, end});
    put(path, gif(1, 1, {{0, 4, 1, four}}));
    CHECK(values_of<std::uint8_t>(io::read(path)) == std::vector<std::uint8_t>{0, 85, 170, 255});
    CHECK(told_of(io::info(path)) == "its first frame lies beyond its screen: all of it is read, as Pillow and browsers show it");
    put(path, gif(4, 1, {{0, 4, 1, four}, {2, 4, 1, four}}));
    CHECK(values_of<std::uint8_t>(io::read(path)) == std::vector<std::uint8_t>{0, 85, 170, 255, 0, 85, 0, 85});
    CHECK(told_of(io::info(path)) == "what its frames draw beyond its screen is left out");
}

TEST_CASE("gif: a file that is cut off anywhere before its end is told with a reason") {
    if (!can_read_gif()) return;
    const Folder folder;
    const fs::path path = folder / "a.gif";
    const std::string whole = gif(3, 2, {{0, 3, 2, packed({clear, 1, 2, 6, 6, end})}});
    for (std::size_t cut = 6; cut + 1 < whole.size(); ++cut) {   // within its mark it is none
        CAPTURE(cut);
        put(path, whole.substr(0, cut));
        const std::string problem = io_error(path, [&] { io::info(path); }).problem;
        CAPTURE(problem);
        CHECK(problem.starts_with("is a damaged GIF: "));
        CHECK(problem.size() > std::string("is a damaged GIF: ").size());
    }
}
