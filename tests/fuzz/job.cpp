// Job files: whatever the text, a job or a ConfigError, and a job that is written out is read again as the same.
#include "job/job.hpp"
#include "job/load.hpp"
#include "parallax/host/error.hpp"
#include "peers/peers.hpp"

#include <cstdio>
#include <cstdlib>

using namespace parallax;
using namespace parallax::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Registry registry = registry_with_peers();
    Job job;
    try {
        job = parse_job(parse_json(std::string(reinterpret_cast<const char*>(data), size), "input"), registry.algorithms());
    } catch (const ConfigError&) {
        return 0;
    }
    const Json written = to_json(job);
    if (to_json(parse_job(written, registry.algorithms())) == written) return 0;
    std::fprintf(stderr, "a job that was written out is read differently: %s\n", written.dump().c_str());
    std::abort();
}
