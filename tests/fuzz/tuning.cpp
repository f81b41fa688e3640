// Tuning files: whatever the text, entries or a ConfigError.
#include "core/tuning.hpp"

#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Registry registry = registry_with_peers();
    try {
        Tuning({TuningFile::parse(std::string(reinterpret_cast<const char*>(data), size), "input")}, registry.algorithms());
    } catch (const ConfigError&) {
    }
    return 0;
}
