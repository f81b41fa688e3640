// Pages in a real browser, as Debian has one: what they have become once their scripts have run.
#pragma once

#include <cstdlib>
#include <string>

#include "jobs/support.hpp"

namespace parallax::tests {

/// A Chromium without a window; empty if there is none.
inline std::string browser() {
    for (const char* name : {"/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/google-chrome"}) {
        if (fs::exists(name)) return name;
    }
    return {};
}

/// What the page has become once its script has run; empty where the browser fails.
inline std::string page_in_browser(const fs::path& page, const TempFolder& folder) {
    const fs::path out = folder / "dom.html";
    const std::string command = "timeout 60 '" + browser() +
                                "' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --host-resolver-rules='MAP * "
                                "~NOTFOUND' --virtual-time-budget=5000 --user-data-dir='" +
                                (folder / "profile").string() + "' --dump-dom 'file://" + page.string() + "' > '" + out.string() +
                                "' 2> /dev/null";
    return std::system(command.c_str()) == 0 ? read_text(out) : std::string();
}

inline std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

}   // namespace parallax::tests
