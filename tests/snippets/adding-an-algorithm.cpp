// What docs/adding-an-algorithm.md shows: its algorithm is made of the page's own blocks and run on every device.
#include "algorithms/elementwise/elementwise.hpp"
#include "cases/inputs.hpp"
#include "core/chunking.hpp"
#include "core/make_variant.hpp"
#include "core/session.hpp"
#include "parallax/host/enumerate.hpp"
#include "parallax/host/json.hpp"
#include "problems/problems.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

#include "adding-an-algorithm/count.inc"
static_assert(snippets == 1, "a block of docs/adding-an-algorithm.md that stands nowhere here");

#include "adding-an-algorithm/1.inc"

using namespace parallax;
using namespace parallax::engine;
namespace fs = std::filesystem;

namespace {

std::string text_of(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// The first block of a language.
std::string block(const std::string& page, const std::string& language) {
    const std::size_t start = page.find("```" + language + "\n");
    if (start == std::string::npos) throw std::runtime_error("the page has no block of " + language);
    const std::size_t first = page.find('\n', start) + 1;
    return page.substr(first, page.find("\n```", first) - first + 1);
}

/// The image that a variant makes.
HostArray made(Engine& engine, const char* variant, const HostArray& image, const Json& parameters) {
    Session session(engine);
    Call call;
    call.algorithm = &engine.registry().get("invert");
    call.parameters = call.algorithm->parameters.parse(parameters, "");
    call.variant = variant;
    call.inputs["image"] = session.upload(image);
    return session.download(session.run(call).outputs.at("image"));
}

bool same(const HostArray& a, const HostArray& b) {
    return a.desc.count() == b.desc.count() &&
           std::memcmp(a.as<std::uint8_t>(), b.as<std::uint8_t>(), static_cast<std::size_t>(a.desc.count())) == 0;
}

/// The page's rows of "selftest": each type, shape and parameters, on this device against the reference.
int tried(const host::Device& device, const Json& problems) {
    const Registry registry({make_invert()});
    Engine native(*host::enumerate().native(), registry), engine(device, registry);
    const char* const variant = device.info().backend == host::Backend::native ? "reference" : "device";
    int count = 0;
    for (const Json& row : problems.at("selftest"))
        for (const auto& shape : row.at("shapes").get<std::vector<std::vector<std::int64_t>>>())
            for (const Json& parameters : row.at("parameters")) {
                Session session(native);
                const Json rule = problems::input_rule(row.at("inputs").at("image"), "u8", shape);
                const HostArray image = compare::make_input("image", rule, session, {}, {});
                const HostArray expected = made(native, "reference", image, parameters),
                                found = made(engine, variant, image, parameters);
                if (!same(expected, found)) throw std::runtime_error("invert differs on " + device.info().name);
                if (expected.as<std::uint8_t>()[0] !=
                    std::max(0, parameters.at("white").get<int>() - image.as<std::uint8_t>()[0]))
                    throw std::runtime_error("the reference is wrong");
                ++count;
            }
    return count;
}

}  // namespace

int main() try {
    const char* const source = std::getenv("PARALLAX_SOURCE");
    if (source == nullptr) throw std::runtime_error("PARALLAX_SOURCE names the sources");
    const std::string page = text_of(fs::path(source) / "docs/adding-an-algorithm.md");
    const fs::path kernels = fs::temp_directory_path() / ("parallax-adding-" + std::to_string(std::random_device()()));
    fs::copy(fs::path(source) / "kernels_cl", kernels, fs::copy_options::recursive);
    fs::create_directory(kernels / "invert");
    std::ofstream(kernels / "invert/invert.cl") << block(page, "c");
    setenv("PARALLAX_KERNEL_DIR", kernels.c_str(), 1);
    int count = 0;
    for (const auto& device : host::enumerate().devices) count += tried(*device, Json::parse(block(page, "json")));
    fs::remove_all(kernels);
    std::printf("%d problems of the page's algorithm are right\n", count);
    return count >= 6 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
