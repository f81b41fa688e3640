// The program under mpirun, where MPI was found.
#include "jobs/support.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>

using namespace parallax;
using namespace parallax::tests;

#ifdef PARALLAX_MPI_MODULE
namespace {

bool has_mpirun() {
    static const bool has = std::system("mpirun --version > /dev/null 2>&1") == 0;
    if (!has) MESSAGE("skipped: there is no mpirun (openmpi-bin)");
    return has;
}

/// Settings of Open MPI for test machines: few cores, perhaps a container; other launchers do not look at them.
/// `wrapper`: a script that starts each of them, in the place of the program itself.
Run run_ranks(int ranks, const std::vector<std::string>& words, const fs::path& folder, const char* wrapper = nullptr) {
    std::vector<std::string> launcher{"mpirun", "-n", std::to_string(ranks)};
    if (wrapper != nullptr) {
        write_text(folder / "wrapper", wrapper);
        launcher.insert(launcher.end(), {"sh", (folder / "wrapper").string()});
    }
    return run_program(words, folder,
                       {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
                        "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe", "OMPI_MCA_btl=^tcp"},
                       {}, launcher);
}

HostArray image() {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', 211}, {'x', 90}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i)
        array.as<float>()[i] = static_cast<float>((static_cast<std::uint32_t>(i) * 2654435761u) >> 24);
    return array;
}

const char* const diffusion =
    R"({"parallax": 1, "non_finite": "reject", "inputs": {"image": "in.npy"}, "steps": [{"run": "diffusion_lb", "iterations": 9}],
                                  "outputs": {"image": "out.npy"}})";
const char* const boxes =
    R"({"parallax": 1, "inputs": {"image": "in.npy"}, "steps": [{"run": "box_count", "threshold": 240, "surface": true,
        "origin": "bounding_box", "variant": "simd",
                                           "policy": {"tile": 32}}],
                              "outputs": {"counts": "counts.json"}})";

std::size_t errors_in(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("error:"); at != std::string::npos; at = text.find("error:", at + 1)) ++count;
    return count;
}

}  // namespace

TEST_CASE("mpi: 1, 2, 4 and 8 processes make the same bytes") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    write_text(folder / "diffusion.json", diffusion);
    write_text(folder / "boxes.json", boxes);
    std::string whole;
    for (const int ranks : {1, 2, 4, 8}) {
        CAPTURE(ranks);
        for (const char* const job : {"diffusion.json", "boxes.json"}) {
            const Run run = run_ranks(ranks, {"run", job, "--overwrite", "--json"}, folder.path());
            CAPTURE(run.err);
            REQUIRE(run.status == 0);
            const Json report = Json::parse(run.out);   // by one rank alone
            CHECK(report.value("ranks", Json::array()).size() == static_cast<std::size_t>(ranks == 1 ? 0 : ranks));
        }
        const std::string made = io::hash_file(folder / "out.npy") + read_text(folder / "counts.json");
        if (whole.empty()) whole = made;
        CHECK(made == whole);
    }
}

TEST_CASE("mpi: plan says once who would take what") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    write_text(folder / "job.json", diffusion);
    const Run run = run_ranks(3, {"plan", "job.json", "--json"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const Json plan = Json::parse(run.out);
    REQUIRE(plan["ranks"].size() == 3);
    CHECK(plan["ranks"][0]["share"] == "rows 0 to 69");
    CHECK(plan["ranks"][2]["share"] == "rows 140 to 210");
    CHECK(plan["ranks"][1]["upper_bound_bytes"] > plan["ranks"][0]["upper_bound_bytes"]);   // it lends rows to two
    CHECK(plan["steps"][0]["kernels"].size() > 2);
    CHECK(folder.listing() == std::vector<std::string>{"in.npy", "job.json"});
}

TEST_CASE("mpi: a rank that fails ends all, with one message and nothing left behind") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    HostArray broken = image();
    broken.as<float>()[170 * 90 + 3] = std::nanf("");   // of the last rank
    io::write(folder / "in.npy", broken);
    write_text(folder / "job.json", diffusion);
    const Run run = run_ranks(4, {"run", "job.json"}, folder.path());
    CAPTURE(run.err);
    CHECK(run.status != 0);
    CHECK(errors_in(run.err) == 1);
    CHECK(contains(run.err, "holds nan"));
    CHECK(folder.listing() == std::vector<std::string>{"in.npy", "job.json"});
}

