// Pictures for people: colours, bars, montages, JPEG and GIF.
#include "io/picture/picture.hpp"

#include <libdeflate.h>

#include "io/deflate_bytes.hpp"
#include "io/picture/colour_map.hpp"
#include "io/support.hpp"
#include "io/window.hpp"
#include "seed.hpp"
namespace parallax::tests {
namespace {

/// Draws with a seed that is told where a test fails, and that PARALLAX_TEST_SEED states.
class Random {
public:
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(engine_);
    }
    std::uint64_t seed() const { return seed_; }

private:
    std::uint64_t seed_ = tests::drawn_seed();
    std::mt19937_64 engine_{seed_};
};

using Rgb = io::picture::Rgb;

HostArray row_of(std::vector<float> values) {
    return array_of<float>(ArrayDesc::dense(ElementType::f32, {{'y', 1}, {'x', static_cast<std::int64_t>(values.size())}}),
                           values);
}

HostArray greys(std::vector<ArrayDesc::Extent> extents) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, extents));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 7);
    return array;
}

Rgb pixel(const HostArray& picture, std::int64_t y, std::int64_t x) {
    const auto* at = picture.as<std::uint8_t>() + (y * picture.desc.size('x') + x) * 3;
    return {at[0], at[1], at[2]};
}

HostArray written(const Folder& folder, const char* name, const HostArray& array, io::WriteOptions options = {}) {
    options.overwrite = true;
    io::write(folder / name, array, options);
    return io::read(folder / name);
}

}   // namespace

TEST_CASE("colour maps are those that matplotlib has") {
    // matplotlib.colormaps["viridis"](i, bytes=True) and so on.
    struct Row {
        const char* name;
        std::size_t index;
        Rgb colour;
    };
    const Row rows[] = {{"viridis", 0, {68, 1, 84}}, {"viridis", 128, {33, 145, 140}}, {"viridis", 255, {253, 231, 37}},
                        {"magma", 0, {0, 0, 4}},     {"magma", 128, {183, 55, 121}},   {"magma", 255, {252, 253, 191}},
                        {"grey", 77, {77, 77, 77}},  {"twilight", 0, {226, 217, 226}}, {"twilight", 255, {226, 217, 226}}};
    for (const Row& r : rows) {
        CAPTURE(r.name);
        CAPTURE(r.index);
        const Rgb got = io::picture::colour_map(r.name)[r.index];
        for (std::size_t c = 0; c < 3; ++c) CHECK(std::abs(int{got[c]} - int{r.colour[c]}) <= 1);
    }
}

TEST_CASE("values take the colours of their place in the window") {
    const Folder folder;
    const HostArray values = row_of({-1, 0, 0.5f, 1, 7});
    const io::picture::ColourMap map = io::picture::colour_map("magma");
    const HostArray shown = written(folder, "a.png", values, {.window = {{0, 1}}, .colour_map = "magma"});
    CHECK(shown.desc.describe() == "u8 1 x 5 x 3 (y, x, c)");
    const std::size_t places[] = {0, 0, 128, 255, 255};
    for (std::int64_t x = 0; x < 5; ++x) CHECK(pixel(shown, 0, x) == map[places[x]]);
    // Phase goes round: without a window from -pi to pi, whatever there is of it.
    const HostArray phase = written(folder, "p.png", row_of({-3.14159265f, 0.02f, 1.57079633f}), {.colour_map = "twilight"});
    const io::picture::ColourMap round = io::picture::colour_map("twilight");
    CHECK(pixel(phase, 0, 0) == round[0]);
    CHECK(pixel(phase, 0, 1) == round[128]);
    CHECK(pixel(phase, 0, 2) == round[191]);
    // Bytes are as they are.
    const HostArray bytes = greys({{'y', 2}, {'x', 3}});
    const HostArray coloured = written(folder, "b.png", bytes, {.colour_map = "viridis"});
    for (std::int64_t i = 0; i < 6; ++i)
        CHECK(pixel(coloured, i / 3, i % 3) == io::picture::colour_map("viridis")[bytes.as<std::uint8_t>()[i]]);
}

