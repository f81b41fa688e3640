// What is kept of a file while its pages are read one by one. A page of a TIFF stack is found by going through all directories, a
// volume of .nii.gz by unpacking those before it, and a report has the hash of the whole file: without this a series of pages
// would take the square of their number.
#pragma once

#include "io/io.hpp"

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parallax::io {

/// Of one input, whose choices (series, level, channel) are the same each time, pages and volumes aside. A file is known by its
/// identity: info() and read() refuse one that has changed since the first of them. Threads may share it.
class Kept {
public:
    /// Whether it is the file that first came by this name: pages of two files, or of two states of one, are no stack. One that has its
    /// old time and was touched since (it has got other rights or a further name, or was written to and its time put back) is known
    /// by its hash, where that was taken before; it is read from `there` (empty: it is not known).
    bool is_still(const std::filesystem::path& name, const host::FileIdentity&, const std::filesystem::path& there);

    /// A file that stays open, as the reader of its format has it.
    struct Reader {
        Reader() = default;
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;
        virtual ~Reader() = default;

        std::int64_t next = 0;     ///< the first page that it can still read
        bool is_program = false;   ///< with memory of its own: few stay
    };

    /// Of those that were put back, the one that has the least way to this page; null: none reaches it. A file has one format, whose
    /// Reader this is.
    template <class ReaderOfFormat>
    std::unique_ptr<ReaderOfFormat> take(const host::FileIdentity& file, std::int64_t page) {
        return std::unique_ptr<ReaderOfFormat>(static_cast<ReaderOfFormat*>(nearest(file, page).release()));
    }
    void put(const host::FileIdentity&, std::unique_ptr<Reader>);

    /// One of the few that may use a program at a time, of Readers which are programs, since each may have to unpack the whole file.
    /// Others wait, and the first page comes first: of a file whose pages are read in order a program goes on from the one before.
    /// Null: everybody may.
    class Turn {
    public:
        Turn(Kept*, std::int64_t page, bool in_order);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;

    private:
        Kept* kept_;
    };

    /// With the parts of these pages alone; not set: of all.
    std::optional<FileInfo> info(const host::FileIdentity&, const std::optional<std::pair<std::int64_t, std::int64_t>>& pages) const;
    void put(FileInfo);

    std::optional<std::string> hash(const host::FileIdentity&) const;
    /// `of`: what of the file it is of; not set: all.
    void put(const host::FileIdentity&, std::string hash, const std::optional<Stretch>& of = {});

private:
    std::unique_ptr<Reader> nearest(const host::FileIdentity&, std::int64_t page);

    struct Open {
        host::FileIdentity identity;
        std::unique_ptr<Reader> reader;
    };

    mutable std::mutex mutex_;
    std::map<std::filesystem::path::string_type, host::FileIdentity> first_;   ///< by the name that it was asked for by
    std::list<Open> readers_;      ///< the latest first
    struct Info {
        FileInfo file;   ///< without its parts, which may be a million, and their folders
        std::vector<FilePart> parts, folders;
    };
    std::vector<std::shared_ptr<const Info>> infos_;   ///< likewise
    struct Hash {
        host::FileIdentity file;
        std::string hash;
        std::optional<Stretch> of{};
    };
    std::map<std::pair<std::uint64_t, std::uint64_t>, Hash> hashes_;   ///< by device and number
    std::multiset<std::int64_t> waiting_;   ///< pages, for a Turn
    int at_work_ = 0;
    std::condition_variable turn_;
};

}   // namespace parallax::io
