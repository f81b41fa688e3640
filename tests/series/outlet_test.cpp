// Where bytes of a stream go: pipes, sockets and files, to readers that are slow, stop, or go.
#include <fmt/format.h>

#include <atomic>
#include <string>
#include <thread>

#include "jobs/support.hpp"
#include "parallax/host/error.hpp"
#include "stream/outlet.hpp"

#if defined(__linux__)
#include <fcntl.h>
#include <csignal>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace parallax;
using namespace parallax::tests;
using engine::stream::Outlet;

namespace {

/// Two ends, from the one that is written to the one that is read.
struct Ends {
    int read = -1, write = -1;
    ~Ends() { close_read(), close_write(); }
    void close_read() { if (read >= 0) ::close(std::exchange(read, -1)); }
    void close_write() { if (write >= 0) ::close(std::exchange(write, -1)); }
};

enum class Way { pipe, apart, fifo, stream, messages };

void open(Ends& ends, Way way, const TempFolder& folder) {
    int two[2] = {-1, -1};
    if (way == Way::fifo) {
        REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
        two[0] = ::open((folder / "fifo").c_str(), O_RDONLY | O_NONBLOCK);
        two[1] = ::open((folder / "fifo").c_str(), O_WRONLY);
        REQUIRE(::fcntl(two[0], F_SETFL, 0) == 0);
    } else if (way == Way::stream || way == Way::messages) {
        REQUIRE(::socketpair(AF_UNIX, way == Way::stream ? SOCK_STREAM : SOCK_SEQPACKET, 0, two) == 0);
    } else {
        REQUIRE(::pipe2(two, way == Way::apart ? O_DIRECT : 0) == 0);
    }
    ends.read = two[0], ends.write = two[1];
}

std::string bytes_of(std::size_t count) {
    std::string bytes(count, '\0');
    std::uint32_t state = 7;
    for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
    return bytes;
}

/// Calls of write() and its kin that this process has made.
/// By this thread: others of the process may write, too.
long writes() {
    const std::string all = read_text("/proc/thread-self/io");
    return std::stol(all.substr(all.find("syscw:") + 6));
}

/// What a reader takes until the end; it begins late and takes little at a time.
std::string taken_from(int descriptor) {
    std::string all, some(5000, '\0');
    for (ssize_t got = 0; (got = ::read(descriptor, some.data(), some.size())) > 0;)
        all.append(some, 0, static_cast<std::size_t>(got));
    return all;
}

}  // namespace

TEST_CASE("outlet: every byte comes, whatever takes it, and the flags of the end that was given stay") {
    ::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    const std::string bytes = bytes_of((3u << 20) + 11);
    for (const Way way : {Way::pipe, Way::apart, Way::fifo, Way::stream, Way::messages}) {
        CAPTURE(static_cast<int>(way));
        Ends ends;
        open(ends, way, folder);
        const int flags = ::fcntl(ends.write, F_GETFL);
        std::string taken;
        std::thread reader([&] { taken = taken_from(ends.read); });
        {
            Outlet outlet(ends.write, [] { return false; });
            CHECK(outlet.put(std::string_view(bytes).substr(0, 1 << 20)));
            CHECK(outlet.put(std::string_view(bytes).substr(1 << 20)));
            CHECK(outlet.put({}));
            CHECK(::fcntl(ends.write, F_GETFL) == flags);
        }
        ends.close_write();   // the last of them: the reader comes to an end
        reader.join();
        CHECK((taken == bytes));
    }
}

TEST_CASE("outlet: a pipe takes what there is room for, not a page a call") {
    const TempFolder folder;
    Ends ends;
    open(ends, Way::pipe, folder);
    REQUIRE(::fcntl(ends.write, F_SETPIPE_SZ, 1 << 20) >= (1 << 20));
    const std::string bytes = bytes_of(1 << 20);
    Outlet outlet(ends.write);
    const long before = writes();
    CHECK(outlet.put(bytes));
    CHECK(writes() - before <= 4);   // 256 of them, where each is a page
}

