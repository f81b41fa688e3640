// What an item reads is more than whether its files have changed: which files, and for which inputs. Each of these histories ends
// with what a run from the beginning makes.
#include "frames.hpp"
#include "lines.hpp"
#include "watching_run.hpp"

#include <chrono>
#include <functional>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Every voxel this.
HostArray level(float value) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 3}, {'x', 4}}));
    std::fill_n(array.as<float>(), array.desc.count(), value);
    return array;
}

void put(const fs::path& file, float value) {
    fs::create_directories(file.parent_path());
    io::write(file, level(value));
}

/// f0.npy, f1.npy ... of these levels.
void put_all(const fs::path& folder, std::initializer_list<float> values) {
    int i = 0;
    for (const float value : values) put(folder / fmt::format("f{}.npy", i++), value);
}

/// image op other, by item and as a mean.
Json job_of(const char* op, const Json& for_each, const Json& image, const Json& other) {
    return {{"parallax", 1},
            {"for_each", for_each},
            {"inputs", {{"image", image}, {"other", other}}},
            {"steps", {{{"run", "arithmetic"}, {"op", op}, {"in", {{"image", "image"}, {"other", "other"}}}, {"out", {{"image", "p"}}}}}},
            {"outputs",
             {{"p", "{frame.stem}.npy"}, {"mean", {{"of", "p"}, {"file", "mean.npy"}, {"combine", "mean"}}}}}};
}

struct History {
    const char* name;
    Json job;
    std::function<void(const fs::path&)> before, then;   ///< what is in the folder for the first run, and what changes after it
    std::vector<std::string> first{}, second{};          ///< arguments
};

}  // namespace

