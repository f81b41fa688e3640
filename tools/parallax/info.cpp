// parallax info: what an image or array file holds.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "commands.hpp"
#include "console.hpp"
#include "job/job.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "pipeline/place.hpp"

namespace parallax::cli {

namespace {

/// Of the finite values; of complex numbers, their moduli. The ends of integers are integers: 64 bits are more than a double has.
struct Range {
    double least = std::numeric_limits<double>::infinity(), most = -least, sum = 0;
    std::int64_t finite = 0, non_finite = 0;
    Json integer_least, integer_most;   ///< null: real numbers
    Json low() const { return integer_least.is_null() ? Json(least) : integer_least; }
    Json high() const { return integer_most.is_null() ? Json(most) : integer_most; }

    void add(double value) {
        if (!std::isfinite(value)) {
            ++non_finite;
            return;
        }
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
        ++finite;
    }
};

template <class T>
void add_all(Range& range, const HostArray& array) {
    const T* values = array.as<T>();
    for (std::int64_t i = 0; i < array.desc.count(); ++i) range.add(static_cast<double>(values[i]));
    if constexpr (std::is_integral_v<T>) {
        if (array.desc.count() == 0) return;
        const auto [low, high] = std::minmax_element(values, values + array.desc.count());
        range.integer_least = *low;
        range.integer_most = *high;
    }
}

template <class T>
void add_moduli(Range& range, const HostArray& array) {
    const T* values = array.as<T>();
    for (std::int64_t i = 0; i < array.desc.count(); ++i) range.add(std::hypot(values[2 * i], values[2 * i + 1]));
}

Range range_of(const HostArray& array) {
    Range range;
    switch (array.desc.type) {
        case ElementType::boolean:
        case ElementType::u8: add_all<std::uint8_t>(range, array); break;
        case ElementType::i8: add_all<std::int8_t>(range, array); break;
        case ElementType::u16: add_all<std::uint16_t>(range, array); break;
        case ElementType::i16: add_all<std::int16_t>(range, array); break;
        case ElementType::u32: add_all<std::uint32_t>(range, array); break;
        case ElementType::i32: add_all<std::int32_t>(range, array); break;
        case ElementType::u64: add_all<std::uint64_t>(range, array); break;
        case ElementType::i64: add_all<std::int64_t>(range, array); break;
        case ElementType::f32: add_all<float>(range, array); break;
        case ElementType::f64: add_all<double>(range, array); break;
        case ElementType::c64: add_moduli<float>(range, array); break;
        case ElementType::c128: add_moduli<double>(range, array); break;
    }
    return range;
}

std::string in_words(const Json& number) {
    return number.is_number_float() ? fmt::format("{}", number.get<double>()) : number.dump();
}
const char* words_of(const io::FileInfo& info) {
    switch (info.colour) {
        case io::Colour::grey_alpha: return "grey and alpha";
        case io::Colour::rgb: return "red, green, blue";
        case io::Colour::rgb_alpha: return "red, green, blue, alpha";
        case io::Colour::other: return "not colours";
        default: return "";
    }
}

/// Of the other files that its elements come from.
std::vector<std::string> names_of(const io::FileInfo& info) {
    std::vector<std::string> names;
    for (const io::FilePart& part : info.parts) names.push_back(engine::to_utf8(part.path.filename()));
    return names;
}

bool says_spacing(const Axis& axis) { return axis.name != 't' || axis.spacing > 0; }

Json to_json(const io::FileInfo& info, const Range& range) {
    Json axes = Json::array();
    for (const Axis& axis : info.desc.axes) {
        axes.push_back({{"name", std::string(1, axis.name)}, {"size", axis.size}, {"spacing", says_spacing(axis) ? Json(axis.spacing) : Json()}});
    }
    Json json{
        {"format", info.format},   {"detail", info.detail},  {"file_bytes", info.file_bytes}, {"type", to_string(info.desc.type)},
        {"axes", std::move(axes)}, {"unit", info.desc.unit}, {"pages", info.pages()}};
    if (info.desc.find('c')) json["channels"] = words_of(info);
    if (!info.metadata.channels.empty()) json["channel_names"] = info.metadata.channels;
    if (!info.parts.empty()) {
        json["parts"] = names_of(info);
        json["files"] = json["parts"].size() + 1;
    }
    json["polarity"] = info.white_is_zero ? "white is zero" : "black is zero";
    if (range.finite > 0)
        json["range"] = {{"min", range.low()}, {"max", range.high()}, {"mean", range.sum / static_cast<double>(range.finite)}};
    json["non_finite"] = range.non_finite;
    if (info.metadata.affine) json["affine"] = *info.metadata.affine, json["orientation"] = engine::orientation_of(info.metadata);
    json["warnings"] = Json::array();
    for (const io::Warning& warning : info.warnings) json["warnings"].push_back(warning.text);
    json["ignored"] = info.ignored;
    if (!info.metadata.notes.empty()) json["notes"] = info.metadata.notes;
    return json;
}

void print(const io::FileInfo& info, const Range& range) {
    say("format   {}{}, {}\n", info.format, info.detail.empty() ? "" : " (" + info.detail + ")",
        human_bytes(static_cast<double>(info.file_bytes)));
    if (!info.parts.empty()) {
        constexpr std::size_t most = 8;   // that are named
        const std::vector<std::string> names = names_of(info);
        const std::span<const std::string> first(names.data(), std::min(most, names.size()));
        say("files    {}: this, {}{}\n", names.size() + 1, fmt::join(first, ", "), names.size() > most ? ", ..." : "");
    }
    say("array    {}\n", info.desc.describe());
    if (const Axis* const c = info.desc.find('c')) {
        const std::string names = fmt::format("{}", fmt::join(info.metadata.channels, ", "));
        say("channels {}: {}{}{}\n", c->size, words_of(info), names.empty() ? "" : ": ", names);
    }
    std::string spacing;
    for (const Axis& axis : info.desc.axes) {
        if (axis.name == 'c' || axis.name == 'n') continue;
        const std::string step = !says_spacing(axis) ? "not said" : fmt::format("{}{}", axis.spacing, axis.name == 't' ? " s" : "");
        spacing += fmt::format("{}{} {}", spacing.empty() ? "" : ", ", axis.name, step);
    }
    // Without a unit 1 is a pixel; any other number is a length that the file does not name.
    const bool pixels =
        std::all_of(info.desc.axes.begin(), info.desc.axes.end(), [](const Axis& axis) { return axis.name == 't' || axis.spacing == 1; });
    say("spacing  {} {}\n", spacing, !info.desc.unit.empty() ? info.desc.unit : pixels ? "pixels" : "without a unit");
    if (const std::string letters = engine::orientation_of(info.metadata); !letters.empty())
        say("towards  {} (x, y, z go there), from {:.6g}, {:.6g}, {:.6g} mm right, anterior, superior\n", letters,
            (*info.metadata.affine)[3], (*info.metadata.affine)[7], (*info.metadata.affine)[11]);
    if (info.white_is_zero) say("polarity white is zero\n");
    if (range.finite > 0) {
        say("range    {} to {}, mean {:.6g}{}\n", in_words(range.low()), in_words(range.high()),
            range.sum / static_cast<double>(range.finite), is_complex(info.desc.type) ? " (modulus)" : "");
    }
    if (range.non_finite > 0) say("         {} values are NaN or infinite\n", range.non_finite);
    for (const io::Warning& warning : info.warnings) say("warning  {}\n", warning.text);
    for (const std::string& thing : info.ignored) say("left out {}\n", thing);
    for (const auto& [name, text] : info.metadata.notes) say("note     {}: {}\n", name, text);
}

/// As --set has values: JSON or a plain word, so that 1 is a number and "1" a name, as in a job. A plain number that no channel has is a
/// name, as dyes are called 488.
void choose_channel(io::ReadOptions& options, io::FileInfo& info) {
    const Json chosen = Json::parse(options.channel, nullptr, false);
    if (chosen.is_string()) options.channel = chosen.get<std::string>();
    const Axis* const axis = info.desc.find('c');
    if (!chosen.is_number_unsigned() || axis == nullptr) return;
    const auto number = chosen.get<std::uint64_t>();
    if (number >= static_cast<std::uint64_t>(axis->size)) return;
    options.channel_by_number = true;
    const std::vector<std::string>& names = info.metadata.channels;
    const bool all_named = std::ssize(names) == axis->size;   // else nobody can say which has which
    const auto named = all_named ? std::find(names.begin(), names.end(), options.channel) : names.end();
    if (named != names.end() && static_cast<std::uint64_t>(named - names.begin()) != number)
        info.warnings.emplace_back(fmt::format("--channel {0} is taken for a number, from 0, and the channel {1} is called \"{0}\": "
                                               "--channel '\"{0}\"' takes that",
                                               options.channel, named - names.begin()));
}

/// What is left of it when one channel has been taken: where channels are pages, an axis of these goes with them.
void keep_one_channel(io::FileInfo& info, const HostArray& array) {
    const auto& axes = info.desc.axes;
    const auto c = std::find_if(axes.begin(), axes.end(), [](const Axis& axis) { return axis.name == 'c'; });
    if (c != axes.end() && c - axes.begin() < info.page_axes) --info.page_axes;
    info.desc = array.desc;
    info.metadata.channels = array.metadata.channels;
}

int show(const std::string& file, const Json& choices, bool json) {
    const std::filesystem::path path = engine::resolve_input(file, {}, "FILE");
    Json input = choices;
    input["file"] = file;
    io::ReadOptions options = engine::parse_input("file", input, "").read;
    io::FileInfo info = io::info(path, options);
    if (!options.channel.empty()) choose_channel(options, info);
    const HostArray array = io::read(path, options).to_dense();
    const Range range = range_of(array);
    if (!options.channel.empty()) keep_one_channel(info, array);
    if (json) fmt::print("{}\n", text_of(to_json(info, range)));
    else print(info, range);
    return 0;
}

}  // namespace

void add_info(CLI::App& app, Command& command) {
    CLI::App* sub = app.add_subcommand("info", "Show type, axes, spacing and range of an image or array file");
    struct Options {
        std::string file, dataset, channel, raw;
        int series = -1, level = -1;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    sub->add_option("FILE", options->file, "The file")->required();
    sub->add_flag("--json", options->json, "Print JSON");
    sub->add_option("--dataset", options->dataset, "Of a file that holds several arrays: which");
    sub->add_option("--channel", options->channel, "One channel, by its number from 0 or its name; of a name that is a number, too, as '\"1\"'");
    sub->add_option("--series", options->series, "Of a file that holds several images: which, from 0")
        ->check(CLI::NonNegativeNumber);
    sub->add_option("--level", options->level, "Of a pyramid: which level, 0 the largest")->check(CLI::NonNegativeNumber);
    sub->add_option("--raw", options->raw, "The layout of a file without a header, as a job's \"raw\" has it, in JSON");
    sub->callback([options, &command] {
        command.run = [options] {
            Json choices = Json::object();
            if (!options->dataset.empty()) choices["dataset"] = options->dataset;
            if (!options->channel.empty()) choices["channel"] = options->channel;
            if (options->series >= 0) choices["series"] = options->series;
            if (options->level >= 0) choices["level"] = options->level;
            if (!options->raw.empty()) choices["raw"] = engine::parse_json(options->raw, "--raw");
            return show(options->file, choices, options->json);
        };
    });
}

}  // namespace parallax::cli
