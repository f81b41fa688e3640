// Tables as RFC 4180 has them, with line feeds alone.
#include <fmt/format.h>

#include <cmath>

#include "io/file.hpp"
#include "io/io.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io {
namespace {

std::string quoted(const std::string& text) {
    const bool plain =
        text.find_first_of(",\"\r\n") == std::string::npos && (text.empty() || (text.front() != ' ' && text.back() != ' '));
    if (plain) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += '"';
        result += c;
    }
    return result + '"';
}

std::string cell(const Json& value) {
    if (value.is_null()) return {};
    if (value.is_string()) return quoted(value.get_ref<const std::string&>());
    if (value.is_number_float()) {
        // JSON has no words for these; tables do.
        const auto number = value.get<double>();
        if (std::isnan(number)) return "nan";
        if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    }
    return quoted(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void write_csv(const std::filesystem::path& path, const std::vector<std::string>& header,
               const std::vector<std::vector<Json>>& rows, bool overwrite) {
    std::string text;
    for (std::size_t i = 0; i < header.size(); ++i) text += (i ? "," : "") + quoted(header[i]);
    text += '\n';
    for (std::size_t r = 0; r < rows.size(); ++r) {
        if (rows[r].size() != header.size()) {
            throw IoError(show(path), fmt::format("row {} has {} cells, the header {}", r, rows[r].size(), header.size()));
        }
        for (std::size_t i = 0; i < rows[r].size(); ++i) text += (i ? "," : "") + cell(rows[r][i]);
        text += '\n';
    }
    write_text(path, text, overwrite);
}

}  // namespace parallax::io
