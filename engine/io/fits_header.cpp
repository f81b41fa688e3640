#include "io/fits_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "io/file.hpp"

namespace parallax::io::fits {
namespace {

constexpr std::uint64_t block_bytes = 2880;
constexpr std::size_t card_bytes = 80;
constexpr std::size_t most_cards = 1 << 16, most_units = 1 << 14;

/// Keys of which a second, other value would make another image. Others may stand there as often as they like: a compressed
/// image keeps the name that it had before beside its table's, EXTNAME, of which the first is taken.
bool has_meaning(std::string_view key) {
    constexpr std::string_view keys[] = {"BITPIX", "BSCALE", "BZERO", "BLANK", "GROUPS", "PCOUNT", "XTENSION", "ZIMAGE"};
    constexpr std::string_view numbered[] = {"NAXIS", "CDELT", "CUNIT", "CTYPE", "CD", "PC"};
    const std::size_t digits = std::min(key.find_first_of("0123456789"), key.size());
    return std::find(std::begin(keys), std::end(keys), key) != std::end(keys) ||
           std::find(std::begin(numbered), std::end(numbered), key.substr(0, digits)) != std::end(numbered);
}

/// A value as text: of a string what stands between the quotes, of which one inside it is written twice.
std::string value_of(std::string_view card) {
    const std::string_view text = trimmed(card.substr(10));
    if (!text.starts_with('\'')) return std::string(trimmed(text.substr(0, text.find('/'))));
    std::string value;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == '\'' && (++i == text.size() || text[i] != '\'')) break;
        value += text[i];
    }
    return std::string(trimmed(value));
}

void add_card(const Source& source, Unit& unit, std::string_view name, const std::string& value) {
    const std::string problem = problem_of_adding(unit.cards, name, value, "FITS");
    if (!problem.empty() && has_meaning(name)) fail(source, problem, "each key stands there once: remove one of the two cards");
}

/// Leaves the file behind the header.
Unit read_unit(const Source& source, File& file, std::uint64_t at, std::size_t number) {
    Unit unit;
    unit.number = number;
    file.seek(at);
    std::string block(block_bytes, '\0');
    bool ended = false;
    for (std::size_t cards = 0; !ended; at += block_bytes) {
        file.read(block.data(), block_bytes, "a FITS header");
        for (std::size_t i = 0; i < block_bytes && !ended; i += card_bytes) {
            const std::string_view card = std::string_view(block).substr(i, card_bytes);
            const std::string_view name = trimmed(card.substr(0, 8));
            if (++cards > most_cards) fail(source, fmt::format("has a FITS header of more than {} cards", most_cards), again);
            if (name == "END")
                ended = true;
            else if (card.substr(8, 2) == "= ")
                add_card(source, unit, name, value_of(card));
        }
    }
    unit.data = at;
    const std::optional<std::int64_t> bits = integer_of(unit.card("BITPIX")), axes = integer_of(unit.card("NAXIS"));
    if (!bits || !axes || *axes < 0 || *axes > 999)
        fail(source,
             fmt::format("has BITPIX \"{}\" and NAXIS \"{}\" in its FITS header {}", shortened(unit.card("BITPIX")),
                         shortened(unit.card("NAXIS")), number),
             again);
    unit.bits = *bits;
    std::uint64_t elements = *axes == 0 ? 0 : 1;
    for (std::int64_t i = 1; i <= *axes; ++i) {
        const std::optional<std::int64_t> size = integer_of(unit.card(fmt::format("NAXIS{}", i)));
        if (!size || *size < 0) fail(source, fmt::format("has no size of axis {} in its FITS header {}", i, number), again);
        unit.sizes.push_back(*size);
        if (*size > 0 && elements > (std::uint64_t{1} << 60) / static_cast<std::uint64_t>(*size))
            fail(source, fmt::format("says in its FITS header {} that it holds more than 2^60 elements", number), again);
        elements *= static_cast<std::uint64_t>(*size);
    }
    const auto heap = static_cast<std::uint64_t>(std::max<std::int64_t>(0, whole_card(source, unit, "PCOUNT").value_or(0)));
    unit.bytes = elements * static_cast<std::uint64_t>(std::abs(unit.bits) / 8) + (unit.sizes.empty() ? 0 : heap);
    return unit;
}

}   // namespace

std::string_view Unit::card(std::string_view name) const {
    const auto found = cards.find(name);
    return found == cards.end() ? std::string_view() : std::string_view(found->second);
}

