#include "shapes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace parallax::tests::sizes {

namespace {

constexpr std::array<std::pair<std::int64_t, std::int64_t>, 22> cameras{
    {{640, 480},   {752, 480},   {800, 600},   {1024, 768},  {1280, 1024}, {1360, 1024}, {1392, 1040}, {1440, 1080},
     {1600, 1200}, {1920, 1080}, {1920, 1200}, {2048, 1088}, {2048, 1536}, {2448, 2048}, {2592, 1944}, {3072, 2304},
     {3088, 2064}, {3840, 2160}, {4024, 3036}, {4112, 3008}, {5472, 3648}, {8192, 8192}}};

bool is_prime(std::int64_t n) {
    if (n < 2) return false;
    for (std::int64_t d = 2; d * d <= n; ++d)
        if (n % d == 0) return false;
    return true;
}

std::int64_t draw_prime(Random& random, std::int64_t most) {
    std::int64_t n = random.log_between(2, most);
    while (!is_prime(n)) --n;
    return n;
}

std::int64_t draw_product(Random& random, std::initializer_list<std::int64_t> factors) {
    const std::vector<std::int64_t> list(factors);
    const std::int64_t most = random.log_between(2, longest_side);
    std::int64_t n = 1;
    for (;;) {
        const std::int64_t factor = random.one_of(list);
        if (n * factor > most) return n;
        n *= factor;
    }
}

/// Height and width. What is too large keeps one of its sides.
std::pair<std::int64_t, std::int64_t> draw_plane(Random& random, std::int64_t most) {
    std::int64_t height = draw_side(random), width = draw_side(random);
    const std::int64_t kind = random.below(10);
    if (kind < 4) {
        const auto& camera = random.one_of(cameras);
        width = camera.first;
        height = camera.second;
        if (random.chance(0.1)) std::swap(width, height);
    } else if (kind == 4) {
        (random.chance(0.5) ? width : height) = random.between(1, 3);
    }
    std::int64_t &kept = random.chance(0.5) ? width : height, &other = &kept == &width ? height : width;
    kept = std::min(kept, most);
    other = std::clamp<std::int64_t>(most / kept, 1, other);
    return {height, width};
}

std::int64_t draw_length(Random& random, std::int64_t most) {
    switch (random.below(4)) {
        case 0:
            return std::min(most, draw_side(random));
        case 1:
            return std::clamp<std::int64_t>(
                (std::int64_t{1} << random.below(static_cast<std::int64_t>(std::log2(static_cast<double>(most))) + 1)) +
                    random.between(-1, 1),
                1, most);
        case 2:
            return draw_prime(random, std::max<std::int64_t>(most, 2));
        default:
            return random.log_between(1, most);
    }
}

}  // namespace

std::int64_t draw_side(Random& random) {
    switch (random.below(8)) {
        case 0:
            return draw_prime(random, longest_side);
        case 1: {
            const std::int64_t factor = random.between(2, 16);
            return factor * draw_prime(random, longest_side / factor);
        }
        case 2: {
            const auto& camera = random.one_of(cameras);
            return random.chance(0.5) ? camera.first : camera.second;
        }
        case 3:
            return std::clamp<std::int64_t>((std::int64_t{1} << random.below(14)) + random.between(-1, 1), 1, longest_side);
        case 4:
            return draw_product(random, {2, 3, 5, 7});
        case 5:
            return draw_product(random, {2, 3, 11, 13, 17});
        case 6:
            return random.between(1, 40);
        default:
            return random.between(1, longest_side);
    }
}

std::vector<std::int64_t> draw_shape(Random& random, const std::string& axes, std::int64_t most) {
    std::vector<std::int64_t> shape(axes.size(), 1);
    std::int64_t left = most;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i] == 'c')
            shape[i] = random.between(1, 4);
        else if (axes[i] == 'z' || axes[i] == 't')
            shape[i] = random.log_between(
                1, std::max<std::int64_t>(1, static_cast<std::int64_t>(std::cbrt(static_cast<double>(left)) * 2)));
        else
            continue;
        left = std::max<std::int64_t>(1, left / shape[i]);
    }
    const auto place = [&](char axis) { return axes.find(axis); };
    const std::size_t x = place('x'), y = place('y');
    if (x != std::string::npos && y != std::string::npos) {
        const auto [height, width] = draw_plane(random, left);
        shape[x] = width;
        shape[y] = height;
        // Now and then all that there may be: steps that take many planes in batches then have several.
        const std::size_t stack = axes.find_first_of("zt");
        if (stack != std::string::npos && random.chance(0.1)) shape[stack] *= std::max<std::int64_t>(1, left / (width * height));
    } else {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (axes[i] == 'x' || axes[i] == 'y' || axes[i] == 'n') shape[i] = draw_length(random, left);
    }
    return shape;
}

}  // namespace parallax::tests::sizes
