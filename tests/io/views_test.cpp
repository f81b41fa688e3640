// Processes that see other folders under the same paths (containers, disks of the nodes of a cluster), and folders that were moved
// away after a process was ended: nobody takes the parts of a transaction whose journal he does not see for nobody's.
#include "few_files.hpp"
#include "io/file.hpp"
#include "io/journal.hpp"
#include "io/pointer.hpp"
#include "io/transaction.hpp"

#include "parallax/host/json.hpp"
#include "journal_text.hpp"
#include "support.hpp"
#include "support/file_identity.hpp"
#include "support/helper.hpp"
#include "support/warnings.hpp"

#include <fstream>

#if !defined(_WIN32)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#endif
#if defined(__linux__)
#include <sys/inotify.h>
#endif

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("transactions: their files are told by the whole of a name") {
    const std::string id = ".parallax-12-0-0123abcd";
    for (const char* const end : {".journal", ".base", "-0-holo.png", "-17-x", "-3-", "-0-a.zarr-going", "-old-0",
                                  "-old-12-more-going", "-a", "-\xc3\xa9"}) {
        CAPTURE(std::string(end));
        CHECK(io::transaction_of(id + end) == id);
        CHECK(io::is_transaction_name(id + end));
    }
    const std::vector<std::string> others{id, id + "-x", id + "x", id + ".json", id + "-old-", id + "-old-a", id + "-old-0-x",
                                          id + "-12", id + ".journal.bak", "a" + id + ".base", ".parallax-12-0-0123abcx-0-a",
                                          ".parallax-12-0-0123abcde-0-a", ".parallax-12345678901-0-0123abcd-0-a"};
    for (const std::string& name : others) {
        CAPTURE(name);
        CHECK_FALSE(io::is_transaction_name(name));
    }
}

#if !defined(_WIN32)

namespace {

const std::string dead = ".parallax-12-0-0123abcd";

std::string which(const fs::path& folder) { return io::which_folder(host::Folder::open(folder)); }

/// What a process has left that ended behind its commit: new files "a" in "out" and in "logs", over old ones.
struct Left {
    Folder folder;
    fs::path top, out, logs;
    explicit Left(bool old_version = false)
        : top(fs::canonical(folder.path())), out(top / "out"), logs(top / "logs") {
        fs::create_directory(out);
        fs::create_directory(logs);
        Json moves = Json::array();
        for (const fs::path& place : {out, logs}) {
            put(place / (dead + "-0-a"), "new");
            put(place / (dead + "-old-0"), "old");
            put(place / "a", "old");
            const auto identity = host::identity_of(place / (dead + "-0-a"));
            moves.push_back({{"folder", place == out ? "." : place.string()}, {"part", dead + "-0-a"}, {"name", "a"}});
            moves.back()["old"] = dead + "-old-0";
            moves.back()["inode"] = identity->inode;
            moves.back()["bytes"] = identity->bytes;
            const auto was = host::identity_of(place / "a");
            if (!old_version) moves.back()["was"] = {was->inode, was->modified};
        }
        put(logs / (dead + ".base"), out.string() + "\n" + (old_version ? "" : "folder " + which(out) + "\n"));
        Json place{{"place", logs.string()}};
        if (!old_version) place["which"] = which(logs);
        put_journal_text(out / (dead + ".journal"), journal_line(place) + journal_line({{"commit", moves}, {"overwrite", true}}));
    }
    /// Both files, and nothing else.
    bool is_done() const { return get(out / "a") == "new" && get(logs / "a") == "new" && folder.entries() == 4; }
};

/// For a process that sees another folder there.
void put_another(const fs::path& path, const fs::path& aside) {
    fs::rename(path, aside);
    fs::create_directory(path);
}

void put_back(const fs::path& path, const fs::path& aside) {
    fs::remove(path);
    fs::rename(aside, path);
}

bool is_told(const std::string& text) {
    bool told = false;
    for (const std::string& warning : host::take_warnings()) told = told || warning.find(text) != std::string::npos;
    return told;
}

/// A process with a live transaction, which goes on when it is told to.
class Live {
public:
    explicit Live(const fs::path& top) {
        REQUIRE(::pipe(begun_) == 0);
        REQUIRE(::pipe(go_) == 0);
        child_ = ::fork();
        if (child_ == 0) ::_exit(run(top));
        char byte = 0;
        REQUIRE(::read(begun_[0], &byte, 1) == 1);
    }
    int finish() {
        REQUIRE(::write(go_[1], "x", 1) == 1);
        int status = -1;
        REQUIRE(::waitpid(child_, &status, 0) == child_);
        for (const int file : {begun_[0], begun_[1], go_[0], go_[1]}) ::close(file);
        return status;
    }

private:
    int run(const fs::path& top) {
        try {
            io::Transaction files(top / "out", {});
            files.add(top / "out/a", [](const fs::path& path) { put(path, "a"); });
            files.add_beside(top / "logs/run.json", false, [](const fs::path& path) { put(path, "report"); });
            char byte = 'x';
            if (::write(begun_[1], &byte, 1) != 1 || ::read(go_[0], &byte, 1) != 1) return 2;
            files.commit();
            return 0;
        } catch (const std::exception&) {
            return 1;
        }
    }
    int begun_[2], go_[2];
    ::pid_t child_ = 0;
};

}   // namespace

