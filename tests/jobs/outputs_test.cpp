// All or nothing, tables of records, and places of files.
#include <limits>
#include <random>
#include <set>

#include "io/transaction.hpp"
#include "job/output_paths.hpp"
#include "job/packing.hpp"
#include "job/paths.hpp"
#include "job/pattern.hpp"
#include "job/read.hpp"
#include "job/table.hpp"
#include "seed.hpp"
#include "support.hpp"

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
    io::Transaction set(folder.path(), {});
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
        io::Transaction set(folder.path(), {});
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
        io::Transaction set(folder.path(), {});
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
        io::Transaction set(folder.path(), {.overwrite = true});
        set.add(folder / "a.txt", text("new a"));
        set.commit();
    }
    CHECK(read_text(folder / "a.txt") == "new a");
    {
        io::Transaction set(folder.path(), {.overwrite = true});
        set.add(folder / "a.txt", text("newer a"));
        const fs::path temporary = set.add(folder / "c.txt", text("c"));
        fs::remove(temporary);   // as if the disk had lost it
        CHECK_THROWS_AS(set.commit(), IoError);
    }
    CHECK(read_text(folder / "a.txt") == "new a");
    CHECK(folder.listing() == std::vector<std::string>{"a.txt", "b.txt", "b.txt/full"});
}

namespace {

/// Every scalar of a record, as CSV writes it.
void scalars_of(const Json& value, std::multiset<std::string>& all) {
    if (!value.is_structured()) all.insert(value.dump());
    else
        for (const Json& member : value) scalars_of(member, all);
}

/// A record of objects, lists and scalars, `depth` deep.
Json random_record(std::mt19937& random, int depth, int& next) {
    Json record = Json::object();
    for (unsigned i = 0, n = 1 + random() % 4; i < n; ++i) {
        const std::string name(1, static_cast<char>('a' + i));
        const unsigned kind = depth == 0 ? 0 : random() % 4;
        if (kind == 0) record[name] = next++;
        else if (kind == 1) record[name] = random_record(random, depth - 1, next);
        else {
            record[name] = Json::array();
            for (unsigned k = 0, size = random() % 5; k < size; ++k)
                record[name].push_back(kind == 2 ? Json(next++) : random_record(random, depth - 1, next));
        }
    }
    return record;
}

}  // namespace

TEST_CASE("records as tables: lists are columns, and scalars stand in every row") {
    const Json record = Json::parse(
        R"({"metric": "tenengrad", "distance_um": [1, 2, 3], "value": [0.5, 0.75, 0.25], "best": {"index": 1, "um": 2.1},
            "pair": [1, 2]})");
    const Table curve = to_csv(record);
    CHECK(curve.header == std::vector<std::string>{"metric", "best.index", "best.um", "distance_um", "value", "pair"});
    REQUIRE(curve.rows.size() == 3);
    CHECK(curve.rows[1] == std::vector<Json>{"tenengrad", 1, 2.1, 2, 0.75, 2});
    CHECK(curve.rows[2] == std::vector<Json>{"tenengrad", 1, 2.1, 3, 0.25, nullptr});
    const Rows row = to_rows(record);
    CHECK(row.rows == Json::parse(R"([{"metric": "tenengrad", "best.index": 1, "best.um": 2.1}])"));
    CHECK(row.left_out == std::vector<std::string>{"distance_um", "value", "pair"});
    const Table list = to_csv(Json::parse(R"([{"x": 1}, {"x": 2, "y": 3}])"));
    CHECK(list.header == std::vector<std::string>{"x", "y"});
    CHECK(list.rows == std::vector<std::vector<Json>>{{1, nullptr}, {2, 3}});
    CHECK(to_rows(Json::parse(R"([{"x": 1}, {"x": 2, "y": 3}])")).rows == Json::parse(R"([{"0.x": 1, "1.x": 2, "1.y": 3}])"));
    CHECK(to_rows(Json(7)).rows == Json::parse(R"([{"value": 7}])"));
    CHECK(to_csv(Json::parse("[4, 5]")).rows == std::vector<std::vector<Json>>{{4}, {5}});
}

TEST_CASE("records as tables: a row, or several, for each label") {
    const Json record = Json::parse(R"({"grid": 64, "labels": [
        {"label": 3, "name": "thalamus", "levels": [{"m": 0, "edge": [1, 2]}, {"m": 1, "edge": [2, 4]}], "dimension": 2.5,
            "fit": {"from": 1}},
        {"label": 7, "levels": [{"m": 0, "edge": [1, 2]}], "dimension": null, "fit": null}]})");
    const Table long_form = to_csv(record);
    CHECK(long_form.header == std::vector<std::string>{"grid", "label", "name", "dimension", "fit.from", "levels.m",
                                                       "levels.edge.0", "levels.edge.1", "fit"});
    REQUIRE(long_form.rows.size() == 3);
    CHECK(long_form.rows[1] == std::vector<Json>{64, 3, "thalamus", 2.5, 1, 1, 2, 4, nullptr});
    CHECK(long_form.rows[2] == std::vector<Json>{64, 7, nullptr, nullptr, nullptr, 0, 1, 2, nullptr});
    const Rows rows = to_rows(record);
    REQUIRE(rows.rows.size() == 2);
    CHECK(rows.rows[0] == Json::parse(R"({"grid": 64, "label": 3, "name": "thalamus", "dimension": 2.5, "fit.from": 1})"));
    CHECK(rows.rows[1]["label"] == 7);
    CHECK(rows.left_out == std::vector<std::string>{"levels"});
    CHECK(to_rows(Json::parse(R"({"grid": 64, "dimension": 2})")).rows.size() == 1);   // a record without them
}

