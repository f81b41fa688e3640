#include "io/parts.hpp"

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/text_header.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {

namespace fs = std::filesystem;

Part open_part(const Source& source, std::string_view name) {
    const fs::path relative(std::u8string(name.begin(), name.end()));
    bool leads_up = name.empty() || name.find('\0') != std::string_view::npos || relative.has_root_path();
    for (const fs::path& one : relative) leads_up = leads_up || one == "..";
    if (leads_up) {
        fail(source,
             fmt::format("names the file \"{}\" for its elements, which is not in its own folder or below it", shortened(name)),
             "put the two into one folder, and write the bare name into the header");
    }
    if (!relative.has_filename() || relative.filename() == ".")
        fail(source, fmt::format("names \"{}\" for its elements, which is a folder", shortened(name)),
             "write the name of a file into the header");
    Part part;
    part.part.path = source.asked.parent_path() / relative;
    part.opened = source.options.open_part ? source.options.open_part(part.part.path) : host::OpenedFile(part.part.path);
    try {
        if (part.opened.path().empty()) throw IoError(show(relative), "there is no such file");
        const host::FileIdentity identity = identity_of_source(part.opened.path());
        part.bytes = identity.bytes;
        part.part.identity = identity;
    } catch (const IoError& error) {
        fail(source, fmt::format("names the file \"{}\" for its elements: {}", shortened(name), error.problem),
             "copy it to beside its header, or write both again");
    }
    return part;
}

std::optional<host::OpenedFile> open_if_there(const Source& source, const fs::path& name) {
    const fs::path path = source.asked.parent_path() / name;
    if (source.options.open_part) {
        host::OpenedFile opened = source.options.open_part(path);
        return opened.path().empty() ? std::nullopt : std::optional(std::move(opened));
    }
    std::error_code error;
    if (fs::status(path, error).type() == fs::file_type::not_found) return std::nullopt;
    return host::OpenedFile(path);
}

std::vector<std::string> names_by_pattern(const Source& source, std::string_view pattern) {
    const auto refuse = [&](const char* why) {
        fail(source, fmt::format("names its files by the pattern \"{}\", {}", shortened(pattern), why),
             "write it as \"slice%03d.raw 1 50 1\" (first, last, step), or the names one below the other behind LIST");
    };
    const std::vector<std::string_view> words = words_of(pattern);
    const std::size_t percent = words.empty() ? std::string_view::npos : words[0].find('%');
    if (percent == std::string_view::npos || words.size() < 3 || words.size() > 5) refuse("which is not one that is followed");
    // Of printf()'s words the one that is meant: %d, %4d or %04d, once.
    std::string_view rest = words[0].substr(percent + 1);
    const bool zeros = rest.starts_with('0');
    std::size_t width = 0;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9' && width < 100) {
        width = 10 * width + static_cast<std::size_t>(rest[0] - '0');
        rest.remove_prefix(1);
    }
    if (rest.empty() || (rest[0] != 'd' && rest[0] != 'i' && rest[0] != 'u') || width > 20 ||
        rest.find('%') != std::string_view::npos)
        refuse("which is not one that is followed");
    const std::string_view before = words[0].substr(0, percent), behind = rest.substr(1);
    const auto first = integer_of(words[1]), last = integer_of(words[2]), step = words.size() > 3 ? integer_of(words[3]) : 1;
    constexpr std::int64_t far = std::int64_t{1} << 40;
    if (!first || !last || !step || *step == 0 || *first < 0 || *last < 0 || *first > far || *last > far || *step > far ||
        *step < -far || (*last != *first && (*last > *first) != (*step > 0)))
        refuse("whose first, last and step do not fit together");
    const std::int64_t count = (*last - *first) / *step + 1;
    if (count > static_cast<std::int64_t>(most_parts)) refuse("of more than 4096 names");
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(*first + i * *step);
        const std::string pad(width > number.size() ? width - number.size() : 0, zeros ? '0' : ' ');
        names.push_back(fmt::format("{}{}{}{}", before, pad, number, behind));
    }
    return names;
}

}   // namespace parallax::io