TEST_CASE("bars have round lengths") {
    struct Row {
        double most;
        const char* unit;
        double length;
        const char* label;
    };
    const Row rows[] = {{179.2, "um", 100, "100 um"}, {99, "um", 50, "50 um"},      {49.9, "um", 20, "20 um"},
                        {1, "mm", 1, "1 mm"},         {0.3, "mm", 0.2, "200 um"},   {0.7, "um", 0.5, "500 nm"},
                        {2500, "um", 2000, "2 mm"},   {0.004, "um", 0.002, "2 nm"}, {30, "cm", 20, "200 mm"},
                        {6000, "mm", 5000, "5 m"}};
    for (const Row& r : rows) {
        CAPTURE(r.most);
        const io::picture::RoundLength bar = io::picture::round_length(r.most, r.unit);
        CHECK(bar.length == doctest::Approx(r.length));
        CHECK(bar.label == r.label);
    }
}

TEST_CASE("a scale bar is as long as it says, at any size") {
    Random random;
    CAPTURE(random.seed());
    for (int draw = 0; draw < 60; ++draw) {
        const std::int64_t width = random.between(1, 700), height = random.between(1, 700);
        const double spacing = 0.1 * static_cast<double>(random.between(1, 50));
        HostArray array = HostArray::make(
            ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}).with_spacing('x', spacing).with_unit("um"));
        std::fill_n(array.as<std::uint8_t>(), array.desc.count(), std::uint8_t{100});
        CAPTURE(width);
        CAPTURE(height);
        CAPTURE(spacing);
        const HostArray picture = io::picture::make(array, {.scale_bar = 0}, {"PNG"});
        CHECK(std::all_of(array.as<std::uint8_t>(), array.as<std::uint8_t>() + array.desc.count(),
                          [](std::uint8_t v) { return v == 100; }));
        REQUIRE(picture.desc.size('x') == width);
        const std::int64_t dot = std::clamp<std::int64_t>(std::min(width, height) / 256, 1, 64);
        if (height < 8 * dot || width < 40 * dot) continue;
        const std::uint8_t* bar = picture.as<std::uint8_t>() + (height - 5 * dot) * width;
        const std::int64_t length = std::count(bar, bar + width, std::uint8_t{255});
        const double expected = io::picture::round_length(spacing * static_cast<double>(width) / 4, "um").length / spacing;
        CHECK(std::abs(static_cast<double>(length) - expected) <= 0.5 + 1e-9);
    }
}

TEST_CASE("a colour bar stands beside the picture and leaves it as it is") {
    const HostArray array = greys({{'t', 2}, {'y', 90}, {'x', 50}});
    const HostArray picture = io::picture::make(array, {.colour_bar = true}, {"GIF", true});
    CHECK(picture.desc.size('t') == 2);
    CHECK(picture.desc.size('y') == 90);
    REQUIRE(picture.desc.size('x') > 62);
    const std::int64_t width = picture.desc.size('x');
    for (std::int64_t t = 0; t < 2; ++t) {
        for (std::int64_t y = 0; y < 90; ++y)
            CHECK(std::equal(array.as<std::uint8_t>() + (t * 90 + y) * 50, array.as<std::uint8_t>() + (t * 90 + y + 1) * 50,
                             picture.as<std::uint8_t>() + (t * 90 + y) * width));
        const auto strip = [&](std::int64_t y) { return picture.as<std::uint8_t>()[(t * 90 + y) * width + 54]; };
        CHECK(strip(4) == 255);
        CHECK(strip(85) == 0);
        for (std::int64_t y = 5; y < 86; ++y) CHECK(strip(y) <= strip(y - 1));
    }
}

TEST_CASE("16 bits are 16 bits of bytes as well") {
    const Folder folder;
    const HostArray bytes = greys({{'y', 3}, {'x', 5}}), deep = written(folder, "a.png", bytes, {.png_bits = 16});
    CHECK(deep.desc.type == ElementType::u16);
    for (std::int64_t i = 0; i < 15; ++i) CHECK(deep.as<std::uint16_t>()[i] == bytes.as<std::uint8_t>()[i] * 257);
}

TEST_CASE("bars that would not be as long as they say are refused") {
    const auto refusal = [](double length, std::int64_t width, std::int64_t height) {
        const ArrayDesc desc =
            ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}).with_spacing('x', 1).with_unit("um");
        return io::picture::problem(desc, {.scale_bar = length}, {"PNG"});
    };
    CHECK(refusal(0, 100, 100).empty());
    CHECK(refusal(3, 100, 100).empty());
    CHECK(refusal(90, 100, 100).empty());
    CHECK_FALSE(refusal(0.1, 100, 100).empty());
    CHECK_FALSE(refusal(99, 100, 100).empty());
    CHECK_FALSE(refusal(0, 8, 100).empty());
    CHECK_FALSE(refusal(0, 100, 5).empty());
}

