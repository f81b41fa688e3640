// Compressed pixels of DICOM: read to their end, or refused.
#include <chrono>

#include "io/dicom_by_hand.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

const std::vector<std::uint8_t> truth{10, 12, 15, 11, 40, 38, 200, 199, 3, 3, 3, 4, 90, 91, 80, 255};

std::string from_hex(const std::string& digits) {
    std::string bytes;
    for (std::size_t i = 0; i < digits.size(); i += 2) bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
    return bytes;
}

struct Kind {
    const char* syntax;
    std::string stream;   ///< of the truth, by imagecodecs
};
const Kind kinds[] = {
    {"1.2.840.10008.1.2.4.70", from_hex("ffd8ffc4001a000100020301000000000000000000000007080205060304ffc3000b080004000401001100"
                                        "ffda000801000006000009b5f9e7bd72b1835ac7c4c1f57db7619aa0ffd9")},
    {"1.2.840.10008.1.2.4.80", from_hex("ffd8fff7000b080004000401011100ffda000801010000000007fcc00027000001bb5000034000001baa0000"
                                        "0359414000006800ffd9")},
    {"1.2.840.10008.1.2.4.90",
     from_hex("ff4fff51002900000000000400000004000000000000000000000004000000040000000000000000000107"
              "0101ff52000c00000001000004040001ff5c00044040ff640025000143726561746564206279204f70656e4a50"
              "45472076657273696f6e20322e352e34ff90000a0000000000220001ff93cfb444111dee476fb0377d9040aee7"
              "62aee3717fffd9")}};

Dicom compressed(const Kind& kind) {
    Dicom file;
    file.rows = file.columns = 4;
    file.syntax = kind.syntax;
    file.fragments = {kind.stream};
    return file;
}

/// What is wrong with it; empty where it is read, which must be rightly.
std::string problem(const fs::path& path, const std::string& bytes, std::vector<std::uint8_t> wanted = truth) {
    put(path, bytes);
    try {
        CHECK(values_of<std::uint8_t>(io::read(path)) == wanted);
    } catch (const IoError& error) {
        CHECK_FALSE(error.hint.empty());
        return error.problem;
    }
    return "";
}

void has(const std::string& text, const std::string& part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
}

}   // namespace

TEST_CASE("dicom: a file of compressed pixels that is cut off anywhere is refused, or has all of them") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.syntax));
        const Dicom file = compressed(kind);
        const std::string whole = file.bytes();
        REQUIRE(problem(folder / "a.dcm", whole).empty());
        const std::size_t end = whole.size() - 8;   // of the last fragment: what may be missing is the mark behind it
        for (std::size_t cut = whole.find("\xe0\x7f"); cut < whole.size(); cut += cut + 20 < whole.size() ? 3 : 1) {
            CAPTURE(cut);
            const std::string why = problem(folder / "a.dcm", whole.substr(0, cut));
            CHECK(why.empty() == (cut == end));
        }
    }
}

TEST_CASE("dicom: compressed pixels come to their end inside their fragments, and each frame does") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const fs::path path = folder / "a.dcm";
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.syntax));
        Dicom file = compressed(kind);
        const std::string& stream = kind.stream;
        for (const std::size_t part : {stream.size() / 2, stream.size() - 8, stream.size() - 1}) {
            file.fragments = {stream.substr(0, part)};
            const auto begin = std::chrono::steady_clock::now();
            has(problem(path, file.bytes()), "does not come to its end");
            CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(3));   // GDCM looked for it for longer
        }
        for (const std::string& filling : {std::string(7, '\0'), std::string("\xff"), std::string("\xff\0\0", 3)}) {
            file.fragments = {stream + filling};
            CHECK(problem(path, file.bytes()).empty());
        }
        // Two frames, of which the second is missing with the mark behind it.
        file = compressed(kind);
        file.frame_ms = "40";
        file.delimited = false;
        has(problem(path, file.bytes()), "has the ends of 1 of its 2 frames");
        file.fragments.push_back(stream);
        file.delimited = true;   // without it GDCM reads no two frames of JPEG-LS
        std::vector<std::uint8_t> twice = truth;
        twice.insert(twice.end(), truth.begin(), truth.end());
        CHECK(problem(path, file.bytes(), twice).empty());
    }
    // A frame in two fragments.
    Dicom file = compressed(kinds[1]);
    file.fragments = {kinds[1].stream.substr(0, 40), kinds[1].stream.substr(40)};
    CHECK(problem(path, file.bytes()).empty());
    // Something else between fragments.
    std::string bytes = compressed(kinds[0]).bytes();
    bytes[bytes.rfind("\xfe\xff") + 2] = '\x11';
    has(problem(path, bytes), "has no fragment of pixels where");
}

