#include "series/folder_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "job/pattern.hpp"

#if defined(__linux__)
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>
#endif

namespace parallax::engine::series {

namespace fs = std::filesystem;

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

/// Why no file can be found in it; empty: they can.
std::string trouble_at(const fs::path& folder) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (status.type() == fs::file_type::not_found) return "is not there";
    if (!error && !fs::is_directory(status)) return "is no folder";
    if (!error) fs::directory_iterator(folder, error);
    return error ? fmt::format("cannot be read ({})", error.message()) : std::string();
}

/// Whether it is the top of a file system.
bool is_mounted(const fs::path& folder) {
    std::error_code error;
    const fs::path own = fs::canonical(folder, error);
    if (error) return false;
    const auto here = host::identity_of(own), above = host::identity_of(own.parent_path());
    return here && above && here->device != above->device;
}

bool lies_in(const fs::path& folder, const std::string& file) {
    const fs::path way = path_from(file).lexically_relative(folder);
    return !way.empty() && *way.begin() != "..";
}

}   // namespace

FolderWatch::FolderWatch(std::vector<std::string> patterns, std::string pointer, const Locations& where)
    : pointer_(std::move(pointer)), where_(absolute(where)), next_look_(steady_clock::now()) {
    if (where_.confined)
        confinement_.emplace(where_, [this](const fs::path&, const ConfigError& error) {
            if (dynamic_cast<const NoSuchFile*>(&error) == nullptr) tell_once(fmt::format("{}: it is not taken", error.found));
        });
    for (std::string& text : patterns) {
        Pattern pattern{std::move(text), {}, {}};
        if (confinement_) confinement_->check(folder_of_input(pattern.text, where_), pointer_);
        else refuse_dots_behind_link(folder_of_input(pattern.text, where_), pointer_);   // a stranger's finds no file
        const fs::path folder = folder_of_input(pattern.text, where_).lexically_normal();
        if (const std::string trouble = trouble_with(folder); !trouble.empty())
            throw ConfigError(pointer_, fmt::format("the folder {}, which {}", to_utf8(folder), trouble), "a folder to watch",
                              "make it before: what is to come needs a place");
        Place& place = places_[folder];
        const std::size_t slash = pattern.text.find_last_of('/');
        const std::string before = slash == std::string::npos ? std::string() : pattern.text.substr(0, slash);
        if (!has_wildcard(before)) {
            pattern.folder = folder;
            place.noticed = true;
            pattern.name =
                slash == std::string::npos ? pattern.text.substr(pattern.text.find(':') + 1) : pattern.text.substr(slash + 1);
        }
        patterns_.push_back(std::move(pattern));
    }
    begin_notices();
    look_at_places();
}

std::optional<FolderWatch::Way> FolderWatch::way_to(const fs::path& folder) const {
    if (!confinement_) return Way{{}, folder};
    std::optional<host::Folder> held = confinement_->folder(folder);
    if (!held) return std::nullopt;
    fs::path path = *held / ".";
    return Way{std::move(held), std::move(path)};
}

std::string FolderWatch::trouble_with(const fs::path& folder) const {
    const std::optional<Way> way = way_to(folder);
    return way ? trouble_at(way->path) : "is not there";
}

std::optional<host::FileIdentity> FolderWatch::identity_of(const fs::path& file) {
    if (!confinement_) return host::identity_of(file);
    try {
        const std::optional<host::OpenedFile> opened = confinement_->open_if_there(file, pointer_);
        return opened ? host::identity_of(opened->path()) : std::nullopt;
    } catch (const ConfigError& error) {
        tell_once(fmt::format("{}: it is not taken", error.found));
        return std::nullopt;
    } catch (const IoError&) {   // it may be seen the next time
        return std::nullopt;
    }
}

void FolderWatch::tell_once(std::string sentence) {
    if (told_.size() < 1000 && told_.insert(sentence).second) news_.push_back(std::move(sentence));
}

/// As a pattern finds names: none that begins with a dot.
bool FolderWatch::fits(const Pattern& pattern, const std::string& name) { return name[0] != '.' && matches(pattern.name, name); }

std::vector<std::string> FolderWatch::incomplete() const {
    std::vector<std::string> names(being_written_.begin(), being_written_.end());
    names.insert(names.end(), empty_.begin(), empty_.end());
    for (const auto& [name, seen] : seen_) names.push_back(name);
    return names;
}

bool FolderWatch::wants(const fs::path& file) const {
    const fs::path path = fs::absolute(file).lexically_normal();
    return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
        return !pattern.folder.empty() && pattern.folder == path.parent_path() && fits(pattern, to_utf8(path.filename()));
    });
}

#if defined(__linux__)

FolderWatch::~FolderWatch() {
    if (notices_ >= 0) ::close(notices_);
}

