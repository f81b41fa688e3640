#include "selftest/selftest.hpp"

#include "core/clock.hpp"
#include "job/report.hpp"
#include "parallax/host/error.hpp"
#include "selftest/problems.hpp"
#include "selftest/worker.hpp"
#include "workers/device_worker.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace parallax::engine::selftest {

namespace {

/// To open the device, probe it, and ask which variant takes what.
constexpr double patience_s = 300;

struct Task {
    std::string algorithm, variant, type;
    std::size_t problem = 0;
};

Row failed_row(const std::string& algorithm, const std::string& problem, const std::string& variant, std::string reason) {
    Row row{algorithm, problem, variant, {}, false, Outcome::failed, {}, {}, 0};
    row.reason = std::move(reason);
    return row;
}

/// A library that ran nothing is not there: its refusals say only that. One that ran something refuses for a reason.
void leave_out_absent(std::vector<Row>& rows) {
    std::set<std::string> present;
    for (const Row& row : rows)
        if (row.peer && row.outcome != Outcome::refused) present.insert(row.variant);
    std::erase_if(rows,
                  [&](const Row& row) { return row.peer && row.outcome == Outcome::refused && present.count(row.variant) == 0; });
}

/// Hands out tasks. Who has begun with an algorithm goes on with it, so that its programs and references are made once.
class Tasks {
public:
    explicit Tasks(std::size_t algorithms) : queues_(algorithms), owners_(algorithms, 0) {}
    void add(std::size_t algorithm, std::size_t task) { queues_[algorithm].push_back(task); }
    std::size_t size() const {
        std::size_t count = 0;
        for (const auto& queue : queues_) count += queue.size();
        return count;
    }
    /// The number of a task; nothing is left: none. `current` is the algorithm that the worker has.
    std::optional<std::size_t> next(std::optional<std::size_t>& current) {
        const std::lock_guard lock(mutex_);
        if (!current || queues_[*current].empty()) {
            if (current) --owners_[*current];
            current.reset();
            // The longest queue, divided among those who are at it already.
            for (std::size_t i = 0; i < queues_.size(); ++i)
                if (!queues_[i].empty() &&
                    (!current || queues_[i].size() * (owners_[*current] + 1) > queues_[*current].size() * (owners_[i] + 1)))
                    current = i;
            if (!current) return std::nullopt;
            ++owners_[*current];
        }
        const std::size_t task = queues_[*current].front();
        queues_[*current].erase(queues_[*current].begin());
        return task;
    }

private:
    std::mutex mutex_;
    std::vector<std::vector<std::size_t>> queues_;
    std::vector<std::size_t> owners_;
};

class SelfTest {
public:
    SelfTest(const host::DeviceInfo& device, const Registry& registry, const Options& options)
        : device_(engine::to_json(device)),
          registry_(registry),
          options_(options),
          extent_(options.thorough ? "product" : "cover"),
          problems_(problems(options.thorough ? Extent::product : Extent::cover)) {}

    std::vector<Row> run() {
        std::vector<std::string> names;
        for (const Algorithm& algorithm : registry_.algorithms()) {
            const auto& asked = options_.algorithms;
            if (asked.empty() || std::find(asked.begin(), asked.end(), algorithm.name) != asked.end())
                names.push_back(algorithm.name);
        }
        std::vector<Row> without;
        Tasks queue(names.size());
        Ask first = start();
        for (std::size_t i = 0; i < names.size(); ++i) list_tasks(first, names[i], i, queue, without);
        rows_.resize(tasks_.size());
        if (options_.worker.empty()) serve(queue, std::move(first));
        else work(queue, std::move(first));
        for (Row& row : without) rows_.push_back(std::move(row));
        leave_out_absent(rows_);
        return std::move(rows_);
    }

private:
    /// Answers requests of worker.hpp. Throws WorkerLost, and CancelledError.
    using Ask = std::function<Json(const Json& request, double limit_s)>;

    Ask start() const {
        if (!options_.worker.empty()) {
            compare::WorkerOptions options;
            options.command = options_.worker;
            options.cancelled = options_.cancelled;
            return [worker = std::make_shared<compare::DeviceWorker>(device_, std::move(options))](
                       const Json& request, double limit_s) { return worker->ask(request, limit_s); };
        }
        const auto here = make_worker();
        here({{"do", "open"}, {"device", device_}});
        return [here, cancelled = options_.cancelled](const Json& request, double) -> Json {
            if (cancelled && cancelled()) throw CancelledError("stopped on request");
            try {
                return here(request);
            } catch (const std::exception& error) {
                return {{"error", {{"message", error.what()}}}};
            }
        };
    }

    void list_tasks(const Ask& ask, const std::string& name, std::size_t algorithm, Tasks& queue, std::vector<Row>& without) {
        const Json answer = ask({{"do", "tasks"}, {"algorithm", name}, {"extent", extent_}}, patience_s);
        if (answer.contains("error")) {
            without.push_back(failed_row(name, "", "", answer["error"].value("message", std::string())));
            return;
        }
        for (const Json& task : answer.at("tasks")) {
            queue.add(algorithm, tasks_.size());
            tasks_.push_back({name, task.at("variant").get<std::string>(), task.at("type").get<std::string>(),
                              task.at("problem").get<std::size_t>()});
        }
        if (answer.at("tasks").empty())
            without.push_back(
                failed_row(name, "", "", "the self-test has no problem for it: lab/selftest/problems.cpp lists them"));
    }

