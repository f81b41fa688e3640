#include "job/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <unordered_set>

#include "core/carry.hpp"
#include "io/format.hpp"
#include "io/space.hpp"
#include "io/units.hpp"
#include "io/unlike_pages.hpp"
#include "job/each_file.hpp"
#include "job/endings.hpp"
#include "job/input_folders.hpp"
#include "job/output_paths.hpp"
#include "job/output_places.hpp"
#include "job/pattern.hpp"
#include "job/read.hpp"
#include "pipeline/place.hpp"

namespace parallax::engine {

namespace fs = std::filesystem;

namespace {

/// Pages or volumes that are asked for must be there.
void check_range(const io::FileInfo& info, const InputSpec& input, const char* what, const char* key, std::int64_t end) {
    const std::int64_t there = info.pages();
    if (input.read.pages && io::has_no_pages(info))
        throw ConfigError(pointer_to(input.pointer, std::string(key)),
                          fmt::format("a page of {}, which a {} file holds as one piece", info.desc.describe(), info.format),
                          "a stack of TIFF or NPY, or times of another format", io::instead_of_a_page(info));
    if (end <= there) return;
    throw ConfigError(pointer_to(input.pointer, std::string(key)), fmt::format("{} {}", what, end - 1),
                      there == 1 ? fmt::format("{} 0: there is one only", what) : fmt::format("{} 0 to {}", what, there - 1));
}

/// `metadata`: as far as it is known before anything is computed.
void check_output(const OutputSpec& output, const fs::path& path, const Prepared& prepared, const std::map<Source, Metadata>& metadata,
                  OutputPlaces& places) {
    std::error_code ignored;
    if (!prepared.overwrite && fs::exists(path, ignored)) {
        const char* const what = fs::is_directory(path, ignored) ? "folder" : "file";
        throw ConfigError(output.pointer, fmt::format("the existing {} {}", what, to_utf8(path)),
                          fmt::format("no {} of that name", what),
                          "use --overwrite to replace it, or --out for another folder");
    }
    places.take(output, path);
    writable_ancestor(path, output.pointer);
    if (output.form != OutputForm::array) return;
    const ArrayDesc& desc = prepared.resolved.desc(output.source);
    check_format(output, desc);
    if (const auto known = metadata.find(output.source); known != metadata.end()) check_channel_names(output, desc, known->second);
}

/// Why an input's array cannot be read a few slices at a time; empty: it can.
std::string why_whole(const InputSpec& spec, const PreparedInput& input) {
    if (spec.globs || spec.running > 0) return "an input of several files is combined as a whole";
    if (spec.each) return "the items of a series are read as a whole";
    if (has_slices(spec, input)) return {};
    return "the file is read as a whole; NPY in C order, NIfTI, raw elements and stacks of grey pages can be read slice after "
           "slice, "
           "where no pages, volume or channels are chosen";
}

/// Bytes of host memory that reading takes beside the array: files that are combined are there together.
std::uint64_t beside(const InputSpec& spec, const PreparedInput& input) {
    if (spec.combine.empty()) return 0;
    return io::bytes_to_combine(input.files.size(), delivered(input.files.front(), input.infos.front(), spec), spec.combine);
}

/// Warns of steps whose inputs say where they lie, and lie elsewhere, as far as earlier steps carry what files say.
void tell_of_places(Prepared& prepared, const std::map<Source, Metadata>& places) {
    for (std::size_t i = 0; i < prepared.resolved.steps.size(); ++i) {
        const Step& step = prepared.resolved.pipeline.steps[i];
        ResolvedStep& resolved = prepared.resolved.steps[i];
        const ArrayDescs& inputs = resolved.problem.inputs;
        for (auto first = step.inputs.begin(); first != step.inputs.end(); ++first) {
            for (auto second = std::next(first); second != step.inputs.end(); ++second) {
                const ArrayDesc& desc = inputs.at(first->first);
                if (!unlike_pixels(desc, inputs.at(second->first)).empty()) continue;   // that has been told
                const std::string how = unlike_places(places.at(first->second), places.at(second->second), desc);
                if (!how.empty())
                    resolved.warnings.push_back(
                        fmt::format("\"{}\" and \"{}\" are taken pixel by pixel, and {}", first->first, second->first, how));
            }
        }
    }
}

/// Pages may be unlike. Then those that are taken say what a page is.
io::FileInfo info_of(const fs::path& file, io::ReadOptions whole,
                     const std::optional<std::pair<std::int64_t, std::int64_t>>& pages) {
    try {
        return io::info(file, whole);
    } catch (const io::UnlikePages&) {
        if (!pages) throw;
    }
    whole.pages = pages;
    return io::info(file, whole);
}

/// Where parts of a file lie elsewhere; the first time they may be others then.
bool recover_parts(const io::FileInfo& info, InputFolders& folders) {
    bool any = false;
    for (const io::FilePart& part : info.parts) any = folders.recover_of(part.path) || any;
    return any;
}

/// Whether the job has done what a file's warning asks for, or takes nothing of what it is about.
bool is_settled(const io::Warning& warning, const InputSpec& input, const ArrayDesc& taken) {
    switch (warning.about) {
        case io::Concern::spacing: return input.spacing.has_value();
        case io::Concern::slices: return taken.size('z') <= 1 || (input.spacing && input.spacing->values.size() != 2);
        default: return false;
    }
}

std::string pointer_of_files(const InputSpec& input) {
    return input.written.is_string() ? input.pointer : input.pointer + (input.globs ? "/files" : "/file");
}

/// A file that comes more than once, by whatever paths; null: there is none.
const fs::path* find_twin(const std::vector<fs::path>& files) {
    std::unordered_set<fs::path::string_type> taken;
    std::error_code gone;
    const fs::path here = fs::current_path(gone);
    for (const fs::path& file : files)
        if (!taken.insert((here / file).lexically_normal().native()).second) return &file;
    return nullptr;
}

}  // namespace

std::vector<fs::path> find_files(const InputSpec& input, const Locations& where, const Confinement* confinement,
                                 InputFolders& folders) {
    std::vector<fs::path> files;
    const std::string pointer = pointer_of_files(input);
    for (const std::string& text : input.files) {
        if (!input.globs || !has_wildcard(text)) {
            const std::string name = plain(text);
            files.push_back(confinement ? locate_input(name, where, pointer, *confinement, folders)
                                        : resolve_input(name, where, pointer, nullptr, &folders));
            continue;
        }
        for (const fs::path& file : resolve_inputs(text, where, pointer, confinement, &folders)) files.push_back(file);
    }
    return files;
}

PreparedInput prepare_input(const InputSpec& input, const Locations& where, std::shared_ptr<PatternBudget> patterns) {
    PreparedInput prepared;
    prepared.kept = input.read.kept;
    if (where.confined) prepared.confinement = std::make_shared<const Confinement>(where);
    const std::string pointer = pointer_of_files(input);
    InputFolders folders(prepared.confinement.get(), std::move(patterns));
    prepared.files = find_files(input, where, prepared.confinement.get(), folders);
    const bool counts = input.globs && !input.combine.empty();
    if (const fs::path* const twin = counts ? find_twin(prepared.files) : nullptr)   // one stands for all
        prepared.warnings.push_back(fmt::format(
            "the file {} comes more than once, and counts as often: see whether the patterns overlap", to_utf8(*twin)));
    io::ReadOptions whole = input.read;   // what is there; delivered() says what is taken of it
    whole.pages.reset();
    whole.volume.reset();
    Metadata place;         // of the first file
    std::string likeness;   // that all must have
    std::string unlike;
    prepared.infos.resize(prepared.files.size());
    const auto look = [&](std::size_t i) {
        const host::OpenedFile opened = prepared.open(prepared.files[i], pointer);
        io::ReadOptions options = whole;
        options.through = opened.path();
        options.open_part = prepared.part_opener();
        options.parts_of = input.read.pages;
        prepared.infos[i] = info_of(prepared.files[i], std::move(options), input.read.pages);
    };
    each_file(prepared.files.size(), look);
    for (std::size_t i = 0; i < prepared.files.size(); ++i) {
        if (recover_parts(prepared.infos[i], folders)) look(i);
        const fs::path& file = prepared.files[i];
        const io::FileInfo& info = prepared.infos[i];
        const ArrayDesc desc = delivered(file, info, input);
        for (const io::Warning& warning : info.warnings) {
            if (is_settled(warning, input, desc)) continue;
            if (std::find(prepared.warnings.begin(), prepared.warnings.end(), warning.text) == prepared.warnings.end())
                prepared.warnings.push_back(warning.text);
        }
        const ArrayDesc stated = with_stated_spacing(desc, input);
        const Metadata metadata = with_stated_spacing(info.metadata, stated, input);
        if (i == 0) {
            prepared.desc = desc;
            likeness = desc.describe();
            place = metadata;
        } else if (const std::string here = desc.describe(); here != likeness) {
            throw ConfigError(pointer,
                              fmt::format("{} with {} beside {} with {}", to_utf8(prepared.files.front()), likeness, to_utf8(file),
                                          here),
                              "files of one type and shape");
        } else if (unlike.empty()) {   // one stands for all
            unlike = unlike_pixels(with_stated_spacing(prepared.desc, input), stated);
            if (unlike.empty()) unlike = unlike_places(place, metadata, stated);
            if (!unlike.empty())
                prepared.warnings.push_back(fmt::format("{} and {} are combined pixel by pixel, and {}",
                                                        to_utf8(prepared.files.front()), to_utf8(file), unlike));
        }
    }
    if (!input.combine.empty()) prepared.desc.type = ElementType::f32;
    for (std::string& told : told_of_spacing(prepared.desc, input)) prepared.warnings.push_back(std::move(told));
    prepared.desc = with_stated_spacing(std::move(prepared.desc), input);
    return prepared;
}

host::OpenedFile PreparedInput::open(const fs::path& file, const std::string& pointer) const {
    return confinement ? confinement->open(file, pointer) : host::OpenedFile(file);
}

std::function<host::OpenedFile(const fs::path&)> PreparedInput::part_opener() const {
    if (!confinement) return {};
    return [held = confinement](const fs::path& part) {
        std::optional<host::OpenedFile> opened = held->open_if_there(part, "");
        return opened ? std::move(*opened) : host::OpenedFile();
    };
}

ArrayDesc delivered(const fs::path& file, const io::FileInfo& info, const InputSpec& input) {
    if (input.read.volume && info.format != "nifti") {
        throw ConfigError(
            input.pointer + "/volume", fmt::format("a volume of a {} file", info.format), "a 4-D NIfTI file",
            R"("page" takes a page of a TIFF, and a step {"run": "select", "axis": "t", "index": 0} one of any array)");
    }
    if (input.read.pages)
        check_range(info, input, "page", input.read.keep_page_axis ? "pages" : "page", input.read.pages->second);
    if (input.read.volume) check_range(info, input, "volume", "volume", *input.read.volume + 1);
    return io::delivered(file, info, input.read);
}

std::vector<std::string> told_of_spacing(const ArrayDesc& desc, const InputSpec& input) {
    if (!input.spacing) return {};
    const std::string& unit = input.spacing->unit;
    const std::size_t numbers = input.spacing->values.size();
    if (numbers == 3 && !desc.find('z'))
        throw ConfigError(input.pointer + "/spacing_" + unit,
                          fmt::format("three numbers, x, y and z, for {}, which has no axis z", desc.describe()),
                          "a number, or [x, y]");
    const bool unknown = numbers == 2 && desc.size('z') > 1 && !(io::millimetres(desc.unit) > 0) && desc.find('z')->spacing == 1;
    if (!unknown) return {};
    return {io::without_spacing("\"spacing_" + unit + "\"", 'z', unit).text + "; [x, y, z] states it"};
}

ArrayDesc with_stated_spacing(ArrayDesc desc, const InputSpec& input) {
    if (!input.spacing) return desc;
    const auto& values = input.spacing->values;
    const char axes[] = {'x', 'y', 'z'};
    for (std::size_t i = 0; i < 3; ++i) {
        if (!desc.find(axes[i]) || (values.size() > 1 && i >= values.size())) continue;
        desc = desc.with_spacing(axes[i], values.size() == 1 ? values[0] : values[i]);
    }
    // Slices keep the distance that the file gives them, in the unit that is stated.
    const Axis* const z = desc.find('z');
    if (z && values.size() == 2)
        if (const double kept = io::converted(z->spacing, desc.unit, input.spacing->unit); kept > 0)
            desc = desc.with_spacing('z', kept);
    return desc.with_unit(input.spacing->unit);
}

Metadata with_stated_spacing(Metadata metadata, const ArrayDesc& stated, const InputSpec& input) {
    if (!input.spacing || !metadata.affine) return metadata;
    const double unit = io::millimetres(stated.unit);
    if (!(unit > 0)) {
        metadata.affine.reset();
        return metadata;
    }
    io::Space space = io::space_of(*metadata.affine, unit);
    for (std::size_t i = 0; i < 3; ++i) {
        const Axis* const axis = stated.find("xyz"[i]);
        const double now = io::length_of(space.steps[i]);
        if (axis == nullptr || !(now > 0)) continue;
        for (double& part : space.steps[i]) part *= axis->spacing / now;
    }
    metadata.affine = io::affine_of(space, unit);
    return metadata;
}

std::map<Source, Metadata> metadata_of(const Prepared& prepared) {
    std::map<Source, Metadata> all;
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i) {
        const InputSpec& spec = prepared.job.inputs[i];
        const PreparedInput& input = prepared.inputs[i];
        all[{std::nullopt, spec.name}] =
            with_stated_spacing(io::delivered_metadata(input.files.front(), input.infos.front(), spec.read), input.desc, spec);
    }
    for (std::size_t i = 0; i < prepared.resolved.steps.size(); ++i) {
        const Step& step = prepared.resolved.pipeline.steps[i];
        const ResolvedStep& resolved = prepared.resolved.steps[i];
        const ArrayDescs& inputs = resolved.problem.inputs;
        Metadata carried;   // as it is when the step runs
        if (!inputs.empty())
            carried = carry(*step.algorithm, step.parameters, inputs.begin()->second, all.at(step.inputs.begin()->second));
        for (const auto& [port, desc] : resolved.shapes) all[{i, port}] = carried;
    }
    return all;
}

