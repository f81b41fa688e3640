// Names that a file system takes for one ("A" and "a", or the two ways in which Unicode writes a letter with its accent). Numbers
// (inodes) do not tell: file systems by FUSE give each spelling one of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace parallax::io {

/// The same for names that some file system holds for one, and for some others: small letters, and no letters with accents,
/// however they are written. Separators stay, and most of Chinese, of which no letter is small.
std::string rough_name(const std::filesystem::path&);

/// What a file system says.
struct Look {
    std::function<bool(const std::filesystem::path&)> finds;
    std::function<std::vector<std::filesystem::path>(const std::filesystem::path& folder)> lists;
};
const Look& look_at_disk();

/// Whether paths, with links followed, are one, or two spellings of what is there. Nothing is asked of the file system where they
/// are not alike, and nothing is made: names under which nothing is found yet are two.
bool are_one_place(const std::filesystem::path& a, const std::filesystem::path& b, const Look& = look_at_disk());
/// The same of a place that lies in a folder.
bool lies_in(const std::filesystem::path& place, const std::filesystem::path& folder, const Look& = look_at_disk());
/// The same of paths as they are written, or of one file that has two names. Of a link to another spelling of a file's name it is
/// not known.
bool lead_to_one(const std::filesystem::path& a, const std::filesystem::path& b);

/// Places, links followed, of which those are found that another path spells otherwise. They come back as they were written.
/// Whole scripts have one rough name: what a folder lists under its own spelling is not compared with others of which that is so.
class AlikePlaces {
public:
    explicit AlikePlaces(Look look = look_at_disk()) : look_(std::move(look)) {}
    void add(const std::filesystem::path& place, const std::filesystem::path& written);
    /// The one that is this place; nothing: there is none.
    const std::filesystem::path* find(const std::filesystem::path&) const;
    /// One that lies in this place.
    const std::filesystem::path* inside(const std::filesystem::path&) const;

private:
    struct Known {
        std::filesystem::path place, written;
    };
    struct Alike {
        std::vector<Known> fresh;   ///< nobody has asked yet
        std::map<std::filesystem::path::string_type, Known> listed;
        std::map<std::filesystem::path::string_type, std::vector<Known>> unlisted;   ///< by the name behind the folders
    };
    bool is_listed(const std::filesystem::path&) const;
    void sort_out(Alike&) const;

    Look look_;
    mutable std::map<std::string, Alike> by_rough_name_;
    mutable std::map<std::filesystem::path, std::unordered_set<std::filesystem::path::string_type>> listings_;
};

}  // namespace parallax::io
