// What a statistic saves: its numbers as they lie in memory.
#pragma once

#include "io/file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace parallax::engine::series {

template <class T>
void write_state(const std::filesystem::path& path, const std::vector<T>& values) {
    io::write_atomically(path, true, [&](const std::filesystem::path& temporary) {
        io::File file = io::File::create(temporary);
        file.write(values.data(), values.size() * sizeof(T));
        file.close();
    });
}

template <class T>
std::vector<T> read_state(const std::filesystem::path& path, std::size_t elements) {
    io::File file = io::File::open(path);
    if (file.size() != elements * sizeof(T))
        throw IoError(file.name(), fmt::format("{} bytes instead of {}", file.size(), elements * sizeof(T)),
                      "remove it, then --resume");
    std::vector<T> values(elements);
    file.read(values.data(), elements * sizeof(T), "the state");
    return values;
}

}  // namespace parallax::engine::series