TEST_CASE("a montage has every page, in order") {
    const HostArray stack = greys({{'z', 5}, {'y', 4}, {'x', 3}});
    const HostArray picture = io::picture::make(stack, {.montage = 2}, {"PNG", false, true, true});
    CHECK(picture.desc.describe() == "u8 16 x 8 (y, x)");   // 3 rows, 2 columns, 2 pixels between them
    for (std::int64_t z = 0; z < 5; ++z) {
        for (std::int64_t y = 0; y < 4; ++y) {
            for (std::int64_t x = 0; x < 3; ++x)
                CHECK(picture.as<std::uint8_t>()[(z / 2 * 6 + y) * 8 + z % 2 * 5 + x] ==
                      stack.as<std::uint8_t>()[(z * 4 + y) * 3 + x]);
        }
    }
    CHECK(picture.as<std::uint8_t>()[15 * 8 + 7] == 255);   // where there is none
    CHECK(io::picture::make(stack, {.montage = 9}, {"PNG"}).desc.describe() == "u8 4 x 23 (y, x)");
}

TEST_CASE("JPEG is written for the eye") {
    const Folder folder;
    HostArray smooth = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 61}, {'x', 83}}));
    for (std::int64_t i = 0; i < smooth.desc.count(); ++i)
        smooth.as<float>()[i] = std::sin(static_cast<float>(i % 83) / 9) + static_cast<float>(i / 83) / 61;
    const HostArray exact = written(folder, "a.png", smooth), lossy = written(folder, "a.jpg", smooth);
    REQUIRE(lossy.desc == exact.desc);
    int worst = 0;
    for (std::int64_t i = 0; i < exact.desc.count(); ++i)
        worst = std::max(worst, std::abs(int{exact.as<std::uint8_t>()[i]} - int{lossy.as<std::uint8_t>()[i]}));
    CHECK(worst <= 6);
    const HostArray colours = written(folder, "b.jpeg", smooth, {.colour_map = "viridis", .quality = 95});
    CHECK(colours.desc.describe() == "u8 61 x 83 x 3 (y, x, c)");
    written(folder, "small.jpg", smooth, {.quality = 10});
    CHECK(std::filesystem::file_size(folder / "small.jpg") < std::filesystem::file_size(folder / "a.jpg") / 2);
}

TEST_CASE("PNG: 8 bits that are asked for are 8, of u16 from its least to its largest value") {
    const Folder folder;
    HostArray deep = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'y', 1}, {'x', 3}}));
    deep.as<std::uint16_t>()[0] = 1000, deep.as<std::uint16_t>()[1] = 2500, deep.as<std::uint16_t>()[2] = 4000;
    CHECK(values_of<std::uint16_t>(written(folder, "a.png", deep, {})) == std::vector<std::uint16_t>{1000, 2500, 4000});
    CHECK(values_of<std::uint8_t>(written(folder, "b.png", deep, {.png_bits = 8})) == std::vector<std::uint8_t>{0, 128, 255});
    CHECK(values_of<std::uint8_t>(written(folder, "c.png", deep, {.window = {{0, 4000}}, .png_bits = 8})) ==
          std::vector<std::uint8_t>{64, 159, 255});
    const HostArray bytes = greys({{'y', 3}, {'x', 5}});
    CHECK(values_of<std::uint8_t>(written(folder, "d.png", bytes, {.png_bits = 8})) == values_of<std::uint8_t>(bytes));
}