TEST_CASE("transactions: a live process's report stays where others see another folder under the path of its outputs") {
    for (const bool is_away : {false, true}) {
        CAPTURE(is_away);
        const Folder folder;
        const fs::path top = fs::canonical(folder.path());
        host::take_warnings();
        Live live(top);
        put_another(top / "out", top / "aside");
        if (is_away) fs::remove(top / "out");
        io::recover(top / "logs");
        CHECK(host::take_warnings().empty());   // nobody was ended
        put_back(top / "out", top / "aside");
        CHECK(live.finish() == 0);
        CHECK(get(top / "logs/run.json") == "report");
        CHECK(get(top / "out/a") == "a");
        CHECK(folder.entries() == 4);
    }
}

TEST_CASE("transactions: a report waits while another folder has the name of its outputs' folder") {
    for (const bool old_version : {false, true}) {
        CAPTURE(old_version);
        const Left left(old_version);
        host::take_warnings();
        put_another(left.out, left.top / "aside");
        io::recover(left.logs);
        CHECK(get(left.logs / "a") == "old");
        CHECK(get(left.logs / (dead + "-0-a")) == "new");
        CHECK(is_told("its journal is not in"));
        put_back(left.out, left.top / "aside");
        io::recover(left.logs / ".");
        CHECK(left.is_done());
    }
}

TEST_CASE("transactions: outputs wait for a report while another folder has the name of its folder") {
    const Left left;
    host::take_warnings();
    put_another(left.logs, left.top / "aside");
    io::recover(left.out);
    CHECK(get(left.out / "a") == "new");
    CHECK(is_told("another may have its name"));
    put_back(left.logs, left.top / "aside");
    io::recover(left.logs);
    CHECK(left.is_done());
}

TEST_CASE("transactions: parts below a folder that has another above it now are left") {
    for (const bool old_version : {false, true}) {
        CAPTURE(old_version);
        const Folder folder;
        fs::create_directories(folder / "out/deep");
        fs::create_directory(folder / "other");
        put(folder / "out/deep" / (dead + ".base"), old_version ? "1\n" : "1\nfolder " + which(folder / "out") + "\n");
        put(folder / "out/deep" / (dead + "-0-a"), "part");
        fs::rename(folder / "out/deep", folder / "other/deep");
        io::recover(folder / "other/deep");
        CHECK(get(folder / "other/deep" / (dead + "-0-a")) == "part");
        // Where it comes back, and is the folder without a journal that it means, the part is nobody's.
        fs::rename(folder / "other/deep", folder / "out/deep");
        io::recover(folder / "out/deep");
        CHECK(fs::exists(folder / "out/deep" / (dead + "-0-a")) == old_version);
    }
}

TEST_CASE("transactions: who moves his own parts misses one that has gone") {
    const Folder folder;
    put(folder / "a", "old");
    put(folder / "part", "new");
    const auto identity = host::identity_of(folder / "part");
    io::Done done;
    done.moves = {io::Move{".", "part", "a", "", identity->inode, identity->bytes, false, true}};
    const io::FolderOf open = [&](const fs::path&) { return host::Folder::open(folder.path()); };
    fs::rename(folder / "part", folder / "elsewhere");
    CHECK_NOTHROW(io::go_forward(open, done, io::Gone::was_moved));
    CHECK_THROWS_AS(io::go_forward(open, done, io::Gone::is_lost), std::system_error);
    fs::rename(folder / "elsewhere", folder / "a");   // as it should have been
    CHECK_NOTHROW(io::go_forward(open, done, io::Gone::is_lost));
}

TEST_CASE("transactions: a journal's line counts once, however often it is there") {
    const Folder folder;
    fs::create_directory(folder / "sub");
    for (int i = 0; i < 200; ++i) {   // which may not be removed
        fs::create_directories(folder / "sub" / (dead + "-" + std::to_string(i) + "-x"));
        put(folder / "sub" / (dead + "-" + std::to_string(i) + "-x") / "f", "mine");
    }
    std::string lines;
    for (int i = 0; i < 50000; ++i)
        for (const char* const spelling : {"sub", "sub/.", "./sub"}) lines += journal_line({{"place", spelling}});
    put(folder / (dead + ".journal"), lines);
    const std::clock_t before = std::clock();
    io::recover(folder.path());
    CHECK(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC < 5);
    CHECK_FALSE(fs::exists(folder / (dead + ".journal")));
}

