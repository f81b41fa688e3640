#include "io/kept.hpp"
#include "io/known_files.hpp"
#include "io/known_status.hpp"
#include "io/one_name.hpp"
#include "io/picture/picture.hpp"
#include "io/real_paths.hpp"
#include "io/transaction.hpp"
#include "series/filler.hpp"
#include "series/first_items.hpp"
#include "series/own_files.hpp"
#include "series/places.hpp"
#include "series/recorded_files.hpp"
#include "series/series.hpp"
#include "series/statistic.hpp"

#include "job/confinement.hpp"
#include "job/endings.hpp"
#include "job/files_of_run.hpp"
#include "job/input_folders.hpp"
#include "job/output_paths.hpp"

#include "support/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// The folder of the manifest as it is looked at; of a confined job no link leads to it. It may not be there.
struct ManifestNow {
    explicit ManifestNow(const PreparedSeries& series) : path(series.options.manifest) {
        if (!series.where.confined) return;
        try {
            held = host::Folder::open_strictly(path);
            path = *held / ".";
        } catch (const std::system_error&) {   // who holds it for the run says why
            path.clear();
        }
    }
    bool exists() const { return !path.empty() && Manifest::exists(path); }
    /// Records may be there without their header, which has been lost.
    bool is_begun() const { return !path.empty() && Manifest::is_begun(path); }

    std::optional<host::Folder> held;
    fs::path path;   ///< empty: it cannot be opened so
};

/// `own`: by its records the series may have made the file; `lost`: they said so of all that is made of all items, and are damaged.
std::string how_to_replace(const PreparedSeries& series, bool own, bool lost) {
    if (lost)
        return fmt::format("{} is damaged, which says what of that the series has made: move it away, and --resume makes it again; or use "
                           "--overwrite, which does every item again",
                           to_utf8(Manifest::place_of_made(series.options.manifest)));
    if (!own && (series.options.resume || series.options.shard.count > 1))
        return "no record of the series says that it made it: move it away, or use --overwrite, which does every item again";
    return ManifestNow(series).exists() ? "--resume goes on with the series, --overwrite does it again"
                                              : "use --overwrite to replace them, or --out for another folder";
}

/// What a place is to the records of a series; empty: nothing.
std::string role_among_records(const fs::path& place, const fs::path& records) {
    if (io::are_one_place(place, records)) return "where the series keeps its records";
    if (io::lies_in(records, place)) return "in which the series keeps its records";   // a store goes with all that is in it
    for (const fs::path& name : {place.filename(), fs::path(io::rough_name(place.filename()))})
        if (Manifest::keeps(name) && io::are_one_place(place, records / name)) return "which is a record of the series";
    return {};
}

fs::path place_of_records(const PreparedSeries& series, io::RealPaths& real) {
    return real.of(series.options.manifest / "any").parent_path();
}

/// What says which files are the series' own; empty: it does not go on with what others, or runs before, have begun.
fs::path records_of_before(const PreparedSeries& series, const ManifestNow& manifest) {
    return series.options.resume || series.options.shard.count > 1 ? manifest.path : fs::path();
}