TEST_CASE("dicom: what is in an empty fragment, or fills up the last one, lacks nothing") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.syntax));
        const auto problem_of = [&](const std::vector<std::string>& fragments) {
            Dicom file = compressed(kind);
            file.fragments = fragments;
            return problem(folder / "a.dcm", file.bytes());
        };
        CHECK(problem_of({kind.stream + "  "}).empty());
        CHECK(problem_of({kind.stream, ""}).empty());
    }
}

TEST_CASE("dicom: JPEG Lossless that is shorter inside, with its last marker in place, is refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const std::string& stream = kinds[0].stream;
    const std::size_t scan = stream.find("\xff\xda") + 10, end = stream.size() - 2;
    int refused = 0;
    for (std::size_t from = scan; from < end; ++from) {
        for (std::size_t until = from + 1; until <= end; ++until) {
            CAPTURE(from);
            CAPTURE(until);
            Dicom file = compressed(kinds[0]);
            file.fragments = {stream.substr(0, from) + stream.substr(until)};
            if (file.fragments[0].size() % 2 != 0) file.fragments[0] += '\0';
            put(folder / "a.dcm", file.bytes());
            try {
                io::read(folder / "a.dcm");
            } catch (const IoError& error) {
                ++refused;
                CHECK_FALSE(error.hint.empty());
            }
        }
    }
    MESSAGE(refused << " of " << (end - scan) * (end - scan + 1) / 2 << " refused");
    // Without more than its last byte a stream of so few pixels always lacks some.
    for (std::size_t left = scan; left + 1 < end; ++left) {
        CAPTURE(left);
        Dicom file = compressed(kinds[0]);
        file.fragments = {stream.substr(0, left) + "\xff\xd9"};
        has(problem(folder / "a.dcm", file.bytes()), "has damaged JPEG pixels (1.2.840.10008.1.2.4.70): Corrupt JPEG data");
    }
}

TEST_CASE("dicom: frames of several fragments each are read, and streams of more frames than the header tells refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.syntax));
        const std::size_t part = kind.stream.size() / 2 / 2 * 2;   // fragments have an even length
        Dicom file = compressed(kind);
        file.frame_ms = "40";
        file.fragments = {kind.stream.substr(0, part), kind.stream.substr(part), kind.stream.substr(0, 10),
                          kind.stream.substr(10)};
        std::vector<std::uint8_t> twice = truth;
        twice.insert(twice.end(), truth.begin(), truth.end());
        CHECK(problem(folder / "a.dcm", file.bytes(), twice).empty());
        file.frame_ms.clear();
        has(problem(folder / "a.dcm", file.bytes()), "compressed pixels of 2 frames, and does not say how many");
        file.frame_ms = "40";
        file.frames = "3";
        has(problem(folder / "a.dcm", file.bytes()), "has the ends of 2 of its 3 frames");
    }
}

TEST_CASE("dicom: a stream of other sizes, samples or bits than the header's is refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    const fs::path path = folder / "a.dcm";
    for (const Kind& kind : kinds) {
        CAPTURE(std::string(kind.syntax));
        for (const auto& [rows, columns] : {std::pair<int, int>{2, 8}, {8, 2}, {3, 4}, {5, 4}, {4, 5}, {8, 8}}) {
            Dicom file = compressed(kind);
            file.rows = static_cast<std::uint16_t>(rows), file.columns = static_cast<std::uint16_t>(columns);
            has(problem(path, file.bytes()), "has 4 rows of 4 pixels of 1 sample, where the header has");
        }
        Dicom file = compressed(kind);
        file.samples = 3, file.planar = 0, file.photometric = "RGB";
        has(problem(path, file.bytes()), "has 4 rows of 4 pixels of 1 sample, where the header has");
        // The second frame is another.
        std::string other = kind.stream;
        const bool wavelets = &kind == &kinds[2];
        const std::size_t frame = other.find(&kind == &kinds[0] ? "\xff\xc3" : "\xff\xf7");
        other[wavelets ? 11 : frame + 8] = '\x05';
        file = compressed(kind);
        file.frame_ms = "40";
        file.fragments.push_back(other);
        has(problem(path, file.bytes()), "its frame 2 of compressed pixels has");
        // Of fewer bits than the stream's pixels take: 255 has 8, and what all of them have is read.
        file = compressed(kind);
        file.stored = 7, file.high = 6;
        has(problem(path, file.bytes()), "of 8 bits, some of which take more than the 7 that its header tells");
        file.overlay_bit = 7;   // which is what the eighth is for
        std::vector<std::uint8_t> lower = truth;
        for (std::uint8_t& value : lower) value &= 0x7f;
        CHECK(problem(path, file.bytes(), lower).empty());
    }
    // Lossless JPEG of 5 bits.
    Dicom file = compressed(kinds[0]);
    file.fragments[0][file.fragments[0].find("\xff\xc3") + 4] = '\x05';
    has(problem(path, file.bytes()), "is a DICOM file of lossless JPEG of 5 bits");
}

