#include "series/statistic.hpp"

#include "io/file.hpp"
#include "io/format.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t stripes = 16;

/// Locks for parts of an array, so that several threads can add at once.
class Stripes {
public:
    explicit Stripes(std::size_t elements) : elements_(elements) {}
    template <class Work>
    void each(std::size_t first, const Work& work) {
        for (std::size_t i = 0; i < stripes; ++i) {
            const std::size_t s = (first + i) % stripes;
            const std::lock_guard lock(mutexes_[s]);
            work(elements_ * s / stripes, elements_ * (s + 1) / stripes);
        }
    }

private:
    std::size_t elements_;
    std::array<std::mutex, stripes> mutexes_;
};

template <class T>
void write_state(const fs::path& path, const std::vector<T>& values) {
    io::write_atomically(path, true, [&](const fs::path& temporary) {
        io::File file = io::File::create(temporary);
        file.write(values.data(), values.size() * sizeof(T));
        file.close();
    });
}

template <class T>
std::vector<T> read_state(const fs::path& path, std::size_t elements) {
    io::File file = io::File::open(path);
    if (file.size() != elements * sizeof(T)) throw IoError(file.name(), fmt::format("{} bytes instead of {}", file.size(), elements * sizeof(T)), "remove it, then --resume");
    std::vector<T> values(elements);
    file.read(values.data(), elements * sizeof(T), "the state");
    return values;
}

/// A number in units of 2^-72, in two's complement; or, in `special`, what no number can hold.
struct Fixed {
    std::uint64_t low = 0;
    std::int64_t high = 0;        ///< units of 2^-8

    void add(const Fixed& other) {
        const std::uint64_t sum = low + other.low;
        high += other.high + (sum < low ? 1 : 0);
        low = sum;
    }
    static Fixed of(double value) {
        const double scaled = value * 256, whole = std::floor(scaled);
        return {static_cast<std::uint64_t>((scaled - whole) * 0x1p64), static_cast<std::int64_t>(whole)};
    }
    double value() const { return (static_cast<double>(high) + static_cast<double>(low) * 0x1p-64) / 256; }
};

class Mean final : public Statistic {
public:
    explicit Mean(std::size_t elements) : sums_(elements), special_(elements), stripes_(elements) {}

    void add(const HostArray& array, std::size_t n) override {
        io::visit_real(array.desc.type, [&]<class T>(T) {
            const T* const values = array.as<T>();
            stripes_.each(n, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) add(i, static_cast<double>(values[i]));
            });
        });
        const std::lock_guard lock(mutex_);
        ++count_;
    }
    fs::path save(const fs::path& stem, std::size_t number) override {
        const fs::path path = stem.string() + fmt::format("-{}.sum", number);
        std::vector<State> states(sums_.size());
        for (std::size_t i = 0; i < states.size(); ++i) states[i] = {sums_[i].low, sums_[i].high, special_[i]};
        write_state(path, states);
        return path;
    }
    void merge(const fs::path& path, std::size_t count) override {
        const std::vector<State> states = read_state<State>(path, sums_.size());
        for (std::size_t i = 0; i < states.size(); ++i) {
            sums_[i].add({states[i].low, states[i].high});
            add_special(i, states[i].special);
        }
        count_ += count;
    }
    void result(float* to) const override {
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            to[i] = special_[i] != 0 ? special_[i] : static_cast<float>(sums_[i].value() / static_cast<double>(count_));
        }
    }

private:
    struct State {
        std::uint64_t low;
        std::int64_t high;
        double special;
    };
    static constexpr double largest = 0x1p40;

    void add(std::size_t i, double value) {
        if (!std::isfinite(value)) return add_special(i, value);
        if (std::abs(value) >= largest) throw Error(fmt::format("the mean of a series takes values below 2^40 in size, not {}", value));
        sums_[i].add(Fixed::of(value));
    }
    /// NaN wins, and infinities of both signs make one.
    void add_special(std::size_t i, double value) {
        if (value != 0) special_[i] = static_cast<float>(special_[i] + value);
    }

    std::vector<Fixed> sums_;
    std::vector<float> special_;
    Stripes stripes_;
    std::mutex mutex_;
    std::size_t count_ = 0;
};

class Extreme final : public Statistic {
public:
    Extreme(std::size_t elements, bool least)
        : least_(least), values_(elements, (least ? 1 : -1) * std::numeric_limits<float>::infinity()), stripes_(elements) {}

