// A format that a program of its own reads (engine/io/readers), in this process: whatever the bytes, elements or a reason, and
// nothing written beside what it has. Built once for each, with PARALLAX_READER, its source, and PARALLAX_READER_FILE, its class.
//
// An input is one file, or, where it begins with "== ", several in a folder: "== NAME LENGTH\n", and LENGTH bytes ("-": all that
// follow).
#define main reader_main
#include PARALLAX_READER
#undef main

#include "file.hpp"

#include <csetjmp>
#include <cstdlib>
#include <new>

#if defined(PARALLAX_FUZZING)
// A sanitizer's own `new` ends the process where it gets no memory. Here, as in the program, that is an error, beyond what a
// reader may take.
void* operator new(std::size_t size) {
    if (void* const p = size < (std::size_t{256} << 20) ? std::malloc(size == 0 ? 1 : size) : nullptr) return p;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

// GDCM asserts what a damaged file need not keep. That ends the reader, of which Parallax tells; here it would end each run in
// seconds, so that it ends the input. An exception does not come through, since nobody expects one of this function.
static sigjmp_buf asserted;
extern "C" [[noreturn, gnu::visibility("default")]] void assert_fails(const char*, const char*, unsigned, const char*)
    __asm__("__assert_fail");
void assert_fails(const char*, const char*, unsigned, const char*) { siglongjmp(asserted, 1); }
#endif

namespace {

using parallax::io::readers::answer;

constexpr std::uint64_t most_bytes = 16 << 20;

/// Puts the input where a reader finds it; returns the path.
std::filesystem::path put(const parallax::fuzz::Folder& folder, std::string_view input) {
    constexpr std::string_view mark = "== ";
    const std::filesystem::path path = folder.path() / "input";
    std::filesystem::remove_all(path);
    const auto write = [](const std::filesystem::path& to, std::string_view bytes) {
        std::ofstream(to, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    };
    if (!input.starts_with(mark)) {
        write(path, input);
        return path;
    }
    std::filesystem::create_directory(path);
    for (int files = 0; input.starts_with(mark) && files < 64; ++files) {
        const std::size_t end = std::min(input.find('\n'), input.size());
        const std::string_view line = input.substr(mark.size(), end < mark.size() ? 0 : end - mark.size());
        input.remove_prefix(std::min(input.size(), end + 1));
        const std::size_t blank = line.rfind(' ');
        const std::string name(line.substr(0, blank));
        const std::string length(blank == line.npos ? "-" : line.substr(blank + 1));
        const std::string_view bytes = input.substr(0, length == "-" ? input.npos : std::strtoull(length.c_str(), nullptr, 10));
        input.remove_prefix(bytes.size());
        const std::filesystem::path relative = std::filesystem::path(name).relative_path();
        const bool inside = !name.empty() && name.size() < 200 && name.find('\0') == name.npos &&
                            std::none_of(relative.begin(), relative.end(), [](const auto& part) { return part == ".."; });
        std::error_code ignored;
        if (inside) std::filesystem::create_directories((path / relative).parent_path(), ignored);
        if (inside) write(path / relative, bytes);
    }
    return path;
}

/// Bytes of an element, by its type's name.
std::uint64_t bytes_of_element(const std::string& type) {
    if (type == "bool" || type == "u8" || type == "i8") return 1;
    if (type == "u16" || type == "i16") return 2;
    if (type == "u32" || type == "i32" || type == "f32") return 4;
    if (type == "u64" || type == "i64" || type == "f64" || type == "c64") return 8;
    if (type == "c128") return 16;
    std::abort();   // a type that the engine does not know
}

using namespace parallax::io::readers;   // whether the reader lies in it or not

/// Opens it and reads all, as the engine asks for it; returns what went wrong.
parallax::io::readers::Json read(const std::filesystem::path& path, std::size_t size, const std::string& dataset) {
    return answer([&]() -> parallax::io::readers::Json {
        const std::string name = path.string();
        PARALLAX_READER_FILE file(name, {{"open", name}, {"dataset", dataset}, {"bytes", size}});
        const parallax::io::readers::Json said = file.description();
        std::uint64_t bytes = bytes_of_element(said.at("type").get<std::string>()), pages = 1;
        const auto page_axes = said.value("page_axes", std::size_t{0});
        for (std::size_t i = 0; i < said.at("axes").size(); ++i) {
            const auto extent = said["axes"][i].at("size").get<std::int64_t>();
            if (extent < 1) std::abort();
            if (static_cast<std::uint64_t>(extent) > most_bytes / bytes) return "too large";
            bytes *= static_cast<std::uint64_t>(extent);
            if (i < page_axes) pages *= static_cast<std::uint64_t>(extent);
        }
        // All pages, then the last of them.
        for (const std::uint64_t first : {std::uint64_t{0}, pages - 1}) {
            std::vector<char> elements(static_cast<std::size_t>((pages - first) * (bytes / pages)));
            file.read(static_cast<std::int64_t>(first), static_cast<std::int64_t>(pages - first), elements.data());
        }
        return bytes;
    });
}

}   // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const parallax::fuzz::Folder folder;
    static const bool must_read = std::getenv("PARALLAX_FUZZ_MUST_READ") != nullptr;
    const std::filesystem::path path = put(folder, {reinterpret_cast<const char*>(data), size});
#if defined(PARALLAX_FUZZING)
    const int free_descriptor = dup(0);
    close(free_descriptor);
    if (sigsetjmp(asserted, 0) != 0) {   // what it has opened stays open otherwise
        for (int i = 0; i < 16; ++i) close(free_descriptor + i);
        return 0;
    }
#endif
    parallax::io::readers::Json said = read(path, size, "");
    // Of a file with several arrays the reason names one.
    constexpr std::string_view asks = "\"dataset\": \"";
    const std::string hint = said.value("hint", "");
    const std::size_t at = hint.find(asks), end = hint.rfind('"');
    if (at != hint.npos && end > at + asks.size())
        said = read(path, size, hint.substr(at + asks.size(), end - at - asks.size()));
    if (must_read && size > 0 && !said.contains("ok")) {   // libFuzzer begins with nothing
        const std::string text = said.dump(-1, ' ', false, parallax::io::readers::Json::error_handler_t::replace);
        std::fprintf(stderr, "not read: %s\n", text.c_str());
        std::abort();
    }
    return 0;
}
