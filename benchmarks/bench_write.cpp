// What writing costs: f32 arrays that no cache holds any more, written as the writers of a series write them, hashed on the way.
// Arrays are as a hologram's amplitude: rings with a camera's noise.
//   bench_write FOLDER [--kinds png,npy,tif] [--side N] [--threads N] [--files N] [--keep N] [--turns N]
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "io/io.hpp"
#include "io/transaction.hpp"
#include "io/window.hpp"
#include "io/witness.hpp"

namespace {

namespace fs = std::filesystem;
using namespace parallax;

HostArray amplitude(std::int64_t side, unsigned seed) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', side}, {'x', side}}));
    std::minstd_rand random(seed);
    std::normal_distribution<float> noise(0, 8);
    std::vector<float> drawn(1 << 16);
    std::generate(drawn.begin(), drawn.end(), [&] { return noise(random); });
    float* to = array.as<float>();
    for (std::int64_t y = 0; y < side; ++y) {
        const std::size_t from = random() % (drawn.size() / 2);   // rows are unlike
        for (std::int64_t x = 0; x < side; ++x) {
            const double dy = static_cast<double>(y - side / 2), dx = static_cast<double>(x - side / 2) - seed;
            *to++ = static_cast<float>(128 + 60 * std::cos((dx * dx + dy * dy) / 9000)) +
                    drawn[(from + static_cast<std::size_t>(x)) % drawn.size()];
        }
    }
    return array;
}

struct Seconds {
    double clock, user, system;
};

Seconds now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); };
    const auto clock = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(clock).count(), seconds(used.ru_utime), seconds(used.ru_stime)};
}

/// `files` of them by so many threads.
void write_all(const fs::path& folder, const std::string& kind, const std::vector<HostArray>& arrays, std::size_t threads,
               std::size_t files, std::size_t kept) {
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::string failure;
    const auto name = [&](std::size_t i) { return folder / fmt::format("{}.{}", i, kind); };
    const auto work = [&] {
        try {
            for (std::size_t i; (i = next++) < files;) {
                io::WriteOptions options;
                if (kind == "png") options.window = std::array<double, 2>{0, 300};
                const HostArray& array = arrays[i % arrays.size()];
                io::Transaction transaction(folder, {.synced = false});
                const auto produce = [&](const fs::path& part) {
                    const io::Witness witness(part);
                    if (!io::display_loss(part, array, options).empty()) throw std::runtime_error("its values are not shown");
                    io::write(part, array, options);
                    if (witness.hash().empty()) throw std::runtime_error("was not hashed on the way");
                };
                transaction.add(name(i), produce);
                transaction.commit();
                if (i >= kept) fs::remove(name(i - kept));
            }
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex);
            failure = error.what();
        }
    };
    std::vector<std::thread> all;
    for (std::size_t t = 0; t < threads; ++t) all.emplace_back(work);
    for (std::thread& thread : all) thread.join();
    if (!failure.empty()) throw std::runtime_error(failure);
}

}   // namespace

int main(int argc, char** argv) {
    CLI::App app{"What writing costs"};
    std::string folder;
    std::vector<std::string> kinds{"png", "npy", "tif"};
    std::int64_t side = 2048;
    std::size_t threads = std::max(1u, std::thread::hardware_concurrency()), files = 100, kept = 40, turns = 3;
    app.add_option("folder", folder, "to write to; it must not exist, and goes at the end")->required();
    app.add_option("--kinds", kinds)->delimiter(',');
    app.add_option("--side", side, "rows and columns")->check(CLI::Range(1, 1 << 16));
    app.add_option("--threads", threads)->check(CLI::Range(1, 256));
    app.add_option("--files", files, "a turn")->check(CLI::Range(1, 1 << 20));
    app.add_option("--keep", kept, "so many files stay, the others go")->check(CLI::Range(1, 1 << 20));
    app.add_option("--turns", turns)->check(CLI::Range(1, 1000));
    CLI11_PARSE(app, argc, argv);
    try {
        if (!fs::create_directories(folder)) throw std::runtime_error(folder + " is there already");
        std::vector<HostArray> arrays;
        for (unsigned i = 0; i < threads + 8; ++i) arrays.push_back(amplitude(side, i));
        for (std::size_t turn = 0; turn < turns; ++turn) {
            for (const std::string& kind : kinds) {
                const Seconds begin = now();
                write_all(folder, kind, arrays, threads, files, kept);
                const Seconds end = now();
                const double n = static_cast<double>(files), clock = end.clock - begin.clock;
                fmt::print("{}: {:.0f} a second, {} threads, {:.2f} ms of a core each ({:.2f} user, {:.2f} system)\n", kind,
                           n / clock, threads, 1e3 * (end.user + end.system - begin.user - begin.system) / n,
                           1e3 * (end.user - begin.user) / n, 1e3 * (end.system - begin.system) / n);
                for (const auto& left : fs::directory_iterator(folder)) fs::remove(left);
            }
        }
        fs::remove(folder);
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_write: {}\n", error.what());
        return 1;
    }
}
