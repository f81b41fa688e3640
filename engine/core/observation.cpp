#include "core/observation.hpp"

#include <utility>

namespace parallax::engine {

Json observation(std::uint32_t flags, const std::vector<Saying>& sayings) {
    Json say = Json::array();
    for (const Saying& saying : sayings)
        say.push_back({{"where", saying.where}, {"unless", saying.unless}, {"text", saying.text}});
    return {{"flags", flags}, {"say", std::move(say)}};
}

Json take_observation(Json& records) {
    const auto found = records.find(observed);
    if (found == records.end()) return nullptr;
    Json observation = std::move(*found);
    records.erase(observed);
    return observation;
}

void join_observation(Json& all, const Json& part) {
    if (all.is_null()) all = part;
    else if (!part.is_null()) all["flags"] = all["flags"].get<std::uint32_t>() | part["flags"].get<std::uint32_t>();
}

std::vector<std::string> in_words(const Json& observation) {
    std::vector<std::string> words;
    if (observation.is_null()) return words;
    const auto flags = observation["flags"].get<std::uint32_t>();
    for (const Json& saying : observation["say"])
        if ((flags & saying["where"].get<std::uint32_t>()) != 0 && (flags & saying["unless"].get<std::uint32_t>()) == 0)
            words.push_back(saying["text"].get<std::string>());
    return words;
}

}  // namespace parallax::engine
