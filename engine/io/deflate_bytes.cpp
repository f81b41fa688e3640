#include "io/deflate_bytes.hpp"

#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "support/wide.hpp"

namespace parallax::io {

namespace {

constexpr int symbols = 257, end_of_block = 256;            // the bytes, and the end
constexpr int longest = 15;

using Counts = std::array<std::uint32_t, symbols>;
using Lengths = std::array<std::uint8_t, symbols>;   // of codes

/// Four tables: neighbours are often equal, and a count would wait for the one before.
Counts counts_of(std::span<const std::uint8_t> bytes) {
    std::array<std::array<std::uint32_t, 256>, 4> parts{};
    std::size_t i = 0;
    for (; i + 8 <= bytes.size(); i += 8) {   // one load of eight takes fewer instructions than eight loads
        std::uint64_t eight = 0;
        std::memcpy(&eight, bytes.data() + i, 8);
        for (std::size_t p = 0; p < 8; ++p, eight >>= 8) ++parts[p % 4][eight & 0xff];
    }
    for (; i < bytes.size(); ++i) ++parts[0][bytes[i]];
    Counts counts{};
    for (std::size_t s = 0; s < 256; ++s) counts[s] = parts[0][s] + parts[1][s] + parts[2][s] + parts[3][s];
    return counts;
}

/// Lengths of Huffman's codes. Where one is longer than deflate allows the counts are halved, which makes them more alike.
Lengths lengths_of(Counts counts) {
    Lengths lengths{};
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

/// In two tables of wide numbers, so that an instruction that shifts or adds finds its operand in memory.
struct Codes {
    std::uint64_t bits[symbols] = {};   ///< the first in the lowest place, as deflate packs them
    std::uint64_t lengths[symbols] = {};
};

Codes codes_of(const Lengths& lengths) {
    std::array<unsigned, longest + 2> next{};
    for (const std::uint8_t length : lengths)
        if (length > 0) ++next[length + 1u];
    next[1] = 0;
    for (std::size_t length = 1; length <= longest; ++length) next[length + 1] = (next[length] + next[length + 1]) << 1;
    Codes codes;
    for (std::size_t s = 0; s < symbols; ++s) {
        const unsigned length = lengths[s];
        if (length == 0) continue;
        unsigned code = next[length]++, reversed = 0;
        for (unsigned i = 0; i < length; ++i, code >>= 1) reversed = reversed << 1 | (code & 1);
        codes.bits[s] = reversed;
        codes.lengths[s] = length;
    }
    return codes;
}

struct Bits {
    std::uint8_t* to;
    std::uint64_t waiting, count;   ///< bits that are no whole byte yet, the first in the lowest place

    /// At most 63 bits wait.
    void add(std::uint64_t bits, std::uint64_t so_many) {
        waiting |= bits << count;
        count += so_many;
    }
    void flush() { flush(to, waiting, count); }
    /// Leaves at most 7 of up to 63. 8 bytes are written, of which the whole ones count.
    PARALLAX_INLINED static void flush(std::uint8_t*& to, std::uint64_t& waiting, std::uint64_t& count) {
        if constexpr (std::endian::native == std::endian::little) {
            std::memcpy(to, &waiting, sizeof waiting);
        } else {
            for (int i = 0; i < 8; ++i) to[i] = static_cast<std::uint8_t>(waiting >> (8 * i));
        }
        to += count / 8;
        waiting >>= count & 56;
        count %= 8;
    }
};

/// The codes of bytes, six at a time, until six take more than 63 bits with those that wait, or fewer are left. Returns how many.
/// (All that it needs stays in registers: six numbers for six bytes would not, were what is rare done here, too.)
PARALLAX_WIDE_INTEGERS std::size_t put_sixes(Bits& out, const Codes& codes, const std::uint8_t* bytes, std::size_t all) {
    std::uint8_t* to = out.to;
    std::uint64_t waiting = out.waiting, count = out.count;
    const std::uint8_t* at = bytes;
    for (const std::uint8_t* const end = bytes + all / 6 * 6; at != end; at += 6) {
        std::uint64_t bits = waiting, so_many = count;
        for (int k = 0; k < 6; ++k) {
            bits |= codes.bits[at[k]] << (so_many & 63);
            so_many += codes.lengths[at[k]];
        }
        if (so_many > 63) break;
        Bits::flush(to, bits, so_many);
        waiting = bits;
        count = so_many;
    }
    out = {to, waiting, count};
    return static_cast<std::size_t>(at - bytes);
}

void put_bytes(Bits& out, const Codes& codes, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        bytes = bytes.subspan(put_sixes(out, codes, bytes.data(), bytes.size()));
        const std::size_t rare = std::min<std::size_t>(bytes.size(), 6);
        for (const std::uint8_t byte : bytes.first(rare)) {
            out.add(codes.bits[byte], codes.lengths[byte]);
            out.flush();
        }
        bytes = bytes.subspan(rare);
    }
}

/// Before the bytes of a block: that it has codes of its own, and how long they are.
void put_head(Bits& out, const Lengths& lengths, bool last) {
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
}

}   // namespace

ByteDeflater::ByteDeflater(std::size_t bytes) {
    packed_.reserve(bytes + bytes / 64 + 1024);
    packed_ = {0x78, 0x01};
}

void ByteDeflater::add(std::span<const std::uint8_t> bytes, bool last) {
    Counts counts = counts_of(bytes);
    counts[end_of_block] = 1;
    if (bytes.empty()) counts[0] = 1;   // a code of one symbol alone is no complete one
    const Lengths lengths = lengths_of(counts);
    const Codes codes = codes_of(lengths);
    std::uint64_t bits = 0;
    for (std::size_t s = 0; s < symbols; ++s) bits += std::uint64_t{counts[s]} * lengths[s];
    const std::size_t before = packed_.size();
    packed_.resize(before + bits / 8 + 160 + 8);   // the lengths of the codes come before them, and a flush writes 8 bytes
    Bits out{packed_.data() + before, waiting_, count_};
    put_head(out, lengths, last);
    put_bytes(out, codes, bytes);
    out.add(codes.bits[end_of_block], codes.lengths[end_of_block]);
    out.flush();
    packed_.resize(static_cast<std::size_t>(out.to - packed_.data()));
    waiting_ = out.waiting;
    count_ = out.count;
    sum_ = libdeflate_adler32(sum_, bytes.data(), bytes.size());
}

std::vector<std::uint8_t> ByteDeflater::finish() {
    if (count_ > 0) packed_.push_back(static_cast<std::uint8_t>(waiting_));
    for (int i = 0; i < 4; ++i) packed_.push_back(static_cast<std::uint8_t>(sum_ >> (24 - 8 * i)));
    return std::move(packed_);
}

std::vector<std::uint8_t> deflate_bytes(std::span<const std::uint8_t> bytes) {
    ByteDeflater deflater(bytes.size());
    while (bytes.size() > ByteDeflater::block) {
        deflater.add(bytes.first(ByteDeflater::block), false);
        bytes = bytes.subspan(ByteDeflater::block);
    }
    deflater.add(bytes, true);
    return deflater.finish();
}

double bits_of_bytes(std::span<const std::uint8_t> bytes) {
    const Counts counts = counts_of(bytes);
    double bits = 0;
    for (const std::uint32_t n : counts)
        if (n > 0) bits += n * std::log2(static_cast<double>(bytes.size()) / n);
    return bits;
}

}   // namespace parallax::io
