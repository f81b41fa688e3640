#include "io/tiff_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "io/parts.hpp"
#include "io/text_header.hpp"
#include "io/tiff_choice.hpp"
#include "io/tiff_planes.hpp"
#include "io/xml.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

constexpr const char* by_itself = "\"page_axis\": \"z\" reads the pages of this file alone, as they stand";

/// The words, and where they were found.
struct Found {
    OmeWords words;
    std::optional<std::size_t> home;   ///< the TIFF that has them; none: they stand alone
    std::string own_uuid;
};

/// Follows words that stand in another file, once. Nothing: that is not there, which is told.
std::optional<Found> find_words(const Source& source, TiffSet& set, Document& document, std::string& text) {
    Found found;
    if (set.has_own()) found.home = 0;
    found.words = read_ome(text);
    found.own_uuid = found.words.uuid;
    if (!found.words.problem.empty()) {
        if (set.has_own()) return std::nullopt;   // describe() tells
        fail(source, fmt::format("its OME-XML is damaged: {}", found.words.problem), "write it again");
    }
    if (!found.words.elsewhere) return found;
    const OmeFile other = found.words.other;
    if (!set.has_own())
        fail(source, "is OME-XML that says it stands in another file", fmt::format("name that one: {}", shortened(other.name)));
    std::optional<TiffSet::Words> there;
    if (!other.name.empty()) there = set.words_in(other.name);
    if (!there) {
        document.file.warnings.push_back(fmt::format(
            "its OME-XML stands in another file, {}: its axes and distances are not known",
            other.name.empty() ? "which it does not name" : fmt::format("{}, which is not there", shortened(other.name))));
        return std::nullopt;
    }
    found.words = read_ome(there->text);
    found.home = there->member;
    const std::string name = shortened(other.name);
    if (!found.words.problem.empty())
        fail(source, fmt::format("its OME-XML stands in {}, and is damaged there: {}", name, found.words.problem), by_itself);
    if (found.words.elsewhere)
        fail(source,
             fmt::format("its OME-XML stands in {}, which says that it stands in {}", name, shortened(found.words.other.name)),
             by_itself);
    if (!other.uuid.empty() && !found.words.uuid.empty() && !same_uuid(other.uuid, found.words.uuid))
        fail(source,
             fmt::format("its OME-XML stands in {} of UUID {}, and the file of that name has UUID {}", name,
                         shortened(other.uuid), shortened(found.words.uuid)),
             "that file belongs to another set: look for its own");
    text = std::move(there->text);
    return found;
}

std::string bare(const std::string& name) { return name.starts_with("./") ? name.substr(2) : name; }

/// Which of the files that are named the source is: by its name; else, where it was renamed, by its UUID; else the only one.
std::vector<bool> own_of(const TiffSet& set, const Found& found) {
    const std::vector<OmeFile>& files = found.words.files;
    std::vector<bool> own(files.size());
    if (!set.has_own()) return own;
    bool any = false;
    for (std::size_t i = 0; i < files.size(); ++i) any = (own[i] = bare(files[i].name) == set.name(0)) || any;
    for (std::size_t i = 0; i < files.size() && !any; ++i)
        own[i] = !found.own_uuid.empty() && same_uuid(files[i].uuid, found.own_uuid);
    return own;
}

bool has_here(const OmeWords& words) {
    const auto here = [](const OmeImage& image) {
        return std::find(image.files.begin(), image.files.end(), OmeWords::here) != image.files.end();
    };
    return std::any_of(words.images.begin(), words.images.end(), here);
}

/// Reads OME-XML's UUID for the file that has it.
std::string uuid_of(const std::string& description) {
    XmlReader reader(description);
    return reader.next() == XmlReader::Event::open ? reader.attribute("UUID").value_or(std::string()) : std::string();
}

void check_uuid(const Source& source, const OmeFile& file, const std::string& there) {
    if (file.uuid.empty() || there.empty() || same_uuid(file.uuid, there)) return;
    fail(source,
         fmt::format("its OME-XML names {} with UUID {}, and the file of that name has UUID {}", shortened(file.name),
                     shortened(file.uuid), shortened(there)),
         "that file belongs to another set: look for its own, or state \"page_axis\": \"z\", which reads one file alone");
}