    void add(const HostArray& array, std::size_t n) override {
        io::visit_real(array.desc.type, [&]<class T>(T) {
            const T* const values = array.as<T>();
            stripes_.each(n, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) take(values_[i], static_cast<float>(values[i]));
            });
        });
    }
    fs::path save(const fs::path& stem, std::size_t number) override {
        const fs::path path = stem.string() + fmt::format("-{}.{}", number, least_ ? "min" : "max");
        write_state(path, values_);
        return path;
    }
    void merge(const fs::path& path, std::size_t) override {
        const std::vector<float> values = read_state<float>(path, values_.size());
        for (std::size_t i = 0; i < values.size(); ++i) take(values_[i], values[i]);
    }
    void result(float* to) const override { std::copy(values_.begin(), values_.end(), to); }

private:
    void take(float& best, float value) const {
        if (std::isnan(value) || (least_ ? value < best : value > best)) best = std::isnan(best) ? best : value;
    }

    bool least_;
    std::vector<float> values_;
    Stripes stripes_;
};

class Median final : public Statistic {
public:
    Median(std::size_t elements, fs::path stem) : elements_(elements), path_(std::move(stem) += ".f32") {}

    void add(const HostArray& array, std::size_t n) override {
        std::vector<float> frame(elements_);
        io::visit_real(array.desc.type, [&]<class T>(T) { std::copy_n(array.as<T>(), elements_, frame.begin()); });
        const std::lock_guard lock(mutex_);
        if (!file_) file_.emplace(io::File::create(path_));
        file_->seek(static_cast<std::uint64_t>(n) * elements_ * sizeof(float));
        file_->write(frame.data(), elements_ * sizeof(float));
    }
    fs::path save(const fs::path&, std::size_t) override {
        if (file_ && std::fflush(file_->handle()) != 0) throw IoError(file_->name(), "cannot be written", "make room, then --resume");
        return path_;
    }
    void merge(const fs::path& path, std::size_t count) override { parts_.push_back({path, count}); }
    void result(float* to) const override {
        std::size_t frames = 0;
        for (const Part& part : parts_) frames += part.count;
        constexpr std::size_t memory = std::size_t{256} << 20;
        const std::size_t block = std::clamp<std::size_t>(memory / (frames * sizeof(float)), 1, std::max<std::size_t>(elements_, 1));
        std::vector<float> values(block * frames), one(frames);
        for (std::size_t start = 0; start < elements_; start += block) {
            const std::size_t length = std::min(block, elements_ - start);
            std::size_t row = 0;
            for (const Part& part : parts_) {
                io::File file = io::File::open(part.path);
                for (std::size_t n = 0; n < part.count; ++n, ++row) {
                    file.seek((static_cast<std::uint64_t>(n) * elements_ + start) * sizeof(float));
                    file.read(values.data() + row * block, length * sizeof(float), "the frames");
                }
            }
            for (std::size_t i = 0; i < length; ++i) {
                for (std::size_t r = 0; r < frames; ++r) one[r] = values[r * block + i];
                to[start + i] = middle(one);
            }
        }
    }

private:
    struct Part {
        fs::path path;
        std::size_t count;
    };
    static float middle(std::vector<float>& values) {
        if (std::any_of(values.begin(), values.end(), [](float v) { return std::isnan(v); })) return std::numeric_limits<float>::quiet_NaN();
        const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), at, values.end());
        if (values.size() % 2 == 1) return *at;
        return static_cast<float>((static_cast<double>(*std::max_element(values.begin(), at)) + static_cast<double>(*at)) / 2);
    }

    std::size_t elements_;
    fs::path path_;
    std::mutex mutex_;
    std::optional<io::File> file_;
    std::vector<Part> parts_;
};

}  // namespace

std::unique_ptr<Statistic> make_statistic(const std::string& how, std::size_t elements, const fs::path& stem) {
    if (how == "mean") return std::make_unique<Mean>(elements);
    if (how == "median") return std::make_unique<Median>(elements, stem);
    if (how == "min" || how == "max") return std::make_unique<Extreme>(elements, how == "min");
    throw Error(fmt::format("arrays of a series are combined by mean, median, min or max, not by \"{}\"", how));
}

StatisticCost cost_of(const std::string& how, std::uint64_t elements, std::uint64_t items) {
    if (how == "mean") return {elements * (sizeof(Fixed) + sizeof(float)), elements * 24};
    if (how == "median") return {std::uint64_t{256} << 20, elements * sizeof(float) * items};
    return {elements * sizeof(float), elements * sizeof(float)};
}

}  // namespace parallax::engine::series
