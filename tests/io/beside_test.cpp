// Files of a transaction that lie elsewhere (reports), and two names that are one to the file system.
#include "io/transaction.hpp"

#include <memory>
#include <vector>

#include "parallax/host/json.hpp"
#include "journal_text.hpp"
#include "support.hpp"
#include "support/file_identity.hpp"

#if !defined(_WIN32)
#include <sys/stat.h>
#include <unistd.h>
#endif

using namespace parallax;
using namespace parallax::tests;

namespace {

const std::string dead = ".parallax-12-0-0123abcd";

auto text(const char* what) {
    return [what](const fs::path& path) { put(path, what); };
}

}   // namespace

TEST_CASE("transactions: a report elsewhere appears with the others, or nothing does") {
    for (const bool fails : {false, true}) {
        for (const bool strict : {false, true}) {
            CAPTURE(fails);
            CAPTURE(strict);
            const Folder folder;
            const fs::path top = fs::canonical(folder.path());
            put(top / "old.json", "old");
            {
                io::Transaction files(top / "out", {.strict = strict});
                files.add(top / "out/a.npy", text("a"));
                files.add_beside(top / "logs/deep/run.json", false, text("report"));
                files.add_beside(top / "out/page.html", false, text("page"));
                files.add_beside(top / "old.json", true, text("new"));
                CHECK(get(files.staged(top / "logs/deep/run.json")) == "report");
                CHECK(files.staged(top / "another") == top / "another");
                if (fails) put(top / "out/page.html", "somebody's");
                if (fails) io_error(top / "out/page.html", [&] { files.commit(); });
                else files.commit();
            }
            if (fails) fs::remove(top / "out/page.html");
            CHECK(fs::exists(top / "out/a.npy") != fails);
            CHECK(fs::exists(top / "logs/deep/run.json") != fails);
            CHECK(get(top / "old.json") == (fails ? "old" : "new"));
            if (fails) fs::remove(top / "out");   // of which somebody has made use
            CHECK(folder.entries() == (fails ? 1 : 7));
        }
    }
}

TEST_CASE("transactions: a report alone makes nothing in the folder of outputs that are none") {
    const Folder folder;
    io::Transaction files(folder / "out", {});
    files.add_beside(folder / "logs/run.json", false, text("report"));
    files.commit();
    CHECK(get(folder / "logs/run.json") == "report");
    CHECK(folder.entries() == 2);
}

#if !defined(_WIN32)

TEST_CASE("transactions: two names that are one to the file system are an error, and the old file stays") {
    for (const bool store : {false, true}) {
        for (const bool old : {false, true}) {
            CAPTURE(store);
            CAPTURE(old);
            const Folder folder;
            fs::create_directory(folder / "a");
            fs::create_directory_symlink("a", folder / "b");   // as A and a are one folder to some file systems
            const char* const name = store ? "x.zarr" : "x";
            const auto put_in = [&](const fs::path& path, const char* what) {
                if (store) fs::create_directories(path);
                put(store ? path / ".zgroup" : path, what);
            };
            if (old) put_in(folder / "a" / name, "old");
            {
                io::Transaction files(folder.path(), {.overwrite = true});
                const auto form = store ? io::Transaction::Form::folder : io::Transaction::Form::file;
                for (const char* const sub : {"a", "b"})
                    files.add(folder / sub / name, [&](const fs::path& path) { put_in(path, sub); }, form);
                const IoError error = io_error(folder / "a" / name, [&] { files.commit(); });
                CHECK(error.hint.find("two of the names for one") != std::string::npos);
            }
            CHECK(fs::exists(folder / "a" / name) == old);
            if (old) CHECK(get(store ? folder / "a" / name / ".zgroup" : folder / "a" / name) == "old");
            CHECK(folder.entries() == 2u + (old ? 1 : 0) * (store ? 2 : 1));
        }
    }
}

namespace {

/// What a process has left that ended behind its commit: a file in "out", and one in "logs", over old ones.
struct Left {
    Folder folder;
    fs::path out, logs;
    explicit Left(bool pointer = true, bool undo = false, bool overwrite = true)
        : out(fs::canonical(folder.path()) / "out"), logs(out.parent_path() / "logs") {
        fs::create_directory(out);
        fs::create_directory(logs);
        Json moves = Json::array();
        for (const fs::path& place : {out, logs}) {
            put(place / (dead + "-0-a"), "new");
            if (overwrite) put(place / (dead + "-old-0"), "old");
            if (overwrite) put(place / "a", "old");
            const auto identity = host::identity_of(place / (dead + "-0-a"));
            moves.push_back({{"folder", place == out ? "." : place.string()},
                             {"part", dead + "-0-a"},
                             {"name", "a"},
                             {"old", overwrite ? dead + "-old-0" : ""}});
            moves.back()["inode"] = identity->inode;
            moves.back()["bytes"] = identity->bytes;
        }
        if (pointer) put(logs / (dead + ".base"), out.string() + "\n");
        std::vector<Json> lines{{{"place", logs.string()}}, {{"commit", moves}, {"overwrite", overwrite}}};
        if (undo) lines.push_back({{"undo", true}});
        std::string text;
        for (const Json& json : lines) text += journal_line(json);
        put_journal_text(out / (dead + ".journal"), text);
    }
};

}   // namespace

