// Another process that is talked to in lines: its standard input and output are pipes, its messages go to a file. What it does,
// dying included, cannot harm the caller.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parallax::host {

/// The program that this process runs; empty if the system does not tell.
std::filesystem::path own_program();
/// The number of this process; 0 where paths do not lead through it.
int own_process();
/// A path as it is, a name as the folders of PATH have it. Throws ConfigError where they do not.
std::filesystem::path program_path(const std::string& program);

class Child {
public:
    struct Options {
        std::vector<std::string> arguments;                             ///< the program first
        std::vector<std::pair<std::string, std::string>> environment;   ///< set beside what this process has
        /// Its standard error, appended; empty: a file in memory. Of what comes to more than a line may have, the end is kept.
        std::filesystem::path messages;
        bool apart = false;   ///< an interrupt at the terminal is not for it: of a program that does not follow_parent()
    };

    /// Throws Error where it cannot be started.
    explicit Child(const Options&);
    /// Ends it at once if it still runs.
    ~Child();
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    /// False once it takes nothing more.
    bool write(std::string_view bytes);
    /// A line feed is added.
    bool write_line(const std::string& line) { return write(line + '\n'); }
    /// The next line without its line feed. Nothing: it has closed its output or ended, the time is over (then running() holds), or
    /// `given_up`, which is asked ten times a second, said so; or it was ended, since its line had no end.
    std::optional<std::string> read_line(std::chrono::duration<double> limit, const std::function<bool()>& given_up = {});
    /// No line of ours is as long.
    static constexpr std::size_t longest_line = std::size_t{64} << 20;
    /// So many bytes, after whole lines. Nothing where read_line() would give nothing.
    std::optional<std::string> read_bytes(std::size_t count, std::chrono::duration<double> limit);
    /// What it had for itself since it was started (OwnTime): the measure for one that is given up, which a busy machine does not
    /// make late. To be asked for ten times a second, as `given_up` is.
    std::chrono::duration<double> own_time();
    /// The same into memory of the caller's. False where read_line() would give nothing.
    bool read_into(void* to, std::size_t count, std::chrono::duration<double> limit);
    bool running();
    /// Ends it at once and waits.
    void end();
    /// Closes its input and waits up to `limit` for it to leave by itself; then ends it.
    void leave(std::chrono::duration<double> limit);
    /// After its end: "exit status 3", "signal 11 (Segmentation fault)".
    const std::string& ending() const noexcept { return ending_; }
    /// After its end: by a signal that a program does not bring upon itself, which a person sends, a terminal that is closed, or
    /// the system where memory or something else has run out: nothing is learned of the program. Nor is it where the system does
    /// not tell how it ended. Not by end() and leave().
    bool was_killed() const noexcept { return killed_; }
    /// After its end: by its own alarm.
    bool was_late() const noexcept { return late_; }
    /// The last line that it wrote to standard error (without a file for it: on Linux; elsewhere empty).
    std::string last_message() const;

private:
    struct State;
    void ended(int status);
    bool wait_for_output(std::chrono::steady_clock::time_point until, const std::function<bool()>& given_up);
    bool read_more(std::chrono::steady_clock::time_point until, const std::function<bool()>& given_up);
    std::unique_ptr<State> state_;
    std::string ending_;
    bool killed_ = false, late_ = false;
};

/// For the child: from now on it ends when the process that started it does, however that ends (where the system can: Linux), and
/// an interrupt at the terminal is the parent's affair alone.
void follow_parent();
/// For the child: what libraries print to standard output from now on goes to standard error. Returns what write_to() takes.
int keep_standard_output();
/// The line and a line feed, whole. False where the parent is gone.
bool write_to(int output, const std::string& line);

}  // namespace parallax::host
