// What is to be compared: a study file as plain structs, checked as far as it can be without looking at files or devices.
//
//   { "parallax_study": 1,
//     "title": "Lattice Boltzmann: throughput",
//     "devices": [{ "type": "gpu" }, { "backend": "native" }],
//     "cases": [{
//       "id": "D2Q9",
//       "grid":     { "size": [256, 512, 1024] },
//       "quick":    { "grid": { "size": [32] } },
//       "inputs":   { "image": { "make": "blocks", "type": "f32", "axes": "yx", "shape": ["$size", "$size"] } },
//       "steps":    [{ "run": "diffusion_lb", "iterations": 100 }],
//       "variants": ["fused", "image", "threaded"],
//       "work":     { "unit": "MLUPS", "scale": 1e6, "items": ["$size", "$size", 100] } }],
//     "report": [{ "kind": "line", "title": "Updates a second", "x": "size", "y": "rate", "series": ["variant", "device"] }] }
//
// A case is a job whose inputs are made (or read) and whose outputs are held against a reference instead of being written.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "job/job.hpp"
#include "job/paths.hpp"

namespace parallax::engine::compare {

/// How a row is timed. Warm-ups and samples end early when they have taken `budget_s`; one sample is always taken.
struct Sampling {
    int warmups = 3;
    int samples = 30;
    int end_to_end = 30;          ///< samples from host memory to host memory
    int rounds = 5;               ///< turns in which the devices alternate
    double least_s = 0.1;         ///< short runs get more samples, up to ten times as many, until they have taken this long
    double budget_s = 2;          ///< for the samples of a row, and as much again from end to end
    double limit_s = 120;         ///< of any one request to a worker before it counts as hung
    double row_limit_s = 60;      ///< a row of which one run must be expected to take longer is left out, and says so
    double sustained_s = 0;       ///< runs from end to end without pause for this long; 0: not at all
    double energy_s = 0;          ///< joules of runs from end to end for this long, where the device tells; 0: not at all
    bool fresh_processes = false;   ///< each round in a process of its own, so that intervals hold what processes differ by
    bool cold_cache = false;      ///< each sample after a copy that fills the device's caches with other things
    bool cold = false;            ///< compile with empty caches of our own and the driver's
};

/// One way of computing a case: a variant with a policy and changes of parameters.
struct Way {
    std::string label{};                       ///< in reports
    std::string variant{};                     ///< empty: what the engine chooses
    Json policy = Json::object();
    Json set = Json::object();                 ///< "step.key" or "key" -> value
    std::vector<host::Backend> backends{};     ///< where it is run; empty: wherever the variant does
    Json tolerance{};                          ///< instead of the case's; null: the case's
};

/// What a row does, for rates: items and bytes are products, or sums of products.
struct Work {
    std::string unit;                          ///< "MLUPS", "GB/s"
    double scale = 1;                          ///< items a second that are 1 of `unit`
    double items = 0;                          ///< 0: no rate
    double bytes = 0;                          ///< least that crosses memory; 0: no share of the copy
    double operations = 0;                     ///< of arithmetic; 0: no place in the roofline
};

/// An algorithm that judges results, run by its reference on the host: PSNR against the clean image.
struct Evaluation {
    std::string name;
    std::string algorithm;
    Json parameters = Json::object();
    std::map<std::string, std::string> in;     ///< port -> output of the case, else one of its inputs
};

struct Case {
    std::string id;
    std::string pointer;                       ///< "/cases/0"
    std::vector<std::pair<std::string, Json>> grid;   ///< axis -> its values, in the order of the file
    Json inputs = Json::object();
    Json steps = Json::array();
    Json settings = Json::object();            ///< of a job: keys_of_cases
    std::vector<std::string> outputs;          ///< empty: the required ones of the last step
    std::optional<std::string> reference;      ///< variant of the native device that is the oracle
    bool reference_stated = false;             ///< else large inputs take the threaded one, where there is one
    Json tolerance;                            ///< null: exact for integers, 1e-5 of the largest magnitude for reals
    bool all_variants = false;
    std::vector<Way> ways;                     ///< empty and not all_variants: what the engine chooses
    Json work;                                 ///< as written, since it has grid variables
    std::vector<Evaluation> evaluations;
    std::vector<std::string> keep;             ///< arrays whose picture the report shows: outputs, or inputs by name
};

/// Devices that a study takes: all that a rule admits; with a label of its own a device may be taken twice.
struct DeviceChoice {
    Json rule;                                 ///< as a job's "device"; null: every device
    std::string label;
};

struct Study {
    std::string title, source, about;
    std::vector<DeviceChoice> devices;
    Sampling sampling;
    std::vector<Case> cases;
    Json report = Json::array();               ///< tables and figures, checked
    Json written;                              ///< after --quick was applied: what a repeat needs
    bool quick = false;
};

/// Throws ConfigError with the pointer of what is wrong. `quick` lays each "quick" object over what it stands in.
Study parse_study(const Json&, const std::vector<Algorithm>&, bool quick);
/// Lays what --price gives, "H200=31000 EUR", over a study's prices. Throws ConfigError.
void add_prices(Json& study, const std::vector<std::string>& written);
/// Throws ConfigError ("--price") where one of them is of none of the devices, each a label and a name.
void check_prices(const std::vector<std::string>& written, const std::vector<std::pair<std::string, std::string>>& devices);
/// A study of one user's job: its inputs, its steps, each device that there is. Of a series its first item, whose files are
/// looked for by `where`. Throws ConfigError as parse_job() does, and where a series finds nothing.
Json study_of_job(const Json& job, const std::vector<Algorithm>&, const Locations& where);
/// One of those that come with the program, "buy". Throws ConfigError with their names.
Json study_named(const std::string& name);
/// Where the inputs of a point are: where it is said, or below `to`, where the images are laid that studies of the program read
/// from beside their folder, if that is not here: a study is known by its name, or comes from a report.
Locations with_our_images(Locations, const Json& inputs, const std::filesystem::path& to);
/// JSON Schema 2020-12; configs/schema/study.schema.json is its text.
Json study_schema(const std::vector<Algorithm>&);

}  // namespace parallax::engine::compare
