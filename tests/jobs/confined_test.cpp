// Jobs of strangers who can write in the folders that a job reads from and writes to, at any moment: nothing from outside is
// read, nothing outside is written, and no name from outside is told.
#include "bytes_read.hpp"
#include "few_files.hpp"
#include "job/confinement.hpp"
#include "job/output_paths.hpp"
#include "job/work.hpp"
#include "modes/run.hpp"
#include "parallax/host/enumerate.hpp"
#include "peers/peers.hpp"
#include "support.hpp"
#include "support/helper.hpp"
#include "support/sanitizers.hpp"
#include "support/warnings.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include <unistd.h>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

#if defined(__linux__)

namespace {

constexpr std::uint8_t secret = 200;

HostArray all_of(std::uint8_t value) {
    HostArray array = ramp(16, 12);
    std::fill_n(array.as<std::uint8_t>(), 16 * 12, value);
    return array;
}

/// What a stranger does again and again, in another thread.
class Stranger {
public:
    explicit Stranger(std::function<void(unsigned)> act) : thread_([this, act = std::move(act)] {
        std::mt19937 random(23);
        while (!over_) {
            act(static_cast<unsigned>(random()));
            ++acts;
            if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
        }
    }) {}
    ~Stranger() {
        over_ = true;
        thread_.join();
    }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    std::atomic<long> acts = 0;

private:
    std::atomic<bool> over_ = false;
    std::thread thread_;
};

long races() {
    const char* const text = std::getenv("PARALLAX_RACES");
    return text != nullptr ? std::atol(text) : 300;
}

/// A place that is `inside` at one moment and a link to `outside` at the next.
void swap_place(const fs::path& place, const fs::path& kept, const fs::path& outside, bool link) {
    std::error_code ignored;
    if (link) {
        if (!fs::is_symlink(place, ignored)) fs::rename(place, kept, ignored);
        fs::create_symlink(outside, place, ignored);
    } else {
        if (fs::is_symlink(place, ignored)) fs::remove(place, ignored);
        if (!fs::exists(fs::symlink_status(place, ignored))) fs::rename(kept, place, ignored);
    }
}

struct Count {
    long right = 0, refused = 0;
    std::string last;   ///< refusal
};

/// Runs a job `times` times; `check` looks at what it has written.
Count run_often(const fs::path& folder, const Json& json, long times, const std::function<void()>& check) {
    Engine engine(*host::enumerate().native(), registry_with_peers());
    Locations where;
    where.job_folder = folder / "job";
    where.out = folder / "out";
    where.confined = true;
    where.synced = false;
    Count count;
    for (long i = 0; i < times; ++i) {
        try {
            const PreparedJob job(parse_job(json, engine.registry().algorithms()), where,
                                  {folder / "out/job.series", true, false, {}});
            engine::run(job, {&engine}, {});
            ++count.right;
        } catch (const Error& error) {
            ++count.refused;
            count.last = error.what();
            CAPTURE(std::string(error.what()));
            CHECK_FALSE(contains(error.what(), "hidden-name"));
        }
        check();
    }
    return count;
}

}  // namespace

TEST_CASE("confined: an input is hashed while it is read, and read once") {
    const TempFolder folder;
    fs::create_directories(folder / "job");
    HostArray array = ramp(3000, 2000);
    io::write(folder / "job/in.tif", array);
    const std::uint64_t bytes = fs::file_size(folder / "job/in.tif");
    const Registry registry = registry_with_peers();
    const Job job = parse_job(Json::parse(R"({"parallax": 1, "inputs": {"image": "in.tif"}, "outputs": {"image": "out.npy"},
                                              "steps": [{"run": "convert", "type": "f32"}]})"),
                              registry.algorithms());
    for (const bool confined : {false, true}) {
        CAPTURE(confined);
        Locations where;
        where.job_folder = folder / "job";
        where.out = folder / "out";
        where.confined = confined;
        Work work;
        work.take(std::make_shared<const Prepared>(prepare(job, where, false)));
        const std::uint64_t before = bytes_read();
        read_work(work, {});
        finish_reading(work);
        const std::uint64_t read = bytes_read() - before;
        CHECK(read >= bytes);
        CHECK(read < bytes + bytes / 4);
        CHECK(work.input_reports.at(0).files.at(0).hash == io::hash_file(folder / "job/in.tif"));
    }
}

