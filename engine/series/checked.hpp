// JSON documents of a manifest that know whether they were damaged.
#pragma once

#include "io/file.hpp"
#include "io/io.hpp"
#include "io/json_text.hpp"
#include "io/transaction.hpp"
#include "job/load.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"
#include "series/kept_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace parallax::engine::series {

/// Throws ConfigError where there is none, and where it is damaged; IoError where it cannot be read.
inline Json load_document(const std::filesystem::path& path) {
    constexpr std::uint64_t most = std::uint64_t{64} << 20;
    const std::optional<host::OpenedFile> opened = open_kept(path);
    if (!opened) throw ConfigError("", fmt::format("no file {}", io::show(path)), "a document of a series");
    const std::uint64_t bytes = std::filesystem::file_size(opened->path());
    if (bytes == 0 || bytes > most)
        throw ConfigError("", fmt::format("{} bytes in {}", bytes, io::show(path)), "a document of a series, of at most 64 MiB");
    std::string text(static_cast<std::size_t>(bytes), '\0');
    io::File::open(opened->path(), bytes, io::show(path)).read(text.data(), text.size(), "the document");
    return parse_json(text, io::show(path));
}

/// Of what a series keeps beside its outputs.
constexpr const char* limit_hint = "raise the limit, then --resume goes on: it counts what a series keeps beside its outputs, too";

/// Counted against the limit on outputs, as all that transactions write.
inline void write_document(const std::filesystem::path& path, const Json& json, bool overwrite) {
    const std::string text = io::json_text(json);
    io::Transaction::check_limit(path, text.size(), limit_hint);
    io::write_text(path, text, overwrite);
}

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
