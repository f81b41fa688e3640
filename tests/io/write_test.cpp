// Outputs appear complete or not at all; pictures, tables, hashes and combinations.
#include <cmath>
#include <thread>

#include "io/window.hpp"
#include "support.hpp"
#include "support/helper.hpp"

#if defined(__unix__)
#include <sys/resource.h>

#include <csignal>
#endif

using namespace parallax;
using namespace parallax::tests;

namespace {

const ArrayDesc small = ArrayDesc::dense(ElementType::f32, {{'y', 2}, {'x', 3}});

HostArray row(const std::vector<float>& values) {
    return array_of(ArrayDesc::dense(ElementType::f32, {{'y', 1}, {'x', static_cast<std::int64_t>(values.size())}}), values);
}

}  // namespace

TEST_CASE("existing files stay as they are unless asked otherwise") {
    const Folder folder;
    for (const char* name : {"a.png", "a.tif", "a.npy", "a.nii", "a.nii.gz"}) {
        CAPTURE(std::string(name));
        put(folder / name, "precious");
        const IoError error = io_error(folder / name, [&] { io::write(folder / name, pattern(small)); });
        CHECK(error.problem == "exists already");
        CHECK(get(folder / name) == "precious");
        io::write(folder / name, pattern(small), {.overwrite = true});
        CHECK(get(folder / name) != "precious");
        fs::remove(folder / name);
        CHECK(folder.entries() == 0);
    }
}

TEST_CASE("a failing write leaves nothing behind, not even the folders that it made") {
    const Folder folder;
    put(folder / "a.txt", "precious");
    const auto failing = [](const fs::path& temporary) {
        put(temporary, "half of i");
        throw IoError("a.txt", "something happened");
    };
    CHECK_THROWS_AS(io::write_atomically(folder / "a.txt", true, failing), IoError);
    CHECK(get(folder / "a.txt") == "precious");
    CHECK_THROWS_AS(io::write_atomically(folder / "new" / "deeper" / "a.txt", false, failing), IoError);
    CHECK(folder.entries() == 1);
    io::write_atomically(folder / "new" / "deeper" / "a.txt", false, [](const fs::path& temporary) { put(temporary, "whole"); });
    CHECK(get(folder / "new" / "deeper" / "a.txt") == "whole");
    CHECK(folder.entries() == 4);
    // Somebody else's file that appears meanwhile wins.
    const IoError error = io_error(folder / "b.txt", [&] {
        io::write_atomically(folder / "b.txt", false, [&](const fs::path& temporary) {
            put(temporary, "mine");
            put(folder / "b.txt", "theirs");
        });
    });
    CHECK(error.problem == "appeared while it was being written");
    CHECK(get(folder / "b.txt") == "theirs");
    CHECK(folder.entries() == 5);
}

