#include "report/page.hpp"

#include "report/assets.hpp"
#include "support/markup.hpp"

namespace parallax::engine::compare {

namespace {

void replace_first(std::string& text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    if (at != std::string::npos) text.replace(at, what.size(), by);
}

}  // namespace

std::string page_of(const std::string& title, const std::vector<std::string>& scripts, const Json& shown) {
    // "<" would end the script that holds the data; in JSON it may be written as an escape.
    std::string data, script = "(() => {\n\"use strict\";\n";
    for (const char c : shown.dump(-1, ' ', false, Json::error_handler_t::replace)) {
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
    replace_first(page, "@TITLE@", host::escaped(title));
    replace_first(page, "@STYLE@", std::string(asset("report.css")));
    replace_first(page, "@CHART@", charts ? std::string(asset("chart.min.js")) : std::string());
    replace_first(page, "@SCRIPT@", script + "})();");
    replace_first(page, "@DATA@", data);   // last: what it holds is not looked at again
    return page;
}

}  // namespace parallax::engine::compare
