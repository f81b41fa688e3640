#include "io/tiff_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "io/file.hpp"
#include "io/name_outline.hpp"
#include "io/ome_read.hpp"
#include "io/parts.hpp"
#include "io/text_header.hpp"
#include "io/xml.hpp"
#include "parallax/host/error.hpp"
#include "support/entries.hpp"

namespace fs = std::filesystem;

namespace parallax::io::tiff {
namespace {

constexpr std::size_t most_open = 64;
constexpr std::uint64_t most_words = std::uint64_t{256} << 20;   ///< of a file of OME-XML: a million planes

fs::path path_of(const std::string& name) { return fs::path(std::u8string(name.begin(), name.end())); }

/// The whole of a file of OME-XML.
std::string text_of(const Source& source, File& file) {
    if (file.size() > most_words)
        fail(source,
             fmt::format("{} has {} bytes of OME-XML; up to {} are read", shortened(file.name()), file.size(), most_words),
             "split it, or write the images as one OME-TIFF");
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(text.data(), text.size(), "its OME-XML");
    return xml_as_utf8(std::move(text));
}

bool begins_as_tiff(File& file) {
    std::array<unsigned char, 4> head{};
    const std::size_t got = file.read_some(head.data(), head.size());
    file.seek(0);
    return matches(Head(head.data(), got));
}

std::string description_of(const TiffFile& tiff) {
    const char* text = nullptr;
    const std::vector<std::uint64_t>& directories = tiff.chain().directories;
    if (!tiff.go_to(directories.front()) || !TIFFGetField(tiff.handle(), TIFFTAG_IMAGEDESCRIPTION, &text) || !text) return {};
    return text;
}

}   // namespace

TiffSet::TiffSet(const Source& source) : source_(source), bytes_(source.bytes) {
    File file = source.open();
    own_ = begins_as_tiff(file);
    if (!own_) {
        words_ = text_of(source, file);
        texts_.push_back({source.asked, file.identity()});
        return;
    }
    auto own = std::make_unique<Member>();
    own->name = show(source.asked.filename());
    own->path = source.path;
    own->open = std::make_unique<TiffFile>(TiffFile::open(std::move(file)));
    own->identity = own->open->file().identity();
    members_.push_back(std::move(own));
}

std::optional<host::OpenedFile> TiffSet::open_beside(const std::string& name) const {
    // OME separates folders by '/', Windows's programs by '\'.
    const std::string bare = name.starts_with("./") ? name.substr(2) : name;
    if (bare.empty() || bare == "." || bare == ".." || bare.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos)
        fail(source_, fmt::format("its OME-XML names the file \"{}\", which is not in its own folder", shortened(name)),
             "put the files into one folder and write their bare names, or state \"page_axis\": \"z\", which reads the pages of "
             "one "
             "TIFF alone");
    return open_if_there(source_, path_of(bare));
}

void TiffSet::make_room() const {
    if (opened_.size() < most_open) return;
    const auto oldest = std::min_element(opened_.begin(), opened_.end(),
                                         [&](std::size_t a, std::size_t b) { return members_[a]->used < members_[b]->used; });
    Member& member = *members_[*oldest];
    member.chain = member.open->take_chain();
    member.open.reset();
    opened_.erase(oldest);
}

std::optional<std::size_t> TiffSet::add(const std::string& name) {
    for (std::size_t i = own_ ? 1 : 0; i < members_.size(); ++i) {
        if (members_[i]->name == name) return i;
    }
    const std::optional<host::OpenedFile> opened = open_beside(name);
    if (!opened) return std::nullopt;
    auto member = std::make_unique<Member>();
    member->name = name;
    member->path = source_.asked.parent_path() / path_of(name);
    members_.push_back(std::move(member));
    const std::size_t index = members_.size() - 1;
    try {
        make_room();
        Member& added = *members_.back();
        File file = File::open(opened->path());
        if (!begins_as_tiff(file)) throw IoError(name, "is no TIFF file", "write or copy it again");
        added.open = std::make_unique<TiffFile>(TiffFile::open(std::move(file)));
        added.identity = added.open->file().identity();
        added.used = ++calls_;
        opened_.push_back(index);
        // Another name of a file that is there already is that file: its pages are no other planes.
        for (std::size_t i = 0; i < index; ++i) {
            if (!added.identity || added.identity->inode == 0 || added.identity != members_[i]->identity) continue;
            opened_.pop_back();
            members_.pop_back();
            return i;
        }
        bytes_ += added.open->file().size();
    } catch (const IoError& error) {
        rethrow(index, error);
    }
    return index;
}

std::optional<TiffSet::Words> TiffSet::words_in(const std::string& name) {
    const std::optional<host::OpenedFile> opened = open_beside(name);
    if (!opened) return std::nullopt;
    try {
        File file = File::open(opened->path());
        if (!begins_as_tiff(file)) {
            texts_.push_back({source_.asked.parent_path() / path_of(name), file.identity()});
            bytes_ += file.size();
            return Words{text_of(source_, file), std::nullopt};
        }
    } catch (const IoError& error) {
        fail(source_, fmt::format("its file {}: {}", shortened(name), error.problem), error.hint);
    }
    const std::optional<std::size_t> member = add(name);
    if (!member) return std::nullopt;
    return Words{xml_as_utf8(description(*member)), member};
}

const TiffFile& TiffSet::file(std::size_t index) const {
    Member& member = *members_[index];
    member.used = ++calls_;
    if (member.open) return *member.open;
    make_room();
    const std::optional<host::OpenedFile> opened = open_beside(member.name);
    if (!opened) fail_of_change(member.name);
    auto file = std::make_unique<TiffFile>(TiffFile::open(opened->path(), std::move(member.chain)));
    if (file->file().identity() != member.identity) fail_of_change(member.name);
    member.open = std::move(file);
    opened_.push_back(index);
    return *member.open;
}

std::string TiffSet::description(std::size_t member) const { return description_of(file(member)); }

std::string TiffSet::description_in(const std::string& name) const {
    const std::optional<host::OpenedFile> opened = open_beside(name);
    if (!opened) return {};
    try {
        File file = File::open(opened->path());
        return begins_as_tiff(file) ? description_of(TiffFile::open(std::move(file))) : std::string();
    } catch (const IoError&) {   // nobody has named it: it may be as it is
        return {};
    }
}

std::string TiffSet::look_alike(const std::string& name) const {
    if (source_.options.open_part) return {};   // a confined job lists no folder
    const std::string outline = outline_of(name);
    if (outline == name) return {};   // ASCII has one form
    if (!outlines_) {
        outlines_.emplace();
        std::error_code error;
        const fs::path folder = source_.asked.parent_path();
        for (const fs::path& entry : host::entries_of(folder.empty() ? fs::path(".") : folder, error)) {
            std::string other = show(entry.filename());
            std::string its = outline_of(other);
            outlines_->emplace(std::move(its), std::move(other));
        }
    }
    std::string found;
    const auto [first, end] = outlines_->equal_range(outline);
    for (auto other = first; other != end; ++other) {
        if (other->second == name) continue;
        if (!found.empty()) return {};
        found = other->second;
    }
    return found;
}

std::vector<FilePart> TiffSet::parts() const {
    std::vector<FilePart> parts;
    for (std::size_t i = own_ ? 1 : 0; i < members_.size(); ++i) parts.push_back({members_[i]->path, members_[i]->identity});
    for (std::size_t i = own_ ? 0 : 1; i < texts_.size(); ++i) parts.push_back(texts_[i]);
    return parts;
}

void TiffSet::fail_of_change(const std::string& name) const {
    fail(source_, fmt::format("its file {} has changed since it was looked at", shortened(name)),
         "do not write to files while they are read");
}

void TiffSet::check_open(std::size_t member) const {
    const Member& one = *members_[member];
    if (one.open && one.open->file().identity() != one.identity) fail_of_change(one.name);
}

void TiffSet::rethrow(std::size_t member, const IoError& error) const {
    check_open(member);
    if (error.problem.starts_with("its file ")) throw error;   // it is named
    if (member == 0 && own_) throw error;
    fail(source_, fmt::format("its file {}: {}", shortened(members_[member]->name), error.problem), error.hint);
}

void TiffSet::check_unchanged() const {
    if (members_.size() + texts_.size() < 2) return;
    for (std::size_t i = 0; i < members_.size(); ++i) {
        check_open(i);
        if (i > 0 || !own_) {   // by its name too: another may have been put in its place
            if (host::identity_of(members_[i]->path) != members_[i]->identity) fail_of_change(members_[i]->name);
        }
    }
    for (std::size_t i = own_ ? 0 : 1; i < texts_.size(); ++i) {
        if (host::identity_of(texts_[i].path) != texts_[i].identity) fail_of_change(show(texts_[i].path.filename()));
    }
}

bool is_ome_file(const Source& source) {
    constexpr std::size_t most = 1 << 16;   // comments of programs stand before the first tag
    std::vector<unsigned char> head(most);
    File file = source.open();
    head.resize(file.read_some(head.data(), head.size()));
    return is_ome_text(head);
}

bool is_ome_text(Head head) {
    // Every file comes by here, of a hundred thousand: most are no text by their first byte (a mark of Unicode, blanks, "<").
    constexpr std::string_view beginnings("<\0\xff\xfe\xef \t\r\n", 9);
    if (head.empty() || beginnings.find(static_cast<char>(head.front())) == beginnings.npos) return false;
    const std::string text = xml_as_utf8(std::string(reinterpret_cast<const char*>(head.data()), head.size()));
    XmlReader reader(text);
    // What the head cuts off looks damaged: then the next tag is told by its beginning.
    if (reader.next() == XmlReader::Event::open) return reader.name() == "OME";
    const std::size_t tag = std::min(text.find("<OME"), text.find(":OME"));
    return text.starts_with('<') && tag != std::string::npos;
}

}   // namespace parallax::io::tiff