TEST_CASE("confined: inputs and folders that become links beside running jobs lead nowhere") {
    for (const bool whole_folder : {false, true}) {
        CAPTURE(whole_folder);
        const TempFolder folder, outside;
        fs::create_directories(folder / "job/in");
        io::write(folder / "job/in/a.npy", all_of(7));
        io::write(outside / "a.npy", all_of(secret));
        io::write(outside / "hidden-name.npy", all_of(secret));
        const fs::path place = whole_folder ? folder / "job/in" : folder / "job/in/a.npy", kept = folder / "job/kept";
        const fs::path target = whole_folder ? outside.path() : outside / "a.npy";
        for (const char* const input :
             {R"("in/a.npy")", R"({"files": "in/*.npy", "combine": "mean"})", R"({"files": "*/a.npy", "combine": "mean"})"}) {
            CAPTURE(std::string(input));
            const Json json = Json::parse(std::string(R"({"parallax": 1, "inputs": {"image": )") + input +
                                          R"(}, "steps": [{"run": "convert", "type": "f32"}], "outputs": {"image": "o.npy"}})");
            Stranger stranger([&](unsigned random) { swap_place(place, kept, target, random % 2 == 0); });
            const Count count = run_often(folder.path(), json, races(), [&] {
                if (!fs::exists(folder / "out/o.npy")) return;
                CHECK(io::read(folder / "out/o.npy").as<float>()[0] == 7);
                fs::remove(folder / "out/o.npy");
            });
            MESSAGE(stranger.acts.load() << " acts, " << count.right << " jobs right, " << count.refused << " refused");
        }
    }
}

TEST_CASE("confined: folders of outputs that become links beside running jobs receive nothing") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job");
    for (const char* const name : {"a", "b"}) io::write(folder / ("job/" + std::string(name) + ".npy"), all_of(7));
    const char* const alone =
        R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "convert", "type": "f32", "out": {"image": "f"}},
        {"run": "reduce", "in": {"array": "f"}}], "outputs": {"f": "sub/deep/o.npy", "value": "sub/v.json"}})";
    const char* const series = R"({"parallax": 1, "for_each": {"f": "*.npy"}, "inputs": {"image": "{f}"}, "steps": [
        {"run": "convert", "type": "f32", "out": {"image": "g"}}, {"run": "reduce", "in": {"array": "g"}}],
        "outputs": {"g": "sub/deep/{f.stem}.npy", "value": {"table": "sub/t.csv"}}})";
    for (const char* const text : {alone, series}) {
        for (const char* const place : {"out/sub", "out/sub/deep", "out/job.series", "out"}) {
            CAPTURE(std::string(place));
            fs::remove_all(folder / "out");
            fs::create_directories(folder / "out/sub/deep");
            const Json job = Json::parse(text);
            const auto check = [&] {
                REQUIRE(outside.listing().empty());
                std::error_code ignored;
                fs::remove_all(folder / "out/job.series", ignored);
            };
            {
                Stranger stranger(
                    [&](unsigned random) { swap_place(folder / place, folder / "kept", outside.path(), random % 2 == 0); });
                const Count count = run_often(folder.path(), job, std::max(races() / 4, 20L), check);
                MESSAGE(std::string(place) << ": " << stranger.acts.load() << " acts, " << count.right << " jobs right, "
                                           << count.refused << " refused: " << count.last);
            }
            // How many were right beside the stranger is luck. Without one the same job is.
            swap_place(folder / place, folder / "kept", outside.path(), false);
            const Count alone_at_last = run_often(folder.path(), job, 1, check);
            CAPTURE(alone_at_last.last);
            CHECK(alone_at_last.right == 1);
        }
    }
    CHECK(outside.listing().empty());
}

