#include "io/xml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace parallax::io {
namespace {

constexpr std::size_t most_levels = 256;   // OME's have a dozen

constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void append_utf8(std::string& out, std::uint32_t code) {
    const auto put = [&out](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (code < 0x80) return put(code);
    if (code < 0x800) {
        put(0xc0 | code >> 6);
    } else {
        if (code < 0x10000) {
            put(0xe0 | code >> 12);
        } else {
            put(0xf0 | code >> 18);
            put(0x80 | (code >> 12 & 63));
        }
        put(0x80 | (code >> 6 & 63));
    }
    put(0x80 | (code & 63));
}

/// What stands between '&' and ';'; false: nothing that is known.
bool append_entity(std::string& out, std::string_view entity) {
    constexpr std::array<std::pair<std::string_view, char>, 5> known = {
        {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
    for (const auto& [word, c] : known) {
        if (entity != word) continue;
        out += c;
        return true;
    }
    if (entity.size() < 2 || entity[0] != '#') return false;
    const bool hex = entity[1] == 'x';
    const std::string_view digits = entity.substr(hex ? 2 : 1);
    std::uint32_t code = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
    const bool sound = error == std::errc() && end == digits.data() + digits.size() && code > 0 && code < 0x110000 &&
                       (code < 0xd800 || code > 0xdfff);
    if (sound) append_utf8(out, code);
    return sound;
}

std::string replaced(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t amp = std::min(text.find('&'), text.size());
        out += text.substr(0, amp);
        text.remove_prefix(amp);
        if (text.empty()) break;
        const std::size_t end = text.substr(0, 16).find(';');
        const bool known = end != std::string_view::npos && append_entity(out, text.substr(1, end - 1));
        if (!known) out += '&';
        text.remove_prefix(known ? end + 1 : 1);
    }
    return out;
}

std::string_view without_prefix(std::string_view name) {
    const std::size_t colon = name.find(':');
    return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const auto first = static_cast<unsigned char>(text[i]);
        const std::size_t more = first < 0x80 ? 0 : first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : 3;
        if (first >= 0xf5 || (first >= 0x80 && first < 0xc2) || text.size() - i <= more) return false;
        for (std::size_t k = 1; k <= more; ++k) {
            if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return false;
        }
        i += more + 1;
    }
    return true;
}

std::string from_utf16(std::string_view text, bool big) {
    const auto unit = [&](std::size_t i) {
        const auto a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
        return static_cast<std::uint32_t>(big ? a << 8 | b : b << 8 | a);
    };
    std::string out;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        std::uint32_t code = unit(i);
        if (code >= 0xd800 && code < 0xdc00 && i + 3 < text.size() && unit(i + 2) >= 0xdc00 && unit(i + 2) < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (unit(i + 2) - 0xdc00);
            i += 2;
        }
        append_utf8(out, code);
    }
    return out;
}

}   // namespace

XmlReader::XmlReader(std::string_view text) : all_(text) {
    if (all_.starts_with("\xef\xbb\xbf")) at_ = 3;
}

XmlReader::Event XmlReader::damaged(std::string problem) {
    problem_ = std::move(problem);
    at_ = all_.size();
    return Event::damaged;
}

bool XmlReader::pass(std::string_view word) {
    const std::size_t found = all_.find(word, at_);
    if (found == std::string_view::npos) return false;
    at_ = found + word.size();
    return true;
}