TEST_CASE("GIF keeps frames, their time and up to 256 colours") {
    const Folder folder;
    const HostArray probe = greys({{'y', 2}, {'x', 2}});
    try {
        io::check_writable(folder / "a.gif", probe.desc);
    } catch (const IoError& error) {
        MESSAGE("not tried: ", error.problem);
        return;
    }
    for (const char last : {'z', 't'}) {   // rows are no frames
        const ArrayDesc across = ArrayDesc::dense(ElementType::u8, {{'y', 8}, {'x', 2}, {last, 4}});
        const IoError error = io_error(folder / "x.gif", [&] { io::check_writable(folder / "x.gif", across); });
        CHECK(error.problem.find("would be frames") != std::string::npos);
    }
    HostArray stack = greys({{'t', 3}, {'y', 20}, {'x', 31}});
    const HostArray back = written(folder, "a.gif", stack, {.frames_a_second = 25});
    CHECK(back.desc.describe() == "u8 3 x 20 x 31 (t, y, x)");
    CHECK(back.desc.find('t')->spacing == doctest::Approx(0.04));
    CHECK(values_of<std::uint8_t>(back) == values_of<std::uint8_t>(stack));
    const HostArray coloured = written(folder, "b.gif", stack, {.colour_map = "viridis"});
    CHECK(values_of<std::uint8_t>(coloured) ==
          values_of<std::uint8_t>(io::picture::make(stack, {.colour_map = "viridis"}, {"GIF", true})));
    // A rate that whole hundredths of a second do not have is kept in the mean; browsers show a single hundredth for ten.
    const HostArray film = greys({{'t', 12}, {'y', 3}, {'x', 4}});
    for (const auto& pace :
         {std::pair{30.0, 0.4}, {24.0, 0.5}, {50.0, 0.24}, {7.0, 1.71}, {60.0, 0.24}, {200.0, 0.12}}) {
        const double rate = pace.first, shown = pace.second;
        CAPTURE(rate);
        const std::string name = std::to_string(static_cast<int>(rate)) + ".gif";
        CHECK(written(folder, name.c_str(), film, {.frames_a_second = rate}).desc.find('t')->spacing ==
              doctest::Approx(shown / 12));
        CHECK(io::info(folder / name).warnings.empty());
    }
    // Times that no GIF has are refused, or told; a picture alone has none.
    const auto apart = [&](double seconds) { return film.desc.with_spacing('t', seconds); };
    io::check_writable(folder / "long.gif", apart(655.35));
    const IoError error = io_error(folder / "long.gif", [&] { io::check_writable(folder / "long.gif", apart(1000)); });
    CHECK(error.problem.find("up to 655.35 s, and these would be shown for 1000 s each, as far as they are apart") !=
          std::string::npos);
    io::check_writable(folder / "long.gif", apart(1000), {.frames_a_second = 5});
    io::check_writable(folder / "long.gif", probe.desc);
    struct Told { const char* name; double apart, rate; const char* words; };
    for (const Told& row : {Told{"a.gif", 0.001, 0, "go at 100 a second"}, {"a.gif", 1, 240.5, "go at 100 a second"},
                            {"a.gif", 0.01, 0, nullptr}, {"a.gif", 120, 0, "shown for 120 s each"}, {"a.gif", 120, 5, nullptr},
                            {"a.mp4", 120, 0, "shown for 120 s each"}, {"a.MP4", 0.001, 0, nullptr},
                            {"a.tif", 120, 0, nullptr}}) {
        CAPTURE(row.name);
        CAPTURE(row.apart);
        const std::string told = io::picture::pace_warning(row.name, apart(row.apart), {.frames_a_second = row.rate});
        CHECK(told.empty() == (row.words == nullptr));
        if (row.words != nullptr) CHECK(told.find(row.words) != std::string::npos);
    }
    // Planes are frames, too.
    HostArray volume = greys({{'z', 4}, {'y', 9}, {'x', 8}});
    CHECK(values_of<std::uint8_t>(written(folder, "z.gif", volume)) == values_of<std::uint8_t>(volume));
    // More colours than 256: near them.
    HostArray many = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 64}, {'x', 64}, {'c', 3}}));
    for (std::int64_t i = 0; i < 64 * 64; ++i) {
        auto* at = many.as<std::uint8_t>() + 3 * i;
        at[0] = static_cast<std::uint8_t>(i % 64 * 4), at[1] = static_cast<std::uint8_t>(i / 64 * 4), at[2] = 90;
    }
    const HostArray near = written(folder, "c.gif", many);
    REQUIRE(near.desc == many.desc);
    double sum = 0;
    for (std::int64_t i = 0; i < many.desc.count(); ++i)
        sum += std::abs(int{near.as<std::uint8_t>()[i]} - int{many.as<std::uint8_t>()[i]});
    CHECK(sum / static_cast<double>(many.desc.count()) < 6);
}