TEST_CASE("of several writers of one name, one wins") {
    const Folder folder;
    std::vector<std::thread> threads;
    std::vector<int> won(8);
    for (std::size_t i = 0; i < won.size(); ++i) {
        threads.emplace_back([&, i] {
            try {
                io::write(folder / "a.npy", pattern(small));
                won[i] = 1;
            } catch (const IoError&) {
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(std::count(won.begin(), won.end(), 1) == 1);
    CHECK(folder.entries() == 1);
    CHECK(same_elements(io::read(folder / "a.npy"), pattern(small)));
}

#if defined(__unix__)
TEST_CASE("a full disk is noticed by every writer") {
    // The limit of a file's size stands for the end of the disk; without a handler the signal would end the program.
    const Folder folder;
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const HostArray noise = pattern(ArrayDesc::dense(ElementType::u16, {{'t', 4}, {'y', 128}, {'x', 128}}));
    HostArray picture = noise, bytes = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 512}, {'x', 256}}));
    picture.desc = ArrayDesc::dense(ElementType::u16, {{'y', 512}, {'x', 128}});
    std::memcpy(bytes.data(), noise.data(), bytes.desc.dense_bytes());
    std::vector<std::string> names{"a.png",  "a.tif", "a.npy",  "a.nii", "a.nii.gz", "a.nrrd",
                                   "a.mha", "a.zarr", "a.jpg", "a.csv", "a.json"};
    for (const char* by_program : {"a.h5", "a.gif", "a.mp4"})   // of one frame, whose index is all that is written at the end
        try {
            io::check_writable(folder / by_program, bytes.desc);
            names.emplace_back(by_program);
        } catch (const IoError&) {   // the program is not there
        }
    for (const rlim_t room : {rlim_t{0}, rlim_t{1000}, rlim_t{100000}, rlim_t{131072}}) {
        for (const std::string& name : names) {
            CAPTURE(name);
            CAPTURE(room);
            const bool is_short =
                name == "a.jpg" || name == "a.gif" || name == "a.mp4" || name == "a.zarr";   // packed, or in pieces
            if (room > 20000 && is_short) continue;
            const std::string extension = fs::path(name).extension().string();
            const std::vector<std::vector<Json>> rows(20000, {1.5, "text and more text"});
            const rlimit limit{room, before.rlim_max};
            setrlimit(RLIMIT_FSIZE, &limit);
            std::string problem, hint;
            try {
                if (extension == ".csv")
                    io::write_csv(folder / name, {"a", "b"}, rows, false);
                else if (extension == ".json")
                    io::write_json(folder / name, Json(rows), false);
                else
                    io::write(folder / name, extension == ".png" ? picture : is_short || extension == ".h5" ? bytes : noise);
            } catch (const IoError& error) {
                problem = error.problem;
                hint = error.hint;
            }
            setrlimit(RLIMIT_FSIZE, &before);
            CHECK(problem.find("cannot be written") != std::string::npos);
            // The disk has room, and --limit output=SIZE sets the same limit.
            if (problem.find("too large") != std::string::npos) CHECK(hint.find("--limit output") != std::string::npos);
            if (extension == ".npy" || extension == ".csv") CHECK(problem.find("too large") != std::string::npos);
            CHECK(folder.entries() == 0);
        }
    }
    std::signal(SIGXFSZ, handler);
}
#endif

