// What the tests of files share: a folder that goes away, files written byte by byte, arrays with known elements.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "io/bytes.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"

namespace parallax::tests {

namespace fs = std::filesystem;

/// A new folder in the system's place for such, with a name that is not plain ASCII.
class Folder {
public:
    Folder() {
        std::random_device random;
        path_ = fs::temp_directory_path() /
                fs::path(u8"parallax_io_\u00b5m_" + std::u8string(1, static_cast<char8_t>('a' + random() % 26)));
        path_ += std::to_string(random());
        fs::create_directory(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    ~Folder() {
        std::error_code code;
        fs::remove_all(path_, code);
    }
    fs::path operator/(const fs::path& name) const { return path_ / name; }
    const fs::path& path() const { return path_; }
    /// Files and folders inside, at any depth.
    std::size_t entries() const {
        return static_cast<std::size_t>(
            std::distance(fs::recursive_directory_iterator(path_), fs::recursive_directory_iterator()));
    }

private:
    fs::path path_;
};

inline void put(const fs::path& path, const std::string& bytes) {
    fs::remove(path);  // some file systems write a file that is emptied and filled again to the disk at once
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    REQUIRE(out.good());
}

inline std::string get(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    REQUIRE(in.good());
    return {std::istreambuf_iterator<char>(in), {}};
}

/// An array whose elements are a repeatable mixture of all bit patterns that are numbers.
inline HostArray pattern(const ArrayDesc& desc) {
    HostArray array = HostArray::make(desc);
    std::mt19937_64 random(static_cast<std::uint64_t>(desc.count()));
    const std::size_t bytes = array.desc.dense_bytes();
    for (std::size_t i = 0; i < bytes; ++i) array.data()[i] = static_cast<std::byte>(random() >> 13);
    const auto fill = [&]<class T>(T) {
        for (std::size_t i = 0; i < bytes / sizeof(T); ++i)
            reinterpret_cast<T*>(array.data())[i] = static_cast<T>(static_cast<double>(random() % 2000001) / 1000.0 - 1000.0);
    };
    if (desc.type == ElementType::boolean)
        std::transform(array.data(), array.data() + bytes, array.data(), [](std::byte b) { return b & std::byte{1}; });
    if (desc.type == ElementType::f32 || desc.type == ElementType::c64) fill(float{});
    if (desc.type == ElementType::f64 || desc.type == ElementType::c128) fill(double{});
    return array;
}

template <class T>
HostArray array_of(const ArrayDesc& desc, const std::vector<T>& values) {
    HostArray array = HostArray::make(desc);
    REQUIRE(static_cast<std::size_t>(desc.count()) == values.size());
    std::copy(values.begin(), values.end(), array.as<T>());
    return array;
}

template <class T>
std::vector<T> values_of(const HostArray& array) {
    REQUIRE(array.desc.is_dense());
    REQUIRE(bytes_of(array.desc.type) == sizeof(T));
    return {array.as<T>(), array.as<T>() + array.desc.count()};
}

/// All that is told of a file, a line each.
inline std::string told_of(const io::FileInfo& info) {
    std::string all;
    for (const io::Warning& warning : info.warnings) all += (all.empty() ? "" : "\n") + warning.text;
    return all;
}

inline bool same_elements(const HostArray& a, const HostArray& b) {
    const HostArray x = a.to_dense(), y = b.to_dense();
    return x.desc.type == y.desc.type && x.desc.count() == y.desc.count() &&
           std::memcmp(x.data(), y.data(), x.desc.dense_bytes()) == 0;
}

/// The IoError that `work` must throw; it names the file.
template <class Work>
IoError io_error(const fs::path& path, const Work& work) {
    try {
        work();
    } catch (const IoError& error) {
        const std::u8string name = path.u8string();
        CHECK(error.path == std::string(name.begin(), name.end()));
        CHECK_FALSE(error.problem.empty());
        return error;
    }
    FAIL("no IoError for " << path.filename().string());
    throw std::logic_error("not reached");
}

/// A file of the real data, or an empty path with a message when it is not there.
inline fs::path real_data(const char* name) {
    const char* folder = std::getenv("PARALLAX_TEST_DATA");
    const fs::path path = fs::path(folder && *folder ? folder : "../shared/data") / name;
    if (fs::exists(path)) return path;
    MESSAGE("skipped, not there: " << path.string());
    return {};
}

/// One directory of a TIFF file made by hand.
struct TiffEntry {
    std::uint16_t tag;
    std::uint16_t type;  ///< 2 text, 3 short, 4 long, 5 rational (pairs), 16 long8
    std::vector<std::uint64_t> values;
};

/// A TIFF of the given directories behind `data`, which begins at byte 8 (16 in BigTIFF).
inline std::string make_tiff(const std::vector<std::vector<TiffEntry>>& directories, const std::string& data,
                             bool big_endian = false, bool big_tiff = false) {
    Bytes out{{}, big_endian};
    const auto append = [&](std::uint16_t type, std::uint64_t value) {
        if (type == 2) out.add(static_cast<std::uint8_t>(value));
        if (type == 3) out.add(static_cast<std::uint16_t>(value));
        if (type == 4 || type == 5) out.add(static_cast<std::uint32_t>(value));
        if (type == 16) out.add(value);
    };
    const auto offset = [&](std::uint64_t value) { big_tiff ? out.add(value) : out.add(static_cast<std::uint32_t>(value)); };
    const auto bytes_in = [](const TiffEntry& e) {
        return e.values.size() * (e.type == 2 ? 1 : e.type == 3 ? 2 : e.type == 16 ? 8 : 4);
    };
    out.add_text(big_endian ? "MM" : "II").add<std::uint16_t>(big_tiff ? 43 : 42);
    if (big_tiff) out.add<std::uint16_t>(8).add<std::uint16_t>(0);
    const std::size_t head = big_tiff ? 16 : 8, inside = big_tiff ? 8 : 4, entry_bytes = big_tiff ? 20 : 12;
    std::size_t at = head + data.size() + data.size() % 2;
    offset(at);
    out.add_text(data).pad_to(at);
    for (std::size_t d = 0; d < directories.size(); ++d) {
        const auto& entries = directories[d];
        std::size_t extra = at + (big_tiff ? 16 : 6) + entries.size() * entry_bytes;
        big_tiff ? out.add<std::uint64_t>(entries.size()) : out.add(static_cast<std::uint16_t>(entries.size()));
        for (const TiffEntry& e : entries) {
            const std::uint64_t count = e.type == 5 ? e.values.size() / 2 : e.values.size();
            out.add(e.tag).add(e.type);
            big_tiff ? out.add(count) : out.add(static_cast<std::uint32_t>(count));
            const std::size_t end = out.text.size() + inside;
            if (bytes_in(e) <= inside) {
                for (const std::uint64_t v : e.values) append(e.type, v);
                out.pad_to(end);
            } else {
                offset(extra);
                extra += bytes_in(e) + bytes_in(e) % 2;
            }
        }
        at = extra;
        offset(d + 1 < directories.size() ? at : 0);
        for (const TiffEntry& e : entries) {
            if (bytes_in(e) <= inside) continue;
            for (const std::uint64_t v : e.values) append(e.type, v);
            if (out.text.size() % 2) out.text += '\0';
        }
    }
    return out.text;
}

/// The entries that every picture needs: one strip from byte `offset` on.
inline std::vector<TiffEntry> tiff_picture(std::uint64_t width, std::uint64_t height, std::uint64_t bits,
                                           std::uint64_t photometric, std::uint64_t offset, std::uint64_t bytes,
                                           std::vector<TiffEntry> more = {}) {
    std::vector<TiffEntry> entries = {{256, 4, {width}}, {257, 4, {height}},      {258, 3, {bits}},
                                      {259, 3, {1}},     {262, 3, {photometric}}, {273, 4, {offset}},
                                      {277, 3, {1}},     {278, 4, {height}},      {279, 4, {bytes}}};
    for (TiffEntry& e : more) {
        const auto same = std::find_if(entries.begin(), entries.end(), [&](const TiffEntry& old) { return old.tag == e.tag; });
        if (same != entries.end())
            *same = e;
        else
            entries.push_back(e);
    }
    std::sort(entries.begin(), entries.end(), [](const TiffEntry& a, const TiffEntry& b) { return a.tag < b.tag; });
    return entries;
}

inline TiffEntry tiff_text(std::uint16_t tag, std::string_view text) {
    TiffEntry entry{tag, 2, {}};
    for (const char c : text) entry.values.push_back(static_cast<unsigned char>(c));
    entry.values.push_back(0);
    return entry;
}

/// A NIfTI-1 header of 352 bytes in either byte order.
struct NiftiFixture {
    std::vector<std::int16_t> dim;
    std::int16_t datatype = 4;
    std::vector<float> pixdim = {1, 1, 1, 1, 1, 1, 1, 1};
    float slope = 0, inter = 0;
    std::uint8_t units = 2;
    std::int16_t qform = 0, sform = 0;
    std::vector<float> quaternion = {0, 0, 0, 0, 0, 0};  ///< b, c, d, then the offset
    std::vector<float> srow = std::vector<float>(12);
    bool big = false;

    std::string header() const {
        Bytes b{{}, big};
        b.add<std::int32_t>(348).pad_to(40);
        for (std::size_t i = 0; i < 8; ++i) b.add<std::int16_t>(i < dim.size() ? dim[i] : std::int16_t{1});
        b.pad_to(70).add(datatype).add<std::int16_t>(0).pad_to(76);
        for (const float v : pixdim) b.add(v);
        b.add(352.0f).add(slope).add(inter).pad_to(123).add(units).pad_to(252).add(qform).add(sform);
        for (const float v : quaternion) b.add(v);
        for (const float v : srow) b.add(v);
        return b.pad_to(344).add_text("n+1").pad_to(352).text;
    }
};

/// 16 x 8 pixels in colour, red rising to the right, green downwards; made with PIL.
inline std::string small_jpeg() {
    const std::string_view hex =
        "ffd8ffe000104a46494600010100000100010000ffdb0043000503040404030504040405050506070c08070707070f0b0b090c110f1212110f111113"
        "161c1713141a1511111821181a1d1d1f1f1f13172224221e241c1e1f1effdb0043010505050706070e08080e1e1411141e1e1e1e1e1e1e1e1e1e1e1e"
        "1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1effc00011080008001003011100021101031101ffc400"
        "14000100000000000000000000000000000006ffc4001910000105000000000000000000000000000005072431a1ffc4001501010100000000000000"
        "000000000000000706ffc400191100020301000000000000000000000000000605213122ffda000c03010002110311003f003092d7d47c1a671936c8"
        "95f6ece85c92d7d47c07671936c715f6ece8ffd9";
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

/// An 8-bit BMP with a palette of greys, rows from the bottom up and padded to four bytes: 3 x 2.
inline std::string small_bmp() {
    Bytes b;
    b.add_text("BM").add<std::uint32_t>(54 + 1024 + 8).add<std::uint32_t>(0).add<std::uint32_t>(54 + 1024);
    b.add<std::uint32_t>(40)
        .add<std::int32_t>(3)
        .add<std::int32_t>(2)
        .add<std::uint16_t>(1)
        .add<std::uint16_t>(8)
        .add<std::uint32_t>(0)
        .pad_to(54);
    for (int i = 0; i < 256; ++i) b.add(static_cast<std::uint32_t>(i) * 0x010101u);
    return b.add_text("\x04\x05\x06").add<std::uint8_t>(0).add_text("\x01\x02\x03").add<std::uint8_t>(0).text;
}

/// A NumPy file of version `major` with the given dictionary.
inline std::string make_npy(const std::string& dictionary, const std::string& elements, int major = 1) {
    std::string text = dictionary;
    text.resize((12 + text.size()) / 64 * 64 + 64 - (major == 1 ? 10 : 12) - 1, ' ');
    text += '\n';
    Bytes b;
    b.add_text("\x93NUMPY").add(static_cast<std::uint8_t>(major)).add<std::uint8_t>(0);
    major == 1 ? b.add(static_cast<std::uint16_t>(text.size())) : b.add(static_cast<std::uint32_t>(text.size()));
    return b.add_text(text).add_text(elements).text;
}

}  // namespace parallax::tests
