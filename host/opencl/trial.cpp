#include "opencl/trial.hpp"

#include "circumstances.hpp"
#include "failure.hpp"
#include "machine_state.hpp"
#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"
#include "parallax/host/program.hpp"
#include "support/helper.hpp"
#include "support/platform.hpp"
#include "support/text.hpp"
#include "support/warnings.hpp"
#include "program/key.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <utility>

namespace parallax::host::opencl {
namespace {

using Clock = std::chrono::steady_clock;

using Libraries = std::vector<std::string>;

/// How long a verdict is kept: a driver that ends a process will do so again; one that was given up may have had reasons.
constexpr std::int64_t bad_for_s = 600, hung_for_s = 60;

/// By the clock a driver has so many times the limit, which is for what it does and sleeps itself (Child::own_time): for a busy
/// machine, and for one that waits in the system's kernel for ever.
constexpr double trial_patience = 10;
constexpr std::chrono::hours no_limit{24 * 365};   // for the pipe: who reads is asked

double limit_s() {
    const auto given = platform::environment("PARALLAX_DRIVER_TIMEOUT_S");
    if (!given) return 30;
    const std::string text = trim(*given);
    double seconds = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (problem == std::errc() && end == text.data() + text.size() && seconds > 0) return std::min(seconds, 86400.0);
    warn_once(fmt::format("PARALLAX_DRIVER_TIMEOUT_S is \"{}\", and not a number of seconds above 0: 30 are taken", *given));
    return 30;
}

struct Verdict {
    std::string problem;        ///< empty: it can be loaded
    std::string library;        ///< that was being loaded, where there is a problem
    std::string files, state;   ///< what was loaded, a line each, and what the file system said of it
    double given_up_s = 0;      ///< the limit that it did not keep, if that is its problem
    std::string circumstances;  ///< of the process that found a problem
    std::int64_t at = 0;        ///< 0: it is not kept
};

std::string state_of(const std::string& files) {
    std::string state;
    std::istringstream lines(files);
    for (std::string file; std::getline(lines, file);) state += file_state(file) + ';';
    return state;
}

Verdict verdict_from(const std::vector<unsigned char>& text) {
    const Json json = Json::parse(text.begin(), text.end(), nullptr, false);
    if (!json.is_object()) return {};
    const auto text_of = [&](const char* key) { return json.value(key, std::string()); };
    return {text_of("problem"),
            text_of("library"),
            text_of("files"),
            text_of("state"),
            json.value("given_up_s", 0.0),
            text_of("circumstances"),
            json.value("at", std::int64_t{0})};
}

/// A driver's verdict holds for this machine, as it is since it was started, and for this environment.
class Verdicts {
public:
    std::optional<Verdict> find(const Libraries& libraries) const {
        const std::vector<unsigned char> text = cache_->load(key(libraries));
        if (text.empty()) return std::nullopt;
        Verdict known = verdict_from(text);
        const std::int64_t age = seconds_since_1970() - known.at;
        const bool hung = known.given_up_s > 0;
        const bool recent = age >= 0 && age < (hung ? hung_for_s : bad_for_s) && !(hung && limit_s() > known.given_up_s);
        const bool holds =
            known.problem.empty() ? known.state == state_of(known.files) : recent && known.circumstances == circumstances();
        return known.at > 0 && holds ? std::optional(std::move(known)) : std::nullopt;
    }
    void keep(const Libraries& libraries, const Verdict& verdict) {
        if (verdict.at == 0) return;
        const Json json{{"problem", verdict.problem},
                        {"library", verdict.library},
                        {"files", verdict.files},
                        {"state", verdict.state},
                        {"given_up_s", verdict.given_up_s},
                        {"circumstances", verdict.circumstances},
                        {"at", verdict.at}};
        const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
        cache_->store(key(libraries), std::vector<unsigned char>(text.begin(), text.end()));
    }

private:
    std::string key(const Libraries& libraries) const {
        return "driver-" + hash_parts({fmt::format("{}", fmt::join(libraries, "\n")), state_, helper_program(),
                                       file_state(helper_program()), PARALLAX_VERSION});
    }
    std::shared_ptr<ProgramCache> cache_ = ProgramCache::open();
    std::string state_ = machine_state();
};

/// A child that loads one driver, or several beside each other.
class Trial {
public:
    Trial(Libraries libraries, double limit)
        : libraries_(std::move(libraries)), limit_(limit), child_(helper_for(libraries_.front(), arguments(libraries_, limit))) {}

    /// Whether it is to be given up. To be asked ten times a second, for all that were started at once.
    bool is_late() {
        own_ = child_.own_time();
        return own_.count() >= limit_ || Clock::now() >= until_;
    }

