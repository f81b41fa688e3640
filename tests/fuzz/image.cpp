// Image, volume and array files: whatever the bytes, an array or an IoError, at a cost that the file's length bounds.
#include "io/io.hpp"
#include "parallax/host/error.hpp"

#include <filesystem>
#include <fstream>
#include <string>

using namespace parallax;

namespace {

/// A file of this process that is written anew for each input.
class InputFile {
public:
    InputFile()
        : path_(std::filesystem::temp_directory_path() /
                ("parallax-fuzz-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "-" + io_name())) {}
    ~InputFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    const std::filesystem::path& write(const std::uint8_t* data, std::size_t size) const {
        std::ofstream(path_, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
        return path_;
    }

private:
    static std::string io_name() {
        return std::to_string(std::filesystem::file_time_type::clock::now().time_since_epoch().count());
    }
    std::filesystem::path path_;
};

template <class Work> void only_io_errors(Work&& work) {
    try {
        work();
    } catch (const IoError&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const InputFile file;
    const std::filesystem::path& path = file.write(data, size);
    io::ReadOptions options;
    options.limit_bytes = 16u << 20;
    only_io_errors([&] { io::info(path, options); });
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
