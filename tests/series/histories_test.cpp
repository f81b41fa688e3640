// Histories drawn at random: whatever came, went and changed between the runs of a series, --resume ends with what a run from the
// beginning makes.
#include "frames.hpp"
#include "seed.hpp"

#include <algorithm>
#include <iterator>
#include <random>

using namespace parallax;
using namespace parallax::tests;

namespace {

const std::vector<std::string> names{"a", "b", "c", "d", "e"};

/// A folder with all that an item may read, a job over some frames, and what may happen to them.
class World {
public:
    explicit World(std::uint64_t seed) : random_(static_cast<std::mt19937_64::result_type>(seed)) {
        for (const std::string& name : names) {
            if (random_() % 2 == 0 || name == names.front()) put("in/" + name + ".npy");
            put("darks/" + name + "/0.npy"), put("A/" + name + ".npy"), put("B/" + name + ".npy"), put_store(name);
        }
        for (std::size_t i = 0; i < names.size(); ++i) put(fmt::format("dose/f{:04}.npy", i));
        make_job();
    }

    const fs::path& path() const { return folder_.path(); }
    const std::vector<std::string>& told() const { return told_; }
    std::vector<std::string> options() const { return {"--root", std::string("flat=") + root_}; }
    bool one_in(unsigned n) { return random_() % n == 0; }

    void something_happens() {
        const auto frames = there("in");
        const std::string& some = one_of(frames);
        const std::string name = one_of(names);
        switch (random_() % 12) {
            case 0: put("in/" + name + ".npy"); break;   // one more, or another in its place
            case 1:
                if (frames.size() > 1) remove("in/" + some);
                break;
            case 2: swap("in/" + some, "in/" + one_of(frames)); break;
            case 3: link("in/" + some, std::string(one_in(2) ? "A/" : "B/") + name + ".npy"); break;
            case 4: put("darks/" + name + "/" + std::to_string(random_() % 3) + ".npy"); break;
            case 5:
                if (const auto darks = there("darks/" + name); darks.size() > 1) remove("darks/" + name + "/" + one_of(darks));
                break;
            case 6: put(std::string(one_in(2) ? "A/" : "B/") + name + ".npy"); break;
            case 7: root_ = root_ == 'A' ? 'B' : 'A', told_.emplace_back("another root"); break;
            case 8: put(fmt::format("dose/f{:04}.npy", random_() % names.size())); break;
            case 9: change_store(name); break;
            case 10: write_again("in/" + some); break;
            default:
                if (const auto made = there("out"); !made.empty()) remove("out/" + one_of(made));
        }
    }

private:
    template <class T>
    const T& one_of(const std::vector<T>& of) {
        return of[random_() % of.size()];
    }
    /// Files of a folder, by name.
    std::vector<std::string> there(const std::string& folder) const {
        std::vector<std::string> files;
        if (fs::is_directory(path() / folder))
            for (const auto& entry : fs::directory_iterator(path() / folder))
                if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
        std::sort(files.begin(), files.end());
        return files;
    }
    /// Every element is `number` and some more, a sum that is exact.
    HostArray next_array() {
        HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'z', 2}, {'y', 2}, {'x', 3}}));
        ++number_;
        for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<float>()[i] = static_cast<float>(number_ * 16 + i);
        return array;
    }
    void put(const std::string& file) {
        told_.push_back("written: " + file);
        fs::create_directories((path() / file).parent_path());
        if (one_in(2)) {   // in place
            const TempFolder aside;
            io::write(aside / "new.npy", next_array());
            const bool keeps = fs::exists(path() / file) && one_in(2);   // as touch -r and rsync --inplace -t do
            const auto time = keeps ? fs::last_write_time(path() / file) : fs::file_time_type();
            fs::copy_file(aside / "new.npy", path() / file, fs::copy_options::overwrite_existing);
            if (keeps) fs::last_write_time(path() / file, time), told_.back() += ", its time kept";
        } else {
            io::write(path() / file, next_array(), {.overwrite = true});
        }
    }
    void write_again(const std::string& file) {
        told_.push_back("the same again: " + file);
        write_text(path() / file, read_text(path() / file));
    }
    void remove(const std::string& file) {
        told_.push_back("removed: " + file);
        fs::remove(path() / file);
    }
    void swap(const std::string& one, const std::string& other) {
        told_.push_back("swapped: " + one + ", " + other);
        fs::rename(path() / one, path() / "aside");
        if (one != other) fs::rename(path() / other, path() / one);
        fs::rename(path() / "aside", path() / other);
    }
    void link(const std::string& file, const std::string& to) {
        told_.push_back("linked: " + file + " to " + to);
        fs::remove(path() / file);
        fs::create_symlink(path() / to, path() / file);
    }
    void put_store(const std::string& name) {
        told_.push_back("written: stores/" + name);
        fs::create_directories(path() / "stores");
        io::write(path() / "stores" / (name + ".zarr"), next_array(), {.overwrite = true});
    }
    void change_store(const std::string& name) {
        const fs::path chunk = path() / "stores" / (name + ".zarr") / "0/1";
        if (one_in(2) || !fs::exists(chunk)) return put_store(name);
        told_.push_back("a chunk removed: stores/" + name);   // its elements are then 0
        fs::remove_all(chunk);
    }
    void make_job() {
        const std::vector<Json> others{Json{{"files", "darks/{frame.stem}/*.npy"}, {"combine", one_in(2) ? "mean" : "median"}},
                                       "flat:{frame.stem}.npy", "dose/f{frame.index}.npy", "stores/{frame.stem}.zarr", "{frame}"};
        const std::vector<std::string> combined{"mean", "stack", "max"};
        Json job{{"parallax", 1},
                 {"for_each", {{"frame", "in/*.npy"}}},
                 {"inputs", {{"image", "{frame}"}, {"other", one_of(others)}}},
                 {"steps",
                  {{{"run", "arithmetic"}, {"op", one_in(2) ? "add" : "subtract"}, {"in", {{"image", "image"}, {"other", "other"}}},
                    {"out", {{"image", "p"}}}}}},
                 {"outputs", Json::object()}};
        Json& outputs = job["outputs"];
        outputs["p"] = "{frame.stem}.npy";
        if (one_in(2)) outputs["all"] = {{"of", one_in(3) ? "image" : "p"}, {"file", "all.npy"}, {"combine", one_of(combined)}};
        if (one_in(2)) {
            job["steps"].push_back({{"run", "reduce"}, {"in", {{"array", "p"}}}});
            outputs["statistics"] = {{"table", "table.csv"}};
        }
        told_.push_back(job.dump());
        write_text(path() / "job.json", job.dump());
    }

    TempFolder folder_;
    std::mt19937_64 random_;
    std::vector<std::string> told_;   ///< what has happened so far
    char root_ = 'A';
    int number_ = 0;
};

}  // namespace

