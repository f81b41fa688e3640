#include "series/remedies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace parallax::engine::series {
namespace {

std::string listed(std::vector<std::string> ways, const char* last) {
    if (ways.empty()) return last;
    return fmt::format("{}, or {}", fmt::join(ways, ", "), last);
}

}   // namespace

std::string remedies_of_reading(bool unpacks, bool in_memory) {
    std::vector<std::string> ways;
    if (unpacks) ways.emplace_back("files that unpack faster (uncompressed TIFF, NPY)");
    if (!in_memory) ways.emplace_back("a faster disk");
    return listed(std::move(ways), "more cores and --readers");
}

std::string remedies_of_writing(const std::vector<std::string>& without_packing, bool in_memory, bool synced) {
    std::vector<std::string> ways = without_packing;
    if (!in_memory) ways.emplace_back("a faster disk");
    else if (without_packing.empty()) ways.emplace_back("faster memory (the files lie in it, and are copied there)");
    if (synced && !in_memory) ways.emplace_back("--no-sync");
    return listed(std::move(ways), "more cores and --writers");
}

}   // namespace parallax::engine::series
