// Studies by name.
#include "study/embedded_studies.hpp"
#include "study/study.hpp"

#include <fmt/format.h>

namespace parallax::engine::compare {

Json study_named(const std::string& name) {
    std::vector<std::string> names;
    for (const host::EmbeddedFile& file : embedded_studies()) {
        names.emplace_back(file.name.substr(0, file.name.rfind('.')));
        if (names.back() == name) return Json::parse(file.text);
    }
    throw ConfigError("STUDY", fmt::format("\"{}\"", name), fmt::format("a study file, or one of {}", fmt::join(names, ", ")),
                      did_you_mean(name, names));
}

}  // namespace parallax::engine::compare
