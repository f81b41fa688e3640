#include "opencl/verdict.hpp"

#include "failure.hpp"
#include "parallax/host/error.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace parallax::host::opencl {
namespace {

constexpr std::string_view sound = "sound";

struct Bad {
    std::string reason;
    Failure failure;
};

/// Nothing where there is none, or it was written by something else.
std::optional<Bad> bad_from(const std::vector<unsigned char>& text) {
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    const auto failure = json.is_object() ? failure_from(json.value("failure", Json())) : std::nullopt;
    if (!failure || !json.contains("reason") || !json["reason"].is_string()) return std::nullopt;
    return Bad{json["reason"], *failure};
}

/// With where it is kept, if that is a place, and how long.
std::string told(const Bad& bad, const ProgramCache& cache) {
    const std::string folder = cache.folder();
    if (folder.empty()) return bad.reason;
    const std::chrono::system_clock::time_point until{std::chrono::seconds(bad.failure.until())};
    return fmt::format(
        "{}; this verdict is kept in {} until {:%Y-%m-%d %H:%M} UTC at the latest; with PARALLAX_CACHE_DIR=off it is tried at "
        "once",
        bad.reason, folder, fmt::gmtime(until));
}

}  // namespace

std::optional<std::string> known_verdict(ProgramCache* cache, const std::string& key) {
    const auto known = cache != nullptr ? cache->load(key) : std::vector<unsigned char>();
    if (std::string_view(reinterpret_cast<const char*>(known.data()), known.size()) == sound) return std::string();
    const auto bad = bad_from(known);
    return bad && bad->failure.holds() ? std::optional(told(*bad, *cache)) : std::nullopt;
}

void keep_sound(ProgramCache* cache, const std::string& key) {
    if (cache != nullptr) cache->store(key, std::vector<unsigned char>(sound.begin(), sound.end()));
}

std::string keep_failure(ProgramCache* cache, const std::string& key, const std::string& reason, double took_s) {
    if (cache == nullptr) return reason;
    const auto before = bad_from(cache->load(key));
    const Bad bad{reason, failure_now(before ? std::optional(before->failure) : std::nullopt, took_s)};
    const std::string text = Json{{"reason", bad.reason}, {"failure", bad.failure.to_json()}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
    cache->store(key, std::vector<unsigned char>(text.begin(), text.end()));
    return told(bad, *cache);
}

void refuse(const std::string& file, const std::string& what, const std::string& options, const std::string& reason) {
    throw UnsupportedError(fmt::format("{} cannot be compiled by this driver", file),
                           {fmt::format("{}: {} (options {})", what, reason, options)});
}

}  // namespace parallax::host::opencl
