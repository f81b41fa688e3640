// The record of a series, as a process that died or an editor has left it: records or one of Parallax's errors. The first byte
// says which of its two files the others are, and whether lines get their checksum here, so that what stands in them is read.
#include "file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"
#include "series/manifest.hpp"

#include <cstdlib>
#include <sstream>

using namespace parallax;
using namespace parallax::engine;

namespace {

std::string with_checksums(const std::uint8_t* data, std::size_t size) {
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    std::string all;
    for (std::string line; std::getline(lines, line);) all += io::hash_text(line).substr(0, 16) + ' ' + line + '\n';
    return all;
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder;
    if (size == 0) return 0;
    const Json job{{"steps", Json::array()}};
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) std::filesystem::remove_all(entry.path());
    try {
        if (data[0] % 2 == 0) {
            series::Manifest::open(folder.path(), job, {});
            if (data[0] % 4 == 0) {
                folder.write("items-1.jsonl", data + 1, size - 1);
            } else {
                const std::string lines = with_checksums(data + 1, size - 1);
                folder.write("items-1.jsonl", reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size());
            }
        } else {
            folder.write("series.json", data + 1, size - 1);
        }
        series::Manifest manifest = series::Manifest::open(folder.path(), job, {});
        manifest.load();
        manifest.begin({"begun"}, false);
        if (!series::Manifest::owned_in(folder.path()).begun.contains("begun")) std::abort();
        manifest.leave({"begun"});
        series::Record next;
        next.item = "the next";
        manifest.append(next);
        if (manifest.load().at("the next").done) std::abort();   // what was recorded last counts
    } catch (const Error&) {
    }
    return 0;
}