/// The pages of all files of one image.
struct Gathered {
    std::unordered_map<std::uint32_t, std::size_t> member_of;   ///< of OmeWords::files
    std::vector<std::vector<Page>> pages;                       ///< by member
    std::vector<std::string> missing;                           ///< files
    std::string like;                                           ///< one that is there and looks like one that is missing

    const std::vector<Page>* of(std::uint32_t file) const {
        const auto member = member_of.find(file);
        return member == member_of.end() ? nullptr : &pages[member->second];
    }
    std::size_t count() const {
        std::size_t all = 0;
        for (const std::vector<Page>& some : pages) all += some.size();
        return all;
    }
};

class Gatherer {
public:
    Gatherer(const Source& source, TiffSet& set, Document& document, const Found& found, const std::vector<bool>& own)
        : source_(source), set_(set), document_(document), found_(found), own_(own) {}

    /// `alone`: of the source's own.
    Gathered gather(const OmeImage& image, bool alone) {
        std::vector<Page> own_pages = std::move(document_.pages), own_reduced = std::move(document_.reduced);
        document_.pages.clear(), document_.reduced.clear();
        for (const std::uint32_t file : image.files) {
            const std::optional<std::size_t> member = member_of(file, alone);
            if (!member) continue;
            all_.member_of.emplace(file, *member);
            if (all_.pages.size() <= *member) all_.pages.resize(*member + 1), seen_.resize(*member + 1);
            if (seen_[*member]) continue;
            seen_[*member] = true;
            if (*member == 0 && set_.has_own()) {
                all_.pages[0] = std::move(own_pages);
                document_.reduced.insert(document_.reduced.begin(), own_reduced.begin(), own_reduced.end());
            } else {
                describe_pages(source_, set_, *member, all_.pages[*member], document_.reduced);
            }
        }
        std::sort(document_.reduced.begin(), document_.reduced.end(),
                  [](const Page& a, const Page& b) { return std::pair(a.member, a.index) < std::pair(b.member, b.index); });
        return std::move(all_);
    }

private:
    std::optional<std::size_t> member_of(std::uint32_t file, bool alone) {
        if (file == OmeWords::here) {
            if (!found_.home)
                fail(source_, "its OME-XML does not say in which file the planes stand",
                     "a TiffData of such a file needs a UUID with FileName: write it again");
            return alone && *found_.home != 0 ? std::nullopt : found_.home;
        }
        const OmeFile& named = found_.words.files[file];
        if (own_[file]) {
            check_uuid(source_, named, found_.own_uuid);
            return 0;
        }
        if (alone) return std::nullopt;
        if (named.name.empty()) {
            all_.missing.push_back(fmt::format("a file with UUID {} and no name", shortened(named.uuid)));
            return std::nullopt;
        }
        const std::optional<std::size_t> member = set_.add(named.name);
        if (member) return checked(member, named);
        // The name may stand there in another Unicode form. What looks like it is it where its UUID is, too.
        const std::string like = set_.look_alike(named.name);
        if (!like.empty() && !named.uuid.empty() && same_uuid(uuid_of(set_.description_in(like)), named.uuid))
            return checked(set_.add(like), named);
        all_.missing.push_back(shortened(named.name));
        if (!like.empty() && all_.like.empty()) all_.like = shortened(like);
        return std::nullopt;
    }

    /// Of the file as it is opened now.
    std::optional<std::size_t> checked(std::optional<std::size_t> member, const OmeFile& named) const {
        if (member) check_uuid(source_, named, uuid_of(set_.description(*member)));
        return member;
    }

    const Source& source_;
    TiffSet& set_;
    Document& document_;
    const Found& found_;
    const std::vector<bool>& own_;
    Gathered all_;
    std::vector<bool> seen_;   ///< by member
};

