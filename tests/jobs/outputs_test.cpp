// All or nothing, tables of records, and places of files.
#include "job/outputs.hpp"
#include "job/paths.hpp"
#include "job/read.hpp"
#include "support.hpp"

#include <limits>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

namespace {

auto text(const std::string& content) {
    return [content](const fs::path& path) { write_text(path, content); };
}

}  // namespace

TEST_CASE("outputs: nothing is to be seen before commit, everything after it") {
    const TempFolder folder;
    OutputSet set(false);
    set.add(folder / "a.txt", text("1"));
    const fs::path temporary = set.add(folder / "deep/er/b.nii.gz", text("2"));
    CHECK(temporary.filename().string().ends_with("-b.nii.gz"));
    CHECK_FALSE(fs::exists(folder / "a.txt"));
    set.commit();
    CHECK(folder.listing() == std::vector<std::string>{"a.txt", "deep", "deep/er", "deep/er/b.nii.gz"});
}

TEST_CASE("outputs: without commit nothing stays, not even folders") {
    const TempFolder folder;
    {
        OutputSet set(false);
        set.add(folder / "deep/a.txt", text("1"));
        CHECK_THROWS_AS(set.add(folder / "b.txt", [](const fs::path& path) {
            write_text(path, "half");
            throw IoError("b.txt", "the disk is full");
        }), IoError);
    }
    CHECK(folder.listing().empty());
}

TEST_CASE("outputs: a file that appears meanwhile is kept, and the others are taken back") {
    const TempFolder folder;
    {
        OutputSet set(false);
        set.add(folder / "a.txt", text("1"));
        set.add(folder / "b.txt", text("2"));
        write_text(folder / "b.txt", "someone else's");
        CHECK_THROWS_AS(set.commit(), IoError);
    }
    CHECK(folder.listing() == std::vector<std::string>{"b.txt"});
    CHECK(read_text(folder / "b.txt") == "someone else's");
}

TEST_CASE("outputs: overwriting replaces all, or brings all back") {
    const TempFolder folder;
    write_text(folder / "a.txt", "old a");
    fs::create_directories(folder / "b.txt/full");   // a folder in the way that cannot be renamed over
    {
        OutputSet set(true);
        set.add(folder / "a.txt", text("new a"));
        set.commit();
    }
    CHECK(read_text(folder / "a.txt") == "new a");
    {
        OutputSet set(true);
        set.add(folder / "a.txt", text("newer a"));
        const fs::path temporary = set.add(folder / "c.txt", text("c"));
        fs::remove(temporary);   // as if the disk had lost it
        CHECK_THROWS_AS(set.commit(), IoError);
    }
    CHECK(read_text(folder / "a.txt") == "new a");
    CHECK(folder.listing() == std::vector<std::string>{"a.txt", "b.txt", "b.txt/full"});
}

TEST_CASE("records as tables") {
    const Json record = Json::parse(R"({"metric": "tenengrad", "distance_um": [1, 2, 3], "value": [0.5, 0.75, 0.25], "best": {"index": 1, "um": 2.1}, "pair": [1, 2]})");
    const Table curve = to_table(record, OutputForm::csv);
    CHECK(curve.header == std::vector<std::string>{"distance_um", "value"});
    REQUIRE(curve.rows.size() == 3);
    CHECK(curve.rows[1] == std::vector<Json>{2, 0.75});
    const Table row = to_table(record, OutputForm::table);
    CHECK(row.header == std::vector<std::string>{"metric", "best.index", "best.um"});
    REQUIRE(row.rows.size() == 1);
    CHECK(row.rows[0] == std::vector<Json>{"tenengrad", 1, 2.1});
    const Table list = to_table(Json::parse(R"([{"x": 1}, {"x": 2, "y": 3}])"), OutputForm::csv);
    CHECK(list.header == std::vector<std::string>{"x", "y"});
    CHECK(list.rows == std::vector<std::vector<Json>>{{1, nullptr}, {2, 3}});
}

TEST_CASE("paths: outputs stay below --out") {
    const TempFolder folder, outside;
    write_text(outside / "a.txt", "x");
    fs::create_directory_symlink(outside.path(), folder / "link");
    fs::create_symlink(outside / "a.txt", folder / "file.npy");
    fs::create_directory(folder / "dir.npy");
    Locations where;
    where.out = folder.path();
    CHECK(resolve_output("a/b.npy", where, "/o") == folder / "a/b.npy");
    CHECK(resolve_output("./b.npy", where, "/o") == folder / "b.npy");
    for (const char* bad : {"../b.npy", "a/../../b.npy", "/tmp/b.npy", "", "a/", ".", "link/b.npy", "link/new/b.npy", "file.npy", "dir.npy"}) {
        CAPTURE(std::string(bad));
        CHECK(error_of<ConfigError>([&] { resolve_output(bad, where, "/o"); }).pointer == "/o");
    }
}

