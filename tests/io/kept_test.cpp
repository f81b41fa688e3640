// Pages of one file one after the other: what is kept of it in between gives the same pages, and makes each cost what it holds.
#include "io/kept.hpp"
#include "io/support.hpp"
#include "seed.hpp"
#include "support/helper.hpp"
#if defined(__linux__)
#include "bytes_read.hpp"

#include <sys/resource.h>
#endif

#include <atomic>
#include <chrono>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace parallax;
using namespace parallax::tests;

namespace {

io::ReadOptions page(std::int64_t number, std::shared_ptr<io::Kept> kept, const fs::path& file) {
    io::ReadOptions options;
    if (file.string().find(".nii") != std::string::npos) options.volume = number;
    else options.pages = {number, number + 1};
    options.kept = std::move(kept);
    return options;
}

/// Of a file that is as fresh as this nothing is kept: it may change and look the same.
void let_it_age(const fs::path& file) {
    fs::last_write_time(file, fs::last_write_time(file) - std::chrono::hours(1));
}

bool is_there(const std::string& reader) { return !host::program_beside("parallax-read-" + reader).empty(); }

/// Until the system's clock of files has another time.
void let_time_pass() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

ArrayDesc stack(ElementType type, std::int64_t pages, bool colours = false) {
    std::vector<ArrayDesc::Extent> axes{{'t', pages}, {'y', 9}, {'x', 11}};
    if (colours) axes.push_back({'c', 3});
    return ArrayDesc::dense(type, axes);
}

HostArray volumes(std::int64_t count) {
    return pattern(ArrayDesc::dense(ElementType::i16, {{'t', count}, {'z', 3}, {'y', 8}, {'x', 8}}));
}

bool same(const HostArray& a, const HostArray& b) {
    return a.desc.describe() == b.desc.describe() && a.metadata.affine == b.metadata.affine &&
           a.metadata.notes == b.metadata.notes && a.metadata.channels == b.metadata.channels &&
           std::memcmp(a.data(), b.data(), a.desc.dense_bytes()) == 0;
}

/// Volumes (t, z, y, x) of MATLAB's version 5, which has columns first.
std::string mat_of(const HostArray& array) {
    const auto elements = [](std::uint32_t type, const std::string& bytes) {
        return Bytes{}.add(type).add(static_cast<std::uint32_t>(bytes.size())).add_text(bytes).text + std::string((8 - bytes.size() % 8) % 8, '\0');
    };
    const std::int64_t t = array.desc.axes[0].size, z = array.desc.axes[1].size, y = array.desc.axes[2].size, x = array.desc.axes[3].size;
    const auto* const values = array.as<std::int16_t>();
    Bytes data;
    for (std::int64_t plane = 0; plane < t * z; ++plane)
        for (std::int64_t column = 0; column < x; ++column)
            for (std::int64_t row = 0; row < y; ++row) data.add(values[(plane * y + row) * x + column]);
    Bytes sizes;
    for (const std::int64_t size : {y, x, z, t}) sizes.add(static_cast<std::int32_t>(size));
    constexpr std::uint32_t of_int8 = 1, of_int16 = 3, of_int32 = 5, of_uint32 = 6, of_matrix = 14, int16_class = 10;
    const std::string matrix = elements(of_uint32, Bytes{}.add(int16_class).add<std::uint32_t>(0).text) + elements(of_int32, sizes.text) +
                               elements(of_int8, "a") + elements(of_int16, data.text);
    std::string head = "MATLAB 5.0 MAT-file";
    head.resize(124, ' ');
    return head + Bytes{}.add<std::uint16_t>(0x0100).text + "IM" + elements(of_matrix, matrix);
}

/// Stacks in formats that keep a file open, and in some that do not.
std::vector<fs::path> stacks(const Folder& folder, std::int64_t pages) {
    std::vector<fs::path> files;
    const auto add = [&](const char* name, const HostArray& array, io::WriteOptions options = {}) {
        files.push_back(folder / name);
        io::write(files.back(), array, options);
        let_it_age(files.back());
    };
    add("grey.tif", pattern(stack(ElementType::u16, pages)));
    add("packed.tif", pattern(stack(ElementType::f32, pages)), {.compression = 6});
    add("colours.tif", pattern(stack(ElementType::u8, pages, true)));
    add("image.ome.tif", pattern(stack(ElementType::u16, pages)));
    add("pages.npy", pattern(stack(ElementType::u16, pages)));
    add("plain.nii", volumes(pages));
    add("packed.nii.gz", volumes(pages));
    if (is_there("hdf5")) add("volumes.h5", volumes(pages));   // read by a program that stays for the next page
    if (is_there("gif")) add("film.gif", pattern(stack(ElementType::u8, pages)));
    if (is_there("mat")) {
        files.push_back(folder / "volumes.mat");
        put(files.back(), mat_of(volumes(pages)));
        let_it_age(files.back());
    }
    return files;
}

}   // namespace

