// Image, volume and array files: whatever the bytes, an array or an IoError, at a cost that the file's length bounds.
#include "io/io.hpp"
#include "parallax/host/error.hpp"

#include "file.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

using namespace parallax;

namespace {

/// The file, "a", and where it names another, "b": of a TIFF the same bytes once more, else a small TIFF of two pages.
class InputFiles {
public:
    const std::filesystem::path& write(const std::uint8_t* data, std::size_t size) {
        folder_.write("a", data, size);
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        if (text.find("\"b\"") == std::string_view::npos) return path_;
        const bool tiff = size > 1 && data[0] == data[1] && (data[0] == 'I' || data[0] == 'M');
        if (tiff) folder_.write("b", data, size);
        else folder_.write("b", reinterpret_cast<const std::uint8_t*>(two_pages_.data()), two_pages_.size());
        return path_;
    }

private:
    static std::string make_pages() {
        std::string bytes("II*\0\x0a\0\0\0\x01\x02", 10);
        const auto number = [&bytes](std::uint32_t value, int width) {
            for (int i = 0; i < width; ++i) bytes += static_cast<char>(value >> 8 * i);
        };
        constexpr std::uint32_t length = 2 + 8 * 12 + 4;
        for (std::uint32_t page = 0; page < 2; ++page) {
            number(8, 2);
            for (const auto& [tag, value] :
                 {std::pair{256u, 1u}, {257u, 1u}, {258u, 8u}, {259u, 1u}, {262u, 1u}, {273u, 8u + page}, {278u, 1u}, {279u, 1u}})
                number(tag, 2), number(4, 2), number(1, 4), number(value, 4);
            number(page == 0 ? 10 + length : 0, 4);
        }
        return bytes;
    }
    fuzz::Folder folder_;
    std::filesystem::path path_ = folder_.path() / "a";
    const std::string two_pages_ = make_pages();
};

template <class Work> void only_io_errors(Work&& work) {
    try {
        work();
    } catch (const IoError&) {
    }
}

}  // namespace

/// The programs that read others' formats are held to little memory by the system, but beside a sanitizer no such limit holds:
/// libraries ask for the gigabytes that a header names. By this their sanitizer refuses those.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* const had = std::getenv("ASAN_OPTIONS");
    const std::string all = (had == nullptr ? std::string() : std::string(had) + ":") +
                            "max_allocation_size_mb=512:allocator_may_return_null=1";
    return setenv("ASAN_OPTIONS", all.c_str(), 1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static InputFiles files;
    const std::filesystem::path& path = files.write(data, size);
    io::ReadOptions options;
    options.limit_bytes = 16u << 20;
    only_io_errors([&] { io::info(path, options); });
    only_io_errors([&] { io::read(path, options); });
    options.alone = true;
    only_io_errors([&] { io::read(path, options); });
    options.page_axis = 'z';
    options.pages = std::pair<std::int64_t, std::int64_t>{0, 1};
    only_io_errors([&] { io::read(path, options); });
    if (size < 64) return 0;
    options = {};
    constexpr int packed_bits[] = {0, 10, 12};
    options.raw = io::RawLayout{.type = ElementType::u16,
                                .axes = {{'y', data[0]}, {'x', data[1]}},
                                .offset = data[2],
                                .big_endian = (data[3] & 1) != 0,
                                .packed_bits = packed_bits[data[3] / 2 % 3]};
    only_io_errors([&] { io::read(path, options); });
    return 0;
}
