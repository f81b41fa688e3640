#include "series/extreme.hpp"

#include "io/format.hpp"
#include "series/kept_file.hpp"
#include "series/state_file.hpp"

#include <algorithm>
#include <limits>

namespace parallax::engine::series {

namespace fs = std::filesystem;

Extreme::Extreme(std::size_t elements, Which which)
    : which_(which),
      values_(elements, (which == Which::least ? 1 : -1) * std::numeric_limits<float>::infinity()),
      stripes_(elements) {}

/// A NaN that is there or comes stays, and -0 counts as 0: the order does not show. Without branches: compilers make vectors of
/// it.
template <class T>
void Extreme::add(const T* values, std::size_t begin, std::size_t end) {
    float* const best = values_.data();
    const auto take = [&](auto better) {
        for (std::size_t i = begin; i < end; ++i) {
            const float value = static_cast<float>(values[i]) + 0.0f;
            const float kept = better(value, best[i]) ? value : best[i];
            best[i] = value != value ? std::numeric_limits<float>::quiet_NaN() : kept;
        }
    };
    if (which_ == Which::least) take([](float value, float other) { return value < other; });
    else take([](float value, float other) { return value > other; });
}

void Extreme::add(const HostArray& array, std::size_t n) {
    io::visit_real(array.desc.type, [&]<class T>(T) {
        stripes_.each(n, [&](std::size_t s) { add(array.as<T>(), stripes_.begin(s), stripes_.end(s)); });
    });
}

fs::path Extreme::save(const fs::path& stem, std::size_t number) {
    const fs::path path = stem.string() + fmt::format("-{}{}", number, which_ == Which::least ? ending_of_least : ending_of_greatest);
    write_state(path, values_);
    return path;
}

void Extreme::merge(const fs::path& path, std::size_t) {
    const std::vector<float> values = read_state<float>(kept(path).path(), values_.size());
    add(values.data(), 0, values.size());
}

void Extreme::result(float* to) const { std::copy(values_.begin(), values_.end(), to); }

}  // namespace parallax::engine::series
