#include "io/read_witness.hpp"

#include "io/file.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace parallax::io {
namespace {

thread_local ReadWitness* listening = nullptr;

}   // namespace

ReadWitness::ReadWitness(std::filesystem::path path, std::optional<host::FileIdentity> identity)
    : path_(std::move(path)), identity_(identity ? identity : host::identity_of(path_)) {
    if (identity_ && identity_->inode == 0) identity_.reset();   // a system that has no such numbers
    listening = this;
}

ReadWitness::~ReadWitness() { listening = nullptr; }

ReadWitness* ReadWitness::of(const std::filesystem::path& path) noexcept {
    if (!listening) return nullptr;
    if (listening->path_ == path) return listening;
    return listening->identity_ && host::identity_of(path) == listening->identity_ ? listening : nullptr;
}

ReadWitness* ReadWitness::of(std::FILE* file) noexcept {
    if (!listening) return nullptr;
    const auto& handles = listening->handles_;
    return std::find(handles.begin(), handles.end(), file) == handles.end() ? nullptr : listening;
}

void ReadWitness::opened(const std::filesystem::path& path, std::FILE* file) {
    if (ReadWitness* const witness = of(path)) witness->handles_.push_back(file);
}

void ReadWitness::closed(std::FILE* file) noexcept {
    if (listening) std::erase(listening->handles_, file);   // another file may get its number
}

void ReadWitness::read(std::uint64_t at, const std::byte* bytes, std::size_t count) noexcept {
    if (at > end_ || at + count <= end_) return;
    const auto known = static_cast<std::size_t>(end_ - at);
    hash_.add(bytes + known, count - known);
    end_ += count - known;
}

std::optional<std::string> ReadWitness::finish(const std::filesystem::path& path, const std::stop_token& stop) {
    if (identity_ && end_ >= identity_->bytes) return hash_.hex();
    File file = File::open(path);   // tells what it reads
    if (of(file.handle()) != this) return std::nullopt;
    constexpr std::uint64_t most = std::uint64_t{1} << 18;
    const std::uint64_t size = file.size();
    if (end_ >= size) return hash_.hex();
    const auto block = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(std::min(size - end_, most)));
    file.seek(end_);
    while (end_ < size && !stop.stop_requested())
        file.read(block.get(), static_cast<std::size_t>(std::min(size - end_, most)), "the file");
    return hash_.hex();
}

}   // namespace parallax::io
