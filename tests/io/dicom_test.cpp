// What samples, colours and bits of a DICOM file mean together: read as it was meant, told, or refused.
#include <libdeflate.h>

#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "io/dicom_read.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

Dicom colours(const char* photometric) {
    Dicom file;
    file.samples = 3, file.planar = 0, file.photometric = photometric;
    file.pixels = std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c", 12);
    return file;
}

Dicom words(std::uint16_t stored, std::uint16_t high, std::uint16_t sign, std::initializer_list<std::uint16_t> values) {
    Dicom file;
    file.allocated = 16, file.stored = stored, file.high = high, file.sign = sign;
    file.pixels = Bytes{}.add_all(values).text;
    return file;
}

std::string refusal(const Folder& folder, const Dicom& file) {
    put(folder / "a.dcm", file.bytes());
    try {
        io::info(folder / "a.dcm");
    } catch (const IoError& error) {
        CHECK_FALSE(error.hint.empty());
        return error.problem;
    }
    return "nothing was refused";
}

}   // namespace

TEST_CASE("dicom: one sample a pixel is grey or an index; colours are refused, and what is not known is told") {
    if (!can_read_dicom()) return;
    const Folder folder;
    CHECK(told(folder, Dicom{}).empty());
    for (const char* const name : {"RGB", "YBR_FULL", "YBR_FULL_422", "YBR_ICT", "YBR_PARTIAL_420", "HSV", "ARGB", "CMYK"}) {
        Dicom file;
        file.photometric = name;
        has(refusal(folder, file), std::string("one sample a pixel is ") + name);
    }
    for (const auto& [name, words] : std::map<std::string, std::string>{{"", "does not say"},
                                                                        {"MONOCHROME3", "DICOM does not know"},
                                                                        {"Secret^Name", "DICOM does not know"},
                                                                        {"SECRET NAME", "DICOM does not know"}}) {
        Dicom file;
        file.photometric = name;
        const std::string all = told(folder, file);
        has(all, words);
        has(all, "taken for grey");
        CHECK((all.find("Secret") == std::string::npos && all.find("SECRET") == std::string::npos));
        CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 2, 3, 255});
    }
    Dicom none;
    none.photometric.reset();
    has(told(folder, none), "does not say");
}

TEST_CASE("dicom: three samples a pixel are colours that are known; grey and palettes are refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    CHECK(told(folder, colours("RGB")).empty());
    for (const char* const name : {"MONOCHROME1", "MONOCHROME2", "PALETTE COLOR"})
        has(refusal(folder, colours(name)), std::string("3 samples a pixel are ") + name);
    for (const char* const name : {"HSV", "ARGB", "CMYK", "YBR_PARTIAL_422"})
        has(refusal(folder, colours(name)), std::string("colours ") + name);
    has(refusal(folder, colours("COLOURS")), "colours that DICOM does not know");
    has(refusal(folder, colours("YBR_RCT")), "JPEG 2000 alone");
    has(told(folder, colours("")), "taken for RGB");

    Dicom file = colours("RGB");
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    file.planar = 1;
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12});
    file.planar.reset();
    has(told(folder, file), "Planar Configuration");
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
    file.planar = 2;
    has(refusal(folder, file), "Planar Configuration is 2");
    file = colours("YBR_FULL_422");
    file.planar = 1;
    has(refusal(folder, file), "plane by plane");
    file = colours("YBR_FULL");
    file.sign = 1;
    has(refusal(folder, file), "have a sign");
    file = colours("RGB");
    file.allocated = 1, file.stored = 1, file.high = 0;
    has(refusal(folder, file), "of 1 bit");
    // The last pixel of an odd number has a pair's four bytes, too.
    file = colours("YBR_FULL_422");
    file.rows = 1, file.columns = 3;
    file.pixels = "abcdef";
    put(folder / "a.dcm", file.bytes());
    has(io_error(folder / "a.dcm", [&] { io::read(folder / "a.dcm"); }).problem, "has 6 bytes of pixels for 8");
}

