// What an algorithm is: named inputs and outputs, a table of parameters, a rule for shapes, and variants.
// Plain data with functions in it; each algorithm's folder makes one by `Algorithm make_<name>()`.
#pragma once

#include "core/parameters.hpp"
#include "core/policy.hpp"
#include "parallax/array.hpp"
#include "parallax/host/context.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parallax::engine {

class Plan;
class PlanBuilder;
namespace distributed { class Part; }

/// Named arrays, in order of their names.
using ArrayDescs = std::map<std::string, ArrayDesc, std::less<>>;

enum class PortKind {
    array,
    record,
    drawing
};   ///< record: JSON made from a few scalars (a focus curve, counts); drawing: a string of SVG
std::string_view to_string(PortKind) noexcept;

struct Port {
    std::string name;
    std::string doc;             ///< shape, type, unit
    bool required = true;        ///< outputs: written when the job names none
    PortKind kind = PortKind::array;
};

/// Everything that decides what is to be computed.
struct Problem {
    ArrayDescs inputs;
    Parameters parameters;
    std::vector<std::string> outputs;    ///< the ports that are wanted
    std::int64_t slab = 0;               ///< the only input comes so many slices of its slowest axis at a time; 0: as a whole
    std::uint64_t slab_workspace = 0;    ///< with slab: bytes a plan keeps to where further passes let it; 0: any number
    int ranks = 1;                       ///< devices that solve it together, each a part
    std::uint64_t memory = 0;            ///< bytes of the device for the job, by its limit or the engine's; 0: all

    bool wants(std::string_view output) const noexcept;
};

struct Support {
    std::string why_not;                 ///< empty: yes
    static Support yes() { return {}; }
    static Support no(std::string reason) { return {std::move(reason)}; }
    explicit operator bool() const noexcept { return why_not.empty(); }
};

enum class Role {
    reference,
    baseline,
    plain,
    best,
    peer
};   ///< baseline: a paper's own technique; peer: another's library, run only where it is asked for by name
std::string_view to_string(Role) noexcept;

struct Variant {
    std::string name = {};                       ///< "fused"
    std::vector<std::string> formerly = {};      ///< names that it had, which jobs, studies and tuning files may still say
    std::string summary = {};                    ///< technique and source, a line
    Role role = Role::plain;
    std::vector<host::Backend> backends = {host::Backend::opencl, host::Backend::cuda};
    PolicyTable policy = {};
    bool slabs = false;                          ///< its plans have enqueue_slab()
    /// A reason, or yes. Asked only on a backend that is listed.
    std::function<Support(const Problem&, host::Context&)> supports = [](const Problem&, host::Context&) {
        return Support::yes();
    };
    std::function<std::unique_ptr<Plan>(PlanBuilder&, const Problem&, const Policy&)> plan = {};
    /// One rank's part of a problem that several devices solve together (distributed/part.hpp); empty: the variant needs it
    /// as a whole.
    std::function<std::unique_ptr<distributed::Part>(PlanBuilder&, const Problem&, const Policy&, int rank)> part = {};
};

/// One way to cut a large problem: into chunks along `axis`, each computed by itself with the same results as in the whole.
struct Chunking {
    enum Merge { place, add };
    char axis = '\0';                ///< of the inputs that have it; others go whole with every chunk
    std::int64_t halo = 0;           ///< elements on both sides that a chunk's results need beside its own
    std::int64_t align = 1;          ///< chunks begin at multiples of it
    Merge merge = place;             ///< array outputs: side by side along `axis`, or added up
    std::function<Json(const Json&, const Json&)> join = {};   ///< records of two chunks -> of both; empty: no records
};

/// Every way, those first that move the least; or why there is none.
struct Division {
    std::vector<Chunking> ways;
    std::string why_not;
    static Division no(std::string reason) { return {{}, std::move(reason)}; }
};

/// Something that parameters can ask to be found in the data (the carrier of off-axis holograms). A series finds it once for all
/// its items: one that is computed by itself, later or elsewhere, must not find something else.
struct Finding {
    std::string record;                                                    ///< the output that tells what was found
    std::function<bool(const Parameters&)> needed;                         ///< whether these parameters ask for it
    std::function<Json(const Json& parameters, const Json& record)> fix;   ///< parameters that state what was found
    std::string input = {};                                                ///< the port that it is looked for in
    /// How much of it there is in an array in host memory. Empty: nobody asks. An item that has less than `least_share` of what
    /// the one had in which it was found is told so.
    std::function<double(const Json& record, const HostArray&)> strength = {};
    double least_share = 0.1;
    std::function<std::string(const Json& record, const std::string& item)> doubt = {};   ///< in words; item: where it was found
};

struct Algorithm {
    std::string name;                    ///< "hologram": folder, job key, test and docs page carry it too
    std::string summary;                 ///< one line
    ParameterTable parameters;
    std::vector<Port> inputs;
    std::vector<Port> outputs;
    /// Shapes of the array outputs that are wanted. Throws ConfigError (pointer "/inputs/<port>") for inputs it cannot take.
    std::function<ArrayDescs(const Problem&)> infer;
    /// Warnings for the user, with numbers; may be empty.
    std::function<std::vector<std::string>(const Problem&)> warnings;
    std::function<Division(const Problem&)> chunking;   ///< empty: not at all
    /// What a plan depends on beside shapes and the parameters that are not runtime(); empty function: nothing.
    std::function<std::string(const Problem&)> plan_key;
    /// What policies are tuned for in place of the largest input's type, where that does not say what is read ("bits"). Empty:
    /// the type.
    std::function<std::string(const Problem&)> elements;
    /// The metadata of its outputs from that of its input: one that takes a part moves the affine's origin to the part's first
    /// voxel; one whose elements are in no such space any more takes the affine away. Empty: every element stays where it is in
    /// space.
    std::function<Metadata(const Parameters&, const ArrayDesc& input, Metadata)> carry;
    /// Each element of the output is made of those in its own place alone, after they were read, by every variant: the output may
    /// be the very memory of an input whose elements are as large.
    bool in_place = false;
    std::optional<Finding> finding;
    std::vector<Variant> variants;       ///< in order of preference: the first that supports a problem runs it

    const Port* input(std::string_view name) const noexcept;
    const Port* output(std::string_view name) const noexcept;
    /// By its name, or one that it had.
    const Variant* variant(std::string_view name) const noexcept;
    /// What the variant of that name is called now; a name that none has or had as it is.
    std::string present_name(std::string variant) const;
};

/// Algorithms by name, and no more than those that it was made of: registry/registry.hpp has ours, the laboratory others'
/// libraries, too. Copies share them.
class Registry {
public:
    explicit Registry(std::vector<Algorithm> algorithms)
        : algorithms_(std::make_shared<const std::vector<Algorithm>>(std::move(algorithms))) {}
    const std::vector<Algorithm>& algorithms() const noexcept { return *algorithms_; }
    /// Throws ConfigError at `pointer` with the nearest name.
    const Algorithm& get(const std::string& name, const std::string& pointer = "/run") const;

private:
    std::shared_ptr<const std::vector<Algorithm>> algorithms_;
};

}  // namespace parallax::engine