TEST_CASE("what cannot be written is refused before the work") {
    struct Row {
        const char* name;
        ArrayDesc desc;
        io::WriteOptions options;
        const char* problem;
    };
    const ArrayDesc complex = small.with_type(ElementType::c64),
                    volume = ArrayDesc::dense(ElementType::f32, {{'z', 3}, {'y', 4}, {'x', 5}});
    const auto of = [](std::vector<ArrayDesc::Extent> extents) { return ArrayDesc::dense(ElementType::u8, extents); };
    const ArrayDesc across = of({{'t', 2}, {'x', 90}, {'z', 90}}).with_unit("um");
    const ArrayDesc five = ArrayDesc::dense(ElementType::u8, {{'n', 2}, {'t', 2}, {'z', 2}, {'y', 2}, {'x', 2}});
    const Row rows[] = {
        {"a.xyz", small, {}, "no format that is known"},
        {"a", small, {}, "no format that is known"},
        {"a.mgz", small, {}, "only read"},
        {"a.bmp", small, {}, "only read"},
        {"a.png", complex, {}, "complex"},
        {"a.tif", complex, {}, "complex"},
        {"a.nii", complex, {}, "complex"},
        {"a.png", volume, {}, "one picture"},
        {"a.png", ArrayDesc::dense(ElementType::u8, {}), {}, "one picture"},
        {"a.png", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}, {'c', 5}}), {}, "up to 4 channels"},
        {"a.tif", ArrayDesc::dense(ElementType::u8, {{'n', 2}, {'t', 2}, {'y', 2}, {'x', 2}}), {}, "of t, z and c each once"},
        {"a.tif", ArrayDesc::dense(ElementType::u8, {{'c', 2}, {'y', 2}, {'x', 2}, {'c', 2}}), {}, "of t, z and c each once"},
        {"a.tif", of({{'y', 8}, {'x', 2}, {'z', 4}}), {}, "would be pages"},
        {"a.tif", of({{'y', 8}, {'x', 2}, {'t', 4}}), {}, "would be pages"},
        {"a.tif", of({{'y', 8}, {'z', 2}, {'x', 4}}), {}, "would be pages"},
        {"a.tif", of({{'y', 1}, {'x', 2}, {'z', 4}}), {}, "would be pages"},
        {"a.tif", of({{'x', 1}, {'z', 2}, {'t', 4}}), {}, "would be pages"},
        {"a.tif", of({{'y', 4}, {'x', 2}, {'z', 3}, {'c', 3}}), {}, "would be pages"},
        {"a.tif", of({{'t', 2}, {'y', 4}, {'x', 2}, {'z', 3}}), {}, "would be pages"},
        {"a.ome.tif", of({{'y', 8}, {'x', 2}, {'z', 4}}), {}, "would be pages"},
        {"a.tif", of({{'z', 8}, {'y', 2}, {'t', 4}}), {}, "whose times would be rows or columns"},
        {"a.tif", of({{'z', 8}, {'x', 2}, {'t', 4}}), {}, "whose times would be rows or columns"},
        {"a.tif", of({{'z', 8}, {'t', 2}, {'y', 4}}), {}, "whose times would be rows or columns"},
        {"a.tif", of({{'z', 8}, {'t', 2}, {'x', 4}}), {}, "whose times would be rows or columns"},
        {"a.tif", of({{'z', 1}, {'y', 2}, {'t', 4}, {'c', 3}}), {}, "whose times would be rows or columns"},
        {"a.png", of({{'z', 8}, {'y', 2}, {'t', 4}}), {.montage = 0}, "whose times would be rows or columns"},
        {"a.png", of({{'y', 1}, {'x', 2}, {'z', 4}}), {}, "would be frames"},
        {"a.png", of({{'y', 8}, {'x', 2}, {'z', 4}}), {.montage = 0}, "would be frames"},
        {"a.jpg", of({{'y', 1}, {'z', 2}, {'x', 4}}), {}, "would be frames"},
        {"a.png", across, {.scale_bar = 0, .montage = 0}, "not along the columns"},
        {"a.ome.tif", of({{'z', 8}, {'x', 4}}), {}, "rows (y) of columns (x)"},
        {"a.ome.tif", of({{'t', 2}, {'z', 8}, {'y', 4}}), {}, "rows (y) of columns (x)"},
        {"a.ome.tif", of({{'y', 8}}), {}, "rows (y) of columns (x)"},
        {"a.ome.tif", small.with_type(ElementType::u64), {}, "no word for elements of u64"},
        {"a.OME.TIFF", small.with_type(ElementType::i64), {}, "no word for elements of i64"},
        {"a.nii.gz", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}, {'c', 3}}), {}, "without channels"},
        {"a.nii", five, {}, "up to 4 axes"},
        {"a.nii", ArrayDesc::dense(ElementType::u8, {}), {}, "not single numbers"},
        {"a.npy", ArrayDesc::dense(ElementType::u8, {{'y', 0}, {'x', 2}}), {}, "no elements"},
        {"a.png", small, {.window = {{3, 3}}}, "no range"},
        {"a.png", small, {.window = {{0, std::numeric_limits<double>::quiet_NaN()}}}, "no range"},
        {"a.png", small, {.window_percentile = {{1, 101}}}, "no range"},
        {"a.png", small, {.window = {{0, 1}}, .window_percentile = {{1, 99}}}, "choose one"},
        {"a.png", small, {.png_bits = 12}, "8 or 16 bits"},
        {"a.tif", small, {.window = {{0, 1}}}, "for .png"},
        {"a.tif", small, {.colour_map = "magma"}, "for .png"},
        {"a.gif", small, {.montage = 0}, "for .png and .jpg"},
        {"a.jpg", complex, {}, "complex"},
        {"a.jpg", volume, {}, "one picture"},
        {"a.jpg", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}, {'c', 4}}), {}, "has 4 channels"},
        {"a.jpg", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 70000}}), {}, "at most 65500"},
        {"a.png", small, {.scale_bar = 0}, "size of a pixel"},
        {"a.png", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}, {'c', 3}}), {.colour_map = "magma"}, "colours already"},
        {"a.png", ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}, {'c', 3}}), {.colour_bar = true}, "has colours"},
        {"a.png", small, {.png_bits = 16, .colour_map = "magma"}, "greys alone"},
        {"taken.npy", small, {}, "exists already"},
        {"folder.npy", small, {.overwrite = true}, "is a folder"},
        {"taken.npy/a.npy", small, {}, "is a file, not a folder"},
        {"", small, {}, "known"},
    };
    const Folder folder;
    put(folder / "taken.npy", "precious");
    fs::create_directory(folder / "folder.npy");
    for (const Row& r : rows) {
        CAPTURE(std::string(r.name));
        const fs::path path = folder / r.name;
        const IoError checked = io_error(path, [&] { io::check_writable(path, r.desc, r.options); });
        CAPTURE(checked.problem);
        CHECK(checked.problem.find(r.problem) != std::string::npos);
        CHECK_FALSE(checked.hint.empty());
        io_error(path, [&] { io::write(path, HostArray::make(r.desc), r.options); });
        CHECK(folder.entries() == 2);
    }
    io::check_writable(folder / "new" / "a.npy", five);
    io::check_writable(folder / "a.npy", complex);
    io::check_target(folder / "a.csv", false);
    CHECK(folder.entries() == 2);
}

