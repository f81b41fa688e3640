// Threads of a series. For each device some readers and one thread that feeds its stream; writers for all of them.
//
//   readers --(decoded)--> device thread, several items in flight --(computed)--> writers -> files, folds, manifest
//
// Each arrow is a queue of bounded length, and every item in memory holds a ticket: memory does not grow with the series.
#pragma once

#include "exec/resident.hpp"
#include "exec/channel.hpp"
#include "series/announced.hpp"
#include "series/conveyor_shape.hpp"
#include "series/fold.hpp"
#include "series/known_folders.hpp"
#include "series/manifest.hpp"
#include "series/neighbours.hpp"
#include "series/recorded_files.hpp"
#include "series/series.hpp"
#include "series/shared_inputs.hpp"
#include "series/trace.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace parallax::engine::series {

class Conveyor {
public:
    /// Plans on every device; throws what that throws.
    Conveyor(const PreparedSeries&, const std::vector<Engine*>&, const RunSeriesOptions&, Manifest&, Folds&,
             KnownFolders&, std::vector<std::size_t> todo);
    ~Conveyor();

    /// Runs until everything is done, or somebody has stopped it. What went wrong with items is in the result; throws what
    /// ends the whole series.
    void run(const SharedInputs&, SeriesResult&);
    /// Of who did what until now, for a file; nothing where nobody has begun.
    std::optional<Json> timeline() const { return began_ ? std::optional(trace_.to_json()) : std::nullopt; }

private:
    struct Belt;   // a device with its threads (conveyor_belt.hpp)
    /// A ticket goes back when its work goes.
    struct Return {
        Belt* belt = nullptr;
        void operator()(Work*) const;
    };
    using WorkPtr = std::unique_ptr<Work, Return>;

    void read_shared(const SharedInputs&);
    Frame read_neighbour(std::size_t input, std::size_t item) const;
    std::optional<std::size_t> next_item();
    bool is_once_more(std::size_t item);
    void watch();
    void take_arrivals(const std::vector<Arrival>&);
    void do_again_if_changed(std::size_t number);
    void add_earlier();
    void complete_at(std::size_t number, const Arrival&);
    void tell_of_folders();
    void tell_of_order();
    void see_to_unread();
    bool end_watching();
    void run_threads();
    void read(Belt&, int reader);
    void read_items(Belt&, int reader);
    void feed(Belt&);
    bool submit(Belt&, std::deque<WorkPtr>& flying, WorkPtr);
    void retire(Belt&, std::deque<WorkPtr>& flying);
    void lose(Belt&, std::deque<WorkPtr>& flying, WorkPtr);
    void cut_off(Belt&, std::deque<WorkPtr>& flying, WorkPtr);
    void write(int writer);
    void write_item(Work&);
    void commit(std::size_t item, io::Transaction& files);
    void finish_item(Work&);
    /// `unread`: its file cannot be read, and may be half of one.
    void fail_item(std::size_t item, const std::exception&, bool unread = false);
    void has_been_read(std::size_t item);
    bool is_held() const;
    /// `stops`: where the series does not go on after an error.
    void record_failure(std::size_t item, const std::string& error, bool stops = true);
    void record_failure(std::size_t item, Record, bool stops);
    void break_off(std::exception_ptr);
    /// What the data of an item gave cause for; said once, however many items it is true of.
    void tell(const std::string& text, const std::string& item);
    void add_up(const Work&, const std::vector<Stage>&);
    void report_progress();

    const PreparedSeries& series_;
    const RunSeriesOptions& options_;
    Manifest& manifest_;
    Folds& folds_;
    KnownFolders& folders_;
    const RecordedFiles files_;
    Announced announced_;
    std::vector<std::unique_ptr<Belt>> belts_;
    std::map<std::size_t, HostArray> shared_;                        ///< input -> array that all items have
    std::map<std::size_t, std::unique_ptr<Neighbours>> neighbours_;  ///< input -> frames around items
    bool gathers_inputs_ = false;        ///< the mean of frames as they come, say
    std::unique_ptr<Channel<WorkPtr>> computed_;
    Trace trace_;
    bool began_ = false;
    std::atomic<bool> stop_{false};
    std::chrono::steady_clock::time_point started_;

    std::mutex mutex_;                   ///< of all below
    std::deque<std::size_t> todo_;
    std::condition_variable came_;       ///< something to do, or the end of watching
    bool watching_ = false;
    std::map<std::string, std::size_t> numbers_;                              ///< of watched files
    std::map<std::size_t, std::chrono::steady_clock::time_point> complete_;   ///< when they were complete
    std::vector<double> latencies_;
    std::chrono::steady_clock::time_point last_arrival_ = std::chrono::steady_clock::now();
    std::size_t total_ = 0, done_ = 0;
    std::vector<Failure> failed_;
    std::set<std::size_t> again_;   ///< come once more while they are read or wait: not failed yet where that fails
    struct Unread {
        std::string error;
        bool away = false;   ///< with its folder, which is waited for
    };
    std::map<std::size_t, Unread> unread_;   ///< watched items that failed, and have not yet: their files may still be written
    std::set<std::size_t> tried_again_;      ///< of these, what is read once more, or will be next
    struct Done {
        std::vector<FileState> inputs;
        bool earlier = false;   ///< by an earlier run
        Json rows, times;       ///< as recorded
    };
    static Done done_of(const Record&, bool earlier);
    std::map<std::size_t, Done> dones_;   ///< of watched items
    std::set<std::size_t> once_more_;     ///< done by this run, and to be done again
    std::set<std::size_t> left_;          ///< whose file is another since they were done, and which only --resume does again
    std::size_t taken_up_ = 0;            ///< items of earlier runs whose file is another
    std::vector<SeriesWarning> warnings_;
    std::map<std::string, std::set<std::string>> left_out_;
    std::exception_ptr broken_;          ///< what ended the whole series
    std::vector<Stage> stages_;
};

}  // namespace parallax::engine::series
