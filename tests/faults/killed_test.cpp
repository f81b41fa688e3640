// Processes that are killed, cache folders that are shared and damaged: outputs are whole or not there, and the next run
// finds a cache that it can use.
#include "devices.hpp"
#include "jobs.hpp"
#include "peers/peers.hpp"

#if !defined(_WIN32)
#include <csignal>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>

extern char** environ;

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::faults;

namespace {

const char* const job_text = R"({"parallax": 1,
    "steps": [{"id": "sponge", "run": "phantom", "kind": "menger", "size": 81}, {"run": "box_count", "in": {"volume": "volume",
        "image": null}}],
    "outputs": {"volume": "out/volume.npy", "counts": "out/counts.json"}})";

std::map<std::string, std::string> visible_files(const fs::path& folder) {
    std::map<std::string, std::string> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (const std::string name = entry.path().filename().string(); !name.starts_with("."))
            files[name] = read_text(entry.path());
    return files;
}

/// `parallax run --overwrite job.json` in `folder`, not waited for.
pid_t start(const fs::path& folder) {
    const char* const program = std::getenv("PARALLAX_BIN");
    if (program == nullptr) FAIL("PARALLAX_BIN must hold the path of the program");
    const std::string job = (folder / "job.json").string(), out = folder.string();
    std::vector<std::string> words{program, "run", job, "--out", out, "--overwrite", "--quiet"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", 1, 0);
    pid_t child = -1;
    const int status = posix_spawn(&child, program, &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    REQUIRE(status == 0);
    return child;
}

int wait_for(pid_t child) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What a run made, and how many of its kernels had to be built for it.
struct Made {
    std::map<std::string, std::string> outputs;
    std::size_t built = 0;
};

/// The programs' cache of this process and of those that it starts.
class CacheFolder {
public:
    explicit CacheFolder(const fs::path& path) {
        if (const char* before = std::getenv("PARALLAX_CACHE_DIR")) before_ = before;
        setenv("PARALLAX_CACHE_DIR", path.c_str(), 1);
    }
    ~CacheFolder() {
        if (before_.empty()) unsetenv("PARALLAX_CACHE_DIR");
        else setenv("PARALLAX_CACHE_DIR", before_.c_str(), 1);
    }
    CacheFolder(const CacheFolder&) = delete;
    CacheFolder& operator=(const CacheFolder&) = delete;

private:
    std::string before_;
};

}  // namespace

TEST_CASE("killed at any moment, a run leaves whole outputs or none, and a cache that the next one uses") {
    const TempFolder folder;
    write_text(folder / "job.json", job_text);
    const CacheFolder cache(folder / "cache");
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(wait_for(start(folder.path())) == 0);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    const auto wanted = visible_files(folder / "out");
    REQUIRE(wanted.size() == 2);

    std::mt19937 random(7);
    int killed = 0;
    for (int i = 0; i < 12; ++i) {
        if (i % 3 == 0) fs::remove_all(folder / "cache");   // so that programs are being written
        fs::remove_all(folder / "out");
        const pid_t child = start(folder.path());
        std::this_thread::sleep_for(whole * std::uniform_real_distribution<double>(0.02, 1.0)(random));
        kill(child, SIGKILL);
        killed += wait_for(child) == 128 + SIGKILL ? 1 : 0;
        for (const auto& file : visible_files(folder / "out")) {
            CAPTURE(file.first);
            REQUIRE(wanted.contains(file.first));
            CHECK(file.second == wanted.at(file.first));
        }
    }
    CHECK(killed > 0);
    REQUIRE(wait_for(start(folder.path())) == 0);
    CHECK(visible_files(folder / "out") == wanted);
}

TEST_CASE("processes that start at once share one cache") {
    const TempFolder folder;
    const CacheFolder cache(folder / "cache");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
        fs::create_directories(folder / std::to_string(i));
        write_text(folder / std::to_string(i) / "job.json", job_text);
        children.push_back(start(folder / std::to_string(i)));
    }
    for (const pid_t child : children) CHECK(wait_for(child) == 0);
    for (int i = 1; i < 4; ++i) CHECK(visible_files(folder / std::to_string(i) / "out") == visible_files(folder / "0/out"));
    for (const auto& entry : fs::directory_iterator(folder / "cache")) CHECK(entry.path().extension() == ".bin");
}

TEST_CASE("damaged entries of the cache are built anew") {
    const TempFolder folder;
    const CacheFolder cache(folder / "cache");
    const Workshop workshop;
    const engine::Prepared prepared = workshop.prepare(subjects()[2]);
    const auto run = [&](const DevicePtr& device) {
        engine::Engine engine(*device, engine::registry_with_peers(), {host::ProgramCache::open()});
        const engine::JobResult result = engine::run(prepared, engine);
        Made made{workshop.outputs(), 0};
        for (const engine::StepReport& step : result.steps)
            for (const engine::PlanBuilder::Built& kernel : step.kernels) made.built += kernel.origin == "built" ? 1 : 0;
        workshop.clear();
        return made;
    };
    for (const DevicePtr& device : kernel_devices_under_test()) {
        if (device->info().backend != host::Backend::opencl) continue;
        CAPTURE(device_label(*device));
        const Made first = run(device);
        CHECK(first.built > 0);
        CHECK(run(device).built == 0);
        const auto damage = [&](const std::function<void(std::string&)>& change) {
            for (const auto& entry : fs::directory_iterator(folder / "cache")) {
                std::string bytes = read_text(entry.path());
                change(bytes);
                write_text(entry.path(), bytes);
            }
            const Made again = run(device);
            CHECK(again.outputs == first.outputs);
            CHECK(again.built == first.built);
        };
        damage([](std::string& bytes) { bytes.resize(bytes.size() / 2); });
        damage([](std::string& bytes) { bytes[bytes.size() - bytes.size() / 3] ^= 0x04; });
        damage([](std::string& bytes) { bytes.clear(); });
        CHECK(run(device).built == 0);   // and repaired
        // An entry that is sound but of another driver, under the name of ours: its own key speaks against it.
        std::vector<fs::path> entries;
        for (const auto& entry : fs::directory_iterator(folder / "cache")) entries.push_back(entry.path());
        REQUIRE(entries.size() > 1);
        const std::string other = read_text(entries.back());
        for (std::size_t i = 0; i + 1 < entries.size(); ++i) write_text(entries[i], other);
        const Made again = run(device);
        CHECK(again.outputs == first.outputs);
        CHECK(again.built > 0);
    }
}
#endif
