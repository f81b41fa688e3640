#include "series/file_state.hpp"

#include "io/hints.hpp"
#include "io/io.hpp"
#include "io/tree.hpp"
#include "job/paths.hpp"
#include "support/file_identity.hpp"

#include <fmt/format.h>

#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

std::string path_in_record(const Json& json) {
    auto path = json.get<std::string>();
    if (path.empty() || path.find('\0') != std::string::npos)
        throw ConfigError("", fmt::format("the path {} in a record", json.dump(-1, ' ', true, Json::error_handler_t::replace)), "one of a file");
    return path;
}

// Whole numbers: get<>() takes a real, too, which need not fit.
FileState file_from(const Json& json) {
    return {path_in_record(json.at("path")), json.at("bytes").get_ref<const std::uint64_t&>(),
            json.at("modified").get_ref<const std::int64_t&>(), json.at("xxh3_128").get<std::string>(),
            json.contains("inode") ? json.at("inode").get_ref<const std::uint64_t&>() : 0, json.value("of", std::string()),
            json.contains("changed") ? json.at("changed").get_ref<const std::int64_t&>() : 0};
}

Json to_json(const std::vector<FileState>& files) {
    Json list = Json::array();
    for (const FileState& file : files) {
        list.push_back({{"path", file.path}, {"bytes", file.bytes}, {"modified", file.modified}, {"xxh3_128", file.hash},
                        {"inode", file.inode}});
        if (!file.of.empty()) list.back()["of"] = file.of;
        if (file.changed != 0) list.back()["changed"] = file.changed;
    }
    return list;
}

FileState state_of(const FileReport& report) {
    return {report.path, report.bytes, report.identity ? report.identity->modified : 0, report.hash,
            report.identity ? report.identity->inode : 0};
}

FileState state_of_input(const FileReport& report) {
    FileState state = state_of(report);
    if (!report.certain) state.modified = 0;
    if (report.identity) state.changed = report.identity->changed;
    return state;
}

fs::path place_of(const fs::path& file) {
    std::error_code failed;
    const fs::path whole = fs::absolute(file), place = fs::weakly_canonical(whole, failed);
    return failed ? whole.lexically_normal() : place;
}

const std::string& KnownHashes::of(const fs::path& path, const host::FileIdentity& identity) {
    // By the numbers of what is open, where it is held, and by its path where the system has no numbers.
    const std::string name = identity.inode == 0 ? to_utf8(path) : std::string();
    const auto [known, is_new] =
        hashes_.try_emplace({identity.device, identity.inode, identity.bytes, identity.modified, identity.changed, name}, std::string());
    if (is_new) known->second = io::hash_of_tree(path);
    return known->second;
}

bool unchanged(const FileState& file, KnownHashes* hashes) {
    return unchanged_at(place_of(path_from(file.path)), file, hashes);   // a folder that it leads through and out of again may be gone
}

bool unchanged_at(const fs::path& path, const FileState& file, KnownHashes* hashes) {
    return renewed_at(path, file, hashes).has_value();
}

std::optional<FileState> renewed_at(const fs::path& path, const FileState& file, KnownHashes* hashes) {
    const auto now = io::identity_of_tree(path, file.bytes);
    if (!now || now->bytes != file.bytes) return std::nullopt;
    const bool as_it_was = file.modified != 0 && now->modified == file.modified && (file.inode == 0 || now->inode == file.inode) &&
                           (file.changed == 0 || now->changed == 0 || now->changed == file.changed);
    if (as_it_was) return file;
    if ((hashes ? hashes->of(path, *now) : io::hash_of_tree(path)) != file.hash) return std::nullopt;
    FileState renewed = file;
    if (!host::may_change_unseen(*now)) renewed.modified = now->modified, renewed.inode = now->inode, renewed.changed = now->changed;
    return renewed;
}

}  // namespace parallax::engine::series