void FolderWatch::begin_notices() { notices_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

void FolderWatch::begin_notices(const fs::path& folder, Place& place) {
    if (notices_ < 0 || !place.noticed) return;
    const std::optional<Way> way = way_to(folder);
    if (!way) return;
    place.handle =
        inotify_add_watch(notices_, way->path.c_str(),
                          IN_CLOSE_WRITE | IN_MOVED_TO | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF);
}

/// A folder that was renamed would tell of its files under the name that is another's now.
void FolderWatch::end_notices(Place& place) {
    if (place.handle >= 0) inotify_rm_watch(notices_, place.handle);
    place.handle = -1;
}

void FolderWatch::read_notices() {
    alignas(inotify_event) char buffer[65536];
    for (;;) {
        const ssize_t bytes = ::read(notices_, buffer, sizeof buffer);
        if (bytes <= 0) return;
        const steady_clock::time_point now = steady_clock::now();
        for (ssize_t at = 0; at < bytes;) {
            const auto* const event = reinterpret_cast<const inotify_event*>(buffer + at);
            at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            if ((event->mask & IN_Q_OVERFLOW) != 0) {   // some were not told
                being_written_.clear();
                next_look_ = now;
                continue;
            }
            if ((event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED)) != 0) {
                for (auto& [folder, place] : places_) {
                    if (place.handle == event->wd) place.left = true, next_look_ = now;
                }
                continue;
            }
            if (event->len == 0 || (event->mask & IN_ISDIR) != 0) continue;
            const std::string name = event->name;
            for (const Pattern& pattern : patterns_) {
                if (pattern.folder.empty() || places_[pattern.folder].handle != event->wd || !fits(pattern, name)) continue;
                const fs::path file = pattern.folder / path_from(name);
                const std::string key = to_utf8(file);
                if ((event->mask & IN_MODIFY) != 0) {
                    being_written_.insert(key);
                } else if ((event->mask & (IN_DELETE | IN_MOVED_FROM)) != 0) {
                    being_written_.erase(key);
                    seen_.erase(key);
                } else {
                    being_written_.erase(key);
                    std::error_code error;
                    if (!confinement_ && !fs::is_regular_file(file, error)) break;
                    // A look may have been faster than the notice.
                    const auto known = taken_.find(key);
                    const auto here = identity_of(file);
                    const bool same = known != taken_.end() && known->second && known->second == here;
                    if (!same && here && here->bytes > 0) take(file, now);
                }
                break;
            }
        }
    }
}

std::vector<Arrival> FolderWatch::wait(milliseconds most) {
    const steady_clock::time_point until = steady_clock::now() + most;
    for (;;) {
        if (notices_ >= 0) read_notices();
        if (steady_clock::now() >= next_look_) look();
        if (!arrived_.empty() || !news_.empty()) return std::exchange(arrived_, {});
        const auto left = std::chrono::duration_cast<milliseconds>(std::min(until, next_look_) - steady_clock::now());
        if (steady_clock::now() >= until) return {};
        pollfd what{notices_, POLLIN, 0};
        ::poll(&what, notices_ >= 0 ? 1 : 0, static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 1, 1000)));
    }
}

#else

FolderWatch::~FolderWatch() = default;
void FolderWatch::begin_notices() {}
void FolderWatch::begin_notices(const fs::path&, Place&) {}
void FolderWatch::end_notices(Place&) {}
void FolderWatch::read_notices() {}

std::vector<Arrival> FolderWatch::wait(milliseconds most) {
    const steady_clock::time_point until = steady_clock::now() + most;
    for (;;) {
        if (steady_clock::now() >= next_look_) look();
        if (!arrived_.empty() || !news_.empty()) return std::exchange(arrived_, {});
        if (steady_clock::now() >= until) return {};
        std::this_thread::sleep_until(std::min(until, next_look_));
    }
}

#endif

/// What is known of files that were not complete, and of those that are other files now.
void FolderWatch::forget(const fs::path& folder, bool taken_too) {
    std::erase_if(being_written_, [&](const std::string& file) { return lies_in(folder, file); });
    std::erase_if(empty_, [&](const std::string& file) { return lies_in(folder, file); });
    std::erase_if(seen_, [&](const auto& seen) { return lies_in(folder, seen.first); });
    if (!taken_too) return;
    // Whoever asked knows what it has read, and holds a file that comes again against that.
    std::erase_if(taken_, [&](const auto& taken) {
        if (!lies_in(folder, taken.first)) return false;
        const auto now = identity_of(path_from(taken.first));
        return !now || now != taken.second;
    });
}

/// Whether no file can come to it, which is told once.
bool FolderWatch::has_gone(const fs::path& folder, Place& place) {
    std::string trouble = trouble_with(folder);
    if (trouble.empty() && place.mounted) {
        const std::optional<Way> way = way_to(folder);
        if (!way || !is_mounted(way->path)) trouble = "is not mounted";
    }
    if (trouble.empty()) return false;
    if (place.trouble.empty()) {
        end_notices(place);
        forget(folder, false);
        news_.push_back(fmt::format("the folder {} {}: it is waited for", to_utf8(folder), trouble));
    }
    place.trouble = trouble;
    return true;
}

