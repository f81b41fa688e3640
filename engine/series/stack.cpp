#include "series/stack.hpp"

#include "series/kept_file.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

Stack::Stack(std::size_t frame_bytes, fs::path stem)
    : frame_bytes_(frame_bytes), frames_(frame_bytes, std::move(stem) += ending) {}

void Stack::add(const HostArray& array, std::size_t n) {
    frames_.add(n, [&](const auto& put) { put(array.data(), frame_bytes_); });
}

fs::path Stack::save(const fs::path&, std::size_t) { return frames_.path(); }

Seal Stack::seal(const fs::path&, std::size_t count) const { return frames_.seal(count); }

void Stack::merge(const fs::path& path, std::size_t count) { parts_.push_back({path, count}); }

void Stack::read(const std::vector<std::size_t>& order, std::size_t first, std::size_t count, std::byte* to) const {
    std::vector<io::File> files;
    files.reserve(parts_.size());
    for (const Part& part : parts_) files.push_back(io::File::open(kept(part.path).path()));
    for (std::size_t i = first; i < first + count; ++i, to += frame_bytes_) {
        std::size_t n = order[i], part = 0;
        while (n >= parts_[part].count) n -= parts_[part++].count;
        files[part].seek(static_cast<std::uint64_t>(n) * frame_bytes_);
        files[part].read(to, frame_bytes_, "the frames");
    }
}

}   // namespace parallax::engine::series