TEST_CASE("PNG at every compression is the same picture") {
    const Folder folder;
    Random random;
    CAPTURE(random.seed());
    for (int draw = 0; draw < 80; ++draw) {
        const ElementType type = random.between(0, 1) ? ElementType::u8 : ElementType::u16;
        std::vector<ArrayDesc::Extent> extents{{'y', random.between(1, 40)}, {'x', random.between(1, 60)}};
        if (const std::int64_t channels = random.between(1, 4); channels > 1) extents.push_back({'c', channels});
        HostArray array = HostArray::make(ArrayDesc::dense(type, extents));
        const std::int64_t kind = random.between(0, 3);
        auto* bytes = reinterpret_cast<std::uint8_t*>(array.data());
        for (std::size_t i = 0; i < array.desc.dense_bytes(); ++i)
            bytes[i] = static_cast<std::uint8_t>(kind == 0   ? random.between(0, 255)
                                                 : kind == 1 ? 77
                                                 : kind == 2 ? static_cast<std::int64_t>(i) * 3
                                                             : random.between(0, 1) * 255);
        const int level = static_cast<int>(random.between(0, 9));
        CAPTURE(array.desc.describe());
        CAPTURE(level);
        const HostArray back = written(folder, "a.png", array, {.compression = level});
        REQUIRE(back.desc == array.desc);
        CHECK(std::memcmp(back.data(), array.data(), array.desc.dense_bytes()) == 0);
    }
}

TEST_CASE("PNG of noise is made block by block, and is what it is made as a whole") {
    const Folder folder;
    Random random;
    MESSAGE("PARALLAX_TEST_SEED=", random.seed());
    constexpr std::size_t magic = 8, header = 25, around = 12;   // bytes before the pixels' chunk; of a chunk beside its data
    // Streams that end with a block, rows of one block and of several, and others.
    std::vector<std::array<std::int64_t, 2>> sizes{{512, 1023}, {2, 131071}, {1, 262143}, {3, 300001}, {300000, 1}};
    for (int draw = 0; draw < 12; ++draw) sizes.push_back({random.between(300, 900), random.between(900, 1200)});
    for (const auto& [height, width] : sizes) {
        const bool deep = random.between(0, 2) == 0;
        std::vector<ArrayDesc::Extent> extents{{'y', height}, {'x', width}};
        if (random.between(0, 2) == 0) extents.push_back({'c', 3});
        HostArray array = HostArray::make(ArrayDesc::dense(deep ? ElementType::u16 : ElementType::u8, extents));
        auto* const bytes = reinterpret_cast<std::uint8_t*>(array.data());
        std::minstd_rand noise(static_cast<unsigned>(random.between(1, 1 << 30)));
        std::normal_distribution<float> normal(128, 12);
        for (std::size_t i = 0; i < array.desc.dense_bytes(); ++i)
            bytes[i] = static_cast<std::uint8_t>(static_cast<int>(normal(noise)));
        CAPTURE(array.desc.describe());
        const HostArray back = written(folder, "a.png", array);
        REQUIRE(back.desc == array.desc);
        CHECK(std::memcmp(back.data(), array.data(), array.desc.dense_bytes()) == 0);
        const std::string file = get(folder / "a.png");
        const std::string packed = file.substr(magic + header + 8, file.size() - magic - header - 2 * around);
        std::vector<std::uint8_t> rows(array.desc.dense_bytes() + static_cast<std::size_t>(height));
        const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> unpacker(
            libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
        REQUIRE(libdeflate_zlib_decompress(unpacker.get(), packed.data(), packed.size(), rows.data(), rows.size(), nullptr) ==
                LIBDEFLATE_SUCCESS);
        const std::vector<std::uint8_t> whole = io::deflate_bytes(rows);
        CHECK(std::equal(packed.begin(), packed.end(), whole.begin(), whole.end(),
                         [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));
    }
}

TEST_CASE("greys that were made while their elements were looked at are those of the file") {
    const Folder folder;
    Random random;
    MESSAGE("PARALLAX_TEST_SEED=", random.seed());
    for (int draw = 0; draw < 60; ++draw) {
        std::vector<float> values(static_cast<std::size_t>(random.between(1, 400)));
        for (float& value : values) value = static_cast<float>(random.between(-100, 400)) / 3;
        const HostArray row = row_of(values);
        io::WriteOptions options;
        options.window = {static_cast<double>(random.between(-90, 0)), static_cast<double>(random.between(1, 110))};
        if (random.between(0, 2) == 0) options.png_bits = 16;
        else if (random.between(0, 1) == 0) options.colour_map = "viridis";
        const HostArray plain = written(folder, "a.png", row, options);
        io::WriteOptions looked = options;
        io::display_loss("a.png", row, looked);
        CHECK(looked.greys.has_value() == (options.png_bits != 16));
        const HostArray after = written(folder, "a.png", row, looked);
        REQUIRE(after.desc == plain.desc);
        CHECK(std::memcmp(after.data(), plain.data(), plain.desc.dense_bytes()) == 0);
    }
}

}   // namespace parallax::tests
