#include "job/confinement.hpp"
#include "job/input_folders.hpp"
#include "series/filler.hpp"
#include "series/items.hpp"

#include "io/io.hpp"
#include "series/name_order.hpp"
#include "series/neighbours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

/// As a job would write it: below a root, else relative to the job's folder unless that leads far up.
std::string name_of(const fs::path& file, const Locations& where) {
    const fs::path path = fs::absolute(file).lexically_normal();
    const auto leads_up = [](const fs::path& relative) { return std::count(relative.begin(), relative.end(), ".."); };
    for (const auto& [root, folder] : where.roots) {
        const fs::path relative = path.lexically_proximate(folder);
        if (relative.is_relative() && leads_up(relative) == 0) return root + ":" + to_utf8(relative);
    }
    const fs::path relative = path.lexically_proximate(where.job_folder);
    return to_utf8(leads_up(relative) <= 2 ? relative : path);
}

/// Pages or volumes of a file, and the seconds between them where it says so.
struct Parts {
    std::int64_t count;
    Spread along{};
};

/// How an input reads the file whose pages or volumes a variable goes through.
io::ReadOptions reading_of(const InputSpec& input, const ForEachSource& source) {
    io::ReadOptions options = input.read;
    if (source.page_axis != '\0') options.page_axis = source.page_axis;
    return options;
}

/// How the inputs that are the variable read its files: how many parts these have depends on the image, the array or the level that
/// is chosen, and on what pages are.
std::vector<io::ReadOptions> readings_of(const Job& job, const ForEachSource& source) {
    std::vector<io::ReadOptions> readings;
    for (const InputSpec& input : job.inputs) {
        const auto is_it = [&](const std::string& file) {
            const ForEachSource* const there = job.for_each->alone_in(file);
            return there && there->variable == source.variable;
        };
        if (std::any_of(input.files.begin(), input.files.end(), is_it)) readings.push_back(reading_of(input, source));
    }
    if (!readings.empty()) return readings;
    io::ReadOptions plain;   // inputs have its name and its number alone
    plain.page_axis = source.page_axis;
    plain.alone = true;
    return {plain};
}

Parts parts_of(const fs::path& file, const ForEachSource& source, io::ReadOptions options, const Confinement* confinement) {
    const host::OpenedFile opened = confinement ? confinement->open(file, source.pointer) : host::OpenedFile(file);
    options.through = opened.path();
    if (confinement)
        options.open_part = [confinement](const fs::path& part) {
            std::optional<host::OpenedFile> there = confinement->open_if_there(part, "");
            return there ? std::move(*there) : host::OpenedFile();
        };
    const io::FileInfo info = io::info(file, options);
    const bool deeper = info.desc.find('z') || info.desc.find('t') || info.desc.find('n');
    const bool is_one_volume = source.kind == "volumes" && info.format == "nifti";
    if (info.page_axes == 0 && deeper && !is_one_volume) {
        throw ConfigError(source.pointer, fmt::format("{}, a {} file of {}", to_utf8(file), info.format, info.desc.describe()),
                          source.kind == "pages"
                              ? "a stack of TIFF or NPY, or times of another format, which can be gone through one by one"
                              : "a 4-D NIfTI file, whose volumes can be gone through");
    }
    Parts parts{info.pages()};
    const Axis& pages = info.desc.axes.front();
    const double step = pages.spacing * static_cast<double>(source.stride);
    if (info.page_axes == 1 && pages.name == 't') parts.along.spacing = step;
    if (info.page_axes == 1 && pages.name == 'z') parts.along = {'z', step, info.desc.unit};
    return parts;
}

/// The same for all that read the file.
Parts parts_of(const fs::path& file, const ForEachSource& source, const std::vector<io::ReadOptions>& readings,
               const Confinement* confinement) {
    const Parts parts = parts_of(file, source, readings.front(), confinement);
    for (std::size_t i = 1; i < readings.size(); ++i) {
        const std::int64_t others = parts_of(file, source, readings[i], confinement).count;
        if (others == parts.count) continue;
        throw ConfigError(source.pointer, fmt::format("{}, of which one input has {} {} and another {}", to_utf8(file), parts.count, source.kind, others),
                          "as many for each",
                          fmt::format("give the other input a variable of its own, with a \"range\" of {} {}",
                                      std::min(parts.count, others), source.kind));
    }
    return parts;
}

struct Elements {
    std::vector<Element> list;
    Spread along{};   ///< see Items
    std::optional<NamePair> out_of_number{};
};

Elements find_elements(const Job& job, const ForEachSource& source, const Locations& where) {
    const std::vector<io::ReadOptions> readings = readings_of(job, source);
    std::vector<Element> all;
    Spread along;
    int files = 0;
    std::optional<NamePair> disorder;
    std::optional<Confinement> confinement;
    if (where.confined) confinement.emplace(where);
    const Confinement* const held = confinement ? &*confinement : nullptr;
    InputFolders folders(held);
    for (const std::string& pattern : source.patterns) {
        const std::vector<fs::path> found = resolve_inputs(pattern, where, source.pointer, held, &folders);
        if (!disorder) disorder = out_of_number(found);
        for (const fs::path& file : found) {
            const auto next = [&all] { return static_cast<std::int64_t>(all.size()); };
            if (source.kind == "files") {
                all.push_back({file, next(), std::nullopt});
                continue;
            }
            const Parts parts = parts_of(file, source, readings, held);
            along = ++files == 1 ? parts.along : Spread();   // between files nobody knows
            for (std::int64_t part = 0; part < parts.count; ++part) all.push_back({file, next(), part});
        }
    }
    const auto count = static_cast<std::int64_t>(all.size());
    const auto [first, end] = source.range.value_or(std::pair<std::int64_t, std::int64_t>{0, count});
    if (end > count) {
        throw ConfigError(source.pointer + "/range", fmt::format("[{}, {}]", first, end),
                          fmt::format("at most [0, {}]: there are {} {}", count, count, source.kind));
    }
    std::vector<Element> taken;
    for (std::int64_t i = first; i < end; i += source.stride) taken.push_back(std::move(all[static_cast<std::size_t>(i)]));
    return {std::move(taken), std::move(along), std::move(disorder)};
}

