// What running inputs took beside an item: by names and contents, since other frames, and frames that have changed, are another
// result.
#pragma once

#include "job/report.hpp"
#include "series/manifest.hpp"
#include "series/reads.hpp"
#include "series/recorded_files.hpp"
#include "series/series.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace parallax::engine::series {

/// A frame alone, without its neighbours.
InputSpec spec_of_frame(const PreparedSeries&, std::size_t input, std::size_t item);
/// Of what was read of a frame.
std::string contents_of(const InputReport&);

/// Adds a frame, in the order in which inputs take them.
inline void add_frame(std::string& window, const std::string& name, const std::string& contents) {
    window += name + ' ' + contents + '\n';
}
/// Of all frames; empty where no input runs.
std::string hash_of_window(const std::string&);

/// The windows as they would be now. What a frame holds its record says while its files are what they were; others are read.
class WindowsNow {
public:
    WindowsNow(const PreparedSeries& series, const RecordedFiles& files, ReadsNow& reads, const std::map<std::string, Record>& records)
        : series_(series), files_(files), reads_(reads), records_(records) {}
    std::string of(std::size_t item);

private:
    const std::string& contents(std::size_t input, std::size_t item);
    std::string look(std::size_t input, std::size_t item) const;

    const PreparedSeries& series_;
    const RecordedFiles& files_;
    ReadsNow& reads_;
    const std::map<std::string, Record>& records_;
    std::map<std::pair<std::size_t, std::size_t>, std::string> known_;
};

}  // namespace parallax::engine::series
