// FITS: images, their extensions, distances and times.
#include "io/support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string fits(const std::vector<std::string>& cards, const std::string& data) {
    std::string out;
    for (std::string card : cards) {
        card.resize(80, ' ');
        out += card;
    }
    out += "END";
    out.resize((out.size() + 2879) / 2880 * 2880, ' ');
    out += data;
    out.resize((out.size() + 2879) / 2880 * 2880, '\0');
    return out;
}

}   // namespace

TEST_CASE("fits: images, signed and unsigned, scaled, in extensions") {
    const Folder folder;
    const std::vector<std::string> head = {"SIMPLE  =                    T", "BITPIX  =                   16",
                                           "NAXIS   =                    2", "NAXIS1  =                    2",
                                           "NAXIS2  =                    1"};
    const auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all = head;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    const std::string data("\x00\x01\xff\xff", 4);   // 1, -1
    put(folder / "a.fits", fits(head, data));
    CHECK(values_of<std::int16_t>(io::read(folder / "a.fits")) == std::vector<std::int16_t>{1, -1});
    put(folder / "b.fits", fits(with({"BZERO   =                32768"}), data));
    CHECK(values_of<std::uint16_t>(io::read(folder / "b.fits")) == std::vector<std::uint16_t>{32769, 32767});
    put(folder / "c.fits",
        fits(with({"BSCALE  =                  0.5", "BZERO   =                   10", "BLANK   =                   -1"}), data));
    const auto scaled = values_of<float>(io::read(folder / "c.fits"));
    CHECK(scaled[0] == 10.5f);
    CHECK(std::isnan(scaled[1]));
    CHECK(io::info(folder / "c.fits").warnings.empty());
    put(folder / "far.fits", fits(with({"BSCALE  =                1e300"}), data));
    CHECK(told_of(io::info(folder / "far.fits")).find("lead beyond 3.4e38") != std::string::npos);
    // f64 has 15 digits of each number of 64 bits, and all of one of 32.
    const auto told_of_wide = [&](const char* bits, std::vector<std::string> more) {
        std::vector<std::string> cards = {head[0], bits, head[2], "NAXIS1  =                    1", head[4]};
        cards.insert(cards.end(), more.begin(), more.end());
        put(folder / "wide.fits", fits(cards, std::string(8, '\1')));
        CHECK(io::read(folder / "wide.fits").desc.type == ElementType::f64);
        return told_of(io::info(folder / "wide.fits"));
    };
    const char* const of_64 = "BITPIX  =                   64";
    CHECK(told_of_wide(of_64, {"BLANK   =                   -1"})
              .find("stored as i64, of which one stands for none (BLANK), and read as f64") != std::string::npos);
    CHECK(told_of_wide(of_64, {"BZERO   =                    5"}).find("stored as i64 and scaled, and read as f64") != std::string::npos);
    CHECK(told_of_wide("BITPIX  =                   32", {"BZERO   =                    5"}).find("digits") == std::string::npos);
    CHECK(told_of_wide("BITPIX  =                  -64", {"BZERO   =                    5"}).find("digits") == std::string::npos);
    const std::string extension =
        fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"}, "") +
        fits({"XTENSION= 'IMAGE   '", "BITPIX  =                    8", "NAXIS   =                    1",
              "NAXIS1  =                    3", "EXTNAME = 'SCI     '"},
             "abc") +
        fits({"XTENSION= 'IMAGE   '", "BITPIX  =                    8", "NAXIS   =                    1",
              "NAXIS1  =                    2", "EXTNAME = 'MASK'"},
             "de");
    put(folder / "d.fits", extension);
    CHECK(io::info(folder / "d.fits").ignored.size() == 1);
    CHECK(told_of(io::info(folder / "d.fits")) ==
          "it holds 2 images, of which the first that is not compressed is read: image 1 \"SCI\"; \"dataset\" takes another");
    CHECK(io::read(folder / "d.fits").desc.count() == 3);
    io::ReadOptions options;
    options.dataset = "MASK";
    CHECK(told_of(io::info(folder / "d.fits", options)).empty());
    CHECK(values_of<std::uint8_t>(io::read(folder / "d.fits", options)) == std::vector<std::uint8_t>{'d', 'e'});
    options.dataset = "2";
    CHECK(io::read(folder / "d.fits", options).desc.count() == 2);
    // Sizes of 0 are no image, nor damage: random groups begin so, and headers that stand for what follows.
    const auto empty = [&](std::vector<std::string> more) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    2", "NAXIS1  =                    0",
                                          "NAXIS2  =                    3"};
        cards.insert(cards.end(), more.begin(), more.end());
        return fits(cards, "");
    };
    options.dataset.clear();
    put(folder / "f.fits", empty({"GROUPS  =                    T"}));
    CHECK(io_error(folder / "f.fits", [&] { io::info(folder / "f.fits"); }).problem.find("without an image: 0 (random groups)") !=
          std::string::npos);
    put(folder / "g.fits", empty({}) + extension.substr(2880));
    CHECK(io::read(folder / "g.fits").desc.count() == 3);
    // An image in tiles is a table to those who do not know it.
    const std::string tiles =
        fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"}, "") +
        fits({"XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   =                    2",
              "NAXIS1  =                    8", "NAXIS2  =                    1", "ZIMAGE  =                    T",
              "EXTNAME = 'TILES'"},
             std::string(8, 'x'));
    put(folder / "e.fits", tiles);
    for (const char* const dataset : {"", "TILES", "1"}) {
        options.dataset = dataset;
        const IoError error = io_error(folder / "e.fits", [&] { io::info(folder / "e.fits", options); });
        CHECK(error.problem.find("image is compressed") != std::string::npos);
        CHECK(error.hint.find("funpack") != std::string::npos);
    }
    options.dataset = "NONE";
    CHECK(io_error(folder / "d.fits", [&] { io::info(folder / "d.fits", options); }).hint.find("MASK") != std::string::npos);
}

