#include "io/one_name.hpp"

#include "support/entries.hpp"
#include "support/mounts.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace parallax::io {

namespace fs = std::filesystem;

namespace {

/// Found under both names, where the folder has but one of them.
bool are_one_name(const fs::path& folder, const fs::path& a, const fs::path& b, const Look& look) {
    if (rough_name(a) != rough_name(b) || !look.finds(folder / a) || !look.finds(folder / b)) return false;
    const std::vector<fs::path> listed = look.lists(folder);
    const auto has = [&](const fs::path& name) {
        return std::any_of(listed.begin(), listed.end(), [&](const fs::path& entry) { return entry.filename() == name; });
    };
    return !listed.empty() && !(has(a) && has(b));   // a folder that may not be listed tells nothing
}

}  // namespace

std::string rough_name(const fs::path& path) {
    const std::u8string name = path.generic_u8string();
    std::string result;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]),
                   next = static_cast<unsigned char>(i + 1 < name.size() ? name[i + 1] : 0);
        // U+0300 to U+036F: it joins the letter before it.
        const bool joins = (c == 0xcc && next >= 0x80) || (c == 0xcd && next >= 0x80 && next < 0xb0);
        if (joins && !result.empty() && result.back() != '/') result.pop_back();
        if (c < 0x80) result += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
        else if (c >= 0xe4 && c <= 0xe9 && i + 2 < name.size()) {   // U+4000 to U+9FFF
            result.append({static_cast<char>(c), static_cast<char>(name[i + 1]), static_cast<char>(name[i + 2])});
            i += 2;
        }
    }
    return result;
}

const Look& look_at_disk() {
    static const auto& look = *new Look{[](const fs::path& path) {
                                            std::error_code ignored;
                                            return fs::exists(fs::symlink_status(path, ignored));
                                        },
                                        [](const fs::path& folder) {
                                            std::error_code ignored;
                                            return host::entries_of(folder, ignored);
                                        }};
    return look;
}

bool are_one_place(const fs::path& a, const fs::path& b, const Look& look) {
    if (a == b) return true;
    if (rough_name(a) != rough_name(b)) return false;
    fs::path folder;
    auto i = a.begin(), j = b.begin();
    for (; i != a.end() && j != b.end(); ++i, ++j) {
        if (*i != *j && !are_one_name(folder, *i, *j, look)) return false;
        folder /= *i;
    }
    return i == a.end() && j == b.end();
}

bool lies_in(const fs::path& place, const fs::path& folder, const Look& look) {
    const auto parts = std::distance(folder.begin(), folder.end());
    if (std::distance(place.begin(), place.end()) <= parts) return false;
    fs::path above;
    std::for_each(place.begin(), std::next(place.begin(), parts), [&](const fs::path& part) { above /= part; });
    return are_one_place(above, folder, look);
}

bool lead_to_one(const fs::path& a, const fs::path& b) {
    std::error_code ignored, unknown;
    if (fs::equivalent(a, b, ignored)) return true;
    if (a.has_filename() && b.has_filename() && rough_name(a.filename()) != rough_name(b.filename())) return false;
    const fs::path real = fs::weakly_canonical(fs::absolute(a), unknown), other = fs::weakly_canonical(fs::absolute(b), ignored);
    if (unknown || ignored) return false;
    const host::Mounts mounts;
    return are_one_place(mounts.first_path(real), mounts.first_path(other));
}

void AlikePlaces::add(const fs::path& place, const fs::path& written) {
    by_rough_name_[rough_name(place)].fresh.push_back({place, written});
}

/// Where a folder may not be listed nothing is told of its names: they count as listed.
bool AlikePlaces::is_listed(const fs::path& place) const {
    fs::path folder;
    for (const fs::path& part : place) {
        if (!folder.empty() && !part.empty()) {
            const auto [known, is_new] = listings_.try_emplace(folder);
            if (is_new)
                for (const fs::path& entry : look_.lists(folder)) known->second.insert(entry.filename().native());
            if (!known->second.empty() && !known->second.contains(part.native())) return false;
        }
        folder /= part;
    }
    return true;
}

void AlikePlaces::sort_out(Alike& alike) const {
    for (Known& known : alike.fresh) {
        if (is_listed(known.place)) alike.listed.try_emplace(known.place.native(), std::move(known));
        else alike.unlisted[known.place.filename().native()].push_back(std::move(known));
    }
    alike.fresh.clear();
}

const fs::path* AlikePlaces::find(const fs::path& place) const {
    const auto found = by_rough_name_.find(rough_name(place));
    if (found == by_rough_name_.end()) return nullptr;
    Alike& alike = found->second;
    sort_out(alike);
    if (const auto same = alike.listed.find(place.native()); same != alike.listed.end()) return &same->second.written;
    if (alike.unlisted.empty() && is_listed(place)) return nullptr;
    // Where nothing is found, names that differ are two, and only folders may be spelled otherwise.
    const bool is_there = look_.finds(place);
    const auto first = is_there ? alike.unlisted.begin() : alike.unlisted.lower_bound(place.filename().native()),
               last = is_there ? alike.unlisted.end() : alike.unlisted.upper_bound(place.filename().native());
    for (auto at = first; at != last; ++at)
        for (const Known& known : at->second)
            if (are_one_place(known.place, place, look_)) return &known.written;
    if (!is_there || is_listed(place)) return nullptr;
    for (const auto& [name, known] : alike.listed)
        if (are_one_place(known.place, place, look_)) return &known.written;
    return nullptr;
}

const fs::path* AlikePlaces::inside(const fs::path& place) const {
    const std::string start = rough_name(place / "");
    for (auto at = by_rough_name_.lower_bound(start); at != by_rough_name_.end() && at->first.starts_with(start); ++at) {
        sort_out(at->second);
        for (const auto& [name, known] : at->second.listed)
            if (lies_in(known.place, place, look_)) return &known.written;
        for (const auto& [name, same] : at->second.unlisted)
            for (const Known& known : same)
                if (lies_in(known.place, place, look_)) return &known.written;
    }
    return nullptr;
}

}  // namespace parallax::io
