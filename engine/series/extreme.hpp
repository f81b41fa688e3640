// The least or the greatest value of each element of a series.
#pragma once

#include "series/statistic.hpp"
#include "series/stripes.hpp"

namespace parallax::engine::series {

class Extreme final : public Statistic {
public:
    enum class Which { least, greatest };
    Extreme(std::size_t elements, Which);

    void add(const HostArray&, std::size_t n) override;
    std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) override;
    void merge(const std::filesystem::path&, std::size_t count) override;
    void result(float* to) const override;

    static constexpr const char* ending_of_least = ".min";        ///< of its state
    static constexpr const char* ending_of_greatest = ".max";

private:
    template <class T>
    void add(const T* values, std::size_t begin, std::size_t end);

    Which which_;
    std::vector<float> values_;
    Stripes stripes_;
};

}  // namespace parallax::engine::series
