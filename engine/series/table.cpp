#include "series/table.hpp"

#include <algorithm>

namespace parallax::engine::series {

Json row_of(const Json& record) {
    const Table table = to_table(record, OutputForm::table);
    Json row = Json::object();
    if (table.rows.size() == 1) {
        for (std::size_t i = 0; i < table.header.size(); ++i) row[table.header[i]] = table.rows[0][i];
        return row;
    }
    for (std::size_t r = 0; r < table.rows.size(); ++r) {   // a list of records: "0.mean", "1.mean"
        for (std::size_t i = 0; i < table.header.size(); ++i) row[std::to_string(r) + "." + table.header[i]] = table.rows[r][i];
    }
    return row;
}

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
        if (record == records.end() || !record->second.done) continue;
        table.rows.emplace_back(table.header.size());
        put("index", i);
        put("item", record->first);
        for (const OutputSpec* output : outputs) {
            const Json row = record->second.rows.value(output->name, Json::object());
            for (const auto& [column, value] : row.items()) put(outputs.size() > 1 ? output->name + "." + column : column, value);
        }
        if (std::none_of(outputs.begin(), outputs.end(), [](const OutputSpec* output) { return output->times; })) continue;
        for (const auto& [kind, seconds] : record->second.times.items()) put("seconds." + kind, seconds);
    }
    return table;
}

}  // namespace parallax::engine::series
