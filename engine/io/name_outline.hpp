// Names of files that are the same letters in different Unicode forms.
#pragma once

#include <string>
#include <string_view>

namespace parallax::io {

/// A name whose letters beyond ASCII, with the marks behind them, have become '*' each. Two forms of one name (composed: Windows,
/// Linux; letter and accent apart: macOS) have the same outline, and so have some names that are not the same: without Unicode's
/// tables, which no library has that is linked here, that is all that can be said.
///
///     outline_of("s\u00e9rie.tif") == outline_of("se\u0301rie.tif")   // "s*rie.tif"
std::string outline_of(std::string_view utf8);

}   // namespace parallax::io
