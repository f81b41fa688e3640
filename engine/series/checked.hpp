// JSON documents of a manifest that know whether they were damaged.
#pragma once

#include "io/io.hpp"
#include "parallax/host/json.hpp"

#include <string>
#include <utility>

namespace parallax::engine::series {

constexpr const char* checksum_key = "checksum";

inline std::string checksum_of(Json document) {
    document.erase(checksum_key);
    return io::hash_text(document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

inline Json with_checksum(Json document) {
    document[checksum_key] = checksum_of(document);
    return document;
}

/// `since`: a member that documents with a checksum have, and those of before have not; these are taken as they are.
inline bool is_as_written(const Json& document, const char* since) {
    if (!document.is_object()) return false;
    if (!document.contains(checksum_key)) return !document.contains(since);
    return document.at(checksum_key) == checksum_of(document);
}

}  // namespace parallax::engine::series