/// Every path that every item writes: below --out, free, and of one item only.
void check_targets(const PreparedSeries& series) {
    const ManifestNow manifest(series);
    const OwnFiles& own = *series.own;
    const MadeOfAll made(series, records_of_before(series, manifest));
    const std::size_t of_series = series.items.size();   // the owner of what all items make together
    const auto whose = [&](std::size_t owner) {
        return owner == of_series ? std::string("the whole series") : series.items.name(owner);
    };
    io::RealPaths real;
    // A stranger's files may be links by now: nothing is tried there.
    Places places(!series.where.confined, real.of(series.where.out / "any").parent_path());
    const fs::path records = place_of_records(series, real);
    const auto take = [&](const fs::path& path, const std::string& at, std::size_t owner) {
        const fs::path place = real.of(path);
        if (const std::string role = role_among_records(place, records); !role.empty())
            throw ConfigError(at, fmt::format("{}, {}", to_utf8(path), role), "another file",
                              "--manifest DIR names another folder for the records");
        if (const std::size_t* const other = places.take(place, owner))
            throw ConfigError(at, fmt::format("the file {} for {} and for {}", to_utf8(path), whose(*other), whose(owner)),
                              "a file of its own for each item",
                              fmt::format("{{{}.index}} differs for each", series.items.for_each.sources.front().variable));
    };
    OutputPaths outputs(series.where);
    std::size_t existing = 0;
    fs::path first;
    bool own_first = false, lost_first = false;
    const std::string* pointer = nullptr;
    std::error_code ignored;
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const Filler fill(series.items, i);
        for (const OutputSpec& output : series.job.outputs) {
            if (output.of_series()) continue;
            const fs::path path = outputs.resolve(fill(output.file), output.pointer);
            outputs.recover_beside(path);
            take(path, output.pointer, i);
            const bool mine = i % series.options.shard.count == series.options.shard.number - 1;
            if (!mine) continue;
            const bool there = fs::exists(path, ignored);
            const std::string name = series.items.name(i);
            const bool again = !series.options.resume || !own.has_done(name);
            if (again && there) check_place(path, output.pointer);
            else if (again) engine::check_names(path, output.pointer);
            if (series.options.overwrite || !there) continue;
            const bool may_be_own = own.has(path);
            if (series.options.resume && may_be_own) continue;
            if (existing++ == 0) first = path, own_first = may_be_own, pointer = &output.pointer;
        }
    }
    std::set<fs::path> tables;   // several outputs may be columns of one
    for (const auto& [name, path] : series.gathered) {
        const auto output = std::find_if(series.job.outputs.begin(), series.job.outputs.end(),
                                         [&name = name](const OutputSpec& o) { return o.name == name; });
        if (output->form == OutputForm::table && !tables.insert(path).second) continue;
        take(path, output->pointer, of_series);
        if (!series.options.resume) check_place(path, output->pointer);
        if (series.options.overwrite || !fs::exists(path, ignored)) continue;
        if (made.has(path) || (series.options.resume && own.has(path))) continue;
        if (existing++ == 0) first = path, pointer = &output->pointer, lost_first = made.is_damaged();
    }
    if (const auto [inner, outer] = places.nested(); !inner.empty())
        throw ConfigError("/outputs", fmt::format("{} beside the output {}", to_utf8(inner), to_utf8(outer)),
                          "outputs of which none lies in another");
    if (existing == 0) return;
    throw ConfigError(*pointer,
                      existing == 1 ? fmt::format("the existing file {}", to_utf8(first))
                                    : fmt::format("{} and {} more that exist", to_utf8(first), existing - 1),
                      "no files of these names", how_to_replace(series, own_first, lost_first));
}

/// Records and tables know items by their names.
void check_names(const PreparedSeries& series) {
    const std::string& pointer = series.items.for_each.sources.front().pointer;
    const auto runs = [](const InputSpec& input) { return input.running > 1; };
    const bool running = std::any_of(series.job.inputs.begin(), series.job.inputs.end(), runs);
    std::unordered_set<std::string> names;
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const std::string name = series.items.name(i);
        if (!names.insert(name).second)
            throw ConfigError(pointer, fmt::format("two items of the name \"{}\"", name), "items whose names differ",
                              "rename one of their files");
        if (running && series.items.list.time_of(i) > 1)   // nobody knows which frames are around it
            throw ConfigError(pointer,
                              fmt::format("the file of the item \"{}\" more than once, with an input that is \"running\"", name),
                              "each file once", "see whether the patterns overlap; a file that is to come twice can be a link of another name");
    }
}

