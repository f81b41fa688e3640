#include "io/deflate_bytes.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace parallax::io {

namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 17;   // its codes' lengths take 137 bytes
constexpr int symbols = 257, end_of_block = 256;            // the bytes, and the end
constexpr int longest = 15;

using Counts = std::array<std::uint32_t, symbols>;

/// Four tables: neighbours are often equal, and a count would wait for the one before.
Counts counts_of(std::span<const std::uint8_t> bytes) {
    std::array<std::array<std::uint32_t, 256>, 4> parts{};
    std::size_t i = 0;
    for (; i + 4 <= bytes.size(); i += 4)
        for (std::size_t p = 0; p < 4; ++p) ++parts[p][bytes[i + p]];
    for (; i < bytes.size(); ++i) ++parts[0][bytes[i]];
    Counts counts{};
    for (std::size_t s = 0; s < 256; ++s) counts[s] = parts[0][s] + parts[1][s] + parts[2][s] + parts[3][s];
    return counts;
}

/// Lengths of Huffman's codes. Where one is longer than deflate allows the counts are halved, which makes them more alike.
std::array<std::uint8_t, symbols> lengths_of(Counts counts) {
    std::array<std::uint8_t, symbols> lengths{};
    for (;; std::for_each(counts.begin(), counts.end(), [](std::uint32_t& n) { n = (n + 1) / 2; })) {
        std::vector<int> used;
        for (int s = 0; s < symbols; ++s)
            if (counts[static_cast<std::size_t>(s)] > 0) used.push_back(s);
        std::sort(used.begin(), used.end(), [&](int a, int b) {
            return std::pair(counts[static_cast<std::size_t>(a)], a) < std::pair(counts[static_cast<std::size_t>(b)], b);
        });
        // The two lightest become one, again and again. Leaves come by weight, and so do the nodes that are made.
        const std::size_t leaves = used.size();
        std::vector<std::uint64_t> weights(2 * leaves - 1);
        std::vector<std::size_t> parents(2 * leaves - 1);
        for (std::size_t i = 0; i < leaves; ++i) weights[i] = counts[static_cast<std::size_t>(used[i])];
        std::size_t leaf = 0, node = leaves;
        for (std::size_t made = leaves; made < 2 * leaves - 1; ++made) {
            for (int child = 0; child < 2; ++child) {
                const bool take_leaf = leaf < leaves && (node >= made || weights[leaf] <= weights[node]);
                const std::size_t taken = take_leaf ? leaf++ : node++;
                weights[made] += weights[taken];
                parents[taken] = made;
            }
        }
        std::vector<int> depths(2 * leaves - 1);
        for (std::size_t i = 2 * leaves - 2; i-- > 0;) depths[i] = depths[parents[i]] + 1;
        if (*std::max_element(depths.begin(), depths.end()) > longest) continue;
        lengths.fill(0);
        for (std::size_t i = 0; i < leaves; ++i)
            lengths[static_cast<std::size_t>(used[i])] = static_cast<std::uint8_t>(std::max(depths[i], 1));
        return lengths;
    }
}

struct Code {
    std::uint16_t bits = 0;   // the first in the lowest place, as deflate packs them
    std::uint16_t length = 0;
};

std::array<Code, symbols> codes_of(const std::array<std::uint8_t, symbols>& lengths) {
    std::array<unsigned, longest + 2> next{};
    for (const std::uint8_t length : lengths)
        if (length > 0) ++next[length + 1u];
    next[1] = 0;
    for (std::size_t length = 1; length <= longest; ++length) next[length + 1] = (next[length] + next[length + 1]) << 1;
    std::array<Code, symbols> codes;
    for (std::size_t s = 0; s < symbols; ++s) {
        const unsigned length = lengths[s];
        if (length == 0) continue;
        unsigned code = next[length]++, reversed = 0;
        for (unsigned i = 0; i < length; ++i, code >>= 1) reversed = reversed << 1 | (code & 1);
        codes[s] = {static_cast<std::uint16_t>(reversed), static_cast<std::uint16_t>(length)};
    }
    return codes;
}

