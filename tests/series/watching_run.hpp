// The program watching a folder beside the test, which can wait for what it says and does instead of for some time to pass.
#pragma once

#if !defined(_WIN32)

#include <signal.h>

#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "frames.hpp"

namespace parallax::tests {

class WatchingRun {
public:
    /// `parallax run job.json --out out --watch` in the folder; begun where the watch has.
    explicit WatchingRun(const fs::path& folder, std::vector<std::string> more = {}) : folder_(folder) {
        for (const char* const name : {"watch.pid", "watch.err"}) fs::remove(folder / name);
        std::vector<std::string> arguments{"run", "job.json", "--out", "out", "--device", "native", "--watch"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        run_ = std::async(std::launch::async, [arguments, folder] {
            return run_program(arguments, folder, {}, {}, {"sh", "-c", "echo $$ > watch.pid; exec \"$@\" 2> watch.err", "sh"});
        });
        says("watching");
    }
    ~WatchingRun() {
        if (run_.valid()) end();
    }
    WatchingRun(const WatchingRun&) = delete;
    WatchingRun& operator=(const WatchingRun&) = delete;

    /// Waits until it has said so.
    void says(const std::string& text) {
        wait("it says: " + text, [&] { return contains(told(), text); });
    }
    /// Waits until the manifest has so many records of each frame ("f000", of TIFF; "f000.png") as done.
    void has_done(const std::vector<std::string>& frames, int times = 1) { has_recorded("done", frames, times); }
    void has_failed(const std::vector<std::string>& frames, int times = 1) { has_recorded("failed", frames, times); }
    /// Waits until it ends by itself.
    Run wait_for_end() {
        Run run = run_.get();
        run.err = told();
        return run;
    }
    /// As by Ctrl-C.
    Run end() {
        ::kill(std::stoi(read_text(folder_ / "watch.pid")), SIGINT);
        return wait_for_end();
    }

private:
    std::string told() const { return fs::exists(folder_ / "watch.err") ? read_text(folder_ / "watch.err") : std::string(); }
    void has_recorded(const char* state, const std::vector<std::string>& frames, int times) {
        for (const std::string& frame : frames) {
            const std::string item = "frames/" + frame + (contains(frame, ".") ? "" : ".tif");
            wait(frame + " is recorded as " + state, [&] { return recorded(folder_ / "out/job.series", state)[item] >= times; });
        }
    }
    /// A minute at most, which only a fault takes: of one that ended there is nothing more to come.
    void wait(const std::string& what, const std::function<bool()>& there) {
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!there()) {
            const bool ended = run_.wait_for(std::chrono::milliseconds(5)) == std::future_status::ready;
            if (!ended && std::chrono::steady_clock::now() < until) continue;
            if (there()) return;
            const std::string err = told();
            if (!ended) end();
            FAIL("waited for this: ", what, "; it said ", err);
        }
    }

    fs::path folder_;
    std::future<Run> run_;
};

}   // namespace parallax::tests

#endif
