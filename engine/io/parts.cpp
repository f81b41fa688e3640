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
    Part part;
    part.part.path = source.asked.parent_path() / relative;
    part.opened = source.options.open_part ? source.options.open_part(part.part.path) : host::OpenedFile(part.part.path);
    try {
        part.bytes = size_of_source(part.opened.path());
    } catch (const IoError& error) {
        fail(source, fmt::format("names the file \"{}\" for its elements: {}", shortened(name), error.problem),
             "copy it to beside its header, or write both again");
    }
    part.part.identity = host::identity_of(part.opened.path());
    return part;
}

}   // namespace parallax::io