TEST_CASE("dicom: bits are those below the highest that is named, whatever stands beside them") {
    if (!can_read_dicom()) return;
    const Folder folder;
    // 12 bits at the lower end, with something above; then at the upper end, with something below.
    CHECK(read<std::uint16_t>(folder, words(12, 11, 0, {0x1001, 0xf002, 0x0fff, 0xa000})) ==
          std::vector<std::uint16_t>{1, 2, 0xfff, 0});
    CHECK(read<std::int16_t>(folder, words(12, 11, 1, {0x0fff, 0x0800, 0x07ff, 0xf001})) ==
          std::vector<std::int16_t>{-1, -2048, 2047, 1});
    const auto detail = [&](const Dicom& file) {
        put(folder / "a.dcm", file.bytes());
        return io::info(folder / "a.dcm").detail;
    };
    CHECK(told(folder, words(12, 15, 0, {0, 0, 0, 0})).empty());
    has(detail(words(12, 15, 0, {0, 0, 0, 0})), "12 bits, at bits 4 to 15 of 16: moved down");
    CHECK(detail(words(12, 11, 0, {0, 0, 0, 0})).find("moved") == std::string::npos);
    Dicom beside = words(8, 7, 0, {0x0101, 2, 3, 4});   // an overlay in bit 8, as files of before 2004 have it
    beside.overlay_bit = 8;
    put(folder / "a.dcm", beside.bytes());
    CHECK(io::info(folder / "a.dcm").ignored == std::vector<std::string>{"an overlay"});
    CHECK(read<std::uint16_t>(folder, beside) == std::vector<std::uint16_t>{1, 2, 3, 4});
    CHECK(read<std::uint16_t>(folder, words(12, 15, 0, {0x0011, 0x0023, 0xfff5, 0x800f})) ==
          std::vector<std::uint16_t>{1, 2, 0xfff, 0x800});
    CHECK(read<std::int16_t>(folder, words(12, 15, 1, {0xfff0, 0x8007, 0x7ff0, 0x0010})) ==
          std::vector<std::int16_t>{-1, -2048, 2047, 1});
    Dicom wide;
    wide.allocated = 32, wide.stored = 24, wide.high = 23, wide.sign = 1;
    wide.pixels = Bytes{}.add_all<std::uint32_t>({0x55ffffff, 0x00800000, 0xff000001, 0x007fffff}).text;
    CHECK(read<std::int32_t>(folder, wide) == std::vector<std::int32_t>{-1, -8388608, 1, 8388607});
    // What cannot be: more bits than there are, and a highest bit below or above them all.
    has(refusal(folder, words(17, 16, 0, {0, 0, 0, 0})), "17 of 16 bits");
    for (const std::uint16_t high : {10, 16, 40})
        has(told(folder, words(12, high, 0, {1, 2, 3, 4})),
            "bit " + std::to_string(high) + " is the highest of 12, which cannot be");
    CHECK(read<std::uint16_t>(folder, words(12, 10, 0, {1, 2, 3, 0xfff})) == std::vector<std::uint16_t>{1, 2, 3, 0xfff});
    Dicom none = words(12, 11, 0, {1, 2, 3, 4});
    none.high.reset();
    CHECK(told(folder, none).empty());
    none.sign = 2;
    has(refusal(folder, none), "Pixel Representation is 2");
}

TEST_CASE("dicom: films, JPEG XL and what else is not read are called that, and not damaged") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const auto& [syntax, words] : std::map<std::string, std::string>{{"1.2.840.10008.1.2.4.102", "film"},
                                                                          {"1.2.840.10008.1.2.4.107", "film"},
                                                                          {"1.2.840.10008.1.2.4.110", "JPEG XL"},
                                                                          {"1.2.840.10008.1.2.4.95", "JPIP"},
                                                                          {"1.2.840.10008.1.2.7.1", "SMPTE"}}) {
        CAPTURE(syntax);
        Dicom file;
        file.syntax = syntax;
        const std::string problem = refusal(folder, file);
        has(problem, words);
        has(problem, syntax);
        CHECK(problem.find("damaged") == std::string::npos);
    }
}

