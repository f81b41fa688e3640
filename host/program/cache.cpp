// The program cache: one file an entry. Layout, little-endian as written by the machine that reads it:
//   8 bytes magic, u32 layout version, u32 key length, u64 binary length, 16 bytes xxh3-128 over key and binary, key, binary
// Readers trust nothing: any mismatch counts as "not there". Writers fill a temporary file and rename it, so that a
// reader sees the old entry, the new one or none, whatever other processes do.
#include "parallax/host/program.hpp"
#include "support/entries.hpp"
#include "support/platform.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <system_error>

namespace parallax::host {
namespace {
namespace fs = std::filesystem;

struct Header {
    std::array<char, 8> magic{'P', 'A', 'R', 'L', 'X', 'B', 'I', 'N'};
    std::uint32_t version = 1;
    std::uint32_t key_bytes = 0;
    std::uint64_t binary_bytes = 0;
    std::uint64_t checksum[2] = {0, 0};
};
static_assert(sizeof(Header) == 40 && std::is_trivially_copyable_v<Header>, "the header is written as it lies in memory");

Header header_for(const std::string& key, const std::vector<unsigned char>& binary) {
    Header header;
    header.key_bytes = static_cast<std::uint32_t>(key.size());
    header.binary_bytes = binary.size();
    const XXH128_hash_t of_key = XXH3_128bits(key.data(), key.size());
    const XXH128_hash_t hash = XXH3_128bits_withSeed(binary.data(), binary.size(), of_key.low64 ^ of_key.high64);
    header.checksum[0] = hash.low64;
    header.checksum[1] = hash.high64;
    return header;
}

// Once for each process and folder: the next process compiles everything again, which takes seconds and may take minutes.
void warn_unusable(const std::string& folder, const char* problem) noexcept {
    try {
        warn_once(fmt::format(
            "{} ({}): programs are compiled again in each process; let PARALLAX_CACHE_DIR name a folder that can be written, or "
            "be \"off\"",
            folder.empty() ? "there is no folder for the program cache" : "the program cache " + folder + " cannot be used",
            problem));
    } catch (const std::exception&) {   // out of memory for the words
    }
}

class DiskCache final : public ProgramCache {
public:
    explicit DiskCache(fs::path folder) : folder_(std::move(folder)) { sweep(); }

    std::vector<unsigned char> load(const std::string& key) override {
        try {
            return read(key);
        } catch (const std::exception&) {
            return {};   // a file that cannot be read is an entry that is not there
        }
    }

    void store(const std::string& key, const std::vector<unsigned char>& binary) noexcept override {
        std::error_code ignored;
        fs::path temporary;
        try {
            temporary = folder_ / (entry_name(key) + ".tmp-" + platform::unique_suffix());
            const Header header = header_for(key, binary);
            std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
            file.write(reinterpret_cast<const char*>(&header), sizeof header);
            file.write(key.data(), static_cast<std::streamsize>(key.size()));
            file.write(reinterpret_cast<const char*>(binary.data()), static_cast<std::streamsize>(binary.size()));
            file.close();
            if (file) {
                fs::rename(temporary, path_of(key));
                return;
            }
            throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
        } catch (const std::exception& error) {   // full disk, folder gone: the program is built again next time
            warn_unusable(folder_.string(), error.what());
        }
        if (!temporary.empty()) fs::remove(temporary, ignored);
    }

    void forget(const std::string& key) noexcept override {
        try {
            std::error_code ignored;
            fs::remove(path_of(key), ignored);
        } catch (const std::exception&) {   // out of memory for the path: the entry is checked again at its next load
        }
    }

    std::string folder() const override { return folder_.string(); }

private:
    static std::string entry_name(const std::string& key) {
        std::string name = key;
        for (char& c : name)
            if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '_';
        return name;
    }
    fs::path path_of(const std::string& key) const { return folder_ / (entry_name(key) + ".bin"); }