std::vector<std::string> Prepared::warnings() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (const std::string& warning : inputs[i].warnings)
            all.push_back(InputWarning{job.inputs[i].name, warning}.in_words());
    }
    for (std::size_t i = 0; i < resolved.steps.size(); ++i) {
        for (const std::string& warning : resolved.steps[i].warnings)
            all.push_back(fmt::format("step \"{}\": {}", job.steps[i].id, warning));
    }
    return all;
}

Prepared prepare(Job job, const Locations& where, bool overwrite, const PreparedInputs& known) {
    if (job.for_each)
        throw UnsupportedError("a job with for_each is many jobs", {"this call prepares one; a series is run by series::run()"});
    check_locations(where);
    Prepared prepared;
    prepared.job = std::move(job);
    prepared.out = where.out;
    prepared.overwrite = overwrite;
    prepared.synced = where.synced;
    prepared.confined = where.confined;
    prepared.own = where.own;
    const auto patterns = std::make_shared<PatternBudget>();
    for (const InputSpec& input : prepared.job.inputs) {
        const auto there = known.find(input.name);
        prepared.inputs.push_back(there == known.end() ? prepare_input(input, where, patterns) : there->second);
    }
    std::vector<ResolvedInput> arrays;
    for (std::size_t i = 0; i < prepared.inputs.size(); ++i)
        arrays.push_back({prepared.inputs[i].desc, why_whole(prepared.job.inputs[i], prepared.inputs[i]),
                          beside(prepared.job.inputs[i], prepared.inputs[i])});
    prepared.resolved = resolve(prepared.job.pipeline(), std::move(arrays));
    const std::map<Source, Metadata> metadata = metadata_of(prepared);
    tell_of_places(prepared, metadata);
    OutputPlaces places(prepared);
    OutputPaths paths(where);
    for (const OutputSpec& output : prepared.job.outputs) {
        const fs::path path = paths.resolve(output.file, output.pointer);
        paths.recover_beside(path);
        if (!output.gathered) check_output(output, path, prepared, metadata, places);
        prepared.outputs.push_back(path);
    }
    return prepared;
}

void check_places(const Prepared& prepared) {
    for (std::size_t i = 0; i < prepared.outputs.size(); ++i) check_place(prepared.outputs[i], prepared.job.outputs[i].pointer);
}

}  // namespace parallax::engine
