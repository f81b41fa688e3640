#include "io/witness.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <new>
#include <utility>

namespace parallax::io {
namespace {

thread_local Witness* present = nullptr;

}   // namespace

struct Witness::Seen::State {
    struct Free {
        void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> hash{XXH3_createState()};
};

Witness::Seen::Seen() : state_(std::make_unique<State>()) {
    if (!state_->hash) throw std::bad_alloc();
    XXH3_128bits_reset(state_->hash.get());
}

Witness::Seen::~Seen() = default;

void Witness::Seen::wrote(const void* bytes, std::size_t count) noexcept {
    if (in_order_) XXH3_128bits_update(state_->hash.get(), bytes, count);
}

std::string Witness::Seen::hash() const {
    if (!in_order_ || closed_ != 1) return {};
    const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

Witness::Witness(std::filesystem::path path) : path_(std::move(path)), seen_(std::make_shared<Seen>()) { present = this; }

Witness::~Witness() { present = nullptr; }

std::string Witness::hash() const { return seen_->hash(); }

std::shared_ptr<Witness::Seen> Witness::of(const std::filesystem::path& path) {
    return present && present->path_ == path ? present->seen_ : nullptr;
}

}   // namespace parallax::io
