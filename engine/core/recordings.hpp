// Chains of launches that come again are recorded by the driver and then started by one call: a launch of its own takes a GPU
// longer than many a small image does.
#pragma once

#include "parallax/host/queue.hpp"

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace parallax::engine {

/// A launch with copies of all that it is given; it holds its buffers.
struct KeptLaunch {
    std::vector<std::string> path;   ///< of its stage in the report
    std::string stage;
    host::Kernel* kernel;
    host::NDRange groups, local;
    std::vector<host::Arg> args;

    host::Launch launch() const;
    bool operator==(const KeptLaunch&) const = default;
};
using LaunchChain = std::vector<KeptLaunch>;

/// Which chains are replayed once they come again.
enum class Replay {
    one_stage,     ///< of one stage: the report says the same as without
    short_ones,    ///< these, and others whose launches are short: in the report they are one row from then on
    everywhere,    ///< every chain, on processors, too (their drivers replay no faster than they launch)
};

/// A chain that was seen before. It holds no buffers.
class KnownChain {
public:
    explicit KnownChain(const LaunchChain& chain);
    bool is(const LaunchChain& chain) const { return chain_ == chain; }
    int size() const noexcept { return static_cast<int>(chain_.size()); }
    bool one_stage() const noexcept { return one_stage_; }
    /// Events of its launches when they were enqueued one by one.
    void ran(std::vector<host::Event> events) { events_ = std::move(events); }
    /// The driver's recording, made now of these launches, which are the chain, where that pays. Null: launch one by one.
    host::Recording* recording(host::Queue&, const LaunchChain& launches, Replay);
    /// Goes when what is under way has ended.
    void let_go(host::Queue&);
    /// One row for all of them in the report: what their paths begin with, and the rest of each.
    const std::vector<std::string>& path() const noexcept { return path_; }
    const std::string& stage() const noexcept { return stage_; }

private:
    bool pays(Replay);

    LaunchChain chain_;
    bool one_stage_;
    std::vector<std::string> path_;
    std::string stage_;
    std::vector<host::Event> events_;
    bool refused_ = false;
    std::shared_ptr<host::Recording> recording_;
};

/// The chains of one plan. It must go before the plan, whose kernels it names.
class Recordings {
public:
    /// Launches of a chain at most: many steps that differ in turn by twos, threes, fours, fives and sixes come again after it.
    static constexpr std::size_t longest = 60;

    /// The chain where it was seen before, else as a new one; it is good until the next call.
    KnownChain& find(host::Queue&, const LaunchChain& chain, bool& is_new);

private:
    static constexpr std::size_t most = 8;
    std::list<KnownChain> chains_;   ///< the latest first
};

}  // namespace parallax::engine
