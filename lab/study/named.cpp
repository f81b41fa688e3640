// Studies by name, and their images.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "io/io.hpp"
#include "study/embedded_studies.hpp"
#include "study/study.hpp"

namespace parallax::engine::compare {

namespace {

/// What is below a folder of those that come with the program, by its name there.
std::vector<std::pair<std::string, std::string_view>> files_of(const std::string& folder) {
    std::vector<std::pair<std::string, std::string_view>> files;
    for (const host::EmbeddedFile& file : embedded_studies()) {
        if (file.name.starts_with(folder)) files.emplace_back(file.name.substr(folder.size()), file.text);
    }
    return files;
}

/// What a study reads from beside the folder of studies: "../images/phantom.png".
constexpr std::string_view beside = "../images/";

bool reads_our_image(const Json& input, const std::filesystem::path& folder) {
    if (!input.is_string() || !input.get_ref<const std::string&>().starts_with(beside)) return false;
    const std::string& path = input.get_ref<const std::string&>();
    const auto images = files_of("images/");
    return !std::filesystem::exists(folder / path_from(path)) &&
           std::any_of(images.begin(), images.end(), [&](const auto& one) { return one.first == path.substr(beside.size()); });
}

}   // namespace

Json study_named(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& [file, text] : files_of("studies/")) {
        names.emplace_back(file.substr(0, file.rfind('.')));
        if (names.back() == name) return Json::parse(text);
    }
    throw ConfigError("STUDY", fmt::format("\"{}\"", name), fmt::format("a study file, or one of {}", fmt::join(names, ", ")),
                      did_you_mean(name, names));
}

Locations with_our_images(Locations where, const Json& inputs, const std::filesystem::path& to) {
    const bool wanted =
        std::any_of(inputs.begin(), inputs.end(), [&](const Json& one) { return reads_our_image(one, where.job_folder); });
    if (!wanted) return where;
    std::filesystem::create_directories(to / "images");
    std::filesystem::create_directories(to / "studies");
    for (const auto& [name, bytes] : files_of("images/")) io::write_text(to / "images" / name, std::string(bytes), true);
    where.job_folder = to / "studies";
    return where;
}

}  // namespace parallax::engine::compare