TEST_CASE("kept files: pages in any order, by several threads, are those that are read alone") {
    const std::uint64_t seed = drawn_seed();
    MESSAGE("PARALLAX_TEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto pages = static_cast<std::int64_t>(2 + random() % 30);
    const Folder folder;
    for (const fs::path& file : stacks(folder, pages)) {
        CAPTURE(file.filename().string());
        std::vector<HostArray> alone;
        for (std::int64_t i = 0; i < pages; ++i) alone.push_back(io::read(file, page(i, nullptr, file)));
        const auto kept = std::make_shared<io::Kept>();
        std::atomic<int> wrong = 0;
        std::vector<std::jthread> threads;
        for (int thread = 0; thread < 4; ++thread) {
            threads.emplace_back([&, order = random()] {
                std::vector<std::size_t> numbers(static_cast<std::size_t>(pages));
                std::iota(numbers.begin(), numbers.end(), std::size_t{0});
                std::mt19937_64 shuffled(order);
                if (order % 2 == 0) std::shuffle(numbers.begin(), numbers.end(), shuffled);
                for (const std::size_t number : numbers) {
                    const io::ReadOptions options = page(static_cast<std::int64_t>(number), kept, file);
                    io::ReadOptions whole = options;
                    whole.pages.reset(), whole.volume.reset();
                    const bool good = io::info(file, whole).pages() == pages && same(io::read(file, options), alone[number]);
                    wrong += good ? 0 : 1;
                }
            });
        }
        threads.clear();
        CHECK(wrong == 0);
    }
}

TEST_CASE("kept files: another file of the same name, also with the time of the first, and one that was written to are refused") {
    const Folder folder;
    const std::vector<fs::path> files = stacks(folder, 5);
    for (const fs::path& file : files) {
        CAPTURE(file.filename().string());
        const auto kept = std::make_shared<io::Kept>();
        io::read(file, page(0, kept, file));
        const fs::file_time_type time = fs::last_write_time(file);
        HostArray other = io::read(file);
        std::byte* const last = other.data() + other.desc.dense_bytes() - 1;
        *last ^= std::byte{1};
        if (file.extension() == ".mat") put(file, mat_of(other));
        else io::write(file, other, {.overwrite = true});
        fs::last_write_time(file, time);
        CHECK_THROWS_WITH_AS(io::read(file, page(4, kept, file)), doctest::Contains("has changed since its first page"), IoError);
        const auto next = std::make_shared<io::Kept>();
        CHECK(same(io::read(file, page(4, next, file)), io::read(file, page(4, nullptr, file))));
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).put(get(file).front());
        io::ReadOptions whole = page(0, next, file);
        whole.pages.reset(), whole.volume.reset();
        CHECK_THROWS_AS(io::info(file, whole), IoError);
    }
}

