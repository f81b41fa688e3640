// A study while it is run, one class with a file for each of its concerns: run.cpp from the beginning to the report,
// run_rounds.cpp the order of rows, run_row.cpp one of them, run_inputs.cpp the files of a point, run_workers.cpp the processes.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/budget.hpp"
#include "compare/compare.hpp"
#include "compare/inputs_read.hpp"
#include "compare/row_room.hpp"
#include "compare/study_folder.hpp"
#include "workers/device_worker.hpp"

namespace parallax::engine::compare {

namespace fs = std::filesystem;

/// What a study's processes are called.
constexpr const char* reference_process = "reference";
std::string device_process(std::size_t device);

/// Why a row has no time.
struct Missing {
    std::string outcome, reason;
};

/// One row while its device takes turns with the others.
struct Active {
    std::size_t device = 0;
    Json row;
    double used_s = 0, end_used_s = 0;
    bool over = false;   ///< it has failed, or its time is spent
};

class Run {
public:
    Run(const Study& study, const std::vector<Point>& points, const std::vector<StudyDevice>& devices,
        const std::vector<Algorithm>& algorithms, const CompareOptions& options);
    /// The report, which lies in its place when this returns.
    Json run();

private:
    // run.cpp
    Json header() const;
    /// Programs that are no Parallax have one way, their own.
    bool is_program(std::size_t device) const { return !devices_[device].command.empty(); }
    std::string way_of(const Way& way, std::size_t device) const { return is_program(device) ? "program" : way.label; }
    std::string row_id(const Point& point, const Way& way, std::size_t device) const;
    bool has_row(const Point& point, const Way& way, std::size_t device) const;
    std::size_t count_rows() const;
    void check_cancelled() const;
    void say(const std::string& what) const;
    /// Where it stands, if it is there already: of a row that is measured again the last word counts.
    void place(Json row);
    void keep(Json row, const Point& point);
    /// What an interrupted study has measured, but for what was read from files that are others now.
    void take_up();
    void check_journal();
    Json files_now(const Point& point);
    /// As the study has them: what did not fit and came again was measured after the others.
    std::vector<Json> in_order() const;

    // run_workers.cpp
    WorkerOptions worker_options(const std::string& name) const;
    void start_workers();
    void miss(Active& active, const std::string& outcome, const std::string& reason) const;
    /// Answers, or says in the row why there is none.
    Json ask(Active& active, const Json& request, double limit_s);
    Json ask_oracle(const Json& request);

    // run_inputs.cpp
    /// Inputs in files that every worker reads: all compute on the same bits.
    std::optional<Missing> make_inputs(const Point& point, const fs::path& folder);
    std::optional<Missing> make_inputs_of(const Point& point, const fs::path& folder);
    /// What did not end in a point's share of the time, and is tried again if there is another.
    Missing late(const Point& point, const std::string& what, const std::string& why);
    std::optional<Missing> make_reference(const Point& point, const fs::path& folder);
    /// The oracles to be tried: of large inputs the threaded one first, so that the reference does not take longer than what it
    /// judges.
    std::vector<std::string> references_for(const Case& c, const Point& point, const fs::path& folder) const;
    bool has_variant(const Point& point, const std::string& name) const;
    fs::path folder_of(const Point& point) const;
    /// After a round of a point: the disk is given back what no later round of it reads.
    void tidy(const Point& point, int round);

    // run_row.cpp
    Json blank_row(const Point& point, const Way& way, std::size_t device) const;
    Json job_request(const char* what, const Json& job, const fs::path& folder) const;
    /// The job with every parameter said.
    Json program_request(const Active& active, const Point& point, const Way& way, const fs::path& folder) const;
    /// What a program left is held against the reference, as ours is.
    void prepare_program(Active& active, const Point& point, const Way& way, const fs::path& folder);
    void prepare(Active& active, const Point& point, const Way& way, const fs::path& folder);
    /// A row that agreed, made ready in another process.
    void begin_again(Active& active, const Point& point, const Way& way, const fs::path& folder);
    /// One turn of a row: a part of its samples, and a part of those from end to end.
    void take_turn(Active& active, int round);
    /// Seconds of one run by the same row at an earlier point, in proportion to the work; 0: nothing is known.
    double expected_seconds(const Json& row) const;
    /// The fastest of its samples: drivers compile at first launches, so that first runs say little.
    static double run_seconds(const Json& row);
    void sustain(Active& active);
    void measure_energy(Active& active);
    /// A reference that takes longer than a row may: the oracle's own run is its time.
    bool take_from_oracle(Active& active, const Way& way, const Case& c) const;

    // run_rounds.cpp
    void run_points();
    void run_point(const Point& point);
    void run_way(const Point& point, const Way& way, const fs::path& folder, const std::optional<Missing>& missing,
                 std::size_t ways_left);
    /// Whether a row is to be tried again, when the others have been run.
    bool comes_again(const Json& row);
    /// A point for which no time is left.
    void leave_out(const Point& point);
    /// Further rounds, each in processes that have only just begun: from process to process times change by more than within one
    /// (where memory lies, which clocks a device has), and a difference is one only where it is larger than that.
    void repeat_points();
    /// How many processes a row is measured in, a round each.
    int processes() const { return study_.sampling.fresh_processes ? study_.sampling.rounds : 1; }
    /// Whether a row that is timed has less than `round` + 1 rounds, or than it should have. One run that takes longer than the
    /// budget is all that there will be.
    bool lacks(const Json& row, int round) const;
    bool rows_lack_rounds(std::optional<int> round = {}) const;
    void repeat_point(const Point& point, int round);

    const Study& study_;
    const std::vector<Point>& points_;
    const std::vector<StudyDevice>& devices_;
    const std::vector<Algorithm>& algorithms_;
    const CompareOptions& options_;
    Budget budget_;
    RowRoom room_;   ///< before the folder, in which nothing is begun that could not be read
    Sampling sampling_;   ///< of the rows that are run now
    StudyFolder folder_;   ///< before the processes, whose files are in it: they end first
    std::vector<std::unique_ptr<DeviceWorker>> workers_;
    std::unique_ptr<DeviceWorker> oracle_;
    std::vector<Json> sessions_, rows_;
    std::map<std::string, std::size_t> done_;   ///< id -> where the row is
    std::size_t total_ = 0, current_ = 0;
    std::set<std::size_t> inputs_made_;   ///< points whose inputs are in their folders
    InputsRead inputs_read_;
    std::map<const Point*, Json> files_;   ///< what a point's rows were computed from (InputsRead); "": nobody knows
    std::size_t repeated_ = 0;            ///< rounds of rows after their first process
    double reference_seconds_ = 0;
    bool last_chance_ = true;           ///< what is not run now is left out
    std::vector<const Point*> again_;   ///< points with rows that did not fit
    std::string reference_;             ///< the variant that made the point's reference
};

}  // namespace parallax::engine::compare
