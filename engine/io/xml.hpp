// XML as microscopes write it: tags, attributes and text, one after the other. Nothing outside of the text is looked at, entities
// that it declares are not followed, and each byte is looked at a few times at most.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parallax::io {

class XmlReader {
public:
    enum class Event { open, close, text, end, damaged };

    /// UTF-8; the text must outlive the reader.
    explicit XmlReader(std::string_view text);

    /// Comments and instructions are passed over; "<a/>" opens and closes. Behind the root's end there is nothing more.
    Event next();

    /// Of what was opened or closed, without a prefix.
    std::string_view name() const noexcept { return name_; }
    /// Of what was opened or closed; the root's is 1. Of text: that of what it stands in.
    std::size_t depth() const noexcept { return depth_; }
    /// Of what was opened, entities replaced; none: it has no such attribute.
    std::optional<std::string> attribute(std::string_view name) const;
    /// Behind Event::text, entities replaced.
    std::string text() const;
    /// Behind Event::damaged: "it ends inside <Pixels>".
    const std::string& problem() const noexcept { return problem_; }

private:
    Event damaged(std::string problem);
    /// Moves behind the next such word; false: there is none.
    bool pass(std::string_view word);
    Event open_tag();
    Event close_tag();

    std::string_view all_;
    std::size_t at_ = 0, depth_ = 0;
    std::vector<std::string_view> open_;   ///< names, with their prefixes
    std::string_view name_, inside_;       ///< of a tag: what stands behind its name
    bool closes_ = false, closed_ = false, verbatim_ = false;
    std::string problem_;
};

/// As UTF-8 without a byte order mark: UTF-8 as it is, UTF-16 of either order turned into it, anything else taken for Latin-1.
std::string xml_as_utf8(std::string text);

}   // namespace parallax::io