TEST_CASE("records as tables: nothing of any record is lost in a .csv, and a table names what it leaves out") {
    const auto seed = static_cast<unsigned>(tests::drawn_seed());
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937 random(seed);
    for (int draw = 0; draw < 500; ++draw) {
        int next = 1;
        const Json drawn = random_record(random, 3, next);
        CAPTURE(drawn.dump());
        for (const bool labelled : {false, true}) {
            Json record = drawn;
            if (labelled && record.contains("b")) {
                record["labels"] = record["b"];
                record.erase("b");
            }
            std::multiset<std::string> wanted, written, short_form;
            scalars_of(record, wanted);
            const Table table = to_csv(record);
            for (const std::vector<Json>& row : table.rows) {
                REQUIRE(row.size() == table.header.size());
                for (const Json& cell : row) written.insert(cell.dump());
            }
            for (const std::string& scalar : wanted) CHECK(written.count(scalar) > 0);
            const Rows made = to_rows(record);
            scalars_of(made.rows, short_form);
            for (const std::string& scalar : wanted)
                if (short_form.count(scalar) == 0) CHECK_FALSE(made.left_out.empty());
        }
    }
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
    for (const char* bad :
         {"../b.npy", "a/../../b.npy", "/tmp/b.npy", "", "a/", ".", "link/b.npy", "link/new/b.npy", "file.npy", "dir.npy"}) {
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
    CHECK(resolve_inputs("data:b*.tif", where, "/i") ==
          std::vector<fs::path>{data / "b1.tif", data / "b10.tif", data / "b2.tif"});
    CHECK(resolve_inputs("data:sub?/b?.tif", where, "/i") == std::vector<fs::path>{data / "sub1/b1.tif"});
    struct Row { const char* text; const char* fragment; };
    for (const Row& row : {Row{"hree.tif", "did you mean \"here.tif\""}, Row{"dtaa:c.png", "did you mean \"data\""},
                           Row{"", "an empty path"}, Row{".", "the folder"}}) {
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
    const std::string outside = (elsewhere / "secret.tif").string(),
                      up = "../" + elsewhere.path().filename().string() + "/secret.tif";
    for (const std::string& text : {outside, up, std::string("link.tif"), std::string("data:way/secret.tif"),
                                    std::string("data:../") + elsewhere.path().filename().string() + "/secret.tif"}) {
        CAPTURE(text);
        where.confined = false;
        CHECK_NOTHROW(resolve_input(text, where, "/i"));
        where.confined = true;
        CHECK(contains(error_of<ConfigError>([&] { resolve_input(text, where, "/i"); }).what(), "outside the job's folder"));
    }
    CHECK(contains(error_of<ConfigError>([&] { resolve_input((elsewhere / "none.tif").string(), where, "/i"); }).what(),
                   "outside"));
    CHECK_THROWS_AS(resolve_inputs((elsewhere / "s*.tif").string(), where, "/i"), ConfigError);
    CHECK_THROWS_AS(resolve_inputs("data:way/*.tif", where, "/i"), ConfigError);
    CHECK(resolve_input("here.tif", where, "/i") == folder / "here.tif");
    CHECK(resolve_input((data / "a1.tif").string(), where, "/i") == data / "a1.tif");
    CHECK(resolve_inputs("data:a?.tif", where, "/i") == std::vector<fs::path>{data / "a1.tif"});
}

TEST_CASE("paths: patterns") {
    struct Row { const char* pattern; const char* text; bool matches; };
    for (const Row& row :
         {Row{"*", "", true}, Row{"a*c", "abbc", true}, Row{"a*c", "abbd", false}, Row{"?", "", false}, Row{"a?c", "abc", true},
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

TEST_CASE("outputs: what would spare packing is said of formats that pack, with no key that they have not") {
    const auto ways = [](const char* file, std::optional<int> compression = std::nullopt, const char* combine = "") {
        OutputSpec output;
        output.file = file;
        output.combine = combine;
        output.write.compression = compression;
        return without_packing({output});
    };
    using Ways = std::vector<std::string>;
    const std::string key = "\"compression\": 0";
    CHECK(ways("a.png") == Ways{"TIFF or NPY"});
    CHECK(ways("a.png", 6) == Ways{"TIFF or NPY", "\"compression\": 1 for PNG"});
    CHECK(ways("a.png", 0) == Ways{});
    for (const char* const name : {"a.jpg", "a.JPEG", "a.gif", "a.mp4"}) CHECK(ways(name) == Ways{"TIFF or NPY"});
    CHECK(ways("a.tif") == Ways{});
    CHECK(ways("a.tif", 6) == Ways{key});
    CHECK(ways("a.ome.zarr", 3) == Ways{key});
    CHECK(ways("a.nii.gz") == Ways{".nii for .nii.gz"});
    CHECK(ways("a.npy") == Ways{});
    CHECK(ways("film.mp4", std::nullopt, "stack") == Ways{});   // when all items are done
}
