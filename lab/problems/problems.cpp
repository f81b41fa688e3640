#include "problems/problems.hpp"

#include "problems/embedded_problems.hpp"

#include <map>

namespace parallax::engine::problems {

namespace {

const std::map<std::string, Json>& files() {
    static const auto& all = *new std::map<std::string, Json>([] {
        std::map<std::string, Json> read;
        for (const host::EmbeddedFile& file : embedded_problems()) {
            const std::string name(file.name);
            read[name.substr(0, name.find('/'))] = Json::parse(file.text);
        }
        return read;
    }());
    return all;
}

const Json& member(const std::string& algorithm, const char* key, const Json& otherwise) {
    const auto file = files().find(algorithm);
    if (file == files().end()) return otherwise;
    const auto found = file->second.find(key);
    return found == file->second.end() ? otherwise : *found;
}

/// "real", "signed" or "unsigned".
const char* kind_of(const std::string& type) {
    return type[0] == 'f' || type[0] == 'c' ? "real" : type[0] == 'i' ? "signed" : "unsigned";
}

const auto& usual_random = *new Json{{"make", "random"}, {"range", {{"real", {-2, 2}}}}};
const auto& usual_blocks = *new Json{{"make", "blocks"}, {"range", {0, 255}}};   // edges and speckle

}  // namespace

const std::vector<std::string>& algorithms() {
    static const auto& names = *new std::vector<std::string>([] {
        std::vector<std::string> list;
        for (const auto& [name, file] : files()) list.push_back(name);
        return list;
    }());
    return names;
}

const Json& rows(const std::string& algorithm, const char* section) {
    static const auto& none = *new Json(Json::array());
    return member(algorithm, section, none);
}

const Json& sizes(const std::string& algorithm) {
    static const auto& none = *new Json(Json::object());
    return member(algorithm, "sizes", none);
}

Json input_rule(const Json& written, const std::string& type, const std::vector<std::int64_t>& shape) {
    if (written.is_string()) return input_rule(written == "random" ? usual_random : usual_blocks, type, shape);
    if (!written.contains("make")) {   // made by an algorithm
        Json rule = written;
        for (auto& [key, value] : rule.items())
            if (value == "side") value = shape.front();
        return rule;
    }
    static const char* const axes[] = {"n", "yx", "zyx"};
    Json rule{{"make", written["make"]}, {"type", type}, {"axes", axes[shape.size() - 1]}, {"shape", shape}};
    for (const auto& [key, value] : written.items())
        if (key != "range") rule[key] = value;
    if (!written.contains("range")) return rule;
    const Json& range = written["range"];
    if (range.is_array()) rule["range"] = range;
    else if (const auto own = range.find(kind_of(rule["type"].get<std::string>())); own != range.end()) rule["range"] = *own;
    return rule;
}

compare::Tolerance tolerance_of(const std::string& algorithm, const std::string& variant) {
    static const auto& exact = *new Json(Json::object());
    const Json& written = member(algorithm, "tolerance", exact);
    const auto own = written.contains("variants") ? written["variants"].find(variant) : Json::const_iterator();
    const Json& tolerance = written.contains("variants") && own != written["variants"].end() ? *own : written;
    return {tolerance.value("relative", 0.0), tolerance.value("levels", 0.0)};
}

}  // namespace parallax::engine::problems
