// What a line of a series' records says: what became of an item, or whose files may be where (manifest.hpp).
#pragma once

#include "parallax/host/json.hpp"
#include "series/file_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parallax::engine::series {

struct Record {
    std::string item;                ///< Items::name()
    bool done = false;               ///< else failed
    std::string error;
    std::string window;              ///< hash_of_window(): what running inputs took it with; empty: there is none
    std::string reads;               ///< hash_of_reads(): which files for which inputs; empty: a version before did not say
    std::vector<FileState> inputs, outputs;
    std::vector<std::string> files;  ///< of one that failed, that its variables stand for; a version before did not say
    Json rows = Json::object();      ///< table output -> scalars by column; a list of them where there are several rows; of one
                                     ///< that failed those of a file before, of which its results are
    std::vector<std::string> warnings;   ///< that its data gave cause for
    Json times = Json::object();     ///< kind of stage -> seconds
    std::int64_t at = 0;             ///< nanoseconds since 1970, for people
    std::int64_t sequence = 0;       ///< which record of an item is the later one: clocks may go wrong
    std::string manifest;            ///< the folder of it then; empty: a version before did not say
};

/// What is said of files.
struct Word {
    std::string kind;
    std::vector<std::string> files;
    std::int64_t sequence = 0;
};

Json to_json(const Record&);
/// A checksum, then the document, in one line.
std::string line_of(Json);
/// Nothing where a line is damaged, or says something else.
std::optional<std::variant<Record, Word>> said_in(const std::string& line);
/// The folder of the records when a document was written; empty: a version before did not say. Throws as file_from() does.
std::string folder_in_record(const Json&);

}  // namespace parallax::engine::series
