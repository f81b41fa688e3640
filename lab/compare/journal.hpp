// What an interrupted study has done: one JSON object a line, appended and flushed. A last line that was torn does not count.
#pragma once

#include "parallax/host/json.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace parallax::engine::compare {

class Journal {
public:
    /// Begins a new one with `header`, or goes on with one that has the same: `resume` says which. Throws ConfigError where one
    /// is there and was not to be resumed, or is of another study; IoError where it cannot be written.
    Journal(std::filesystem::path, const Json& header, bool resume, bool overwrite);

    const std::vector<Json>& earlier() const noexcept { return earlier_; }
    /// On disk when it returns, as far as the system tells.
    void append(const Json& entry);
    /// The study is complete: nothing is left to resume.
    void remove();

private:
    std::filesystem::path path_;
    std::vector<Json> earlier_;
    std::ofstream file_;
};

}  // namespace parallax::engine::compare