/// A file that two patterns find is two items: means and tables have it twice.
void warn_of_twins(const ForEachSource& source, const std::vector<Element>& elements, std::vector<std::string>& warnings) {
    std::set<std::pair<fs::path, std::int64_t>> taken;
    for (const Element& element : elements) {
        if (taken.insert({element.file.lexically_normal(), element.part.value_or(-1)}).second) continue;
        warnings.push_back(fmt::format(
            "for_each \"{}\": the file {} comes more than once, and is an item each time: see whether the patterns overlap",
            source.variable, to_utf8(element.file)));
        return;   // one stands for all
    }
}

}  // namespace

void ItemList::add(Item item) const {
    std::string files;
    for (const Element& element : item)
        files += to_utf8(fs::absolute(element.file).lexically_normal()) + fmt::format("#{}\n", element.part.value_or(-1));
    const std::unique_lock lock(data_->mutex);
    if (const std::size_t time = ++data_->times[std::move(files)]; time > 1) data_->again.emplace(data_->items.size(), time);
    data_->items.push_back(std::move(item));
}

std::string Items::name(std::size_t number) const {
    std::string name;
    for (const Element& element : list.at(number)) {
        name += (name.empty() ? "" : " + ") + name_of(element.file, where);
        if (element.part) name += fmt::format("#{}", *element.part);
    }
    if (const std::size_t time = list.time_of(number); time > 1) name += fmt::format(" (time {})", time);
    return name;
}

std::vector<std::size_t> numbers_by_name(const ItemList& list) {
    std::vector<std::pair<fs::path, std::size_t>> files;
    for (std::size_t i = 0; i < list.size(); ++i) files.emplace_back(list.at(i).front().file, i);
    std::sort(files.begin(), files.end());
    std::vector<std::size_t> numbers;
    for (const auto& [file, number] : files) numbers.push_back(number);
    return numbers;
}

Items find_items(const Job& job, const Locations& where) {
    Items items;
    items.where =
        absolute(where);   // files that are found stand in the items' jobs, where a relative one would be looked up once more
    if (!job.for_each) {
        items.list.add({});
        return items;
    }
    items.for_each = *job.for_each;
    const auto& sources = items.for_each.sources;
    std::vector<Item> found;
    std::vector<std::string> disorders;
    for (const ForEachSource& source : sources) {
        const auto [elements, along, disorder] = find_elements(job, source, items.where);
        if (disorder) disorders.push_back(told_of_order(source.variable, *disorder, false));
        if (source.patterns.size() > 1) warn_of_twins(source, elements, items.warnings);
        if (&source == &sources.front()) {
            items.along = along;
            found.resize(elements.size());
        }
        if (elements.size() != found.size()) {
            throw ConfigError(source.pointer, fmt::format("{} {} for \"{}\"", elements.size(), source.kind, source.variable),
                              fmt::format("{}, as many as for \"{}\"", found.size(), sources.front().variable),
                              "variables of one series go side by side");
        }
        for (std::size_t i = 0; i < elements.size(); ++i) found[i].push_back(elements[i]);
    }
    for (Item& item : found) items.list.add(std::move(item));
    // Side by side, one without the other goes with the wrong one of it.
    if (order_shows(job) || (!disorders.empty() && disorders.size() < sources.size()))
        items.warnings.insert(items.warnings.end(), disorders.begin(), disorders.end());
    return items;
}

Items items_of_files(const Job& job, const Locations& where, const std::vector<fs::path>& files) {
    Items items;
    items.where = absolute(where);
    items.for_each = *job.for_each;
    for (std::size_t i = 0; i < files.size(); ++i) items.list.add({{files[i], static_cast<std::int64_t>(i), std::nullopt}});
    return items;
}

Job job_of(const Job& series, const Items& items, std::size_t number) {
    Job job = series;
    job.for_each.reset();
    if (!series.for_each) return job;
    const auto& sources = items.for_each.sources;
    const Filler fill(items, number);
    for (InputSpec& input : job.inputs) {
        if (!input.each) continue;
        for (std::string& file : input.files) {
            if (const ForEachSource* const source = items.for_each.alone_in(file); source && source->kind != "files") {
                const std::int64_t part = *fill.item()[static_cast<std::size_t>(source - sources.data())].part;
                input.read = reading_of(input, *source);
                if (source->kind == "pages") input.read.pages = {part, part + 1};
                else input.read.volume = part;
            }
            const bool has_colon = file.find(':') != std::string::npos;   // else one comes from the name of the item's file
            file = input.globs ? fill.pattern(file) : fill(file);
            if (!has_colon) file = without_root(file);
        }
    }
    for (OutputSpec& output : job.outputs) {
        output.gathered = output.of_series();
        if (!output.gathered) output.file = fill(output.file);
    }
    return job;
}

}  // namespace parallax::engine::series
