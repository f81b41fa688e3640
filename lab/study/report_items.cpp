#include "study/report_items.hpp"

#include "support/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace parallax::engine::compare {

namespace {

const auto& kinds = *new std::vector<std::string>{"table",  "line",      "bar",   "scatter",    "stages", "pairs",
                                                  "images", "sustained", "curve", "histograms", "spread"};
const auto& item_keys =
    *new std::vector<std::string>{"kind",  "title",    "note", "cases", "x",  "y",    "series",  "rows",  "columns", "values",
                                  "where", "baseline", "log",  "of",    "to", "crop", "profile", "image", "paper",   "rule"};
const auto& paper_keys = *new std::vector<std::string>{"source", "note", "series", "header", "rows"};
const auto& selector_keys = *new std::vector<std::string>{"case", "variant", "device", "backend", "type", "grid"};

void check_paper(const JsonObject& item) {
    if (!item.has("paper")) return;
    const JsonObject paper(item.at("paper"), "an object with the paper's own numbers", paper_keys);
    paper.text("source");
    const Json series = paper.list("series");
    for (std::size_t i = 0; i < series.size(); ++i) {
        const std::string here = pointer_to(paper.pointer("series"), i);
        const JsonObject one(JsonValue(series[i], here), "{\"label\": ..., \"points\": [[x, y], ...]}",
                             std::vector<std::string>{"label", "points"});
        one.text("label");
        for (const Json& point : one.list("points")) {
            if (!point.is_array() || point.size() != 2)
                throw ConfigError(pointer_to(here, std::string("points")), describe(point), "[x, y]");
        }
    }
    const std::size_t columns = paper.texts("header").size();
    for (const Json& row : paper.list("rows")) {
        if (!row.is_array() || row.size() != columns)
            throw ConfigError(paper.pointer("rows"), row.dump(), fmt::format("rows of {} cells, as the header has", columns));
    }
}

}  // namespace

void check_selector(const JsonObject& item, const std::string& key) {
    if (!item.has(key)) return;
    const JsonObject selector(item.at(key), "an object such as {\"backend\": \"native\", \"variant\": \"reference\"}",
                              selector_keys);
    for (const char* text : {"case", "variant", "device", "backend", "type"}) selector.texts(text);
    selector.object("grid");
}

void check_report_items(const Json& items, const std::string& pointer, const std::vector<std::string>& cases) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        const JsonObject item(JsonValue(items[i], pointer_to(pointer, i)), "an object: a table or a figure", item_keys);
        const std::string kind = item.word("kind", kinds);
        item.text("title");
        item.text("note", "-");
        for (const std::string& id : item.texts("cases")) {
            if (std::find(cases.begin(), cases.end(), id) == cases.end())
                throw ConfigError(item.pointer("cases"), fmt::format("\"{}\"", id),
                                  fmt::format("ids of cases: {}", fmt::join(cases, ", ")), did_you_mean(id, cases));
        }
        for (const char* key : {"series", "rows", "columns", "values"}) item.texts(key);
        for (const char* key : {"where", "baseline", "of", "to"}) check_selector(item, key);
        if (kind == "line" || kind == "bar" || kind == "scatter" || kind == "curve") {
            item.text("x");
            item.text("y");
        }
        if (kind == "spread" && item.texts("values").empty())
            throw ConfigError(pointer_to(pointer, i), "a spread without \"values\"",
                              "values such as \"evaluation.quality.psnr_db\", whose lowest and highest are shown");
        if (kind == "pairs" && (!item.has("of") || !item.has("to")))
            throw ConfigError(pointer_to(pointer, i), "pairs without \"of\" and \"to\"",
                              "two selections of rows, whose ratio is shown");
        item.word("log", {"", "x", "y", "xy"}, "x");
        check_paper(item);
    }
}

Json report_items_schema() {
    const Json text{{"type", "string"}}, texts{{"anyOf", {text, Json{{"type", "array"}, {"items", text}}}}};
    Json selector{{"type", "object"}, {"additionalProperties", false}};
    for (const std::string& key : selector_keys) selector["properties"][key] = key == "grid" ? Json{{"type", "object"}} : texts;
    Json properties{{"kind", {{"enum", kinds}}}};
    for (const std::string& key : item_keys) {
        if (key == "kind") continue;
        if (key == "title" || key == "note" || key == "x" || key == "y" || key == "image" || key == "rule")
            properties[key] = text;
        else if (key == "where" || key == "baseline" || key == "of" || key == "to") properties[key] = selector;
        else if (key == "log") properties[key] = {{"enum", {"", "x", "y", "xy"}}};
        else if (key == "paper") properties[key] = {{"type", "object"}, {"required", {"source"}}};
        else if (key == "crop")
            properties[key] = {{"type", "array"}, {"items", {{"type", "integer"}}}, {"minItems", 4}, {"maxItems", 4}};
        else if (key == "profile") properties[key] = {{"type", "integer"}, {"minimum", 0}};
        else properties[key] = texts;
    }
    return {{"type", "array"},
            {"items",
             {{"type", "object"},
              {"properties", std::move(properties)},
              {"required", {"kind", "title"}},
              {"patternProperties", {{"^//", true}}},
              {"additionalProperties", false}}}};
}

}  // namespace parallax::engine::compare
