// Slabs that begin at whole tiles: what tiles are folded to does not depend on who folds them. Rank 0 collects those flags and
// counts, some 45 bytes a tile, and sums them up as if it had folded all tiles itself. Where grids begin at the bounding box, all
// ranks first look for it, each in its slices.
#include "algorithms/box_count/part.hpp"

#include "algorithms/box_count/slabs.hpp"
#include "parallax/host/in_flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace parallax::engine::box_count {
namespace {

using distributed::PartResult;
using distributed::PartRun;
using Clock = std::chrono::steady_clock;

class BoxPart final : public distributed::Part {
public:
    BoxPart(PlanBuilder& builder, const Problem& problem, Shape shape, int rank)
        : array_(problem.inputs.begin()->second),
          ranks_(problem.ranks),
          plan_(make_slab_plan(builder, problem, shape)),
          share_(share_of(rank)) {
        constexpr std::size_t enough = std::size_t{64} << 20;
        slab_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(enough / slice_bytes()), 1, slices());
        for (host::Buffer& buffer : device_) buffer = builder.state(static_cast<std::size_t>(slab_) * slice_bytes());
    }

    std::string share() const override {
        return distributed::in_words("slices", plan_->stored(share_));
    }

    PartResult run(PartRun& run) override {
        check_alike(run.ranks);
        const Clock::time_point start = Clock::now();
        for (int pass = 0; pass < plan_->slab_passes(); ++pass) {
            count(run, pass);
            if (plan_->finds_boxes(pass)) agree_on_boxes(run);
        }
        if (plan_->finds_extents()) agree_on_boxes(run);
        gather(run);
        PartResult result;
        if (run.ranks.rank() == 0) {
            {
                const Execution::Scope scope(run.profiler, run.step);
                plan_->enqueue(run.execution, {});
            }
            run.execution.queue().finish(run.step);
            result.records = run.execution.finish_records();
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        result.report = {{"steps_seconds", seconds}};
        return result;
    }

private:
    std::int64_t slices() const { return array_.axes.front().size; }
    std::size_t slice_bytes() const { return array_.dense_bytes() / static_cast<std::size_t>(slices()); }
    Slices share_of(int rank) const { return distributed::share_of(plan_->slices(), ranks_, rank, plan_->layer()); }

    /// Tiles follow the device where the policy leaves them open.
    void check_alike(distributed::Communicator& ranks) const {
        for (const std::string& layer : distributed::gather_everywhere(ranks, std::to_string(plan_->layer())))
            if (layer != std::to_string(plan_->layer()))
                throw ConfigError("/policy/tile",
                                  fmt::format("tiles of {} and of {} voxels on devices that differ", layer, plan_->layer()),
                                  "one size for all", "set \"policy\": {\"tile\": 64}");
    }

    void count(PartRun& run, int pass) {
        using Slabs = std::array<std::shared_ptr<host::PinnedMemory>, 2>;
        host::Queue& queue = run.execution.queue();
        const std::size_t bytes = static_cast<std::size_t>(slab_) * slice_bytes();
        host::InFlight<Slabs> slabs(queue, Slabs{run.context.allocate_pinned(bytes), run.context.allocate_pinned(bytes)});
        SlabMemory memory{{(*slabs)[0]->bytes().data(), (*slabs)[1]->bytes().data()}, device_, slab_, slice_bytes()};
        const Slices wanted = plan_->begin(run.execution, pass, share_);
        send_slabs(queue, run.profiler, "slab", wanted, memory, run.read, [&](const host::Buffer& slices, Slices slab) {
            const Execution::Scope scope(run.profiler, run.step);
            plan_->enqueue_slab(run.execution, slices, pass, slab.first, slab.count());
            if (run.advance)
                run.advance((pass + static_cast<double>(slab.end - wanted.first) / static_cast<double>(wanted.count())) /
                            plan_->slab_passes());
        });
        queue.finish(run.step);
        slabs.landed();
    }

    /// The outermost corners that any rank has seen.
    void agree_on_boxes(PartRun& run) {
        std::vector<std::uint32_t> lowest = plan_->boxes(run.execution);
        for (const std::string& seen : distributed::gather_everywhere(run.ranks, Json(lowest).dump())) {
            const auto theirs = Json::parse(seen).get<std::vector<std::uint32_t>>();
            for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::min(lowest[i], theirs[i]);
        }
        plan_->set_boxes(run.execution, lowest);
    }

    /// What other ranks have found, into the places where rank 0 would have found it.
    void gather(PartRun& run) {
        host::Queue& queue = run.execution.queue();
        const int rank = run.ranks.rank();
        if (rank == 0) {
            for (int from = 1; from < ranks_; ++from) {
                const std::vector<Piece> pieces = pieces_of(run, share_of(from));
                if (pieces.empty()) continue;
                host::InFlight<std::vector<std::byte>> found(queue, std::vector<std::byte>(bytes_of(pieces)));
                const distributed::Message message{from, {}, *found};
                run.ranks.exchange({&message, 1});
                const std::byte* at = found->data();
                for (const Piece& p : pieces) {
                    queue.write(p.buffer, p.offset, at, p.bytes, "gather tiles");
                    at += p.bytes;
                }
                queue.finish("gather tiles");
                found.landed();
            }
            return;
        }
        const std::vector<Piece> pieces = pieces_of(run, share_);
        if (pieces.empty()) return;
        host::InFlight<std::vector<std::byte>> found(queue, std::vector<std::byte>(bytes_of(pieces)));
        std::byte* at = found->data();
        for (const Piece& p : pieces) {
            queue.read(p.buffer, p.offset, at, p.bytes, "gather tiles");
            at += p.bytes;
        }
        queue.finish("gather tiles");
        found.landed();
        const distributed::Message message{0, *found, {}};
        run.ranks.exchange({&message, 1});
    }

    std::vector<Piece> pieces_of(PartRun& run, Slices share) const { return plan_->pieces(run.execution, share); }

    static std::size_t bytes_of(const std::vector<Piece>& pieces) {
        std::size_t bytes = 0;
        for (const Piece& p : pieces) bytes += p.bytes;
        return bytes;
    }

    ArrayDesc array_;
    int ranks_;
    std::unique_ptr<SlabCounting> plan_;
    Slices share_;
    std::int64_t slab_ = 1;                    // slices in memory at a time
    std::array<host::Buffer, 2> device_;
};

}  // namespace

std::unique_ptr<distributed::Part> make_part(PlanBuilder& builder, const Problem& problem, Shape shape, int rank) {
    return std::make_unique<BoxPart>(builder, problem, shape, rank);
}

}  // namespace parallax::engine::box_count