TEST_CASE("paths: inputs are found beside the job, below roots, and by patterns") {
    const TempFolder folder, data;
    for (const char* name : {"b2.tif", "b1.tif", "b10.tif", ".b3.tif", "c.png"}) write_text(data / name, "x");
    fs::create_directories(data / "sub1");
    write_text(data / "sub1/b1.tif", "x");
    write_text(folder / "here.tif", "x");
    Locations where;
    where.job_folder = folder.path();
    where.roots["data"] = data.path();
    CHECK(resolve_input("here.tif", where, "/i") == folder / "here.tif");
    CHECK(resolve_input("data:c.png", where, "/i") == data / "c.png");
    CHECK(resolve_input((data / "c.png").string(), where, "/i") == data / "c.png");
    CHECK(resolve_inputs("data:b*.tif", where, "/i") == std::vector<fs::path>{data / "b1.tif", data / "b10.tif", data / "b2.tif"});
    CHECK(resolve_inputs("data:sub?/b?.tif", where, "/i") == std::vector<fs::path>{data / "sub1/b1.tif"});
    struct Row { const char* text; const char* fragment; };
    for (const Row& row : {Row{"hree.tif", "did you mean \"here.tif\""}, Row{"dtaa:c.png", "did you mean \"data\""}, Row{"", "an empty path"}, Row{".", "the folder"}}) {
        CAPTURE(std::string(row.text));
        CHECK(contains(error_of<ConfigError>([&] { resolve_input(row.text, where, "/i"); }).what(), row.fragment));
    }
    CHECK(contains(error_of<ConfigError>([&] { resolve_inputs("data:z*.tif", where, "/i"); }).what(), "no file that matches"));
}

TEST_CASE("paths: confined inputs lie below the job's folder or a root, links followed") {
    const TempFolder folder, data, elsewhere;
    for (const fs::path& path : {folder / "here.tif", data / "a1.tif", elsewhere / "secret.tif"}) write_text(path, "x");
    fs::create_symlink(elsewhere / "secret.tif", folder / "link.tif");
    fs::create_directory_symlink(elsewhere.path(), data / "way");
    Locations where;
    where.job_folder = folder.path();
    where.roots["data"] = data.path();
    const std::string outside = (elsewhere / "secret.tif").string(), up = "../" + elsewhere.path().filename().string() + "/secret.tif";
    for (const std::string& text : {outside, up, std::string("link.tif"), std::string("data:way/secret.tif"), std::string("data:../") + elsewhere.path().filename().string() + "/secret.tif"}) {
        CAPTURE(text);
        where.confined = false;
        CHECK_NOTHROW(resolve_input(text, where, "/i"));
        where.confined = true;
        CHECK(contains(error_of<ConfigError>([&] { resolve_input(text, where, "/i"); }).what(), "outside the job's folder"));
    }
    CHECK(contains(error_of<ConfigError>([&] { resolve_input((elsewhere / "none.tif").string(), where, "/i"); }).what(), "outside"));
    CHECK_THROWS_AS(resolve_inputs((elsewhere / "s*.tif").string(), where, "/i"), ConfigError);
    CHECK_THROWS_AS(resolve_inputs("data:way/*.tif", where, "/i"), ConfigError);
    CHECK(resolve_input("here.tif", where, "/i") == folder / "here.tif");
    CHECK(resolve_input((data / "a1.tif").string(), where, "/i") == data / "a1.tif");
    CHECK(resolve_inputs("data:a?.tif", where, "/i") == std::vector<fs::path>{data / "a1.tif"});
}

TEST_CASE("paths: patterns") {
    struct Row { const char* pattern; const char* text; bool matches; };
    for (const Row& row : {Row{"*", "", true}, Row{"a*c", "abbc", true}, Row{"a*c", "abbd", false}, Row{"?", "", false}, Row{"a?c", "abc", true},
                           Row{"*.tif", "a.tif.tif", true}, Row{"*b*b*", "abab", true}, Row{"**", "x", true}, Row{"a", "ab", false}}) {
        CAPTURE(std::string(row.pattern));
        CAPTURE(std::string(row.text));
        CHECK(matches(row.pattern, row.text) == row.matches);
    }
}

TEST_CASE("non-finite values: propagate, reject, mask") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
    HostArray a = floats(4, 2, {1, 2, 3, 4, 5, nan, -inf, 8});
    apply_non_finite(a, NonFinite::propagate, "input");
    CHECK(a.as<float>()[5] != a.as<float>()[5]);
    const auto error = error_of<IoError>([&] { apply_non_finite(a, NonFinite::reject, "input"); });
    CHECK(contains(error.what(), "input: holds nan at [1, 1] (y, x)"));
    apply_non_finite(a, NonFinite::mask, "input");
    CHECK(a.as<float>()[5] == 0);
    CHECK(a.as<float>()[6] == 0);
    CHECK(a.as<float>()[7] == 8);
    HostArray u = ramp(3, 3);
    apply_non_finite(u, NonFinite::reject, "input");
    CHECK(u.as<std::uint8_t>()[8] == 8);
}
