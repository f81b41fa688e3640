// Archives of NumPy: one array of several, checksums, and lists of contents that do not fit.
#include <zlib.h>
#include <fmt/format.h>

#include "io/volumes_by_hand.hpp"

using namespace parallax;
using namespace parallax::tests;

namespace {

struct ZipEntry {
    std::string name, bytes;
    bool packed = false;
    std::uint32_t flaw = 0;   ///< of the checksum
};

std::string zip(const std::vector<ZipEntry>& entries) {
    Bytes out, list;
    for (const ZipEntry& e : entries) {
        const std::string stored = e.packed ? deflated(e.bytes, -15) : e.bytes;
        const auto at = static_cast<std::uint32_t>(out.text.size());
        const auto common = [&](Bytes& b) {
            const uLong sum = crc32_z(0, reinterpret_cast<const Bytef*>(e.bytes.data()), e.bytes.size());
            b.add<std::uint16_t>(e.packed ? 8 : 0).add<std::uint32_t>(0).add(static_cast<std::uint32_t>(sum) ^ e.flaw);
            b.add(static_cast<std::uint32_t>(stored.size())).add(static_cast<std::uint32_t>(e.bytes.size()));
            b.add(static_cast<std::uint16_t>(e.name.size())).add<std::uint16_t>(0);
        };
        out.add<std::uint32_t>(0x04034b50).add<std::uint16_t>(20).add<std::uint16_t>(0);
        common(out);
        out.add_text(e.name).add_text(stored);
        list.add<std::uint32_t>(0x02014b50).add<std::uint16_t>(20).add<std::uint16_t>(20).add<std::uint16_t>(0);
        common(list);
        list.add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint16_t>(0).add<std::uint32_t>(0).add(at).add_text(e.name);
    }
    const auto at = static_cast<std::uint32_t>(out.text.size());
    out.add_text(list.text).add<std::uint32_t>(0x06054b50).add<std::uint32_t>(0);
    out.add(static_cast<std::uint16_t>(entries.size())).add(static_cast<std::uint16_t>(entries.size()));
    out.add(static_cast<std::uint32_t>(list.text.size())).add(at).add<std::uint16_t>(0);
    return out.text;
}

}   // namespace

TEST_CASE("volumes: one array of an NPZ archive") {
    const Folder folder;
    const std::string data = make_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2, 2), }", elements);
    const std::string other = make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc");
    for (const bool packed : {false, true}) {
        put(folder / "one.npz", zip({{"data.npy", data, packed}}));
        CHECK(values_of<std::int16_t>(io::read(folder / "one.npz")) == values);
        put(folder / "two.npz", zip({{"data.npy", data, packed}, {"bg.npy", other, packed}}));
        CHECK(io_error(folder / "two.npz", [&] { io::info(folder / "two.npz"); }).problem.find("data, bg") != std::string::npos);
        io::ReadOptions options;
        options.dataset = "bg";
        CHECK(io::read(folder / "two.npz", options).desc.count() == 3);
        options.dataset = "data.npy";
        CHECK(values_of<std::int16_t>(io::read(folder / "two.npz", options)) == values);
    }
}

TEST_CASE("volumes: the checksum of an NPZ archive's array is looked at where all of it was read") {
    const Folder folder;
    const fs::path path = folder / "a.npz";
    const auto npy = [](bool fortran) {
        return make_npy(fmt::format("{{'descr': '<i2', 'fortran_order': {}, 'shape': (2, 2, 2), }}", fortran ? "True" : "False"),
                        elements);
    };
    const auto problem = [&](const auto& work) { return io_error(path, work).problem; };
    constexpr const char* words = "its array \"data\" is damaged: its checksum (CRC-32) is";
    for (const bool packed : {false, true}) {
        CAPTURE(packed);
        for (const bool fortran : {false, true}) {
            put(path, zip({{"data.npy", npy(fortran), packed, 1}}));
            CHECK(io::info(path).desc.count() == 8);
            CHECK(problem([&] { io::read(path); }).starts_with(words));
        }
        put(path, zip({{"data.npy", npy(false), packed, 1}}));
        std::vector<std::int16_t> slice(4);
        auto* const to = reinterpret_cast<std::byte*>(slice.data());
        io::SliceStream stream = io::open_slices(path);
        stream.next(1, to);
        CHECK(problem([&] { stream.next(1, to); }).starts_with(words));
        // A part of it: what is packed has been unpacked up to there all the same, and what is not was passed over.
        stream = io::open_slices(path);
        stream.skip(1);
        if (packed) CHECK(problem([&] { stream.next(1, to); }).starts_with(words));
        else stream.next(1, to);
        io::ReadOptions options;
        options.pages = std::pair<std::int64_t, std::int64_t>{1, 2};
        CHECK(io::read(path, options).desc.count() == 4);
    }
    // What is behind the elements counts; and bytes that are others by now.
    put(path, zip({{"data.npy", npy(false) + "more"}}));
    CHECK(values_of<std::int16_t>(io::read(path)) == values);
    std::string bytes = zip({{"data.npy", npy(false)}});
    bytes[bytes.find(elements)] ^= 0x55;
    put(path, bytes);
    CHECK(problem([&] { io::read(path); }).starts_with(words));
}