TEST_CASE("fits: cards whose numbers are none, or are told twice") {
    const Folder folder;
    const auto make = [&](std::vector<std::string> more) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                   16",
                                          "NAXIS   =                    2", "NAXIS1  =                    2",
                                          "NAXIS2  =                    1"};
        cards.insert(cards.end(), more.begin(), more.end());
        put(folder / "a.fits", fits(cards, std::string("\x00\x01\x00\x05", 4)));   // 1, 5
        return folder / "a.fits";
    };
    const std::pair<const char*, const char*> refused[] = {
        {"BZERO   = 1e400", "has BZERO = \"1e400\""},       {"BSCALE  = 2,5", "has BSCALE = \"2,5\""},
        {"BSCALE  = (2,0)", "has BSCALE = \"(2,0)\""},      {"BSCALE  = NAN", "has BSCALE = \"NAN\""},
        {"BLANK   = 1.5", "has BLANK = \"1.5\""},           {"CDELT1  = 'wide'", "has CDELT1 = \"wide\""},
        {"NAXIS1  = 3", "the key \"NAXIS1\" twice in its"}, {"BITPIX  = 8", "as \"16\" and as \"8\""},
    };
    for (const auto& [card, words] : refused) {
        CAPTURE(card);
        const IoError error = io_error(make({card}), [&] { io::info(folder / "a.fits"); });
        CAPTURE(error.problem);
        CHECK(error.problem.find(words) != std::string::npos);
        CHECK_FALSE(error.hint.empty());
    }
    CHECK(values_of<float>(io::read(make({"BSCALE  = 2.5D-1", "BZERO   = 1D0"}))) == std::vector<float>{1.25f, 2.25f});
    CHECK(values_of<std::int16_t>(io::read(make({"BSCALE  =", "ORIGIN  = 'a'", "ORIGIN  = 'b'", "NAXIS1  = 2", "COMMENT = 'a'",
                                                 "COMMENT = 'b'", "HISTORY = c", "HISTORY = d",
                                                 "EXTNAME = 'a'", "EXTNAME = 'b'"}))) ==
          std::vector<std::int16_t>{1, 5});
    const auto blank = values_of<float>(io::read(make({"BLANK   = 5"})));
    CHECK(std::isnan(blank[1]));
    // 65541 is 5 and 2^16.
    for (const char* const beyond : {"BLANK   = 65541", "BLANK   = -65531", "BLANK   = 32768"}) {
        CAPTURE(beyond);
        CHECK(values_of<std::int16_t>(io::read(make({beyond}))) == std::vector<std::int16_t>{1, 5});
        CHECK(told_of(io::info(folder / "a.fits")).find("no element of 16 bits can be") != std::string::npos);
    }
}

