// All arrays of a series as one, in the order of the items: a film of a folder of frames.
#pragma once

#include "series/frame_file.hpp"

namespace parallax::engine::series {

class Stack final : public Statistic {
public:
    static constexpr const char* ending = ".frames";   ///< of the file of frames

    Stack(std::size_t frame_bytes, std::filesystem::path stem);

    void add(const HostArray&, std::size_t n) override;
    std::filesystem::path save(const std::filesystem::path& stem, std::size_t number) override;
    bool is_summed_up() const override { return false; }
    Seal seal(const std::filesystem::path& saved, std::size_t count) const override;
    void merge(const std::filesystem::path&, std::size_t count) override;
    void read(const std::vector<std::size_t>& order, std::size_t first, std::size_t count, std::byte* to) const override;

private:
    struct Part {
        std::filesystem::path path;
        std::size_t count;
    };
    std::size_t frame_bytes_;
    FrameFile frames_;
    std::vector<Part> parts_;
};

}   // namespace parallax::engine::series
