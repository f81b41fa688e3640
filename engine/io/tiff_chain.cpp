#include "io/tiff_chain.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <bitset>
#include <optional>
#include <set>

#include "io/format.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::tiff {
namespace {

// A page has some twenty entries. libtiff compares each with each other, and sorts all kinds of tags it knows for each that it
// does not.
constexpr std::uint64_t most_entries = 1024;
constexpr std::size_t most_kinds = 1024;
// Tags may share their values, and one megabyte be the value of a thousand: libtiff reads and keeps it for each.
constexpr std::uint64_t shared_in_one = 64 << 10;   ///< of a directory, beyond the file's length
constexpr std::uint64_t shared_in_all = 64 << 20;   ///< of all, beyond four times the file's length

class Walker {
public:
    explicit Walker(File& file) : file_(file) {}

    void bound(Chain& chain, const std::vector<std::uint64_t>& directories) {
        chain_ = std::move(chain);
        unsigned char order = 0;
        file_.seek(0);
        file_.read(&order, 1, "the TIFF header");
        swap_ = (order == 'M') != (std::endian::native == std::endian::big);
        for (std::size_t i = 0; i < directories.size(); ++i) read_directory(directories[i], chain_.directories.size() + i);
        std::sort(chain_.links.begin(), chain_.links.end());
        chain = std::move(chain_);
    }

    Chain walk() {
        std::set<std::uint64_t> seen;
        std::uint64_t at = read_header();
        for (std::size_t index = 0; at != 0; ++index) {
            const std::uint64_t next = read_directory(at, index);
            chain_.directories.push_back(at);
            seen.insert(at);
            if (seen.count(next) != 0)
                fail(fmt::format("its TIFF directories go round in a loop: {} leads back to byte {}", index, next));
            at = next;
        }
        if (chain_.directories.empty()) fail("has no TIFF directory, and so no picture");
        std::sort(chain_.links.begin(), chain_.links.end());
        file_.seek(0);   // where libtiff begins
        return std::move(chain_);
    }

private:
    [[noreturn]] void fail(std::string problem) const {
        throw IoError(file_.name(), std::move(problem), "the file is cut off or damaged: write or copy it again");
    }

    template <class T>
    T number(const unsigned char* at) const {
        return load<T>(at, swap_);
    }
    std::uint64_t place(const unsigned char* at) const {
        return chain_.big ? number<std::uint64_t>(at) : number<std::uint32_t>(at);
    }

    /// Returns where the first directory stands.
    std::uint64_t read_header() {
        unsigned char head[16] = {};
        file_.seek(0);
        file_.read(head, 8, "the TIFF header");
        swap_ = (head[0] == 'M') != (std::endian::native == std::endian::big);
        chain_.big = number<std::uint16_t>(head + 2) == 43;
        if (chain_.big) file_.read(head + 8, 8, "the TIFF header");
        chain_.links.push_back(chain_.big ? 8 : 4);
        return place(head + chain_.links.front());
    }

    /// Returns where the next one stands; 0: there is none.
    std::uint64_t read_directory(std::uint64_t at, std::size_t index) {
        const std::size_t count_bytes = chain_.big ? 8 : 2, entry_bytes = chain_.big ? 20 : 12, inside = chain_.link_bytes();
        unsigned char head[8] = {};
        if (at > file_.size())
            fail(fmt::format("is a damaged TIFF file: its directory {} begins at byte {}, past the end of the file", index, at));
        file_.seek(at);
        file_.read(head, count_bytes, "a TIFF directory");
        const std::uint64_t entries = chain_.big ? number<std::uint64_t>(head) : number<std::uint16_t>(head);
        if (entries > most_entries)
            fail(fmt::format("its TIFF directory {} declares {} entries; up to {} are read", index, entries, most_entries));
        bytes_.resize(entries * entry_bytes + inside);
        file_.read(bytes_.data(), bytes_.size(), "a TIFF directory");
        std::uint64_t in_values = 0;
        colours_ = {};
        said_.reset();
        for (std::uint64_t i = 0; i < entries; ++i) in_values += check_entry(bytes_.data() + i * entry_bytes, at, index);
        check_colours(index);
        if (in_values > file_.size() + shared_in_one)
            fail(fmt::format("the tags of its TIFF directory {} have {} bytes of values, the file {}", index, in_values,
                             file_.size()));
        in_all_ += in_values;
        if (in_all_ > 4 * file_.size() + shared_in_all)
            fail(fmt::format("the tags of its first {} TIFF directories have {} bytes of values, the file {}", index + 1, in_all_,
                             file_.size()));
        if (kinds_of_tags_ > most_kinds)
            fail(fmt::format("its first {} TIFF directories have {} kinds of tags; up to {} are read", index + 1, kinds_of_tags_,
                             most_kinds));
        chain_.links.push_back(at + count_bytes + entries * entry_bytes);
        return place(bytes_.data() + entries * entry_bytes);
    }