/// The same file, its elements packed by deflate.
std::string deflated(Dicom file) {
    file.syntax = "1.2.840.10008.1.2.1.99";
    const std::string plain = file.bytes();
    std::uint32_t group = 0;
    std::memcpy(&group, plain.data() + 140, sizeof group);
    const std::size_t head = 144 + group;   // what says how the rest is packed
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(libdeflate_alloc_compressor(9),
                                                                                          libdeflate_free_compressor);
    std::string packed(plain.size() + 1024, '\0');
    packed.resize(
        libdeflate_deflate_compress(packer.get(), plain.data() + head, plain.size() - head, packed.data(), packed.size()));
    REQUIRE(!packed.empty());
    return plain.substr(0, head) + packed + (packed.size() % 2 ? std::string(1, '\0') : "");
}

std::string refusal_of(const Folder& folder, const std::string& bytes) {
    put(folder / "a.dcm", bytes);
    const IoError error = io_error(folder / "a.dcm", [&] { io::read(folder / "a.dcm"); });
    CHECK_FALSE(error.hint.empty());
    return error.problem;
}

TEST_CASE("dicom: a file that is cut off in its header, or whose elements go on behind its end, is called that") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.modality = "MR", file.position = "0\\0\\0", file.mapping = {2, 0}, file.private_items = 2;
    const std::string whole = file.bytes();
    const std::size_t pixels = whole.find(std::string("\xe0\x7f\x10\x00OW", 6));
    REQUIRE(pixels != std::string::npos);
    for (std::size_t cut = 133; cut < pixels + 12; ++cut) {   // GDCM ended the process for most
        CAPTURE(cut);
        put(folder / "a.dcm", whole.substr(0, cut));
        try {
            io::info(folder / "a.dcm");   // one that ends between two elements has all that it says
        } catch (const IoError& error) {
            CAPTURE(error.problem);
            CHECK(error.problem.find("ended with") == std::string::npos);
            CHECK_FALSE(error.hint.empty());
        }
    }
    const auto problem = [&](const std::string& bytes) {
        put(folder / "a.dcm", bytes);
        return io_error(folder / "a.dcm", [&] { io::info(folder / "a.dcm"); }).problem;
    };
    CHECK(problem(whole.substr(0, 150)) == "ends after 150 bytes, inside an element of its header");
    CHECK(problem(whole.substr(0, 160)) == "ends after 160 bytes, inside an element of its header");
    std::string longer = whole;
    longer[150] = '\xff', longer[151] = '\x7f';
    has(problem(longer), "says that its element (0002,0010) takes 32767 bytes, and ends after");
    // Of a folder it is one picture that is not read.
    fs::create_directory(folder / "both");
    put(folder / "both" / "1.dcm", whole);
    put(folder / "both" / "2.dcm", whole.substr(0, 160));
    has(told_of(io::info(folder / "both")), "it is without a picture that is not read (2.dcm ends after 160 bytes, inside an element of its header)");
}

TEST_CASE("dicom: a deflated file may unpack to a thousand times its length") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.rows = 10240, file.columns = 12800;
    file.pixels = std::string(std::size_t{10240} * 12800, '\0');
    put(folder / "a.dcm", deflated(file));
    CHECK(io::info(folder / "a.dcm").desc.count() == std::int64_t{10240} * 12800);
}