/// Runs of planes that say where they begin and not how many they are, up to where another begins: so are they in files of
/// programs that state the first plane of each file alone. Nothing: then, too, not every plane has a page and every page a plane.
std::optional<Planes> filled(const Source& source, Description said, const Gathered& all) {
    std::set<std::int64_t> begins;
    for (const PlaneRun& run : said.planes) begins.insert(run.plane);
    for (PlaneRun& run : said.planes) {
        const auto next = begins.upper_bound(run.plane);
        if (!run.counted && run.plane >= 0) run.count = (next == begins.end() ? said.images : *next) - run.plane;
    }
    try {
        Planes planes = planes_of(source, said, [&all](std::uint32_t file) { return all.of(file); });
        if (planes.missing.empty() && planes.pages.size() == all.count()) return planes;
    } catch (const IoError&) {   // a page or a plane had two places so
    }
    return std::nullopt;
}

/// Of 8 to 128 bits, in OME's words; empty: none.
std::string_view word_for(const Page& page) {
    const auto pick = [&](std::string_view b8, std::string_view b16, std::string_view b32, std::string_view b64) {
        return page.bits == 8 ? b8 : page.bits == 16 ? b16 : page.bits == 32 ? b32 : page.bits == 64 ? b64 : std::string_view();
    };
    switch (page.sample_format) {
        case SAMPLEFORMAT_UINT:
        case SAMPLEFORMAT_VOID:
            return page.bits == 1 ? "bit" : pick("uint8", "uint16", "uint32", {});
        case SAMPLEFORMAT_INT:
            return pick("int8", "int16", "int32", {});
        case SAMPLEFORMAT_IEEEFP:
            return pick({}, {}, "float", "double");
        case SAMPLEFORMAT_COMPLEXIEEEFP:
            return page.bits == 128 ? "double-complex" : pick({}, {}, {}, "complex");
        default:
            return {};
    }
}

int bits_of(std::string_view word) {
    constexpr std::pair<std::string_view, int> words[] = {{"bit", 1},     {"int8", 8},     {"uint8", 8},           {"int16", 16},
                                                          {"uint16", 16}, {"int32", 32},   {"uint32", 32},         {"float", 32},
                                                          {"double", 64}, {"complex", 64}, {"double-complex", 128}};
    for (const auto& [name, bits] : words) {
        if (name == word) return bits;
    }
    return 0;
}

/// Holds the pages against what the words say of them, and against each other: files of several sets may have each other's names.
void check_pages(const Source& source, const TiffSet& set, Document& document, const Description& said) {
    const Page& first = document.pages.front();
    const int bits = bits_of(said.type);
    for (const Page& page : document.pages) {
        const auto unlike = [&](const std::string& expected, const std::string& found) {
            fail(source,
                 fmt::format("its OME-XML says {}, and page {} of {} has {}", expected, page.index,
                             shortened(set.name(page.member)), found),
                 "the file belongs to another set, or was changed: look for its own");
        };
        if ((said.width > 0 && page.width != said.width) || (said.height > 0 && page.height != said.height))
            unlike(fmt::format("{} x {} pixels", said.width, said.height), fmt::format("{} x {}", page.width, page.height));
        if (bits > 1 && page.bits != bits) unlike(fmt::format("elements of {}", said.type), fmt::format("{} bits", page.bits));
        if (!page.same_picture(first))
            fail(source,
                 fmt::format("page {} of {} is unlike page {} of {}: {} samples of {} bits and {}", page.index,
                             shortened(set.name(page.member)), first.index, shortened(set.name(first.member)), page.samples,
                             page.bits, first.samples),
                 by_itself);
    }
    tell_unlike(said, first, document.file);
}