XmlReader::Event XmlReader::next() {
    if (!problem_.empty()) return Event::damaged;
    if (closes_ || closed_) {   // what was closed is left only now, so that depth() is its own
        if (closes_) {
            closes_ = false;
            closed_ = true;
            return Event::close;
        }
        closed_ = false;
        open_.pop_back();
        depth_ = open_.size();
        if (open_.empty()) at_ = all_.size();
    }
    verbatim_ = false;
    while (at_ < all_.size()) {
        const std::string_view rest = all_.substr(at_);
        if (rest[0] != '<') {
            const std::size_t end = std::min(all_.find('<', at_), all_.size());
            inside_ = all_.substr(at_, end - at_);
            at_ = end;
            if (!open_.empty()) return Event::text;
            if (!std::all_of(inside_.begin(), inside_.end(), is_blank)) return damaged("it begins with other words");
            continue;
        }
        if (rest.starts_with("<!--")) {
            at_ += 4;
            if (!pass("-->")) return damaged("it ends inside a comment");
        } else if (rest.starts_with("<?")) {
            if (!pass("?>")) return damaged("it ends inside an instruction");
        } else if (rest.starts_with("<![CDATA[")) {
            const std::size_t begin = at_ + 9;
            if (open_.empty() || !pass("]]>")) return damaged("it ends inside CDATA");
            inside_ = all_.substr(begin, at_ - 3 - begin);
            verbatim_ = true;
            return Event::text;
        } else if (rest.starts_with("<!")) {
            const std::size_t end = all_.find_first_of("[>", at_);
            if (end == std::string_view::npos) return damaged("it ends inside a declaration");
            if (all_[end] == '[') return damaged("it declares entities of its own");
            at_ = end + 1;
        } else {
            return rest.starts_with("</") ? close_tag() : open_tag();
        }
    }
    if (!open_.empty()) return damaged(fmt::format("it ends inside <{}>", open_.back().substr(0, 40)));
    return Event::end;
}

XmlReader::Event XmlReader::open_tag() {
    const std::size_t begin = at_ + 1;
    std::size_t end = begin;
    for (;; ++end) {   // values may hold '>'
        end = all_.find_first_of("\"'<>", end);
        if (end == std::string_view::npos || all_[end] == '<') return damaged("it has a tag that does not end");
        if (all_[end] == '>') break;
        end = all_.find(all_[end], end + 1);
        if (end == std::string_view::npos) return damaged("it has an attribute that does not end");
    }
    at_ = end + 1;
    inside_ = all_.substr(begin, end - begin);
    closes_ = inside_.ends_with('/');
    if (closes_) inside_.remove_suffix(1);
    const std::string_view called = inside_.substr(0, inside_.find_first_of(" \t\n\v\f\r"));
    inside_.remove_prefix(called.size());
    if (called.empty()) return damaged("it has a tag without a name");
    if (open_.size() == most_levels) return damaged(fmt::format("it has more than {} levels", most_levels));
    open_.push_back(called);
    depth_ = open_.size();
    name_ = without_prefix(called);
    return Event::open;
}

XmlReader::Event XmlReader::close_tag() {
    const std::size_t end = all_.find('>', at_);
    if (end == std::string_view::npos) return damaged("it has a tag that does not end");
    std::string_view called = all_.substr(at_ + 2, end - at_ - 2);
    while (!called.empty() && is_blank(called.back())) called.remove_suffix(1);
    if (open_.empty() || called != open_.back())
        return damaged(fmt::format("</{}> closes {}", called.substr(0, 40),
                                   open_.empty() ? "nothing" : fmt::format("<{}>", open_.back().substr(0, 40))));
    at_ = end + 1;
    inside_ = {};
    name_ = without_prefix(called);
    closed_ = true;
    return Event::close;
}

std::optional<std::string> XmlReader::attribute(std::string_view name) const {
    for (std::size_t at = 0; at < inside_.size();) {
        if (is_blank(inside_[at])) {
            ++at;
            continue;
        }
        const std::size_t equals = inside_.find('=', at);
        if (equals == std::string_view::npos) break;
        std::string_view called = inside_.substr(at, equals - at);
        while (!called.empty() && is_blank(called.back())) called.remove_suffix(1);
        std::size_t open = equals + 1;
        while (open < inside_.size() && is_blank(inside_[open])) ++open;
        if (open == inside_.size() || (inside_[open] != '"' && inside_[open] != '\'')) break;
        const std::size_t end = inside_.find(inside_[open], open + 1);
        if (end == std::string_view::npos) break;
        if (called == name) return replaced(inside_.substr(open + 1, end - open - 1));
        at = end + 1;
    }
    return std::nullopt;
}

std::string XmlReader::text() const { return verbatim_ ? std::string(inside_) : replaced(inside_); }

std::string xml_as_utf8(std::string text) {
    using namespace std::string_view_literals;
    const bool marked = text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
    const bool big = text.starts_with("\xfe\xff") || text.starts_with("\0<"sv);
    if (marked || big || text.starts_with("<\0"sv)) return from_utf16(std::string_view(text).substr(marked ? 2 : 0), big);
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    if (is_utf8(text)) return text;
    std::string out;
    for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
    return out;
}

}   // namespace parallax::io
