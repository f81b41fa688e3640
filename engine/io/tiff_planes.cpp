#include "io/tiff_planes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace parallax::io::tiff {
namespace {

/// "z 1, c 0", by the axes that the planes have.
std::string name_of(const Description& said, std::int64_t plane) {
    if (said.axes.empty()) return "plane 0";
    std::string name;
    for (std::size_t i = said.axes.size(); i-- > 0;) {
        const auto& [axis, size] = said.axes[i];
        name = fmt::format("{} {}{}{}", axis, plane % size, name.empty() ? "" : ", ", name);
        plane /= size;
    }
    return name;
}

}  // namespace

Planes planes_of(const Source& source, const Description& said,
                 const std::function<const std::vector<Page>*(std::uint32_t file)>& pages_of) {
    constexpr const char* otherwise = "write it again; \"page_axis\": \"z\" reads its pages as they stand in it";
    std::map<std::int64_t, const Page*> of_plane;
    std::set<const Page*> taken;
    for (const PlaneRun& run : said.planes) {
        if (run.page < 0) continue;   // as one that the file has not
        const std::vector<Page>* const there = pages_of(run.file);
        if (!there) continue;
        const std::vector<Page>& pages = *there;
        const auto first = static_cast<std::size_t>(run.page);
        // Only the pages that are there are looked at, however many a run promises.
        auto page = std::lower_bound(pages.begin(), pages.end(), first,
                                     [](const Page& one, std::size_t index) { return one.index < index; });
        for (; page != pages.end() && static_cast<std::int64_t>(page->index - first) < run.count; ++page) {
            const auto offset = static_cast<std::int64_t>(page->index - first);
            if (run.plane < 0)
                fail(source, fmt::format("its OME-XML gives page {} a plane beyond the {} that it has", page->index, said.images),
                     otherwise);
            if (offset >= said.images - run.plane) break;   // a number of planes that goes on too far: those have no place
            const std::int64_t plane = run.plane + offset;
            if (!taken.insert(&*page).second || !of_plane.emplace(plane, &*page).second)
                fail(source,
                     fmt::format("its OME-XML gives two places to the plane {}, page {}", name_of(said, plane), page->index),
                     otherwise);
        }
    }
    Planes planes;
    std::int64_t whole = 0;   // planes from the first on without a gap
    for (const auto& [plane, page] : of_plane) {
        if (plane == whole) ++whole;
        planes.pages.push_back(*page);
        planes.numbers.push_back(plane);
    }
    if (whole < said.images)
        planes.missing = fmt::format("has {} of the {} planes that its OME-XML describes (the first that is missing: {})",
                                     of_plane.size(), said.images, name_of(said, whole));
    return planes;
}

}  // namespace parallax::io::tiff