TEST_CASE("dicom: lossless JPEG of pixels that take fewer bits than a byte is read") {
    if (!can_read_dicom()) return;
    const Folder folder;
    // By imagecodecs: 1, 3 ... 31.
    Dicom file = compressed(kinds[0]);
    file.fragments = {
        from_hex("ffd8ffc40017000101010100000000000000000000000003040207ffc3000b080004000401001100ffda0008"
                 "010000060000e01ad6a8444a11128444ffd9")};
    file.stored = 5, file.high = 4;
    CHECK(problem(folder / "a.dcm", file.bytes(), {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31}).empty());
}

TEST_CASE("dicom: lossless JPEG of fewer bits than the header tells is read where it fills as many bytes, and else called that") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file = compressed(kinds[0]);
    file.allocated = 16;
    // By imagecodecs, of 10 bits: 1, 68, 135 ...
    file.fragments = {from_hex(
        "ffd8ffc400160001010100000000000000000000000000080709ffc3000b0a0004000401001100ffda00080100000600"
        "00c00a1d0e87a18864321b4310c86436862190c860ffd900")};
    std::vector<std::uint16_t> wanted;
    for (int i = 0; i < 16; ++i) wanted.push_back(static_cast<std::uint16_t>(1 + 67 * i));
    for (const int stored : {10, 12, 16}) {
        CAPTURE(stored);
        file.stored = static_cast<std::uint16_t>(stored), file.high = static_cast<std::uint16_t>(stored - 1);
        put(folder / "a.dcm", file.bytes());
        CHECK(values_of<std::uint16_t>(io::read(folder / "a.dcm")) == wanted);
    }
    file.sign = 1;   // at the header's top bit, not at the stream's
    put(folder / "a.dcm", file.bytes());
    CHECK(values_of<std::int16_t>(io::read(folder / "a.dcm")) == std::vector<std::int16_t>(wanted.begin(), wanted.end()));
    file.sign = 0;
    file.fragments = {kinds[0].stream};   // of 8
    has(problem(folder / "a.dcm", file.bytes()), "compressed pixels of 8 bits, which GDCM does not read into 16");
    file.fragments = {kinds[1].stream}, file.syntax = kinds[1].syntax;   // JPEG-LS
    for (const std::uint16_t stored : {8, 16}) {
        file.stored = stored, file.high = static_cast<std::uint16_t>(stored - 1);
        has(problem(folder / "a.dcm", file.bytes()), "compressed pixels of 8 bits, which GDCM does not read into 16");
    }
    file.fragments[0][2] = '\0';   // where a marker should begin
    has(problem(folder / "a.dcm", file.bytes()), "has a frame without a header that can be read");
    file.allocated = 1, file.stored = 1, file.high = 0;
    has(problem(folder / "a.dcm", file.bytes()), "compressed pixels of 1 bit, which are not read");
}

TEST_CASE("dicom: a segment of RLE whose runs give more than its pixels is refused") {
    if (!can_read_dicom()) return;
    const Folder folder;
    Dicom file;
    file.rows = file.columns = 4;
    file.syntax = "1.2.840.10008.1.2.5";
    const auto with = [&](const std::string& segment) {
        Bytes fragment;
        fragment.add<std::uint32_t>(1).add<std::uint32_t>(64).pad_to(64).add_text(segment);
        file.fragments = {fragment.text};
        return problem(folder / "a.dcm", file.bytes(), std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5, 6, 6, 6, 6});
    };
    // Eight of 1, four as they are, four of 6.
    const std::string eight("\xf9\x01", 2), four("\x03\x02\x03\x04\x05", 5), last("\xfd\x06", 2);
    CHECK(with(eight + four + last) == "");
    CHECK(with(eight + four + last + std::string(1, '\0')) == "");   // up to an even length
    CHECK(with(eight + "\x80" + four + last + "\x80\x80") == "");    // which says nothing
    const std::string many = "has too many pixels in an RLE segment";
    CHECK(with("\xef\x01" + four + last) == many);   // a run beyond the pixels
    CHECK(with(eight + four + "\xfc\x06") == many);
    CHECK(with(eight + four + last + std::string("\x00\x07", 2)) == many);
    CHECK(with(eight + four + std::string("\x04\x06\x06\x06\x06\x06", 6)) == many);
    CHECK(with(eight + four) == "has too few pixels in an RLE segment");
    CHECK(with(eight + last + "\x03\x02") == "has too few pixels in an RLE segment");   // ends inside
}