TEST_CASE("kept files: one that was written to in its place and has its old time is refused, and not one that has got another name") {
    const Folder folder;
    for (const fs::path& file : stacks(folder, 4)) {
        CAPTURE(file.filename().string());
        const fs::file_time_type time = fs::last_write_time(file);
        for (const bool hashed : {false, true}) {
            CAPTURE(hashed);
            const auto kept = std::make_shared<io::Kept>();
            io::read(file, page(0, kept, file));
            if (hashed) kept->put(*host::identity_of(file), io::hash_file(file));
            let_time_pass();
            fs::create_hard_link(file, folder / "name");   // as a program that saves copies does
            fs::remove(folder / "name");
            if (hashed) CHECK(same(io::read(file, page(1, kept, file)), io::read(file, page(1, nullptr, file))));
            else CHECK_THROWS_AS(io::read(file, page(1, kept, file)), IoError);   // nobody knows what it was
            const std::string before = get(file);
            std::string after = before;
            after.back() ^= 1;
            let_time_pass();
            std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << after;
            fs::last_write_time(file, time);
            CHECK_THROWS_WITH_AS(io::read(file, page(2, kept, file)), doctest::Contains("has changed since its first page"), IoError);
            std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << before;
            fs::last_write_time(file, time);
        }
    }
}

TEST_CASE("kept files: a folder's chunks are those that were there at its first page, and each page has its own alone") {
    if (!is_there("zarr")) return;
    constexpr std::int64_t pages = 6;
    const Folder folder;
    const HostArray array = pattern(stack(ElementType::u16, pages));
    const auto parts_in = [](const io::FileInfo& info) {
        std::vector<io::FilePart> parts = info.parts;
        parts.insert(parts.end(), info.folders.begin(), info.folders.end());
        return parts;
    };
    const auto parts_of = [&](const io::FileInfo& info, std::int64_t number) {
        return io::parts_of_pages(parts_in(info), std::pair(number, number + 1));
    };
    for (const char* what : {"written", "added", "removed"}) {
        CAPTURE(what);
        const fs::path store = folder / (std::string(what) + ".zarr");
        io::write(store, array);
        const io::FileInfo info = io::info(store, page(0, nullptr, store));
        std::vector<fs::path> chunks;
        for (const io::FilePart& part : info.parts)
            if (part.pages) chunks.push_back(part.path);
        std::sort(chunks.begin(), chunks.end());
        REQUIRE(chunks.size() >= 2);
        if (std::string(what) == "added") fs::rename(chunks.back(), folder / "chunk");
        const auto kept = std::make_shared<io::Kept>();
        io::ReadOptions whole = page(0, kept, store);
        whole.pages.reset();
        const io::FileInfo first = io::info(store, whole);
        for (std::int64_t i = 0; i < pages; ++i) {
            const std::vector<io::FilePart> own = parts_of(first, i);
            CHECK(own.size() < parts_in(info).size());
            whole.parts_of = std::pair(i, i + 1);
            CHECK(parts_in(io::info(store, whole)) == own);   // of what is kept as of what is looked at
        }
        whole.parts_of.reset();
        let_time_pass();
        if (std::string(what) == "written") put(chunks.back(), get(chunks.back()) + "more");
        if (std::string(what) == "added") fs::rename(folder / "chunk", chunks.back());
        if (std::string(what) == "removed") fs::remove(chunks.back());
        // The first look counts: what an item reads is held against it, folders and all.
        bool changed = false;
        const std::vector<io::FilePart> all = parts_in(first);
        for (const io::FilePart& part : parts_of(io::info(store, page(0, nullptr, store)), pages - 1)) {
            const auto known = std::find_if(all.begin(), all.end(), [&](const io::FilePart& one) { return one.path == part.path; });
            changed = changed || known == all.end() || known->identity != part.identity;
        }
        CHECK(changed);
    }
}

