// One file an entry. Layout, little-endian as written by the machine that reads it:
//   8 bytes magic, u32 layout version, u32 key length, u64 binary length, 16 bytes xxh3-128 over key and binary, key, binary
// Readers trust nothing: any mismatch counts as "not there". Writers fill a temporary file and rename it, so that a
// reader sees the old entry, the new one or none, whatever other processes do.
#include "program/disk_cache.hpp"

#include "program/left_files.hpp"
#include "program/lock.hpp"
#include "support/entries.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"
#include "support/warnings.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

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

class DiskCache final : public ProgramCache {
public:
    DiskCache(fs::path folder, std::uint64_t limit) : folder_(std::move(folder)), limit_(limit) { sweep(); }

    std::vector<unsigned char> load(const std::string& key) override {
        try {
            std::vector<unsigned char> binary = read(key);
            if (!binary.empty()) note_use(path_of(key));
            return binary;
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
                if (header.checksum[0] % 16 == 0) make_room();   // one store in sixteen, whichever process's
                return;
            }
            throw std::system_error(errno != 0 ? errno : EIO, std::generic_category());
        } catch (const fs::filesystem_error& error) {   // its words would name the entry, another each time
            warn_of(key, error.code());
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
            if (!is_word(c) && c != '-') c = '_';
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

    void warn_of(const std::string& key, const std::error_code& error) const noexcept {
        try {
            std::error_code ignored;
            const bool is_there = fs::exists(fs::symlink_status(path_of(key), ignored));
            warn_unusable(folder_.string(), is_there ? "another user's programs in it can be neither read nor replaced" : error.message().c_str());
        } catch (const std::exception&) {   // out of memory for the words
        }
    }

    // Temporary files and locks of processes that died; an hour is longer than any write takes, and than anyone waits for a lock.
    void sweep() const noexcept {
        try {
            std::error_code ignored;
            const auto now = fs::file_time_type::clock::now();
            for (const fs::path& entry : entries_of(folder_, ignored)) {
                const Left left = left_by_name(entry.filename().string());
                if (left == Left::nothing || !fs::is_regular_file(fs::symlink_status(entry, ignored))) continue;
                const auto written = fs::last_write_time(entry, ignored);
                if (ignored || now - written <= std::chrono::hours(1)) continue;
                if (left == Left::lock) BuildLock::remove_left(entry);
                else fs::remove(entry, ignored);
            }
        } catch (const std::exception&) {   // what is left over stays until another time
        }
    }

    // A file's time says when it was used. Within an hour it need not: a program that is in use is not written to at every start.
    static void note_use(const fs::path& path) noexcept {
        std::error_code ignored;
        const auto now = fs::file_time_type::clock::now();
        const auto used = fs::last_write_time(path, ignored);
        if (!ignored && now - used > std::chrono::hours(1)) fs::last_write_time(path, now, ignored);
    }

    struct Entry {
        fs::file_time_type used;
        std::uint64_t bytes;
        fs::path path;
    };

    void make_room() const noexcept {
        try {
            std::error_code problem;
            std::vector<Entry> entries;
            std::uint64_t total = 0;
            for (fs::path& path : entries_of(folder_, problem)) {
                const std::string name = path.filename().string();
                // What a self-test has found is not computed again unasked: a variant that is wrong here would come back.
                if (path.extension() != ".bin" || name.starts_with("selftest-")) continue;
                const std::uint64_t bytes = fs::file_size(path, problem);
                if (problem) continue;   // gone meanwhile, or no file
                const auto used = fs::last_write_time(path, problem);
                if (problem) continue;
                entries.push_back({used, bytes, std::move(path)});
                total += bytes;
            }
            if (total <= limit_) return;
            std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
            for (const Entry& entry : entries) {
                if (total <= limit_ - limit_ / 10) return;
                if (begins_as_ours(entry.path) && fs::remove(entry.path, problem)) total -= entry.bytes;
            }
        } catch (const std::exception&) {   // the next store tries again
        }
    }

    static bool begins_as_ours(const fs::path& path) {
        std::ifstream file(path, std::ios::binary);
        std::array<char, 8> magic{};
        return file.read(magic.data(), magic.size()) && magic == Header().magic;
    }

    fs::path folder_;
    std::uint64_t limit_;
};

}  // namespace

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

std::shared_ptr<ProgramCache> open_disk_cache(fs::path folder, std::uint64_t limit) {
    return std::make_shared<DiskCache>(std::move(folder), limit);
}

}  // namespace parallax::host