/// Of planes that are a part of all: its axes. False: they are no part along the axes.
bool take_part(Description& said, const std::vector<std::int64_t>& numbers) {
    const std::size_t n = said.axes.size();
    std::vector<std::int64_t> least(n, INT64_MAX), most(n, -1);
    for (std::int64_t number : numbers) {
        for (std::size_t i = n; i-- > 0;) {
            const std::int64_t at = number % said.axes[i].size;
            number /= said.axes[i].size;
            least[i] = std::min(least[i], at);
            most[i] = std::max(most[i], at);
        }
    }
    std::int64_t count = 1;
    for (std::size_t i = 0; i < n; ++i) count = times(count, most[i] - least[i] + 1);
    if (count != static_cast<std::int64_t>(numbers.size())) return false;
    std::vector<ArrayDesc::Extent> axes;
    for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t size = most[i] - least[i] + 1;
        if (said.axes[i].name == 'c' && static_cast<std::int64_t>(said.channels.size()) == said.axes[i].size)
            said.channels = {said.channels.begin() + least[i], said.channels.begin() + most[i] + 1};
        if (size > 1) axes.push_back({said.axes[i].name, size});
    }
    said.axes = std::move(axes);
    said.images = count;
    return true;
}

/// The files that are not there.
std::string missing_of(const Gathered& all) {
    const std::vector<std::string>& names = all.missing;
    const std::size_t more = names.size() - std::min<std::size_t>(names.size(), 2);
    std::string which = fmt::format("{} is not there", names[0]);
    if (names.size() == 2) which = fmt::format("{} and {} are not there", names[0], names[1]);
    if (more > 0) which = fmt::format("{}, {} and {} more files are not there", names[0], names[1], more);
    if (all.like.empty()) return which;
    return fmt::format("{} (there is a file that looks alike, {}: if it is meant, its name is in another Unicode form, as macOS "
                       "writes names: rename it to what the OME-XML says)",
                       which, all.like);
}

/// Which image: the one that is asked for, else the first of which the source has planes.
std::int64_t series_of(const Source& source, const TiffSet& set, const Found& found, const std::vector<bool>& own) {
    const auto images = static_cast<std::int64_t>(found.words.images.size());
    if (source.options.series) {
        if (*source.options.series >= images) fail_of_series(source, images);
        return *source.options.series;
    }
    if (!set.has_own()) return 0;
    for (std::int64_t i = 0; i < images; ++i) {
        for (const std::uint32_t file : found.words.images[static_cast<std::size_t>(i)].files) {
            if (file == OmeWords::here ? found.home == std::size_t{0} : own[file]) return i;
        }
    }
    fail(source,
         fmt::format("its OME-XML places planes in other files, {} among them, and none in one of its own name or UUID",
                     found.words.files.empty() ? "that which has the words" : shortened(found.words.files.front().name)),
         "give it the name that it had, or name one of the others; \"page_axis\": \"z\" reads its pages as they stand");
}

}   // namespace

std::optional<std::int64_t> shared_with(const OmeWords& words, std::int64_t series) {
    const auto which = static_cast<std::size_t>(series);
    if (which >= words.images.size()) return std::nullopt;
    const std::vector<std::uint32_t>& unpaged = words.images[which].unpaged;
    const std::set<std::uint32_t> ours(unpaged.begin(), unpaged.end());
    for (std::size_t i = 0; i < words.images.size(); ++i) {
        const std::vector<std::uint32_t>& theirs = words.images[i].unpaged;
        const bool shared =
            std::any_of(theirs.begin(), theirs.end(), [&ours](std::uint32_t file) { return ours.count(file) != 0; });
        if (i != which && shared) return static_cast<std::int64_t>(i);
    }
    return std::nullopt;
}

void tell_unlike(const Description& said, const Page& page, FileInfo& info) {
    if ((said.width > 0 && page.width != said.width) || (said.height > 0 && page.height != said.height))
        info.warnings.push_back(
            fmt::format("its OME-XML is of {} x {} pixels, and its pages have {} x {}: they are read as the pages say, and what it tells of "
                        "them, distances and names, may be of another picture",
                        said.width, said.height, page.width, page.height));
    const std::string_view word = word_for(page);
    if (bits_of(said.type) > 1 && !word.empty() && word != said.type)
        info.warnings.push_back(
            fmt::format("its OME-XML says elements of {}, and its pages {}: they are read as the pages say", said.type, word));
}

