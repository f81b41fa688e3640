#include "series/known_folders.hpp"

#include "io/file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "support/file_identity.hpp"

#include <fmt/format.h>

#include <system_error>

namespace parallax::engine::series {

KnownFolders::KnownFolders(const std::vector<Place>& places) {
    for (const Place& place : places) known_.push_back({place, std::filesystem::absolute(place.path), std::nullopt});
    learn();
}

void KnownFolders::learn() {
    const std::lock_guard lock(mutex_);
    for (Known& known : known_) {
        if (known.folder) continue;
        try {
            known.folder = host::Folder::open(known.absolute);
        } catch (const std::system_error&) {   // not there yet
        }
    }
}

void KnownFolders::look() const {
    const std::lock_guard lock(mutex_);
    for (const Known& known : known_) {
        if (!known.folder) continue;
        // Both numbers are of now: those of a folder that is there may change, on an overlay for one.
        const auto held = host::identity_of(*known.folder / "."), there = host::identity_of(known.absolute);
        std::error_code error;   // a system without numbers for folders tells whether they are there
        const bool same = held && there ? held->device == there->device && held->inode == there->inode
                                        : !held && std::filesystem::is_directory(known.absolute, error);
        if (same) continue;
        const bool another = there || std::filesystem::exists(known.absolute, error);
        throw IoError(io::show(known.place.path),
                      fmt::format("{} {}", known.place.what,
                                  another ? "is another than when the series began" : "has gone while the series ran"),
                      "items that are written stay in the one of before: put it back, then --resume goes on");
    }
}

}  // namespace parallax::engine::series