TEST_CASE("rows and columns of one index, and planes along any two axes, are written as they stand") {
    const Folder folder;
    struct Row {
        const char* name;
        std::vector<ArrayDesc::Extent> extents;
        const char* back;
    };
    for (const Row& row : {Row{"a.tif", {{'z', 4}, {'y', 1}, {'x', 8}}, "u8 4 x 1 x 8 (z, y, x)"},
                           {"a.tif", {{'z', 4}, {'y', 8}, {'x', 1}}, "u8 4 x 8 x 1 (z, y, x)"},
                           {"a.tif", {{'t', 1}, {'z', 4}, {'y', 1}, {'x', 1}}, "u8 4 x 1 x 1 (z, y, x)"},
                           {"a.tif", {{'c', 3}, {'y', 1}, {'x', 8}}, "u8 3 x 1 x 8 (c, y, x)"},
                           {"a.tif", {{'z', 4}, {'x', 8}}, "u8 4 x 8 (y, x)"},
                           {"a.tif", {{'y', 4}, {'t', 8}}, "u8 4 x 8 (y, x)"},
                           {"a.tif", {{'t', 2}, {'z', 4}, {'y', 8}}, "u8 2 x 4 x 8 (t, y, x)"},
                           {"a.ome.tif", {{'z', 4}, {'y', 1}, {'x', 8}}, "u8 4 x 1 x 8 (z, y, x)"},
                           {"a.ome.tif", {{'z', 4}, {'y', 8}, {'x', 1}}, "u8 4 x 8 x 1 (z, y, x)"},
                           {"a.ome.tif", {{'x', 8}}, "u8 1 x 8 (y, x)"},
                           {"a.ome.tif", {{'x', 8}, {'c', 3}}, "u8 1 x 8 x 3 (y, x, c)"},
                           {"a.png", {{'y', 1}, {'x', 8}, {'c', 3}}, "u8 1 x 8 x 3 (y, x, c)"},
                           {"a.png", {{'z', 4}, {'x', 8}}, "u8 4 x 8 (y, x)"}}) {
        CAPTURE(row.back);
        const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, row.extents));
        io::write(folder / row.name, array, {.overwrite = true});
        const HostArray back = io::read(folder / row.name);
        CHECK(back.desc.describe() == row.back);
        CHECK(same_elements(back, array));
    }
}

TEST_CASE("values become greys through a window") {
    const Folder folder;
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    const auto greys = [&](const HostArray& array, const io::WriteOptions& options) {
        io::WriteOptions all = options;
        all.overwrite = true;
        io::write(folder / "a.png", array, all);
        return values_of<std::uint8_t>(io::read(folder / "a.png"));
    };
    using u8s = std::vector<std::uint8_t>;
    CHECK(greys(row({-1, 0, 1, 2, 3}), {.window = {{0, 2}}}) == u8s{0, 0, 128, 255, 255});
    CHECK(greys(row({-1, 0, 1, 2, 3}), {}) == u8s{0, 64, 128, 191, 255});
    CHECK(greys(row({nan, -inf, 0, 10, inf}), {}) == u8s{0, 0, 0, 255, 255});
    CHECK(greys(row({5, 5, 5}), {}) == u8s{0, 0, 0});
    CHECK(greys(row({nan, nan}), {}) == u8s{0, 0});
    CHECK(greys(row({nan, nan}), {.window_percentile = {{1, 99}}}) == u8s{0, 0});
    CHECK(greys(row({0, 10, 20, 30, 1000}), {.window_percentile = {{0, 75}}}) == u8s{0, 85, 170, 255, 255});
    CHECK(greys(array_of<std::uint8_t>(ArrayDesc::dense(ElementType::u8, {{'y', 1}, {'x', 3}}), {10, 20, 30}), {}) ==
          u8s{10, 20, 30});
    CHECK(greys(array_of<std::uint8_t>(ArrayDesc::dense(ElementType::u8, {{'y', 1}, {'x', 3}}), {10, 20, 30}),
                {.window = {{10, 30}}}) == u8s{0, 128, 255});
    CHECK(greys(array_of<std::uint8_t>(ArrayDesc::dense(ElementType::boolean, {{'y', 1}, {'x', 3}}), {0, 1, 0}), {}) ==
          u8s{0, 255, 0});
    for (const std::uint8_t all : {0, 1})   // of one value, too: white is true
        CHECK(greys(array_of<std::uint8_t>(ArrayDesc::dense(ElementType::boolean, {{'y', 1}, {'x', 2}}), {all, all}), {}) ==
              u8s(2, all == 1 ? 255 : 0));
    CHECK(greys(array_of<std::int64_t>(ArrayDesc::dense(ElementType::i64, {{'y', 1}, {'x', 3}}), {-4, -3, -2}), {}) ==
          u8s{0, 128, 255});
    io::write(folder / "b.png", row({0, 0.5f, 1}), {.window = {{0, 1}}, .png_bits = 16});
    CHECK(values_of<std::uint16_t>(io::read(folder / "b.png")) == std::vector<std::uint16_t>{0, 32768, 65535});
}

