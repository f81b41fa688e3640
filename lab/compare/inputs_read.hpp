// What stands in the files that a point's inputs are read from: rows of other contents are of another problem.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "job/paths.hpp"
#include "parallax/host/json.hpp"
#include "support/file_identity.hpp"

namespace parallax::engine::compare {

class InputsRead {
public:
    /// Of inputs as a point has them: one text for what their files are called, wherever they lie, and what is in them, or
    /// that they are not to be had. Null where no input is a file. A file is read once as long as it stays as it is.
    Json of(const Json& inputs, const Locations&);

private:
    std::string hash_of(const std::filesystem::path&);

    struct Known {
        host::FileIdentity identity;
        std::string hash;
    };
    std::map<std::filesystem::path, Known> known_;
};

}   // namespace parallax::engine::compare
