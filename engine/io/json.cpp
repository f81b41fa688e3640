#include "io/file.hpp"
#include "io/io.hpp"

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
    // Bytes that are no UTF-8 (from a file's name) become U+FFFD rather than the loss of a report.
    write_text(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', overwrite, strict);
}

}  // namespace parallax::io
