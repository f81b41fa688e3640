#include "core/judge.hpp"

#include "core/observation.hpp"

namespace parallax::engine {

namespace {

/// Lines travel as a record of such a port; ports of algorithms are plain names.
constexpr const char* ending = ": warnings";

}  // namespace

void judge(Execution& x, const std::string& what, const host::Buffer& buffer, std::size_t bytes,
           std::function<std::vector<std::string>(std::span<const std::byte>)> judge) {
    x.record(what + ending, buffer, bytes,
             [judge = std::move(judge)](std::span<const std::byte> values) { return Json(judge(values)); });
}

void judge(Execution& x, const std::string& what, std::function<std::vector<std::string>()> judge) {
    x.record(what + ending, [judge = std::move(judge)] { return Json(judge()); });
}

std::vector<std::string> take_warnings(Json& records) {
    std::vector<std::string> warnings;
    Json rest = Json::object();
    for (const auto& [port, record] : records.items()) {
        if (!port.ends_with(ending)) {
            rest[port] = record;
            continue;
        }
        for (const Json& line : record) warnings.push_back(line.get<std::string>());
    }
    records = std::move(rest);
    return warnings;
}

std::vector<std::string> take_words(Json& records, const Parameters& parameters) {
    std::vector<std::string> all = in_words(take_observation(records));
    for (std::string& words : take_warnings(records)) all.push_back(std::move(words));
    for (std::string& words : all) words = parameters.in_written_keys(std::move(words));
    return all;
}

}  // namespace parallax::engine