TEST_CASE("fits: distances and times, each in the unit of its axis") {
    const Folder folder;
    const auto info = [&](std::vector<std::string> more) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    3", "NAXIS1  =                    2",
                                          "NAXIS2  =                    1", "NAXIS3  =                    3"};
        cards.insert(cards.end(), more.begin(), more.end());
        put(folder / "a.fits", fits(cards, "abcdef"));
        return io::info(folder / "a.fits");
    };
    const io::FileInfo unlike =
        info({"CDELT1  = .5", "CUNIT1  = 'um'", "CDELT2  = -.25", "CUNIT2  = 'mm'", "CDELT3  = 2", "CUNIT3  = 'nm'"});
    CHECK(unlike.desc.unit == "um");
    CHECK(unlike.desc.find('x')->spacing == 0.5);
    CHECK(unlike.desc.find('y')->spacing == 250);
    CHECK(unlike.desc.find('z')->spacing == 0.002);
    CHECK(unlike.warnings.empty());
    const io::FileInfo frames = info({"CDELT1  = .5", "CUNIT1  = 'um'", "CDELT2  = .5", "CUNIT2  = 'um'", "CTYPE3  = 'TIME'",
                                      "CDELT3  = 20", "CUNIT3  = 'ms'"});
    REQUIRE(frames.desc.find('t') != nullptr);
    CHECK(frames.desc.find('t')->spacing == 0.02);
    CHECK(frames.page_axes == 1);
    // CD speaks of its own rows alone.
    const io::FileInfo both = info({"CD1_1   = .5", "CUNIT1  = 'um'", "CD2_2   = .25", "CUNIT2  = 'um'", "CDELT2  = 7", "CTYPE3  = 'TIME'",
                                    "CDELT3  = 20", "CUNIT3  = 'ms'"});
    CHECK(both.desc.find('x')->spacing == 0.5);
    CHECK(both.desc.find('y')->spacing == 0.25);
    REQUIRE(both.desc.find('t') != nullptr);
    CHECK(both.desc.find('t')->spacing == 0.02);
    CHECK(both.warnings.empty());
    const io::FileInfo first = info({"CTYPE1  = 'WAVE'", "CDELT1  = 5", "CUNIT1  = 'nm'", "CDELT2  = .5", "CUNIT2  = 'mm'", "CDELT3  = 2",
                                     "CUNIT3  = 'mm'"});
    CHECK(first.desc.find('y')->spacing == 0.5);
    CHECK(first.desc.find('z')->spacing == 2);
    CHECK(told_of(first).find("WAVE") != std::string::npos);
    const io::FileInfo flat = info({"CD1_1   = .5", "CUNIT1  = 'um'", "CD2_2   = .25", "CUNIT2  = 'um'"});
    CHECK(flat.desc.find('x')->spacing == 0.5);
    CHECK(flat.desc.find('y')->spacing == 0.25);
    REQUIRE(flat.warnings.size() == 1);
    CHECK(flat.warnings[0].text == "its header gives a spacing of other axes and none of z: it is taken for 1 um");
    CHECK(info({"CD1_1   = .5", "CD1_2   = .1", "CUNIT1  = 'um'"}).desc.unit.empty());   // turned
    CHECK(info({"CDELT1  = .5", "CUNIT1  = 'deg'"}).desc.unit.empty());
    const io::FileInfo spectra = info({"CDELT1  = .5", "CUNIT1  = 'deg'", "CDELT2  = .5", "CUNIT2  = 'deg'", "CTYPE3  = 'AWAV'",
                                       "CD3_3   = 1.25", "CUNIT3  = 'Angstrom'"});
    CHECK(spectra.desc.unit.empty());
    CHECK(told_of(spectra) == R"(what it says of its axes (CTYPE3 "AWAV") is not followed: they are taken for z by their order)");
}

