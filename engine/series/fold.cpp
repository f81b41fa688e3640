#include "series/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>

#include "io/f32_loss.hpp"
#include "io/pieces.hpp"
#include "job/load.hpp"
#include "pipeline/place.hpp"
#include "series/checked.hpp"
#include "series/described.hpp"
#include "series/kept_file.hpp"
#include "support/octets.hpp"
#include "support/platform.hpp"

namespace parallax::engine::series {

namespace fs = std::filesystem;

/// What a process has saved.
struct Folds::State {
    fs::path header;
    std::vector<std::string> items;
    std::string read;                        ///< what they were made of; empty: an earlier version has saved it
    std::map<std::string, fs::path> files;   ///< output -> state
    std::map<std::string, Seal> seals;       ///< none where an earlier version has saved it
    std::string first{};                         ///< the first item in the order of the series; the same
    std::map<std::string, HostArray> arrays{};   ///< of it, without elements
};

namespace {

bool is_fold_file(const fs::path& file) { return to_utf8(file.filename()).starts_with("fold-"); }

/// Those that processes have named: others' files may begin so, too.
std::vector<fs::path> own_files(const fs::path& folder) {
    std::vector<fs::path> files = kept_in(folder);
    std::erase_if(files, [](const fs::path& file) {
        if (!is_fold_file(file)) return true;
        const std::string name = to_utf8(file.filename()).substr(std::strlen("fold-"));
        const std::size_t unique = host::platform::unique_suffix_in(name);
        const std::string rest = name.substr(unique), ending = to_utf8(file.extension());
        const bool is_state = rest.starts_with('-') && is_ending_of_state(ending);
        return unique == 0 || !(rest == ".json" || is_state);
    });
    return files;
}

/// What an item was made of: other contents under its name are something else.
std::string what_was_read(const Record& record) {
    std::string text = record.item + '\n' + record.window;
    for (const FileState& file : record.inputs) text += '\n' + file.hash;
    return io::hash_text(text);
}

/// The name of a file beside the header, and of none elsewhere.
fs::path beside(const fs::path& folder, const std::string& name) {
    const fs::path file = path_from(name);
    if (file.has_parent_path() || !is_fold_file(file)) throw Error("a file that no state has");
    return folder / file;
}

/// An array without its elements.
HostArray without_elements(const HostArray& array) { return {array.desc.to_dense(), array.metadata, {}}; }

/// What the arrays of all items must have alike.
std::string alike(const OutputSpec& spec, const ArrayDesc& desc) {
    return is_stack(spec.combine) ? desc.describe() : desc.with_type(ElementType::f32).describe();
}

void remove_states(const std::vector<fs::path>& files, const std::vector<fs::path>& but) {
    for (const fs::path& file : files) {
        std::error_code ignored;
        if (!file.empty() && std::find(but.begin(), but.end(), file) == but.end()) fs::remove(file, ignored);
    }
}

/// Whether an item is before another in the order of the series, which of watched files is not that in which they come.
bool comes_before(const PreparedSeries& series, std::size_t a, std::size_t b) {
    const ItemList& list = series.items.list;
    return series.options.watch ? list.at(a).front().file < list.at(b).front().file : a < b;
}

/// The place of each item in that order, by its name.
std::map<std::string, std::size_t> places_of(const PreparedSeries& series) {
    std::map<std::string, std::size_t> places;
    if (series.options.watch) {
        for (const std::size_t number : numbers_by_name(series.items.list)) places.emplace(series.items.name(number), places.size());
        return places;
    }
    for (std::size_t i = 0; i < series.items.size(); ++i) places.emplace(series.items.name(i), i);
    return places;
}

}   // namespace

Folds::Folds(const PreparedSeries& series, fs::path folder, std::string about)
    : series_(series),
      folder_(std::move(folder)),
      unique_("fold-" + host::platform::unique_suffix()),
      about_(std::move(about)) {
    for (const OutputSpec& spec : series.job.outputs) {
        if (spec.combine.empty()) continue;
        Output output;
        output.spec = &spec;
        outputs_.push_back(std::move(output));
    }
}

Folds::~Folds() = default;

void Folds::clear(const fs::path& folder) {
    for (const fs::path& file : own_files(folder)) fs::remove(file);
}

void Folds::sweep() const {
    std::set<fs::path> spoken_of;
    for (const State& state : found()) {
        spoken_of.insert(state.header);
        for (const auto& [output, file] : state.files) spoken_of.insert(file);
    }
    for (const fs::path& file : own_files(folder_)) {
        std::error_code ignored;   // it stays, and counts for nothing
        if (!spoken_of.contains(file)) fs::remove(file, ignored);
    }
}

/// All that can be read, whether they count or not.
std::vector<Folds::State> Folds::found() const {
    std::vector<State> states;
    for (const fs::path& entry : kept_in(folder_)) {
        if (!is_fold_file(entry) || entry.extension() != ".json") continue;
        State state;
        state.header = entry;
        try {
            const Json written = load_document(entry);
            if (!is_as_written(written, "seals")) continue;
            const Json json = host::with_text_as_octets(written);
            for (const Json& item : json.at("items")) state.items.push_back(item.get<std::string>());
            state.read = json.value("read", std::string());
            for (const auto& [output, file] : json.at("files").items())
                state.files[output] = beside(folder_, file.get<std::string>());
            const Json seals = json.value("seals", Json::object());
            for (const auto& [output, seal] : seals.items())
                state.seals[output] = {seal.at("hash").get<std::string>(),
                                       seal.at("frame_bytes").get_ref<const std::uint64_t&>()};
            if (json.contains("first")) {
                state.first = json["first"].at("item");
                if (std::find(state.items.begin(), state.items.end(), state.first) == state.items.end())
                    throw Error("a first item that is none of them");
                for (const auto& [output, array] : json["first"].at("arrays").items())
                    state.arrays.emplace(output, described_in(array));
            }
        } catch (const IoError&) {   // it counts, most likely
            throw;
        } catch (const std::exception&) {   // damaged: as if it had not been saved
            continue;
        }
        states.push_back(std::move(state));
    }
    std::sort(states.begin(), states.end(), [](const State& a, const State& b) { return a.header < b.header; });
    return states;
}

/// Those that count, each item once; items of others are computed again.
std::vector<Folds::State> Folds::states(const Records& records) const {
    const std::map<std::string, std::size_t> places = places_of(series_);
    std::set<std::string> taken;
    std::vector<State> counting;
    for (State& state : found()) {
        const std::set<std::string> items(state.items.begin(), state.items.end());
        const bool once = items.size() == state.items.size() &&
                          std::none_of(items.begin(), items.end(), [&](const std::string& item) { return taken.contains(item); });
        if (!once || !has_first(state, places) || !fits(state, records) || !is_sound(state)) continue;
        taken.insert(items.begin(), items.end());
        counting.push_back(std::move(state));
    }
    return counting;
}

/// Whether what it has of its first item is still that of the first: patterns may stand in another order by now.
bool Folds::has_first(const State& state, const std::map<std::string, std::size_t>& places) {
    const auto first = places.find(state.first);
    return first == places.end() || std::none_of(state.items.begin(), state.items.end(), [&](const std::string& item) {
        const auto place = places.find(item);
        return place != places.end() && place->second < first->second;
    });
}

/// Whether it is of what the records say was read for its items.
bool Folds::fits(const State& state, const Records& records) const {
    std::string read = about_;
    for (const std::string& item : state.items) {
        const auto record = records.find(item);
        if (record == records.end()) return false;
        read += what_was_read(record->second);
    }
    return state.read == io::hash_text(read);
}

/// Whether what a state speaks of is there, of each output, and as it was saved.
bool Folds::is_sound(const State& state) const {
    if (std::any_of(outputs_.begin(), outputs_.end(), [&](const Output& output) { return !state.files.contains(output.spec->name); }))
        return false;
    const auto as_saved = [&](const auto& file) {
        const auto& [output, path] = file;
        const std::optional<host::OpenedFile> opened = open_kept(path);
        if (!opened) return false;
        const auto seal = state.seals.find(output);
        if (seal == state.seals.end()) return true;
        const std::uint64_t frame = seal->second.frame_bytes, bytes = fs::file_size(opened->path());
        if (bytes == 0 || (frame != 0 && bytes / frame < state.items.size())) return false;   // it ends before
        return seal_of(opened->path(), frame, state.items.size()) == seal->second.hash;
    };
    const std::lock_guard lock(sound_mutex_);
    const auto [known, fresh] = sound_.emplace(to_utf8(state.header.filename()) + ' ' + state.read, false);
    if (fresh || state.header.stem() == unique_) known->second = std::all_of(state.files.begin(), state.files.end(), as_saved);
    return known->second;
}

std::set<std::string> Folds::saved(const Records& records) const {
    std::set<std::string> items;
    for (const State& state : states(records)) items.insert(state.items.begin(), state.items.end());
    return items;
}

std::set<std::string> Folds::saved_with(const std::set<std::string>& others, const Records& records) const {
    std::set<std::string> items;
    if (others.empty()) return items;
    for (const State& state : states(records))
        if (std::any_of(state.items.begin(), state.items.end(), [&](const std::string& item) { return others.contains(item); }))
            items.insert(state.items.begin(), state.items.end());
    return items;
}

void Folds::agree(const Records& records, const RecordedFiles& files) {
    std::vector<State> there = states(records);
    std::erase_if(there, [&](const State& state) {   // of a state that counts each item has a record
        return state.first.empty() || !files.unchanged(records.at(state.first).inputs);
    });
    const std::lock_guard lock(mutex_);
    for (Output& output : outputs_) {
        for (const State& state : there) {
            const auto array = state.arrays.find(output.spec->name);
            if (!output.known && array != state.arrays.end()) output.known = array->second;
        }
    }
}

void Folds::forget(const std::set<std::string>& items) {
    for (const State& state : found()) {
        if (std::none_of(state.items.begin(), state.items.end(), [&](const std::string& item) { return items.count(item); }))
            continue;
        fs::remove(state.header);   // first: without it nobody looks for the others
        for (const auto& [output, file] : state.files) fs::remove(file);
    }
}

const HostArray& Folds::array_of(const Work& work, const Output& output) const {
    if (output.spec->source.step) return work.arrays.at(output.spec->source);
    const auto& inputs = work.prepared->job.inputs;
    const auto input =
        std::find_if(inputs.begin(), inputs.end(), [&](const InputSpec& i) { return i.name == output.spec->source.port; });
    const auto number = static_cast<std::size_t>(input - inputs.begin());
    // One that all items have is read once, and in no item's own arrays.
    const auto shared = shared_ ? shared_->find(number) : std::map<std::size_t, HostArray>::const_iterator();
    return shared_ && shared != shared_->end() ? shared->second : work.inputs.at(number);
}

void Folds::check(const Work& work) {
    const std::lock_guard lock(mutex_);
    for (Output& output : outputs_) {
        const HostArray& array = array_of(work, output);
        if (!output.known) output.known = without_elements(array);
        const ArrayDesc& others = output.known->desc;
        if (alike(*output.spec, array.desc) != alike(*output.spec, others))
            throw Error(fmt::format("\"{}\" combines arrays of one shape: this one is {}, others are {}", output.spec->name,
                                    array.desc.describe(), others.describe()));
        if (!output.statistic)
            output.statistic =
                make_statistic(output.spec->combine, others, folder_ / path_from(unique_ + "-" + output.spec->name));
    }
}

std::vector<std::string> Folds::unlike(const Work& work) {
    std::vector<std::string> told;
    {
        const std::lock_guard lock(mutex_);
        for (const Output& output : outputs_) {
            const HostArray& array = array_of(work, output);
            std::string how = unlike_pixels(output.known->desc, array.desc);
            if (how.empty() && !is_stack(output.spec->combine))   // slices of one volume do lie apart
                how = unlike_places(output.known->metadata, array.metadata, array.desc);
            if (!how.empty())
                told.push_back(
                    fmt::format("output \"{}\": items are combined pixel by pixel, and {}", output.spec->name, how));
        }
    }
    for (const Output& output : outputs_) {
        const HostArray& array = array_of(work, output);
        const std::string loss = is_stack(output.spec->combine) ? std::string() : io::loss_in_f32(array);
        if (!loss.empty()) told.push_back(fmt::format("output \"{}\": its items are combined {}", output.spec->name, loss));
    }
    return told;
}

void Folds::add(const Work& work, const Record& record) {
    if (empty()) return;
    const std::shared_lock adding(adding_);
    std::size_t n = 0;
    {
        const std::lock_guard lock(mutex_);
        n = items_.size();
        items_.push_back(record.item);
        read_ += what_was_read(record);
        if (!first_ || comes_before(series_, work.number, *first_)) {
            first_ = work.number;
            for (Output& output : outputs_) output.first = without_elements(array_of(work, output));
        }
    }
    try {
        for (Output& output : outputs_) output.statistic->add(array_of(work, output).to_dense(), n);
    } catch (...) {
        spoiled_ = true;
        throw;
    }
}

void Folds::save_now_and_then() {
    if (empty()) return;
    const auto now = [] { return std::chrono::steady_clock::now(); };
    {
        const std::lock_guard lock(mutex_);
        if (now() < next_save_) return;
        next_save_ = now() + std::chrono::hours(1);   // nobody else meanwhile
    }
    const auto start = now();
    save();
    const std::lock_guard lock(mutex_);
    next_save_ = now() + std::clamp<std::chrono::steady_clock::duration>(20 * (now() - start), std::chrono::milliseconds(250),
                                                                         std::chrono::seconds(60));
}

void Folds::save() {
    const std::unique_lock alone(adding_);
    // What has nothing new stays as it is: another shard may be reading it, the last one of all to write what all have made.
    if (items_.size() == saved_items_ || spoiled_) return;
    io::Transaction::count_back(std::exchange(counted_, 0));   // of those before, which these replace
    Json files = Json::object(), seals = Json::object(), arrays = Json::object();
    for (const Output& output : outputs_) arrays[output.spec->name] = described(output.first);
    std::vector<fs::path> written;
    try {
        save_states(written, files, seals);
        const Json header = with_checksum(host::with_octets_as_text({{"items", items_},
                                                                     {"read", io::hash_text(about_ + read_)},
                                                                     {"files", std::move(files)},
                                                                     {"seals", std::move(seals)},
                                                                     {"first",
                                                                      {{"item", series_.items.name(first_.value())},
                                                                       {"arrays", std::move(arrays)}}}}));
        write_document(folder_ / path_from(unique_ + ".json"), header, true);
        counted_ += io::json_text(header).size();
    } catch (...) {   // no header will speak of them; files of frames go on
        for (std::size_t i = 0; i < written.size(); ++i)
            if (!outputs_[i].statistic->is_summed_up()) written[i].clear();
        remove_states(written, saved_files_);
        throw;
    }
    remove_states(saved_files_, written);   // the header speaks of the new ones now
    saved_files_ = std::move(written);
    saved_items_ = items_.size();
}

void Folds::save_states(std::vector<fs::path>& written, Json& files, Json& seals) {
    ++saves_;
    for (Output& output : outputs_) {
        written.push_back(output.statistic->save(folder_ / path_from(unique_ + "-" + output.spec->name), saves_));
        if (output.statistic->is_summed_up()) counted_ += fs::file_size(written.back());   // frames are counted as they grow
        files[output.spec->name] = to_utf8(written.back().filename());
        const Seal seal = output.statistic->seal(written.back(), items_.size());
        seals[output.spec->name] = {{"hash", seal.hash}, {"frame_bytes", seal.frame_bytes}};
    }
}

HostArray Folds::first_of(const Output& output, const std::vector<State>& all,
                          const std::map<std::string, std::size_t>& places) const {
    const std::string& name = output.spec->name;
    const State* first = nullptr;
    for (const State& state : all) {
        const auto array = state.arrays.find(name);
        if (array == state.arrays.end()) continue;   // an earlier version has saved it
        if (first == nullptr) first = &state;
        const ArrayDesc &desc = array->second.desc, &others = first->arrays.at(name).desc;
        if (alike(*output.spec, desc) != alike(*output.spec, others))
            throw Error(fmt::format("\"{}\" combines arrays of one shape: one process had {} ({}), another {} ({}). Leave those of "
                                    "one shape out of the series, then --resume",
                                    name, others.describe(), first->first, desc.describe(), state.first));
        if (places.at(state.first) < places.at(first->first)) first = &state;
    }
    if (first != nullptr) return first->arrays.at(name);
    return output.known ? *output.known : HostArray{series_.sample.resolved.desc(output.spec->source).to_dense(), {}, {}};
}

/// Others may have a hand in the folder between a look at what is saved and this one.
void Folds::refuse_lost(const Records& records, std::size_t found) const {
    std::size_t done = 0;
    for (std::size_t i = 0; i < series_.items.size(); ++i) {
        const auto record = records.find(series_.items.name(i));
        done += record != records.end() && record->second.done;
    }
    if (found != 0 && found >= done) return;   // of an item that failed later its first contents count
    throw IoError(io::show(folder_), fmt::format("what was saved of {} items is of {} by now", done, found),
                  "leave the manifest alone while a series runs; --resume does the rest again, and writes what is made of all");
}

std::vector<OutputReport> Folds::finish(io::Transaction& files, const Records& records) const {
    std::vector<OutputReport> reports;
    const std::vector<State> all = states(records);
    // Frames were added as they came; a stack has them in the order of the items.
    std::vector<std::pair<std::size_t, std::size_t>> found;
    const std::map<std::string, std::size_t> places = places_of(series_);
    for (const State& state : all) {
        for (const std::string& item : state.items) found.emplace_back(places.at(item), found.size());
    }
    std::sort(found.begin(), found.end());
    refuse_lost(records, found.size());
    std::vector<std::size_t> order;
    for (const auto& [number, place] : found) order.push_back(place);
    for (const Output& output : outputs_) {
        const HostArray first = first_of(output, all, places);
        const ArrayDesc desc =
            combined(output.spec->combine, first.desc, static_cast<std::int64_t>(order.size()), series_.items.along);
        const auto total = make_statistic(output.spec->combine, first.desc, {});
        for (const State& state : all) total->merge(state.files.at(output.spec->name), state.items.size());
        const fs::path& target = series_.gathered.at(output.spec->name);
        const auto form = io::writes_folder(target) ? io::Transaction::Form::folder : io::Transaction::Form::file;
        const auto produce = [&](const fs::path& path) { write(path, output, *total, desc, first.metadata, order); };
        const fs::path part = files.add(target, produce, form);
        reports.push_back({output.spec->name, report_file(part), desc.describe()});
        reports.back().file.path = to_utf8(fs::absolute(target));
    }
    return reports;
}

void Folds::write(const fs::path& path, const Output& output, const Statistic& total, const ArrayDesc& desc,
                  const Metadata& metadata, const std::vector<std::size_t>& order) const {
    const bool stack = is_stack(output.spec->combine);
    io::WriteOptions options = output.spec->write;
    options.name = output.spec->file;
    if (stack && io::writes_pieces(path)) {   // no more of it in memory than a frame
        std::vector<std::byte> frame(desc.dense_bytes() / order.size());
        std::size_t n = 0;
        const auto next = [&]() -> std::span<const std::byte> {
            if (n == order.size()) return {};
            total.read(order, n++, 1, frame.data());
            return frame;
        };
        io::write_pieces(path, desc, next, options, metadata);
        return;
    }
    HostArray array = HostArray::make(desc);
    array.metadata = metadata;
    if (stack)
        total.read(order, 0, order.size(), array.data());
    else
        total.result(array.as<float>());
    io::write(path, array, options);
}

}   // namespace parallax::engine::series
