// What the runtime has to tell that is nobody's error: a driver that is left out, a cache that cannot be written.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace parallax::host {

/// Once in a process for each text.
void warn_once(const std::string& text);
/// Who is told from now on, and at once of what nobody was told of yet. Empty: nobody, until somebody asks.
void on_warning(std::function<void(const std::string&)>);
/// What nobody was told of yet; it counts as told from now on.
std::vector<std::string> take_warnings();

}  // namespace parallax::host