TEST_CASE("what a picture cannot show is told") {
    const auto loss = [](std::vector<float> values, io::WriteOptions options = {}, const char* path = "a.png") {
        HostArray array =
            HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 1}, {'x', static_cast<std::int64_t>(values.size())}}));
        std::copy(values.begin(), values.end(), array.as<float>());
        return io::display_loss(path, array, options);
    };
    const float nan = std::nanf(""), inf = INFINITY;
    const auto says = [](const std::string& text, const char* fragment) { return text.find(fragment) != std::string::npos; };
    CHECK(loss({0, 1, 2}).empty());
    CHECK(says(loss({nan, nan, nan}), "none of 3 elements is a finite number: the picture is black"));
    CHECK(says(loss({nan, nan, nan}), "\"non_finite\""));
    CHECK(says(loss({1, nan, 2, inf}), "2 of 4 elements are NaN or infinite, and black or white"));
    // A colour map has neither black nor white.
    CHECK(says(loss({1, nan, 2, inf}, {.colour_map = "viridis"}), "NaN or infinite, and of the first or the last colour"));
    CHECK(says(loss({nan}, {.colour_map = "viridis"}), "the picture is of the first colour"));
    CHECK(says(loss({7, 7}, {.colour_map = "viridis"}), "the picture is of the first colour"));
    CHECK(says(loss({7, 7}, {.colour_map = "grey"}), "the picture is black"));
    CHECK(loss({1, nan}, {}, "a.tif").empty());   // which keeps them
    CHECK(says(loss({7, 7}), "all elements are 7"));
    CHECK(loss({7, 7}, {.window = {{0, 255}}}).empty());
    CHECK(says(loss({7, 9}, {.window = {{0, 1}}}), "one side of the window [0, 1]"));
    CHECK(loss({}).empty());
    HostArray bytes = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 1}, {'x', 2}}));
    io::WriteOptions none;
    CHECK(io::display_loss("a.png", bytes, none).empty());   // as they are: black is black
    CHECK_FALSE(none.range);
    // u16 are as they are in 16 bits alone; in 8 they go from the least to the largest.
    HostArray deep = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'y', 1}, {'x', 2}}));
    deep.as<std::uint16_t>()[0] = deep.as<std::uint16_t>()[1] = 40000;
    const auto loss_of_deep = [&](const char* path, io::WriteOptions options) { return io::display_loss(path, deep, options); };
    CHECK(loss_of_deep("a.png", {}).empty());
    CHECK(loss_of_deep("a.png", {.png_bits = 16}).empty());
    CHECK(says(loss_of_deep("a.png", {.png_bits = 8}), "all elements are 40000: without a \"window\" of values the picture is black"));
    CHECK(says(loss_of_deep("a.PNG", {.montage = 0}), "the picture is black"));
    CHECK(says(loss_of_deep("a.jpg", {}), "the picture is black"));
    CHECK(says(loss_of_deep("a.gif", {}), "the picture is black"));
    CHECK(says(loss_of_deep("a.png", {.colour_map = "viridis"}), "the picture is of the first colour"));
    deep.as<std::uint16_t>()[1] = 40001;
    CHECK(loss_of_deep("a.jpg", {}).empty());
}

