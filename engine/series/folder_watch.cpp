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

FolderWatch::FolderWatch(std::vector<std::string> patterns, std::string pointer, const Locations& where)
    : pointer_(std::move(pointer)), where_(absolute(where)), next_look_(steady_clock::now()) {
    for (std::string& text : patterns) {
        Pattern pattern{std::move(text), {}, {}, -1};
        const fs::path folder = folder_of_input(pattern.text, where_).lexically_normal();
        if (!fs::is_directory(folder))
            throw ConfigError(pointer_, fmt::format("the folder {}, which is not there", to_utf8(folder)), "a folder to watch",
                              "make it before: what is to come needs a place");
        const std::size_t slash = pattern.text.find_last_of('/');
        const std::string before = slash == std::string::npos ? std::string() : pattern.text.substr(0, slash);
        if (!has_wildcard(before)) {
            pattern.folder = folder;
            pattern.name =
                slash == std::string::npos ? pattern.text.substr(pattern.text.find(':') + 1) : pattern.text.substr(slash + 1);
        }
        patterns_.push_back(std::move(pattern));
    }
    begin_notices();
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

void FolderWatch::begin_notices() {
    notices_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (notices_ < 0) return;
    for (Pattern& pattern : patterns_) {
        if (!pattern.folder.empty())
            pattern.handle = inotify_add_watch(notices_, pattern.folder.c_str(),
                                               IN_CLOSE_WRITE | IN_MOVED_TO | IN_MODIFY | IN_DELETE | IN_MOVED_FROM);
    }
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
            if (event->len == 0 || (event->mask & IN_ISDIR) != 0) continue;
            const std::string name = event->name;
            for (const Pattern& pattern : patterns_) {
                if (pattern.handle != event->wd || !fits(pattern, name)) continue;
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
                    if (fs::is_regular_file(file, error) && fs::file_size(file, error) > 0)
                        take(file, now, taken_.count(key) > 0);
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
        if (!arrived_.empty()) return std::exchange(arrived_, {});
        const auto left = std::chrono::duration_cast<milliseconds>(std::min(until, next_look_) - steady_clock::now());
        if (steady_clock::now() >= until) return {};
        pollfd what{notices_, POLLIN, 0};
        ::poll(&what, notices_ >= 0 ? 1 : 0, static_cast<int>(std::clamp<std::int64_t>(left.count() + 1, 1, 1000)));
    }
}

#else

FolderWatch::~FolderWatch() = default;
void FolderWatch::begin_notices() {}
void FolderWatch::read_notices() {}

std::vector<Arrival> FolderWatch::wait(milliseconds most) {
    const steady_clock::time_point until = steady_clock::now() + most;
    for (;;) {
        if (steady_clock::now() >= next_look_) look();
        if (!arrived_.empty()) return std::exchange(arrived_, {});
        if (steady_clock::now() >= until) return {};
        std::this_thread::sleep_until(std::min(until, next_look_));
    }
}

#endif

/// Looks at every file. In large folders that takes its time: a twentieth of it all at most.
void FolderWatch::look() {
    const steady_clock::time_point now = steady_clock::now();
    std::set<std::string> there;
    empty_.clear();
    for (const Pattern& pattern : patterns_) {
        std::vector<fs::path> files;
        try {
            files = resolve_inputs(pattern.text, where_, pointer_);
        } catch (const ConfigError&) {   // none yet
        }
        for (const fs::path& file : files) {
            const std::string key = to_utf8(file);
            there.insert(key);
            if (taken_.count(key) > 0 || being_written_.count(key) > 0) continue;
            std::error_code error;
            const std::uintmax_t bytes = fs::file_size(file, error);
            const fs::file_time_type modified = error ? fs::file_time_type() : fs::last_write_time(file, error);
            if (!error && bytes == 0) empty_.insert(key);
            if (error || bytes == 0) continue;
            const bool old = fs::file_time_type::clock::now() - modified > settle;
            const auto [place, fresh] = seen_.try_emplace(key, Seen{bytes, modified, now, !looked_});
            Seen& seen = place->second;
            if (!fresh && (seen.bytes != bytes || seen.modified != modified)) seen = {bytes, modified, now, false};
            if ((old && fresh) || (known_ && known_(file)) || now - seen.since >= settle)
                take(file, seen.before ? steady_clock::time_point() : seen.since, false);
        }
    }
    std::erase_if(seen_, [&](const auto& seen) { return there.count(seen.first) == 0; });
    looked_ = true;
    next_look_ = steady_clock::now() + std::max<steady_clock::duration>(look_every, 20 * (steady_clock::now() - now));
}

void FolderWatch::take(const fs::path& file, steady_clock::time_point at, bool again) {
    const std::string key = to_utf8(file);
    taken_.insert(key);
    seen_.erase(key);
    arrived_.push_back({file, at, again});
}

}   // namespace parallax::engine::series