TEST_CASE("fits: an axis of times is t where it is none of a plane's, and other names that are not followed are told") {
    const Folder folder;
    struct Row {
        std::vector<const char*> kinds;
        const char* axes;   ///< the slowest first
        int pages;
        const char* told;   ///< of which axes, and what they are taken for; empty: nothing
    };
    const Row rows[] = {
        {{"", "", "", ""}, "tzyx", 1, ""},
        {{"", "", "TIME", ""}, "ztyx", 0, ""},
        {{"RA---TAN", "DEC--TAN", "TIME"}, "tyx", 1, ""},
        {{"X", "Y", "Z", "Time"}, "tzyx", 1, ""},
        {{"", "", "UTC", "STOKES"}, "ztyx", 0, R"((CTYPE4 "STOKES") is not followed: they are taken for z by)"},
        {{"RA---SIN", "DEC--SIN", "FREQ", "STOKES"}, "tzyx", 1, R"((CTYPE3 "FREQ", CTYPE4 "STOKES") is not followed: they are taken for z, t by)"},
        {{"", "", "TIME", "TIME"}, "ztyx", 0, R"((CTYPE4 "TIME") is not followed: they are taken for z by)"},
        {{"TIME", ""}, "yx", 0, R"((CTYPE1 "TIME") is not followed: they are taken for x by)"},
        {{"FREQ-LOG", "Z", "LINEAR"}, "zyx", 0, R"((CTYPE1 "FREQ-LOG", CTYPE2 "Z") is not followed: they are taken for x, y by)"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.axes));
        CAPTURE(std::string(row.told));
        const std::size_t count = row.kinds.size();
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    " + std::to_string(count)};
        for (std::size_t i = 1; i <= count; ++i) cards.push_back("NAXIS" + std::to_string(i) + "  =                    2");
        for (std::size_t i = 1; i <= count; ++i)
            if (*row.kinds[i - 1]) cards.push_back("CTYPE" + std::to_string(i) + "  = '" + row.kinds[i - 1] + "'");
        put(folder / "a.fits", fits(cards, std::string("abcdefghijklmnop").substr(0, std::size_t{1} << count)));
        const io::FileInfo info = io::info(folder / "a.fits");
        std::string axes;
        for (const Axis& axis : info.desc.axes) axes += axis.name;
        CHECK(axes == row.axes);
        CHECK(info.page_axes == row.pages);
        if (*row.told) CHECK(told_of(info).find(row.told) != std::string::npos);
        else CHECK(info.warnings.empty());
    }
}

TEST_CASE("fits: distances by CD, or by CDELT and PC, of pixels that are boxes, whichever way they are turned") {
    const Folder folder;
    struct Row {
        std::vector<std::string> cards;
        double x, y;   ///< 0: left out
        const char* told;
    };
    const Row rows[] = {
        {{"CDELT1  = 1", "CDELT2  = 1", "PC1_1   = .01", "PC2_2   = .02"}, .01, .02, ""},
        {{"PC1_1   = .01", "PC2_2   = .02"}, .01, .02, ""},
        {{"CDELT1  = .5", "CDELT2  = .25", "PC1_2   = 0"}, .5, .25, ""},
        {{"CDELT1  = 1", "CDELT2  = 1", "CD1_1   = .01", "CD2_2   = -.02"}, .01, .02, ""},
        {{"CDELT1  = .5", "CDELT2  = .25", "PC1_1   = 0", "PC1_2   = 1", "PC2_1   = -1", "PC2_2   = 0"}, .25, .5, ""},
        {{"CD1_1   = 3", "CD1_2   = -4", "CD2_1   = 4", "CD2_2   = 3"}, 5, 5, ""},
        {{"CD1_1   = 3", "CD1_2   = 1", "CD2_2   = 3"}, 0, 0, "but askew: distances are left out"},
        {{"CD1_1   = 3", "CD1_2   = 1"}, 0, 0, "but askew: distances are left out"},
        {{"CD1_1   = 3", "CD2_2   = 3", "PC1_1   = 1"}, 0, 0, "of which FITS allows one: distances are left out"},
    };
    for (const Row& row : rows) {
        std::vector<std::string> cards = {"SIMPLE  =                    T", "BITPIX  =                    8",
                                          "NAXIS   =                    2", "NAXIS1  =                    2",
                                          "NAXIS2  =                    1", "CUNIT1  = 'mm'", "CUNIT2  = 'mm'"};
        cards.insert(cards.end(), row.cards.begin(), row.cards.end());
        CAPTURE(row.cards[0]);
        put(folder / "a.fits", fits(cards, "ab"));
        const io::FileInfo info = io::info(folder / "a.fits");
        CHECK(info.desc.unit == (row.x > 0 ? "mm" : ""));
        CHECK(info.desc.find('x')->spacing == (row.x > 0 ? row.x : 1));
        CHECK(info.desc.find('y')->spacing == (row.y > 0 ? row.y : 1));
        if (*row.told) CHECK(told_of(info).find(row.told) != std::string::npos);
        else CHECK(info.warnings.empty());
    }
}

