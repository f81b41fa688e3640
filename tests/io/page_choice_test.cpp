// One page of each format that has pages, and what an input may say that its pages are.
#include <doctest/doctest.h>

#include "io/format.hpp"
#include "io/support.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

/// Whether the program beside the tests that writes such a file is there.
bool can_write(const fs::path& path, const ArrayDesc& desc) {
    try {
        io::check_writable(path, desc);
        return true;
    } catch (const IoError& error) {
        MESSAGE("not tried: " << error.what());
        return false;
    }
}

io::ReadOptions page(std::int64_t number) {
    io::ReadOptions options;
    options.pages = {number, number + 1};
    return options;
}

/// The bytes of so many pages of a dense array of three axes, from one on.
std::string page_bytes(const HostArray& array, std::int64_t first, std::int64_t count = 1) {
    const std::size_t bytes = array.desc.dense_bytes() / static_cast<std::size_t>(array.desc.axes.front().size);
    return {reinterpret_cast<const char*>(array.data()) + static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(count) * bytes};
}

std::string all_bytes(const HostArray& array) { return {reinterpret_cast<const char*>(array.data()), array.desc.dense_bytes()}; }

}  // namespace

TEST_CASE("a page: every frame of a GIF can be taken alone") {
    const Folder folder;
    const HostArray frames = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 4}, {'y', 9}, {'x', 11}}));
    const fs::path file = folder / "a.gif";
    if (!can_write(file, frames.desc)) return;
    io::write(file, frames);
    for (std::int64_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        const HostArray one = io::read(file, page(i));
        CHECK(one.desc.describe() == "u8 9 x 11 (y, x)");
        CHECK(all_bytes(one) == page_bytes(frames, i));
    }
    io::ReadOptions some;
    some.pages = {1, 3};
    CHECK(all_bytes(io::read(file, some)) == page_bytes(frames, 1, 2));
}
