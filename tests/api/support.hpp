// What tests of the public interface share. They see what a host application sees: its headers and the shared library.
#pragma once

#include <parallax/parallax.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace parallax::tests {

/// Specifications of all devices, narrowed by PARALLAX_TEST_DEVICES (parts of names or backends, separated by commas).
inline std::vector<std::string> specs() {
    const char* const chosen = std::getenv("PARALLAX_TEST_DEVICES");
    const std::string wanted = chosen != nullptr ? chosen : "";
    std::vector<std::string> list;
    for (const DeviceInfo& info : devices().devices) {
        bool admitted = wanted.empty();
        for (std::size_t start = 0; start < wanted.size();) {
            const std::size_t end = std::min(wanted.find(',', start), wanted.size());
            const std::string part = wanted.substr(start, end - start);
            if (!part.empty())
                admitted = admitted || info.name.find(part) != std::string::npos ||
                           info.platform.find(part) != std::string::npos || part == host::to_string(info.backend);
            start = end + 1;
        }
        if (admitted) list.push_back(std::to_string(info.index));
    }
    REQUIRE_MESSAGE(!list.empty(), "no device to test on");
    return list;
}

inline std::vector<std::uint8_t> ramp(std::size_t count) {
    std::vector<std::uint8_t> values(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i % 251);
    return values;
}

class Folder {
public:
    Folder()
        : path_(std::filesystem::temp_directory_path() /
                ("parallax-api-" + std::to_string(std::chrono::steady_clock::now().time_since_epoch().count()))) {
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string operator/(const char* name) const { return (path_ / name).string(); }
    std::string text() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

template <class T>
std::vector<T> values(Session& session, const Array& array) {
    const HostArray host = session.download(array);
    return {host.as<T>(), host.as<T>() + host.desc.count()};
}

}  // namespace parallax::tests