bool Unit::is_image() const {
    const std::string_view kind = card("XTENSION");
    return !sizes.empty() && (kind.empty() || kind == "IMAGE") && std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
}

std::string Unit::kind() const {
    if (card("GROUPS") == "T") return "random groups";
    const std::string_view extension = card("XTENSION");
    return extension.empty() || extension == "IMAGE" ? "an empty image" : "a " + in_lower_case(shortened(extension));
}

std::optional<std::int64_t> whole_card(const Source& source, const Unit& unit, std::string_view name) {
    const std::string_view text = unit.card(name);
    if (text.empty()) return std::nullopt;
    const std::optional<std::int64_t> value = integer_of(text);
    if (!value)
        fail(source,
             fmt::format("has {} = \"{}\" in its FITS header {}, where a whole number should be", name, shortened(text),
                         unit.number),
             again);
    return value;
}

double number_card(const Source& source, const Unit& unit, std::string_view name, double otherwise) {
    std::string text(unit.card(name));
    if (text.empty()) return otherwise;
    std::replace(text.begin(), text.end(), 'D', 'E');
    const std::optional<double> value = number_of(text);
    if (!value || !std::isfinite(*value))
        fail(source,
             fmt::format("has {} = \"{}\" in its FITS header {}, where a number should be", name, shortened(unit.card(name)),
                         unit.number),
             "FITS writes numbers as 0.25, 2.5E-1 or 2.5D-1, of up to 1.8E308: write the file again");
    return *value;
}

std::string in_words(const Unit& unit) {
    return fmt::format("{}{}", unit.number, unit.name().empty() ? "" : " \"" + shortened(unit.name()) + "\"");
}

Document find_image(const Source& source) {
    File file = source.open();
    const std::string& wanted = source.options.dataset;
    const bool by_number = wanted.starts_with('#');   // of which a name may be like
    const std::optional<std::int64_t> asked = integer_of(std::string_view(wanted).substr(by_number ? 1 : 0));
    std::optional<Document> found;
    std::vector<std::string> images, others, named;   // that are called as is wanted, packed ones too
    std::string packed;
    std::size_t pictures = 0;
    std::uint64_t at = 0;
    for (std::size_t number = 0; at + block_bytes <= source.bytes && number < most_units; ++number) {
        if (number > 0) {   // what is no extension are records of somebody's own
            std::array<char, 8> start{};
            file.seek(at);
            file.read(start.data(), start.size(), "a FITS header");
            if (std::string_view(start.data(), 8) != "XTENSION") break;
        }
        Unit unit = read_unit(source, file, at, number);
        const std::uint64_t padded = (unit.bytes + block_bytes - 1) / block_bytes * block_bytes;
        at = unit.data + std::min(padded, source.bytes);
        const bool packs = unit.card("ZIMAGE") == "T", picture = packs || unit.is_image();
        const bool meant = wanted.empty() || unit.name() == wanted || (asked && *asked == static_cast<std::int64_t>(number));
        pictures += picture;
        if (picture && meant) named.push_back(in_words(unit));
        if (packs) {
            others.push_back(fmt::format("{} (a compressed image)", in_words(unit)));
            if (packed.empty() && meant) packed = in_words(unit);
            continue;
        }
        if (!picture) {
            if (!unit.sizes.empty()) others.push_back(fmt::format("{} ({})", in_words(unit), unit.kind()));
            continue;
        }
        images.push_back(in_words(unit));
        if (!found && meant)
            found = Document{std::move(unit), {}};
        else
            others.push_back(images.back());
    }
    if (!wanted.empty() && named.size() > 1)
        fail(source, fmt::format("has several FITS images \"{}\": {}", shortened(wanted), fmt::join(named, ", ")),
             "choose one by its number (\"#2\"), or by a name (EXTNAME) that no other has");
    if (!found && !packed.empty())
        fail(source, fmt::format("is a FITS file whose image is compressed, which is not read: {}", packed),
             "write it uncompressed, for instance by funpack or astropy.io.fits");
    if (!found && !wanted.empty())
        fail(source, fmt::format("has no FITS image \"{}\"", shortened(wanted)),
             fmt::format("choose one of {}",
                         images.empty() ? "none: it has no image" : fmt::format("{}", fmt::join(images, ", "))));
    if (!found)
        fail(source,
             fmt::format("is a FITS file without an image{}", others.empty() ? "" : fmt::format(": {}", fmt::join(others, ", "))),
             "see what it holds, for instance by fitsinfo");
    found->others = std::move(others);
    found->images = pictures;
    return *std::move(found);
}

}   // namespace parallax::io::fits