TEST_CASE("dicom: a deflated file is read exactly, whatever stands in other elements, if they are not out of proportion") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.rows = 300, file.columns = 200, file.frames = "5";
    file.pixels.clear();
    for (std::uint32_t i = 0; i < 300000; ++i) file.pixels += static_cast<char>(i * 2654435761u >> 24);
    const std::vector<std::uint8_t> pixels(file.pixels.begin(), file.pixels.end());
    const auto values = [&](const std::string& bytes) {
        put(folder / "a.dcm", bytes);
        return values_of<std::uint8_t>(io::read(folder / "a.dcm"));
    };
    CHECK((values(deflated(file)) == pixels));
    file.private_zeros = 4 << 20;
    CHECK((values(deflated(file)) == pixels));
    file.behind = std::string(std::size_t{64} << 20, '\0');   // nobody looks there
    CHECK((values(deflated(file)) == pixels));
    // More than that, before the pixels.
    file.behind.clear(), file.private_zeros = 40 << 20;
    has(refusal_of(folder, deflated(file)), "bytes that unpack to more than");
    file.private_zeros = 0;
    const std::string whole = deflated(file);
    has(refusal_of(folder, whole.substr(0, whole.size() / 2)), "ends before its elements do");
}

TEST_CASE("dicom: a deflated file of more items than one of its length may have is refused, in every build") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.private_items = 1000;
    put(folder / "a.dcm", deflated(file));
    CHECK(values_of<std::uint8_t>(io::read(folder / "a.dcm")) == std::vector<std::uint8_t>{1, 2, 3, 255});
    file.private_items = 600000;
    has(refusal_of(folder, deflated(file)), "elements and items of sequences, which take more memory");
}

TEST_CASE("dicom: values that stand for none or for others, and frames that are no planes, are told") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file = words(16, 15, 1, {1, 2, 3, 0xf830});
    file.padding = {-2000};
    CHECK(told(folder, file) == "its pixels whose stored value is -2000 stand for none (Pixel Padding Value): they are read as others are\n");
    CHECK(read<std::int16_t>(folder, file) == std::vector<std::int16_t>{1, 2, 3, -2000});
    file.padding = {-1000, -2000};
    has(told(folder, file), "is -2000 to -1000 stand for none");
    Dicom wide = words(16, 15, 0, {1, 2, 3, 4});
    wide.padding = {-1};
    has(told(folder, wide), "is 65535 stand for none");

    Dicom mapped;
    mapped.mapping = {.5, 10};
    CHECK(told(folder, mapped) ==
          "its stored values stand for others in a unit of their own (Real World Value Mapping): that is not applied\n");
    mapped.slope = ".5", mapped.intercept = "10";   // which is
    CHECK(told(folder, mapped).empty());

    Dicom frames;
    frames.frames = "2", frames.pixels = std::string("\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    frames.modality = "NM";
    for (const char* const kind : {"DYNAMIC", "GATED TOMO"}) {
        frames.image_type = std::string("ORIGINAL\\PRIMARY\\") + kind + "\\EMISSION";
        has(told(folder, frames), std::string("nuclear medicine that is ") + kind + " (Image Type), and no planes of one volume");
    }
    for (const char* const kind : {"RECON TOMO", "Secret Name", ""}) {
        frames.image_type = std::string("ORIGINAL\\PRIMARY\\") + kind;
        CHECK(told(folder, frames).find("nuclear") == std::string::npos);
    }
    frames.image_type = "ORIGINAL\\PRIMARY\\DYNAMIC", frames.modality = "OT";
    CHECK(told(folder, frames).find("nuclear") == std::string::npos);
}

TEST_CASE("dicom: an index into a palette may have a sign, and is of 8 or 16 bits") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.photometric = "PALETTE COLOR";
    file.palette = {4, static_cast<std::uint16_t>(-2), 8}, file.entries = std::string("\x0a\x14\x1e\x28", 4);
    file.sign = 1;
    file.pixels = std::string("\xfe\xff\x00\x01", 4);   // -2, -1, 0, 1
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{10, 10, 10, 20, 20, 20, 30, 30, 30, 40, 40, 40});
    file.allocated = 16, file.stored = 16, file.high = 15;
    file.pixels = Bytes{}.add_all<std::int16_t>({1, -1, -300, 300}).text;
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{40, 40, 40, 20, 20, 20, 10, 10, 10, 40, 40, 40});
    for (const std::uint16_t bits : {1, 32}) {
        file.allocated = bits, file.stored = bits, file.high = static_cast<std::uint16_t>(bits - 1);
        file.pixels = std::string(16, '\1');
        has(refusal(folder, file), "palette for " + std::to_string(bits) + " bits");
    }
}