TEST_CASE("kept files: pages that are unlike, and pages that are not there, are as without") {
    const Folder folder;
    const fs::path file = folder / "unlike.tif";
    put(file, make_tiff({tiff_picture(4, 1, 8, 1, 8, 4), tiff_picture(2, 1, 8, 1, 12, 2)}, "abcdef"));
    let_it_age(file);
    const auto kept = std::make_shared<io::Kept>();
    for (const std::int64_t number : {1, 0, 1}) CHECK(same(io::read(file, page(number, kept, file)), io::read(file, page(number, nullptr, file))));
    CHECK_THROWS_AS(io::read(file, page(2, kept, file)), IoError);
    for (const fs::path& one : stacks(folder, 3)) {
        CAPTURE(one.filename().string());
        const auto its = std::make_shared<io::Kept>();
        io::read(one, page(1, its, one));
        CHECK_THROWS_AS(io::read(one, page(3, its, one)), IoError);
        CHECK(same(io::read(one, page(2, its, one)), io::read(one, page(2, nullptr, one))));
    }
}

#if defined(__linux__)
TEST_CASE("kept files: all pages together cost a small multiple of the file") {
    constexpr std::int64_t pages = 300;
    const Folder folder;
    for (const fs::path& file : stacks(folder, pages)) {
        CAPTURE(file.filename().string());
        const auto kept = std::make_shared<io::Kept>();
        const std::uint64_t before = bytes_read();
        for (std::int64_t i = 0; i < pages; ++i) {
            io::ReadOptions options = page(i, kept, file), whole = options;
            whole.pages.reset(), whole.volume.reset();
            io::info(file, whole);
            io::read(file, options);
        }
        // Each call looks at the beginning of the file, of which the library of C reads a block.
        CHECK(bytes_read() - before < 20 * fs::file_size(file) + pages * 40000);
    }
}

TEST_CASE("kept files: a film's frames, drawn one over the other, are drawn once for all of them") {
    if (!is_there("gif")) return;
    constexpr std::int64_t frames = 200;
    const Folder folder;
    const fs::path film = folder / "film.gif";
    io::write(film, pattern(ArrayDesc::dense(ElementType::u8, {{'t', frames}, {'y', 200}, {'x', 200}})));
    let_it_age(film);
    // Of programs that have ended: what they had of a processor, however busy it is with others.
    const auto had = [] {
        rusage children{};
        getrusage(RUSAGE_CHILDREN, &children);
        return static_cast<double>(children.ru_utime.tv_sec) + 1e-6 * static_cast<double>(children.ru_utime.tv_usec);
    };
    const double begun = had();
    const HostArray whole = io::read(film);
    const double at_once = had() - begun;
    {
        const auto kept = std::make_shared<io::Kept>();
        for (std::int64_t i = 0; i < frames; ++i) {
            const HostArray one = io::read(film, page(i, kept, film));
            CHECK(std::memcmp(one.data(), whole.data() + i * 200 * 200, 200 * 200) == 0);
        }
    }
    CHECK(had() - begun - at_once < 10 * at_once + 0.2);
}

TEST_CASE("kept files: a program that reads them outlives the thread that began with it, and not what is kept") {
    if (!is_there("gif")) return;
    const Folder folder;
    const fs::path film = folder / "film.gif";
    io::write(film, pattern(stack(ElementType::u8, 3)));
    let_it_age(film);
    rusage before{}, after{};
    getrusage(RUSAGE_CHILDREN, &before);
    {
        const auto kept = std::make_shared<io::Kept>();
        for (std::int64_t i = 0; i < 2; ++i) std::jthread([&] { io::read(film, page(i, kept, film)); }).join();
        getrusage(RUSAGE_CHILDREN, &after);
        CHECK(after.ru_minflt == before.ru_minflt);   // none has ended yet
    }
    getrusage(RUSAGE_CHILDREN, &after);
    CHECK(after.ru_minflt > before.ru_minflt);
}
#endif
