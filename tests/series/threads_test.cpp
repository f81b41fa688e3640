// How many threads a series has by itself, and memory that they share.
#include "exec/pools.hpp"
#include "frames.hpp"
#include "parallax/host/context.hpp"
#include "parallax/host/enumerate.hpp"
#include "registry/registry.hpp"
#include "series/conveyor_shape.hpp"
#include "series/remedies.hpp"
#include "support/file_system.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <atomic>
#include <thread>

using namespace parallax;
using namespace parallax::engine;
using namespace parallax::tests;

TEST_CASE("threads that copy are as many as cores, and those that pack are not held back") {
    struct Row {
        int cores;
        series::FileWork work;   // unpacks, packs, writes
        int readers, writers, devices = 1;
    };
    const Row rows[] = {
        {16, {false, false, true}, 4, 12},   {16, {false, true, true}, 4, 16},  {16, {true, false, true}, 8, 8},
        {16, {true, true, true}, 8, 16},     {16, {false, false, false}, 8, 8}, {8, {false, false, true}, 2, 6},
        {4, {false, false, true}, 1, 3},     {2, {false, false, true}, 1, 2},   {2, {true, true, true}, 1, 2},
        {1, {false, false, true}, 1, 1},     {32, {true, true, true}, 16, 32},  {16, {false, false, true}, 2, 12, 2},
        {16, {false, false, true}, 1, 8, 8}, {4, {false, false, true}, 1, 2, 8}};
    for (const Row& row : rows) {
        CAPTURE(row.cores);
        CAPTURE(row.work.unpacks);
        CAPTURE(row.work.packs);
        CAPTURE(row.work.writes);
        const series::ConveyorShape shape = series::threads_for(row.cores, row.work, row.devices);
        CHECK(shape.readers == row.readers);
        CHECK(shape.writers == row.writers);
    }
}

TEST_CASE("what threads of a series do with files is known from its job and its first item") {
    const std::vector<Algorithm> algorithms = all_algorithms();   // a job points to them
    for (const series::FileWork want : {series::FileWork{false, false, true}, series::FileWork{true, true, true},
                                        series::FileWork{false, true, true}, series::FileWork{true, false, false}}) {
        Json job = frames_job();
        job["for_each"]["frame"] = want.unpacks ? "frames/*.png" : "frames/*.tif";
        if (want.packs) job["outputs"]["sum"] = Json{{"file", "sums/{frame.stem}.tif"}, {"compression", 1}};
        if (!want.writes) job["outputs"].erase("sum");
        const Folder folder(3, job);
        HostArray flat = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', 120}, {'x', 160}}));
        std::fill(flat.data(), flat.data() + flat.desc.count(), std::byte{7});
        io::write(folder.path() / "frames" / "a.png", flat);
        const Locations where{folder.path(), {}, folder.path() / "out"};
        const auto prepared = series::prepare_series(parse_job(job, algorithms), where, {folder.path() / "m.series"});
        const series::FileWork work = series::file_work_of(prepared);
        CHECK(work.unpacks == want.unpacks);
        CHECK(work.packs == want.packs);
        CHECK(work.writes == want.writes);
    }
}

TEST_CASE("memory of a pool is one owner's at a time, whoever makes it") {
    const auto context = host::native_device()->open({});
    HostPool pool(*context);
    const ArrayDesc desc = ArrayDesc::dense(ElementType::u8, {{'n', 4099}});
    std::atomic<int> torn{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 300; ++i) {
                if (t % 2 == 0) pool.stock(desc);
                const HostArray array = pool.make(desc);
                const auto mark = static_cast<std::byte>(16 * t + i % 16);
                std::fill(array.data(), array.data() + desc.count(), mark);
                std::this_thread::yield();
                if (std::any_of(array.data(), array.data() + desc.count(), [&](std::byte b) { return b != mark; })) ++torn;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(torn == 0);
}

TEST_CASE("what the summary advises is nothing that is so already") {
    using series::remedies_of_reading, series::remedies_of_writing;
    CHECK(remedies_of_reading(true, false) ==
          "files that unpack faster (uncompressed TIFF, NPY), a faster disk, or more cores and --readers");
    CHECK(remedies_of_reading(false, false) == "a faster disk, or more cores and --readers");
    CHECK(remedies_of_reading(false, true) == "more cores and --readers");
    CHECK(remedies_of_writing({"TIFF or NPY"}, false, true) ==
          "TIFF or NPY, a faster disk, --no-sync, or more cores and --writers");
    CHECK(remedies_of_writing({"TIFF or NPY"}, true, true) == "TIFF or NPY, or more cores and --writers");
    CHECK(remedies_of_writing({}, false, false) == "a faster disk, or more cores and --writers");
    CHECK(remedies_of_writing({}, true, false) ==
          "faster memory (the files lie in it, and are copied there), or more cores and --writers");
    CHECK_FALSE(host::is_in_memory("/no/such/place"));
#if defined(__linux__)
    std::ifstream mounts("/proc/mounts");   // in a container it need be no tmpfs
    for (std::string what, where, kind, rest; mounts >> what >> where >> kind && std::getline(mounts, rest);)
        if (where == "/dev/shm") CHECK(host::is_in_memory(where) == (kind == "tmpfs" || kind == "ramfs"));
    CHECK_FALSE(host::is_in_memory("/proc"));
#endif
}