TEST_CASE("series: whatever happens between runs, --resume ends with what a run from the beginning makes") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    for (int draw = 0; draw < drawn_count(25); ++draw) {
        World world(seed + static_cast<std::uint64_t>(draw));
        CAPTURE(draw);
        bool begun = false;
        const auto run = [&](const std::string& out, std::vector<std::string> more) {
            const auto options = world.options();
            more.insert(more.end(), options.begin(), options.end());
            return run_job(world.path(), out, more);
        };
        const auto go_on = [&](std::vector<std::string> more) {
            if (begun) more.emplace_back("--resume");
            begun = true;
            const Run ended = run("out", more);
            CHECK_MESSAGE(ended.status == 0, ended.err);
            return ended;
        };
        for (int i = 0; i < 4; ++i) {
            if (i > 0) world.something_happens();
            if (i > 0 && world.one_in(3)) world.something_happens();
            if (world.one_in(3)) go_on({"--shard", world.one_in(2) ? "1/2" : "2/2"});
            else go_on({});
        }
        if (world.one_in(2)) {
            go_on({});
        } else {   // in either order
            const bool second = world.one_in(2);
            const std::string first = second ? "2/2" : "1/2", last = second ? "1/2" : "2/2";
            go_on({"--shard", first});
            // One that does an item again of which another's sum has been made too says that the other is to go on once more.
            const Run ended = go_on({"--shard", last});
            if (contains(ended.out + ended.err, "other shards are not done yet")) go_on({"--shard", first});
        }
        const Run fresh = run("fresh", {});
        REQUIRE_MESSAGE(fresh.status == 0, fresh.err);
        CAPTURE(fmt::format("{}", fmt::join(world.told(), "\n")));
        for (const auto& [name, bytes] : contents(world.path() / "fresh")) {
            CAPTURE(name);
            CHECK((read_text(world.path() / "out" / name) == bytes));
        }
        const Run once_more = run("out", {"--resume"});
        CHECK_MESSAGE(contains(once_more.out + once_more.err, "nothing left to do"), once_more.err);
    }
}
