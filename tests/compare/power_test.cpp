// Joules a run, held against sources whose power is known.
#include "jobs/support.hpp"
#include "report/report.hpp"
#include "timing/power.hpp"

#include <chrono>
#include <fstream>
#include <thread>

using namespace parallax;
using namespace parallax::engine::compare;
using namespace parallax::tests;

namespace {

using Clock = std::chrono::steady_clock;

/// 20 W idle and 120 W at work; the counter has both added up exactly.
class KnownSource : public PowerSource {
public:
    std::string name() const override { return "known"; }
    PowerReading read() override {
        const std::lock_guard lock(mutex_);
        add();
        return {joules_, watts(), 1500.0, 40.0, working_ ? std::vector<std::string>{"power"} : std::vector<std::string>{}};
    }
    void work(bool now) {
        const std::lock_guard lock(mutex_);
        add();
        working_ = now;
    }

private:
    double watts() const { return working_ ? 120 : 20; }
    void add() {
        const auto now = Clock::now();
        joules_ += watts() * std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }
    std::mutex mutex_;
    bool working_ = false;
    double joules_ = 1000;
    Clock::time_point last_ = Clock::now();
};

/// The same as cards tell it: the mean of the last `window`, and a counter that moves in steps of `step`.
class LateSource : public PowerSource {
public:
    std::string name() const override { return "late"; }
    PowerReading read() override {
        const std::lock_guard lock(mutex_);
        const double now = add();
        if (now - step_at_ >= step) {
            step_at_ = now;
            told_ = joules_;
        }
        double then = 0;   // what had been drawn a window ago; between two looks it was drawn evenly
        for (std::size_t i = 1; i < seen_.size(); ++i) {
            const auto& [from, drawn] = seen_[i - 1];
            const auto& [to, more] = seen_[i];
            if (from <= now - window && to > from)
                then = drawn + (more - drawn) * std::min(1.0, (now - window - from) / (to - from));
        }
        return {told_, (joules_ - then) / window, {}, {}, {}};
    }
    void work(bool now) {
        const std::lock_guard lock(mutex_);
        add();
        working_ = now;
    }

    static constexpr double window = 0.3, step = 0.1;

private:
    double add() {
        const auto now = Clock::now();
        joules_ += (working_ ? 120 : 20) * std::chrono::duration<double>(now - last_).count();
        last_ = now;
        seen_.emplace_back(std::chrono::duration<double>(now - start_).count(), joules_);
        return seen_.back().first;
    }
    std::mutex mutex_;
    bool working_ = true;   // the run before has just ended
    double joules_ = 120 * window, told_ = 0, step_at_ = 0;
    Clock::time_point start_ = Clock::now(), last_ = start_;
    std::vector<std::pair<double, double>> seen_{{-window, 0}};
};

void rest(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

}  // namespace

TEST_CASE("energy: joules a run by the counter and by power, idle taken off, and again the same within a twentieth") {
    std::vector<double> counted;
    for (int i = 0; i < 3; ++i) {
        KnownSource source;
        const Json energy = measure_energy(source, 0.8, 0.3, [&] {
            source.work(true);
            rest(0.02);
        });
        CAPTURE(energy.dump());
        const double a_run = 100 * energy["seconds"].get<double>() / energy["runs"].get<double>();   // 120 W less 20 W idle
        CHECK(energy["idle_watts"].get<double>() == doctest::Approx(20).epsilon(0.02));
        CHECK(energy["counter_joules"].get<double>() == doctest::Approx(a_run).epsilon(0.03));
        CHECK(energy["integrated_joules"].get<double>() == doctest::Approx(a_run).epsilon(0.1));
        CHECK(energy["history"]["throttled"] == Json({"power"}));
        CHECK(energy["history"]["watts"].size() == energy["history"]["seconds"].size());
        counted.push_back(energy["counter_joules"].get<double>() / a_run);
    }
    for (const double one : counted) CHECK(one == doctest::Approx(counted.front()).epsilon(0.05));
}

TEST_CASE("energy: a card that tells late and in steps is waited for") {
    LateSource source;
    for (const auto start = Clock::now(); std::chrono::duration<double>(Clock::now() - start).count() < 0.4;) {
        source.read();
        rest(0.01);
    }
    source.work(false);
    const Json energy = measure_energy(source, 1.5, 0.8, [&] {
        source.work(true);
        rest(0.02);
    });
    CAPTURE(energy.dump());
    const double a_run = 100 * energy["seconds"].get<double>() / energy["runs"].get<double>();
    CHECK(energy["idle_watts"].get<double>() == doctest::Approx(20).epsilon(0.05));
    CHECK(energy["counter_joules"].get<double>() == doctest::Approx(a_run).epsilon(0.05));
    CHECK(energy["integrated_joules"].get<double>() == doctest::Approx(a_run).epsilon(0.05));
}

TEST_CASE("energy: RAPL's packages are added up, begin again at their range, and what cannot be read is no source") {
    const TempFolder folder;
    const auto package = [&](const char* where, const char* name, double microjoules) {
        fs::create_directories(folder / where);
        write_text(folder / where / "name", name);
        write_text(folder / where / "max_energy_range_uj", "10000000");
        write_text(folder / where / "energy_uj", std::to_string(static_cast<long long>(microjoules)));
    };
    package("intel-rapl:0", "package-0\n", 4e6);
    package("intel-rapl:1", "package-1\n", 9e6);
    package("intel-rapl:0:0", "core\n", 7e6);   // a part of package 0
    const auto source = rapl_source(folder.path());
    REQUIRE(source);
    CHECK(*source->read().joules == doctest::Approx(13));
    rest(0.05);
    package("intel-rapl:0", "package-0\n", 5e6);
    package("intel-rapl:1", "package-1\n", 1e6);   // 2 J later: it began again at 10
    const PowerReading later = source->read();
    CHECK(*later.joules == doctest::Approx(16));
    CHECK(*later.watts > 0);
    CHECK(rapl_source(folder / "nothing") == nullptr);
}

TEST_CASE("energy: a study asks for it, rows have it where the device tells, and studies without it stay as they were") {
    const TempFolder folder;
    write_text(folder / "study.json", R"({"parallax_study": 1, "title": "sums", "devices": [{"backend": "native"}],
        "sampling": {"samples": 2, "rounds": 1, "energy_s": 0.1},
        "cases": [{"id": "sum", "inputs": {"array": {"make": "random", "type": "f32", "axes": "n", "shape": [1000]}},
                   "steps": [{"run": "reduce"}]}]})");
    const Run run = run_program({"compare", "study.json", "--out", "out", "--quiet"}, folder.path());
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    Json report = Json::parse(read_text(folder / "out/report.json"));
    CHECK_NOTHROW(check_report(report, "out"));
    CHECK(report["rows"][0]["outcome"] == "ok");
    host::DeviceInfo native;
    native.backend = host::Backend::native;
    CHECK(report["rows"][0].contains("energy") == (power_source_of(native) != nullptr));
    report["rows"][0]["energy"] = {{"source", "NVML"},
                                   {"seconds", 10},
                                   {"runs", 5},
                                   {"idle_watts", 60},
                                   {"watts", 300},
                                   {"counter_joules", 2.5},
                                   {"integrated_joules", nullptr}};
    const Json metrics = derive(report)["rows"][0]["metrics"];
    CHECK(metrics["joules_counted"] == 2.5);
    CHECK_FALSE(metrics.contains("joules_integrated"));
}
