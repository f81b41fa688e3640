#include "series/table.hpp"

#include <algorithm>

namespace parallax::engine::series {

namespace {

/// Manifests of before there were several rows have the one as an object.
std::vector<Json> rows_in(const Json& recorded) {
    if (recorded.is_array()) return recorded.get<std::vector<Json>>();
    return {recorded};
}

}  // namespace

Table make_table(const PreparedSeries& series, const std::filesystem::path& file, const std::map<std::string, Record>& records) {
    std::vector<const OutputSpec*> outputs;
    for (const OutputSpec& output : series.job.outputs) {
        if (output.form == OutputForm::table && series.gathered.at(output.name) == file) outputs.push_back(&output);
    }
    Table table;
    table.header = {"index", "item"};
    const auto put = [&](const std::string& column, const Json& value) {
        auto at = std::find(table.header.begin(), table.header.end(), column);
        if (at == table.header.end()) {
            at = table.header.insert(table.header.end(), column);
            for (auto& row : table.rows) row.emplace_back();
        }
        table.rows.back()[static_cast<std::size_t>(at - table.header.begin())] = value;
    };
    for (std::size_t i = 0; i < series.items.size(); ++i) {
        const auto record = records.find(series.items.name(i));
        // One that failed has a row where results of a file before it are there.
        if (record == records.end() || (!record->second.done && record->second.rows.empty())) continue;
        std::vector<std::vector<Json>> parts;
        std::size_t most = 1;
        for (const OutputSpec* output : outputs) {
            parts.push_back(rows_in(record->second.rows.value(output->name, Json::object())));
            most = std::max(most, parts.back().size());
        }
        for (std::size_t r = 0; r < most; ++r) {
            table.rows.emplace_back(table.header.size());
            put("index", series.items.list.at(i).front().index);   // as {frame.index} has it
            put("item", record->first);
            for (std::size_t o = 0; o < outputs.size(); ++o) {
                if (r >= parts[o].size() && parts[o].size() != 1) continue;
                for (const auto& [column, value] : parts[o][parts[o].size() == 1 ? 0 : r].items())
                    put(outputs.size() > 1 ? outputs[o]->name + "." + column : column, value);
            }
            if (std::none_of(outputs.begin(), outputs.end(), [](const OutputSpec* output) { return output->times; })) continue;
            for (const auto& [kind, seconds] : record->second.times.items()) put("seconds." + kind, seconds);
        }
    }
    return table;
}

}  // namespace parallax::engine::series