TEST_CASE("percentiles are numpy's") {
    // numpy.percentile([3, 1, 4, 1, 5, 9, 2, 6, 5, 3], [1, 99]) = 1, 8.73; at 37.5: 3. NaN are left out.
    const Folder folder;
    const HostArray values = row({3, 1, 4, 1, 5, std::numeric_limits<float>::quiet_NaN(), 9, 2, 6, 5, 3});
    const auto written = [&](io::WriteOptions options) {
        options.png_bits = 16, options.overwrite = true;
        io::write(folder / "a.png", values, options);
        return values_of<std::uint16_t>(io::read(folder / "a.png"));
    };
    CHECK(written({.window_percentile = {{1, 99}}}) == written({.window = {{1, 8.73}}}));
    CHECK(written({.window_percentile = {{0, 37.5}}}) == written({.window = {{1, 3}}}));
    CHECK(written({.window_percentile = {{0, 37.5}}}) != written({.window = {{1, 3.1}}}));
}

TEST_CASE("frames are combined") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<HostArray> three = {row({1, 10, nan}), row({2, -5, 0}), row({9, 1, 0})};
    CHECK(values_of<float>(io::combine({three[0], three[1]}, "mean"))[0] == 1.5f);
    CHECK(values_of<float>(io::combine(three, "mean"))[0] == 4);
    CHECK(values_of<float>(io::combine(three, "mean"))[1] == 2);
    CHECK(values_of<float>(io::combine(three, "median"))[0] == 2);
    CHECK(values_of<float>(io::combine(three, "median"))[1] == 1);
    CHECK(std::isnan(values_of<float>(io::combine(three, "median"))[2]));
    CHECK(values_of<float>(io::combine({three[0], three[1]}, "median"))[1] == 2.5f);
    const HostArray bytes = array_of<std::uint8_t>(ArrayDesc::dense(ElementType::u8, {{'y', 1}, {'x', 3}}), {3, 255, 0});
    const HostArray mixed = io::combine({bytes, three[1]}, "mean");
    CHECK(mixed.desc.describe() == "f32 1 x 3 (y, x)");
    CHECK(values_of<float>(mixed) == std::vector<float>{2.5f, 125, 0});

    // More elements than a block holds.
    const HostArray large = pattern(ArrayDesc::dense(ElementType::u16, {{'y', 100}, {'x', 101}}));
    const HostArray mean = io::combine({large, large, large}, "mean"), median = io::combine({large, large, large}, "median");
    for (std::int64_t i = 0; i < large.desc.count(); ++i) {
        REQUIRE(mean.as<float>()[i] == large.as<std::uint16_t>()[i]);
        REQUIRE(median.as<float>()[i] == large.as<std::uint16_t>()[i]);
    }
    CHECK_THROWS_AS(io::combine({}, "mean"), Error);
    CHECK_THROWS_AS(io::combine(three, "mode"), Error);
    CHECK_THROWS_AS(io::combine({three[0], row({1, 2})}, "mean"), Error);
    CHECK_THROWS_AS(io::combine({pattern(small.with_type(ElementType::c64))}, "mean"), Error);
}

TEST_CASE("hashes are those of the program xxhsum") {
    const Folder folder;
    put(folder / "a.txt", "abc");
    CHECK(io::hash_file(folder / "a.txt") == "06b05ab6733a618578af5f94892f3950");  // xxh128sum of "abc"
    const HostArray abc = array_of<std::uint8_t>(ArrayDesc::dense(ElementType::u8, {{'x', 3}}), {'a', 'b', 'c'});
    CHECK(io::hash_array(abc) == "06b05ab6733a618578af5f94892f3950");
    const HostArray large =
        pattern(ArrayDesc::dense(ElementType::f32, {{'y', 700}, {'x', 701}}));  // more than a block of the reader
    put(folder / "b.dat", std::string(reinterpret_cast<const char*>(large.data()), large.desc.dense_bytes()));
    CHECK(io::hash_file(folder / "b.dat") == io::hash_array(large));
    HostArray turned = large;
    std::swap(turned.desc.axes[0], turned.desc.axes[1]);
    CHECK(io::hash_array(turned) == io::hash_array(turned.to_dense()));
    CHECK(io::hash_array(turned) != io::hash_array(large));
}