TEST_CASE("confined: a store that becomes a link while it is written, put in place and removed leads nowhere") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job");
    io::write(folder / "job/a.npy", all_of(7));
    const Json job = Json::parse(R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "convert", "type": "f32"}],
        "outputs": {"image": "sub/o.ome.zarr"}})");
    io::write(outside / "theirs.ome.zarr", all_of(secret));
    const auto before = outside.listing();
    const auto check = [&] {
        REQUIRE(outside.listing() == before);
        std::error_code ignored;
        if (fs::is_symlink(folder / "out/sub/o.ome.zarr", ignored)) fs::remove(folder / "out/sub/o.ome.zarr", ignored);
    };
    {
        // Whatever has its name or one of the transaction's is moved away, and a link to another's store stands there.
        Stranger stranger([&](unsigned random) {
            std::error_code ignored;
            std::vector<fs::path> stores;
            for (fs::directory_iterator it(folder / "out/sub", ignored), end; !ignored && it != end; it.increment(ignored))
                if (contains(it->path().filename().string(), "zarr")) stores.push_back(it->path());
            if (stores.empty()) return;
            const fs::path store = stores[random % stores.size()];
            if (random % 3 != 0) return;
            fs::remove_all(folder / "kept", ignored);
            fs::rename(store, folder / "kept", ignored);
            fs::create_symlink(outside / "theirs.ome.zarr", store, ignored);
        });
        const Count count = run_often(folder.path(), job, races(), check);
        MESSAGE(stranger.acts.load() << " acts, " << count.right << " jobs right, " << count.refused
                                     << " refused: " << count.last);
    }
    fs::remove_all(folder / "out");
    CHECK(run_often(folder.path(), job, 2, check).right == 2);
    CHECK(outside.listing() == before);
}

TEST_CASE("confined: a file of HDF5 leads to no other file") {
    const std::string maker = host::program_beside("make_elsewhere");
    if (maker.empty()) {
        MESSAGE("skipped: HDF5 was not found");
        return;
    }
    const TempFolder folder, outside;
    const std::string hidden = "sixteen letters!";
    write_text(outside / "s", hidden);
    REQUIRE(std::system(("'" + maker + "' '" + folder.path().string() + "' '" + (outside / "s").string() + "'").c_str()) == 0);
    for (const char* const name : {"raw", "link", "virtual"}) {
        CAPTURE(std::string(name));
        write_text(folder / "job.json",
                   std::string(R"({"parallax": 1, "inputs": {"image": ")") + name +
                       R"(.h5"}, "steps": [{"run": "convert", "type": "u8"}], "outputs": {"image": "o.npy"}})");
        const Run run = run_program({"run", "job.json", "--confined", "--device", "native"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 1);
        CHECK(contains(run.err, name == std::string("virtual") ? "/v (u8 in other files)" : "scales are missing"));
        CHECK_FALSE(contains(run.err, "u8 16"));   // how long the other is
        CHECK_FALSE(fs::exists(folder / "o.npy"));
    }
}

TEST_CASE("confined: what lies beside a file is looked for in the folders that are held, whatever is elsewhere") {
    const TempFolder folder, outside;
    io::write(folder / "v.nii", all_of(7));
    std::ifstream in(folder / "v.nii", std::ios::binary);
    std::string header(348, '\0');
    in.read(header.data(), 348);
    header.replace(344, 3, "ni1"), header.replace(108, 4, std::string(4, '\0'));
    const auto answers = [&](const char* name, const char* link) {   // where what the link leads to is there, and where not
        fs::remove(folder / link);
        fs::create_symlink(outside / "there", folder / link);
        write_text(folder / "job.json", std::string(R"({"parallax": 1, "inputs": {"image": ")") + name +
                                            R"("}, "steps": [{"run": "convert", "type": "u8"}], "outputs": {"image": "o.npy"}})");
        std::vector<std::string> all;
        for (const bool there : {false, true}) {
            if (there) write_text(outside / "there", "x");
            else fs::remove(outside / "there");
            all.push_back(run_program({"run", "job.json", "--confined", "--quiet", "--device", "native", "--overwrite"},
                                      folder.path()).err);
        }
        fs::remove(folder / link);
        return all;
    };
    write_text(folder / "a.hdr", header);
    for (const char* const link : {"a.img.gz", "a.IMG", "a.img"}) {
        const std::vector<std::string> both = answers("a.hdr", link);
        CHECK(both[0] == both[1]);
    }
    write_text(folder / "a.img", std::string(16 * 12, '\7'));
    const std::vector<std::string> pair = answers("a.hdr", "a.img.gz");
    CHECK(pair[0] == pair[1]);
    fs::remove(folder / "a.hdr");
    const std::vector<std::string> beside = answers("a.img", "a.hdr");   // a header that would be named
    CHECK(beside[0] == beside[1]);
    CHECK(contains(beside[0], "holds no format"));
}

