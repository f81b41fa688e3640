// Pictures whose streams say themselves that pixels are missing, or are others than were written.
#include <libdeflate.h>

#include <memory>
#include <random>

#include "seed.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

std::string number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
    return bytes;
}

std::string chunk(const std::string& name, const std::string& data) {
    const std::string all = name + data;
    return number(static_cast<std::uint32_t>(data.size())) + all + number(libdeflate_crc32(0, all.data(), all.size()));
}

/// 8-bit grey.
std::string png(std::uint32_t width, std::uint32_t height, const std::string& packed) {
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", number(width) + number(height) + std::string("\x08\0\0\0\0", 5)) + chunk("IDAT", packed) +
           chunk("IEND", "");
}

std::string zlib(const std::string& bytes) {
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(libdeflate_alloc_compressor(6),
                                                                                          libdeflate_free_compressor);
    std::string packed(libdeflate_zlib_compress_bound(packer.get(), bytes.size()), '\0');
    packed.resize(libdeflate_zlib_compress(packer.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
    return packed;
}

}   // namespace

TEST_CASE("png: a stream of pixels in which a bit is another is refused, or has its pixels still, also where the chunk's value fits") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    constexpr std::uint32_t width = 24, height = 16;
    std::string rows;
    std::vector<std::uint8_t> pixels;
    for (std::uint32_t y = 0; y < height; ++y) {
        rows += '\0';
        for (std::uint32_t x = 0; x < width; ++x) {
            pixels.push_back(static_cast<std::uint8_t>(y / 4 * 40 + x / 4 * 5 + random() % 2));
            rows += static_cast<char>(pixels.back());
        }
    }
    const std::string sound = zlib(rows);
    const Folder folder;
    const fs::path file = folder / "a.png";
    int refused = 0;
    const auto try_it = [&](const std::string& packed) {
        put(file, png(width, height, packed));
        try {
            CHECK(values_of<std::uint8_t>(io::read(file)) == pixels);
        } catch (const IoError&) {
            ++refused;
        }
    };
    try_it(sound);
    CHECK(refused == 0);
    const std::size_t bits = 8 * sound.size();
    for (std::size_t bit = 0; bit < bits; ++bit) {
        CAPTURE(bit);
        std::string damaged = sound;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
        try_it(damaged);
    }
    CHECK(refused > static_cast<int>(bits) - 64);   // some bits of the header and behind the last code mean nothing
    refused = 0;
    try_it(zlib(rows + rows));   // as some encoders pad
    try_it(sound + '\0');
    CHECK(refused == 0);
}

TEST_CASE("jpeg: a progressive picture without its last scans is refused") {
    const std::string whole = [] {
        // 8 x 8, by Pillow.
        constexpr std::string_view hex =
            "ffd8ffe000104a46494600010100000100010000ffdb0043000302020302020303030304030304050805050404050a070706080c0a0c0c"
            "0b0a0b0b0d0e12100d0e110e0b0b1016101113141515150c0f171816141812141514ffc2000b080008000801011100ffc4001400010000"
            "0000000000000000000000000006ffda000801010000000125ffc400161000030000000000000000000000000000000306ffda00080101"
            "000105024c49ffc4001510010100000000000000000000000000000032ffda0008010100063f0287ffc400161000030000000000000000"
            "0000000000000031c1ffda0008010100013f215c9fffda0008010100000010ff00ffc40014100100000000000000000000000000000000"
            "ffda0008010100013f106fffd9";
        std::string bytes;
        for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
        return bytes;
    }();
    const Folder folder;
    const fs::path file = folder / "a.jpg";
    put(file, whole);
    CHECK(values_of<std::uint8_t>(io::read(file)).size() == 64);
    int cuts = 0;
    for (std::size_t at = whole.find("\xff\xda") + 1; at < whole.size(); ++at) {
        const std::string marker = whole.substr(at, 2);
        if (marker != "\xff\xc4" && marker != "\xff\xda") continue;
        CAPTURE(at);
        put(file, whole.substr(0, at) + "\xff\xd9");
        CHECK(io_error(file, [&] { io::read(file); }).problem.find("without its last scans") != std::string::npos);
        ++cuts;
    }
    CHECK(cuts > 4);
}
