#include "io/tiff_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "io/ome_read.hpp"
#include "io/tiff_planes.hpp"
#include "io/tiff_spread.hpp"

namespace parallax::io::tiff {
namespace {

/// The pages that OME-XML gives planes to, in the order of those.
void choose_planes(const Source& source, const Description& said, Document& document) {
    std::vector<Page>& pages = document.pages;
    const bool alone = said.series == 1;
    if (alone && said.in_order && static_cast<std::int64_t>(pages.size()) >= said.images) return;   // as they stand
    Planes planes = planes_of(source, said, [&pages](std::uint32_t) { return &pages; });
    document.misfit = planes.missing;
    const std::size_t others = pages.size() - planes.pages.size();
    if (!planes.missing.empty() && (alone ? others > 0 : planes.pages.empty())) {
        if (!alone && source.options.series)
            fail(source, planes.missing, "the others stand in other files, or the file is cut off: choose another series");
        return;   // what fits neither the planes nor the pages is not followed, and no page left out
    }
    if (alone && others > 0)
        document.file.ignored.push_back(
            fmt::format("{} page{} that OME-XML gives no plane: \"page_axis\": \"z\" reads all", others, others == 1 ? "" : "s"));
    document.series = said.series;
    pages = std::move(planes.pages);
}

}  // namespace

void choose_series(const Source& source, Document& document, const std::string& text) {
    const auto& wanted = source.options.series;
    std::vector<Page>& pages = document.pages;
    Description said = describe(text, shape_of(pages.front()), wanted.value_or(0));
    // Its own pages may have other channels than the first of all.
    if (said.by == "OME-XML" && said.first > 0) {
        const auto own = static_cast<std::size_t>(said.first);
        const auto page = std::find_if(pages.begin(), pages.end(), [own](const Page& one) { return one.index == own; });
        if (page != pages.end() && page->samples != pages.front().samples)
            said = describe(text, shape_of(*page), wanted.value_or(0));
    }
    // Whoever states the axis of the pages takes them as they stand.
    if (said.by == "OME-XML" && (!wanted || *wanted < said.series)) {
        const bool stated = source.options.page_axis != '\0';
        const OmeWords words = read_ome(text);
        if (stated && !wanted && (words.files.size() > 1 || shared_with(words, 0))) return;
        check_unshared(source, words, wanted.value_or(0));
        if (!stated && !said.planes.empty()) return choose_planes(source, said, document);
    }
    if (said.by == "OME-XML" && said.series > 1) {
        if (wanted && *wanted >= said.series) fail_of_series(source, said.series);
        const auto first = static_cast<std::size_t>(std::max<std::int64_t>(0, said.first));
        std::vector<Page> chosen;
        for (const Page& page : pages) {
            if (page.index >= first && page.index - first < static_cast<std::uint64_t>(said.images)) chosen.push_back(page);
        }
        if (static_cast<std::int64_t>(chosen.size()) != said.images) {
            if (!wanted) return;   // the description does not fit, and page_axes() says so
            fail(source,
                 fmt::format("has {} of the {} pages that its OME-XML describes for series {}", chosen.size(), said.images,
                             *wanted),
                 "the others stand in other files, or the file is cut off");
        }
        document.series = said.series;
        pages = std::move(chosen);
        return;
    }
    if (!wanted) return;
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < pages.size(); ++i) {
        if (i == 0 || !pages[i].same_picture(pages[i - 1])) starts.push_back(i);
    }
    document.series = static_cast<std::int64_t>(starts.size());
    if (*wanted >= document.series) fail_of_series(source, document.series);
    const auto which = static_cast<std::size_t>(*wanted);
    const std::size_t end = which + 1 < starts.size() ? starts[which + 1] : pages.size();
    pages = std::vector<Page>(pages.begin() + static_cast<std::ptrdiff_t>(starts[which]),
                              pages.begin() + static_cast<std::ptrdiff_t>(end));
}

void choose_level(const Source& source, const TiffSet& set, Document& document) {
    const std::int64_t level = source.options.level.value_or(0);
    if (level == 0) return;
    std::vector<std::uint64_t> places;
    std::map<std::size_t, std::vector<std::uint64_t>> outside;   // of the chains, by file
    for (const Page& page : document.pages) {
        set.within(page.member, [&](const TiffFile& file) {
            const std::vector<std::uint64_t>& all = file.chain().directories;
            if (!file.go_to(page.directory))
                fail(source, fmt::format("its TIFF directory is damaged: {}", file.take_error()), again);
            std::uint16_t count = 0;
            toff_t* offsets = nullptr;
            std::vector<std::uint64_t> levels;
            if (TIFFGetField(file.handle(), TIFFTAG_SUBIFD, &count, &offsets) && offsets) levels.assign(offsets, offsets + count);
            const bool inside = levels.empty();
            const auto next = [&](const Page& reduced) {   // the order in which they were found
                return std::pair(reduced.member, reduced.index) < std::pair(page.member, page.index + 1);
            };
            auto reduced = std::partition_point(document.reduced.begin(), document.reduced.end(), next);
            for (; inside && reduced != document.reduced.end() && reduced->member == page.member &&
                   reduced->index == page.index + 1 + levels.size();
                 ++reduced)
                levels.push_back(all[reduced->index]);
            if (level > static_cast<std::int64_t>(levels.size()))
                fail(source,
                     fmt::format("has {} level{} beside the whole picture, and level {} is asked for", levels.size(),
                                 levels.size() == 1 ? "" : "s", level),
                     levels.empty() ? "leave \"level\" out" : fmt::format("choose one from 0 to {}", levels.size()));
            places.push_back(levels[static_cast<std::size_t>(level) - 1]);
            if (!inside) outside[page.member].push_back(places.back());
        });
    }
    for (const auto& [member, directories] : outside) {
        const std::vector<std::uint64_t>& bounded = directories;
        set.within(member, [&bounded](const TiffFile& file) { file.bound_more(bounded); });
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        Page& page = document.pages[i];
        set.within(page.member, [&](const TiffFile& file) {
            if (!file.go_to(places[i]))
                fail(source, fmt::format("its TIFF directory of level {} is damaged: {}", level, file.take_error()), again);
            const Page whole = std::exchange(page, describe_page(source, file));
            page.directory = places[i];
            page.member = whole.member;
            page.index = whole.index;
        });
    }
}

void fail_of_series(const Source& source, std::int64_t there) {
    fail(source,
         fmt::format("holds {} image{}, and series {} is asked for", there, there == 1 ? "" : "s", *source.options.series),
         there == 1 ? "leave \"series\" out" : fmt::format("choose one from 0 to {}", there - 1));
}

}  // namespace parallax::io::tiff
