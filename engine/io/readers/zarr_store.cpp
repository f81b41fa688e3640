#include "io/readers/zarr_store.hpp"

#include "io/known_status.hpp"
#include "support/json_outline.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace parallax::io::readers::zarr {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_text = 16 << 20;

}   // namespace

std::string read_file(const fs::path& path, std::uint64_t most) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (says_absent(error)) return {};
    if (error) throw Problem{"has a file " + path.filename().string() + " that cannot be looked at (" + error.message() + ")", again};
    if (size > most)
        throw Problem{"has a file " + path.filename().string() + " of " + std::to_string(size) + " bytes; up to " +
                          std::to_string(most) + " are read",
                      again};
    std::ifstream in(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (static_cast<std::uint64_t>(in.gcount()) != size)
        throw Problem{"has a file " + path.filename().string() + " that cannot be read", again};
    return bytes;
}

Json json_file(const fs::path& path) {
    const std::string text = read_file(path, most_text);
    if (text.empty()) return nullptr;
    constexpr JsonBounds bounds{.values = 1 << 20, .keys_once = true};
    const auto fault = fault_of(text, bounds);
    if (fault && fault->excess == JsonExcess::key_twice)   // readers take one or the other
        throw Problem{"has a file " + path.filename().string() + " with the key \"" + fault->key.substr(0, 80) + "\" twice", again};
    if (fault)
        throw Problem{"has a file " + path.filename().string() + " of more than " +
                          (fault->excess == JsonExcess::levels ? std::to_string(bounds.levels) + " levels"
                                                               : std::to_string(bounds.values) + " values"),
                      again};
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) throw Problem{"has a file " + path.filename().string() + " that is no JSON object", again};
    return json;
}

std::vector<std::string> names_of_arrays(const fs::path& folder) {
    std::vector<std::string> names;
    std::size_t seen = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), none; it != none && seen < 10000 && names.size() < 100;
         it.increment(error), ++seen) {
        if (it.depth() > 4) it.disable_recursion_pending();
        if (it->path().filename() == ".zarray")
            names.push_back(fs::relative(it->path().parent_path(), folder, error).string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string arrays_in(const fs::path& folder) {
    std::string list;
    for (const std::string& name : names_of_arrays(folder)) {
        if (list.size() < 1000) list += (list.empty() ? "it holds " : ", ") + name;
    }
    return list.empty() ? "it holds no arrays" : list;
}

fs::path below(const fs::path& folder, const std::string& name) {
    const fs::path relative = fs::path(name).relative_path();
    for (const fs::path& part : relative) {
        if (part == "..") throw Problem{"names \"" + name + "\", which is not in its folder", again};
    }
    if (!fs::is_directory(folder / relative))
        throw Problem{"has no array or group \"" + name + "\": " + arrays_in(folder), "choose one that is there"};
    return folder / relative;
}

}   // namespace parallax::io::readers::zarr
