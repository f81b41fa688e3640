#include "gallery/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "gallery/html.hpp"
#include "gallery/thumbnail.hpp"
#include "io/file.hpp"
#include "io/text_header.hpp"
#include "job/job.hpp"
#include "job/load.hpp"
#include "job/paths.hpp"
#include "series/manifest.hpp"
#include "support/markup.hpp"

namespace parallax::engine::gallery {

namespace fs = std::filesystem;
using host::on_page;

namespace {

constexpr std::int64_t large = 640, small = 220;
constexpr std::size_t most_rows = 200, most_curves = 12;
constexpr std::uint64_t most_text = 4 << 20;

constexpr const char* style = R"(
:root{color-scheme:light dark;--text:#1b1f24;--back:#fff;--soft:#f3f4f6;--rule:#d5d9de;--line:#0b62a3;--quiet:#59636e}
@media(prefers-color-scheme:dark){:root{--text:#e6e8eb;--back:#15181c;--soft:#1f242a;--rule:#3a424b;--line:#6cb6ff;--quiet:#9aa4af}}
@media print{:root{--text:#000;--back:#fff;--soft:#fff;--rule:#999;--line:#000;--quiet:#333}figure{break-inside:avoid}}
body{margin:0 auto;padding:1.5rem;max-width:76rem;font:15px/1.45 system-ui,sans-serif;color:var(--text);background:var(--back)}
h1{font-size:1.5rem;margin:0 0 .3rem}h2{font-size:1.1rem;margin:1.8rem 0 .6rem;border-bottom:1px solid var(--rule)}h3{font-size:1rem;margin:.8rem 0 .3rem}
p{margin:.3rem 0}.quiet,figcaption{color:var(--quiet)}.warning{border-left:3px solid #c77700;padding-left:.6rem}.failed{border-left:3px solid #c22;padding-left:.6rem}
.row{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start}figure{margin:0;max-width:100%}figcaption{font-size:.85rem;max-width:40rem;overflow-wrap:anywhere}
img,video{max-width:100%;height:auto;display:block;border:1px solid var(--rule)}.items{display:grid;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr));gap:1rem}
.items>div{background:var(--soft);padding:.6rem;overflow:hidden}.items h3{margin:0 0 .3rem;font-size:.85rem;overflow-wrap:anywhere}
.curve svg{width:20rem;max-width:100%;background:var(--soft)}.axis{fill:none;stroke:var(--rule)}.line{fill:none;stroke:var(--line);stroke-width:1.5}
svg text{font-size:9px;fill:var(--quiet)}svg .end{text-anchor:end}table{border-collapse:collapse;font-size:.85rem}th,td{text-align:left;padding:.15rem .6rem;border-bottom:1px solid var(--rule);overflow-wrap:anywhere}
td{font-variant-numeric:tabular-nums}.wide{overflow-x:auto}.wide th,.wide td{overflow-wrap:normal}
)";

constexpr const char* of_series = "series";

/// `of`: what the page is of, by which its next version is known for that.
std::string head(const char* of, const std::string& title) {
    return fmt::format(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width,initial-scale=1\">"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; media-src data:; style-src "
        "'unsafe-inline'\"><meta name=\"parallax\" content=\"{}\">"
        "<title>{}</title><style>{}</style></head><body>\n",
        of, on_page(title), style);
}

std::string section(const std::string& title, const std::string& inside) {
    return inside.empty() ? std::string() : fmt::format("<h2>{}</h2>\n{}\n", on_page(title), inside);
}

std::string in_a_row(const std::string& inside) { return inside.empty() ? inside : "<div class=\"row\">" + inside + "</div>"; }

std::string device_line(const Json& device) {
    return fmt::format("{} ({}, driver {})", device.value("name", ""), device.value("platform", ""), device.value("driver", ""));
}

/// A scalar, or a list of them that is short.
std::string value_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array() && value.size() > 6)
        return fmt::format("{} ... {} ({})", value.front().dump(), value.back().dump(), value.size());
    return value.dump();
}

/// What the report warns of in one input or output, but for what its own list has in the same words behind a name.
std::string warnings_in(const Json& part, const Json& report = Json::object()) {
    const Json list = report.value("warnings", Json::array());
    std::string html;
    for (const Json& warning : part.value("warnings", Json::array())) {
        const auto text = warning.get<std::string>();
        const auto same = [&](const Json& other) { return other.is_string() && other.get<std::string>().ends_with(text); };
        if (std::none_of(list.begin(), list.end(), same)) html += fmt::format("<p class=\"warning\">{}</p>", on_page(text));
    }
    return html;
}

std::string steps_of(const Json& report) {
    std::string rows;
    const Json& written = report.contains("job") ? report["job"].value("steps", Json::array()) : Json();
    const Json& steps = report.contains("steps") ? report["steps"] : Json();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::string parameters;
        if (written.is_array() && i < written.size()) {
            for (const auto& [key, value] : written[i].items()) {
                const bool known =
                    key == "id" || key == "run" || key == "in" || key == "out" || key == "variant" || key == "policy";
                if (!known && !value.is_null()) parameters += (parameters.empty() ? "" : ", ") + key + " " + value_of(value);
            }
        }
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>", on_page(steps[i].value("id", "")),
                            on_page(steps[i].value("run", "")), on_page(steps[i].value("variant", "")), on_page(parameters));
    }
    if (rows.empty()) return rows;
    return "<table><thead><tr><th>step</th><th>algorithm</th><th>variant</th><th>parameters</th></tr></thead><tbody>" + rows +
           "</tbody></table>";
}

void add_stages(const Json& stages, std::string& rows) {
    for (const Json& stage : stages)
        rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{:.4g} ms</td></tr>", on_page(stage.value("name", "")),
                            on_page(stage.value("kind", "")), 1e3 * stage.value("seconds", 0.0));
}