    /// Returns how many bytes of values stand elsewhere. libtiff passes over some that stand past the end of the file: a page
    /// would be lost without a word.
    std::uint64_t check_entry(const unsigned char* entry, std::uint64_t directory, std::size_t index) {
        const auto tag = number<std::uint16_t>(entry), type = number<std::uint16_t>(entry + 2);
        const std::uint64_t count = place(entry + 4), inside = chain_.link_bytes();
        kinds_of_tags_ += seen_[tag] ? 0 : 1;
        seen_.set(tag);
        if (index == 0) chain_.tags[tag] = count;
        const auto value = one_of(type, count, entry + 4 + inside);
        if (is_first(tag)) {   // of equal ones the first counts
            check_plain(tag, type, count, value, index);
            if (tag == TIFFTAG_COLORMAP) colours_.at = place(entry + 4 + inside);
            if (value) note_lost(tag, *value, directory);
        }
        if (type > TIFF_IFD8) return 0;   // no type of TIFF's: libtiff leaves the entry out
        const auto width = static_cast<std::uint64_t>(TIFFDataWidth(static_cast<TIFFDataType>(type)));
        if (width == 0 || count <= inside / width) return 0;
        const std::uint64_t offset = place(entry + 4 + inside);
        if (offset > file_.size() || count > (file_.size() - offset) / width)
            fail(fmt::format("tag {} of its TIFF directory {} has {} values from byte {} on, past the end of the file", tag,
                             index, count, offset));
        return count * width;
    }

    /// In its directory, of the tags that are looked at here.
    bool is_first(std::uint16_t tag) {
        const bool first = tag < said_.size() && !said_[tag];
        if (first) said_.set(tag);
        return first;
    }

    /// What libtiff does not keep: the predictor of a codec that has no use for it, and units that it does not know.
    void note_lost(std::uint16_t tag, std::uint64_t value, std::uint64_t directory) {
        if (tag == TIFFTAG_PREDICTOR && value > PREDICTOR_NONE) chain_.of_differences.insert(directory);
        if (tag == TIFFTAG_RESOLUTIONUNIT && (value < RESUNIT_NONE || value > RESUNIT_CENTIMETER))
            chain_.units[directory] = static_cast<std::uint16_t>(value);
    }

    /// Of tags that say what the pixels are, libtiff passes over the entry where it takes neither its type nor how many values it
    /// has nor the value, and reads the file as if nothing were said.
    void check_plain(std::uint16_t tag, std::uint16_t type, std::uint64_t count, std::optional<std::uint64_t> value,
                     std::size_t index) {
        constexpr std::pair<int, const char*> numbers[] = {
            {TIFFTAG_SUBFILETYPE, "NewSubfileType"}, {TIFFTAG_PHOTOMETRIC, "PhotometricInterpretation"},
            {TIFFTAG_FILLORDER, "FillOrder"},        {TIFFTAG_GROUP3OPTIONS, "T4Options"},
            {TIFFTAG_GROUP4OPTIONS, "T6Options"},    {TIFFTAG_PREDICTOR, "Predictor"}};
        for (const auto& [number, name] : numbers) {
            if (tag != number) continue;
            const bool is_short = tag == TIFFTAG_PHOTOMETRIC || tag == TIFFTAG_FILLORDER || tag == TIFFTAG_PREDICTOR;
            const bool known = tag != TIFFTAG_FILLORDER || value <= std::uint64_t{FILLORDER_LSB2MSB};   // 0 says nothing
            if (count != 1 || !value || (is_short && *value > 0xffff) || !known)
                fail(fmt::format("its TIFF directory {} does not say its {} (tag {}) as TIFF has it, but as {} of type {}{}",
                                 index, name, tag, count == 1 ? "a value" : fmt::format("{} values", count), type,
                                 value && count == 1 ? fmt::format(": {}", *value) : ""));
        }
        if (tag == TIFFTAG_PHOTOMETRIC) colours_.palette = value == PHOTOMETRIC_PALETTE;
        if (tag == TIFFTAG_BITSPERSAMPLE && value) colours_.bits = count == 1 ? *value : 0;
        if (tag == TIFFTAG_COLORMAP) colours_.type = type, colours_.count = count, colours_.there = true;
    }

