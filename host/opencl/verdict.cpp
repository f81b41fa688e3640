#include "opencl/verdict.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

namespace parallax::host::opencl {
namespace {

constexpr const char* sound = "sound";

}  // namespace

std::optional<std::string> known_verdict(ProgramCache* cache, const std::string& key) {
    const auto known = cache != nullptr ? cache->load(key) : std::vector<unsigned char>();
    if (known.empty()) return std::nullopt;
    std::string verdict(known.begin(), known.end());
    return verdict == sound ? std::string() : std::move(verdict);
}

void keep_verdict(ProgramCache* cache, const std::string& key, const std::string& reason) {
    if (cache == nullptr) return;
    const std::string verdict = reason.empty() ? sound : reason;
    cache->store(key, std::vector<unsigned char>(verdict.begin(), verdict.end()));
}

void refuse(const std::string& file, const std::string& what, const std::string& options, const std::string& reason) {
    throw UnsupportedError(fmt::format("{} cannot be compiled by this driver", file),
                           {fmt::format("{}: {} (options {})", what, reason, options)});
}

std::string kept_reason(const ProgramCache& cache, const std::string& reason) {
    const std::string folder = cache.folder();
    return folder.empty() ? reason : reason + "; this verdict is kept in " + folder;
}

}  // namespace parallax::host::opencl