TEST_CASE("series: other files for an item, or the same for other inputs, are noticed by --resume") {
    const Json frames{{"frame", "in/*.npy"}};
    const History histories[] = {
        {"a pattern finds one more",
         job_of("subtract", frames, "{frame}", {{"files", "darks/{frame.stem}/*.npy"}, {"combine", "mean"}}),
         [](const fs::path& at) {
             put_all(at / "in", {100, 101});
             for (const char* item : {"f0", "f1"}) put_all(at / "darks" / item, {10, 10});
         },
         [](const fs::path& at) { put(at / "darks/f0/f2.npy", 40); }},
        {"a pattern finds one less",
         job_of("subtract", frames, "{frame}", {{"files", "darks/{frame.stem}/*.npy"}, {"combine", "mean"}}),
         [](const fs::path& at) {
             put_all(at / "in", {100, 101});
             for (const char* item : {"f0", "f1"}) put_all(at / "darks" / item, {10, 40});
         },
         [](const fs::path& at) { fs::remove(at / "darks/f1/f1.npy"); }},
        {"files are written over, as long as before, and their times put back",
         job_of("subtract", frames, "{frame}", {{"files", "darks/{frame.stem}/*.npy"}, {"combine", "mean"}}),
         [](const fs::path& at) {
             put_all(at / "in", {100, 101});
             for (const char* item : {"f0", "f1"}) put_all(at / "darks" / item, {10, 40});
         },
         [](const fs::path& at) {
             put_all(at / "new", {50});
             for (const char* file : {"in/f0.npy", "darks/f1/f1.npy"}) {
                 const auto time = fs::last_write_time(at / file);
                 fs::copy_file(at / "new/f0.npy", at / file, fs::copy_options::overwrite_existing);
                 fs::last_write_time(at / file, time);
             }
         }},
        {"a root leads elsewhere",
         job_of("multiply", frames, "{frame}", "flat:{frame.stem}.npy"),
         [](const fs::path& at) {
             put_all(at / "in", {10, 11, 12});
             put_all(at / "A", {1, 1, 1});
             put_all(at / "B", {2, 2, 2});
         },
         [](const fs::path&) {},
         {"--root", "flat=A"},
         {"--root", "flat=B"}},
        {"variables change places",
         job_of("subtract", {{"dark", "run/*.npy"}, {"frame", "dark/*.npy"}}, "{frame}", "{dark}"),
         [](const fs::path& at) { put_all(at / "run", {50, 51}), put_all(at / "dark", {8, 9}); },
         [](const fs::path& at) {
             Json job = Json::parse(read_text(at / "job.json"));
             job["for_each"] = {{"frame", "run/*.npy"}, {"dark", "dark/*.npy"}};
             write_text(at / "job.json", job.dump());
         }},
        {"one comes before it, and an input goes by numbers",
         job_of("multiply", frames, "{frame}", "dose/f{frame.index}.npy"),
         [](const fs::path& at) {
             put(at / "in/a.npy", 10), put(at / "in/c.npy", 10);
             for (int i = 0; i < 3; ++i) put(at / fmt::format("dose/f{:04}.npy", i), static_cast<float>(i + 1));
         },
         [](const fs::path& at) { put(at / "in/b.npy", 10); }},
        {"a store gets a chunk that it had not",
         job_of("add", frames, "{frame}", "stores/{frame.stem}.zarr"),
         [](const fs::path& at) {
             put_all(at / "in", {1, 2});
             for (const std::string item : {"f0", "f1"}) {   // of elements that are left out each is 0
                 const fs::path store = at / "stores" / (item + ".zarr"), kept = at / "kept" / item;
                 fs::create_directories(store.parent_path());
                 fs::create_directories(kept);
                 io::write(store, level(7));
                 fs::rename(store / "0/1", kept / "1");
             }
         },
         [](const fs::path& at) {
             fs::rename(at / "kept/f0/1", at / "stores/f0.zarr/0/1");
         }},
        {"a file comes a second time, by another pattern",
         job_of("add", frames, "{frame}", "{frame}"),
         [](const fs::path& at) { put_all(at / "in", {10, 20, 30}); },
         [](const fs::path& at) {
             Json job = Json::parse(read_text(at / "job.json"));
             job["for_each"]["frame"] = {"in/*.npy", "in/f0.npy"};
             job["outputs"].erase("p");
             write_text(at / "job.json", job.dump());
         }},
    };
    for (const History& history : histories) {
        const std::string name_of_it = history.name;
        CAPTURE(name_of_it);
        const TempFolder folder;
        Json job = history.job;
        if (contains(history.name, "second time")) job["outputs"].erase("p");
        write_text(folder / "job.json", job.dump());
        history.before(folder.path());
        const Run first = run_job(folder.path(), "out", history.first);
        REQUIRE_MESSAGE(first.status == 0, first.err);
        history.then(folder.path());
        std::vector<std::string> again = history.second;
        again.push_back("--resume");
        const Run resumed = run_job(folder.path(), "out", again), fresh = run_job(folder.path(), "fresh", history.second);
        REQUIRE_MESSAGE(fresh.status == 0, fresh.err);
        CHECK_MESSAGE(resumed.status == 0, resumed.err);
        for (const auto& [name, bytes] : contents(folder / "fresh")) {
            CAPTURE(name);
            CHECK((read_text(folder / "out" / name) == bytes));
        }
        const Run once_more = run_job(folder.path(), "out", again);
        CHECK(contains(once_more.out + once_more.err, "nothing left to do"));
    }
}