TEST_CASE("tables and JSON") {
    const Folder folder;
    io::write_csv(folder / "a.csv", {"distance, um", "metric"},
                  {{0.1, "plain"},
                   {1, "with \"quotes\", and a comma"},
                   {std::nan(""), nullptr},
                   {-std::numeric_limits<double>::infinity(), true},
                   {1.0 / 3, "two\nlines"}},
                  false);
    CHECK(get(folder / "a.csv") ==
          "\"distance, um\",metric\n0.1,plain\n1,\"with \"\"quotes\"\", and a "
          "comma\"\nnan,\n-inf,true\n0.3333333333333333,\"two\nlines\"\n");
    io_error(folder / "b.csv", [&] { io::write_csv(folder / "b.csv", {"a", "b"}, {{1}}, false); });
    io_error(folder / "a.csv", [&] { io::write_csv(folder / "a.csv", {"a"}, {}, false); });
    io::write_csv(folder / "a.csv", {"a"}, {}, true);
    CHECK(get(folder / "a.csv") == "a\n");

    Json json;
    json["z"] = 1.5;
    json["a"] = {1, "\xff is no UTF-8"};
    io::write_json(folder / "a.json", json, false);
    const Json back = Json::parse(get(folder / "a.json"));
    CHECK(back.begin().key() == "z");
    CHECK(back["a"][1] == "\xef\xbf\xbd is no UTF-8");
    CHECK(get(folder / "a.json").back() == '\n');
    io_error(folder / "a.json", [&] { io::write_json(folder / "a.json", json, false); });
    CHECK(folder.entries() == 2);
}

TEST_CASE("OME-TIFF holds names of channels with any white space, and one with what XML cannot hold is refused") {
    const Folder folder;
    HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'c', 4}, {'y', 1}, {'x', 2}}));
    array.metadata.channels = {"x\ty", "a\nb", "a\r\nb", "<\x7f> \xc2\xb5 & \"q\""};
    io::write(folder / "a.ome.tif", array);
    CHECK(io::read(folder / "a.ome.tif").metadata.channels == array.metadata.channels);
    for (const auto& [name, character] : {std::pair{"q\x01r", "U+0001"}, {"\x1b[1m", "U+001B"}, {"q\xef\xbf\xbf", "U+FFFF"}}) {
        array.metadata.channels[2] = name;
        const IoError error = io_error(folder / "b.ome.tif", [&] { io::write(folder / "b.ome.tif", array); });
        CHECK(error.problem.find("names of channels that XML can hold, and that of channel 2 has " + std::string(character)) !=
              std::string::npos);
        CHECK_FALSE(error.hint.empty());
        CHECK_FALSE(fs::exists(folder / "b.ome.tif"));
    }
}

TEST_CASE("HDF5 holds the names of so many channels, and more are refused for what they are") {
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that writes HDF5 is not built");
        return;
    }
    const Folder folder;
    const auto named = [](std::int64_t count) {
        HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'c', count}, {'x', 1}}));
        for (std::int64_t i = 0; i < count; ++i) array.metadata.channels.push_back("dye " + std::to_string(i));
        return array;
    };
    const HostArray most = named(4091);
    io::write(folder / "a.h5", most);
    CHECK(io::read(folder / "a.h5").metadata.channels == most.metadata.channels);
    HostArray more = named(4092);
    const IoError error = io_error(folder / "b.h5", [&] { io::write(folder / "b.h5", more); });
    CHECK(error.problem.find("an attribute may have 64 KiB; this has 4092 names") != std::string::npos);
    more.metadata.channels.clear();
    io::write(folder / "b.h5", more);
    CHECK(same_elements(io::read(folder / "b.h5"), more));
}

TEST_CASE("an HDF5 file is the same bytes whenever it is written") {
    if (host::program_beside("parallax-read-hdf5").empty()) {
        MESSAGE("skipped: the program that writes HDF5 is not built");
        return;
    }
    const Folder folder;
    const HostArray array = pattern(small);
    io::write(folder / "a.h5", array);
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));   // its times are whole seconds
    io::write(folder / "b.h5", array);
    CHECK(get(folder / "a.h5") == get(folder / "b.h5"));
}
