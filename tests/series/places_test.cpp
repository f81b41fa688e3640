// Files are what they are, whatever their paths are written like: links, names that are no UTF-8, names that hold each other.
#include "series/places.hpp"

#include "frames.hpp"
#include "lines.hpp"

using namespace parallax;
using namespace parallax::tests;
using engine::series::Places;

namespace {

Json with(Json patch) {
    Json job = frames_job();
    job.merge_patch(patch);
    return job;
}

std::string said_by(const Folder& folder, const std::string& arguments, int status) {
    CHECK(shell(folder.path(), fmt::format("\"$P\" run job.json --device native {} > out.txt 2> said", arguments)) == status);
    return read_text(folder / "said");
}

}  // namespace

#if !defined(_WIN32)
TEST_CASE("series: names that are no UTF-8 stay apart, have their rows, and are found again") {
    Folder folder(0, with({{"for_each", {{"frame", "frames/*"}}}, {"outputs", {{"sum", "sums/{frame.index}.npy"}}}}));
    // The third is what the first two would become if their bytes were replaced.
    const std::vector<std::string> names{"a\xff.tif",         "a\xfe.tif", "a\xef\xbf\xbd.tif",
                                         "a\xee\xbe\x80.tif", "a\xc3.tif", "a\xc3\xa9.tif"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        io::write(folder / "frames/one.tif", frame(static_cast<int>(i)));
        fs::rename(folder / "frames/one.tif", folder / ("frames/" + names[i]));
    }
    said_by(folder, "", 0);
    const auto before = contents(folder.path());
    std::string table = read_text(folder / "statistics.csv");
    CHECK(std::count(table.begin(), table.end(), '\n') == 7);
    CHECK(contains(said_by(folder, "--resume", 0), "6 of 6 items were done before"));
    fs::remove(folder / "sums/0002.npy");
    CHECK(contains(said_by(folder, "--resume", 0), "5 were done before"));
    for (const auto& [name, bytes] : before)
        if (name.ends_with(".npy") || name.ends_with(".csv")) CHECK((read_text(folder / name) == bytes));
}

TEST_CASE("series: who was ended while he looked at a folder's names leaves nothing there, also above outputs that begin") {
    Folder folder(2);
    const char* const left[] = {".parallax-2147483000-0-0a1b2c3d-a", ".parallax-2147483000-1-0a1b2c3d-\xc3\xa9"};
    const char* const others[] = {".parallax-notes", ".parallax-2147483000-2-0a1b2c3d-b"};
    for (const char* const name : left) write_text(folder / name, "");
    for (const char* const name : others) write_text(folder / name, "");
    said_by(folder, "--out new/deep", 0);
    for (const char* const name : left) CHECK(!fs::exists(folder / name));
    for (const char* const name : others) CHECK(fs::exists(folder / name));
}

TEST_CASE("series: an output that is an input by another path is refused, and stays as it is") {
    // Each item writes over what the other one reads.
    Folder folder(0, with({{"for_each", {{"frame", {"frames/0001.tif", "frames/0000.tif"}}}},
                           {"outputs", {{"sum", "linked/{frame.index}.tif"}}}}));
    for (const int i : {0, 1}) io::write(folder / fmt::format("frames/000{}.tif", i), frame(i));
    fs::create_directory_symlink("frames", folder / "linked");
    const std::string frame_0 = read_text(folder / "frames/0000.tif");
    CHECK(contains(said_by(folder, "--overwrite", 2), "which the series reads"));
    CHECK((read_text(folder / "frames/0000.tif") == frame_0));
    CHECK(contains(said_by(folder, "--resume", 2), "use --overwrite"));   // there is nothing to go on with
}

TEST_CASE("series: outputs that become one through a link, and outputs that lie in each other, are refused") {
    Folder linked(2, with({{"outputs", {{"sum", "{frame.stem}/a.npy"}}}}));
    fs::create_directory(linked / "f000");
    fs::create_directory_symlink("f000", linked / "f001");
    CHECK(contains(said_by(linked, "", 2), "for frames/f000.tif and for frames/f001.tif"));
    Folder nested(
        2, with({{"outputs", {{"sum", "{frame.stem}.zarr"}, {"again", {{"of", "sum"}, {"file", "{frame.stem}.zarr/x.npy"}}}}}}));
    CHECK(contains(said_by(nested, "", 2), "beside the output"));
    Folder gathered(
        2, with({{"outputs", {{"sum", "f/{frame.stem}.npy"}, {"mean", {{"of", "sum"}, {"file", "f"}, {"combine", "mean"}}}}}}));
    said_by(gathered, "", 2);
    for (const Folder* folder : {&linked, &nested, &gathered}) CHECK(!fs::exists(*folder / "job.series"));
}

TEST_CASE("series: two items of one name are refused: records and tables know them by it") {
    Folder folder(0,
                  with({{"for_each", {{"frame", {"frames/*.tif", "data:*.tif"}}}}, {"outputs", {{"sum", "{frame.index}.npy"}}}}));
    fs::create_directory(folder / "root");
    io::write(folder / "frames/a.tif", frame(0));
    io::write(folder / "root/b.tif", frame(1));
    said_by(folder, "--root data=root", 0);
    fs::remove_all(folder / "job.series");
    // A file of the job's folder that is named as if it lay below the root.
    Json job = Json::parse(read_text(folder / "job.json"));
    job["for_each"]["frame"] = {"./*.tif", "data:*.tif"};
    write_text(folder / "job.json", job.dump());
    io::write(folder / "data:b.tif", frame(2));
    CHECK(contains(said_by(folder, "--overwrite --root data=root", 2), "two items of the name \"data:b.tif\""));
}

