#include "io/file.hpp"
#include "io/io.hpp"

namespace parallax::io {

void write_text(const std::filesystem::path& path, const std::string& text, bool overwrite) {
    write_atomically(path, overwrite, [&](const std::filesystem::path& temporary) {
        File file = File::create(temporary);
        file.write(text.data(), text.size());
        file.close();
    });
}

void write_json(const std::filesystem::path& path, const Json& json, bool overwrite) {
    // Bytes that are no UTF-8 (from a file's name) become U+FFFD rather than the loss of a report.
    write_text(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n', overwrite);
}

}  // namespace parallax::io
