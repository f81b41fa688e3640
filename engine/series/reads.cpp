#include "series/reads.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <set>
#include <system_error>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// By the inputs' names: a job may list them in another order.
using Reads = std::map<std::string, std::string>;

std::vector<fs::path> places_of(const std::vector<fs::path>& files, bool confined) {
    std::vector<fs::path> places;
    for (const fs::path& file : files) places.push_back(RecordedFiles::place_of(file, confined));
    return places;
}

std::string words_of(const InputSpec& input, const std::vector<fs::path>& places) {
    std::string words;
    if (input.read.pages) words += fmt::format("pages {} to {}\n", input.read.pages->first, input.read.pages->second);
    if (input.read.volume) words += fmt::format("volume {}\n", *input.read.volume);
    if (input.read.page_axis != '\0') words += fmt::format("page axis {}\n", input.read.page_axis);   // which plane a page is, too
    for (const fs::path& place : places) words += to_utf8(place) + '\n';
    return words;
}

std::string hash_of(const Reads& reads) {
    std::string text;
    for (const auto& [input, words] : reads) text += input + '\n' + words;
    return io::hash_text(text);
}

}  // namespace

std::string hash_of_reads(const Prepared& item, const Locations& where) {
    Reads reads;
    for (std::size_t i = 0; i < item.inputs.size(); ++i) {
        const InputSpec& input = item.job.inputs[i];
        if (input.each) reads[input.name] = words_of(input, places_of(item.inputs[i].files, where.confined));
    }
    return hash_of(reads);
}

ReadsNow::ReadsNow(const PreparedSeries& series, const RecordedFiles& files) : series_(series), files_(files) {
    if (series.where.confined) folders_ = InputFolders(&confinement_.emplace(series.where));
}

bool ReadsNow::as_recorded(std::size_t item, const std::vector<FileState>& inputs, const std::string& reads) {
    const auto [known, is_new] = known_.try_emplace(item, false);
    if (is_new) known->second = look(item, inputs, reads);
    return known->second;
}

bool ReadsNow::look(std::size_t item, const std::vector<FileState>& inputs, const std::string& reads) {
    std::set<fs::path> recorded;
    for (const FileState& file : inputs) recorded.insert(files_.place_of(path_from(file.path)));
    const Job job = job_of(series_.job, series_.items, item);
    try {
        Reads now;
        std::set<fs::path> named;
        for (const InputSpec& input : job.inputs) {
            if (!input.each) continue;
            const Confinement* const confinement = confinement_ ? &*confinement_ : nullptr;
            const std::vector<fs::path> places =
                places_of(find_files(input, series_.where, confinement, folders_), series_.where.confined);
            now[input.name] = words_of(input, places);
            named.insert(places.begin(), places.end());
        }
        if (!reads.empty() && hash_of(now) != reads) return false;
        if (named == recorded) return true;
        // A file that names others, or a folder: what they are it says itself.
        std::set<fs::path> whole;
        for (const InputSpec& input : job.inputs) {
            if (!input.each) continue;
            const PreparedInput prepared = prepare_input(input, series_.where);
            for (std::size_t f = 0; f < prepared.files.size(); ++f) {
                std::error_code unknown;
                const host::OpenedFile opened = prepared.open(prepared.files[f]);
                if (!fs::is_directory(opened.path(), unknown)) whole.insert(files_.place_of(prepared.files[f]));
                for (const io::FilePart& part : prepared.infos[f].parts) whole.insert(files_.place_of(part.path));
            }
        }
        return whole == recorded;
    } catch (const Error&) {   // who reads the item is told
        return false;
    }
}

}  // namespace parallax::engine::series
