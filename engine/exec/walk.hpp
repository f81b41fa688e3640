// The walk over a pipeline, whichever way its arrays are kept.
#pragma once

#include "pipeline/pipeline.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

/// Goes through the steps in their order: `compute(step, inputs)` gets the arrays that the step takes, by port, and gives those
/// that it makes; an array that no later step needs and nobody asked for goes to `release(source, array)`. What is left at the
/// end comes back: what is put out. An input that is not among `arrays` (one that comes slab by slab) is not handed to its step.
///
///   arrays     image                image, blurred        blurred, edges
///   steps              blur(image)             edges(blurred)
///   released                                   image
template <class Array, class Compute, class Release>
std::map<Source, Array> walk(const Pipeline& pipeline, std::map<Source, Array> arrays, const Compute& compute,
                             const Release& release) {
    const std::map<Source, std::size_t> last = last_uses(pipeline);
    std::vector<std::vector<Source>> ending(pipeline.steps.size());   // by their last steps: going through all arrays takes the square
    for (const auto& [source, step] : last)
        if (step < ending.size()) ending[step].push_back(source);
    if (!ending.empty())
        for (const auto& [source, array] : arrays)
            if (!last.contains(source)) ending.front().push_back(source);
    for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
        std::map<std::string, Array, std::less<>> inputs;
        for (const auto& [port, source] : pipeline.steps[i].inputs)
            if (const auto there = arrays.find(source); there != arrays.end()) inputs.emplace(port, there->second);
        for (auto& [port, array] : compute(i, std::move(inputs))) {
            const Source made{i, port};
            arrays.insert_or_assign(made, std::move(array));
            if (!last.contains(made)) ending[i].push_back(made);
        }
        for (const Source& source : ending[i]) {
            const auto here = arrays.find(source);
            if (here == arrays.end()) continue;   // it comes slab by slab
            release(here->first, std::move(here->second));
            arrays.erase(here);
        }
    }
    return arrays;
}

}  // namespace parallax::engine