TEST_CASE("series: a name of an item's file with a colon begins no root; in a job \"./\" says so") {
    Json job = with({{"inputs", {{"dark", "{frame.stem}.tif"}}}});   // beside the job, whose frames have such names
    job["steps"][0] = Json{{"id", "add"}, {"run", "arithmetic"}, {"op", "add"}, {"in", {{"image", "image"}, {"other", "dark"}}}, {"out", {{"image", "sum"}}}};
    Folder folder(0, job);
    fs::create_directory(folder / "root");
    for (const char* file : {"frames/run:12.tif", "run:12.tif"}) io::write(folder / file, frame(0));
    io::write(folder / "root/12.tif", frame(1));
    said_by(folder, "--root run=root", 0);
    const HostArray sum = io::read(folder / "sums/run:12.npy"), one = frame(0);
    CHECK(sum.as<std::uint8_t>()[0] == 2 * one.as<std::uint8_t>()[0]);
    write_text(folder / "job.json", with({{"for_each", nullptr}, {"inputs", {{"image", "run:12.tif"}}}, {"outputs", {{"sum", "s.npy"}, {"statistics", "s.json"}}}}).dump());
    CHECK(contains(said_by(folder, "", 2), "./run:12.tif"));
    CHECK(shell(folder.path(), "\"$P\" info run:12.tif > out.txt 2> said") == 0);
}

TEST_CASE("series: the column index is what {frame.index} is") {
    const Folder folder(6, with({{"for_each", {{"frame", {{"files", "frames/*.tif"}, {"range", {1, 6}}, {"stride", 2}}}}},
                                 {"outputs", {{"sum", "sums/{frame.index}.npy"}}}}));
    said_by(folder, "", 0);
    CHECK(fs::exists(folder / "sums/0003.npy"));
    const auto table = lines_of(folder / "statistics.csv");
    REQUIRE(table.size() == 4);
    CHECK(table[2].starts_with("3,frames/f003.tif,"));
}

TEST_CASE("a umask that takes the user's own rights is told, and files are made with them") {
    const Folder folder(2);
    CHECK(shell(folder.path(), "(umask 0777; \"$P\" run job.json --device native --out made) > out.txt 2> said") == 0);
    CHECK(contains(read_text(folder / "said"), "umask 0777"));
    CHECK((fs::status(folder / "made/sums/f000.npy").permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("series: names of letters beyond ASCII are each their own, confined too") {
    Folder folder(0);
    const std::vector<std::string> names{"\xe7\x94\xbb", "\xe5\x83\x8f", "\xc3\xa9", "\xc3\xa8", "a", "A"};
    for (std::size_t i = 0; i < names.size(); ++i)
        io::write(folder / ("frames/" + names[i] + ".tif"), frame(static_cast<int>(i)));
    said_by(folder, "--confined", 0);
    CHECK(contains(said_by(folder, "--confined --resume", 0), fmt::format("{0} of {0} items were done before", names.size())));
}

TEST_CASE(
    "series: finished outputs that are write-protected are left by --resume, and what is to be written is refused before the "
    "work") {
    const std::string program =
        "setpriv --bounding-set=-dac_override --inh-caps=-dac_override \"$P\" run job.json --device native ";
    const Folder folder(3);
    if (shell(folder.path(), "setpriv --bounding-set=-dac_override true 2> said") != 0) return;
    REQUIRE(shell(folder.path(), program + "> out.txt 2> said") == 0);
    REQUIRE(shell(folder.path(), "chmod a-w sums/*") == 0);
    CHECK(shell(folder.path(), program + "--resume > out.txt 2> said") == 0);
    CHECK(contains(read_text(folder / "said") + read_text(folder / "out.txt"), "3 of 3 items were done before"));
    CHECK(shell(folder.path(), program + "--overwrite > out.txt 2> said") == 2);
    CHECK(contains(read_text(folder / "said"), "write-protected"));
}

TEST_CASE("series: its report and trace are no file of the series") {
    const Folder folder(3);
    const auto before = contents(folder.path());
    fs::create_directory_symlink(".", folder / "same");
    for (const char* const option : {"--report", "--trace"}) {   // a gallery has a name of its own, .html
        for (const char* const file :
             {"frames/f001.tif", "job.json", "sums/f002.npy", "statistics.csv", "same/frames/f001.tif", "same/sums/f002.npy"}) {
            CAPTURE(option);
            CAPTURE(file);
            CHECK(contains(said_by(folder, fmt::format("--overwrite {} {}", option, file), 2), "a file of its own"));
        }
    }
    CHECK(contains(said_by(folder, "--report r.json --trace r.json", 2), "a file of its own"));
    for (const auto& [name, bytes] : before)
        if (name.starts_with("frames") || name == "job.json") CHECK((read_text(folder / name) == bytes));
    CHECK(!fs::exists(folder / "sums"));
}
#endif

TEST_CASE("places: names that some file system holds for one are tried in their folder") {
    const TempFolder folder;
    const bool folds = [&] {
        write_text(folder / "case", "");
        return fs::exists(folder / "CASE");
    }();
    fs::remove(folder / "case");
    Places tried(true, folder.path()), not_tried(false, folder.path());
    const std::vector<std::string> names{"A.png",     "a.png",    "sub/A.png", "sub/a.png",
                                         "e\xcc\x81", "\xc3\xa9", "other",     "sub/other"};
    std::size_t one = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        one += tried.take(folder / names[i], i) != nullptr ? 1 : 0;
        CHECK(not_tried.take(folder / names[i], i) == nullptr);   // a confined job's: bytes that differ are names that differ
    }
    CHECK((folds ? one >= 2 : one == 0));
    CHECK(folder.listing().empty());
    CHECK(*tried.take(folder / "other", 9) == 6);
}