TEST_CASE("dicom: whether a palette has 8 or 16 bits is asked of its three colours together") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.photometric = "PALETTE COLOR", file.pixels = std::string("\x00\x01\x02\x03", 4);
    file.palette = {4, 0, 16}, file.entries = Bytes{}.add_all<std::uint16_t>({0, 65535, 32768, 300}).text;
    file.blue = Bytes{}.add_all<std::uint16_t>({0, 200, 255, 128}).text;   // nearly black
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{0, 0, 0, 255, 255, 0, 128, 128, 0, 1, 1, 0});
    file.entries = file.blue;   // the lower eight of sixteen bits alone
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{0, 0, 0, 200, 200, 200, 255, 255, 255, 128, 128, 128});
}

TEST_CASE("dicom: slope and intercept are applied together, and told where they cannot be") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const auto file = [](const char* slope, const char* intercept) {
        Dicom one;
        one.slope = slope, one.intercept = intercept;
        return one;
    };
    CHECK(read<float>(folder, file("2 ", "-3")) == std::vector<float>{-1, 1, 3, 507});
    CHECK(told(folder, file("2 ", "-3")).empty());
    has(told(folder, file("1e300 ", "0 ")), "lead beyond 3.4e38");
    Dicom wide = file(".5", "0 ");
    wide.allocated = 32, wide.stored = 32, wide.high = 31, wide.pixels = std::string(16, '\1');
    has(told(folder, wide), "stored as u32 and scaled, and read as f32");
    for (const Dicom& one : {file("0 ", "5 "), file("2 ", ""), file("", "-3")}) {
        has(told(folder, one), "slope and intercept");
        CHECK(read<std::uint8_t>(folder, one) == std::vector<std::uint8_t>{1, 2, 3, 255});
    }
    has(refusal(folder, file("2,5", "0")), "(0028,1053) is \"2,5\"");
    has(refusal(folder, file("1", "-1 024")), "(0028,1052) is \"-1 024\"");
    for (const char* const none : {"ab", "nan", "inf", "1e999", "1e", "--1"})
        has(refusal(folder, file(none, "5")), "(0028,1053)");
    CHECK(read<float>(folder, file(" +2 ", " -3.0 ")) == std::vector<float>{-1, 1, 3, 507});
}

TEST_CASE("dicom: one bit a pixel is rescaled, and goes through a table of values, as more are") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.allocated = 1, file.stored = 1, file.high = 0, file.pixels = "\x0d";   // 1, 0, 1, 1
    CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{255, 0, 255, 255});
    file.table = {7, 9};
    CHECK(read<std::uint16_t>(folder, file) == std::vector<std::uint16_t>{9, 7, 9, 9});
    file.table.clear(), file.slope = "5", file.intercept = "2";
    CHECK(told(folder, file).empty());
    CHECK(read<float>(folder, file) == std::vector<float>{7, 2, 7, 7});
    file.slope.clear(), file.intercept.clear(), file.rows = 1, file.frames = "2", file.frame_slopes = {"2", "3"};
    CHECK(read<float>(folder, file) == std::vector<float>{2, 0, 3, 3});
}

