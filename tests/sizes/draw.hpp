// Problems at random, for every algorithm of the registry: its table of parameters says what there is to draw, and its rule for
// shapes what belongs together.
#pragma once

#include "core/algorithm.hpp"
#include "random.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace parallax::tests::sizes {

/// One computation, in words that repeat it.
struct Draw {
    std::string algorithm;
    Json inputs = Json::object();  ///< port -> {"type", "axes", "shape", "range", "seed", "spacing", "unit"}
    Json parameters = Json::object();
    std::vector<std::string> outputs;
    std::string variant;  ///< empty: the engine chooses
    Json policy = Json::object();
    bool replayed = false;  ///< judged is the third run, whose launches the driver replays where it can
    Json before;            ///< what the session runs first, another problem of the same shape; null: nothing

    Json to_json() const;
    static Draw parse(const Json&);
    /// "hologram u8 1536 x 2048 (y, x) {"padding": "mean"}, fused".
    std::string describe() const;
    engine::ArrayDescs shapes() const;
    std::int64_t elements() const;  ///< of the largest input
};

struct Bounds {
    std::int64_t elements = 1 << 18;  ///< of an input
    host::Backend backend = host::Backend::opencl;
    bool peers = false;  ///< others' libraries, too
};

/// A problem that the algorithm takes; none where so many tries gave none.
std::optional<Draw> draw_problem(Random&, const engine::Algorithm&, const Bounds&);
/// The same with arrays of other sizes; none where these do not suit it.
std::optional<Draw> draw_another_size(Random&, const engine::Algorithm&, const Draw&, const Bounds&);
/// Parameters that the algorithm's table admits: of those that have a default about the share `changed` do not keep it. What must
/// be given is given.
Json draw_parameters(Random&, const engine::Algorithm&, const Bounds&, double changed);
/// The array that an input's words describe.
HostArray make_array(const Json& input);

}  // namespace parallax::tests::sizes