/// Files that the items read, and those that these name.
class ReadByItems {
public:
    ReadByItems(const PreparedSeries& series, FilesOfRun& files) : series_(series), files_(files) {
        if (series.where.confined) folders_ = InputFolders(&confinement_.emplace(series.where));
    }
    void add(std::size_t item) {
        folders_.patterns().renew();
        for (const InputSpec& input : job_of(series_.job, series_.items, item).inputs) {
            if (!input.each) continue;
            try {
                add(input);
            } catch (const Error&) {   // who reads the item is told
            }
        }
        for (const Element& element : series_.items.list.at(item))
            if (is_new(element.file)) files_.add_input(element.file);
    }

private:
    /// Pages by the thousand are of one file.
    bool is_new(const fs::path& file) { return seen_.insert(file.native()).second; }

    void add(const InputSpec& input) {
        bool parts = false;
        for (const fs::path& file : find_files(input, series_.where, confinement_ ? &*confinement_ : nullptr, folders_)) {
            if (!is_new(file)) continue;
            files_.add_input(file);
            parts = parts || (!input.read.raw && may_have_parts(file));
        }
        if (parts) files_.add(prepare_input(input, series_.where));
    }
    bool may_have_parts(const fs::path& file) const {
        try {
            const host::OpenedFile opened = confinement_ ? confinement_->open(file, "") : host::OpenedFile(file);
            return io::may_have_parts(opened.path());
        } catch (const Error&) {   // it cannot be read: none of its parts will be
            return false;
        }
    }

    const PreparedSeries& series_;
    FilesOfRun& files_;
    std::optional<Confinement> confinement_;
    InputFolders folders_;
    std::unordered_set<fs::path::string_type> seen_;
};

/// Of the series as it is now, which outlives it.
FilesOfRun files_of(const PreparedSeries& series) {
    return {[&series](FilesOfRun& files) {
                files.add(series.where.own);
                for (const auto& [name, input] : series.shared) files.add(input);
                ReadByItems items(series, files);
                for (std::size_t i = 0; i < series.items.size(); ++i) items.add(i);
            },
            true};
}

/// Nothing that the series writes takes the place of what any item reads, or of the job.
void check_inputs_kept(const PreparedSeries& series) {
    FilesOfRun read = files_of(series);
    const auto refuse = [&](const fs::path& path, const std::string& written, const std::string& pointer, const char* hint) {
        const auto found = read.at(path);
        if (!found) return;
        const bool by_series = found->how == FilesOfRun::Found::How::is && found->what == FilesOfRun::an_input;
        throw ConfigError(pointer, fmt::format("{}, {}", written, by_series ? "which the series reads" : found->in_words()),
                          "a place that the job does not read", hint);
    };
    const fs::path out = fs::absolute(series.where.out);
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const Filler fill(series.items, i);
        for (const OutputSpec& output : series.job.outputs) {
            if (output.of_series()) continue;
            const std::string file = fill(output.file);
            refuse(written_output(file, out, output.pointer), file, output.pointer,
                   "where it is an output of an earlier run, take another folder, or names that the pattern of for_each does not "
                   "match");
        }
    }
    for (const auto& [name, path] : series.gathered) refuse(path, to_utf8(path), "/outputs/" + name, "");
    refuse(series.options.manifest / "series.json", to_utf8(series.options.manifest), "--manifest", "name another folder");
}

void check_gathered(PreparedSeries& series, const OutputSpec& output, const fs::path& path) {
    writable_ancestor(path, output.pointer);
    if (output.form != OutputForm::array) return;
    const ArrayDesc& desc = series.sample.resolved.desc(output.source);
    if (is_complex(desc.type) && !is_stack(output.combine))
        throw ConfigError(output.pointer, desc.describe(), "an array of real numbers to combine");
    const ArrayDesc whole = combined(output.combine, desc, static_cast<std::int64_t>(series.items.size()), series.items.along);
    check_format(output, whole);
    if (const std::string pace = io::picture::pace_warning(path, whole, output.write); !pace.empty())
        series.items.warnings.push_back(fmt::format("output \"{}\": {}", output.name, pace));
}

