// The copies of a series in memory, and nothing else: each file is read to be hashed and once more to be decoded, and an array
// that no cache holds is hashed and written. What a series of files in memory takes beside them is its own.
//   bench_copies FOLDER-OF-FILES FOLDER-TO-WRITE-TO [--threads N] [--bytes N] [--files N] [--keep N]
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>
#if defined(PARALLAX_XXHASH_DISPATCHES)
#include <xxh_x86dispatch.h>
#endif

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

namespace fs = std::filesystem;
constexpr std::size_t piece = std::size_t{1} << 18;   // as io::File hashes what it writes

class Descriptor {
public:
    Descriptor(const fs::path& path, int flags) : number_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
        if (number_ < 0) throw std::runtime_error("cannot open " + path.string());
    }
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

/// `bytes` from the beginning of a file, in pieces: each to its place, or all to the same; `look` has each.
template <class Look>
void read_all(const fs::path& path, std::size_t bytes, std::byte* to, bool to_its_place, Look look) {
    const Descriptor file(path, O_RDONLY);
    for (std::size_t at = 0; at < bytes;) {
        std::byte* const place = to_its_place ? to + at : to;
        const ssize_t got = ::read(file.number(), place, std::min(piece, bytes - at));
        if (got <= 0) throw std::runtime_error("cannot read " + path.string());
        look(place, static_cast<std::size_t>(got));
        at += static_cast<std::size_t>(got);
    }
}

std::uint64_t hash_of(XXH3_state_t* state) { return XXH3_128bits_digest(state).low64; }

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"The copies of a series in memory, and nothing else"};
    std::string from, to;
    std::size_t threads = std::max(1u, std::thread::hardware_concurrency()), bytes = std::size_t{16} << 20;
    std::size_t count = 0, kept = 1000;
    app.add_option("from", from, "folder of the files that are read")->required();
    app.add_option("to", to, "folder that is written to")->required();
    app.add_option("--threads", threads)->check(CLI::Range(1, 256));
    app.add_option("--bytes", bytes, "of each file that is written")->check(CLI::Range(std::size_t{1}, std::size_t{1} << 34));
    app.add_option("--files", count, "so many, those of the folder again and again; 0: each once");
    app.add_option("--keep", kept, "so many of those that are written stay")->check(CLI::Range(1, 1 << 20));
    CLI11_PARSE(app, argc, argv);
    try {
        std::vector<fs::path> files;
        std::size_t longest = 0;
        for (const auto& entry : fs::directory_iterator(from)) {
            files.push_back(entry.path());
            longest = std::max<std::size_t>(longest, entry.file_size());
        }
        if (files.empty()) throw std::runtime_error("no files in " + from);
        std::sort(files.begin(), files.end());
        if (count == 0) count = files.size();
        fs::create_directories(to);
        // Arrays as they come from a device: there, and in no cache any more. A few more than threads, as a series has them.
        std::vector<std::unique_ptr<std::byte[]>> arrays(threads + 8);
        for (auto& array : arrays) array = std::make_unique<std::byte[]>(bytes);
        std::atomic<std::size_t> next{0}, sum{0};
        std::mutex mutex;
        std::string failure;
        const auto work = [&] {
            try {
                const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(), XXH3_freeState);
                std::vector<std::byte> scratch(piece), decoded(longest);
                for (std::size_t i; (i = next++) < count;) {
                    const fs::path& file = files[i % files.size()];
                    const std::size_t length = fs::file_size(file);
                    const auto hash = [&](const std::byte* at, std::size_t n) { XXH3_128bits_update(state.get(), at, n); };
                    XXH3_128bits_reset(state.get());
                    read_all(file, length, scratch.data(), false, hash);
                    sum += hash_of(state.get());
                    read_all(file, length, decoded.data(), true, [](const std::byte*, std::size_t) {});
                    const std::byte* const array = arrays[i % arrays.size()].get();
                    const fs::path out = fs::path(to) / fmt::format("{}", i);
                    XXH3_128bits_reset(state.get());
                    {
                        const Descriptor written(out, O_WRONLY | O_CREAT | O_TRUNC);
                        for (std::size_t at = 0; at < bytes; at += piece) {
                            const std::size_t n = std::min(piece, bytes - at);
                            hash(array + at, n);
                            if (::write(written.number(), array + at, n) != static_cast<ssize_t>(n))
                                throw std::runtime_error("cannot write " + out.string());
                        }
                    }
                    sum += hash_of(state.get());
                    if (i >= kept) ::unlink((fs::path(to) / fmt::format("{}", i - kept)).c_str());
                }
            } catch (const std::exception& error) {
                const std::lock_guard lock(mutex);
                failure = error.what();
            }
        };
        const auto begin = std::chrono::steady_clock::now();
        std::vector<std::thread> all;
        for (std::size_t t = 0; t < threads; ++t) all.emplace_back(work);
        for (std::thread& thread : all) thread.join();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (!failure.empty()) throw std::runtime_error(failure);
        fmt::print("copies alone: {} files in {:.3f} s, {:.0f} a second, {} threads (sum {:x})\n", count, seconds,
                   static_cast<double>(count) / seconds, threads, sum.load() & 0xffff);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_copies: {}\n", error.what());
        return 1;
    }
}
