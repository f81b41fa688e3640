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
    return {reinterpret_cast<const char*>(array.data()) + static_cast<std::size_t>(first) * bytes,
            static_cast<std::size_t>(count) * bytes};
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

TEST_CASE("a page: of a NumPy array in either order, of floats of 16 bits, too") {
    const Folder folder;
    const HostArray stack = pattern(ArrayDesc::dense(ElementType::u16, {{'z', 4}, {'y', 3}, {'x', 5}}));
    io::write(folder / "c.npy", stack);
    HostArray turned = stack;   // Fortran's order: the first axis fastest
    std::reverse(turned.desc.axes.begin(), turned.desc.axes.end());
    put(folder / "f.npy",
        make_npy("{'descr': '<u2', 'fortran_order': True, 'shape': (4, 3, 5), }", all_bytes(turned.to_dense())));
    for (const char* const name : {"c.npy", "f.npy"}) {
        CAPTURE(std::string(name));
        CHECK(io::info(folder / name).pages() == 4);
        for (std::int64_t i = 0; i < 4; ++i) {
            const HostArray one = io::read(folder / name, page(i));
            CHECK(one.desc.describe() == "u16 3 x 5 (y, x)");
            CHECK(all_bytes(one) == page_bytes(stack, i));
        }
        io::ReadOptions some;
        some.pages = {1, 3};
        some.page_axis = 't';
        const HostArray two = io::read(folder / name, some);
        CHECK(two.desc.describe() == "u16 2 x 3 x 5 (t, y, x)");
        CHECK(all_bytes(two) == page_bytes(stack, 1, 2));
        CHECK(io_error(folder / name, [&] { io::read(folder / name, page(4)); }).problem.find("has 4 pages") !=
              std::string::npos);
    }
    put(folder / "h.npy",
        make_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (2, 1, 1), }", std::string("\x00\x3c\x00\xc1", 4)));
    CHECK(values_of<float>(io::read(folder / "h.npy", page(1))) == std::vector<float>{-2.5f});
    const HostArray course = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 2}, {'z', 3}, {'y', 4}, {'x', 5}}));
    io::write(folder / "t.npy", course);
    CHECK(io::info(folder / "t.npy").pages() == 6);
    CHECK(all_bytes(io::read(folder / "t.npy", page(4))) == all_bytes(course).substr(80, 20));
}

TEST_CASE("a page: of a stack that a format holds as one piece is refused, and the step that takes a plane is named") {
    const Folder folder;
    const HostArray stack = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 4}, {'y', 3}, {'x', 5}}));
    for (const char* const name : {"a.nii", "a.nrrd", "a.mha", "a.h5", "a.zarr"}) {
        CAPTURE(std::string(name));
        if (!can_write(folder / name, stack.desc)) continue;
        io::write(folder / name, stack);
        for (const std::int64_t number : {0, 1}) {
            const IoError error = io_error(folder / name, [&] { io::read(folder / name, page(number)); });
            CHECK(error.problem.find("no pages to choose from") != std::string::npos);
            CHECK(error.hint.find(R"("axis": "z")") != std::string::npos);
        }
    }
}

TEST_CASE("a page: where channels are pages, some of them have their own names") {
    const Folder folder;
    HostArray three = pattern(ArrayDesc::dense(ElementType::u16, {{'c', 3}, {'y', 5}, {'x', 7}}));
    three.metadata.channels = {"a", "b", "c"};
    const fs::path file = folder / "c.ome.tif";
    io::write(file, three);
    using Names = std::vector<std::string>;
    const auto names_of = [](const fs::path& path, const io::ReadOptions& options) {
        const Names read = io::read(path, options).metadata.channels;
        CHECK(io::delivered_metadata(path, io::info(path), options).channels == read);
        return read;
    };
    io::ReadOptions some;
    some.pages = {1, 3};
    CHECK(names_of(file, some) == Names{"b", "c"});
    CHECK(names_of(file, page(1)) == Names{"b"});
    CHECK(names_of(file, {}) == Names{"a", "b", "c"});
    io::ReadOptions one_of_one = page(2);
    one_of_one.keep_page_axis = true;
    CHECK(names_of(file, one_of_one) == Names{"c"});
    some.channel = "b";
    CHECK(names_of(file, some) == Names{"b"});
    CHECK(all_bytes(io::read(file, some)) == page_bytes(three, 1));
    CHECK(all_bytes(io::read(file, some)) == all_bytes(io::read(file, page(1))));
    some.channel = "a";
    CHECK(io_error(file, [&] { io::read(file, some); }).problem.find("has 2 channels: b, c, and none is \"a\"") != std::string::npos);
    // Of several axes of pages one page is of one channel.
    HostArray course = pattern(ArrayDesc::dense(ElementType::u16, {{'t', 2}, {'c', 3}, {'y', 5}, {'x', 7}}));
    course.metadata.channels = three.metadata.channels;
    io::write(folder / "t.ome.tif", course);
    CHECK(names_of(folder / "t.ome.tif", page(4)) == Names{"b"});
    CHECK(names_of(folder / "t.ome.tif", {}) == Names{"a", "b", "c"});
}

TEST_CASE("a page: what the one axis of pages is can be stated of every format") {
    const Folder folder;
    HostArray stack = pattern(ArrayDesc::dense(ElementType::u8, {{'z', 4}, {'y', 3}, {'x', 5}}));
    stack.desc = stack.desc.with_spacing('z', 3).with_spacing('x', 0.5).with_unit("mm");
    io::ReadOptions times, planes;
    times.page_axis = 't';
    planes.page_axis = 'z';
    for (const char* const name : {"a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.h5", "a.zarr", "a.ome.zarr", "a.npy", "a.tif"}) {
        CAPTURE(std::string(name));
        if (!can_write(folder / name, stack.desc)) continue;
        io::write(folder / name, stack);
        for (const ArrayDesc& desc : {io::info(folder / name, times).desc, io::read(folder / name, times).desc}) {
            CHECK(desc.describe() == "u8 4 x 3 x 5 (t, y, x)");
            CHECK(desc.find('t')->spacing == 0);
        }
        CHECK(io::read(folder / name, planes).desc == io::read(folder / name).desc);
        CHECK(same_elements(io::read(folder / name, times), stack));
    }
    CHECK(io::open_slices(folder / "a.nii", times).desc.describe() == "u8 4 x 3 x 5 (t, y, x)");
    io::ReadOptions raw = times;
    raw.raw = io::RawLayout{ElementType::u8, {{'z', 4}, {'y', 3}, {'x', 5}}};
    put(folder / "a.raw", all_bytes(stack));
    CHECK(io::read(folder / "a.raw", raw).desc.describe() == "u8 4 x 3 x 5 (t, y, x)");
    const HostArray course = pattern(ArrayDesc::dense(ElementType::u8, {{'t', 2}, {'z', 3}, {'y', 4}, {'x', 5}}));
    for (const char* const name : {"c.nii", "c.npy", "c.nrrd", "c.h5"}) {
        CAPTURE(std::string(name));
        if (!can_write(folder / name, course.desc)) continue;
        io::write(folder / name, course);
        CHECK(io_error(folder / name, [&] { io::info(folder / name, planes); }).problem.find("page_axis") != std::string::npos);
        CHECK(io_error(folder / name, [&] { io::read(folder / name, planes); }).problem.find("page_axis") != std::string::npos);
    }
    CHECK(io::info(folder / "c.nii", times).desc.describe() == "u8 2 x 3 x 4 x 5 (t, z, y, x)");   // as it says itself
}
