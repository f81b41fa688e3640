#include "program/key.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <memory>
#include <new>

namespace parallax::host {

std::string hash_parts(std::span<const std::string_view> parts) {
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), &XXH3_freeState);
    if (!state) throw std::bad_alloc();
    XXH3_128bits_reset(state.get());
    for (const std::string_view part : parts) {
        const std::uint64_t size = part.size();
        XXH3_128bits_update(state.get(), &size, sizeof size);
        XXH3_128bits_update(state.get(), part.data(), part.size());
    }
    const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string program_key(std::string_view source, std::string_view options, const DeviceInfo& device) {
    return hash_parts({source, options, to_string(device.backend), device.platform, device.name, device.version, device.driver,
                       PARALLAX_VERSION});
}

}  // namespace parallax::host