/// Whether folders are there, and are those that they were.
void FolderWatch::look_at_places() {
    for (auto& [folder, place] : places_) {
        if (has_gone(folder, place)) continue;
        const std::optional<Way> way = way_to(folder);
        const auto here = way ? host::identity_of(way->path) : std::nullopt;
        const std::uint64_t device = here ? here->device : 0, inode = here ? here->inode : 0;
        const bool same = device == place.device && inode == place.inode;
        if (place.known && same && !place.left && place.trouble.empty()) continue;
        if (place.known) {
            end_notices(place);
            forget(folder, true);
            news_.push_back(fmt::format("the folder {} {}: its files are taken as they come", to_utf8(folder),
                                        same ? "is there again" : "is another one now"));
        }
        place = {true, device, inode, way && is_mounted(way->path), place.noticed, false, -1, {}};
        begin_notices(folder, place);
    }
}

std::vector<std::string> FolderWatch::gone() {
    look_at_places();
    std::vector<std::string> all;
    for (const auto& [folder, place] : places_) {
        if (!place.trouble.empty()) all.push_back(fmt::format("the folder {} {}", to_utf8(folder), place.trouble));
    }
    return all;
}

/// Looks at every file. In large folders that takes its time: a twentieth of it all at most.
void FolderWatch::look() {
    const steady_clock::time_point now = steady_clock::now();
    look_at_places();
    std::set<std::string> there;
    empty_.clear();
    for (const Pattern& pattern : patterns_) {
        std::vector<fs::path> files;
        try {
            files = resolve_inputs(pattern.text, where_, pointer_, confinement_ ? &*confinement_ : nullptr);
        } catch (const NoSuchFile&) {   // none yet
        } catch (const ConfigError& error) {
            tell_once(fmt::format("{}, expected {}: no file of this pattern is taken by looking", error.found, error.expected));
        }
        for (const fs::path& file : files) {
            const std::string key = to_utf8(file);
            there.insert(key);
            if (being_written_.count(key) > 0) continue;
            const std::optional<host::FileIdentity> here = identity_of(file);
            if (!here) continue;
            // One that was taken may be written by another name, which nobody is told of: behind a link, or on another machine.
            const std::uint64_t bytes = here->bytes;
            const auto taken = taken_.find(key);
            const bool was_taken = taken != taken_.end() && taken->second;   // an inode may be another each time where there are none
            if (was_taken && (bytes == 0 || (taken->second->bytes == bytes && taken->second->modified == here->modified))) continue;
            // One that was given back comes, empty as it is: whoever took it waits to know what became of it.
            const bool emptied = bytes == 0 && seen_.count(key) > 0 && given_back_.count(key) > 0;
            if (bytes == 0 && !emptied) {
                empty_.insert(key), seen_.erase(key);
                continue;
            }
            std::error_code unknown;   // a time that C++ cannot hold, of a file that is waited for as any other
            const fs::file_time_type modified = fs::last_write_time(file, unknown);
            const bool old = !unknown && fs::file_time_type::clock::now() - modified > settle;
            const auto [place, fresh] = seen_.try_emplace(key, Seen{bytes, here->modified, now, !looked_});
            Seen& seen = place->second;
            if (!fresh && (seen.bytes != bytes || seen.modified != here->modified)) seen = {bytes, here->modified, now, false};
            if ((old && fresh) || (known_ && known_(file)) || now - seen.since >= settle)
                take(file, seen.before ? steady_clock::time_point() : seen.since);
        }
    }
    std::erase_if(seen_, [&](const auto& seen) { return there.count(seen.first) == 0; });
    looked_ = true;
    next_look_ = steady_clock::now() + std::max<steady_clock::duration>(look_every, 20 * (steady_clock::now() - now));
}

bool FolderWatch::give_back(const fs::path& file) {
    const std::string key = to_utf8(file);
    const std::optional<host::FileIdentity> here = identity_of(file);
    for (auto& [folder, place] : places_)
        if (!here && lies_in(folder, key)) has_gone(folder, place);   // a look may not have been taken since
    if (is_away(file)) taken_.erase(key);
    if (awaits(file)) return true;
    const auto [known, fresh] = given_back_.try_emplace(key, here);
    if (!here || (!fresh && known->second == here)) return false;
    known->second = here;
    taken_.erase(key);
    seen_[key] = {here->bytes, here->modified, steady_clock::now(), false};
    return true;
}

bool FolderWatch::awaits(const fs::path& file) const {
    const std::string key = to_utf8(file);
    return seen_.count(key) > 0 || being_written_.count(key) > 0 || is_away(file);
}

bool FolderWatch::is_away(const fs::path& file) const {
    return std::any_of(places_.begin(), places_.end(), [&](const auto& known) {
        return !known.second.trouble.empty() && lies_in(known.first, to_utf8(file));
    });
}

void FolderWatch::take(const fs::path& file, steady_clock::time_point at) {
    const std::string key = to_utf8(file);
    taken_[key] = identity_of(file);
    seen_.erase(key);
    arrived_.push_back({file, at});
}

}   // namespace parallax::engine::series