TEST_CASE("fits: an axis of wavelengths is no depth, whatever its unit") {
    const Folder folder;
    for (const auto& [kind, is_depth] : {std::pair{"WAVE", false}, {"Wavelength", false}, {"AWAV-GRI", false}, {"LAMBDA", false}, {"Z", true}, {"WAVES", true}}) {
        CAPTURE(kind);
        put(folder / "a.fits", fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    3",
                                     "NAXIS1  =                    2", "NAXIS2  =                    1", "NAXIS3  =                    3",
                                     "CUNIT1  = 'mm'", "CDELT1  = .5", "CUNIT2  = 'mm'", "CDELT2  = .5", "CUNIT3  = 'nm'", "CDELT3  = 5",
                                     std::string("CTYPE3  = '") + kind + "'"},
                                    "abcdef"));
        const io::FileInfo info = io::info(folder / "a.fits");
        CHECK(info.desc.find('x')->spacing == .5);
        CHECK(info.desc.find('z')->spacing == (is_depth ? 5e-6 : 1));
        CHECK((told_of(info).find("and not of lengths") == std::string::npos) == is_depth);
    }
}

TEST_CASE("fits: an image is one that a name or a number means alone") {
    const Folder folder;
    const auto image = [](const char* name, const char* data) {
        return fits({"XTENSION= 'IMAGE   '", "BITPIX  =                    8", "NAXIS   =                    1",
                     "NAXIS1  =                    1", std::string("EXTNAME = ") + name},
                    data);
    };
    put(folder / "a.fits",
        fits({"SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0"}, "") +
            image("'O''BRIEN' / a name", "a") + image("'O''NEIL'", "b") + image("'SCI'", "c") + image("'SCI     '", "d") +
            image("'2'", "e"));
    const auto with = [](const char* dataset) {
        io::ReadOptions options;
        options.dataset = dataset;
        return options;
    };
    for (const auto& [dataset, value] : {std::pair{"O'BRIEN", 'a'}, {"O'NEIL", 'b'}, {"3", 'c'}, {"4", 'd'}, {"5", 'e'}, {"#2", 'b'}}) {
        CAPTURE(dataset);
        CHECK(values_of<std::uint8_t>(io::read(folder / "a.fits", with(dataset))) ==
              std::vector<std::uint8_t>{static_cast<std::uint8_t>(value)});
    }
    for (const auto& [dataset, words] :
         {std::pair{"SCI", "has several FITS images \"SCI\": 3 \"SCI\", 4 \"SCI\""},
          {"2", "has several FITS images \"2\": 2 \"O'NEIL\", 5 \"2\""}, {"O", "has no FITS image \"O\""}}) {
        CAPTURE(dataset);
        const io::ReadOptions options = with(dataset);
        const IoError error = io_error(folder / "a.fits", [&] { io::info(folder / "a.fits", options); });
        CHECK(error.problem == words);
        CHECK_FALSE(error.hint.empty());
    }
}
