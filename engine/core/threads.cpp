#include "core/threads.hpp"

#include "core/stop.hpp"
#include "support/float_environment.hpp"

#include <new>
#include <system_error>
#include <utility>

namespace parallax::engine {

Team::Team(int threads) {
    const int wanted = threads > 0 ? threads : host::platform::processors();
    helpers_.reserve(static_cast<std::size_t>(wanted - 1));
    try {
        for (int i = 1; i < wanted; ++i) helpers_.emplace_back(&Team::help, this, i);
    } catch (const std::system_error&) {   // the system's limit of threads: the work is done by those that are there
    } catch (const std::bad_alloc&) {
    }
}

Team::~Team() {
    over_ = true;
    loop_.fetch_add(1);
    loop_.notify_all();
    for (std::thread& helper : helpers_) helper.join();
}

void Team::run(std::int64_t count, Call call, const void* body) {
    check_stop();
    ranges_ = std::min<std::int64_t>(static_cast<std::int64_t>(helpers_.size()) + 1, std::max<std::int64_t>(count, 1));
    if (ranges_ == 1) return call(body, 0, count);
    call_ = call;
    body_ = body;
    count_ = count;
    at_work_ = static_cast<int>(helpers_.size());
    loop_.fetch_add(1);
    loop_.notify_all();
    work(0);
    for (int left = at_work_; left > 0; left = at_work_) at_work_.wait(left);
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void Team::work(std::int64_t range) noexcept {
    if (range >= ranges_) return;
    try {
        call_(body_, count_ * range / ranges_, count_ * (range + 1) / ranges_);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        problem_ = std::current_exception();
    }
}

void Team::help(std::int64_t range) {
    const host::FloatEnvironment ours;
    for (std::uint32_t seen = 0;;) {
        loop_.wait(seen);
        if (over_) return;
        seen = loop_;
        work(range);
        if (at_work_.fetch_sub(1) == 1) at_work_.notify_one();
    }
}

}  // namespace parallax::engine