TEST_CASE("mpi: a rank that dies or hangs ends all with an error, and leaves nothing") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", ramp(900, 900));
    Json job = Json::parse(diffusion);
    job["steps"][0]["iterations"] = 1000000;   // half an hour
    job["step_timeout_s"] = 3;
    write_text(folder / "job.json", job.dump());
    // On a busy machine drivers are loaded for long, and nobody is late before the steps begin: those are there when the threads
    // of its device have computed for half a second.
    const char* const at_work =
        "for i in $(seq 300); do\n"
        "    cat /proc/$other/task/*/stat | awk '$1 != '$other' { t += $14 } END { exit (t < 50) }' && break\n"
        "    sleep .2\n"
        "done\n";
    struct Row { const char *act, *says; };
    for (const Row& row : {Row{"kill -KILL $other", ""}, Row{"kill -STOP $other", "has not answered for 3 s"}}) {
        CAPTURE(std::string(row.act));
        const std::string wrapper = std::string("[ $OMPI_COMM_WORLD_RANK = 1 ] || exec \"$@\"\n\"$@\" & other=$!\n") + at_work +
                                    row.act + "\nwait $other\n";
        const auto start = std::chrono::steady_clock::now();
        const Run run = run_ranks(3, {"run", "job.json"}, folder.path(), wrapper.c_str());
        CAPTURE(run.err);
        CHECK(run.status != 0);
        CHECK(contains(run.err, row.says));
        CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(120));
        fs::remove(folder / "wrapper");
        CHECK(folder.listing() == std::vector<std::string>{"in.npy", "job.json"});
    }
}

TEST_CASE("mpi: ranks that disagree about the job or its inputs do nothing, and one says why") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    io::write(folder / "other.npy", ramp(90, 250));
    write_text(folder / "0.json", diffusion);
    struct Row { const char *pointer, *value, *says; };
    for (const Row& row :
         {Row{"/steps/0/iterations", "10", "/job/steps/0/iterations"}, Row{"/outputs/image", "\"other.tif\"", "other.tif"},
          Row{"/inputs/image", "\"other.npy\"", "other.npy"}}) {
        CAPTURE(std::string(row.pointer));
        Json job = Json::parse(diffusion);
        job[Json::json_pointer(row.pointer)] = Json::parse(row.value);
        write_text(folder / "1.json", job.dump());
        write_text(folder / "2.json", diffusion);
        const char* const wrapper = "program=$1; shift 2\nexec \"$program\" run $OMPI_COMM_WORLD_RANK.json \"$@\"\n";
        const Run run = run_ranks(3, {"run"}, folder.path(), wrapper);
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(errors_in(run.err) == 1);
        CHECK(contains(run.err, row.says));
        CHECK(contains(run.err, "in rank 1"));
        CHECK_FALSE(fs::exists(folder / "out.npy"));
        CHECK_FALSE(fs::exists(folder / "other.tif"));
    }
}

