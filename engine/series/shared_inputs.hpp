// Inputs that all items share. What they were when the series began stands in the header of its records; what is read later must be
// that, or results would be of another file than the records say.
#pragma once

#include "series/header.hpp"
#include "series/series.hpp"

#include <map>
#include <string>
#include <vector>

namespace parallax::engine::series {

class SharedInputs {
public:
    /// Hashes them. Throws IoError.
    explicit SharedInputs(const PreparedSeries&);

    /// As the header of the records has them.
    std::vector<SharedFile> files() const;
    /// Throws IoError where one of an input's files was another when it was read. `read`: reports of them all (read_input()).
    void check(const std::string& input, const std::vector<FileReport>& read) const;

private:
    const PreparedSeries& series_;
    std::map<std::string, std::vector<SharedFile>> files_;   ///< by the input's name
};

}  // namespace parallax::engine::series
