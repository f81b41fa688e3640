// What files cost that programs of their own read: refused where they would cost out of proportion, and read where they only look so.
#include "io/bytes.hpp"
#include "support.hpp"
#include "support/helper.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

bool can_read(const char* name) {
    const bool can = !host::program_beside(std::string("parallax-read-") + name).empty();
    if (!can) MESSAGE("not tried: the program that reads ", name, " is not built");
    return can;
}

/// One frame, a square of one colour at the corner, without packing: codes of eight bits, all forgotten before there are too many.
std::string gif_frame(std::uint16_t side) {
    Bytes frame;
    frame.add_text(std::string("!\xf9\4\0\4\0\0\0,\0\0\0\0", 13)).add(side).add(side).add_text(std::string("\0\7", 2));
    std::string codes;
    for (int i = 0; i < side * side; ++i) codes += i % 100 == 0 ? "\x80\1" : "\1";
    codes += '\x81';
    for (std::size_t at = 0; at < codes.size(); at += 255) {
        const std::string block = codes.substr(at, 255);
        frame.add(static_cast<std::uint8_t>(block.size())).add_text(block);
    }
    return frame.text + '\0';
}

std::string gif(std::uint16_t width, std::uint16_t height, std::uint16_t first, std::uint16_t others, int count) {
    Bytes file;
    file.add_text("GIF89a").add(width).add(height).add_text(std::string("\xf6\0\0", 3)).pad_to(13 + 3 * 128);
    std::string frames = gif_frame(first);
    for (const std::string next = gif_frame(others); count > 0; --count) frames += next;
    return file.text + frames + ";";
}

}   // namespace

TEST_CASE("costs: a GIF is refused that shows far more of its canvas than its bytes can draw, and a film of a screen is read") {
    if (!can_read("gif")) return;
    const Folder folder;
    put(folder / "a.gif", gif(1000, 1000, 1, 1, 1000));
    const IoError error = io_error(folder / "a.gif", [&] { io::info(folder / "a.gif"); });
    CHECK(error.problem.find("frames of 1000 x 1000 pixels and more out of") != std::string::npos);
    CHECK(error.hint.find("smaller canvas") != std::string::npos);
    // A minute of ten frames a second in which little happens; and a short one, of fewer bytes than a frame has pixels.
    put(folder / "b.gif", gif(1920, 1080, 200, 9, 600));
    CHECK(io::info(folder / "b.gif").desc.describe() == "u8 601 x 1080 x 1920 (t, y, x)");
    put(folder / "c.gif", gif(200, 200, 20, 1, 500));
    const HostArray film = io::read(folder / "c.gif");
    CHECK(film.desc.describe() == "u8 501 x 200 x 200 (t, y, x)");
}
