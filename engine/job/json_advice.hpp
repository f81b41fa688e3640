// What is wrong with a text that is no JSON, in the words of whoever wrote it.
#pragma once

#include <cstddef>
#include <string>

namespace parallax::engine {

struct JsonAdvice {
    std::string found;      ///< what stands there: "a comma before }"
    std::string expected;   ///< what may stand there
    std::string hint;       ///< what to do
};

/// `byte` counts from 1: where a parser gave up; past the end where something is missing.
JsonAdvice advice_on_json(const std::string& text, std::size_t byte);

}  // namespace parallax::engine
