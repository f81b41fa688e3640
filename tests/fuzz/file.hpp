// A folder of this process, and files in it that are written anew for each input.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

namespace parallax::fuzz {

class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("parallax-fuzz-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + "-" +
                 std::to_string(std::filesystem::file_time_type::clock::now().time_since_epoch().count()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::filesystem::path& path() const { return path_; }
    void write(const std::string& name, const std::uint8_t* data, std::size_t size) const {
        std::error_code ignored;
        std::filesystem::remove(path_ / name,
                                ignored);   // some file systems write a file that is emptied and filled again at once
        std::ofstream(path_ / name, std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    }

private:
    std::filesystem::path path_;
};

}   // namespace parallax::fuzz
