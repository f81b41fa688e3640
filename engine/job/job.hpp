// What was asked: a job file as plain structs, checked as far as it can be without looking at files or devices.
//
//   { "parallax": 1,
//     "inputs":  { "hologram": "run7/0001.tif" },
//     "steps":   [ { "run": "hologram", "wavelength_nm": 532, "pixel_um": 1.4, "distance_um": 1000 } ],
//     "outputs": { "amplitude": "amplitude.png" } }
#pragma once

#include "core/algorithm.hpp"
#include "io/io.hpp"
#include "pipeline/pipeline.hpp"
#include "parallax/host/selector.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

enum class NonFinite { propagate, reject, mask };   // in the order of non_finite_words

/// Spacing that a job states for an input: x, y and perhaps z, in `unit`. One value stands for every axis.
struct SpacingOverride {
    std::vector<double> values;
    std::string unit;
};

struct InputSpec : PipelineInput {
    std::vector<std::string> files;       ///< as written
    bool globs = false;                   ///< from "files": * and ? stand for several files
    std::string combine;                  ///< "mean" or "median" where several files become one array
    std::int64_t running = 0;             ///< odd: the item and its neighbours on both sides are combined; 0: the item alone
    bool each = false;                    ///< another for every item of the series
    io::ReadOptions read;
    std::optional<SpacingOverride> spacing;
    Json written;                         ///< for the report
};

/// `names` of a step are its "out" as written. Inputs, outputs and sources are filled by resolve_names().
struct StepSpec : Step {
    std::map<std::string, std::optional<std::string>> in;   ///< as written; null: leave an optional input out
};

enum class OutputForm {
    array,
    json,
    csv,
    table,
    svg
};   ///< svg: a drawing; csv: the lists of a record as columns; table: its scalars as one row

struct OutputSpec : PipelineOutput {
    std::string of;                       ///< the array or record, by default that of the output's name
    std::string file;                     ///< as written
    OutputForm form = OutputForm::array;
    io::WriteOptions write;
    std::string combine;                  ///< one of fold_words: one array of all items
    bool times = false;                   ///< table: with what each item took
    bool gathered = false;                ///< of one item of a series: goes to a file of the series, not to one of its own
    Json written;

    /// One file for the whole series rather than one an item.
    bool of_series() const noexcept { return !combine.empty() || form == OutputForm::table; }
};

/// What one variable of a series goes through.
struct ForEachSource {
    std::string variable;                 ///< "frame" in "{frame.stem}"
    std::string pointer;                  ///< "/for_each/frame"
    std::string kind = "files";           ///< "files", "pages" or "volumes"
    std::vector<std::string> patterns;
    char page_axis = '\0';                ///< what pages are, 't' or 'z'; 0: what the file says
    std::optional<std::pair<std::int64_t, std::int64_t>> range;   ///< [first, end) of all that is found
    std::int64_t stride = 1;
};

/// Several variables go side by side, the first of one with the first of the other.
struct ForEach {
    std::vector<ForEachSource> sources;
    bool continue_on_error = false;
    Json written;

    const ForEachSource* find(const std::string& variable) const noexcept;
    /// The variable that a text is, with nothing around it: "{frame}". Null: it is none.
    const ForEachSource* alone_in(const std::string& text) const noexcept;
};

struct Job {
    std::string comment;
    host::DeviceSelector device;
    std::shared_ptr<const ForEach> for_each;   ///< shared: each item of a series has a copy of the job, and files may be many
    NonFinite non_finite = NonFinite::propagate;
    PipelineLimits limits;
    bool retry = true;                    ///< once, in a fresh context, when the device fails
    std::vector<InputSpec> inputs;
    std::vector<StepSpec> steps;
    std::vector<OutputSpec> outputs;

    const InputSpec* input(const std::string& name) const noexcept;
    /// The name under which the job knows an array.
    const std::string& name_of(const Source&) const;
    /// What is computed, apart from the files.
    Pipeline pipeline() const;
};

/// Reads and links a whole job. Throws ConfigError with the pointer of what is wrong, and the nearest right name.
Job parse_job(const Json&, const std::vector<Algorithm>&);
/// The same of a job on arrays that the caller has and wants: `inputs` are the names of those that are given, each in the place
/// of what the job would read, and of "outputs" the names matter alone (and "of"). Throws UnsupportedError for for_each.
Job parse_job_on_arrays(const Json&, const std::vector<Algorithm>&, const std::vector<std::string>& inputs);
/// What such a job computes.
Pipeline parse_pipeline(const Json&, const std::vector<Algorithm>&, const std::vector<std::string>& inputs);
/// One input of a job: a path, or an object. `pointer` is where it stands.
InputSpec parse_input(const std::string& name, const Json&, const std::string& pointer);
/// The job with every default, every name and every unit spelled out; parse_job() takes it again.
Json to_json(const Job&);

}  // namespace parallax::engine
