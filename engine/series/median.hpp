// The median of a series: every frame is kept in a file.
#pragma once

#include "series/frame_file.hpp"

namespace parallax::engine::series {

class Median final : public Statistic {
public:
    static constexpr const char* ending = ".f32";   ///< of the file of frames
    static constexpr std::uint64_t memory = std::uint64_t{256} << 20;   ///< for the columns that are in hand

    Median(std::size_t elements, std::filesystem::path stem);

    void add(const HostArray&, std::size_t n) override;
    std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) override;
    bool is_summed_up() const override { return false; }
    Seal seal(const std::filesystem::path& saved, std::size_t count) const override;
    void merge(const std::filesystem::path&, std::size_t count) override;
    void result(float* to) const override;

private:
    struct Part {
        std::filesystem::path path;
        std::size_t count;
    };
    void load(float* rows, std::size_t row, std::size_t start, std::size_t length, std::size_t first, std::size_t end) const;

    std::size_t elements_;
    FrameFile frames_;
    std::vector<Part> parts_;
};

}   // namespace parallax::engine::series
