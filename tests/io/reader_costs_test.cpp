// What files cost that programs of their own read: refused where they would cost out of proportion, read where they only look so.
#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "io/bytes.hpp"
#include "support.hpp"
#include "support/helper.hpp"
#include "support/sanitizers.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

bool can_read(const char* name) {
    const bool can = !host::program_beside(std::string("parallax-read-") + name).empty();
    if (!can) MESSAGE("not tried: the program that reads ", name, " is not built");
    return can;
}

/// A frame, a square of one colour at the corner, without packing: codes of eight bits, forgotten before there are too many.
std::string gif_frame(std::uint16_t side) {
    Bytes frame;
    frame.add_text(std::string("!\xf9\4\0\4\0\0\0,\0\0\0\0", 13));
    frame.add(side).add(side).add_text(std::string("\0\7", 2));
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

/// HDF5 files in chunks (chunks.c); false: HDF5 is not built in.
bool make_chunks(const Folder& folder) {
    const std::string maker = host::program_beside("make_chunks");
    if (maker.empty() || !can_read("hdf5")) return false;
    REQUIRE(std::system(("'" + maker + "' '" + folder.path().string() + "'").c_str()) == 0);
    return true;
}

/// What a reader answers with so many MiB of addresses, the beginning of it.
std::string answers(const char* name, const std::string& requests, int mib, const Folder& folder, int most = 4096) {
    put(folder / "requests", requests);
    const std::string command = "ulimit -v " + std::to_string(mib * 1024) + "; '" +
                                host::program_beside(std::string("parallax-read-") + name) + "' < '" +
                                (folder / "requests").string() + "' | head -c " + std::to_string(most) + " > '" +
                                (folder / "said").string() + "'";
    REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(folder / "said", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A variable of MATLAB's version 5, of one column; `inside`: how many bytes of others stand in it behind `values`.
std::string mat_variable(std::uint32_t kind, std::uint32_t rows, char name, const std::string& values, std::size_t inside = 0) {
    const std::uint32_t length = static_cast<std::uint32_t>(40 + values.size() + inside), letter = static_cast<unsigned char>(name);
    return Bytes{}.add_all<std::uint32_t>({14, length, 6, 8, kind, 0, 5, 8, rows, 1, 0x10001, letter}).add_text(values).text;
}

std::string mat_packed(const std::string& variable) {
    uLongf length = compressBound(static_cast<uLong>(variable.size()));
    std::string packed(length, '\0');
    REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(variable.data()),
                     static_cast<uLong>(variable.size())) == Z_OK);
    packed.resize(length);
    return Bytes{}.add_all<std::uint32_t>({15, static_cast<std::uint32_t>(length)}).add_text(packed).text;
}

}   // namespace

TEST_CASE("costs: an HDF5 file of many small chunks is read a few of them at a time") {
    const Folder folder;
    if (!make_chunks(folder)) return;
    const auto places = [](std::size_t first, std::size_t count) {
        std::vector<std::uint8_t> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::uint8_t>((first + i) % 251);
        return all;
    };
    CHECK((values_of<std::uint8_t>(io::read(folder / "many.h5")) == places(0, 1600000)));
    // Chunks that do not begin where the pages do that are asked for, and reach beyond the dataset.
    constexpr std::size_t page = 3001 * 7;
    CHECK((values_of<std::uint8_t>(io::read(folder / "odd.h5")) == places(0, 5 * page)));
    CHECK((values_of<std::uint8_t>(io::read(folder / "odd.h5", {.pages = {{1, 4}}})) == places(page, 3 * page)));
    CHECK((values_of<std::uint8_t>(io::read(folder / "odd.h5", {.pages = {{4, 5}}})) == places(4 * page, page)));
    // Packed bytes of more than a chunk, and of less; and names that are packed as elements are.
    for (const char* const name : {"bomb.h5", "short.h5"}) {
        CAPTURE(name);
        CHECK(io_error(folder / name, [&] { io::read(folder / name); }).problem.find("its chunk at (0, 0) ") != std::string::npos);
    }
    CHECK((values_of<std::uint8_t>(io::read(folder / "names.h5")) == places(0, 64)));
    CHECK((values_of<std::uint8_t>(io::read(folder / "ends.h5")) == places(0, 70)));
    const std::vector<std::uint32_t> turned = values_of<std::uint32_t>(io::read(folder / "turned.h5"));
    CHECK((std::vector<std::uint8_t>(turned.begin(), turned.end()) == places(0, 70)));
    CHECK(told_of(io::info(folder / "few.h5")) ==
          "99000 of its 100000 chunks are not there: they are filled with 18446744073709551615");
}