/// What can be done with files that come one by one.
void check_watched(const PreparedSeries& series) {
    const ForEach& each = *series.job.for_each;
    const auto refuse = [](const std::string& pointer, const char* found, const char* expected) {
        throw ConfigError(pointer, found, expected, "leave --watch out, and the series is of what is there");
    };
    if (each.sources.size() != 1) refuse("/for_each", "several variables beside --watch", "one, for files that come");
    const ForEachSource& source = each.sources.front();
    if (source.kind != "files") refuse(source.pointer, "pages or volumes beside --watch", "files that come");
    if (source.range || source.stride != 1)
        refuse(source.pointer, "\"range\" or \"stride\" beside --watch", "every file that comes");
    if (series.options.shard.count > 1) refuse("--shard", "--shard beside --watch", "one process that watches");
    for (const InputSpec& input : series.job.inputs) {
        if (input.running > 0) refuse(input.pointer, "\"running\" beside --watch", "inputs that do not wait for later frames");
    }
}

/// Files that an earlier watch has done are not waited for.
void trust_what_is_done(FolderWatch& folder, const PreparedSeries& series) {
    const auto files = std::make_shared<const RecordedFiles>(series.where);
    const ManifestNow manifest(series);
    if (manifest.path.empty()) return;
    std::map<fs::path, FileState> done;
    for (const auto& [name, record] : Manifest::contents_of(manifest.path).records) {
        for (const FileState& input : record.inputs) {
            if (record.done) done.emplace(files->place_of(path_from(input.path)), input);
        }
    }
    folder.trust([files, done = std::move(done)](const fs::path& file) {
        const auto known = done.find(files->place_of(file));
        return known != done.end() && files->unchanged(known->second);
    });
}

void begin_watching(const PreparedSeries& series) {
    check_watched(series);
    const ForEachSource& source = series.job.for_each->sources.front();
    const Watch& watch = *series.options.watch;
    watch.folder = std::make_shared<FolderWatch>(source.patterns, source.pointer, series.where);
    if (series.options.resume) trust_what_is_done(*watch.folder, series);
    if (watch.began) watch.began();
}

/// What is written must not come back as a file that came.
void check_nothing_watched(const PreparedSeries& series) {
    for (const OutputSpec& output : job_of(series.job, series.items, 0).outputs) {
        const fs::path target = resolve_output(output.file, series.where, output.pointer);
        if (series.options.watch->folder->wants(target))
            throw ConfigError(output.pointer, fmt::format("{}, which --watch would take for a file that came", to_utf8(target)),
                              "another folder, or a name that the pattern does not match");
    }
}

/// A job's own name may be as long as a file's, and has ".series" behind it here.
void check_name_of_records(const fs::path& folder) {
    constexpr std::size_t longest = 255;   // of every file system in use
    const std::size_t bytes = to_utf8(folder.filename()).size();
    if (bytes <= longest) return;
    throw ConfigError("--manifest", fmt::format("a name of {} bytes for the folder of the records", bytes),
                      fmt::format("at most {} bytes", longest),
                      "it is the job's name with \".series\": --manifest DIR names another folder, or give the job a shorter name");
}

/// Items that are pages of one file share what is known of it.
void keep_files_of_pages(Job& job) {
    for (InputSpec& input : job.inputs) {
        const bool pages = std::any_of(input.files.begin(), input.files.end(), [&](const std::string& file) {
            const ForEachSource* const source = job.for_each->alone_in(file);
            return source && source->kind != "files";
        });
        if (pages) input.read.kept = std::make_shared<io::Kept>();
    }
}

}  // namespace

std::vector<fs::path> targets_of(const PreparedSeries& series, std::size_t item) {
    std::vector<fs::path> targets;
    for (const OutputSpec& output : job_of(series.job, series.items, item).outputs) {
        if (!output.gathered) targets.push_back(resolve_output(output.file, series.where, output.pointer));
    }
    return targets;
}

