#include "series/median.hpp"

#include <algorithm>
#include <type_traits>

#include "core/threads.hpp"
#include "io/format.hpp"
#include "io/median.hpp"
#include "parallax/host/error.hpp"
#include "series/kept_file.hpp"
#include "support/platform.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

Median::Median(std::size_t elements, fs::path stem)
    : elements_(elements), frames_(elements * sizeof(float), std::move(stem) += ending) {}

void Median::add(const HostArray& array, std::size_t n) {
    frames_.add(n, [&](const auto& put) {
        io::visit_real(array.desc.type, [&]<class T>(T) {
            const T* const values = array.as<T>();
            if constexpr (std::is_same_v<T, float>) {
                put(values, elements_ * sizeof(float));
            } else {
                std::vector<float> piece(std::min(elements_, FrameSeal::piece / sizeof(float)));
                for (std::size_t start = 0; start < elements_; start += piece.size()) {
                    const std::size_t length = std::min(piece.size(), elements_ - start);
                    std::copy_n(values + start, length, piece.begin());
                    put(piece.data(), length * sizeof(float));
                }
            }
        });
    });
}

fs::path Median::save(const fs::path&, std::size_t) { return frames_.path(); }

Seal Median::seal(const fs::path&, std::size_t count) const { return frames_.seal(count); }

void Median::merge(const fs::path& path, std::size_t count) { parts_.push_back({path, count}); }

void Median::result(float* to) const {
    std::size_t frames = 0;
    for (const Part& part : parts_) frames += part.count;
    // As many columns as memory holds, so that what is read of a frame is long; all threads read, then all sort.
    const int threads = std::min(host::platform::processors(), 16);
    const std::size_t block = std::clamp<std::size_t>(memory / (frames * sizeof(float)), 1, std::max<std::size_t>(elements_, 1));
    std::vector<float> values(block * frames);
    for (std::size_t start = 0; start < elements_; start += block) {
        const std::size_t length = std::min(block, elements_ - start);
        parallel_ranges(static_cast<std::int64_t>(frames), threads, [&](std::int64_t first, std::int64_t end) {
            load(values.data(), block, start, length, static_cast<std::size_t>(first), static_cast<std::size_t>(end));
        });
        parallel_ranges(static_cast<std::int64_t>(length), threads, [&](std::int64_t from, std::int64_t end) {
            io::medians<float>(
                frames, static_cast<std::size_t>(end - from), [&](std::size_t r) { return values.data() + r * block + from; },
                to + start + from);
        });
    }
}

/// Elements [start, start + length) of frames [first, end) of all, each to its row.
void Median::load(float* rows, std::size_t row, std::size_t start, std::size_t length, std::size_t first, std::size_t end) const {
    std::size_t before = 0;
    for (const Part& part : parts_) {
        const std::size_t from = std::max(first, before), to = std::min(end, before + part.count);
        if (from < to) {
            io::File file = io::File::open(kept(part.path).path());
            for (std::size_t n = from; n < to; ++n) {
                file.seek((static_cast<std::uint64_t>(n - before) * elements_ + start) * sizeof(float));
                file.read(rows + n * row, length * sizeof(float), "the frames");
            }
        }
        before += part.count;
    }
}

}   // namespace parallax::engine::series
