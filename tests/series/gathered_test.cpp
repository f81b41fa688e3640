// What all items make together is the same file, byte for byte, however the work on them was split: what lies beside the elements
// (place, spacing, notes) included. And items that are not alike are not combined by whoever does not see them side by side.
#include "frames.hpp"
#include "seed.hpp"

#include <numeric>
#include <random>

using namespace parallax;
using namespace parallax::tests;

namespace {

/// A volume of its own place and pixels.
HostArray volume(int i) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', 3}, {'y', 4}, {'x', 5}}));
    for (std::int64_t n = 0; n < array.desc.count(); ++n) array.as<std::uint16_t>()[n] = static_cast<std::uint16_t>(n * 7 + i * 31);
    array.desc.unit = "mm";
    for (Axis& axis : array.desc.axes) axis.spacing = 2;
    array.metadata.affine = {-2, 0, 0, 90.0 + i, 0, 2, 0, -126, 0, 0, 2, -72, 0, 0, 0, 1};
    return array;
}

Json combining() {
    Json job = Json::parse(R"({"parallax": 1, "for_each": {"f": "in/*.nii", "on_error": "continue"}, "inputs": {"image": "{f}"},
        "steps": [{"run": "crop"}], "outputs": {}})");
    for (const char* const how : {"mean", "min", "max", "median", "stack"})
        job["outputs"][how] = {{"of", "image"}, {"file", std::string(how) + ".nii"}, {"combine", how}};
    return job;
}

struct Volumes : TempFolder {
    explicit Volumes(int count) {
        fs::create_directory(path() / "in");
        for (int i = 0; i < count; ++i) add(i);
        write_text(path() / "job.json", combining().dump());
    }
    void add(int i) const { io::write(file(i), volume(i)); }
    fs::path file(int i) const { return path() / "in" / fmt::format("v{:02}.nii", i); }
};

}  // namespace

TEST_CASE("gathered: the same files by one run, by shards in any order, and by runs that go on with items that came in any order") {
    constexpr int count = 7;
    const Volumes folder(count);
    const Run whole = run_job(folder.path(), "whole", {"--quiet"});
    CAPTURE(whole.err);
    REQUIRE(whole.status == 0);
    const auto expected = contents(folder / "whole");
    REQUIRE(expected.size() == 5);
    CHECK(io::read(folder / "whole/mean.nii").metadata.affine == volume(0).metadata.affine);
    CHECK(contains(whole.err, "they lie elsewhere"));

    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    for (int draw = 0; draw < drawn_count(4); ++draw) {
        CAPTURE(draw);
        const std::string shards = fmt::format("shards{}", draw), resumed = fmt::format("resumed{}", draw);
        std::vector<int> order(2 + random() % 3);
        std::iota(order.begin(), order.end(), 1);
        const std::string n = fmt::format("/{}", order.size());
        std::shuffle(order.begin(), order.end(), random);
        for (const int number : order) {
            const Run run = run_job(folder.path(), shards, {"--quiet", "--shard", std::to_string(number) + n});
            CAPTURE(run.err);
            CHECK(run.status == 0);
        }
        CHECK(contents(folder / shards) == expected);
        CHECK(run_job(folder.path(), shards, {"--quiet", "--resume", "--shard", std::to_string(order.front()) + n}).status == 0);
        CHECK(contents(folder / shards) == expected);

        std::vector<int> items(count);
        std::iota(items.begin(), items.end(), 0);
        std::shuffle(items.begin(), items.end(), random);
        for (const int i : items) fs::rename(folder.file(i), folder / fmt::format("away{}", i));
        for (std::size_t i = 0; i < items.size();) {
            for (std::size_t more = 1 + random() % 3; more > 0 && i < items.size(); --more, ++i)
                fs::rename(folder / fmt::format("away{}", items[i]), folder.file(items[i]));
            const Run run = run_job(folder.path(), resumed, {"--quiet", "--resume"});
            CAPTURE(run.err);
            CHECK(run.status == 0);
        }
        CHECK(contents(folder / resumed) == expected);
        CHECK(run_job(folder.path(), resumed, {"--quiet", "--resume"}).status == 0);   // with nothing to do
        CHECK(contents(folder / resumed) == expected);
    }
}

TEST_CASE("gathered: arrays of unlike shapes are not combined by shards, nor by a run that goes on") {
    const auto unlike = [](bool of_type) {
        HostArray other = HostArray::make(of_type ? ArrayDesc::dense(ElementType::f32, {{'z', 3}, {'y', 4}, {'x', 5}})
                                                  : ArrayDesc::dense(ElementType::u16, {{'z', 3}, {'y', 5}, {'x', 4}}));
        std::fill_n(other.data(), other.desc.dense_bytes(), std::byte{});
        return other;
    };
    for (const bool of_type : {false, true}) {   // a mean takes other types, a stack does not
        for (const bool shards : {false, true}) {
            CAPTURE(of_type);
            CAPTURE(shards);
            const Volumes folder(1);
            if (shards) io::write(folder.file(1), unlike(of_type));
            const std::vector<std::string> first = shards ? std::vector<std::string>{"--quiet", "--shard", "1/2"}
                                                          : std::vector<std::string>{"--quiet"};
            CHECK(run_job(folder.path(), "out", first).status == 0);
            if (!shards) io::write(folder.file(1), unlike(of_type));
            const std::vector<std::string> second = shards ? std::vector<std::string>{"--quiet", "--shard", "2/2"}
                                                           : std::vector<std::string>{"--quiet", "--resume"};
            const Run run = run_job(folder.path(), "out", second);
            CAPTURE(run.err);
            CHECK(run.status == 1);
            CHECK(contains(run.err, "combines arrays of one shape"));
            CHECK(contains(run.err, "v01.nii"));
            if (fs::exists(folder / "out/stack.nii")) CHECK(io::read(folder / "out/stack.nii").desc.count() == 60);
        }
    }
}

TEST_CASE("gathered: shards do all again where the files have another shape by now") {
    const Volumes folder(4);
    for (const char* const shard : {"1/2", "2/2"}) REQUIRE(run_job(folder.path(), "out", {"--quiet", "--shard", shard}).status == 0);
    HostArray other = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', 2}, {'y', 5}, {'x', 4}}));
    for (int i = 0; i < 4; ++i) {
        std::fill_n(other.data(), other.desc.dense_bytes(), static_cast<std::byte>(i));
        fs::remove(folder.file(i));
        io::write(folder.file(i), other);
    }
    for (const char* const shard : {"1/2", "2/2"}) {
        const Run run = run_job(folder.path(), "out", {"--quiet", "--overwrite", "--shard", shard});
        CAPTURE(run.err);
        CHECK_FALSE(contains(run.err, "items failed"));
    }
    REQUIRE(run_job(folder.path(), "fresh", {"--quiet"}).status == 0);
    CHECK(contents(folder / "out") == contents(folder / "fresh"));
}

TEST_CASE("gathered: shards that have combined unlike arrays side by side end with an error that names both") {
    const Volumes folder(2);
    HostArray other = HostArray::make(ArrayDesc::dense(ElementType::u16, {{'z', 3}, {'y', 5}, {'x', 4}}));
    std::fill_n(other.data(), other.desc.dense_bytes(), std::byte{});
    fs::remove(folder.file(1));
    io::write(folder.file(1), other);
    REQUIRE(run_job(folder.path(), "a", {"--quiet", "--shard", "1/2"}).status == 0);
    REQUIRE(run_job(folder.path(), "b", {"--quiet", "--shard", "2/2"}).status == 0);
    for (const auto& entry : fs::directory_iterator(folder / "b/job.series")) {   // as if it had been done beside the first
        const std::string name = entry.path().filename().string();
        if (name.starts_with("items-") || name.starts_with("fold-")) fs::copy_file(entry.path(), folder / "a/job.series" / name);
    }
    const Run run = run_job(folder.path(), "a", {"--quiet", "--shard", "2/2", "--resume"});
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(run.err, "combines arrays of one shape"));
    CHECK(contains(run.err, "v00.nii"));
    CHECK(contains(run.err, "v01.nii"));
    CHECK(!fs::exists(folder / "a/mean.nii"));
    fs::remove(folder.file(1));   // what it says
    CHECK(run_job(folder.path(), "a", {"--quiet", "--shard", "1/2", "--resume"}).status == 0);
    const Run end = run_job(folder.path(), "a", {"--quiet", "--shard", "2/2", "--resume"});
    CAPTURE(end.err);
    CHECK(end.status == 0);
    CHECK(io::read(folder / "a/stack.nii").desc.count() == 60);
}