    /// Reads what it says, until it has ended or `given_up`, which is asked ten times a second, says so.
    Verdict wait(const std::function<bool()>& given_up) {
        Verdict verdict;
        std::string doing = "before it was loaded";
        // Heard before it is judged: one whose turn comes after another that hangs has said all long ago.
        bool heard = false;
        const auto judged = [&] { return std::exchange(heard, true) && given_up(); };
        while (const auto line = child_.read_line(no_limit, judged)) {
            if (line->starts_with("doing ")) doing = line->substr(6);
            else if (line->starts_with("library ")) verdict.library = line->substr(8);
            else if (line->starts_with("loaded ")) verdict.files += line->substr(7) + '\n';
            else if (*line == "done") return finish(std::move(verdict));   // what cannot be loaded is left out by the loader
        }
        if (is_late()) {
            child_.end();
            verdict.given_up_s = limit_;
            const bool starved = own_.count() < limit_;
            const double passed_s = starved ? limit_ * trial_patience : limit_;
            verdict.problem = fmt::format("it did not come to an end within {:g} s {}", passed_s, doing);
            if (starved)
                verdict.problem +=
                    fmt::format(", of which it computed or slept {:.1f} s: others had the processors, or it waits for a device",
                                own_.count());
        } else {
            child_.leave(std::chrono::seconds(2));   // one that is just dying tells how
            verdict.problem = fmt::format("it ended the process {}: {}", doing, child_.ending());
        }
        std::string words = child_.last_message();
        while (words.ends_with('.')) words.pop_back();
        if (!words.empty()) verdict.problem += fmt::format("; it said: {}", words);
        return finish(std::move(verdict));
    }

private:
    static std::vector<std::string> arguments(const Libraries& libraries, double limit) {
        std::vector<std::string> list{"probe", fmt::format("{:.0f}", limit * trial_patience + 5)};
        list.insert(list.end(), libraries.begin(), libraries.end());
        return list;
    }
    Verdict finish(Verdict verdict) const {
        if (libraries_.size() > 1 && !verdict.problem.empty())
            verdict.problem += "; alone it can be loaded, but not beside the others";
        verdict.state = state_of(verdict.files);
        verdict.circumstances = circumstances();
        const bool found = !verdict.files.empty() || !verdict.problem.empty();   // what was not there may come
        verdict.at = found && !child_.was_killed() ? seconds_since_1970() : 0;                // nor does what others did say anything of it
        return verdict;
    }

    Libraries libraries_;
    double limit_;
    Clock::time_point until_ = Clock::now() + std::chrono::milliseconds(std::llround(limit_ * trial_patience * 1000));
    std::chrono::duration<double> own_{};
    Child child_;
};

LeftOut left_out(const Registration& registration, const Verdict& verdict) {
    const char* const again = verdict.at == 0 ? "; it is tried again the next time"
                              : verdict.given_up_s > 0
                                  ? ", or give it more time (PARALLAX_DRIVER_TIMEOUT_S); it is tried again after a minute"
                                  : "; it is tried again ten minutes after it failed";
    return {registration, fmt::format("its driver {} is left out: {}", registration.library, verdict.problem),
            fmt::format("update or reinstall the driver, or take its registration away ({}){}", registration.source, again)};
}

/// Verdicts on several sets of drivers, all tried at once. One that no process can be had for counts as sound.
std::vector<Verdict> judge(Verdicts& verdicts, const std::vector<Libraries>& sets) {
    const double limit = limit_s();
    std::vector<Verdict> found(sets.size());
    std::vector<std::unique_ptr<Trial>> trials(sets.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (auto known = verdicts.find(sets[i])) {
            found[i] = std::move(*known);
            continue;
        }
        try {
            trials[i] = std::make_unique<Trial>(sets[i], limit);
        } catch (const Error&) {   // it is loaded as it is
        }
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!trials[i]) continue;
        found[i] = trials[i]->wait([&] {   // the time of those that wait their turn runs, too
            for (std::size_t other = i + 1; other < sets.size(); ++other)
                if (trials[other]) trials[other]->is_late();
            return trials[i]->is_late();
        });
        verdicts.keep(sets[i], found[i]);
    }
    return found;
}

}  // namespace

std::vector<LeftOut> try_drivers(const std::vector<Registration>& registrations) {
    std::vector<LeftOut> list;
    if (helper_program().empty()) return list;
    Libraries libraries;
    std::vector<Libraries> each;
    for (const Registration& entry : registrations) {
        const bool again = std::find(libraries.begin(), libraries.end(), entry.library) != libraries.end();
        if (entry.library.empty() || again || platform::library_is_loaded(entry.library)) continue;
        libraries.push_back(entry.library);
        each.push_back({entry.library});
    }
    if (libraries.empty()) return list;

    const auto leave_out = [&](const std::string& library, const Verdict& verdict) {
        std::erase(libraries, library);
        for (const Registration& entry : registrations)
            if (entry.library == library) list.push_back(left_out(entry, verdict));
    };
    Verdicts verdicts;
    const std::vector<Verdict> alone = judge(verdicts, each);
    for (std::size_t i = 0; i < each.size(); ++i) {
        if (!alone[i].problem.empty()) leave_out(each[i].front(), alone[i]);
        else if (alone[i].files.empty()) std::erase(libraries, each[i].front());   // the loader passes over it
    }
    // Two copies of one driver, and drivers with the same LLVM inside, may be sound alone and end the process together.
    while (libraries.size() > 1) {
        const Verdict together = judge(verdicts, {libraries}).front();
        if (together.problem.empty()) break;
        const bool named = std::find(libraries.begin(), libraries.end(), together.library) != libraries.end();
        leave_out(named ? together.library : libraries.back(), together);
    }
    return list;
}

}  // namespace parallax::host::opencl
