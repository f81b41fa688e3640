#include "limits.hpp"

#include "console.hpp"
#include "io/transaction.hpp"
#include "parallax/host/error.hpp"
#include "support/sizes.hpp"
#include "support/text.hpp"
#include "terminal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <system_error>

#if defined(__linux__)
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace parallax::cli {

namespace {

constexpr std::chrono::seconds grace{5};
constexpr double longest = 1e9;   // seconds: clocks count nanoseconds, and 300 years of them are no number any more

[[noreturn]] void refuse(const std::string& found) {
    throw ConfigError("--limit", found,
                      "memory=SIZE, time=SECONDS and output=SIZE with commas between, such as memory=2GiB,time=60s,output=1GiB",
                      "a SIZE is a number of bytes, or of B, kB, MB, GB, TB, KiB, MiB, GiB or TiB; a time is of s, min or h, at most "
                      "1e9 s");
}

/// As `memory_limit` of a job: a number without a unit is one of bytes. 0 where it is none.
double size_from(const std::string& text) {
    const bool plain = !text.empty() && host::is_digit(text.back());
    return host::bytes_from(plain ? text + "B" : text).value_or(0);
}

std::optional<double> seconds_from(std::string_view text) {
    static const std::map<std::string_view, double> factors{{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}};
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    const auto factor = factors.find(text.substr(static_cast<std::size_t>(end - text.data())));
    if (factor == factors.end()) return std::nullopt;
    const double seconds = number * factor->second;
    return seconds > 0 && seconds <= longest ? std::optional(seconds) : std::nullopt;
}

#if defined(__linux__)
/// Of the files that standard output and standard error go to. They may be longer already than all that is to be written, and are to say
/// what became of it.
std::uint64_t bytes_of_log() {
    std::uint64_t most = 0;
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat log {};
        if (fstat(stream, &log) == 0 && S_ISREG(log.st_mode)) most = std::max(most, static_cast<std::uint64_t>(log.st_size));
    }
    return most;
}
#endif

}  // namespace

Limits Limits::from(const std::string& text) {
    Limits limits;
    if (text.empty()) return limits;
    std::set<std::string> given;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        const std::string part = text.substr(at, end - at);
        at = end + 1;
        const std::size_t equals = part.find('=');
        const std::string name = part.substr(0, equals), value = equals == std::string::npos ? "" : part.substr(equals + 1);
        if (!given.insert(name).second) refuse(fmt::format("{} a second time", name));
        if (name == "time") {
            limits.seconds = seconds_from(value);
            if (!limits.seconds) refuse(fmt::format("\"{}\"", part));
            continue;
        }
        if (name != "memory" && name != "output") refuse(fmt::format("\"{}\"", part));
        const double bytes = size_from(value);
        if (!(bytes >= 1 && bytes < 9e18)) refuse(fmt::format("\"{}\"", part));
        (name == "memory" ? limits.memory : limits.output) = static_cast<std::uint64_t>(bytes);
    }
    return limits;
}

Enforced::Enforced(const Limits& limits) {
#if !defined(__linux__)
    if (limits.memory) throw UnsupportedError("--limit memory", {"this system has no limit for the memory of one process"});
#endif
    if (limits.seconds) start_watch(*limits.seconds);   // first: its stack is memory, too
#if defined(__linux__)
    const auto set = [](auto which, std::uint64_t bytes) {
        rlimit limit{};
        if (getrlimit(which, &limit) != 0 || limit.rlim_cur <= bytes) return;   // it is lower already
        limit.rlim_cur = bytes;
        setrlimit(which, &limit);
    };
    if (limits.memory) set(RLIMIT_DATA, *limits.memory);
    if (limits.output) set(RLIMIT_FSIZE, *limits.output + bytes_of_log());   // so that one file ends there, and not when it is whole
#endif
    if (limits.output) io::Transaction::limit(*limits.output);
}

void Enforced::start_watch(double seconds) {
    seconds_ = seconds;
    try {
        watcher_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
        throw Error("the system gives no thread to watch the time of --limit in: end other programs, or raise the limit (ulimit -u; its "
                    "stack counts for ulimit -d)");
    }
}

Enforced::~Enforced() {
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    if (watcher_.joinable()) watcher_.join();
}

void Enforced::watch() {
    std::unique_lock lock(mutex_);
    const auto is_over = [this] { return over_; };
    if (changed_.wait_for(lock, std::chrono::duration<double>(seconds_), is_over)) return;
    up_ = true;
    if (changed_.wait_for(lock, grace, is_over)) return;
    char text[128] = "";   // there may be no memory
    const int length = std::snprintf(text, sizeof text, "error: took longer than --limit time=%gs, and did not end when it was told to\n", seconds_);
    tell_at_once({text, static_cast<std::size_t>(std::max(length, 0))});
    std::_Exit(1);   // what it was writing is removed by whoever comes next to the folder
}

void Enforced::tell_time() const {
    throw Error(fmt::format("took longer than --limit time={}s. try a smaller job, or a higher limit", seconds_));
}

}  // namespace parallax::cli
