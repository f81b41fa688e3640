// The files of one document: the source itself, and others beside it that its OME-XML names.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/format.hpp"
#include "io/tiff_file.hpp"
#include "parallax/host/error.hpp"

namespace parallax::io::tiff {

/// Files are known by identity (inode, length, time of change) from the first time that they are opened; some hundreds may be
/// more than a process may hold open, so that they are closed and opened again, and held against that.
class TiffSet {
public:
    /// Opens the source: a TIFF, which is then member 0, or OME-XML alone. It must outlive the set. Throws IoError.
    explicit TiffSet(const Source&);

    /// Whether the source is a TIFF.
    bool has_own() const noexcept { return own_; }
    /// OME-XML that stands alone, as UTF-8; empty: the source is a TIFF.
    const std::string& words() const noexcept { return words_; }

    /// A TIFF in the folder of the source, opened; the same name is the same member. Nothing: there is no such file. Throws
    /// IoError for a name that leads elsewhere, and for what is no TIFF.
    std::optional<std::size_t> add(const std::string& name);
    struct Words {
        std::string text;
        std::optional<std::size_t> member{};   ///< the TIFF that has them; none: they stand alone
    };
    /// OME-XML of a file in that folder. Nothing: there is no such file.
    std::optional<Words> words_in(const std::string& name);

    /// The name of the one file in that folder which may be this name in another Unicode form (macOS writes a letter and its
    /// accent apart); empty: there is none, there are several, or the folder may not be listed. Names that differ in accents look
    /// alike, too.
    std::string look_alike(const std::string& name) const;
    /// What a TIFF in that folder says in words, which makes it no member; empty: nothing, or it cannot be read.
    std::string description_in(const std::string& name) const;

    std::size_t size() const noexcept { return members_.size(); }
    /// Open until some sixty others have been asked for.
    const TiffFile& file(std::size_t member) const;
    const std::string& name(std::size_t member) const { return members_[member]->name; }
    /// What the first directory says in words; empty: nothing.
    std::string description(std::size_t member) const;

    /// Of all that has been opened.
    std::uint64_t bytes() const noexcept { return bytes_; }
    /// All that has been opened, but the source.
    std::vector<FilePart> parts() const;

    /// Runs what reads a member: an error names it, and one that has changed meanwhile is told as that.
    template <class Work>
    void within(std::size_t member, const Work& work) const {
        if (members_.size() == 1 && own_)
            return work(file(member));   // a file alone is held against what was planned by its reader
        try {
            work(file(member));
        } catch (const IoError& error) {
            rethrow(member, error);
        }
        check_open(member);
    }
    /// Throws IoError where a file is not the one that was opened first. Of a file alone nothing is looked at.
    void check_unchanged() const;

private:
    struct Member {
        std::string name;
        std::filesystem::path path;
        std::optional<host::FileIdentity> identity{};
        std::unique_ptr<TiffFile> open{};
        Chain chain{};            ///< while it is closed
        std::uint64_t used = 0;   ///< when, in calls
    };

    [[noreturn]] void rethrow(std::size_t member, const IoError&) const;
    [[noreturn]] void fail_of_change(const std::string& name) const;
    void check_open(std::size_t member) const;
    /// Held while it is opened; nothing: there is no such file.
    std::optional<host::OpenedFile> open_beside(const std::string& name) const;
    void make_room() const;

    const Source& source_;
    bool own_ = false;
    std::string words_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<FilePart> texts_;   ///< files of words that were read
    std::uint64_t bytes_ = 0;
    mutable std::uint64_t calls_ = 0;
    mutable std::vector<std::size_t> opened_;   ///< members that are open, but the source
    mutable std::optional<std::multimap<std::string, std::string>> outlines_;   ///< of all names in the folder, once listed
};

}   // namespace parallax::io::tiff