TEST_CASE("transactions: what a process has left in two places is finished, or undone, from either") {
    for (const bool from_logs : {false, true}) {
        for (const bool undo : {false, true}) {
            CAPTURE(from_logs);
            CAPTURE(undo);
            const Left left(true, undo);
            io::recover(from_logs ? left.logs : left.out);
            CHECK(get(left.out / "a") == (undo ? "old" : "new"));
            CHECK(get(left.logs / "a") == (undo ? "old" : "new"));
            CHECK(left.folder.entries() == 4);
        }
    }
}

TEST_CASE("transactions: a report waits for a folder that is away, and for one of outputs") {
    for (const bool logs_away : {false, true}) {
        CAPTURE(logs_away);
        const Left left;
        const fs::path away = logs_away ? left.logs : left.out, other = logs_away ? left.out : left.logs;
        fs::rename(away, left.folder / "elsewhere");
        io::recover(other);
        CHECK(get(other / "a") ==
              (logs_away ? "new" : "old"));   // what is behind its commit is finished; who knows only where that stands waits
        fs::rename(left.folder / "elsewhere", away);
        io::recover(away);
        CHECK(get(left.out / "a") == "new");
        CHECK(get(left.logs / "a") == "new");
        CHECK(left.folder.entries() == 4);
    }
}

TEST_CASE("transactions: what was finished stays where the rest, which waited, cannot be moved in the end") {
    const Left left(true, false, false);
    fs::rename(left.logs, left.folder / "elsewhere");
    io::recover(left.out);
    CHECK(get(left.out / "a") == "new");
    fs::rename(left.folder / "elsewhere", left.logs);
    put(left.logs / "a", "somebody's");
    for (int time = 0; time < 2; ++time) {
        io::recover(left.logs);
        CHECK(get(left.out / "a") == "new");
        CHECK(get(left.logs / "a") == "somebody's");
    }
}

TEST_CASE("transactions: a journal reaches no other folder in which the transaction has not been") {
    for (const bool undo : {false, true}) {
        const Left left(false, undo);
        io::recover(left.out);
        CHECK(get(left.logs / "a") == "old");
        CHECK(get(left.logs / (dead + "-0-a")) == "new");
        CHECK(get(left.out / "a") == (undo ? "old" : "new"));
    }
}

TEST_CASE("transactions: another user's pointer leads nowhere, nor does his journal reach other folders") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: only root can make another user's file");
        return;
    }
    const auto give = [](const fs::path& path) { REQUIRE(::chown(path.c_str(), 65534, 65534) == 0); };
    const Left one;
    give(one.logs / (dead + ".base"));
    io::recover(one.logs);
    CHECK(get(one.logs / "a") == "old");
    CHECK(get(one.out / "a") == "old");
    const Left two;
    for (const fs::path& path : {two.out, two.out / (dead + ".journal"), two.logs}) give(path);
    io::recover(two.out);
    CHECK(get(two.logs / "a") == "old");
    CHECK(get(two.out / "a") == "old");
}

TEST_CASE("transactions: where a folder has gone meanwhile, the old files of the others come back") {
    const Folder folder;
    Json moves = Json::array();
    for (const char* const place : {"gone", "."}) {
        fs::create_directories(folder / place);
        put(folder / place / "a", "new");
        put(folder / place / (dead + "-old-0"), "old");
        const auto identity = host::identity_of(folder / place / "a");
        moves.push_back({{"folder", place}, {"part", dead + "-0-a"}, {"name", "a"}, {"old", dead + "-old-0"}});
        moves.back()["inode"] = identity->inode;
        moves.back()["bytes"] = identity->bytes;
    }
    put_journal_text(folder / (dead + ".journal"), journal_line({{"commit", moves}, {"overwrite", true}}));
    fs::remove_all(folder / "gone");
    io::recover(folder.path());
    CHECK(get(folder / "a") == "old");
    CHECK(folder.entries() == 1);
}

#endif