    std::vector<unsigned char> read(const std::string& key) const {
        const fs::path path = path_of(key);
        const std::uint64_t size = fs::file_size(path);
        std::ifstream file(path, std::ios::binary);
        Header header;
        if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
        const Header expected;
        if (header.magic != expected.magic || header.version != expected.version || header.key_bytes != key.size()) return {};
        // The length is compared with the file's before anything is allocated for it.
        if (size < sizeof header + key.size() || header.binary_bytes != size - sizeof header - key.size()) return {};
        std::string stored_key(key.size(), '\0');
        std::vector<unsigned char> binary(header.binary_bytes);
        if (!file.read(stored_key.data(), static_cast<std::streamsize>(stored_key.size())) || stored_key != key) return {};
        if (!file.read(reinterpret_cast<char*>(binary.data()), static_cast<std::streamsize>(binary.size()))) return {};
        const Header sound = header_for(key, binary);
        if (sound.checksum[0] != header.checksum[0] || sound.checksum[1] != header.checksum[1]) return {};
        return binary;
    }

    // Temporary files and locks of processes that died; an hour is longer than any write takes, and than anyone waits for a lock.
    void sweep() const noexcept {
        try {
            std::error_code ignored;
            const auto now = fs::file_time_type::clock::now();
            for (const fs::path& entry : entries_of(folder_, ignored))
                if (entry.filename().string().find(".tmp-") != std::string::npos || entry.extension() == ".lock") {
                    const auto written = fs::last_write_time(entry, ignored);
                    if (!ignored && now - written > std::chrono::hours(1)) fs::remove(entry, ignored);
                }
        } catch (const std::exception&) {   // what is left over stays until another time
        }
    }

    fs::path folder_;
};

/// `problem`: why it is not a folder, for the first who needs it. Empty: it was asked for.
class MemoryCache final : public ProgramCache {
public:
    explicit MemoryCache(std::string folder = {}, std::string problem = {})
        : wanted_(std::move(folder)), problem_(std::move(problem)) {}
    std::vector<unsigned char> load(const std::string& key) override {
        if (!problem_.empty()) warn_unusable(wanted_, problem_.c_str());
        const std::lock_guard lock(mutex_);
        const auto found = entries_.find(key);
        return found == entries_.end() ? std::vector<unsigned char>() : found->second;
    }
    void store(const std::string& key, const std::vector<unsigned char>& binary) noexcept override {
        try {
            const std::lock_guard lock(mutex_);
            entries_[key] = binary;
        } catch (const std::exception&) {   // no memory for a copy: the program is built again next time
        }
    }
    void forget(const std::string& key) noexcept override {
        const std::lock_guard lock(mutex_);
        entries_.erase(key);
    }
    std::string folder() const override { return {}; }

private:
    const std::string wanted_, problem_;
    std::mutex mutex_;
    std::map<std::string, std::vector<unsigned char>> entries_;
};

// Empty: programs can be kept there. Binaries are code: a folder that is made here is its user's alone.
std::string why_unusable(const fs::path& folder) {
    std::error_code problem;
    const bool made = fs::create_directories(folder, problem);
    if (problem) return problem.message();
    if (!fs::is_directory(folder, problem)) return "it is not a folder";
    if (made && !platform::make_private(folder)) return "others' rights to it cannot be taken away";
    const fs::path probe = folder / ("probe.tmp-" + platform::unique_suffix());
    const bool written = std::ofstream(probe).put('\n').flush().good();
    const std::string reason = written ? std::string() : std::generic_category().message(errno);
    fs::remove(probe, problem);
    return reason;
}

}  // namespace

std::shared_ptr<ProgramCache> ProgramCache::open(std::string folder) {
    if (folder.empty()) folder = platform::environment("PARALLAX_CACHE_DIR").value_or("");
    if (folder == "off") return std::make_shared<MemoryCache>();
    const fs::path path = folder.empty() ? platform::cache_folder() : fs::path(folder);
    if (path.empty()) return std::make_shared<MemoryCache>("", "neither HOME nor XDG_CACHE_HOME names one");
    if (const std::string problem = why_unusable(path); !problem.empty())
        return std::make_shared<MemoryCache>(path.string(), problem);
    return std::make_shared<DiskCache>(path);
}

}  // namespace parallax::host