TEST_CASE("confined: recovery removes nothing outside, and follows no pointer there") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job/in");
    io::write(folder / "job/in/a.npy", all_of(7));
    io::write(outside / "b.npy", all_of(secret));
    fs::create_directory_symlink(outside.path(), folder / "job/way");
    write_text(outside / ".parallax-1-2-deadbeef-0-theirs.tif", "x");
    const std::vector<std::string> before = outside.listing();
    const auto run = [&](const std::string& input) {
        write_text(folder / "job/job.json",
                   R"({"parallax": 1, "inputs": {"image": )" + input +
                       R"(}, "steps": [{"run": "convert", "type": "f32"}], "outputs": {"image": "o.npy"}})");
        return run_program({"run", "job/job.json", "--confined", "--quiet", "--device", "native", "--overwrite", "--out", "out"},
                           folder.path());
    };
    const std::string way = fs::relative(outside.path(), folder / "job").generic_string();
    for (const std::string& input : {"\"" + (outside / "b.npy").generic_string() + "\"", "\"" + way + "/b.npy\"",
                                     std::string("\"way/b.npy\""), R"({"combine": "mean", "files": ")" + way + "/*.npy\"}"}) {
        CAPTURE(input);
        const Run refused = run(input);
        CHECK(refused.status == 2);
        CHECK_FALSE(contains(refused.err, "deadbeef"));
        CHECK(outside.listing() == before);
    }
    // Where it may read it does clean; where a pointer leads elsewhere it is silent, whether anything is there or not.
    for (const std::string& place : {std::string("job/in"), std::string("out")}) {
        fs::create_directories(folder / place);
        for (const std::string& pointer : {outside.path().string(), (outside / "none").string(), (outside / "b.npy").string(),
                                           std::string("7")}) {
            CAPTURE(place + " to " + pointer);
            write_text(folder / place / ".parallax-3-4-0badcafe.base", pointer + "\n");
            write_text(folder / place / ".parallax-3-5-0badcafe-0-x.tif", "x");
            const Run done = run(R"("in/a.npy")");
            CHECK(done.status == 0);
            CHECK(done.err.empty());
            CHECK(fs::exists(folder / place / ".parallax-3-4-0badcafe.base"));
            CHECK_FALSE(fs::exists(folder / place / ".parallax-3-5-0badcafe-0-x.tif"));
        }
        fs::remove(folder / place / ".parallax-3-4-0badcafe.base");
    }
    CHECK(outside.listing() == before);
}

TEST_CASE("confined: a link that leaves the roots is refused alike, whatever is there") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job/in");
    fs::create_directories(folder / "data");
    fs::create_directories(outside / "folder");
    io::write(folder / "job/in/a.npy", all_of(7));
    io::write(folder / "data/b.npy", all_of(7));
    write_text(outside / "there", "x");
    Locations where;
    where.job_folder = folder / "job";
    where.roots["data"] = folder / "data";
    where.confined = true;
    const fs::path link = folder / "job/in/l.npy", file = folder / "job/in/a.npy";
    const auto answer = [&](const fs::path& target, const std::string& text) {
        fs::remove(link);
        fs::create_symlink(target, link);
        return std::string(error_of<ConfigError>([&] { resolve_inputs(text, where, "/i"); }).what());
    };
    const fs::path back = fs::relative(file, outside / "folder");
    for (const char* const text : {"in/l.npy", "in/*.npy"}) {
        CAPTURE(std::string(text));
        const std::string there = answer(outside / "there", text);
        CHECK(contains(there, "outside the job's folder"));
        for (const char* const other : {"none", "folder", "there/x"}) CHECK(answer(outside / other, text) == there);
        for (const char* const by : {"folder", "nothing", "there"}) CHECK(answer(outside / by / back, text) == there);
        CHECK(answer("../../../" / fs::path(outside.path().filename()) / "there", text) == there);
    }
    fs::remove(link);
    fs::create_directory_symlink("/proc/self/fd", folder / "job/fds");
    for (const char* const number : {"0", "3", "999"})
        CHECK(contains(error_of<ConfigError>([&] { resolve_input("fds/" + std::string(number), where, "/i"); }).what(),
                       "outside the job's folder"));
    // Within the roots links lead where they say.
    for (const fs::path& target : {file, fs::path("../../data/b.npy"), folder / "data/b.npy", fs::path("../in/./a.npy")}) {
        CAPTURE(target.string());
        fs::remove(link);
        fs::create_symlink(target, link);
        CHECK(resolve_input("in/l.npy", where, "/i") == link);
        CHECK(resolve_inputs("in/*.npy", where, "/i").size() == 2);
    }
    for (const char* const target : {"nothing", "l.npy", "../in"}) {
        CAPTURE(std::string(target));
        CHECK_FALSE(contains(answer(target, "in/l.npy"), "hint"));
    }
    fs::remove(link);
    fs::create_symlink("nothing", link);
    CHECK(resolve_inputs("in/*.npy", where, "/i") == std::vector<fs::path>{file});
}

TEST_CASE("confined: an output behind a link is refused alike, wherever that leads") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "out");
    fs::create_directories(outside / "folder");
    Locations where;
    where.out = folder / "out";
    where.confined = true;
    std::set<std::string> answers;
    for (const char* const by : {"folder", "nothing"}) {
        fs::remove(folder / "out/l");
        fs::create_directory_symlink(outside / by / fs::relative(folder / "out", outside / "folder"), folder / "out/l");
        answers.insert(error_of<ConfigError>([&] { resolve_output("l/o.npy", where, "/o"); }).what());
    }
    CHECK(answers.size() == 1);
}

TEST_CASE("confined: a link at --out, --report or --trace is refused alike, wherever it leads") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job");
    fs::create_directory(outside / "folder");
    write_text(outside / "file", "x");
    io::write(folder / "job/a.npy", all_of(7));
    write_text(folder / "job/j.json", R"({"parallax": 1, "inputs": {"image": "a.npy"}, "steps": [{"run": "crop"}],
        "outputs": {"image": "o.npy"}})");
    write_text(folder / "job/s.json", R"({"parallax": 1, "for_each": {"f": "a.npy"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "crop"}], "outputs": {"image": "r_{f.stem}.npy"}})");
    const std::vector<std::vector<std::string>> commands{
        {"run", "job/j.json", "--out", "out", "--report", "job/l"},
        {"run", "job/j.json", "--out", "out", "--report", "job/l/below.json"},
        {"run", "job/s.json", "--out", "out", "--trace", "job/l"},
        {"run", "job/s.json", "--out", "out", "--report", "job/l"},
        {"run", "job/j.json", "--out", "job/l"},
        {"run", "job/s.json", "--out", "job/l/below"},
        {"plan", "job/j.json", "--out", "job/l"},
    };
    for (std::vector<std::string> command : commands) {
        CAPTURE(command.front() + ' ' + command.at(command.size() - 2) + ' ' + command.back());
        for (const char* const more : {"--confined", "--device", "native"}) command.emplace_back(more);
        if (command.front() == "run") command.emplace_back("--overwrite");
        std::set<std::string> answers;
        for (const char* const by : {"file", "folder", "nothing"}) {
            fs::remove(folder / "job/l");
            fs::create_symlink(outside / by, folder / "job/l");
            const Run refused = run_program(command, folder.path());
            CHECK(refused.status == 2);
            CHECK(contains(refused.err, "a link, which a confined job does not follow"));
            answers.insert(refused.err);
        }
        CHECK(answers.size() == 1);
    }
}

TEST_CASE("confined: a file of --device behind a link is refused alike, whatever is there") {
    const TempFolder folder, outside;
    io::write(folder / "a.npy", all_of(7));
    write_text(folder / "job.json", R"({"parallax": 1, "inputs": {"image": "a.npy"},
        "steps": [{"run": "convert", "type": "f32"}], "outputs": {"image": "o.npy"}})");
    fs::create_symlink(outside / "hidden.json", folder / "link.json");
    fs::create_directory_symlink(outside.path(), folder / "way");
    for (const char* const device : {"link.json", "way/hidden.json"}) {
        for (const char* const command : {"run", "plan"}) {
            std::set<std::string> said;
            for (const char* const there : {"nothing", "a secret", "a folder"}) {
                fs::remove_all(outside / "hidden.json");
                if (contains(there, "secret")) write_text(outside / "hidden.json", R"({"a_secret_key": 1})");
                if (contains(there, "folder")) fs::create_directory(outside / "hidden.json");
                const Run run = run_program({command, "job.json", "--confined", "--device", device}, folder.path());
                CHECK(run.status == 2);
                CHECK(contains(run.err, "no link on the way to it"));
                CHECK_FALSE(contains(run.err, "a_secret_key"));
                CHECK_FALSE(contains(run.err, outside.path().filename().string()));
                said.insert(run.out + run.err);
            }
            CHECK(said.size() == 1);
        }
    }
    fs::remove_all(outside / "hidden.json");
    write_text(outside / "hidden.json", R"({"backend": "native"})");
    CHECK(run_program({"run", "job.json", "--device", "link.json"}, folder.path()).status == 0);   // of one's own job
    fs::rename(outside / "hidden.json", folder / "rules.json");
    CHECK(run_program({"run", "job.json", "--confined", "--overwrite", "--device", "rules.json"}, folder.path()).status == 0);
}

TEST_CASE("confined: a folder of outputs that may not be entered is told of before anything runs, as of any job") {
    const TempFolder folder;
    fs::create_directories(folder / "out/closed/below");
    fs::permissions(folder / "out/closed", fs::perms::none);
    fs::permissions(folder / "out", fs::perms::all);
    const bool root = ::geteuid() == 0;
    if (root) REQUIRE(::seteuid(65534) == 0);
    std::vector<std::string> said;
    for (const bool confined : {false, true}) {
        Locations where;
        where.out = folder / "out";
        where.confined = confined;
        for (const char* const output : {"closed/o.npy", "closed/below/o.npy"}) {
            OutputPaths paths(where);
            const auto of = [&](const std::string& text) {
                try {
                    paths.resolve(text, "/o");
                } catch (const ConfigError& error) {
                    return std::string(error.what());
                }
                return std::string();
            };
            said.push_back(of("open/o.npy"));
            said.push_back(of(output));
        }
    }
    if (root) REQUIRE(::seteuid(0) == 0);
    fs::permissions(folder / "out/closed", fs::perms::owner_all);
    for (std::size_t i = 0; i < said.size(); i += 2) {
        CAPTURE(said[i + 1]);
        CHECK(said[i].empty());
        CHECK(said[i + 1].find("closed may not be entered by this user") != std::string::npos);
    }
}

TEST_CASE("patterns: files behind a folder that may not be looked into are told of, confined or not") {
    const bool root = ::geteuid() == 0;
    for (const fs::perms closed : {fs::perms::none, fs::perms::owner_read | fs::perms::others_read}) {
        for (const bool confined : {false, true}) {
            const TempFolder folder;
            for (const char* const name : {"a", "b", "c"}) {
                fs::create_directory(folder / name);
                write_text(folder / name / "f.npy", "");
            }
            fs::permissions(folder.path(), fs::perms::all);
            fs::permissions(folder / "b", closed);
            Locations where;
            where.job_folder = folder.path();
            where.confined = confined;
            host::take_warnings();
            if (root) REQUIRE(::seteuid(65534) == 0);
            const auto found = resolve_inputs("*/f.npy", where, "/inputs/image/files");
            if (root) REQUIRE(::seteuid(0) == 0);
            fs::permissions(folder / "b", fs::perms::owner_all);
            CHECK(found.size() == 2);
            const auto told = host::take_warnings();
            REQUIRE(told.size() == 1);
            CHECK(contains(told[0], (folder / "b").string()));
        }
    }
}

