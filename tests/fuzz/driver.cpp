// Runs a harness without libFuzzer: every seed, and mutations of it that are the same in each run.
//   fuzz_x [--mutations N] SEED...      files or folders
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t*, std::size_t);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> seeds_of(const std::vector<std::string>& arguments) {
    std::vector<std::filesystem::path> paths;
    for (const std::string& argument : arguments) {
        if (!std::filesystem::is_directory(argument)) paths.emplace_back(argument);
        else
            for (const auto& entry : std::filesystem::directory_iterator(argument)) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    std::vector<Bytes> seeds;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return seeds;
}

class Mutator {
public:
    Bytes operator()(Bytes bytes, const std::vector<Bytes>& seeds) {
        for (unsigned rounds = 1 + below(4); rounds > 0 && !bytes.empty(); --rounds) change(bytes, seeds);
        return bytes;
    }

private:
    std::size_t below(std::size_t n) { return random_() % n; }
    void change(Bytes& bytes, const std::vector<Bytes>& seeds) {
        static constexpr std::uint32_t telling[] = {0,      1,      0x7f,    0x80,       0xff,       0x7fff,
                                                    0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
        const std::size_t at = below(bytes.size());
        switch (below(6)) {
            case 0: bytes[at] = static_cast<std::uint8_t>(bytes[at] ^ (1u << below(8))); break;
            case 1: bytes[at] = static_cast<std::uint8_t>(random_()); break;
            case 2: bytes.resize(at); break;
            case 3: {
                const std::uint32_t word = telling[below(std::size(telling))];
                std::memcpy(&bytes[at], &word, std::min<std::size_t>(std::size_t{1} << below(3), bytes.size() - at));
                break;
            }
            case 4: {   // a stretch twice
                const Bytes stretch(
                    bytes.begin() + static_cast<std::ptrdiff_t>(at),
                    bytes.begin() + static_cast<std::ptrdiff_t>(at + below(std::min<std::size_t>(64, bytes.size() - at)) + 1));
                bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), stretch.begin(), stretch.end());
                break;
            }
            default: {   // the end of another seed
                const Bytes& other = seeds[below(seeds.size())];
                bytes.resize(at);
                if (at < other.size()) bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(at), other.end());
            }
        }
    }
    std::mt19937 random_{20240607};
};

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    long mutations = 10000;
    if (arguments.size() > 1 && arguments[0] == "--mutations") {
        mutations = std::stol(arguments[1]);
        arguments.erase(arguments.begin(), arguments.begin() + 2);
    }
    const std::vector<Bytes> seeds = seeds_of(arguments);
    if (seeds.empty()) {
        std::fprintf(stderr, "usage: %s [--mutations N] SEED...\n", argv[0]);
        return 2;
    }
    for (const Bytes& seed : seeds) LLVMFuzzerTestOneInput(seed.data(), seed.size());
    Mutator mutate;
    for (long i = 0; i < mutations; ++i) {
        const Bytes input = mutate(seeds[static_cast<std::size_t>(i) % seeds.size()], seeds);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu seeds, %ld mutations\n", seeds.size(), mutations);
    return 0;
}
