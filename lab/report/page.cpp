#include "report/page.hpp"

#include "report/assets.hpp"
#include "support/markup.hpp"
#include "support/text.hpp"

namespace parallax::engine::compare {

namespace {

void replace_first(std::string& text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), by);
}

/// Its texts as messages have them, which no name turns round: names of one thing stay the same.
Json readable(const Json& data) {
    if (data.is_string()) return host::printable(data.get_ref<const std::string&>());
    if (!data.is_structured()) return data;
    Json all = data.is_array() ? Json::array() : Json::object();
    for (const auto& [key, value] : data.items()) {
        if (data.is_array()) all.push_back(readable(value));
        else all[host::printable(key)] = readable(value);
    }
    return all;
}

}  // namespace

std::string page_of(const std::string& title, const std::vector<std::string>& scripts, const Json& shown) {
    // "<" would end the script that holds the data; in JSON it may be written as an escape.
    std::string data, script = "(() => {\n\"use strict\";\n";
    for (const char c : readable(shown).dump(-1, ' ', false, Json::error_handler_t::replace)) {
        if (c == '<')
            data += "\\u003c";
        else
            data += c;
    }
    bool charts = false;
    for (const std::string& name : scripts) {
        script += asset(name);
        charts = charts || name == "charts.js";
    }
    std::string page(asset("report.html"));
    replace_first(page, "@TITLE@", host::on_page(title));
    replace_first(page, "@STYLE@", std::string(asset("report.css")));
    replace_first(page, "@CHART@", charts ? std::string(asset("chart.min.js")) : std::string());
    replace_first(page, "@SCRIPT@", script + "})();");
    replace_first(page, "@DATA@", data);   // last: what it holds is not looked at again
    return page;
}

}  // namespace parallax::engine::compare
