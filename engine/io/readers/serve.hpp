// What a reader of a heavy format is made of: a program of its own, which the engine starts and talks to in lines
// (io/reader_file.cpp). What its library does with a damaged file, ending the process included, harms nobody else.
//
//   struct MyFile { MyFile(const std::string& path, const Json& request); Json description(); void read(first, count, to); };
//   int main() { return parallax::io::readers::serve<MyFile>(); }
#pragma once

#include "support/sanitizers.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>
#if defined(__linux__)
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <thread>
#endif

namespace parallax::io::readers {

using Json = nlohmann::json;

/// What is wrong with a file, continuing the sentence "FILE ...", and what to try.
struct Problem {
    std::string problem, hint;
};

inline bool put(int output, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(output, bytes, count);
        if (written <= 0) return false;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

/// Runs one request; what it throws becomes its answer.
template <class Work>
Json answer(const Work& work) {
    try {
        return {{"ok", work()}};
    } catch (const Problem& problem) {
        return {{"problem", problem.problem}, {"hint", problem.hint}};
    } catch (const std::bad_alloc&) {
        return {{"problem", "cannot be read in the memory that a file of its length may take"},
                {"hint", "the file is damaged, or its chunks are very large: write it again"}};
    } catch (const Json::exception& error) {   // its words without the library's own number
        const std::string words = error.what();
        const std::size_t number = words.find("] ");
        return {{"problem", "describes itself otherwise than it should: " + words.substr(number == words.npos ? 0 : number + 2)},
                {"hint", "the file may be damaged: write or copy it again"}};
    } catch (const std::exception& error) {
        return {{"problem", std::string("cannot be read: ") + error.what()},
                {"hint", "the file may be damaged: write or copy it again"}};
    }
}

/// What a reader may take beside what its program has at its start and eight times the file.
struct Room {
    std::uint64_t at_any_rate = 1 << 30;
    std::uint64_t for_an_element_byte = 4;   ///< of those that it is to read
    bool keeps_all = false;                  ///< of all pages, whichever it reads
};

/// Of addresses, at this moment; 0 where the system does not say.
inline std::uint64_t addresses() {
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// No more memory than this: a file's header may ask for any. A sanitizer's own addresses are terabytes, and without a limit it
/// finds what it looks for.
inline void allow([[maybe_unused]] std::uint64_t bytes) {
#if !PARALLAX_ADDRESS_SANITIZER && !PARALLAX_THREAD_SANITIZER
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0) return;
    limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
    setrlimit(RLIMIT_AS, &limit);
#endif
}

/// Of a format that is not written.
struct NoWriter {
    static void write(const Json&, std::istream&) { throw Problem{"is of a format that is only read", ""}; }
};

/// Ends this process with the one that started it, however that ends and whatever is being read. (The system's own signal at a
/// parent's death comes with the end of the thread that started it.)
inline void follow_parent() {
#if defined(__linux__)
    try {
        std::thread([parent = getppid()] {
            pollfd input{0, 0, 0};   // that the other end is closed is told without being asked for
            while (poll(&input, 1, -1) < 0) {
            }
            while (getppid() == parent) std::this_thread::sleep_for(std::chrono::milliseconds(100));   // it may close its end first
            _exit(1);
        }).detach();
    } catch (const std::system_error&) {   // no more threads: then it ends with the next request that does not come
    }
#endif
}

/// A descriptor of the caller's by one of this process's, which stays open to its end: the caller's own may be closed, or another
/// file's, when it asks for more of this one.
inline std::string held_open(const std::string& path) {
#if defined(__linux__)
    if (!path.starts_with("/proc/")) return path;
    struct stat state {};
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return path;   // the reader says why
    if (fstat(file, &state) == 0 && S_ISREG(state.st_mode)) return "/proc/self/fd/" + std::to_string(file);
    close(file);   // a folder's files are told to the caller, by a path that leads there
#endif
    return path;
}

/// Requests and answers, a line each: {"open": PATH, ...}, then {"read": [FIRST, COUNT], "bytes": N}, whose answer is followed by
/// N bytes; {"write": PATH, "bytes": N, ...} is followed by N bytes itself. Ends with its input.
template <class File, class Writer = NoWriter>
int serve(const Room& room = {}) {
    follow_parent();
    const int output = dup(1);   // what libraries print goes elsewhere
    dup2(2, 1);
    const std::uint64_t begun_with = addresses();
    std::uint64_t most = begun_with + room.at_any_rate;
    std::optional<File> file;
    for (std::string line; std::getline(std::cin, line);) {
        const Json request = Json::parse(line);
        std::vector<char> elements;
        const Json said = answer([&]() -> Json {
            if (request.contains("write")) {
                Writer::write(request, std::cin);
                return nullptr;
            }
            if (request.contains("open")) {
                const auto length = request.at("bytes").get<std::uint64_t>();
                most = begun_with + room.at_any_rate + 8 * length;
                allow(most);
                file.emplace(held_open(request.at("open").get<std::string>()), request);
                return file->description();
            }
            const std::size_t bytes = request.at("bytes").get<std::size_t>();
            allow(most + room.for_an_element_byte * (room.keeps_all ? request.value("of_all", bytes) : bytes));
            elements.resize(bytes);
            file.value().read(request.at("read")[0].get<std::int64_t>(), request.at("read")[1].get<std::int64_t>(),
                              elements.data());
            return bytes;
        });
        const std::string text = said.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
        if (!put(output, text.data(), text.size())) return 1;
        if (request.contains("write")) return 0;   // one file is written by one process
        if (said.contains("ok") && !put(output, elements.data(), elements.size())) return 1;
    }
    return 0;
}

}   // namespace parallax::io::readers
