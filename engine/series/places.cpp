#include "series/places.hpp"

#include "io/file.hpp"
#include "io/journal.hpp"
#include "io/one_name.hpp"
#include "io/transaction.hpp"
#include "job/paths.hpp"
#include "parallax/host/error.hpp"
#include "support/platform.hpp"

#include <algorithm>
#include <system_error>
#include <unordered_set>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// By a file under the one name that is looked for under the other.
bool are_one_name(const fs::path& folder, const std::string& a, const std::string& b) {
    std::error_code ignored;
    if (!io::can_create_in(folder)) return false;   // nor could it be removed, perhaps (chattr +a)
    const std::string start = io::transaction_prefix + host::platform::unique_suffix() + '-';
    const fs::path made = folder / path_from(start + a);
    try {
        io::File::create(made).close();
    } catch (const IoError&) {   // a full disk, say
        return false;
    }
    const bool one = fs::exists(folder / path_from(start + b), ignored);
    std::error_code error;
    fs::remove(made, error);
    if (error)
        throw IoError(io::show(made), "a file by which the folder's names were looked at cannot be removed: " + error.message(),
                      "the next run tries again; outputs need a folder in which files can be removed");
    return one;
}

}  // namespace

/// The nearest that is there speaks for those that will be made in it.
bool Places::folds(const fs::path& folder) {
    const auto [known, fresh] = folds_.try_emplace(folder, false);
    if (!fresh) return known->second;
    io::recover(folder);   // of who was ended while he looked: above an output folder that is not there yet nobody else would
    known->second = are_one_name(folder, "a", "A") || are_one_name(folder, "\xc3\xa9", "e\xcc\x81");
    return known->second;
}

bool Places::may_fold(const fs::path& folder) {
    const auto [known, fresh] = may_fold_.try_emplace(folder, false);
    if (!fresh) return known->second;
    std::error_code ignored;
    bool any = false, over = false;
    for (fs::path there = folder; !any && !over && there.has_relative_path(); there = there.parent_path()) {
        if (!fs::is_directory(there, ignored)) continue;
        any = folds(there);
        const fs::path above = top_.lexically_relative(there);   // "." at the top
        over = !above.empty() && *above.begin() != "..";
    }
    return may_fold_[folder] = any;
}

bool Places::are_one(const fs::path& a, const fs::path& b) {
    fs::path folder;
    auto i = a.begin(), j = b.begin();
    std::error_code ignored;
    for (; i != a.end() && j != b.end(); ++i, ++j) {
        fs::path there = folder;
        while (!fs::is_directory(there, ignored) && there.has_relative_path()) there = there.parent_path();
        if (*i != *j && !(folds(there) && are_one_name(there, to_utf8(*i), to_utf8(*j)))) return false;
        folder /= *i;
    }
    return i == a.end() && j == b.end();
}

const std::size_t* Places::take(const fs::path& real, std::size_t owner) {
    const std::string name = to_utf8(real);
    const auto [known, fresh] = owners_.emplace(name, owner);
    if (!fresh) return &known->second;
    if (!tries_ || !may_fold(real.parent_path())) return nullptr;
    const std::string letters = io::rough_name(real);
    const auto [begin, end] = alike_.equal_range(letters);
    for (auto twin = begin; twin != end; ++twin)
        if (are_one(twin->second, real)) return &owners_.at(to_utf8(twin->second));
    alike_.emplace(letters, real);
    return nullptr;
}

std::pair<fs::path, fs::path> Places::nested() const {
    std::unordered_set<std::string> seen;   // folders: what these lie in has been seen, too
    for (const auto& [name, owner] : owners_) {
        for (std::size_t end = name.rfind('/'); end != name.npos && end > 0; end = name.rfind('/', end - 1)) {
            const std::string above = name.substr(0, end);
            if (!seen.insert(above).second) break;
            if (owners_.contains(above)) return {path_from(name), path_from(above)};
        }
    }
    return {};
}

}  // namespace parallax::engine::series