TEST_CASE("outlet: another user's pipe, which cannot be opened once more, takes all the same") {
    if (::geteuid() != 0) return;
    const TempFolder folder;
    Ends ends;
    open(ends, Way::pipe, folder);
    const std::string bytes = bytes_of(300000);
    std::string taken;
    std::thread reader([&] { taken = taken_from(ends.read); });
    REQUIRE(::seteuid(65534) == 0);
    {
        Outlet outlet(ends.write);
        CHECK(outlet.put(bytes));
    }
    REQUIRE(::seteuid(0) == 0);
    ends.close_write();
    reader.join();
    CHECK((taken == bytes));
}

TEST_CASE("outlet: a reader that has gone is an end, before the first byte and behind it") {
    ::signal(SIGPIPE, SIG_IGN);
    const TempFolder folder;
    const std::string bytes = bytes_of(1 << 22);
    for (const Way way : {Way::pipe, Way::apart, Way::fifo, Way::stream, Way::messages})
        for (const bool at_once : {true, false}) {
            CAPTURE(static_cast<int>(way));
            fs::remove(folder / "fifo");
            Ends ends;
            open(ends, way, folder);
            if (at_once) ends.close_read();
            Outlet outlet(ends.write);
            std::thread reader([&] {
                if (at_once) return;
                char some[1000];
                CHECK(::read(ends.read, some, sizeof some) > 0);
                ends.close_read();
            });
            bool all = true;
            try {
                all = outlet.put(bytes);
            } catch (const IoError& error) {
                FAIL_CHECK(error.what());
            }
            CHECK_FALSE(all);
            reader.join();
        }
}

TEST_CASE("outlet: a stop is heard where nobody reads, and not while somebody does") {
    const TempFolder folder;
    for (const Way way : {Way::pipe, Way::apart, Way::stream, Way::messages}) {
        CAPTURE(static_cast<int>(way));
        Ends ends;
        open(ends, way, folder);
        Outlet outlet(ends.write, [] { return true; });
        CHECK_THROWS_AS(outlet.put(bytes_of(1 << 22)), CancelledError);
    }
    Ends ends;
    open(ends, Way::pipe, folder);
    const std::string bytes = bytes_of(400000);
    std::string taken;
    std::thread reader([&] {
        char some[10000];
        for (ssize_t got = 0; (got = ::read(ends.read, some, sizeof some)) > 0; ::usleep(100000))
            taken.append(some, static_cast<std::size_t>(got));
    });
    {
        Outlet outlet(ends.write, [] { return true; });
        CHECK(outlet.put(bytes));
    }
    ends.close_write();
    reader.join();
    CHECK((taken == bytes));
}

TEST_CASE("outlet: of what a file does not take nothing stays in it") {
    const TempFolder folder;
    write_text(folder / "frames", std::string(4000, 'a'));
    const int file = ::open((folder / "frames").c_str(), O_WRONLY | O_APPEND);
    REQUIRE(file >= 0);
    {
        Outlet outlet(file);
        rlimit before{};
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
        rlimit small = before;
        small.rlim_cur = 6000;
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK(outlet.put(std::string(1500, 'b')));
        CHECK_THROWS_AS(outlet.put(std::string(1500, 'c')), IoError);
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
    }
    ::close(file);
    CHECK(fs::file_size(folder / "frames") == 5500);
    CHECK(read_text(folder / "frames").back() == 'b');
    const int in = ::open((folder / "frames").c_str(), O_RDONLY), out = ::open((folder / "frames").c_str(), O_WRONLY | O_APPEND);
    CHECK(engine::stream::are_one_file(in, out));
    CHECK_FALSE(engine::stream::are_one_file(in, 2));
    ::close(in), ::close(out);
}

TEST_CASE("outlet: what cannot be written says so") {
    const TempFolder folder;
    Ends ends;
    open(ends, Way::pipe, folder);
    CHECK_THROWS_AS(Outlet(ends.read).put("x"), IoError);   // the wrong end
    CHECK_THROWS_AS(Outlet(1000).put("x"), IoError);        // none
    Ends full;
    full.write = ::open("/dev/full", O_WRONLY);
    CHECK_THROWS_AS(Outlet(full.write).put("x"), IoError);
    Ends waits;   // somebody else has set it so
    open(waits, Way::pipe, folder);
    REQUIRE(::fcntl(waits.write, F_SETFL, O_NONBLOCK) == 0);
    std::thread reader([&] { CHECK(taken_from(waits.read).size() == 300000); });
    CHECK(Outlet(waits.write).put(bytes_of(300000)));
    waits.close_write();
    reader.join();
}
#endif
