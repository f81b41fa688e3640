#include "compare/inputs_read.hpp"

#include "cases/inputs.hpp"
#include "io/io.hpp"
#include "io/tree.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

std::string InputsRead::hash_of(const fs::path& path) {
    const auto now = io::identity_of_tree(path);   // before the hash: what comes later is another
    const auto at = known_.find(path);
    if (now && at != known_.end() && at->second.identity == *now && at->second.identity.changed == now->changed)
        return at->second.hash;
    std::string hash = io::hash_of_tree(path);
    if (now && !host::may_keep_its_time(*now)) known_[path] = {*now, hash};
    return hash;
}

Json InputsRead::of(const Json& inputs, const Locations& where) {
    std::string text;
    for (const auto& [name, spec] : inputs.items()) {
        if (!is_read(spec)) continue;
        text += name + '\n';
        try {
            for (const fs::path& file : files_of(name, spec, where)) text += to_utf8(file.filename()) + ' ' + hash_of(file) + '\n';
        } catch (const std::exception&) {
            text += "not to be had\n";   // which its rows say
        }
    }
    return text.empty() ? Json() : Json(io::hash_text(text));
}

}   // namespace parallax::engine::compare