class Bits {
public:
    explicit Bits(std::uint8_t* to) : to_(to) {}
    /// At most 45 bits at a time, with up to 7 that wait.
    void add(std::uint64_t bits, unsigned count) {
        waiting_ |= bits << count_;
        count_ += count;
    }
    void flush() {
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(to_, &waiting_, sizeof waiting_);
        } else {
            for (int i = 0; i < 8; ++i) to_[i] = static_cast<std::uint8_t>(waiting_ >> (8 * i));
        }
        to_ += count_ / 8;
        waiting_ >>= count_ / 8 * 8;
        count_ %= 8;
    }
    std::uint8_t* end() {
        count_ = (count_ + 7) / 8 * 8;
        flush();
        return to_;
    }

private:
    std::uint8_t* to_;
    std::uint64_t waiting_ = 0;
    unsigned count_ = 0;
};

struct Block {
    std::span<const std::uint8_t> bytes;
    std::array<std::uint8_t, symbols> lengths;   // of the codes
};

void put_block(Bits& out, const Block& block, bool last) {
    const auto& [bytes, lengths] = block;
    const std::array<Code, symbols> codes = codes_of(lengths);
    out.add(last ? 1 : 0, 1);
    out.add(2, 2);    // codes of its own
    out.add(0, 5);    // 257 lengths of bytes and end
    out.add(0, 5);    // one of distances, which is 0: there are none
    out.add(15, 4);   // 19 lengths of lengths: 0 to 15 take four bits each, the repetitions are not used
    out.flush();
    for (int i = 0; i < 19; ++i) {
        out.add(i < 3 ? 0 : 4, 3);   // 16, 17, 18 come first
        out.flush();
    }
    constexpr auto reversed = [](unsigned v) { return (v & 1) << 3 | (v & 2) << 1 | (v & 4) >> 1 | (v & 8) >> 3; };
    for (const std::uint8_t length : lengths) {
        out.add(reversed(length), 4);
        out.flush();
    }
    out.add(0, 4);
    out.flush();
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3) {
        const Code a = codes[bytes[i]], b = codes[bytes[i + 1]], c = codes[bytes[i + 2]];
        out.add(a.bits | std::uint64_t{b.bits} << a.length | std::uint64_t{c.bits} << (a.length + b.length),
                unsigned{a.length} + b.length + c.length);
        out.flush();
    }
    for (; i < bytes.size(); ++i) {
        out.add(codes[bytes[i]].bits, codes[bytes[i]].length);
        out.flush();
    }
    out.add(codes[end_of_block].bits, codes[end_of_block].length);
    out.flush();
}

}   // namespace

std::vector<std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes) {
    std::vector<Block> blocks;
    std::size_t most = 32;
    for (std::size_t from = 0; blocks.empty() || from < bytes.size(); from += block_bytes) {
        const auto part = bytes.subspan(from, std::min(block_bytes, bytes.size() - from));
        Counts counts = counts_of(part);
        counts[end_of_block] = 1;
        if (part.empty()) counts[0] = 1;   // a code of one symbol alone is no complete one
        blocks.push_back({part, lengths_of(counts)});
        std::uint64_t bits = 0;
        for (std::size_t s = 0; s < symbols; ++s) bits += std::uint64_t{counts[s]} * blocks.back().lengths[s];
        most += bits / 8 + 160;   // the lengths of the codes come before them
    }
    std::vector<std::uint8_t> packed(most);
    packed[0] = 0x78;
    packed[1] = 0x01;
    Bits out(packed.data() + 2);
    for (const Block& block : blocks) put_block(out, block, &block == &blocks.back());
    std::uint8_t* end = out.end();
    const std::uint32_t sum = libdeflate_adler32(1, bytes.data(), bytes.size());
    for (int i = 0; i < 4; ++i) *end++ = static_cast<std::uint8_t>(sum >> (24 - 8 * i));
    packed.resize(static_cast<std::size_t>(end - packed.data()));
    return packed;
}

double bits_of_bytes(std::span<const std::uint8_t> bytes) {
    const Counts counts = counts_of(bytes);
    double bits = 0;
    for (const std::uint32_t n : counts)
        if (n > 0) bits += n * std::log2(static_cast<double>(bytes.size()) / n);
    return bits;
}

}   // namespace parallax::io