TEST_CASE("dicom: text that is no number to its end is told, and what it says not taken") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.spacing = "1,25\\1,25";
    has(told(folder, file), "(0028,0030) is \"1,25\\1,25\"");
    CHECK(io::info(folder / "a.dcm").desc.unit.empty());
    file.spacing = "1.25 \\ +1.5 ";
    CHECK(told(folder, file).empty());
    CHECK(io::info(folder / "a.dcm").desc.find('y')->spacing == 1.25);
    CHECK(io::info(folder / "a.dcm").desc.find('x')->spacing == 1.5);
    file.spacing.clear(), file.position = "DOE^JOHN\\0\\0";
    has(told(folder, file), "(0020,0032)");
    CHECK(told(folder, file).find("DOE") == std::string::npos);   // whatever stands there by a fault
    CHECK_FALSE(io::info(folder / "a.dcm").metadata.affine);
}

TEST_CASE("dicom: frames of an enhanced file are rescaled each by its own, or the file is refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const auto file = [](std::optional<std::string> shared, std::vector<std::string> own) {
        Dicom one;
        one.rows = 1, one.columns = 2, one.frames = "3", one.pixels = std::string("\x0a\x0a\x0a\x0a\x0a\x0a", 6);
        one.shared_slope = std::move(shared), one.frame_slopes = std::move(own);
        return one;
    };
    CHECK(read<float>(folder, file({}, {"2", "1", "3"})) == std::vector<float>{20, 20, 10, 10, 30, 30});
    CHECK(read<float>(folder, file("2", {"", "", ""})) == std::vector<float>(6, 20));
    CHECK(read<float>(folder, file("2", {"", "4", ""})) == std::vector<float>{20, 20, 40, 40, 20, 20});
    CHECK(read<std::uint8_t>(folder, file({}, {"", "", ""})) == std::vector<std::uint8_t>(6, 10));
    has(refusal(folder, file({}, {"2", "", "3"})), "frame 2 of 3");
    has(refusal(folder, file({}, {"2", "4"})), "2 of its 3 frames");
    has(refusal(folder, file({}, {"2", "4", "3", "5"})), "4 of its 3 frames");
    has(refusal(folder, file({}, {"2", "2,5", "3"})), "(0028,1053) is \"2,5\"");
    has(refusal(folder, file("abc", {})), "(0028,1053)");
    for (const char* const slope : {"0", "1\\2"}) {
        has(refusal(folder, file(slope, {})), "rescale slope");
        has(refusal(folder, file({}, {"2", slope, "3"})), "rescale slope");
    }
}

TEST_CASE("dicom: pixels of more frames than the header tells are an error") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.pixels = std::string(12, '\1');
    for (const auto& [frames, words] : std::map<std::string, std::string>{
             {"", "does not say"}, {"0", "is \"0\""}, {"-3", "is \"-3\""}, {"2.5", "is \"2.5\""}, {"abc", "is text"},
             {"2", "is \"2\""}}) {
        file.frames = frames;
        const std::string refused = refusal(folder, file);
        has(refused, "pixels of 3 frames");
        has(refused, words);
    }
    file.frames = "3";
    CHECK(told(folder, file).empty());
    CHECK(read<std::uint8_t>(folder, file).size() == 12);
    file.pixels = std::string("\x01\x02\x03\xff\0\0", 6);   // one, and less than one more
    for (const char* const frames : {"", "0", "abc"}) {
        file.frames = frames;
        CHECK(told(folder, file).empty() == file.frames.empty());
        CHECK(read<std::uint8_t>(folder, file) == std::vector<std::uint8_t>{1, 2, 3, 255});
    }
    Dicom colours;
    colours.samples = 3, colours.planar = 0, colours.photometric = "YBR_FULL_422", colours.pixels = std::string(16, '\1');
    has(refusal(folder, colours), "pixels of 2 frames");
    Dicom bits;
    bits.allocated = 1, bits.stored = 1, bits.high = 0, bits.rows = 8, bits.columns = 8, bits.pixels = std::string(24, '\1');
    has(refusal(folder, bits), "pixels of 3 frames");
    bits.rows = 2, bits.columns = 2, bits.pixels = std::string(2, '\1');   // filled up to an even length
    CHECK(read<std::uint8_t>(folder, bits).size() == 4);
}
