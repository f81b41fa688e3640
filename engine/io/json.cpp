#include "io/file.hpp"
#include "io/io.hpp"
#include "io/json_text.hpp"

namespace parallax::io {

void write_text(const std::filesystem::path& path, const std::string& text, bool overwrite, bool strict) {
    const auto produce = [&](const std::filesystem::path& part) {
        File file = File::create(part);
        file.write(text.data(), text.size());
        file.close();
    };
    write_atomically(path, overwrite, produce, strict);
}

void write_json(const std::filesystem::path& path, const Json& json, bool overwrite, bool strict) {
    write_text(path, json_text(json), overwrite, strict);
}

}  // namespace parallax::io