namespace {

/// Whether something stands at outputs of an item, and all of that is the series' own.
bool has_results(const PreparedSeries& series, std::size_t number) {
    bool any = false;
    for (const fs::path& target : targets_of(series, number)) {
        if (!io::is_seen(target)) continue;
        if (!series.own->has(target)) return false;
        any = true;
    }
    return any;
}

}  // namespace

Prepared PreparedSeries::prepare_item(std::size_t number, bool again) const {
    // What another shard has to do it may have done: as a sample its items are as good as one's own.
    const bool mine = number % options.shard.count == options.shard.number - 1;
    const bool may_exist = options.overwrite || again || !mine || (options.resume && has_results(*this, number));
    return prepare(job_of(job, items, number), where, may_exist, shared);
}

Roles::Roles(const PreparedSeries& series) : series_(series), read_(files_of(series)) {}

std::string Roles::of(const fs::path& file) {
    io::RealPaths real;
    OutputPaths outputs(series_.where);
    const fs::path place = real.of(file);
    io::KnownFiles there;
    there.add(file);
    const auto is_it = [&](const fs::path& other) { return real.of(other) == place || there.has(other); };
    // A store, which replaces all that is in the one before.
    const auto lies_in = [&](const fs::path& other) { return io::lies_in(place, real.of(other)); };
    if (const std::string role = role_among_records(place, place_of_records(series_, real)); !role.empty()) return role;
    if (const auto read = read_.at(file)) return read->in_words();
    for (const auto& [name, output] : series_.gathered) {
        if (is_it(output)) return "which is an output too";
        if (lies_in(output)) return "which is in an output";
    }
    for (std::size_t i = 0; i < series_.items.size(); ++i) {
        const Filler fill(series_.items, i);
        for (const OutputSpec& output : series_.job.outputs) {
            if (output.of_series()) continue;
            const fs::path target = outputs.resolve(fill(output.file), output.pointer);
            if (is_it(target)) return "which is an output too";
            if (lies_in(target)) return "which is in an output";
        }
    }
    return {};
}

PreparedSeries prepare_series(Job job, const Locations& where, const SeriesOptions& options) {
    if (!job.for_each)
        throw UnsupportedError("a job without for_each is no series", {"prepare() and run() of job/runner.hpp run it"});
    check_locations(where);
    refuse_dots_behind_link(options.manifest, "--manifest");
    check_name_of_records(options.manifest);
    PreparedSeries series;
    series.job = std::move(job);
    series.where = absolute(where);
    series.options = options;
    {
        const ManifestNow manifest(series);
        // Where none was begun there is nothing to go on with: it begins, and replaces nobody's files.
        series.options.resume = options.resume && manifest.is_begun();
        series.own = std::make_shared<const OwnFiles>(series, records_of_before(series, manifest));
    }
    if (options.watch) begin_watching(series);
    keep_files_of_pages(series.job);   // first: pages are read of the file that they were counted in
    series.items = options.watch ? first_items(series) : find_items(series.job, series.where);
    for (const InputSpec& input : series.job.inputs) {
        if (!input.each) series.shared.emplace(input.name, prepare_input(input, series.where));
    }
    for (const OutputSpec& output : series.job.outputs) {
        if (!output.of_series()) continue;
        const fs::path path = resolve_output(output.file, where, output.pointer);
        for (const auto& [name, other] : series.gathered) {
            const bool both_tables = output.form == OutputForm::table && other == path;
            if (other == path && !both_tables)
                throw ConfigError(output.pointer, fmt::format("the file {} a second time", to_utf8(path)), "a file of its own");
        }
        series.gathered.emplace(output.name, path);
    }
    check_names(series);
    check_targets(series);
    if (options.watch) check_nothing_watched(series);
    check_inputs_kept(series);
    series.sample = of_first_item(series, [&](std::size_t item) { return series.prepare_item(item); });
    for (const OutputSpec& output : series.job.outputs) {
        if (output.of_series()) check_gathered(series, output, series.gathered.at(output.name));
    }
    return series;
}

}  // namespace parallax::engine::series
