#include "core/recordings.hpp"

#include <algorithm>
#include <utility>

namespace parallax::engine {
namespace {

constexpr double short_launch_s = 60e-6;   // a launch and the events that time it cost 2 to 5 us each: less than a tenth beyond
constexpr std::size_t most_names = 4;

std::size_t common_depth(const LaunchChain& chain) {
    const std::vector<std::string>& first = chain.front().path;
    std::size_t depth = first.size();
    for (const KeptLaunch& launch : chain) {
        const auto differs = std::mismatch(first.begin(), first.end(), launch.path.begin(), launch.path.end()).first;
        depth = std::min(depth, static_cast<std::size_t>(differs - first.begin()));
    }
    return depth;
}

std::string names_of(const LaunchChain& chain, std::size_t depth) {
    std::vector<std::string> names;
    for (const KeptLaunch& launch : chain) {
        std::string name;
        for (std::size_t i = depth; i < launch.path.size(); ++i) name += launch.path[i] + '/';
        name += launch.stage;
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    std::string all;
    for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) all += (i > 0 ? ", " : "") + names[i];
    return names.size() > most_names ? all + ", ..." : all;
}

}  // namespace

host::Launch KeptLaunch::launch() const {
    return {.kernel = *kernel, .groups = groups, .local = local, .args = args, .wait = {}, .step = stage};
}

KnownChain::KnownChain(const LaunchChain& chain) : chain_(chain) {
    for (KeptLaunch& launch : chain_)
        for (host::Arg& argument : launch.args) argument.let_go();
    const std::size_t depth = common_depth(chain_);
    path_.assign(chain_.front().path.begin(), chain_.front().path.begin() + static_cast<std::ptrdiff_t>(depth));
    stage_ = names_of(chain_, depth);
    one_stage_ = std::all_of(chain_.begin(), chain_.end(), [&](const KeptLaunch& launch) {
        return launch.path == chain_.front().path && launch.stage == chain_.front().stage;
    });
}

bool KnownChain::pays(Replay replay) {
    if (one_stage_ || replay == Replay::everywhere) return true;
    if (replay == Replay::one_stage) return false;
    const bool ended = std::all_of(events_.begin(), events_.end(), [](const host::Event& event) { return event.ended(); });
    if (events_.empty() || !ended) return false;
    double seconds = 0;   // nothing where nobody measures: then no row is lost either
    for (const host::Event& event : std::exchange(events_, {}))
        if (const auto times = event.times()) seconds += times->seconds();
    refused_ = seconds >= short_launch_s * static_cast<double>(chain_.size());
    return !refused_;
}

host::Recording* KnownChain::recording(host::Queue& queue, const LaunchChain& launches, Replay replay) {
    if (recording_ || refused_ || !pays(replay)) return recording_.get();
    std::vector<host::Launch> list;
    list.reserve(launches.size());
    for (const KeptLaunch& launch : launches) list.push_back(launch.launch());
    recording_ = queue.record(list);
    refused_ = !recording_;
    return recording_.get();
}

void KnownChain::let_go(host::Queue& queue) {
    if (recording_) queue.keep(std::move(recording_), queue.barrier({}, stage_));
}

KnownChain& Recordings::find(host::Queue& queue, const LaunchChain& chain, bool& is_new) {
    const auto known = std::find_if(chains_.begin(), chains_.end(), [&](const KnownChain& one) { return one.is(chain); });
    is_new = known == chains_.end();
    if (is_new) {
        if (chains_.size() == most) {
            chains_.back().let_go(queue);
            chains_.pop_back();
        }
        chains_.emplace_front(chain);
    } else {
        chains_.splice(chains_.begin(), chains_, known);
    }
    return chains_.front();
}

}  // namespace parallax::engine
