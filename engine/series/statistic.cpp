#include "series/statistic.hpp"

#include "io/file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "series/extreme.hpp"
#include "series/mean.hpp"
#include "series/median.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::series {

void FrameSeal::add(const float* values, std::size_t count) {
    for (std::size_t start = 0; start < count; start += piece) {
        const std::size_t length = std::min(piece, count - start);
        hashes_ += io::hash_text({reinterpret_cast<const char*>(values + start), length * sizeof(float)});
    }
}

std::string FrameSeal::finish() const { return io::hash_text(hashes_); }

Seal Statistic::seal(const std::filesystem::path& saved, std::size_t) const { return {io::hash_file(saved), 0}; }

std::string seal_of(const std::filesystem::path& path, std::size_t frame_bytes, std::size_t count) {
    if (frame_bytes == 0) return io::hash_file(path);
    io::File file = io::File::open(path);
    std::vector<float> piece(std::min(FrameSeal::piece, frame_bytes / sizeof(float)));
    std::string frames;
    for (std::size_t n = 0; n < count; ++n) {
        FrameSeal seal;
        for (std::size_t left = frame_bytes / sizeof(float); left > 0;) {
            const std::size_t length = std::min(piece.size(), left);
            file.read(piece.data(), length * sizeof(float), "the frames");
            seal.add(piece.data(), length);
            left -= length;
        }
        frames += seal.finish();
    }
    return io::hash_text(frames);
}

std::unique_ptr<Statistic> make_statistic(const std::string& how, std::size_t elements, const std::filesystem::path& stem) {
    if (how == "mean") return std::make_unique<Mean>(elements);
    if (how == "median") return std::make_unique<Median>(elements, stem);
    if (how == "min") return std::make_unique<Extreme>(elements, Extreme::Which::least);
    if (how == "max") return std::make_unique<Extreme>(elements, Extreme::Which::greatest);
    throw Error(fmt::format("arrays of a series are combined by mean, median, min or max, not by \"{}\"", how));
}

StatisticCost cost_of(const std::string& how, std::uint64_t elements, std::uint64_t items) {
    if (how == "mean") return {elements * Mean::bytes_of_element, elements * Mean::bytes_of_state};
    if (how == "median") return {Median::memory, elements * sizeof(float) * items};
    return {elements * sizeof(float), elements * sizeof(float)};
}

}  // namespace parallax::engine::series
