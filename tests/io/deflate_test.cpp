// Deflate byte by byte: what is packed comes out again by libdeflate, whatever the bytes.
#include <doctest/doctest.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "io/deflate_bytes.hpp"
#include "seed.hpp"

namespace parallax::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes unpacked(const Bytes& packed, std::size_t bytes) {
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> unpacker(libdeflate_alloc_decompressor(),
                                                                                                libdeflate_free_decompressor);
    Bytes out(bytes + 1);
    std::size_t got = 0;
    REQUIRE(libdeflate_zlib_decompress(unpacker.get(), packed.data(), packed.size(), out.data(), out.size(), &got) ==
            LIBDEFLATE_SUCCESS);
    out.resize(got);
    return out;
}

/// Counts that grow as Fibonacci's numbers, the second and later the sum of the two before: the longest codes that there are.
Bytes fibonacci(std::size_t size) {
    Bytes bytes;
    std::size_t a = 1, b = 1;
    for (std::uint8_t symbol = 0; bytes.size() < size; ++symbol) {
        bytes.insert(bytes.end(), std::min(a, size - bytes.size()), symbol);
        const std::size_t c = a + b;
        a = b, b = c;
    }
    return bytes;
}

}   // namespace

TEST_CASE("deflate: what is packed byte by byte comes out again") {
    const std::uint64_t seed = tests::drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=", seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < 200; ++draw) {
        const std::size_t size = draw < 8 ? static_cast<std::size_t>(draw) : random() % (draw % 10 == 0 ? 600'000 : 5'000);
        Bytes bytes(size);
        const double spread = std::pow(2.0, static_cast<double>(random() % 9));
        std::normal_distribution<double> normal(0, spread);
        const int kind = static_cast<int>(random() % 4);
        for (std::uint8_t& byte : bytes)
            byte = kind == 0   ? static_cast<std::uint8_t>(random())
                   : kind == 1 ? std::uint8_t{7}
                               : static_cast<std::uint8_t>(static_cast<int>(normal(random)));
        if (kind == 3) bytes = fibonacci(size);
        CAPTURE(draw);
        CAPTURE(size);
        CAPTURE(kind);
        const Bytes packed = io::deflate_bytes(bytes);
        CHECK(unpacked(packed, size) == bytes);
        CHECK(static_cast<double>(packed.size()) < io::bits_of_bytes(bytes) / 8 * 1.1 + static_cast<double>(size) / 7 + 400);
    }
}

TEST_CASE("deflate: noise takes what its entropy says") {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 6);
    Bytes bytes(1 << 20);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(static_cast<int>(normal(random)));
    CHECK(static_cast<double>(io::deflate_bytes(bytes).size()) < 1.02 * io::bits_of_bytes(bytes) / 8);
}

}   // namespace parallax::tests