#if defined(__linux__)
TEST_CASE("series: inputs whose rights, names or times alone are others are read by one --resume, and not by the next") {
    const TempFolder folder;
    put_all(folder / "in", {100, 101, 102});
    write_text(folder / "job.json",
               R"({"parallax": 1, "for_each": {"frame": "in/*.npy"}, "inputs": {"image": "{frame}"},
                   "steps": [{"run": "arithmetic", "value": 1, "out": {"image": "p"}}], "outputs": {"p": "{frame.stem}.npy"}})");
    const auto date = [&](const char* name, int hours) {   // what has been written just now may change unseen
        fs::last_write_time(folder / name, fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (const char* const name : {"in/f0.npy", "in/f1.npy", "in/f2.npy"}) date(name, 2);
    REQUIRE(run_job(folder.path(), "out", {"--quiet"}).status == 0);
    fs::permissions(folder / "in/f0.npy", fs::perms::owner_all);
    fs::create_hard_link(folder / "in/f1.npy", folder / "copy.npy");
    date("in/f2.npy", 1);
    const auto records = [&] {
        std::size_t lines = 0;
        for (const auto& entry : fs::directory_iterator(folder / "out/job.series"))
            if (entry.path().extension() == ".jsonl") lines += lines_of(entry.path()).size();
        return lines;
    };
    const std::size_t before = records();
    for (int i = 0; i < 2; ++i) {
        const Run run = run_job(folder.path(), "out", {"--resume"});
        CAPTURE(run.err);
        CHECK(run.status == 0);
        CHECK(contains(run.err, "nothing left to do: 3 of 3"));
        CHECK(records() == before + 3);   // each is on record as it is now, once
    }
}
#endif

TEST_CASE("series: a file that two patterns find is two items, each with its place, its row and its record") {
    Json job = frames_job();
    job["for_each"]["frame"] = {"frames/*.tif", "frames/f000.tif"};
    job["outputs"] = {{"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}}}, {"statistics", {{"table", "t.csv"}}}};
    const Folder folder(3, job);
    REQUIRE(run_job(folder.path(), "out").status == 0);
    const HostArray all = io::read(folder / "out/all.npy");
    REQUIRE(all.desc.axes.front().size == 4);
    const std::int64_t pixels = frame(0).desc.count();
    const int order[] = {0, 1, 2, 0};
    for (int i = 0; i < 4; ++i) CHECK(all.as<std::uint8_t>()[i * pixels] == frame(order[i]).as<std::uint8_t>()[0] + 1);
    const std::string table = read_text(folder / "out/t.csv");
    CHECK(contains(table, "frames/f000.tif (time 2)"));
    CHECK(std::count(table.begin(), table.end(), '\n') == 5);
    // A shard of them that is lost is done again.
    REQUIRE(run_job(folder.path(), "parts", {"--shard", "1/2"}).status == 0);
    REQUIRE(run_job(folder.path(), "parts", {"--shard", "2/2"}).status == 0);
    CHECK(read_text(folder / "parts/all.npy") == read_text(folder / "out/all.npy"));
    REQUIRE(run_job(folder.path(), "half", {"--shard", "1/2"}).status == 0);
    REQUIRE(run_job(folder.path(), "half", {"--resume"}).status == 0);
    CHECK(read_text(folder / "half/all.npy") == read_text(folder / "out/all.npy"));
    CHECK(read_text(folder / "half/t.csv") == table);
}

TEST_CASE("series: a shard does not combine its items with those of another whose files have changed since") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["outputs"] = {{"mean", {{"of", "sum"}, {"file", "mean.npy"}, {"combine", "mean"}}}};
    const Folder folder(4, job);
    for (const char* shard : {"1/2", "2/2"}) REQUIRE(run_job(folder.path(), "out", {"--shard", shard}).status == 0);
    const std::string before = read_text(folder / "out/mean.npy");
    for (int i = 0; i < 4; ++i) io::write(folder / "frames" / (frame_name(i) + ".tif"), frame(i + 10), {.overwrite = true});
    CHECK(run_job(folder.path(), "out", {"--shard", "1/2", "--resume"}).status == 0);
    CHECK(read_text(folder / "out/mean.npy") == before);
    CHECK(run_job(folder.path(), "out", {"--shard", "2/2", "--resume"}).status == 0);
    REQUIRE(run_job(folder.path(), "fresh").status == 0);
    CHECK(read_text(folder / "out/mean.npy") == read_text(folder / "fresh/mean.npy"));
}

TEST_CASE("series: shards that go on after a run without shards make what is made of all anew, whichever goes first") {
    Json job = frames_job();
    job["steps"].erase(1);
    job["outputs"] = {{"all", {{"of", "sum"}, {"file", "all.npy"}, {"combine", "stack"}}}, {"sum", "{frame.stem}.npy"}};
    for (const int changed : {0, 1}) {
        for (const char* const first : {"1/2", "2/2"}) {
            const Folder folder(4, job);
            REQUIRE(run_job(folder.path(), "out").status == 0);
            io::write(folder / "frames" / (frame_name(changed) + ".tif"), frame(10), {.overwrite = true});
            for (const std::string& shard : {std::string(first), std::string(first) == "1/2" ? std::string("2/2") : std::string("1/2")}) {
                const Run run = run_job(folder.path(), "out", {"--shard", shard, "--resume"});
                REQUIRE_MESSAGE(run.status == 0, run.err);
            }
            REQUIRE(run_job(folder.path(), "fresh").status == 0);
            CHECK(read_text(folder / "out/all.npy") == read_text(folder / "fresh/all.npy"));
        }
    }
}

TEST_CASE("series: an input that all items have can be combined of all, too") {
    for (const char* const how : {"mean", "median", "min", "max", "stack"}) {
        CAPTURE(how);
        Json job = frames_job();
        job["steps"].erase(1);
        job["inputs"]["dark"] = "dark.npy";
        job["steps"].push_back({{"run", "crop"}, {"in", {{"image", "dark"}}}, {"out", {{"image", "c"}}}});
        job["outputs"] = {{"c", "{frame.stem}.npy"}, {"all", {{"of", "dark"}, {"file", "all.npy"}, {"combine", how}}}};
        job["outputs"]["sum"] = "sums/{frame.stem}.npy";
        const Folder folder(3, job);
        put(folder / "dark.npy", 7);
        const Run run = run_job(folder.path(), "out");
        REQUIRE_MESSAGE(run.status == 0, run.err);
        const HostArray all = io::read(folder / "out/all.npy");
        CHECK(all.desc.count() == (std::string(how) == "stack" ? 3 : 1) * level(7).desc.count());
        for (std::int64_t i = 0; i < all.desc.count(); ++i) CHECK(all.as<float>()[i] == 7);
    }
}

TEST_CASE("series: what is made of all items has its place from the first of them, in whatever order patterns stood before") {
    Json job = frames_job();
    job["for_each"]["frame"] = {"frames/b.nrrd", "frames/a.nrrd"};
    job["steps"].erase(1);
    job["outputs"] = {{"mean", {{"of", "sum"}, {"file", "mean.nrrd"}, {"combine", "mean"}}}};
    const Folder folder(0, job);
    for (const auto& [name, spacing] : {std::pair("a", 1.0), {"b", 2.0}}) {
        HostArray array = level(1);
        for (Axis& axis : array.desc.axes) axis.spacing = spacing;
        io::write(folder / fmt::format("frames/{}.nrrd", name), array);
    }
    REQUIRE(run_job(folder.path(), "out").status == 0);
    job["for_each"]["frame"] = {"frames/a.nrrd", "frames/b.nrrd"};
    write_text(folder / "job.json", job.dump());
    REQUIRE(run_job(folder.path(), "out", {"--resume"}).status == 0);
    REQUIRE(run_job(folder.path(), "fresh").status == 0);
    CHECK(read_text(folder / "out/mean.nrrd") == read_text(folder / "fresh/mean.nrrd"));
}

#if !defined(_WIN32)
TEST_CASE("watch: what is made of all items has its place from the first by name, whichever came first") {
    Json job = frames_job();
    job["for_each"]["frame"] = "frames/*.nrrd";
    job["steps"].erase(1);
    job["outputs"] = {{"mean", {{"of", "sum"}, {"file", "mean.nrrd"}, {"combine", "mean"}}}};
    const Folder folder(0, job);
    WatchingRun watch(folder.path());
    for (const auto& [name, spacing] : {std::pair("b", 2.0), {"a", 1.0}}) {
        HostArray array = level(1);
        for (Axis& axis : array.desc.axes) axis.spacing = spacing;
        io::write(folder / "aside.nrrd", array);
        fs::rename(folder / "aside.nrrd", folder / fmt::format("frames/{}.nrrd", name));
        watch.has_done({std::string(name) + ".nrrd"});
    }
    CHECK(watch.end().status == 0);
    REQUIRE(run_job(folder.path(), "fresh").status == 0);
    CHECK(read_text(folder / "out/mean.nrrd") == read_text(folder / "fresh/mean.nrrd"));
}
#endif
