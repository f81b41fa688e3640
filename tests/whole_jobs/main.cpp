// parallax_whole_jobs: jobs that are drawn as a whole, files, steps, parameters and formats, on a device; every second one with
// something wrong in it. docs/testing.md tells what is drawn and what is right.
#include "check.hpp"
#include "devices.hpp"
#include "parallax/host/selector.hpp"
#include "peers/peers.hpp"
#include "seed.hpp"
#include "sizes/sweep.hpp"
#include "wrong.hpp"

#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <unistd.h>

using namespace parallax;
using namespace parallax::tests;
using namespace parallax::tests::whole_jobs;
namespace fs = std::filesystem;

namespace {

constexpr const char* usage =
    "parallax_whole_jobs [--seed N] [--first N] [--draws N] [--seconds S] [--device SPEC] [--kind right|wrong] [--elements N]\n"
    "                    [--keep DIR] [--verbose]\n"
    "  --seed      of the draws; without it PARALLAX_TEST_SEED or another one each time, which is printed\n"
    "  --first     number of the first draw (0): what a failure prints\n"
    "  --draws     at most so many\n"
    "  --seconds   no new draw after so long (60)\n"
    "  --device    as of parallax run; without it the first that there is, or of PARALLAX_TEST_DEVICES\n"
    "  --kind      right jobs, or wrong ones alone; without it one after the other\n"
    "  --elements  of a file, at most (30000)\n"
    "  --keep      a folder in which files of failures stay\n";

struct Options {
    std::uint64_t seed = drawn_seed() % 1000000;
    std::uint64_t first = 0;
    long draws = 1000000000;
    double seconds = 60;
    std::string device, kind, keep;
    std::int64_t elements = 30000;
    bool verbose = false;
};

/// The program: PARALLAX_BIN, or beside this one.
fs::path program() {
    const char* const given = std::getenv("PARALLAX_BIN");
    return given != nullptr ? fs::path(given) : fs::canonical("/proc/self/exe").parent_path() / "parallax";
}

/// A folder for one draw; goes with it, unless it is kept.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "parallax-whole-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made in " + name);
        top_ = name;
        fs::create_directory(path());
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(top_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path() const { return top_ / "job"; }
    void keep(const fs::path& in, std::uint64_t number) const {
        fs::create_directories(in);
        fs::copy(path(), in / std::to_string(number), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    }

private:
    fs::path top_;
};

class Sweep {
public:
    Sweep(const DevicePtr& device, const DevicePtr& native, const Options& options)
        : options_(options),
          engine_(*device, engine::registry_with_peers(), {host::ProgramCache::open()}),
          reference_(*native, engine::registry_with_peers()) {}

    bool run() {
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(options_.draws); ++i) {
            if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > options_.seconds) break;
            const std::uint64_t number = options_.first + i;
            draw(number, options_.kind.empty() ? number % 2 == 1 : options_.kind == "wrong");
        }
        for (const auto& [what, times] : counts_) fmt::print("  {:<26} {:>6}\n", what, times);
        fmt::print("whole jobs: {} right, {} wrong, {} failures, seed {}\n", right_, wrong_, failures_, options_.seed);
        return failures_ == 0 && right_ + wrong_ > 0;
    }

private:
    void draw(std::uint64_t number, bool is_wrong) {
        const std::string command =
            fmt::format("parallax_whole_jobs --device '{}' --seed {} --first {} --draws 1 --kind {} --elements {}",
                        options_.device.empty() ? engine_.device().name : options_.device, options_.seed, number,
                        is_wrong ? "wrong" : "right", options_.elements);
        runs_now(command);
        sizes::Random random(options_.seed, number);
        const Folder folder;
        WholeJob whole;
        try {
            whole = draw_job(random, engine_.registry().algorithms(), folder.path(),
                             {options_.elements, engine_.device().backend});
        } catch (const std::exception& error) {
            return tell(folder, number, whole, command, {fmt::format("not drawn: {}", error.what())}, "");
        }
        if (is_wrong) try_wrong(random, number, whole, folder, command);
        else try_right(number, whole, folder, command);
    }

