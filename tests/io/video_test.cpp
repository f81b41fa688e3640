// Films: what a damaged one, or one of unlike frames, ends in.
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("videos: a damaged one is refused, whatever of it can be decoded") {
    const Folder folder;
    const HostArray film = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 30}, {'y', 64}, {'x', 96}}));
    try {
        io::write(folder / "a.mp4", film);
    } catch (const IoError& error) {
        MESSAGE("skipped: " << error.problem);
        return;
    }
    CHECK(io::info(folder / "a.mp4").desc.size('t') == 30);
    const std::string whole = get(folder / "a.mp4");
    const std::size_t begin = whole.find("mdat"), end = whole.size();
    REQUIRE(begin != std::string::npos);
    int refused = 0, tried = 0;
    for (std::size_t at = begin + 400; at + 4 < end; at += (end - begin) / 12) {   // behind what the encoder says of itself
        std::string bytes = whole;
        for (std::size_t i = 0; i < 8 && at + i < end; ++i) bytes[at + i] = static_cast<char>(~bytes[at + i]);
        put(folder / "b.mp4", bytes);
        ++tried;
        try {
            io::read(folder / "b.mp4");
        } catch (const IoError& error) {
            ++refused;
            CHECK_FALSE(error.hint.empty());
        }
    }
    MESSAGE(refused << " of " << tried << " refused; what no decoder notices is no sign");
    CHECK(refused > tried / 3);
    put(folder / "b.mp4", whole.substr(0, whole.size() * 3 / 4));
    CHECK_THROWS_AS(io::read(folder / "b.mp4"), IoError);
}

TEST_CASE("videos: frames of another size, or stored otherwise, are refused, and told which they are") {
    const Folder folder;
    // An AVI whose frames are JPEGs.
    const auto chunk = [](const char* name, std::string bytes) {
        if (bytes.size() % 2 != 0) bytes += '\0';
        return Bytes{name}.add(static_cast<std::uint32_t>(bytes.size())).add_text(bytes).text;
    };
    const auto avi = [&](const std::vector<std::string>& frames) {
        const auto count = static_cast<std::uint32_t>(frames.size());
        Bytes head, stream, format;
        head.add_all<std::uint32_t>({100000, 0, 0, 0, count, 0, 1, 0, 16, 8, 0, 0, 0, 0});
        stream.add_text("vidsMJPG").add_all<std::uint32_t>({0, 0, 0, 1, 10, 0, count, 0, 0, 0, 0, 0});
        format.add_all<std::uint32_t>({40, 16, 8, 1 | 24 << 16}).add_text("MJPG").add_all<std::uint32_t>({384, 0, 0, 0, 0});
        std::string movi = "movi";
        for (const std::string& frame : frames) movi += chunk("00dc", frame);
        const std::string streams = "strl" + chunk("strh", stream.text) + chunk("strf", format.text);
        const std::string hdrl = "hdrl" + chunk("avih", head.text) + chunk("LIST", streams);
        return chunk("RIFF", "AVI " + chunk("LIST", hdrl) + chunk("LIST", movi));
    };
    const auto jpeg = [&](const char* name, std::int64_t width) {
        io::write(folder / name, pattern(ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', width}})));
        return get(folder / name);
    };
    const std::string grey = jpeg("wide.jpg", 16), small = jpeg("small.jpg", 8);
    put(folder / "a.avi", avi({grey, grey, grey}));
    try {
        CHECK(io::read(folder / "a.avi").desc.describe() == "u8 3 x 8 x 16 (t, y, x)");
    } catch (const IoError& error) {
        MESSAGE("skipped: " << error.problem);
        return;
    }
    const auto problem = [&](const std::vector<std::string>& frames) {
        put(folder / "b.avi", avi(frames));
        return io_error(folder / "b.avi", [&] { io::info(folder / "b.avi"); }).problem;
    };
    CHECK(problem({grey, small, grey}) == "changes the size of its pictures at frame 1, from 16 x 8 to 8 x 8");
    CHECK(problem({grey, grey, small_jpeg()}).starts_with("changes how its pixels are stored at frame 2, from gray to yuv"));
    CHECK(problem({small_jpeg(), grey}).ends_with(" to gray"));
}
