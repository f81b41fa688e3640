#include "commands.hpp"

#include "io/hints.hpp"
#include "job/load.hpp"
#include "support/folder.hpp"
#include "parallax/host/enumerate.hpp"

#include <fmt/format.h>

#include <set>

namespace parallax::cli {

bool names_file(const std::string& device) { return device.size() > 5 && device.ends_with(".json"); }

namespace {

engine::Locations locations_of(const JobOptions& options) {
    engine::Locations where;
    where.job_folder = folder_of(engine::path_from(options.file));
    where.out = engine::path_from(options.out);
    where.confined = options.confined;
    where.synced = !options.no_sync;
    where.roots = roots_from(options.roots);
    where.own.push_back({engine::path_from(options.file), "the job"});
    if (names_file(options.device)) where.own.push_back({engine::path_from(options.device), "the file of --device"});
    return where;
}

/// A file with what is to be done; beside a stranger's job by no link, which could lead to a file that its messages would tell of.
host::OpenedFile opened(const std::string& file, const char* what, bool confined) {
    const std::filesystem::path path = engine::path_from(file);
    if (!confined) return host::OpenedFile(path);
    try {
        const host::Folder folder = host::Folder::open_strictly(path.parent_path());
        return folder.file(path.filename());
    } catch (const std::system_error& error) {
        if (!io::is_of_the_path(error.code()))
            throw IoError(file, fmt::format("{} cannot be opened: {}", what, error.code().message()),
                          io::open_hint_for(error.code().value()));
        const bool no_file = error.code() == std::errc::is_a_directory;
        throw ConfigError("",
                          no_file ? fmt::format("{} {}, which is a folder, a device or a pipe", what, file)
                                  : fmt::format("{} {}: {}", what, file, error.code().message()),
                          "a file, and no link on the way to it, where a job is confined");
    }
}

/// Of two of one name the last would do, and nobody would be told.
void refuse_name_twice(const std::string& option, const std::vector<std::string>& given) {
    std::set<std::string> names;
    for (const std::string& text : given) {
        const std::string name = text.substr(0, text.find('='));
        if (text.find('=') != std::string::npos && !names.insert(name).second)
            throw ConfigError(fmt::format("{} {}", option, name), fmt::format("\"{}\" a second time", name), "each name once",
                              "remove one of the two");
    }
}

}  // namespace

void JobOptions::add_to(CLI::App& app) {
    app.add_option("JOB", file, "The job file")->required();
    app.add_option("--set", settings, "step.key=value: change a parameter; value is JSON or a plain word")
        ->allow_extra_args(false);
    app.add_option("--in", inputs, "name=file: take another file for an input")->allow_extra_args(false);
    app.add_option("--root", roots, "NAME=DIR: where \"NAME:path\" in the job is")->allow_extra_args(false);
    app.add_flag("--confined", confined, "Refuse inputs outside the job's folder and the roots: for jobs of strangers");
    app.add_option("--limit", limit, "memory=2GiB,time=60s,output=1GiB: the most that this process may take, where given");
    app.add_flag("--no-sync", no_sync, "Do not wait for the disk: a power cut may take outputs that were told as done");
    app.add_option("--device", device,
                   "Instead of the job's rules: gpu, cpu, native, an index, part of a name, JSON, or a .json file");
    app.add_option("--manifest", manifest, "Folder where a series remembers what is done, by default JOB.series below --out");
    app.add_option("--out", out, "Folder that outputs are written below")->capture_default_str();
}

engine::Job JobOptions::parse(const engine::Registry& registry) const {
    const host::OpenedFile text = opened(file, "the job", confined);
    Json json = engine::load_json(text.path());
    const auto& algorithms = registry.algorithms();
    refuse_name_twice("--set", settings);
    refuse_name_twice("--in", inputs);
    std::map<std::string, std::string> set;   // what by which name
    for (const std::string& setting : settings) {
        const std::string name = setting.substr(0, setting.find('='));
        const auto [other, is_new] = set.emplace(engine::apply_setting(json, setting, algorithms), name);
        if (!is_new)
            throw ConfigError("--set " + name, fmt::format("\"{}\" beside \"{}\"", name, other->second), "one of the two", "remove one");
    }
    for (const std::string& input : inputs) engine::apply_input(json, input, algorithms);
    engine::Job job = engine::parse_job(json, algorithms);
    if (!device.empty()) job.device = device_from(device, confined);
    return job;
}

engine::Locations JobOptions::locations() const { return locations_of(*this); }

engine::Prepared JobOptions::prepare(const engine::Registry& registry, bool overwrite) const {
    engine::Prepared prepared = engine::prepare(parse(registry), locations(), overwrite);
    engine::check_places(prepared);
    return prepared;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.parent_path();
    const bool described = file == "/dev/stdin" || folder == "/dev/fd" || folder == "/proc/self/fd";   // <(...) of a shell
    return folder.empty() || described ? std::filesystem::path(".") : folder;
}

std::filesystem::path manifest_of(const JobOptions& options) {
    if (!options.manifest.empty()) return engine::path_from(options.manifest);
    std::filesystem::path name = engine::path_from(options.file).stem();
    name += ".series";
    return engine::path_from(options.out) / name;
}

std::map<std::string, std::filesystem::path> roots_from(const std::vector<std::string>& given) {
    refuse_name_twice("--root", given);
    std::map<std::string, std::filesystem::path> roots;
    for (const std::string& root : given) {
        const std::size_t equals = root.find('=');
        if (equals == std::string::npos)
            throw ConfigError("--root", fmt::format("\"{}\"", root), "NAME=DIR with a name of at least two letters");
        engine::check_root_name(root.substr(0, equals), "--root");
        const std::filesystem::path folder = engine::path_from(root.substr(equals + 1));
        if (!std::filesystem::is_directory(folder))
            throw ConfigError("--root", fmt::format("no folder \"{}\"", root.substr(equals + 1)), "NAME=DIR with a folder");
        roots[root.substr(0, equals)] = folder;
    }
    return roots;
}

host::DeviceSelector device_from(const std::string& spec, bool confined) {
    const bool file = names_file(spec);
    try {
        if (!file) return host::DeviceSelector::parse_spec(spec);
        const host::OpenedFile rule = opened(spec, "the file", confined);
        return host::DeviceSelector::parse(engine::without_comments(engine::load_json(rule.path())), "");
    } catch (const ConfigError& error) {   // a place in the option, not in the job
        const std::string place = error.pointer.starts_with("/") ? "--device " + error.pointer
                                  : file                         ? "--device " + spec
                                                                 : std::string("--device");
        throw ConfigError(place, error.found, error.expected, error.hint);
    }
}

host::Selection select_device(const host::DeviceSelector& selector) { return selector.select(host::enumerate(selector)); }

}  // namespace parallax::cli
