#include "program/source.hpp"

#include "parallax/host/error.hpp"
#include "support/platform.hpp"
#include "program/embedded.hpp"
#include "support/json_words.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

namespace parallax::host {
namespace {

constexpr int depth_limit = 32;

/// Where a file was asked for; line 0: by the program itself.
struct Place {
    std::string_view file;
    int line = 0;
    std::string describe() const { return line == 0 ? std::string() : fmt::format("included from {}:{}", file, line); }
};

// "a/../b.cl" -> "b.cl"; empty if the path leaves kernels_cl.
std::string normalise(std::string_view name) {
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    const std::string text = path.generic_string();
    if (path.empty() || path.has_root_path() || text == "." || text == ".." || text.starts_with("../")) return {};
    return text;
}

std::string read_file(const std::string& name, const Place& place) {
    if (const auto folder = platform::environment("PARALLAX_KERNEL_DIR")) {
        const std::filesystem::path path = std::filesystem::path(*folder) / name;
        std::error_code problem;
        std::ifstream file;
        if (std::filesystem::is_regular_file(path, problem)) file.open(path, std::ios::binary);
        if (!file.is_open())
            throw IoError(name, fmt::format("no such kernel file in PARALLAX_KERNEL_DIR ({})", *folder),
                          fmt::format("{}{}unset PARALLAX_KERNEL_DIR to use the kernels of the library", place.describe(),
                                      place.line == 0 ? "" : "; "));
        return std::string(std::istreambuf_iterator<char>(file), {});
    }
    const auto& files = embedded_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& file) { return file.name == name; });
    if (found != files.end()) return std::string(found->text);
    std::vector<std::string> names;
    for (const EmbeddedFile& file : files) names.emplace_back(file.name);
    std::string hint = place.describe();
    if (const std::string near = did_you_mean(name, names); !near.empty()) hint += (hint.empty() ? "" : "; ") + near;
    throw IoError(name, "no such kernel file", hint);
}

// Follows block comments from line to line, so that an #include inside one is left alone.
class Comments {
public:
    bool open() const noexcept { return open_; }
    void read(std::string_view line) noexcept {
        bool quoted = false;
        for (std::size_t i = 0; i < line.size(); ++i) {
            const char next = i + 1 < line.size() ? line[i + 1] : '\0';
            if (open_) {
                if (line[i] == '*' && next == '/') { open_ = false; ++i; }
            } else if (quoted) {
                if (line[i] == '\\') ++i;
                else if (line[i] == '"') quoted = false;
            } else if (line[i] == '"') {
                quoted = true;
            } else if (line[i] == '/' && next == '/') {
                return;
            } else if (line[i] == '/' && next == '*') {
                open_ = true;
                ++i;
            }
        }
    }

private:
    bool open_ = false;
};

// The name in `#include "name"`; #include <...> is none of ours.
std::optional<std::string_view> included_name(std::string_view line) {
    const auto skip_blanks = [&] {
        while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    };
    skip_blanks();
    if (!line.starts_with('#')) return std::nullopt;
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return std::nullopt;
    line.remove_prefix(7);
    skip_blanks();
    if (!line.starts_with('"')) return std::nullopt;
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    if (end == std::string_view::npos) return std::nullopt;
    return line.substr(0, end);
}

void append(FlatSource& flat, const std::string& name, const Place& place, int depth) {
    if (depth > depth_limit)
        throw IoError(name, fmt::format("kernel files include each other more than {} deep", depth_limit),
                      fmt::format("{}; does a file include itself?", place.describe()));
    const std::string text = read_file(name, place);
    if (std::find(flat.files.begin(), flat.files.end(), name) == flat.files.end()) flat.files.push_back(name);

    flat.text += fmt::format("#line 1 \"{}\"\n", name);
    Comments comments;
    int number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        ++number;
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line(text.data() + begin, end - begin);
        begin = end + 1;
        if (line.ends_with('\r')) line.remove_suffix(1);
        const auto include = comments.open() ? std::nullopt : included_name(line);
        if (!include) {
            comments.read(line);
            flat.text.append(line).push_back('\n');
            continue;
        }
        const std::string inner = normalise(*include);
        if (inner.empty())
            throw IoError(std::string(*include), "an included path must lie below kernels_cl",
                          fmt::format("included from {}:{}", name, number));
        append(flat, inner, {name, number}, depth + 1);
        flat.text += fmt::format("#line {} \"{}\"\n", number + 1, name);
    }
}

}  // namespace

FlatSource flatten(std::string_view file) {
    const std::string name = normalise(file);
    if (name.empty())
        throw IoError(std::string(file), "a kernel file is named by its path below kernels_cl, such as \"fft/stockham_rows.cl\"");
    FlatSource flat;
    append(flat, name, {}, 1);
    return flat;
}

std::string flatten_source(std::string_view file) { return flatten(file).text; }

std::vector<std::string> kernel_files() {
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_files()) names.emplace_back(file.name);
    return names;
}

}  // namespace parallax::host
