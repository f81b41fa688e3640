// Files that come while a series runs: each is taken once, and when it is complete.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "job/confinement.hpp"
#include "job/job.hpp"
#include "job/paths.hpp"
#include "support/file_identity.hpp"

namespace parallax::engine::series {

struct Arrival {
    std::filesystem::path file;
    std::chrono::steady_clock::time_point at;   ///< when it was complete, as far as can be known; none for what was there before
};

/// Where the system tells of files that are closed after writing or renamed into place (inotify), they are taken at that moment.
/// All others, on network drives and in folders below, are found by looking every second, and taken when neither their length nor
/// their time has changed for `settle`. A file that a program of this machine is writing is waited for; an empty one, too.
/// A folder may go and come, or give its place to another: that is told, and files are taken of the one that is there.
class FolderWatch {
public:
    static constexpr std::chrono::milliseconds settle{2000}, look_every{1000};

    /// Throws ConfigError where the folder of a pattern is not there, cannot be read or, of a job that is confined, lies elsewhere.
    FolderWatch(std::vector<std::string> patterns, std::string pointer, const Locations&);
    ~FolderWatch();
    FolderWatch(const FolderWatch&) = delete;
    FolderWatch& operator=(const FolderWatch&) = delete;

    /// What is complete since the last call, in that order; waits for it, or for news, at most so long. A file comes once more
    /// where it has been written once more.
    std::vector<Arrival> wait(std::chrono::milliseconds);
    /// Folders that went, came back or were replaced since the last call, and files that are not taken, a sentence each.
    std::vector<std::string> news() { return std::exchange(news_, {}); }
    /// Folders that no file can come to at this moment, and why: "the folder /data/camera is not there".
    std::vector<std::string> gone();
    /// Files of which it is known that they are complete need not be waited for.
    void trust(std::function<bool(const std::filesystem::path&)> known) { known_ = std::move(known); }
    /// For one that was taken and of which nothing could be made: it may have been in the middle of being written. It comes again
    /// when it is closed once more, has not changed for `settle` by then, or is there again with its folder. False: it is the one
    /// that was given back before, or has gone alone, and will not come.
    bool give_back(const std::filesystem::path&);
    /// Whether it is not complete yet and will be taken, from its folder or when that is there again.
    bool awaits(const std::filesystem::path&) const;
    /// Whether its folder has gone, and is waited for.
    bool is_away(const std::filesystem::path&) const;
    /// Files that are empty, or are being written.
    std::vector<std::string> incomplete() const;
    /// Whether there is a file that is not complete yet.
    bool expects() const noexcept { return !seen_.empty() || !being_written_.empty(); }
    /// Whether a file of this name would be taken.
    bool wants(const std::filesystem::path&) const;

private:
    struct Pattern {
        std::string text;
        std::filesystem::path folder;   ///< of its files; empty where that has * or ? too
        std::string name;
    };
    /// A folder that patterns begin with.
    struct Place {
        bool known = false;   ///< it has been looked at
        std::uint64_t device = 0, inode = 0;
        bool mounted = false;   ///< it was the top of a file system
        bool noticed = false;   ///< files of it are told of
        bool left = false;      ///< the system has told that it went
        int handle = -1;        ///< by which the system names the folder
        std::string trouble;    ///< why no file can come to it; empty: they can
    };
    struct Seen {
        std::uintmax_t bytes = 0;
        std::int64_t modified = 0;
        std::chrono::steady_clock::time_point since;
        bool before = false;   ///< there when the first look was taken
    };
    /// A way to a folder, as long as it is held.
    struct Way {
        std::optional<host::Folder> held;
        std::filesystem::path path;
    };
    std::optional<Way> way_to(const std::filesystem::path& folder) const;
    std::string trouble_with(const std::filesystem::path& folder) const;
    void tell_once(std::string);
    /// Of a file as the job may read it; nothing: it is not there, or lies elsewhere.
    std::optional<host::FileIdentity> identity_of(const std::filesystem::path&);
    void begin_notices();
    void begin_notices(const std::filesystem::path&, Place&);
    void end_notices(Place&);
    void read_notices();
    bool has_gone(const std::filesystem::path& folder, Place&);
    void look_at_places();
    void forget(const std::filesystem::path& folder, bool taken_too);
    void look();
    void take(const std::filesystem::path&, std::chrono::steady_clock::time_point at);

    std::vector<Pattern> patterns_;
    std::map<std::filesystem::path, Place> places_;
    std::vector<std::string> news_;
    std::set<std::string> told_;   ///< of files that are not taken
    std::string pointer_;
    Locations where_;
    std::optional<Confinement> confinement_;   ///< of a job that is confined: no folder elsewhere is looked at
    int notices_ = -1;   ///< where the system tells; -1: it does not
    std::chrono::steady_clock::time_point next_look_;
    static bool fits(const Pattern&, const std::string& name);
    std::function<bool(const std::filesystem::path&)> known_;
    std::map<std::string, std::optional<host::FileIdentity>> taken_, given_back_;
    std::set<std::string> being_written_, empty_;
    std::map<std::string, Seen> seen_;
    std::vector<Arrival> arrived_;
    bool looked_ = false;
};

}   // namespace parallax::engine::series
