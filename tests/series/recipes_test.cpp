// The recipes of docs/series.md as they stand, with stand-ins for ssh, Slurm and GNU parallel: every one gives what one process
// gives.
#include "frames.hpp"

#include <cstdlib>
#include <fstream>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Code blocks of a page that begin with ```kind, without their fences.
std::vector<std::string> blocks_of(const fs::path& page, const std::string& kind) {
    std::vector<std::string> blocks;
    std::istringstream text(read_text(page));
    bool inside = false;
    for (std::string line; std::getline(text, line);) {
        if (!inside && line == "```" + kind) {
            inside = true;
            blocks.emplace_back();
        } else if (inside && line == "```") {
            inside = false;
        } else if (inside) {
            blocks.back() += line + "\n";
        }
    }
    return blocks;
}

/// A folder with frames, focus.json, and a folder of programs: parallax itself, and stand-ins that run here what they are given.
class Bench {
public:
    Bench() {
        fs::create_directories(folder_ / "frames");
        fs::create_directories(folder_ / "bin");
        write_frames(folder_ / "frames", 13);
        Json job = frames_job();
        job["outputs"]["mean"] = {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}};
        write_text(folder_ / "focus.json", job.dump());
        program("ssh", "shift; exec sh -c \"$*\"");
        program("parallel", R"(status=0; running=()
while read -r line; do
    words=(); for word in "$@"; do word="${word//'{= $_ -= 1 =}'/$((line - 1))}"; words+=("${word//'{}'/$line}"); done
    "${words[@]}" & running+=($!)
done
for one in "${running[@]}"; do wait "$one" || status=1; done
exit $status)");
        fs::create_symlink(fs::absolute(std::getenv("PARALLAX_BIN")), folder_ / "bin/parallax");
    }
    /// In a clean "results".
    int run(const std::string& script, const std::string& environment = {}) {
        write_text(folder_ / "script", script);
        return std::system(("cd '" + folder_.path().string() +
                            "' && PATH=\"$PWD/bin:$PATH\" POCL_DEVICES='pthread pthread pthread pthread' " + environment +
                            " bash script > log 2>&1")
                               .c_str());
    }
    void clear() { fs::remove_all(folder_ / "results"); }
    std::map<std::string, std::string> results() { return contents(folder_ / "results"); }
    std::string log() { return read_text(folder_ / "log"); }

private:
    void program(const std::string& name, const std::string& text) {
        write_text(folder_ / "bin" / name, "#!/bin/bash\n" + text + "\n");
        fs::permissions(folder_ / "bin" / name, fs::perms::owner_all);
    }
    TempFolder folder_;
};

}  // namespace

TEST_CASE("series: shards that begin late find the files of others, and none is refused for them") {
    for (const bool backwards : {false, true}) {
        CAPTURE(backwards);
        Bench bench;
        REQUIRE(bench.run("parallax run focus.json --out results --device native --quiet") == 0);
        const auto whole = bench.results();
        bench.clear();
        for (int turn = 1; turn <= 3; ++turn) {
            const int shard = backwards ? 4 - turn : turn;
            const int status =
                bench.run(fmt::format("parallax run focus.json --out results --device native --shard {}/3", shard));
            CAPTURE(bench.log());
            CHECK(status == 0);
        }
        CHECK(bench.results() == whole);
        // What it has done itself is not done again by mistake.
        CHECK(bench.run("parallax run focus.json --out results --device native --shard 2/3") != 0);
        CHECK(contains(bench.log(), "--resume goes on"));
        CHECK(bench.results() == whole);
    }
}

TEST_CASE("series: a shard is still refused where its own files are in the way") {
    Bench bench;
    CHECK(bench.run("mkdir -p results/sums && echo mine > results/sums/f001.npy && parallax run focus.json --out results "
                    "--device native --shard 2/3") != 0);
    CHECK(contains(bench.log(), "the existing file"));
    CHECK(bench.run("parallax run focus.json --out results --device native --shard 1/3") == 0);   // f001 is not its own
}

TEST_CASE("series: the recipes of the page run as they stand") {
    const auto docs = repository("docs");
    REQUIRE_MESSAGE(docs.has_value(), "run this in the repository, or set PARALLAX_SOURCE to it");
    Bench bench;
    REQUIRE(bench.run("parallax run focus.json --out results --device native --quiet") == 0);
    const auto whole = bench.results();
    const std::vector<std::string> slurm = blocks_of(*docs / "series.md", "bash");
    REQUIRE(slurm.size() == 1);
    REQUIRE(contains(slurm[0], "#SBATCH --array=1-8"));
    bench.clear();
    for (int task = 1; task <= 8; ++task) {   // one after the other, as a busy cluster would
        const int status = bench.run(slurm[0], fmt::format("SLURM_ARRAY_TASK_ID={} SLURM_ARRAY_TASK_COUNT=8", task));
        CAPTURE(bench.log());
        CHECK(status == 0);
    }
    CHECK(bench.results() == whole);

    int run = 0;
    for (const std::string& block : blocks_of(*docs / "series.md", "console")) {
        std::istringstream lines(block);
        for (std::string line; std::getline(lines, line);) {
            if (!line.starts_with("$ ")) continue;
            if (contains(line, "--device '{=") && !fs::exists("/etc/OpenCL/vendors/pocl.icd")) {
                MESSAGE("SKIPPED: four devices of one process need PoCL: " << line);
                continue;
            }
            if (!contains(line, "--resume") && !contains(line, "series check"))
                bench.clear();   // what resumes goes on with what is there
            const int status = bench.run(line.substr(2), "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd");
            CAPTURE(line);
            CAPTURE(bench.log());
            CHECK(status == 0);
            CHECK_FALSE(contains(bench.log(), "error"));
            CHECK(bench.results() == whole);
            ++run;
        }
    }
    CHECK(run >= 3);
}