    /// Of a palette that it does not take libtiff makes grey.
    void check_colours(std::size_t index) {
        if (!colours_.palette || !colours_.there || colours_.bits < 1 || colours_.bits > 8) return;   // others are refused
        bool known = colours_.count == std::uint64_t{3} << colours_.bits &&
                     (colours_.type == TIFF_BYTE || colours_.type == TIFF_SHORT || colours_.type == TIFF_LONG);
        if (known && colours_.type == TIFF_LONG) {   // which hold what 16 bits can
            std::vector<unsigned char> values(colours_.count * 4);
            file_.seek(colours_.at);
            file_.read(values.data(), values.size(), "a TIFF directory");
            for (std::size_t i = 0; i < values.size(); i += 4) known = known && number<std::uint32_t>(&values[i]) <= 0xffff;
        }
        if (!known)
            fail(fmt::format(
                "its TIFF directory {} does not say its ColorMap (tag {}) as TIFF has it, but as {} values of type {} for "
                "samples of {} bits",
                index, TIFFTAG_COLORMAP, colours_.count, colours_.type, colours_.bits));
    }

    /// An entry's first value where it is a whole number, and stands in the entry itself.
    std::optional<std::uint64_t> one_of(std::uint16_t type, std::uint64_t count, const unsigned char* value) const {
        if (count == 0) return std::nullopt;
        const auto from_0 = [](std::int64_t number) { return number < 0 ? std::nullopt : std::optional<std::uint64_t>(number); };
        switch (type) {
            case TIFF_BYTE: return *value;
            case TIFF_SBYTE: return from_0(static_cast<std::int8_t>(*value));
            case TIFF_SHORT: return number<std::uint16_t>(value);
            case TIFF_SSHORT: return from_0(number<std::int16_t>(value));
            case TIFF_LONG: return number<std::uint32_t>(value);
            case TIFF_SLONG: return from_0(number<std::int32_t>(value));
            case TIFF_LONG8: return chain_.big ? std::optional(number<std::uint64_t>(value)) : std::nullopt;
            case TIFF_SLONG8: return chain_.big ? from_0(number<std::int64_t>(value)) : std::nullopt;
            default: return std::nullopt;
        }
    }

    /// Of a directory, what it says of a palette.
    struct Colours {
        bool palette = false, there = false;
        std::uint64_t bits = 1, count = 0, at = 0;
        std::uint16_t type = 0;
    };

    File& file_;
    Chain chain_;
    Colours colours_;
    bool swap_ = false;
    std::vector<unsigned char> bytes_;   ///< of a directory
    std::bitset<65536> seen_;            ///< tags
    std::bitset<512> said_;              ///< of a directory, those of TIFF's own
    std::size_t kinds_of_tags_ = 0;
    std::uint64_t in_all_ = 0;
};

}   // namespace

void Chain::hide_links(std::uint64_t position, void* bytes, std::size_t count) const noexcept {
    if (count < link_bytes() || count > 16) return;   // libtiff reads links by themselves, and the first with the header
    const auto first = std::lower_bound(links.begin(), links.end(), position);
    if (first != links.end() && *first + link_bytes() <= position + count)
        std::memset(static_cast<char*>(bytes) + (*first - position), 0, link_bytes());
}

Chain walk_chain(File& file) { return Walker(file).walk(); }

void bound_more(File& file, Chain& chain, const std::vector<std::uint64_t>& directories) {
    Walker(file).bound(chain, directories);
}

}   // namespace parallax::io::tiff
