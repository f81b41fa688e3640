// Inputs that a process which is no more was putting in place: half of them are new, wherever a job's paths lead to them.
#include "io/io.hpp"
#include "job/job.hpp"
#include "job/paths.hpp"
#include "job/prepare.hpp"
#include "jobs/support.hpp"
#include "../io/journal_text.hpp"
#include "support/file_identity.hpp"

using namespace parallax;
using namespace parallax::tests;

#if !defined(_WIN32)

namespace {

constexpr float old_value = 1, new_value = 2;

void put_value(const fs::path& file, float value) { io::write(file, floats(1, 1, {value})); }

float value_of(const fs::path& file) { return *io::read(file).to_dense().as<float>(); }

/// a.npy is in its place, b.npy and c.npy are not; there was no c.npy before.
void leave_half_done(const fs::path& folder) {
    const std::string dead = ".parallax-12-0-0123abcd";
    fs::create_directories(folder);
    Json moves = Json::array();
    const auto move = [&](const std::string& name, bool done) {
        const std::string part = dead + "-" + std::to_string(moves.size()) + "-" + name;
        const fs::path now = folder / (done ? name : part);
        put_value(now, new_value);
        moves.push_back({{"folder", "."}, {"part", part}, {"name", name}, {"old", ""},
                         {"inode", host::identity_of(now)->inode}, {"bytes", fs::file_size(now)}});
    };
    put_value(folder / "b.npy", old_value);
    move("a.npy", true);
    move("b.npy", false);
    move("c.npy", false);
    put_journal_text(folder / (dead + ".journal"), journal_line({{"commit", moves}, {"overwrite", true}}));
}

struct Row {
    std::string what;
    Json files;
    std::size_t count = 3;
};

}   // namespace

TEST_CASE("half done: what a dead process was putting in place is finished wherever paths lead to it") {
    const std::vector<Row> rows{
        {"its folder", "made/*.npy"},
        {"folders by a pattern", "m?de/*.npy"},
        {"links", "links/*.npy"},
        {"links by their names", Json{"links/a.npy", "links/b.npy", "links/c.npy"}},
        {"links to links", "more/*.npy"},
        {"links of a linked folder", "way/*.npy"},
    };
    for (const bool confined : {false, true}) {
        for (const Row& row : rows) {
            CAPTURE(confined);
            CAPTURE(row.what);
            const TempFolder folder;
            leave_half_done(folder / "made");
            fs::create_directory(folder / "links");
            fs::create_directory(folder / "more");
            for (const std::string name : {"a.npy", "b.npy", "c.npy"}) {
                fs::create_symlink("../made/" + name, folder / ("links/" + name));
                fs::create_symlink(folder / ("links/" + name), folder / ("more/" + name));
            }
            fs::create_directory_symlink("links", folder / "way");
            engine::Locations where;
            where.job_folder = fs::canonical(folder.path());
            where.confined = confined;
            const Json input{{"files", row.files}, {"combine", "mean"}};
            const engine::InputSpec spec = engine::parse_input("image", input, "/inputs/image");
            const engine::PreparedInput prepared = engine::prepare_input(spec, where);
            CHECK(prepared.files.size() == row.count);
            for (const fs::path& file : prepared.files) CHECK(value_of(file) == new_value);
        }
    }
}

TEST_CASE("half done: a pattern of a series finds what a dead process was putting in place") {
    const TempFolder folder;
    leave_half_done(folder / "made");
    engine::Locations where;
    where.job_folder = folder.path();
    CHECK(engine::resolve_inputs("made/*.npy", where, "/for_each/frame").size() == 3);
}

TEST_CASE("half done: parts of a file that lie elsewhere are finished before they are read") {
    for (const std::string part : {"made/b.npy", "b.npy"}) {
        CAPTURE(part);
        const TempFolder folder;
        leave_half_done(folder / "made");
        fs::create_symlink("made/b.npy", folder / "b.npy");
        write_text(folder / "a.mhd", "ObjectType = Image\nNDims = 2\nDimSize = 1 1\nElementType = MET_FLOAT\nHeaderSize = -1\n"
                                     "ElementDataFile = " + part + "\n");
        engine::Locations where;
        where.job_folder = folder.path();
        const engine::InputSpec spec = engine::parse_input("image", "a.mhd", "/inputs/image");
        const engine::PreparedInput prepared = engine::prepare_input(spec, where);
        CHECK(value_of(prepared.files.at(0)) == new_value);
        CHECK(prepared.infos.at(0).parts.at(0).identity->inode == host::identity_of(folder / "made/b.npy")->inode);
    }
}

TEST_CASE("half done: info reads nothing of a folder before it is finished") {
    const TempFolder folder;
    leave_half_done(folder / "made");
    fs::create_symlink("made/b.npy", folder / "b.npy");
    CHECK(contains(run_program({"info", "b.npy"}, folder.path()).out, "range    2 to 2"));
    CHECK(fs::exists(folder / "made/c.npy"));
}

TEST_CASE("half done: commands that read reports finish what is in their folders") {
    const std::vector<std::vector<std::string>> commands{{"report", "made"},
                                                         {"history", "made", "made"},
                                                         {"results", ".", "--out", "pages"},
                                                         {"results", "made", "--out", "pages"}};
    for (const std::vector<std::string>& command : commands) {
        CAPTURE(command.front());
        const TempFolder folder;
        leave_half_done(folder / "made");
        CHECK(run_program(command, folder.path()).status == 2);   // there is no report
        CHECK(value_of(folder / "made/b.npy") == new_value);
    }
}

#endif
