#include "algorithms/diffusion_lb/halo.hpp"

#include "core/integers.hpp"

#include <algorithm>

namespace parallax::engine::diffusion_lb {
namespace {

constexpr std::int64_t word = 16;   // bytes, as uint4 of halo.cl

std::uint64_t u64(std::int64_t v) { return static_cast<std::uint64_t>(v); }

}  // namespace

/// Rows of one array of the state.
struct Halo::Segment {
    const host::Buffer& state;
    std::int64_t planes, rows, row_words;
    std::int64_t at;   // in what travels to or from a side, in words

    std::int64_t words() const noexcept { return planes * rows * row_words; }
};

Halo::Halo(PlanBuilder& builder, const Layout& layout, const Territory& territory, int moving, std::size_t population_bytes,
           std::int64_t need_rows, bool with_edges)
    : layout_(layout), territory_(territory), moving_(moving), population_bytes_(population_bytes) {
    const auto row = static_cast<std::size_t>(layout_.batch * need_rows * layout_.pitch);
    side_bytes_ = row * (sizeof(float) * (with_edges ? 2 : 1) + population_bytes * static_cast<std::size_t>(moving));
    const host::ProgramSpec program{"diffusion_lb/halo.cl", {}};
    collect_ = builder.kernel(program, "collect_rows", 64);
    spread_ = builder.kernel(program, "spread_rows", 64);
    leaving_ = builder.state(2 * side_bytes_);
    arriving_ = builder.state(2 * side_bytes_);
    out_ = builder.context().allocate_pinned(2 * side_bytes_);
    in_ = builder.context().allocate_pinned(2 * side_bytes_);
}

std::vector<Halo::Segment> Halo::segments(Execution& x, const Steps& steps, int turn, std::int64_t count,
                                          const HaloRows& need) const {
    std::vector<Segment> all;
    const auto add = [&](const host::Buffer& state, std::int64_t planes, std::int64_t rows, std::size_t bytes) {
        const std::int64_t at = all.empty() ? 0 : all.back().at + all.back().words();
        if (rows > 0) all.push_back({state, planes, rows, layout_.pitch * static_cast<std::int64_t>(bytes) / word, at});
    };
    const State state = steps.state(x, turn);
    add(state.intensity, count, need.intensity, sizeof(float));
    add(state.populations, count * moving_, need.populations, population_bytes_);
    if (const host::Buffer* edges = steps.edges(x)) add(*edges, count, need.edges, sizeof(float));
    return all;
}

/// Outgoing rows are the outermost of the rank's own, incoming ones those beyond.
void Halo::launch(Execution& x, host::Kernel& kernel, const char* stage, const host::Buffer& travelling,
                  const std::vector<Segment>& segments, bool outgoing) {
    const std::size_t sides = (territory_.above ? 1u : 0u) + (territory_.below ? 1u : 0u);
    const std::int32_t first_side = territory_.above ? 0 : 1;
    const Rows own = territory_.own;
    for (const Segment& s : segments) {
        const std::int64_t block = s.rows * s.row_words, upper = outgoing ? own.from : own.from - s.rows,
                           lower = outgoing ? own.to - s.rows : own.to;
        const std::int64_t travel = static_cast<std::int64_t>(message_bytes_) / word;
        x.launch(stage, kernel,
                 {static_cast<std::size_t>(divided_up(block, 64)), sides,
                  static_cast<std::size_t>(std::min<std::int64_t>(s.planes, 1024))},
                 {64, 1, 1},
                 {s.state, travelling, u64(layout_.planes.height * s.row_words), u64(block),
                  u64(std::max<std::int64_t>(upper, 0) * s.row_words), u64(lower * s.row_words), u64(s.at), u64(travel + s.at),
                  first_side, static_cast<std::int32_t>(s.planes)});
    }
}

void Halo::collect(distributed::PartRun& run, const Steps& steps, int turn, std::int64_t count, const HaloRows& need) {
    const std::vector<Segment> all = segments(run.execution, steps, turn, count, need);
    message_bytes_ = static_cast<std::size_t>((all.back().at + all.back().words()) * word);
    launch(run.execution, *collect_, "collect rows", leaving_, all, true);
    journeys_.push_back({run.profiler.entries().back().event, {}, {}, {}});
    collected_ = run.execution.queue().barrier({}, "collect rows");
    run.execution.queue().flush();
}

void Halo::exchange(distributed::PartRun& run) {
    Journey& journey = journeys_.back();
    journey.computed = run.profiler.entries().back().event;
    run.execution.queue().flush();
    run.transfers.barrier({&collected_, 1}, "exchange rows");
    const std::span<std::byte> out = out_->bytes(), in = in_->bytes();
    run.transfers.read(leaving_, 0, out.data(), 2 * message_bytes_, "exchange rows").wait();
    std::vector<distributed::Message> messages;
    const auto add = [&](bool there, int rank, std::size_t side) {
        if (there)
            messages.push_back(
                {rank, out.subspan(side * message_bytes_, message_bytes_), in.subspan(side * message_bytes_, message_bytes_)});
    };
    add(territory_.above, run.ranks.rank() - 1, 0);
    add(territory_.below, run.ranks.rank() + 1, 1);
    run.ranks.exchange(messages);
    bytes_sent_ += messages.size() * message_bytes_;
    journey.arrived = run.transfers.write(arriving_, 0, in.data(), 2 * message_bytes_, "exchange rows");
    run.transfers.flush();
    run.execution.queue().barrier({&journey.arrived, 1}, "exchange rows");
}

void Halo::spread(distributed::PartRun& run, const Steps& steps, int turn, std::int64_t count, const HaloRows& need) {
    const std::size_t before = run.profiler.entries().size();
    launch(run.execution, *spread_, "spread rows", arriving_, segments(run.execution, steps, turn, count, need), false);
    journeys_.back().spread = run.profiler.entries().at(before).event;
}

Halo::Seconds Halo::seconds() const {
    Seconds sum{0, 0};
    const auto between = [](std::uint64_t from, std::uint64_t to) {
        return to > from ? static_cast<double>(to - from) * 1e-9 : 0.0;
    };
    for (const Journey& j : journeys_) {
        const auto collected = j.collected.times(), computed = j.computed.times(), arrived = j.arrived.times(),
                   spread = j.spread.times();
        if (!collected || !computed || !arrived || !spread) return {};
        sum.all += between(collected->ended, arrived->ended);
        sum.idle += between(computed->ended, spread->started);
    }
    return sum;
}

}  // namespace parallax::engine::diffusion_lb