TEST_CASE("transactions: a process that may open no more files tells nothing of those that live, and undoes nothing") {
    const Left left;
    const Folder folder;
    io::Transaction files(folder / "out", {});
    files.add(folder / "out/a", [](const fs::path& path) { put(path, "a"); });
    files.add(folder / "out/deep/b", [](const fs::path& path) { put(path, "b"); });
    host::take_warnings();
    fs::path again = left.out, own = folder / "out";
    for (int more = 0; more < 12; ++more) {
        CAPTURE(more);
        again /= ".";   // by another name: what was looked at a moment ago is not looked at again
        own /= ".";
        {
            const FewFiles few(more);
            io::recover(again);
            io::recover(own);
        }
        for (const std::string& warning : host::take_warnings()) FAIL_CHECK(warning);
        const bool undone = get(left.out / "a") == "old" && !fs::exists(left.out / (dead + "-0-a"));
        CHECK_FALSE(undone);
    }
    CHECK(left.is_done());
    files.commit();
    CHECK(folder.entries() == 4);
}

TEST_CASE("transactions: where no more files can be opened, nobody is told to make room") {
    const Folder folder;
    io::Transaction files(folder / "out", {});
    const auto add = [&](const char* name) { files.add(folder / name, [](const fs::path& path) { put(path, "a"); }); };
    add("out/a");
    const FewFiles few(0);
    for (const IoError& error : {io_error(folder / "out/deep/b", [&] { add("out/deep/b"); }),
                                 io_error(folder / "c", [&] { io::File::create(folder / "c"); })})
        CHECK(error.hint.find("ulimit -n") != std::string::npos);
}

#if !PARALLAX_ADDRESS_SANITIZER   // which looks at an object through a pipe, and takes it for none where no pipe is to be had
TEST_CASE("transactions: a file whose writer cannot be started, as no more files can be opened, is told with what to try") {
    if (host::program_beside("parallax-read-hdf5").empty()) return;
    const Folder folder;
    const HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 2}, {'x', 3}}));
    for (int more = 1; more < 5; ++more) {
        CAPTURE(more);
        std::string told;
        {
            const FewFiles few(more);
            told = io_error(folder / "a.h5", [&] { io::write(folder / "a.h5", array); }).what();
        }
        CHECK_MESSAGE(told.find("ulimit -n") != std::string::npos, told);
        CHECK_FALSE(fs::exists(folder / "a.h5"));
    }
}
#endif

namespace {

/// As `cp -a` and mv to another disk do.
void copy_with_times(const fs::path& from, const fs::path& to) {
    fs::copy(from, to, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(from))
        fs::last_write_time(to / entry.path().lexically_relative(from), fs::last_write_time(entry.path()));
}

}   // namespace

TEST_CASE("transactions: of a copy of a folder nothing elsewhere is taken for the copy's") {
    const Left left;
    const fs::path copy = left.top / "copy";
    copy_with_times(left.out, copy);
    io::recover(copy);
    CHECK(get(copy / "a") == "new");
    CHECK(get(left.logs / "a") == "old");
    CHECK(get(left.out / "a") == "old");
    io::recover(left.out);
    CHECK(get(left.out / "a") == "new");
    CHECK(get(left.logs / "a") == "new");
    CHECK(left.folder.entries() == 6);
}

TEST_CASE("transactions: what was moved to another disk, which gives it other numbers, is finished") {
    for (const bool old_version : {false, true}) {   // which did not say what was there before: then nobody can tell now
        CAPTURE(old_version);
        const Left left(old_version);
        const fs::path moved = left.top / "moved";
        copy_with_times(left.out, moved);
        fs::remove_all(left.out);
        io::recover(moved);
        CHECK(get(moved / "a") == (old_version ? "old" : "new"));
        CHECK(get(left.logs / "a") == (old_version ? "old" : "new"));
        if (!old_version) CHECK(left.folder.entries() == 4);
    }
}

TEST_CASE("transactions: on disks whose files are all of one user a report is finished, too") {
    if (::geteuid() != 0) return;   // files of others are root's to make
    const Left left;
    for (const fs::path& path : {left.logs, left.logs / (dead + ".base")}) REQUIRE(::chown(path.c_str(), 12345, 12345) == 0);
    io::recover(left.out);
    CHECK(left.is_done());
}

TEST_CASE("transactions: of a copy of what a live process writes nothing is touched") {
    const Folder folder;
    const fs::path top = fs::canonical(folder.path());
    Live live(top);
    fs::copy(top / "out", top / "copy", fs::copy_options::recursive);
    const auto entries = folder.entries();
    io::recover(top / "copy");
    CHECK(folder.entries() == entries);
    CHECK(live.finish() == 0);
}

