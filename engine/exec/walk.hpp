// The walk over a pipeline, whichever way its arrays are kept.
#pragma once

#include "pipeline/pipeline.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

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
    for (std::size_t i = 0; i < pipeline.steps.size(); ++i) {
        std::map<std::string, Array, std::less<>> inputs;
        for (const auto& [port, source] : pipeline.steps[i].inputs)
            if (const auto there = arrays.find(source); there != arrays.end()) inputs.emplace(port, there->second);
        for (auto& [port, array] : compute(i, std::move(inputs))) arrays.insert_or_assign(Source{i, port}, std::move(array));
        for (auto entry = arrays.begin(); entry != arrays.end();) {
            const auto here = entry++;
            const auto use = last.find(here->first);
            if (use != last.end() && use->second > i) continue;
            release(here->first, std::move(here->second));
            arrays.erase(here);
        }
    }
    return arrays;
}

}  // namespace parallax::engine