#if defined(__linux__) && !PARALLAX_ADDRESS_SANITIZER && !PARALLAX_THREAD_SANITIZER   // whose own addresses are terabytes
TEST_CASE("costs: HDF5 says where memory is what it has too little of, and calls the file not damaged") {
    const Folder folder;
    if (!make_chunks(folder)) return;
    const auto open = [&](const char* name) {
        const fs::path path = folder / name;
        return R"({"open": ")" + path.string() + R"(", "dataset": "", "bytes": )" + std::to_string(fs::file_size(path)) + "}\n";
    };
    // Room for the elements, and none for the chunk that they are unpacked into.
    const std::string large = answers("hdf5", open("large.h5") + R"({"read": [0, 1], "bytes": 67108864})" "\n", 150, folder);
    CHECK_MESSAGE(large.find("cannot be read in the memory") != std::string::npos, large);
    CHECK_MESSAGE(large.find("damaged") == std::string::npos, large);
    // The library's 6 KB for each chunk would be more than a GB.
    const std::string many = answers("hdf5", open("many.h5") + R"({"read": [0, 1], "bytes": 1600000})" "\n", 150, folder);
    CHECK_MESSAGE(many.find("\"ok\":1600000") != std::string::npos, many.substr(0, 400));
    // 64 KB that unpack to a thousand times as many.
    const std::string bomb = answers("hdf5", open("bomb.h5") + R"({"read": [0, 1], "bytes": 64})" "\n", 100, folder);
    CHECK_MESSAGE(bomb.find("damaged") != std::string::npos, bomb);
    CHECK_MESSAGE(bomb.find("in the memory") == std::string::npos, bomb);
}

TEST_CASE("costs: HDF5's datasets are listed at the file's own length, whatever their types and paths come to together") {
    const Folder folder;
    if (!make_chunks(folder)) return;
    struct Row {
        const char *file, *first, *words, *which;   ///< the first of the datasets, what is said of them, and how to say which
    };
    const Row rows[] = {
        {"enum.h5", "the dataset /d0 (i16 2 x 2)", "types of elements are so long that only ",
         R"(\"dataset\": \"/d0\"")"},
        {"deep.h5", "xxx/d0 (u8 2 x 2)", "holds 501 datasets of numbers: /xxx", R"(/d0\" (its whole path by h5ls -r))"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.file));
        const fs::path path = folder / row.file;
        const auto open = [&](const char* dataset) {
            return R"({"open": ")" + path.string() + R"(", "dataset": ")" + dataset + R"(", "bytes": )" +
                   std::to_string(fs::file_size(path)) + "}\n";
        };
        const std::string named = answers("hdf5", open("z") + R"({"read": [0, 1], "bytes": 9})" "\n", 150, folder, 1 << 16);
        CHECK_MESSAGE(named.find("\"ok\":9}") != std::string::npos, named);
        CHECK_MESSAGE(named.find(row.first) != std::string::npos, named);
        CHECK(named.size() < 20000);
        const std::string none = answers("hdf5", open(""), 150, folder, 1 << 16);
        CHECK_MESSAGE(none.find(row.words) != std::string::npos, none);
        CHECK_MESSAGE(none.find(row.which) != std::string::npos, none);
        CHECK(none.size() < 20000);
    }
}

TEST_CASE("costs: what a cell array of MATLAB's holds is not looked at, many cells or one in the other, packed or not") {
    if (!can_read("mat")) return;
    const Folder folder;
    constexpr std::uint32_t cell = 1, f64 = 6;
    const std::string number = mat_variable(f64, 1, 'v', Bytes{}.add_all<std::uint32_t>({9, 8}).add(1.5).text);
    std::string many, deep;
    for (const std::string one = mat_variable(f64, 0, 'e', {}); many.size() < 1000000 * one.size();) many += one;
    constexpr std::size_t levels = 12000, head = 48;
    for (std::size_t level = 0; level < levels; ++level)
        deep += mat_variable(cell, 1, 'c', {}, (levels - 1 - level) * head + number.size());
    for (const std::string& cells : {mat_variable(cell, 1000000, 'c', many), deep + number,
                                     mat_variable(cell, 1000000, 'c', std::string(8000000, '\0'))}) {
        for (const bool packed : {false, true}) {
            CAPTURE(cells.size());
            CAPTURE(packed);
            const fs::path path = folder / "a.mat";
            put(path, Bytes{}.add_text("MATLAB 5.0 MAT-file").pad_to(124).add<std::uint16_t>(0x100).add<std::uint16_t>(0x4d49).text +
                          (packed ? mat_packed(cells) : cells) + number);
            const std::string open = R"({"open": ")" + path.string() + R"(", "dataset": "v", "bytes": )" +
                                     std::to_string(fs::file_size(path)) + "}\n";
            const std::string said = answers("mat", open + R"({"read": [0, 1], "bytes": 8})" "\n", 150, folder);
            CHECK_MESSAGE(said.find("\"ok\":8}") != std::string::npos, said);
            CHECK_MESSAGE(said.find("the variable c (a cell array ") != std::string::npos, said);
        }
    }
}
#endif

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
