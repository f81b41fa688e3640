// Reports of comparisons, others' machines' too: whatever the text, a page or a ConfigError.
#include "report/report.hpp"

#include "job/load.hpp"
#include "parallax/host/error.hpp"

using namespace parallax;
using namespace parallax::engine;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const Json report = parse_json(std::string(reinterpret_cast<const char*>(data), size), "input");
        compare::check_report(report, "input");
        compare::html_of(compare::derive(report));
    } catch (const ConfigError&) {
    }
    return 0;
}
