// Hashes that are taken while a file is read are those of the file, whatever a reader reads of it, in whatever order.
#include "io/file.hpp"
#include "io/read_witness.hpp"
#include "seed.hpp"
#include "support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Of as many bytes, drawn.
fs::path drawn_file(const Folder& folder, std::size_t bytes, std::mt19937& random) {
    std::string text(bytes, '\0');
    for (char& c : text) c = static_cast<char>(random());
    io::File file = io::File::create(folder / "a.dat");
    file.write(text.data(), text.size());
    file.close();
    return folder / "a.dat";
}

}   // namespace

TEST_CASE("a hash that is taken while a file is read is that of the file, for every format") {
    const Folder folder;
    const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 1201}, {'x', 907}}));
    for (const char* const name : {"a.npy", "a.tif", "packed.tif", "a.png", "a.jpg", "a.nrrd", "a.nii", "a.nii.gz", "a.mha"}) {
        CAPTURE(std::string(name));
        io::WriteOptions options;
        if (name[0] == 'p') options.compression = 1;
        io::write(folder / name, array, options);
        const std::string alone = io::hash_file(folder / name);
        const io::ReadWitness witness(folder / name);
        const HostArray read = io::read(folder / name);
        const std::uint64_t seen = witness.seen();
        CHECK(io::hash_file(folder / name) == alone);
        const bool plain = std::string(name) == "a.npy" || std::string(name) == "a.tif";
        if (plain) CHECK(seen >= array.desc.dense_bytes());   // and so nothing but a tail is read a second time
    }
}

TEST_CASE("a hash that is taken while a file is read is that of the file, in every order") {
    std::mt19937 random(static_cast<std::mt19937::result_type>(drawn_seed()));
    const Folder folder;
    for (int draw = 0; draw < 60; ++draw) {
        const std::size_t size = 1 + random() % (draw % 3 == 0 ? 700'000 : 9'000);
        const fs::path path = drawn_file(folder, size, random);
        const std::string alone = io::hash_file(path);
        std::vector<char> to(size + 10);
        {
            const io::ReadWitness witness(path);
            for (unsigned files = random() % 3; files > 0; --files) {
                io::File file = io::File::open(path);
                for (unsigned reads = random() % 9; reads > 0; --reads) {
                    if (random() % 2 == 0) file.seek(random() % (size + 1));
                    if (random() % 4 == 0) file.skip(random() % 2000);
                    file.read_some(to.data(), 1 + random() % to.size());
                }
                if (random() % 2 == 0) file.close();
            }
            CAPTURE(draw);
            CHECK(witness.seen() <= size);
            CHECK(io::hash_file(path) == alone);
        }
        CHECK(io::hash_file(path) == alone);   // when nobody listens any more
        fs::remove(path);
    }
}

TEST_CASE("a witness hears of its own file alone, and by File alone") {
    std::mt19937 random(1);
    const Folder folder;
    const fs::path path = drawn_file(folder, 5000, random);
    const HostArray array = pattern(ArrayDesc::dense(ElementType::u8, {{'y', 40}, {'x', 50}}));
    io::write(folder / "b.npy", array, {});
    const io::ReadWitness witness(path);
    char some[100];
    {
        io::File file = io::File::open(path);
        file.read(some, 100, "the beginning");
    }
    io::File other = io::File::open(folder / "b.npy");   // may get the handle that the first has given back
    other.read(some, 100, "the beginning");
    CHECK(witness.seen() == 100);
    CHECK(io::hash_file(folder / "b.npy") != io::hash_file(path));
    CHECK(io::read(folder / "b.npy").desc == array.desc);
}

#if defined(__linux__)
TEST_CASE("a witness knows its file by whatever path it is opened, and no other that came to its path") {
    std::mt19937 random(static_cast<std::mt19937::result_type>(drawn_seed()));
    const Folder folder;
    const fs::path path = drawn_file(folder, 700'000, random);
    const std::string alone = io::hash_file(path);
    const auto descriptor = [](io::File& file) {
        return fs::path("/proc/self/fd") / std::to_string(::fileno(file.handle()));
    };
    io::File held = io::File::open(path), again = io::File::open(path);
    std::vector<char> to(700'000);
    {
        const io::ReadWitness witness(path);
        io::File::open(descriptor(held)).read(to.data(), to.size(), "all of it");   // as a confined job opens it
        CHECK(witness.seen() == to.size());
        CHECK(io::hash_file(descriptor(again)) == alone);
    }
    const io::ReadWitness witness(path);
    fs::rename(path, folder / "old.dat");
    drawn_file(folder, 700'000, random);
    io::File::open(descriptor(held)).read(to.data(), to.size(), "all of it");
    CHECK(io::hash_file(descriptor(again)) == alone);
    CHECK(io::hash_file(folder / "old.dat") == alone);
}
#endif