std::string text_of_file(const fs::path& path) {
    io::File file = io::File::open(path);
    std::string text(std::min<std::uint64_t>(file.size(), most_text), '\0');
    file.read(text.data(), text.size(), "the text");
    return text;
}

std::string drawn_curves(const Json& record) {
    std::string html;
    const std::vector<Curve> curves = curves_of(record);
    for (std::size_t i = 0; i < std::min(curves.size(), most_curves); ++i) html += drawn(curves[i]);
    return in_a_row(html);
}

/// A record, a table or an array, by the file that it went to.
std::string output_of(const std::string& name, const Json& output, const Json& records, std::int64_t side,
                      const Standing& standing) {
    const fs::path path = path_from(output.value("path", "")), at = standing ? standing(path) : path;
    const std::string extension = io::in_lower_case(path.extension().string());
    std::string html = fmt::format("<h3>{}</h3>", on_page(name)) + warnings_in(output);
    try {
        if (extension == ".csv") {
            Json columns;
            const std::string table = table_of(text_of_file(at), most_rows, columns);
            return html + drawn_curves(columns) + table;
        }
        if (extension == ".json") {
            const Json record = records.contains(name) ? records[name] : load_json(at);
            return html + scalars_of(record) + drawn_curves(record);
        }
    } catch (const IoError& error) {   // by the name that the file will have
        return html + fmt::format("<p>{}: not shown: {}</p>", on_page(io::show(path)), on_page(error.problem));
    } catch (const std::exception& error) {
        return html + fmt::format("<p>{}: not shown: {}</p>", on_page(io::show(path)), on_page(error.what()));
    }
    return html + shown(path, {}, side, at);
}

std::string outputs_of(const Json& report, const Standing& standing) {
    std::string html;
    const Json records = report.value("records", Json::object()), outputs = report.value("outputs", Json::object());
    for (const auto& [name, output] : outputs.items()) html += output_of(name, output, records, large, standing);
    return html;
}

/// How the job reads an input; as any file where it does not say.
io::ReadOptions reading(const Json& report, const std::string& name) {
    try {
        return parse_input(name, report.at("job").at("inputs").at(name), "").read;
    } catch (const std::exception&) {
        return {};
    }
}

std::string inputs_of(const Json& report) {
    constexpr std::size_t most_files = 6;
    std::string html;
    const Json inputs = report.value("inputs", Json::object());
    for (const auto& [name, input] : inputs.items()) {
        html += fmt::format("<h3>{} <span class=\"quiet\">{}</span></h3>", on_page(name), on_page(input.value("array", "")));
        html += warnings_in(input, report);
        std::string files;
        const Json& list = input.at("files");
        for (std::size_t i = 0; i < std::min(list.size(), most_files); ++i)
            files += shown(path_from(list[i].value("path", "")), reading(report, name), list.size() > 1 ? small : large);
        html += in_a_row(files);
        if (list.size() > most_files) html += fmt::format("<p>{} of {} files</p>", most_files, list.size());
    }
    return html;
}

/// What data gave cause for is in the report's own list, what the plan did with its step alone.
std::string warnings_of(const Json& report) {
    std::vector<std::string> texts;
    for (const Json& warning : report.value("warnings", Json::array()))
        texts.push_back(warning.is_string() ? warning.get<std::string>()
                                            : warning.value("first", "") + ": " + warning.value("text", ""));
    const bool of_job = !report.contains("parallax_series_report");   // a series has all of them in its list
    for (const Json& step : of_job ? report.value("steps", Json::array()) : Json::array()) {
        for (const Json& warning : step.value("warnings", Json::array())) {
            std::string text = fmt::format("step \"{}\": {}", step.value("id", ""), warning.get<std::string>());
            if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
        }
    }
    std::string html;
    for (const std::string& text : texts) html += fmt::format("<p class=\"warning\">{}</p>", on_page(text));
    return html;
}