    void try_right(std::uint64_t number, const WholeJob& whole, const Folder& folder, const std::string& command) {
        ++right_;
        write(whole, folder);
        if (options_.verbose) fmt::print("{}: {}\n", number, whole.job.dump());
        std::fflush(stdout);
        Findings findings;
        try {
            findings = Checker(engine_, reference_).check(whole, folder.path());
        } catch (const std::exception& error) {
            findings.failures.push_back(fmt::format("it threw {}", error.what()));
            engine_.renew();
        }
        for (const auto& [what, times] : findings.counts) counts_[what] += times;
        tell(folder, number, whole, command, findings.failures, "");
    }

    void try_wrong(sizes::Random& random, std::uint64_t number, WholeJob& whole, const Folder& folder,
                   const std::string& command) {
        ++wrong_;
        const Mutation mutation = spoil(random, whole, folder.path());
        write(whole, folder);
        if (options_.verbose) fmt::print("{}: {}: {}\n", number, mutation.what, whole.job.dump());
        std::fflush(stdout);
        const std::vector<std::string> before = listing(folder.path());
        const ProgramRun run = run_program(program(), whole, folder.path(), 120);
        ++counts_[fmt::format("wrong: status {}", run.status)];
        if (options_.verbose) fmt::print("  {:.1f} s, status {}\n{}\n", run.seconds, run.status, run.err);
        tell(folder, number, whole, command, judge_wrong(run, mutation, whole, folder.path(), before),
             mutation.what + "\n  " + run.err.substr(0, 1500));
    }

    static void write(const WholeJob& whole, const Folder& folder) {
        std::ofstream(folder.path() / "job.json") << whole.job.dump(2);
    }

    void tell(const Folder& folder, std::uint64_t number, const WholeJob& whole, const std::string& command,
              const std::vector<std::string>& failures, const std::string& more) {
        if (failures.empty()) return;
        ++failures_;
        fmt::print("FAILED draw {}: {}\n", number, whole.job.dump());
        for (const std::string& failure : failures) fmt::print("  - {}\n", failure);
        if (!more.empty()) fmt::print("  {}\n", more);
        fmt::print("  {}\n", command);
        std::fflush(stdout);
        if (!options_.keep.empty()) folder.keep(options_.keep, number);
    }

    const Options& options_;
    engine::Engine engine_, reference_;
    std::map<std::string, long> counts_;
    long right_ = 0, wrong_ = 0, failures_ = 0;
};

/// Throws std::invalid_argument.
Options options_of(int count, char** words) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string word = words[i];
        if (word == "--verbose") {
            options.verbose = true;
            continue;
        }
        if (i + 1 == count) throw std::invalid_argument(word);
        const std::string value = words[++i];
        if (word == "--seed") options.seed = std::stoull(value);
        else if (word == "--first") options.first = std::stoull(value);
        else if (word == "--draws") options.draws = std::stol(value);
        else if (word == "--seconds") options.seconds = std::stod(value);
        else if (word == "--elements") options.elements = std::stoll(value);
        else if (word == "--device") options.device = value;
        else if (word == "--keep") options.keep = value;
        else if (word == "--kind" && (value == "right" || value == "wrong")) options.kind = value;
        else throw std::invalid_argument(word);
    }
    return options;
}

int run(const Options& options) {
    const host::Inventory inventory = host::enumerate();
    const DevicePtr device = options.device.empty()
                                 ? devices_under_test().front()
                                 : host::DeviceSelector::parse_spec(options.device).select(inventory).device;
    fmt::print("whole jobs: PARALLAX_TEST_SEED={} on {}\n", options.seed, device_label(*device));
    std::fflush(stdout);
    return Sweep(device, inventory.native(), options).run() ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
    return run_sweep("parallax_whole_jobs", usage, [&] { return run(options_of(count, words)); });
}
