#include "series/name_order.hpp"

#include "job/paths.hpp"
#include "series/statistic.hpp"
#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace parallax::engine::series {

namespace fs = std::filesystem;

namespace {

using host::is_digit;

/// A name as its text without numbers, and its numbers without zeros in front.
struct NameParts {
    std::string text;
    std::vector<std::string> numbers;
};

NameParts split_name(const std::string& name) {
    NameParts parts;
    for (std::size_t i = 0; i < name.size();) {
        const bool fraction = i >= 2 && name[i - 1] == '.' && is_digit(name[i - 2]);
        if (!is_digit(name[i]) || fraction) {   // the digits of a fraction are text
            do parts.text += name[i++];
            while (fraction && i < name.size() && is_digit(name[i]));
            continue;
        }
        std::size_t end = i;
        while (end < name.size() && is_digit(name[end])) ++end;
        while (i + 1 < end && name[i] == '0') ++i;
        parts.text += '0';
        parts.numbers.push_back(name.substr(i, end - i));
        i = end;
    }
    return parts;
}

bool is_less_number(const std::string& a, const std::string& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

}  // namespace

std::optional<NamePair> out_of_number(const std::vector<fs::path>& sorted) {
    std::map<std::string, std::pair<const fs::path*, std::vector<std::string>>> before;   // by the text
    for (const fs::path& file : sorted) {
        NameParts parts = split_name(to_utf8(file));
        const auto [known, fresh] = before.try_emplace(std::move(parts.text));
        if (!fresh && std::lexicographical_compare(parts.numbers.begin(), parts.numbers.end(), known->second.second.begin(),
                                                   known->second.second.end(), is_less_number))
            return NamePair{*known->second.first, file};
        known->second = {&file, std::move(parts.numbers)};
    }
    return std::nullopt;
}

bool order_shows(const Job& job) {
    const auto& sources = job.for_each->sources;
    const auto takes_some = [](const ForEachSource& source) { return source.range || source.stride != 1; };
    const auto shows = [](const OutputSpec& output) {
        return output.form == OutputForm::table || is_stack(output.combine) || output.file.find(".index}") != std::string::npos;
    };
    return std::any_of(sources.begin(), sources.end(), takes_some) ||
           std::any_of(job.inputs.begin(), job.inputs.end(), [](const InputSpec& input) { return input.running > 0; }) ||
           std::any_of(job.outputs.begin(), job.outputs.end(), shows);
}

std::string told_of_order(const std::string& variable, const NamePair& pair, bool watched) {
    return fmt::format("for_each \"{}\": items go by the letters of their names, and {} comes before {}: pad the numbers with "
                       "zeros{}",
                       variable, to_utf8(pair.first.filename()), to_utf8(pair.second.filename()),
                       watched ? "" : R"(, or list patterns of one length each, such as "?.tif", "??.tif")");
}

}   // namespace parallax::engine::series
