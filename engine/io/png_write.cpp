// PNG files: rows are filtered so that neighbours become small numbers, and packed by libdeflate, which is three times as fast as
// zlib for the same length, or byte by byte where that is all that can be won (deflate_bytes.hpp). (PNG, third edition, W3C 2025:
// chunks in section 5, filters in section 9.)
#include <fmt/format.h>
#include <libdeflate.h>

#include <cstring>
#include <span>

#include "io/deflate_bytes.hpp"
#include "io/file.hpp"
#include "io/format.hpp"
#include "io/picture/picture.hpp"
#include "parallax/host/error.hpp"
#include "support/wide.hpp"

namespace parallax::io::png {
namespace {

constexpr picture::Kind png_kind = {"PNG", false, true, true};
constexpr int usual_compression = 1;
constexpr std::size_t chunk_most = std::size_t{1} << 30;   // a chunk's length has 31 bits

using Byte = std::uint8_t;

/// The filters, by their numbers in the file: what is left of a row when a neighbour's value is taken off each byte.
enum class Filter : Byte { none, left, above, mean, paeth };

/// `pixel`: bytes from a pixel to the next. `row` and `above` have so many zeros in front of them. Each loop is one that
/// compilers make wide instructions of.
PARALLAX_WIDE void filtered(Filter filter, const Byte* row, const Byte* above, std::size_t bytes, std::size_t pixel, Byte* to) {
    const Byte* const left = row - pixel;
    const Byte* const corner = above - pixel;
    switch (filter) {
        case Filter::none:
            std::memcpy(to, row, bytes);
            return;
        case Filter::left:
            for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(row[i] - left[i]);
            return;
        case Filter::above:
            for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(row[i] - above[i]);
            return;
        case Filter::mean:
            for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<Byte>(row[i] - (left[i] + above[i]) / 2);
            return;
        case Filter::paeth:
            for (std::size_t i = 0; i < bytes; ++i) {
                const auto a = static_cast<std::int16_t>(left[i]), b = static_cast<std::int16_t>(above[i]),
                           c = static_cast<std::int16_t>(corner[i]);
                const auto to_a = static_cast<std::int16_t>(std::abs(b - c)), to_b = static_cast<std::int16_t>(std::abs(a - c)),
                           to_c = static_cast<std::int16_t>(std::abs(a + b - 2 * c));
                const std::int16_t b_or_c = to_b <= to_c ? b : c;
                const std::int16_t nearest = to_a <= to_b && to_a <= to_c ? a : b_or_c;
                to[i] = static_cast<Byte>(row[i] - nearest);
            }
            return;
    }
}

/// How much a filtered row may be expected to take: its values as signed numbers, without their signs.
PARALLAX_WIDE std::uint64_t weight(const Byte* row, std::size_t bytes) {
    std::uint64_t sum = 0;
    for (std::size_t from = 0; from < bytes; from += 4096) {
        std::uint32_t part = 0;
        for (std::size_t i = from; i < std::min(bytes, from + 4096); ++i)
            part += std::min<Byte>(row[i], static_cast<Byte>(-row[i]));
        sum += part;
    }
    return sum;
}

/// A row without its neighbours, by each filter: the one that leaves least.
Filter best_filter(const Byte* row, const Byte* above, std::size_t bytes, std::size_t pixel, Byte* scratch) {
    Filter best = Filter::none;
    std::uint64_t least = weight(row, bytes);
    for (const Filter filter : {Filter::left, Filter::above, Filter::mean, Filter::paeth}) {
        filtered(filter, row, above, bytes, pixel, scratch);
        const std::uint64_t its = weight(scratch, bytes);
        if (its < least) least = its, best = filter;
    }
    return best;
}

/// The rows of a picture, each behind the number of its filter. A filter is chosen by a row and serves those after it: neighbours
/// are alike, and trying takes four times as long as filtering. Rows come in any order, so that they can be made where they are
/// used.
class FilteredRows {
public:
    /// `pixel`: bytes of one.
    FilteredRows(const HostArray& array, std::size_t height, std::size_t pixel, bool choose)
        : array_(array), height_(height), bytes_(array.desc.dense_bytes() / height), pixel_(pixel), choose_(choose),
          rows_(2 * (pixel + bytes_)), row_(rows_.data() + pixel), above_(row_ + bytes_ + pixel) {}

