#include <fmt/format.h>
#include <xxhash.h>
#if defined(PARALLAX_XXHASH_DISPATCHES)
#include <xxh_x86dispatch.h>   // XXH3_128bits() and XXH3_128bits_update() by the widest vectors of this processor
#endif

#include <algorithm>
#include <memory>
#include <new>

#include "io/file.hpp"
#include "io/hasher.hpp"
#include "io/io.hpp"
#include "io/read_witness.hpp"

namespace parallax::io {
namespace {

/// As the program xxhsum prints it.
std::string hex(XXH128_hash_t hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

struct Hasher::State {
    struct Free {
        void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
    };
    std::unique_ptr<XXH3_state_t, Free> hash{XXH3_createState()};
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
    static const XXH128_hash_t ready = XXH3_128bits("", 0);   // by one thread: the library then finds out what the processor has
    static_cast<void>(ready);
    if (!state_->hash) throw std::bad_alloc();
    XXH3_128bits_reset(state_->hash.get());
}

Hasher::~Hasher() = default;

void Hasher::add(const void* bytes, std::size_t count) noexcept { XXH3_128bits_update(state_->hash.get(), bytes, count); }

std::string Hasher::hex() const { return io::hex(XXH3_128bits_digest(state_->hash.get())); }

std::string hash_file(const std::filesystem::path& path, const std::stop_token& stop, std::optional<Stretch> part_of_it) {
    ReadWitness* const witness = part_of_it ? nullptr : ReadWitness::of(path);
    if (witness) {
        if (std::optional<std::string> hash = witness->finish(path, stop)) return *hash;
    }
    File file = File::open(path);
    Hasher hash;
    std::uint64_t left = part_of_it ? part_of_it->bytes : file.size();
    if (part_of_it) file.seek(part_of_it->first);
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left, 1u << 18));
    const auto block =
        std::make_unique_for_overwrite<char[]>(most);   // small files are many: no larger than they, and not cleared
    while (left > 0 && !stop.stop_requested()) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, most));
        file.read(block.get(), part, "the file");
        hash.add(block.get(), part);
        left -= part;
    }
    return hash.hex();
}

std::string hash_text(std::string_view text) { return hex(XXH3_128bits(text.data(), text.size())); }

std::string hash_array(const HostArray& array) {
    const HostArray dense = array.to_dense();
    return hex(XXH3_128bits(dense.data(), dense.desc.dense_bytes()));
}

}  // namespace parallax::io
