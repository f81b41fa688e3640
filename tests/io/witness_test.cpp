// Hashes that are taken while a file is written are those of the file.
#include "io/file.hpp"
#include "io/transaction.hpp"
#include "io/witness.hpp"
#include "seed.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

TEST_CASE("a hash that is taken while a file is written is that of the file, for every format that is written in order") {
    struct Case {
        const char* ending;
        bool in_order;
        std::optional<int> compression;
    };
    std::mt19937 random(static_cast<std::mt19937::result_type>(drawn_seed()));
    for (const Case& one : {Case{".npy", true, {}}, Case{".tif", true, {}}, Case{".tif", false, 1}, Case{".png", true, {}},
                            Case{".png", true, 0}, Case{".jpg", true, {}}, Case{".nrrd", true, {}}, Case{".nii", true, {}}}) {
        for (int draw = 0; draw < 4; ++draw) {
            const std::int64_t height = 1 + static_cast<std::int64_t>(random() % 900),
                               width = 1 + static_cast<std::int64_t>(random() % 900);
            const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
            const std::string ending = one.ending;
            CAPTURE(ending);
            CAPTURE(array.desc.describe());
            const Folder folder;
            io::Transaction files(folder.path(), {});
            std::string hash;
            const fs::path part = files.add(folder / ("a" + ending), [&](const fs::path& path) {
                const io::Witness witness(path);
                io::WriteOptions options;
                options.compression = one.compression;
                io::write(path, array, options);
                hash = witness.hash();
            });
            CHECK(hash == (one.in_order ? io::hash_file(part) : std::string()));
            files.commit();
        }
    }
}

TEST_CASE("a hash is told of a file that was written in order and to its end, and of no other") {
    const Folder folder;
    const auto hash_of = [&](const char* name, auto write) {
        const io::Witness witness(folder / "a.dat");
        write(folder / name);
        return witness.hash();
    };
    const auto begin = [](const fs::path& path) {
        io::File file = io::File::create(path);
        file.write("abc", 3);
        return file;
    };
    const std::string whole = hash_of("a.dat", [&](const fs::path& path) { begin(path).close(); });
    CHECK(whole == "06b05ab6733a618578af5f94892f3950");   // xxh128sum of "abc"
    CHECK(hash_of("b.dat", [&](const fs::path& path) { begin(path).close(); }).empty());   // another file
    fs::remove(folder / "a.dat");
    CHECK(hash_of("a.dat", [&](const fs::path& path) { begin(path); }).empty());   // not closed: a write may be lost
    CHECK(hash_of("a.dat", [&](const fs::path& path) { io::File::update(path).close(); }).empty());
    fs::remove(folder / "a.dat");
    CHECK(hash_of("a.dat", [&](const fs::path& path) {
              io::File file = begin(path);
              file.seek(0);
              file.write("x", 1);
              file.close();
          }).empty());
    CHECK(hash_of("c.dat", [&](const fs::path& path) {
              CHECK_THROWS_AS(io::File::create(path.parent_path() / "no" / "c"), IoError);
          }).empty());
    CHECK(hash_of("a.dat", [&](const fs::path&) {}).empty());
}
