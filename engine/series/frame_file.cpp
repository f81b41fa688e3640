#include "series/frame_file.hpp"

#include <algorithm>

#include "io/io.hpp"
#include "io/transaction.hpp"
#include "series/checked.hpp"
#include "series/kept_file.hpp"

namespace parallax::engine::series {

FrameFile::FrameFile(std::size_t frame_bytes, std::filesystem::path path) : frame_bytes_(frame_bytes), path_(std::move(path)) {}

/// Against the limit on outputs: of what does not fit nothing is written.
void FrameFile::count() const { io::Transaction::count(path_, frame_bytes_, limit_hint); }

io::File FrameFile::take() {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
        io::File file = std::move(idle_.back());
        idle_.pop_back();
        return file;
    }
    if (created_) return io::File::update(kept(path_).path());
    io::File file = io::File::create(path_);
    created_ = true;
    return file;
}

void FrameFile::put_back(io::File file, std::size_t n, std::string seal) {
    file.flush();
    const std::lock_guard lock(mutex_);
    seals_.resize(std::max(seals_.size(), n + 1));
    seals_[n] = std::move(seal);
    idle_.push_back(std::move(file));
}

Seal FrameFile::seal(std::size_t count) const {
    std::string frames;
    for (std::size_t n = 0; n < count; ++n) frames += seals_.at(n);
    return {io::hash_text(frames), frame_bytes_};
}

}   // namespace parallax::engine::series
