// Where programs are kept: in a folder, or where none can be had in memory.
#include "parallax/host/program.hpp"
#include "program/disk_cache.hpp"
#include "support/given_path.hpp"
#include "support/platform.hpp"
#include "support/sizes.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace parallax::host {
namespace {
namespace fs = std::filesystem;

/// `problem`: why it is not a folder, for the first who needs it. Empty: it was asked for.
class MemoryCache final : public ProgramCache {
public:
    explicit MemoryCache(std::uint64_t limit, std::string folder = {}, std::string problem = {})
        : limit_(limit), wanted_(std::move(folder)), problem_(std::move(problem)) {}
    std::vector<unsigned char> load(const std::string& key) override {
        if (!problem_.empty()) warn_unusable(wanted_, problem_.c_str());
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        if (found == entries_.end()) return {};
        found->second.used = ++uses_;
        return found->second.binary;
    }
    void store(const std::string& key, const std::vector<unsigned char>& binary) noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            Entry stored{binary, ++uses_};
            Entry& entry = entries_[key];
            bytes_ += binary.size() - entry.binary.size();
            entry = std::move(stored);
            while (bytes_ > limit_ && entries_.size() > 1) drop(oldest());
        } catch (const std::exception&) {   // no memory for a copy: the program is built again next time
        }
    }
    void forget(const std::string& key) noexcept override {
        const std::lock_guard lock(mutex_);
        if (const auto found = entries_.find(key); found != entries_.end()) drop(found);
    }
    std::string folder() const override { return {}; }

private:
    struct Entry {
        std::vector<unsigned char> binary;
        std::uint64_t used = 0;   ///< when, counted in uses
    };
    using Entries = std::map<std::string, Entry>;
    Entries::iterator oldest() {
        return std::min_element(entries_.begin(), entries_.end(),
                                [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    }
    void drop(Entries::iterator entry) {
        bytes_ -= entry->second.binary.size();
        entries_.erase(entry);
    }

    const std::uint64_t limit_;
    const std::string wanted_, problem_;
    std::mutex mutex_;
    std::uint64_t bytes_ = 0, uses_ = 0;
    Entries entries_;
};

// Empty: programs can be kept there. Binaries are code: a folder that is made here is its user's alone.
std::string why_unusable(const fs::path& folder) {
    std::error_code problem;
    const bool made = platform::create_private_folders(folder, problem);
    if (problem) return problem.message();
    if (!fs::is_directory(folder, problem)) return "it is not a folder";
    if (made && !platform::make_private(folder)) return "others' rights to it cannot be taken away";
    const fs::path probe = folder / ("probe.tmp-" + platform::unique_suffix());
    const bool written = std::ofstream(probe).put('\n').flush().good();
    const std::string reason = written ? std::string() : std::generic_category().message(errno);
    fs::remove(probe, problem);
    return reason;
}

constexpr std::uint64_t most_in_memory = std::uint64_t{1} << 28;   // some thousand programs

std::uint64_t limit_from_environment() {
    constexpr std::uint64_t otherwise = std::uint64_t{1} << 30;
    const auto given = platform::environment("PARALLAX_CACHE_LIMIT");
    if (!given) return otherwise;
    if (const auto bytes = bytes_from(*given); bytes && *bytes < 1e18) return static_cast<std::uint64_t>(*bytes);
    warn_once(
        fmt::format("PARALLAX_CACHE_LIMIT is \"{}\", and not an amount such as \"200 MB\" or \"4GiB\": 1GiB is taken", *given));
    return otherwise;
}

}  // namespace

std::shared_ptr<ProgramCache> ProgramCache::open(std::string folder) {
    if (folder.empty()) folder = platform::environment("PARALLAX_CACHE_DIR").value_or("");
    const std::uint64_t limit = limit_from_environment();
    const std::uint64_t in_memory = std::min(limit, most_in_memory);
    if (folder == "off") return std::make_shared<MemoryCache>(in_memory);
    const fs::path path = folder.empty() ? platform::cache_folder() : fs::path(check_path(folder, "cache_folder"));
    if (path.empty()) return std::make_shared<MemoryCache>(in_memory, "", "neither HOME nor XDG_CACHE_HOME names one");
    if (const std::string problem = why_unusable(path); !problem.empty())
        return std::make_shared<MemoryCache>(in_memory, path.string(), problem);
    return open_disk_cache(path, limit);
}

}  // namespace parallax::host