TEST_CASE("confined: a pattern begins in the folder from which the program is called") {
    const TempFolder folder;
    io::write(folder / "f.npy", HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 2}})));
    for (const char* const files : {"*.npy", "./*.npy", "?.npy"}) {
        write_text(folder / "job.json", Json{{"parallax", 1},
                                             {"device", {{"backend", "native"}}},
                                             {"inputs", {{"image", {{"files", files}, {"combine", "mean"}}}}},
                                             {"steps", {{{"run", "crop"}}}},
                                             {"outputs", {{"image", "o.tif"}}}}
                                            .dump());
        const Run run = run_program({"plan", "job.json", "--confined"}, folder.path());
        CAPTURE(run.err);
        CHECK(run.status == 0);
    }
}

TEST_CASE("confined: where no more files can be opened, neither the job nor a link is blamed") {
    const TempFolder folder;
    write_text(folder / "in.npy", "x");
    Locations where;
    where.job_folder = folder.path();
    where.confined = true;
    const Confinement held(where);
    std::vector<std::string> told;
    {
        const FewFiles few(0);
        told.push_back(error_of<IoError>([&] { const Confinement none(where); }).what());
        told.push_back(error_of<IoError>([&] { held.open(folder / "in.npy", "/inputs/image"); }).what());
    }
    for (const std::string& text : told) {
        CAPTURE(text);
        CHECK(contains(text, "Too many open files"));
        CHECK(contains(text, "ulimit -n"));
    }
#if !PARALLAX_ADDRESS_SANITIZER   // which looks at an object through a pipe, and takes it for none where no pipe is to be had
    io::write(folder / "a.npy", ramp(4, 3));
    write_text(folder / "job.json", R"({"parallax": 1, "for_each": {"f": "a.npy"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "crop"}], "outputs": {"image": "{f.stem}.ome.zarr"}})");
    for (int files = 4; files < 20; ++files) {
        CAPTURE(files);
        const Run run = run_program({"run", "job.json", "--confined", "--device", "native", "--quiet", "--out", "out"}, folder.path(), {}, {},
                                    {"sh", "-c", "ulimit -n " + std::to_string(files) + "; exec \"$@\"", "sh"});
        CAPTURE(run.err);
        if (run.status == 127) continue;   // it could not begin: its own libraries are files, too
        CHECK((run.status == 0 || run.status == 1));
        CHECK_FALSE(contains(run.err, "realpath"));
        fs::remove_all(folder / "out");
    }
#endif
}

