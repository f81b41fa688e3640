#include "timing/clocks.hpp"

#include "timing/nvml.hpp"

namespace parallax::engine::compare {

Json clocks_of(const host::DeviceInfo& info) {
    const auto card = NvmlCard::find(info);
    if (!card) return nullptr;
    Json json = Json::object();
    const auto add = [&](const char* name, const std::optional<double>& value) {
        if (value) json[name] = *value;
    };
    add("sm_mhz", card->sm_mhz());
    add("memory_mhz", card->memory_mhz());
    add("celsius", card->celsius());
    add("watts", card->watts());
    return json;
}

}  // namespace parallax::engine::compare
