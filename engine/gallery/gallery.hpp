// What a person opens after a run: one page with inputs and outputs as pictures, records and tables as curves, and what was done.
// It is made of the run's report and of the files that it names, and needs nothing else to be looked at.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "parallax/host/json.hpp"

namespace parallax::engine::gallery {

using Standing = std::function<std::filesystem::path(const std::filesystem::path&)>;

/// The page for the report of a job or of a series (to_json of a JobResult or SeriesResult), as HTML with everything inside. A
/// file that cannot be shown is named with the reason; nothing is thrown for it. Of a series at most `most_items` items are
/// shown, evenly taken from all.
///
///   io::write_text("page.html", gallery::page(to_json(result)), false);
///
/// `standing`: where outputs are that are not in their places yet.
std::string page(const Json& report, std::size_t most_items = 60, const Standing& standing = {});
/// Whether a file begins as such a page of a series does in this version.
bool is_page_of_series(const std::filesystem::path&);

}   // namespace parallax::engine::gallery
