// Entries of the program cache: whatever the bytes, what was stored or nothing.
#include <cstdlib>
#include <cstring>

#include "file.hpp"
#include "parallax/host/program.hpp"

using namespace parallax;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzz::Folder folder;
    static const auto cache = host::ProgramCache::open(folder.path().string());
    folder.write("program.bin", data, size);
    const std::vector<unsigned char> binary = cache->load("program");
    // Behind the header and the key.
    const bool whole =
        size >= binary.size() && (binary.empty() || std::memcmp(binary.data(), data + size - binary.size(), binary.size()) == 0);
    if (!whole) std::abort();
    return 0;
}