TEST_CASE("mpi: a rank of another version is named, and nothing is done") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    write_text(folder / "job.json", diffusion);
    // The program with another number in the place of its version's, beside the same helpers.
    const char* const given = std::getenv("PARALLAX_BIN");
    REQUIRE(given != nullptr);
    const fs::path program = fs::canonical(given);
    fs::create_directory(folder / "other");
    for (const fs::directory_entry& entry : fs::directory_iterator(program.parent_path()))
        if (entry.path() != program) fs::create_symlink(entry.path(), folder / "other" / entry.path().filename());
    std::string bytes = read_text(program);
    const std::string version = std::string(PARALLAX_VERSION) + '\0', other = "9" + version.substr(1);
    std::size_t found = 0;
    for (std::size_t at = bytes.find(version); at != bytes.npos; at = bytes.find(version, at + 1), ++found)
        bytes.replace(at, other.size(), other);
    CHECK(found > 0);
    write_text(folder / "other/parallax", bytes);
    fs::permissions(folder / "other/parallax", fs::perms::owner_all);
    const std::string wrapper = "program=$1; shift\n[ $OMPI_COMM_WORLD_RANK = 1 ] && program=" +
                                (folder / "other/parallax").string() + "\nexec \"$program\" \"$@\"\n";
    const Run run = run_ranks(3, {"run", "job.json", "--device", "native"}, folder.path(), wrapper.c_str());
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(errors_in(run.err) == 1);
    CHECK(contains(run.err, "version of Parallax"));
    CHECK(contains(run.err, "\"" + other.substr(0, other.size() - 1) + "\" in rank 1"));
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("mpi: a rank that reads other kernels from a folder ends all before anything is done") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    write_text(folder / "job.json", diffusion);
    fs::copy(fs::path(std::getenv("PARALLAX_SOURCE")) / "kernels_cl", folder / "same", fs::copy_options::recursive);
    fs::copy(folder / "same", folder / "other", fs::copy_options::recursive);
    write_text(folder / "other/diffusion_lb/simd.cl", read_text(folder / "same/diffusion_lb/simd.cl") + "\n");
    for (const char* const kernels : {"same", "other"}) {
        const std::string wrapper = "program=$1; shift\n[ $OMPI_COMM_WORLD_RANK = 1 ] && export PARALLAX_KERNEL_DIR=" +
                                    (folder / kernels).string() + "\nexec \"$program\" \"$@\"\n";
        const Run run = run_ranks(3, {"run", "job.json", "--device", "cpu"}, folder.path(), wrapper.c_str());
        CAPTURE(run.err);
        CHECK(contains(run.err, "version of the kernels") == (kernels == std::string("other")));
        CHECK(run.status == (kernels == std::string("other") ? 2 : 0));
        fs::remove(folder / "out.npy");
    }
}

TEST_CASE("mpi: ranks whose files have one name and length, and other elements, do nothing; copies are as good as one file") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    HostArray other = image();
    for (const char* const rank : {"0", "1", "2"}) {
        fs::create_directory(folder / rank);
        io::write(folder.path() / rank / "in.npy", image());
        write_text(folder.path() / rank / "job.json", diffusion);
    }
    const char* const wrapper =
        "program=$1; shift\nexec \"$program\" \"$1\" $OMPI_COMM_WORLD_RANK/job.json --out . --overwrite\n";
    const Run copies = run_ranks(3, {"run"}, folder.path(), wrapper);
    CAPTURE(copies.err);
    CHECK(copies.status == 0);
    fs::remove(folder / "out.npy");
    other.as<float>()[other.desc.count() - 1] += 1;   // of the last rank, which alone reads it
    fs::remove(folder.path() / "2" / "in.npy");
    io::write(folder.path() / "2" / "in.npy", other);
    const Run run = run_ranks(3, {"run"}, folder.path(), wrapper);
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(errors_in(run.err) == 1);
    CHECK(contains(run.err, "contents of inputs"));
    CHECK(contains(run.err, "in rank 2"));
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("mpi: files of two machines that agree in number, length and time are told apart by their contents") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    if (std::system("unshare -m mount -t tmpfs none /tmp > /dev/null 2>&1") != 0) {
        MESSAGE("skipped: this user may not mount");
        return;
    }
    HostArray other = image();
    other.as<float>()[other.desc.count() - 1] += 1;   // of the last rank, which alone reads it
    io::write(folder / "first.npy", image());
    io::write(folder / "last.npy", other);
    write_text(folder / "job.json",
               Json(Json::parse(diffusion))
                   .patch(Json::parse(R"([{"op": "replace", "path": "/inputs/image", "value": "own/in.npy"}])"))
                   .dump());
    fs::create_directory(folder / "own");
    // Each has a disk of its own there: the first file of a new one has the same number everywhere.
    const char* const wrapper =
        "exec unshare -m sh -c 'mount -t tmpfs none own && cp $([ $OMPI_COMM_WORLD_RANK = 2 ] && echo last.npy || echo "
        "first.npy) "
        "own/in.npy && touch -d 2026-01-01 own/in.npy && stat -c \"number %i\" own/in.npy && exec \"$@\"' sh \"$@\"\n";
    const Run run = run_ranks(3, {"run", "job.json"}, folder.path(), wrapper);
    CAPTURE(run.out);
    CAPTURE(run.err);
    CHECK(run.status == 2);
    CHECK(contains(run.err, "contents of inputs"));
    CHECK(contains(run.err, "in rank 2"));
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}