TEST_CASE("confined: patterns look nowhere else and cost little") {
    const TempFolder folder, outside;
    fs::create_directories(folder / "job/in");
    write_text(outside / "hidden-name.npy", "x");
    write_text(folder / "job/in/a.npy", "x");
    fs::create_directory_symlink(folder / "job", folder / "job/in/again");   // a folder in itself
    fs::create_directory_symlink(outside.path(), folder / "job/way");
    Locations where;
    where.job_folder = folder / "job";
    where.confined = true;
    CHECK(resolve_inputs("in/*.npy", where, "/i") == std::vector<fs::path>{folder / "job/in/a.npy"});
    CHECK(resolve_inputs("*/*.npy", where, "/i") ==
          std::vector<fs::path>{folder / "job/in/a.npy"});   // not by the link to a folder
    for (const std::string& pattern :
         {std::string("way/*.npy"), outside.path().string() + "/*", std::string("../*"), std::string("/*/*/*/*/*"),
          std::string("*/*/*/*/*/*/*/*/*/*/*/*/*/*.npy"), std::string("in/../../*")}) {
        CAPTURE(pattern);
        const auto begun = std::chrono::steady_clock::now();
        const std::string text = error_of<ConfigError>([&] { resolve_inputs(pattern, where, "/i"); }).what();
        CHECK_FALSE(contains(text, "hidden-name"));
        CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(2));
    }
    // A link to the job's own folder is not what it is named: whoever confines a job names the folder itself.
    fs::create_directory_symlink(folder / "job", folder / "link");
    where.job_folder = folder / "link";
    CHECK(contains(error_of<ConfigError>([&] { resolve_input("in/a.npy", where, "/i"); }).what(), "no link on the way"));
}

#endif