    std::size_t height() const noexcept { return height_; }
    /// Of a row and its filter's number.
    std::size_t stride() const noexcept { return bytes_ + 1; }
    std::size_t bytes() const noexcept { return stride() * height_; }

    void make(std::size_t first, std::size_t count, Byte* to) {
        if (first == 0) std::fill_n(above_, bytes_, Byte{0});
        else if (first != next_) load(first - 1, above_);
        next_ = first + count;
        for (std::size_t y = first; y < next_; ++y, to += stride(), std::swap(row_, above_)) {
            load(y, row_);
            if (choose_ && y == chooser(y)) filter_ = best_filter(row_, above_, bytes_, pixel_, to + 1), chosen_ = y;
            else if (choose_ && chosen_ != chooser(y)) choose(chooser(y), to + 1);
            to[0] = static_cast<Byte>(filter_);
            filtered(filter_, row_, above_, bytes_, pixel_, to + 1);
        }
    }

private:
    /// The row by which the filter of row y is chosen; the first has nothing above it.
    static std::size_t chooser(std::size_t y) noexcept {
        constexpr std::size_t rows_alike = 8;
        return y < rows_alike ? std::min<std::size_t>(y, 1) : y - y % rows_alike;
    }

    /// By a row that is not made itself.
    void choose(std::size_t y, Byte* scratch) {
        std::vector<Byte> rows(2 * (pixel_ + bytes_));
        Byte* const row = rows.data() + pixel_;
        Byte* const above = row + bytes_ + pixel_;
        load(y, row);
        if (y > 0) load(y - 1, above);
        filter_ = best_filter(row, above, bytes_, pixel_, scratch);
        chosen_ = y;
    }

    void load(std::size_t y, Byte* to) const {
        const bool swap = parallax::bytes_of(array_.desc.type) == 2 && std::endian::native == std::endian::little;
        std::memcpy(to, array_.as<Byte>() + y * bytes_, bytes_);
        if (swap) swap_bytes(reinterpret_cast<std::byte*>(to), static_cast<std::int64_t>(bytes_ / 2), ElementType::u16);
    }

