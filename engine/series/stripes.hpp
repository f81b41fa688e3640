// Locks for parts of an array, so that several threads can add to it at once.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace parallax::engine::series {

class Stripes {
public:
    static constexpr std::size_t count = 16;

    explicit Stripes(std::size_t elements) : elements_(elements) {}

    std::size_t begin(std::size_t stripe) const noexcept { return elements_ * stripe / count; }
    std::size_t end(std::size_t stripe) const noexcept { return begin(stripe + 1); }

    /// work(stripe), alone in it. Whoever comes `first` somewhere else does not wait.
    template <class Work>
    void each(std::size_t first, const Work& work) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t stripe = (first + i) % count;
            const std::lock_guard lock(mutexes_[stripe]);
            work(stripe);
        }
    }

private:
    std::size_t elements_;
    std::array<std::mutex, count> mutexes_;
};

}  // namespace parallax::engine::series