void check_unshared(const Source& source, const OmeWords& words, std::int64_t series) {
    const std::optional<std::int64_t> other = shared_with(words, series);
    if (!other) return;
    fail(source,
         fmt::format(
             "its OME-XML describes {} images, and says for neither image {} nor image {} at which page (IFD) of one file it "
             "begins: by OME's schema both begin at its first",
             words.images.size(), std::min(*other, series), std::max(*other, series)),
         "write it again, each TiffData with its IFD; \"page_axis\": \"z\" reads its pages as they stand");
}

std::optional<Description> choose_spread(const Source& source, TiffSet& set, Document& document, std::string& text) {
    if (set.has_own() && (!is_ome(text) || source.options.page_axis != '\0')) return std::nullopt;
    const std::optional<Found> found = find_words(source, set, document, text);
    if (!found) return std::nullopt;
    const OmeWords& words = found->words;
    if (words.images.empty()) {
        if (found->home == std::size_t{0}) return std::nullopt;
        fail(source, "its OME-XML describes no image", "write it again");
    }
    const std::vector<bool> own = own_of(set, *found);
    const bool one = words.files.empty() || (words.files.size() == 1 && (own[0] || !has_here(words)));
    if (found->home == std::size_t{0} && one) return std::nullopt;

    const std::int64_t series = series_of(source, set, *found, own);
    const OmeImage& image = words.images[static_cast<std::size_t>(series)];
    if (image.files.empty())
        fail(source,
             image.inside ? fmt::format("holds the pixels of image {} in its OME-XML itself (BinData), which is not read", series)
                          : fmt::format("its OME-XML says of no file that it has planes of image {}", series),
             image.inside ? "write it as an OME-TIFF, for instance by bfconvert" : "choose another series");
    if (image.files.size() > most_parts)
        fail(source, fmt::format("its OME-XML places one image in {} files; up to {} are read", image.files.size(), most_parts),
             "write it in fewer files, for instance by bfconvert");
    check_unshared(source, words, series);
    const bool alone = source.options.alone && set.has_own();
    const Gathered all = Gatherer(source, set, document, *found, own).gather(image, alone);
    const auto with_pages = std::find_if(all.pages.begin(), all.pages.end(), [](const auto& pages) { return !pages.empty(); });
    if (alone && all.member_of.empty()) fail(source, fmt::format("has no planes of image {}", series), "choose another series");
    if (with_pages == all.pages.end())
        fail(source,
             all.missing.empty() ? std::string("its files hold only thumbnails or masks, no picture")
                                 : fmt::format("its OME-XML places its planes in other files: {}", missing_of(all)),
             "copy the files of the set into one folder");

    Description said = describe_ome(text, with_pages->front().samples, series);
    Planes planes = planes_of(source, said, [&all](std::uint32_t file) { return all.of(file); });
    const bool only = words.images.size() == 1;   // else other pages may be those of other images
    if (!planes.missing.empty() && all.missing.empty() && !alone && only && planes.pages.size() < all.count()) {
        if (std::optional<Planes> more = filled(source, said, all)) planes = std::move(*more);
    }
    const std::size_t others = only ? all.count() - planes.pages.size() : 0;
    if (!all.missing.empty() && !planes.missing.empty()) planes.missing += "; " + missing_of(all);
    if (planes.pages.empty() || (!planes.missing.empty() && !alone && others > 0))
        fail(source,
             others > 0 ? fmt::format("{}, and {} page{} without a plane", planes.missing, others, others == 1 ? "" : "s")
                        : planes.missing,
             set.has_own() ? by_itself : "look for the files of the set");
    document.pages = std::move(planes.pages);
    document.series = static_cast<std::int64_t>(words.images.size());
    check_pages(source, set, document, said);
    if (others > 0)
        document.file.ignored.push_back(fmt::format("{} page{} that OME-XML gives no plane", others, others == 1 ? "" : "s"));
    if (alone && all.member_of.size() < image.files.size()) {
        document.file.warnings.push_back(fmt::format(
            "it is one of {} files of an OME-TIFF, and read alone, as files that come by a pattern or in a series are",
            image.files.size()));
        if (!take_part(said, planes.numbers)) document.misfit = "has planes that are no part along the axes of its OME-XML";
    } else {
        document.misfit = planes.missing;
    }
    return said;
}

}   // namespace parallax::io::tiff
