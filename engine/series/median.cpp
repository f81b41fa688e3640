#include "series/median.hpp"

#include "io/format.hpp"
#include "io/median.hpp"
#include "parallax/host/error.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>

namespace parallax::engine::series {

namespace fs = std::filesystem;

Median::Median(std::size_t elements, fs::path stem) : elements_(elements), path_(std::move(stem) += ".f32") {}

io::File Median::take() {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
        io::File file = std::move(idle_.back());
        idle_.pop_back();
        return file;
    }
    if (created_) return io::File::update(path_);
    io::File file = io::File::create(path_);
    created_ = true;
    return file;
}

void Median::add(const HostArray& array, std::size_t n) {
    io::File file = take();
    file.seek(static_cast<std::uint64_t>(n) * elements_ * sizeof(float));
    io::visit_real(array.desc.type, [&]<class T>(T) {
        const T* const values = array.as<T>();
        if constexpr (std::is_same_v<T, float>) {
            file.write(values, elements_ * sizeof(float));
        } else {
            std::vector<float> piece(std::min<std::size_t>(elements_, 65536));
            for (std::size_t start = 0; start < elements_; start += piece.size()) {
                const std::size_t length = std::min(piece.size(), elements_ - start);
                std::copy_n(values + start, length, piece.begin());
                file.write(piece.data(), length * sizeof(float));
            }
        }
    });
    file.flush();
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(file));
}

fs::path Median::save(const fs::path&, std::size_t) { return path_; }

void Median::merge(const fs::path& path, std::size_t count) { parts_.push_back({path, count}); }

void Median::result(float* to) const {
    std::size_t frames = 0;
    for (const Part& part : parts_) frames += part.count;
    // Blocks of columns go to whoever is free, and each reads what it needs.
    const std::size_t threads = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 16);
    const std::size_t block = std::clamp<std::size_t>(memory / threads / (frames * sizeof(float)), 1, std::max<std::size_t>(elements_ / threads + 1, 1));
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr problem;
    const auto work = [&] {
        try {
            std::vector<io::File> files;
            for (const Part& part : parts_) files.push_back(io::File::open(part.path));
            std::vector<float> values(block * frames);
            for (std::size_t start; (start = next.fetch_add(block)) < elements_;) {
                const std::size_t length = std::min(block, elements_ - start);
                float* row = values.data();
                for (std::size_t p = 0; p < parts_.size(); ++p) {
                    for (std::size_t n = 0; n < parts_[p].count; ++n, row += block) {
                        files[p].seek((static_cast<std::uint64_t>(n) * elements_ + start) * sizeof(float));
                        files[p].read(row, length * sizeof(float), "the frames");
                    }
                }
                io::medians<float>(frames, length, [&](std::size_t r) { return values.data() + r * block; }, to + start);
            }
        } catch (...) {
            const std::lock_guard lock(mutex);
            problem = std::current_exception();
            next = elements_;
        }
    };
    {
        std::vector<std::jthread> others;
        for (std::size_t t = 1; t < threads; ++t) others.emplace_back(work);
        work();
    }
    if (problem) std::rethrow_exception(problem);
}

}  // namespace parallax::engine::series