TEST_CASE("volumes: of two arrays of one name in an NPZ archive none is taken") {
    const Folder folder;
    const std::string data = make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc");
    put(folder / "a.npz", zip({{"data.npy", data}, {"bg.npy", data}, {"data.npy", data}}));
    io::ReadOptions options;
    options.dataset = "data";
    CHECK(io_error(folder / "a.npz", [&] { io::read(folder / "a.npz", options); }).problem ==
          "has several arrays \"data\", of which programs take one or another");
    options.dataset = "bg";
    CHECK(io::read(folder / "a.npz", options).desc.count() == 3);
}

TEST_CASE("volumes: the list of an NPZ archive is as long as its end says, and ends there") {
    const Folder folder;
    const fs::path path = folder / "a.npz";
    const std::string data = make_npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }", "abc");
    const std::string whole = zip({{"one.npy", data}, {"two.npy", data}});
    const std::size_t end = whole.size() - 22, first = whole.find("PK\x01\x02"), second = whole.find("PK\x01\x02", first + 1);
    const auto with = [&](std::size_t at, char byte) {
        std::string bytes = whole;
        bytes[at] = byte;
        return bytes;
    };
    // The record of ZIP64 with the list's own numbers, and the one that says where it is.
    const auto wide = [&](std::uint64_t entries) {
        Bytes more{whole.substr(0, end)};
        more.add<std::uint32_t>(0x06064b50).add<std::uint64_t>(44).add<std::uint32_t>(0x002d002d).add<std::uint64_t>(0);
        more.add(entries).add(entries).add<std::uint64_t>(end - first).add<std::uint64_t>(first);
        more.add<std::uint32_t>(0x07064b50).add<std::uint32_t>(0).add<std::uint64_t>(end).add<std::uint32_t>(1);
        return more.add_text(whole.substr(end)).text;
    };
    io::ReadOptions options;
    options.dataset = "two";
    for (const std::string& bytes : {whole, wide(2)}) {
        put(path, bytes);
        CHECK(io::read(path, options).desc.count() == 3);
    }
    const auto length = static_cast<char>(second - first);
    const std::pair<std::string, const char*> rows[] = {
        {with(second, 'X'), "says that it has 2 entries, and its list is damaged behind 1"},
        {with(end + 12, length), "says that its list of entries has "},
        {with(end + 16, static_cast<char>(first + 1)), "says that its list of entries has "},
        {with(end + 10, 1), "says that it has 1 entries, and its list goes on behind them"},
        {with(end + 10, 3), "says that it has 3 entries, and its list is damaged behind 2"},
        {wide(1), "says that it has 1 entries, and its list goes on behind them"},
    };
    for (const auto& [bytes, words] : rows) {
        CAPTURE(words);
        put(path, bytes);
        CHECK(io_error(path, [&] { io::info(path); }).problem.starts_with(words));
    }
}

TEST_CASE("volumes: a single number of NPZ is read") {
    const Folder folder;
    const std::string npy = make_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (), }", elements.substr(0, 2));
    put(folder / "a.npz", zip({{"a.npy", npy}}));
    const HostArray one = io::read(folder / "a.npz");
    CHECK(one.desc.axes.empty());
    CHECK(values_of<std::int16_t>(one) == std::vector<std::int16_t>{1});
}