    const HostArray& array_;
    std::size_t height_, bytes_, pixel_;
    bool choose_;
    std::vector<Byte> rows_;
    Byte *row_, *above_;   ///< with a pixel of zeros in front of each
    Filter filter_ = Filter::none;
    std::size_t chosen_ = SIZE_MAX;   ///< the row by which it was
    std::size_t next_ = 0;            ///< the row that the one in above_ is above of
};

using Packer = std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)>;

std::vector<Byte> packed_by(const Packer& packer, std::span<const Byte> bytes) {
    std::vector<Byte> packed(libdeflate_zlib_compress_bound(packer.get(), bytes.size()));
    packed.resize(libdeflate_zlib_compress(packer.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
    return packed;
}

/// Whether repetitions are worth looking for: tried in three places.
bool has_repetitions(const Packer& packer, FilteredRows& rows) {
    constexpr std::size_t sample = 1 << 14;
    if (rows.bytes() < 16 * sample) return true;
    double found = 0, single = 0;
    std::vector<Byte> some;
    for (std::size_t place = 1; place < 4; ++place) {
        const std::size_t from = rows.bytes() / 4 * place - sample / 2, first = from / rows.stride();
        const std::size_t count = (from + sample - 1) / rows.stride() - first + 1;
        some.resize(count * rows.stride());
        rows.make(first, count, some.data());
        const auto part = std::span<const Byte>(some).subspan(from - first * rows.stride(), sample);
        found += 8.0 * static_cast<double>(packed_by(packer, part).size());
        single += bits_of_bytes(part);
    }
    return found < 0.95 * single;
}

/// Rows are made and packed block by block, while the processor's cache has them.
std::vector<Byte> packed_byte_by_byte(FilteredRows& rows) {
    constexpr std::size_t block = ByteDeflater::block;
    ByteDeflater deflater(rows.bytes());
    std::vector<Byte> made(block + rows.stride());
    std::size_t ready = 0, left = rows.bytes();
    for (std::size_t y = 0; y < rows.height(); ++y) {
        rows.make(y, 1, made.data() + ready);
        ready += rows.stride();
        std::size_t at = 0;
        for (; ready - at >= block; at += block) deflater.add(std::span(made).subspan(at, block), (left -= block) == 0);
        if (at == 0) continue;
        ready -= at;
        std::memmove(made.data(), made.data() + at, ready);
    }
    if (left > 0) deflater.add(std::span(made).first(ready), true);
    return deflater.finish();
}

std::vector<Byte> packed_rows(FilteredRows& rows, int level) {
    const Packer packer(libdeflate_alloc_compressor(level), libdeflate_free_compressor);
    if (!packer) throw std::bad_alloc();
    if (level == usual_compression && !has_repetitions(packer, rows)) return packed_byte_by_byte(rows);
    std::vector<Byte> all(rows.bytes());
    rows.make(0, rows.height(), all.data());
    return packed_by(packer, all);
}

void put_big(Byte* to, std::uint32_t value) {
    for (int i = 0; i < 4; ++i) to[i] = static_cast<Byte>(value >> (24 - 8 * i));
}

/// In pieces that stay in the processor's cache from their sum to their hash and their copy.
void write_chunk(File& file, const char* name, const Byte* data, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 18;
    Byte head[8], tail[4];
    put_big(head, static_cast<std::uint32_t>(bytes));
    std::memcpy(head + 4, name, 4);
    file.write(head, sizeof head);
    std::uint32_t sum = libdeflate_crc32(0, head + 4, 4);
    for (std::size_t at = 0; at < bytes; at += most) {
        const std::size_t piece = std::min(most, bytes - at);
        sum = libdeflate_crc32(sum, data + at, piece);
        file.write(data + at, piece);
    }
    put_big(tail, sum);
    file.write(tail, sizeof tail);
}

}   // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions& options) { return picture::problem(desc, options, png_kind); }

void write(const std::filesystem::path& path, const std::string&, const HostArray& given, const WriteOptions& options) {
    const HostArray array = picture::make(given, options, png_kind);
    const bool has_channels = array.desc.axes.back().name == 'c';
    const std::size_t n = array.desc.axes.size() - (has_channels ? 1 : 0);
    const std::size_t channels = has_channels ? static_cast<std::size_t>(array.desc.axes.back().size) : 1;
    const auto width = static_cast<std::uint32_t>(array.desc.axes[n - 1].size);
    const auto height = static_cast<std::uint32_t>(n > 1 ? array.desc.axes[n - 2].size : 1);
    const std::size_t deep = parallax::bytes_of(array.desc.type);
    const int level = options.compression.value_or(usual_compression);

    FilteredRows rows(array, height, channels * deep, level > 0);
    const std::vector<Byte> packed = packed_rows(rows, level);

    constexpr Byte kinds[] = {0, 4, 2, 6};   // grey, grey and alpha, colours, colours and alpha
    Byte header[13] = {};
    put_big(header, width);
    put_big(header + 4, height);
    header[8] = static_cast<Byte>(8 * deep);
    header[9] = kinds[channels - 1];
    File file = File::create(path);
    file.write("\x89PNG\r\n\x1a\n", 8);
    write_chunk(file, "IHDR", header, sizeof header);
    for (std::size_t at = 0; at < packed.size(); at += chunk_most)
        write_chunk(file, "IDAT", packed.data() + at, std::min(chunk_most, packed.size() - at));
    write_chunk(file, "IEND", nullptr, 0);
    file.close();
}

}   // namespace parallax::io::png
