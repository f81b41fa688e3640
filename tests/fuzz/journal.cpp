// What a process that died has left of a transaction, or what somebody else has written there in its place: whoever comes next to
// the folder finishes it, undoes it or leaves it, never touches anything outside, and works there as if nothing had been. The
// first byte says whether lines get their checksum here, so that what stands in them is read.
#include "file.hpp"
#include "io/io.hpp"
#include "io/transaction.hpp"
#include "parallax/host/error.hpp"
#include "support/file_identity.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

namespace fs = std::filesystem;
using namespace parallax;

namespace {

const std::string transaction = ".parallax-12-34-0123abcd";

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string get(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "journal: %s\n", what);
    std::abort();
}

/// Puts the number of a file or folder, which no seed can know, where a line has another.
std::string with_number(std::string line, const std::string& key, int unknown, const fs::path& path) {
    const std::string text = key + std::to_string(unknown);
    const auto identity = host::identity_of(path);
    const std::size_t at = line.find(text);
    if (identity && at != std::string::npos) line.replace(at, text.size(), key + std::to_string(identity->inode));
    return line;
}

/// "inode":0 is that of the first part, 1 that of the folder; "tree":1 that of the folder, 2 that of the one before it.
std::string with_inode(std::string line, const fs::path& part) {
    const fs::path folder = part.parent_path() / (transaction + "-2-c.zarr");
    line = with_number(std::move(line), "\"inode\":", 0, part);
    line = with_number(std::move(line), "\"inode\":", 1, folder);
    line = with_number(std::move(line), "\"tree\":", 1, folder);
    return with_number(std::move(line), "\"tree\":", 2, part.parent_path() / "c.zarr");
}

std::string journal_of(const std::uint8_t* data, std::size_t size, bool checksums, const fs::path& part) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    if (!checksums) return text;
    std::istringstream lines(text);
    std::string all;
    for (std::string line; std::getline(lines, line);) {
        line = with_inode(std::move(line), part);
        all += io::hash_text(line).substr(0, 16) + ' ' + line + '\n';
    }
    return all;
}

/// out/a.png and out/mine.txt are the user's, out/sub/b.npy and the folder out/c.zarr, too; out/link leads outside, as does what
/// stands in both folders.
void set_up(const fs::path& out, const fs::path& outside) {
    fs::create_directories(out / "sub");
    put(out / "mine.txt", "mine");
    put(out / "a.png", "old a");
    put(out / "sub/b.npy", "old b");
    put(out / (transaction + "-0-a.png"), "new a");
    put(out / (transaction + "-old-0"), "old a");
    put(out / "sub" / (transaction + "-1-b.npy"), "new b");
    put(out / "sub" / (transaction + ".base"), "1\n");
    fs::create_directory_symlink(outside, out / "link");
    for (const std::string& name : {std::string("c.zarr"), transaction + "-2-c.zarr"}) {
        fs::create_directories(out / name / "0/0");
        put(out / name / "0/0/0", "chunk of " + name);
        fs::create_directory_symlink(outside, out / name / "link");
    }
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder;
    static unsigned long run = 0;   // a folder is looked at once in ten seconds: each time another
    if (size == 0) return 0;
    const fs::path outside = folder.path() / "outside", out = folder.path() / ("out" + std::to_string(run++));
    fs::create_directory(outside);
    put(outside / "b.npy", "theirs");
    set_up(out, outside);
    put(out / (transaction + ".journal"), journal_of(data + 1, size - 1, data[0] % 4 != 0, out / (transaction + "-0-a.png")));
    io::recover(data[0] % 2 == 0 ? out : out / "sub");

    if (get(outside / "b.npy") != "theirs" || std::distance(fs::directory_iterator(outside), {}) != 1)
        fail("touched what lies outside");
    if (std::distance(fs::directory_iterator(folder.path()), {}) != 2) fail("made or removed something above the folder");
    try {
        fs::create_directories(out);   // it may have been said to be the transaction's own, and empty
        io::Transaction next(out, {.overwrite = true});
        next.add(out / "next.txt", [](const fs::path& part) { put(part, "next"); });
        next.add(out / "more/next.txt", [](const fs::path& part) { put(part, "next"); });
        next.commit();
        if (get(out / "next.txt") != "next" || get(out / "more/next.txt") != "next") fail("the next transaction was lost");
    } catch (const IoError&) {   // a file may stand where the folder was to be
        if (fs::exists(out / "next.txt") != fs::exists(out / "more/next.txt")) fail("the next transaction was done by half");
    }
    fs::remove_all(out);
    return 0;
}
