#include "cases/saved.hpp"

#include "io/io.hpp"
#include "job/paths.hpp"
#include "parallax/host/json.hpp"

#include <fstream>

namespace parallax::engine::compare {

namespace fs = std::filesystem;

void save_array(const fs::path& folder, const std::string& name, const HostArray& array) {
    io::write(folder / path_from(name + ".npy"), array, {.overwrite = true});
    Json axes = Json::array();
    for (const Axis& axis : array.desc.axes) axes.push_back({std::string(1, axis.name), axis.spacing});
    io::write_json(folder / path_from(name + ".axes"), {{"axes", std::move(axes)}, {"unit", array.desc.unit}}, true);
}

HostArray fetch_array(const fs::path& folder, const std::string& name) {
    HostArray array = io::read(folder / path_from(name + ".npy"));
    std::ifstream file(folder / path_from(name + ".axes"));
    const Json said = Json::parse(file);
    for (std::size_t i = 0; i < array.desc.axes.size() && i < said["axes"].size(); ++i) {
        array.desc.axes[i].name = said["axes"][i][0].get<std::string>()[0];
        array.desc.axes[i].spacing = said["axes"][i][1].get<double>();
    }
    array.desc.unit = said["unit"].get<std::string>();
    return array;
}

}  // namespace parallax::engine::compare