TEST_CASE("mpi: a request that is wrong is told once, with what to do instead") {
    if (!has_mpirun()) return;
    const TempFolder folder;
    io::write(folder / "in.npy", image());
    struct Wrong { const char *job, *says; int status; };
    for (
        const Wrong& wrong :
        {Wrong{
             R"({"parallax": 1, "inputs": {"image": "in.npy"}, "steps": [{"run": "box_filter"}],
                 "outputs": {"image": "out.npy"}})",
             "step \"box_filter\": box_filter needs its input as a whole", 1},
         Wrong{R"({"parallax": 1, "for_each": {"frame": {"files": "*.npy"}}, "inputs": {"image": "{frame}"},
                                         "steps": [{"run": "diffusion_lb"}], "outputs": {"image": "{frame.stem}.tif"}})",
               "--shard i/n", 1},
         Wrong{
             R"({"parallax": 1, "inputs": {"image": "in.npy"}, "steps": [{"run": "diffusion_lb", "sigma": 25}],
                 "outputs": {"image": "out.npy"}})",
             "rows each, which neighbours need", 2},
         Wrong{
             R"({"parallax": 1, "inputs": {"image": "absent.npy"}, "steps": [{"run": "diffusion_lb"}],
                 "outputs": {"image": "out.npy"}})",
             "/inputs/image", 2}}) {
        write_text(folder / "job.json", wrong.job);
        const Run run = run_ranks(3, {"run", "job.json"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == wrong.status);
        CHECK(errors_in(run.err) == 1);
        CHECK(contains(run.err, wrong.says));
        CHECK(folder.listing() == std::vector<std::string>{"in.npy", "job.json"});
    }
    write_text(folder / "job.json", diffusion);
    const std::vector<std::string> options[] = {
        {"--resume"}, {"--watch"}, {"--idle", "3"}, {"--trace", "t.json"}, {"--readers", "2"}, {"--gallery", "page.txt"}};
    for (const std::vector<std::string>& option : options) {   // as of one process
        CAPTURE(option.front());
        std::vector<std::string> words{"run", "job.json"};
        words.insert(words.end(), option.begin(), option.end());
        const Run run = run_ranks(2, words, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(errors_in(run.err) == 1);
        CHECK(contains(run.err, option.front()));
        CHECK(folder.listing() == std::vector<std::string>{"in.npy", "job.json"});
    }
}
#endif

TEST_CASE("mpi: processes of a launcher that have no module to speak by say so, and do not all write one file") {
    const TempFolder folder;
    const char* const program = std::getenv("PARALLAX_BIN");
    REQUIRE(program != nullptr);
    io::write(folder / "in.npy", ramp(20, 20));
    write_text(
        folder / "job.json",
        R"({"parallax": 1, "inputs": {"image": "in.npy"}, "steps": [{"run": "diffusion_lb"}], "outputs": {"image": "out.npy"}})");
    fs::copy_file(program, folder / "parallax");   // alone in its folder
    const std::string command = "cd '" + folder.path().string() + "' && OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=";
    CHECK(std::system((command + "0 ./parallax run job.json 2> first").c_str()) != 0);
    CHECK(std::system((command + "1 ./parallax run job.json 2> second").c_str()) != 0);
    for (const char* const said : {"first", "second"}) {   // there may be no other rank: variables that were left over
        CAPTURE(std::string(said));
        CHECK(contains(read_text(folder / said), "libparallax_peer_mpi.so is not there"));
        CHECK(contains(read_text(folder / said), "unset OMPI_COMM_WORLD_SIZE"));
    }
    CHECK_FALSE(fs::exists(folder / "out.npy"));
}
