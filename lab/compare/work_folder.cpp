#include "compare/work_folder.hpp"

#include "parallax/host/error.hpp"
#include "support/platform.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

namespace {

/// A name of which nothing is there, since the folder never gets it.
fs::path never_there(const fs::path& out) { return out / (host::platform::unique_suffix() + "-study"); }

void keep_from_others(const fs::path& folder) {
    if (!host::platform::make_private(folder)) throw IoError("", "cannot be kept from others", "look at the permissions of its folder");
}

}   // namespace

WorkFolder::WorkFolder(const fs::path& out)
    : transaction_(out, {.overwrite = false, .synced = false}),
      path_(fs::absolute(out) /
            transaction_.add(never_there(out), keep_from_others, io::Transaction::Form::folder).filename()) {}   // a name for workers, too

}   // namespace parallax::engine::compare