    /// Each thread with a process of its own; one has the process that is there.
    void work(Tasks& queue, Ask first) {
        const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
        const int workers =
            std::min(options_.workers > 0 ? options_.workers : std::min(cores, 8), static_cast<int>(tasks_.size()));
        std::vector<std::exception_ptr> errors(static_cast<std::size_t>(workers));
        std::vector<std::thread> threads;
        for (std::exception_ptr& error : errors) {
            const auto one = [&error, &queue, this, ask = std::exchange(first, nullptr)] {
                try {
                    serve(queue, ask);
                } catch (...) {
                    error = std::current_exception();
                }
            };
            try {
                threads.emplace_back(one);
            } catch (const std::system_error&) {   // no thread to be had: those that are there do it, the first by the caller
                if (threads.empty()) one();
                break;
            }
        }
        for (std::thread& thread : threads) thread.join();
        for (const std::exception_ptr& error : errors)
            if (error) std::rethrow_exception(error);
    }

    void serve(Tasks& queue, Ask ask) {
        std::optional<std::size_t> algorithm;
        while (const auto task = queue.next(algorithm)) {
            if (options_.progress)
                options_.progress(tasks_[*task].algorithm + " " + tasks_[*task].variant,
                                  static_cast<double>(begun_++) / static_cast<double>(tasks_.size()));
            if (!ask) ask = start();
            rows_[*task] = row(ask, tasks_[*task]);
        }
    }

    /// Lets go of a worker that was lost.
    Row row(Ask& ask, const Task& task) const {
        std::string reason;
        bool judged = true;
        try {
            const Json answer =
                ask({{"do", "row"}, {"problem", task.problem}, {"variant", task.variant}, {"extent", extent_}}, options_.limit_s);
            if (!answer.contains("error")) return Row::from_json(answer);
            reason = answer["error"].value("message", std::string());
        } catch (const compare::WorkerLost& lost) {
            judged = !lost.by_others;
            reason = lost.what();
            if (!judged) reason += "; not by its own doing, and nothing is kept of it";
            ask = nullptr;
        }
        Row row = failed_row(task.algorithm, problems_[task.problem].name, task.variant, std::move(reason));
        row.type = task.type;
        row.judged = judged;
        const Variant* const variant = registry_.get(task.algorithm).variant(task.variant);
        row.peer = variant != nullptr && variant->role == Role::peer;
        return row;
    }

    Json device_;
    const Registry& registry_;
    const Options& options_;
    std::string extent_;
    const std::vector<SmallProblem>& problems_;
    std::vector<Task> tasks_;
    std::vector<Row> rows_;
    std::atomic<std::size_t> begun_{0};
};

}  // namespace

std::vector<Row> run(const host::DeviceInfo& device, const Registry& registry, const Options& options) {
    for (const std::string& name : options.algorithms) registry.get(name, "--algorithm");
    return SelfTest(device, registry, options).run();
}

std::vector<Verdict> verdicts_after(const std::vector<Row>& rows, std::vector<Verdict> before, const Registry& registry) {
    const auto is_on = [](const Verdict& v, const Row& row) {
        return v.algorithm == row.algorithm && v.variant == row.variant && v.type == row.type;
    };
    std::erase_if(before, [&](const Verdict& v) {
        const auto tried = [&](const Row& row) { return row.algorithm == v.algorithm && !row.variant.empty(); };
        const auto unjudged = [&](const Row& row) { return !row.judged && is_on(v, row); };
        return std::any_of(rows.begin(), rows.end(), tried) && std::none_of(rows.begin(), rows.end(), unjudged);
    });
    for (const Row& row : rows) {
        const Variant* const variant = registry.get(row.algorithm).variant(row.variant);
        const bool known = std::any_of(before.begin(), before.end(), [&](const Verdict& v) { return is_on(v, row); });
        const bool counts = row.judged && !row.peer && row.variant != oracle;
        if (row.outcome == Outcome::failed && counts && variant != nullptr && !known)
            before.push_back({row.algorithm, row.variant, row.type, row.problem, row.reason.substr(0, row.reason.find('\n')),
                              hash_of_kernels()});
    }
    return before;
}

Tested test_and_remember(const host::DeviceInfo& device, const Registry& registry, const Options& options) {
    const auto start = std::chrono::steady_clock::now();
    Tested tested;
    tested.rows = run(device, registry, options);
    tested.verdicts = change_verdicts(device, [&](std::vector<Verdict> before) {
        return verdicts_after(tested.rows, std::move(before), registry);
    });
    tested.seconds = seconds_since(start);
    return tested;
}

Json to_json(const Tested& tested, const host::DeviceInfo& device) {
    Json rows = Json::array(), refused = Json::array();
    for (const Row& row : tested.rows) rows.push_back(row.to_json());
    for (const Verdict& v : tested.verdicts)
        refused.push_back({{"algorithm", v.algorithm}, {"variant", v.variant}, {"type", v.type}});
    return {{"device", engine::to_json(device)},
            {"passed", passed(tested.rows)},
            {"seconds", tested.seconds},
            {"rows", std::move(rows)},
            {"not_chosen", std::move(refused)}};
}

}  // namespace parallax::engine::selftest