TEST_CASE("transactions: what somebody has written since stays, whether the rest goes on or back") {
    for (const auto& [undone, in_place] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
        CAPTURE(undone);
        CAPTURE(in_place);
        const Left left;
        if (undone) {
            fs::rename(left.out / (dead + "-0-a"), left.out / "a");
            std::ofstream(left.out / (dead + ".journal"), std::ios::app) << journal_line({{"undo", true}});
        }
        if (!in_place) fs::remove(left.logs / "a");
        put(left.logs / "a", "later");
        fs::last_write_time(left.logs / "a", fs::last_write_time(left.logs / "a") + std::chrono::seconds(1));
        io::recover(left.out);
        CHECK(get(left.out / "a") == (undone ? "old" : "new"));
        CHECK(get(left.logs / "a") == "later");
        CHECK(left.folder.entries() == 4);
    }
}

TEST_CASE("transactions: names with what another system takes for a separator are finished, too") {
    const Left left;
    const fs::path journal = left.out / (dead + ".journal");
    std::string text = get(journal);
    const std::size_t at = text.find("\n", text.find("\n") + 1) + 1;   // behind its number and the place
    Json commit = Json::parse(text.substr(at + 17));
    commit["commit"][0]["name"] = "t\\wo";
    commit["commit"][0].erase("was");
    put(journal, text.substr(0, at) + journal_line(commit));
    io::recover(left.out);
    CHECK(get(left.out / "t\\wo") == "new");
    CHECK(get(left.logs / "a") == "new");
    CHECK(left.folder.entries() == 5);
}

TEST_CASE("transactions: a journal that was written whole and is not understood leaves all where it is") {
    const Left left;
    std::ofstream(left.out / (dead + ".journal"), std::ios::app) << journal_line({{"commit", "by a later version"}});
    const auto entries = left.folder.entries();
    host::take_warnings();
    io::recover(left.out);
    CHECK(left.folder.entries() == entries);
    CHECK(is_told("does not understand"));
}

TEST_CASE("transactions: a folder is looked at again before each job, and not before each item of a series") {
    const Left left;
    io::recover(left.out);
    put(left.out / (dead + "-0-a"), "part of nobody's");
    io::recover(left.out);
    CHECK(fs::exists(left.out / (dead + "-0-a")));
    io::look_again();
    io::recover(left.out);
    CHECK_FALSE(fs::exists(left.out / (dead + "-0-a")));
}

TEST_CASE("transactions: a stranger's pointer leads nobody away from a journal, and gives no parts to remove") {
    if (::geteuid() != 0) return;   // files of others are root's to make
    constexpr ::uid_t stranger = 12345;
    const auto put_pointer = [](const fs::path& folder, const std::string& text) {
        put(folder / (dead + ".base"), text);
        REQUIRE(::chown((folder / (dead + ".base")).c_str(), stranger, stranger) == 0);
    };
    const std::string up = "1\nfolder ";
    for (const bool absolute : {false, true}) {
        CAPTURE(absolute);
        const Left left;
        put_pointer(left.out, absolute ? "/x\n" : up + which(left.top) + "\n");
        io::recover(left.out);
        CHECK(get(left.out / "a") == "new");
        CHECK(get(left.logs / "a") == "new");
    }
    const Folder folder;
    fs::create_directory(folder / "deep");
    put(folder / "deep" / (dead + "-0-a"), "part");
    put_pointer(folder / "deep", up + which(folder.path()) + "\n");
    io::recover(folder / "deep");
    CHECK(fs::exists(folder / "deep" / (dead + "-0-a")));
}

#if defined(__linux__)
TEST_CASE("transactions: the pointer to the journal goes last") {
    const Folder folder;
    fs::create_directory(folder / "deep");
    for (int i = 0; i < 40; ++i) put(folder / "deep" / (dead + "-" + std::to_string(i) + "-a"), "part");
    put(folder / "deep" / (dead + ".base"), "1\nfolder " + which(folder.path()) + "\n");
    const int watch = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    REQUIRE(::inotify_add_watch(watch, (folder / "deep").c_str(), IN_DELETE) >= 0);
    io::recover(folder / "deep");
    alignas(::inotify_event) char events[1 << 16];
    const ::ssize_t bytes = ::read(watch, events, sizeof events);
    ::close(watch);
    std::vector<std::string> gone;
    for (::ssize_t at = 0; at < bytes;) {
        const auto* const event = reinterpret_cast<const ::inotify_event*>(events + at);
        gone.emplace_back(event->name);
        at += static_cast<::ssize_t>(sizeof *event + event->len);
    }
    REQUIRE(gone.size() == 41);
    CHECK(gone.back() == dead + ".base");
}
#endif

#endif
