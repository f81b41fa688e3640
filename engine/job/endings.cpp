#include "job/endings.hpp"

#include "io/format.hpp"
#include "job/paths.hpp"

#include <fmt/format.h>

namespace parallax::engine {

void check_format(const OutputSpec& output, const ArrayDesc& desc) {
    const io::WriteOptions& options = output.write;
    const std::filesystem::path name = path_from(output.file).filename();
    try {
        io::check_holds(name, desc, options);
    } catch (const IoError& error) {
        const std::vector<std::string> endings = io::endings_for(desc, options);
        // Where a plain file could hold it, what is in the way stands beside the file.
        const bool by_keys = endings.empty() && !io::endings_for(desc, {}).empty();
        const std::string expected = by_keys           ? "an array that the keys beside \"file\" are for"
                                     : endings.empty() ? "an array that a format can hold"
                                     : endings.size() == 1
                                         ? "a file that ends in " + endings.front()
                                         : fmt::format("a file that ends in one of {}", fmt::join(endings, ", "));
        const bool unknown = error.problem.starts_with("has an extension");
        const std::string near = unknown ? did_you_mean(to_utf8(name.extension()), endings) : std::string();
        throw ConfigError(output.pointer, fmt::format("\"{}\" for {}", output.file, desc.describe()), expected,
                          !near.empty() ? near
                          : unknown     ? "the ending of its name says in which format it is written"
                                        : error.problem);
    }
}

void check_channel_names(const OutputSpec& output, const ArrayDesc& desc, const Metadata& metadata) {
    const std::string problem = io::refusal_of_names(path_from(output.file).filename(), desc, metadata);
    if (!problem.empty())
        throw ConfigError(output.pointer, fmt::format("\"{}\" for {}", output.file, desc.describe()),
                          "a format that holds the names of all channels, such as .zarr", problem);
}

}  // namespace parallax::engine
