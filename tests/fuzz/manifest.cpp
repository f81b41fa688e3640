// The record of a series, as a process that died or an editor has left it: records or one of Parallax's errors. The first byte
// says which of its two files the others are.
#include "file.hpp"
#include "parallax/host/error.hpp"
#include "series/manifest.hpp"

using namespace parallax;
using namespace parallax::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder;
    if (size == 0) return 0;
    const Json job{{"steps", Json::array()}};
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) std::filesystem::remove_all(entry.path());
    try {
        if (data[0] % 2 == 0) {
            series::Manifest::open(folder.path(), job, {});
            folder.write("items-1.jsonl", data + 1, size - 1);
        } else {
            folder.write("series.json", data + 1, size - 1);
        }
        series::Manifest::open(folder.path(), job, {}).load();
    } catch (const Error&) {
    }
    return 0;
}
