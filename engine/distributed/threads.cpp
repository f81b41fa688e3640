#include "distributed/threads.hpp"

#include "parallax/host/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

namespace parallax::engine::distributed {
namespace {

/// Thrown to ranks whose work has no use any more; the rank that failed has the reason.
class GivenUp : public Error {
public:
    GivenUp() : Error("another rank has given up") {}
};

/// A box for each sender and receiver. A sender leaves a pointer in it and waits until the receiver has copied.
class Boxes {
public:
    explicit Boxes(int ranks) : ranks_(ranks), boxes_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

    int ranks() const noexcept { return ranks_; }

    void put(int from, int to, std::span<const std::byte> bytes) {
        const std::lock_guard lock(mutex_);
        Box& box = at(from, to);
        box.bytes = bytes;
        box.full = true;
        changed_.notify_all();
    }

    void take(int from, int to, std::span<std::byte> bytes, double limit) {
        Box& box = at(from, to);
        {
            std::unique_lock lock(mutex_);
            wait(lock, from, limit, [&] { return box.full; });
            box.copying = true;
        }
        const Copied copied{*this, box};
        if (box.bytes.size() != bytes.size())
            throw Error(fmt::format("rank {} sent {} bytes where rank {} waited for {}: this is a fault of the engine", from,
                                    box.bytes.size(), to, bytes.size()));
        std::memcpy(bytes.data(), box.bytes.data(), bytes.size());
    }

    void wait_until_taken(int from, int to, double limit) {
        std::unique_lock lock(mutex_);
        wait(lock, to, limit, [&] { return !at(from, to).full; });
    }

    /// Nobody reads the bytes of put() any more when it returns.
    void withdraw(int from, int to) noexcept {
        std::unique_lock lock(mutex_);
        Box& box = at(from, to);
        changed_.wait(lock, [&] { return !box.copying; });
        box.full = false;
    }

    void give_up() noexcept {
        const std::lock_guard lock(mutex_);
        given_up_ = true;
        changed_.notify_all();
    }

private:
    struct Box {
        std::span<const std::byte> bytes;
        bool full = false, copying = false;
    };

    /// The end of a copy, also of one that was none.
    struct Copied {
        Boxes& boxes;
        Box& box;
        ~Copied() {
            const std::lock_guard lock(boxes.mutex_);
            box.full = box.copying = false;
            boxes.changed_.notify_all();
        }
    };

    Box& at(int from, int to) { return boxes_[static_cast<std::size_t>(from * ranks_ + to)]; }

    template <class Condition>
    void wait(std::unique_lock<std::mutex>& lock, int whose, double limit, const Condition& condition) {
        const auto over = [&] { return given_up_ || condition(); };
        if (limit <= 0) changed_.wait(lock, over);
        else if (!changed_.wait_for(lock, std::chrono::duration<double>(limit), over)) throw_late(whose, limit);
        if (given_up_) throw GivenUp();
    }

    int ranks_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Box> boxes_;
    bool given_up_ = false;
};

class ThreadRank final : public Communicator {
public:
    ThreadRank(Boxes& boxes, int rank) : boxes_(boxes), rank_(rank) {}

    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return boxes_.ranks(); }
    int local_rank() const noexcept override { return rank_; }

    void exchange(std::span<const Message> messages) override {
        for (const Message& m : messages)
            if (!m.out.empty()) boxes_.put(rank_, m.rank, m.out);
        try {
            receive(messages);
        } catch (...) {
            for (const Message& m : messages)
                if (!m.out.empty()) boxes_.withdraw(rank_, m.rank);
            throw;
        }
    }

    void set_limit(double seconds) noexcept override { limit_ = seconds; }
    void give_up(int) noexcept override { boxes_.give_up(); }

private:
    void receive(std::span<const Message> messages) {
        for (const Message& m : messages)
            if (!m.in.empty()) boxes_.take(m.rank, rank_, m.in, limit_);
        for (const Message& m : messages)
            if (!m.out.empty()) boxes_.wait_until_taken(rank_, m.rank, limit_);
    }

    Boxes& boxes_;
    int rank_;
    double limit_ = longest_wait_s;
};

}  // namespace

void run_in_threads(int ranks, const std::function<void(Communicator&)>& work) {
    Boxes boxes(ranks);
    std::mutex mutex;
    std::exception_ptr reason;
    const auto run = [&](int number) {
        ThreadRank rank(boxes, number);
        try {
            work(rank);
        } catch (const GivenUp&) {
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!reason) reason = std::current_exception();
            rank.give_up(1);
        }
    };
    {
        std::vector<std::jthread> others;
        try {
            for (int i = 1; i < ranks; ++i) others.emplace_back(run, i);
        } catch (const std::exception&) {   // those that have begun would wait for the others
            const std::lock_guard lock(mutex);
            reason = std::current_exception();
        }
        if (static_cast<int>(others.size()) == ranks - 1) run(0);
        else ThreadRank(boxes, 0).give_up(1);
    }
    if (reason) std::rethrow_exception(reason);
}

}  // namespace parallax::engine::distributed
