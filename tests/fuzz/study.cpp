// Study files: whatever the text, a study or a ConfigError.
#include "study/study.hpp"

#include "job/load.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

using namespace parallax;
using namespace parallax::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Registry registry = registry_with_peers();
    try {
        compare::parse_study(parse_json(std::string(reinterpret_cast<const char*>(data), size), "input"), registry.algorithms(),
                             size % 2 == 0);
    } catch (const ConfigError&) {
    }
    return 0;
}
