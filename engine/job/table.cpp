#include "job/table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace parallax::engine {
namespace {

constexpr const char* rows = "labels";

using Cells = std::vector<std::pair<std::string, Json>>;

std::string joined(const std::string& parent, const std::string& name) { return parent.empty() ? name : parent + '.' + name; }

/// An element of a list as cells of one row, its own lists included.
void add_all(const Json& value, const std::string& name, Cells& cells) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items()) add_all(member, joined(name, key), cells);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) add_all(value[i], joined(name, std::to_string(i)), cells);
    } else {
        cells.emplace_back(name.empty() ? "value" : name, value);
    }
}

struct List {
    std::string name;
    const Json* values;
};

/// Scalars to cells, lists to `lists`, through nested objects.
void part(const Json& value, const std::string& name, const std::string& but, Cells& cells, std::vector<List>& lists) {
    if (value.is_object()) {
        for (const auto& [key, member] : value.items())
            if (joined(name, key) != but) part(member, joined(name, key), but, cells, lists);
    } else if (value.is_array()) {
        lists.push_back({name, &value});
    } else {
        cells.emplace_back(name.empty() ? "value" : name, value);
    }
}

/// The elements that are rows of their own; a list of records is one such, whatever its name.
const Json* row_list(const Json& record) {
    if (record.is_array()) return &record;
    if (!record.is_object()) return nullptr;
    const auto found = record.find(rows);
    return found != record.end() && found->is_array() ? &*found : nullptr;
}

/// A name that the record itself has already goes to the list's own: "labels.unit" beside "unit".
void append(Cells& cells, Cells more, const std::string& list) {
    const std::size_t before = cells.size();
    for (auto& [name, cell] : more) {
        const bool taken = std::any_of(cells.begin(), cells.begin() + static_cast<std::ptrdiff_t>(before),
                                       [&n = name](const auto& known) { return known.first == n; });
        cells.emplace_back(taken ? joined(list, name) : name, std::move(cell));
    }
}

/// Rows of a record without row list: its lists side by side, the shorter ones filled up with nothing. `before`: cells that stand
/// in front of each, where the record is an element of `list`.
std::vector<Cells> long_rows(const Json& record, const Cells& before = {}, const std::string& list_name = {}) {
    Cells scalars = before, own;
    std::vector<List> lists;
    part(record, "", {}, own, lists);
    append(scalars, std::move(own), list_name);
    std::size_t longest = 0;
    for (const List& list : lists) longest = std::max(longest, list.values->size());
    if (longest == 0) return {scalars};
    std::vector<Cells> rows;
    for (std::size_t i = 0; i < longest; ++i) {
        Cells listed;
        for (const List& list : lists)
            if (i < list.values->size()) add_all((*list.values)[i], list.name, listed);
        append(rows.emplace_back(scalars), std::move(listed), list_name);
    }
    return rows;
}

Table table_of(const std::vector<Cells>& rows) {
    Table table;
    for (const Cells& cells : rows) {
        std::vector<Json>& row = table.rows.emplace_back(table.header.size());
        for (const auto& [name, cell] : cells) {
            auto column = std::find(table.header.begin(), table.header.end(), name);
            if (column == table.header.end()) {
                column = table.header.insert(table.header.end(), name);
                row.emplace_back();
            }
            row[static_cast<std::size_t>(column - table.header.begin())] = cell;
        }
    }
    for (std::vector<Json>& row : table.rows) row.resize(table.header.size());
    return table;
}

}  // namespace

Table to_csv(const Json& record) {
    const Json* const list = row_list(record);
    if (!list) return table_of(long_rows(record));
    std::vector<Cells> all;
    Cells scalars;
    if (record.is_object()) {   // its other lists have no rows of their own here: they go along as cells
        std::vector<List> lists;
        part(record, "", rows, scalars, lists);
        for (const List& other : lists) add_all(*other.values, other.name, scalars);
    }
    for (const Json& one : *list) {
        std::vector<Cells> its = long_rows(one, scalars, rows);
        std::move(its.begin(), its.end(), std::back_inserter(all));
    }
    if (all.empty()) all.push_back(std::move(scalars));
    return table_of(all);
}

Rows to_rows(const Json& record) {
    Rows made;
    const auto leave_out = [&made](const std::vector<List>& lists) {
        for (const List& list : lists)
            if (std::find(made.left_out.begin(), made.left_out.end(), list.name) == made.left_out.end())
                made.left_out.push_back(list.name);
    };
    Cells scalars;
    std::vector<List> lists;
    const Json* const list = record.is_array() ? nullptr : row_list(record);
    if (record.is_array()) {   // "0.mean", "1.mean"
        for (std::size_t i = 0; i < record.size(); ++i) {
            Cells one;
            part(record[i], "", {}, one, lists);
            for (auto& [name, cell] : one)
                scalars.emplace_back(record.size() > 1 ? std::to_string(i) + '.' + name : name, std::move(cell));
        }
    } else {
        part(record, "", list ? rows : "", scalars, lists);
    }
    leave_out(lists);
    const auto add = [&made](const Cells& cells) {
        Json row = Json::object();
        for (const auto& [name, cell] : cells) row[name] = cell;
        made.rows.push_back(std::move(row));
    };
    if (!list || list->empty()) {
        add(scalars);
        return made;
    }
    for (const Json& one : *list) {
        Cells cells = scalars, own;
        std::vector<List> its;
        part(one, "", {}, own, its);
        append(cells, std::move(own), rows);
        leave_out(its);
        add(cells);
    }
    return made;
}

}  // namespace parallax::engine