std::string item_of(const series::Record& record, const Json& report) {
    std::string html = fmt::format("<div><h3>{}</h3>", on_page(record.item));
    if (!record.done) return html + fmt::format("<p class=\"failed\">{}</p></div>", on_page(record.error));
    // Of a page or a volume of a file (film.tif#3) its place is not recorded, so that only whole files are shown.
    const std::string file = record.inputs.size() == 1 ? to_utf8(path_from(record.inputs[0].path).filename()) : std::string();
    if (!file.empty() && record.item.ends_with(file)) {
        const Json inputs = report.contains("job") ? report["job"].value("inputs", Json::object()) : Json::object();
        html += shown(path_from(record.inputs[0].path),
                      inputs.size() == 1 ? reading(report, inputs.begin().key()) : io::ReadOptions{}, small);
    }
    for (const series::FileState& output : record.outputs) {
        const std::string extension = io::in_lower_case(path_from(output.path).extension().string());
        if (extension != ".json" && extension != ".csv") html += shown(path_from(output.path), {}, small);
    }
    for (const auto& [name, row] : record.rows.items()) html += scalars_of(row);
    return html + "</div>";
}

/// As many as there is room for, evenly taken.
std::vector<const series::Record*> some_of(const std::vector<const series::Record*>& records, std::size_t most) {
    std::vector<const series::Record*> some;
    const std::size_t count = std::min(most, records.size());
    for (std::size_t i = 0; i < count; ++i) some.push_back(records[count > 1 ? i * (records.size() - 1) / (count - 1) : 0]);
    return some;
}

/// What failed goes first: nothing else on the page says what it was.
std::string items_of(const Json& report, std::size_t most) {
    const fs::path manifest = path_from(report.value("manifest", ""));
    std::vector<const series::Record*> failed, done;
    const series::Manifest::Contents contents = series::Manifest::contents_of(manifest);
    for (const auto& [name, record] : contents.records) (record.done ? done : failed).push_back(&record);
    std::vector<const series::Record*> records = some_of(failed, most);
    const std::vector<const series::Record*> others = some_of(done, most - records.size());
    records.insert(records.end(), others.begin(), others.end());
    std::string html = "<div class=\"items\">";
    for (const series::Record* record : records) html += item_of(*record, report);
    html += "</div>";
    if (const std::size_t all = failed.size() + done.size(); records.size() < all)
        html += fmt::format("<p>{} of {} items</p>", records.size(), all);
    return html;
}

std::string page_of_series(const Json& report, std::size_t most_items, const Standing& standing) {
    const Json& items = report.at("items");
    const std::string title = report.contains("job") ? report["job"].value("comment", "") : std::string();
    std::string html = head(of_series, title.empty() ? "A series" : title);
    html += fmt::format("<h1>{}</h1>", on_page(title.empty() ? "A series" : title));
    html +=
        fmt::format("<p>{} of {} items done, {} failed, in {:.4g} s: {:.4g} a second. <span class=\"quiet\">{}</span></p>",
                    items.value("done", 0) + items.value("before", 0), items.value("mine", 0), items.value("failed", 0),
                    report.value("seconds", 0.0), report.value("items_per_second", 0.0), on_page(report.value("finished", "")));
    for (const Json& device : report.value("devices", Json::array()))
        html += fmt::format("<p class=\"quiet\">{}: {} items</p>", on_page(device_line(device)), device.value("items", 0));
    html += warnings_of(report);
    html += section("Of all items", outputs_of(report, standing));
    html += section("Items", items_of(report, most_items));
    html += section("Steps", steps_of(report));
    return html;
}

std::string page_of_job(const Json& report, const Standing& standing) {
    const std::string comment = report.at("job").value("comment", ""), title = comment.empty() ? "A job" : comment;
    std::string html = head("job", title) + fmt::format("<h1>{}</h1>", on_page(title));
    html += fmt::format("<p>Done in {:.4g} s on {}. <span class=\"quiet\">{}</span></p>", report.value("wall_seconds", 0.0),
                        on_page(device_line(report.at("device"))), on_page(report.value("finished", "")));
    html += warnings_of(report);
    html += section("Inputs", inputs_of(report));
    html += section("Outputs", outputs_of(report, standing));
    html += section("Steps", steps_of(report));
    std::string rows;
    add_stages(report.value("stages", Json::array()), rows);
    if (!rows.empty()) html += section("Time", "<table>" + rows + "</table>");
    return html;
}

}   // namespace

std::string page(const Json& report, std::size_t most_items, const Standing& standing) {
    std::string html = report.contains("parallax_series_report") ? page_of_series(report, most_items, standing)
                                                                 : page_of_job(report, standing);
    return html +
           fmt::format("<p class=\"quiet\">Parallax {}</p></body></html>\n", on_page(report.at("engine").value("version", "")));
}

bool is_page_of_series(const fs::path& file) {
    std::error_code unknown;
    if (!fs::is_regular_file(fs::symlink_status(file, unknown))) return false;   // a pipe would let it wait
    const std::string any = head(of_series, {});
    const std::string wanted = any.substr(0, any.find("<title>"));
    std::string begin(wanted.size(), '\0');
    std::ifstream text(file, std::ios::binary);
    return text.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == wanted;
}

}   // namespace parallax::engine::gallery
