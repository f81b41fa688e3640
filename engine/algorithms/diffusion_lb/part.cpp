// Each rank has a slab of rows, and of its neighbours' as many as the launches of a round need. The last launch of a round
// writes first what neighbours need of it; while that travels, the rest is computed:
//
//   queue      [launch][outermost rows][collect][           inner rows           ][spread][launch]
//   transfers                                   [down] - neighbours - [up]
//
// Kernels see a plane that ends where the rank's rows do. What they mirror there is wrong, but lies outside the rows that are
// written for use; so every pixel is computed by the same operations as in a whole image.
#include "algorithms/diffusion_lb/part.hpp"

#include "algorithms/diffusion_lb/halo.hpp"
#include "parallax/host/in_flight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

namespace parallax::engine::diffusion_lb {
namespace {

using distributed::PartResult;
using distributed::PartRun;
using Clock = std::chrono::steady_clock;

class DiffusionPart final : public distributed::Part {
public:
    DiffusionPart(PlanBuilder& builder, const Problem& problem, const Policy& policy, int rank, std::int64_t margin,
                  PaceOf pace_of, const MakeSteps& make)
        : image_(problem.inputs.at("image")),
          pace_(pace_of(problem.parameters.as<LbParameters>(), policy)),
          whole_(planes_of(image_), margin),
          wants_iterations_(problem.wants("iterations")) {
        check_shareable();
        const std::int64_t height = whole_.planes.height, fewest = height / problem.ranks;   // rows of a rank
        if (fewest == 0) throw too_few_rows(problem.ranks, 1);
        launches_ = problem.ranks == 1 ? 1 : launches_a_round(pace_, whole_.planes.width, fewest);
        const std::int64_t beyond = problem.ranks == 1 ? 0 : deepest(pace_, launches_);
        if (fewest < beyond) throw too_few_rows(problem.ranks, beyond);
        share_ = distributed::share_of(height, problem.ranks, rank);
        territory_.above = rank > 0;
        territory_.below = rank + 1 < problem.ranks;
        const std::int64_t top = territory_.above ? beyond : 0, bottom = territory_.below ? beyond : 0;
        territory_.own = {top, top + share_.count()};
        there_ = {share_.first - top, share_.end + bottom};

        Planes planes = whole_.planes;
        planes.height = there_.count();
        layout_ = Layout(planes, margin);
        layout_.batch = whole_.batch;
        conversion_.emplace(builder, layout_);
        steps_ = make(builder, pace_.parameters, policy, layout_, whole_, *conversion_);
        pixels_ = builder.state(static_cast<std::size_t>(there_.count()) * row_bytes());
        if (beyond > 0)
            halo_.emplace(builder, layout_, territory_, populations(pace_.parameters.lattice) - 1, steps_->population_bytes(),
                          beyond, pace_.parameters.update_edges_every > 1);
    }

    std::string share() const override { return distributed::in_words("rows", share_); }

    PartResult run(PartRun& run) override {
        Execution& x = run.execution;
        upload(run);
        distributed::barrier(run.ranks);   // so that the times of all ranks begin together
        const Clock::time_point start = Clock::now();
        const auto scope = std::make_optional<Execution::Scope>(run.profiler, run.step);
        for (std::int64_t first = 0; first < layout_.planes.count(); first += layout_.batch) {
            const std::int64_t count = std::min(layout_.batch, layout_.planes.count() - first);
            conversion_->begin(x, pixels_, steps_->state(x, 0).intensity, first, count);
            const int launches = diffuse(run, first, count);
            conversion_->end(x, steps_->state(x, 0).intensity, steps_->state(x, 1).intensity, pixels_, first, count, launches);
        }
        x.queue().finish("diffusion_lb");
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        PartResult result;
        result.slices.emplace("image", download(run));
        if (wants_iterations_ && run.ranks.rank() == 0)
            result.records["iterations"] =
                std::vector<int>(static_cast<std::size_t>(layout_.planes.count()), pace_.parameters.iterations);
        result.report = report(seconds);
        return result;
    }

private:
    void check_shareable() const {
        if (image_.axes.front().name != 'y')
            throw ConfigError("/inputs/image", image_.describe() + ", for several devices", "one image, whose rows they share",
                              "take its slices one by one, by for_each with \"pages\"");
        if (pace_.parameters.stop_below > 0)
            throw ConfigError("/stop_below", fmt::format("{} on several devices", pace_.parameters.stop_below),
                              "0, which takes all iterations",
                              "the change of a step is added up by work-groups, whose rows a cut would move: the sum would round "
                              "differently, and the image stop "
                              "a step sooner or later than on one device. Use one, or give \"iterations\"");
    }

    ConfigError too_few_rows(int ranks, std::int64_t least) const {
        const std::int64_t height = whole_.planes.height, most = height / least;
        return {"/inputs/image", fmt::format("{} rows for {} devices", height, ranks),
                fmt::format("at least {} rows each, which neighbours need", least),
                most < 2 ? "use one device" : fmt::format("use at most {} devices", most)};
    }

    std::size_t row_bytes() const {
        return static_cast<std::size_t>(whole_.planes.width * whole_.planes.channels) * bytes_of(whole_.planes.type);
    }

    /// The image, or rows of it.
    ArrayDesc rows_of_image(std::int64_t rows) const {
        ArrayDesc desc = image_.to_dense();
        for (Axis& axis : desc.axes)
            if (axis.name == 'y') axis.size = rows;
        return desc.to_dense();
    }

    void upload(PartRun& run) {
        host::InFlight<HostArray> rows(run.execution.queue(), HostArray::make(rows_of_image(there_.count())));
        {
            const Execution::Scope scope(run.profiler, "read");
            const HostTimer timer(run.profiler, "image");
            run.read(there_, rows->data());
        }
        const Execution::Scope scope(run.profiler, "upload");
        const host::Event up = run.execution.queue().write(pixels_, 0, rows->data(), rows->desc.dense_bytes(), "image");
        run.profiler.add("image", StageKind::upload, up);
        up.wait();
        rows.landed();
    }

    HostArray download(PartRun& run) {
        host::InFlight<HostArray> rows(run.execution.queue(), HostArray::make(rows_of_image(share_.count())));
        const Execution::Scope scope(run.profiler, "download");
        const std::size_t offset = static_cast<std::size_t>(territory_.own.from) * row_bytes();
        const host::Event down = run.execution.queue().read(pixels_, offset, rows->data(), rows->desc.dense_bytes(), "image");
        run.profiler.add("image", StageKind::download, down);
        down.wait();
        rows.landed();
        return *rows;
    }

    /// All steps of some planes; says by how many launches.
    int diffuse(PartRun& run, std::int64_t first, std::int64_t count) {
        int number = 0;
        for (int n = 0; n < pace_.parameters.iterations;) {
            const Round round = round_from(pace_, n, launches_);
            n = round.end();
            for (std::size_t i = 0; i + 1 < round.launches.size(); ++i, ++number) {
                const auto& [launch, wider] = round.launches[i];
                const Rows rows = territory_.wider(wider);
                steps_->find_edges(run.execution, launch, number, count, rows);
                steps_->advance(run.execution, launch, number, first, count, rows);
            }
            const bool more = halo_ && n < pace_.parameters.iterations;
            end_round(run, round.launches.back().launch, number++, first, count,
                      more ? round_from(pace_, n, launches_).before : HaloRows{});
            if (run.advance) run.advance(static_cast<double>(n) / pace_.parameters.iterations);
        }
        return number;
    }

    /// The last launch of a round, and the exchange of what the next one needs; nothing: there is none.
    void end_round(PartRun& run, const Launch& launch, int number, std::int64_t first, std::int64_t count, const HaloRows& next) {
        Execution& x = run.execution;
        const Rows own = territory_.own;
        steps_->find_edges(x, launch, number, count, own);
        const auto advance = [&](Rows rows) {
            if (rows.count() > 0) steps_->advance(x, launch, number, first, count, rows);
        };
        if (next.rows() == 0) return advance(own);
        const int turn = 1 - number % 2;
        Rows inner{own.from + (territory_.above ? next.rows() : 0), own.to - (territory_.below ? next.rows() : 0)};
        if (inner.count() > 0) {
            const Rows upper{own.from, inner.from}, lower{inner.to, own.to};
            if (upper.count() > 0 && lower.count() > 0)
                steps_->advance(x, launch, number, first, count, upper, lower.from - upper.from);
            else advance(upper.count() > 0 ? upper : lower);
        } else {   // nothing to compute meanwhile
            advance(own);
            inner = {};
        }
        halo_->collect(run, *steps_, turn, count, next);
        advance(inner);
        halo_->exchange(run);
        halo_->spread(run, *steps_, turn, count, next);
    }

    Json report(double seconds) const {
        Json report{{"steps_seconds", seconds}};
        if (!halo_) return report;
        const Halo::Seconds exchange = halo_->seconds();
        Json& exchanges = report["exchanges"];
        exchanges = {{"count", halo_->exchanges()}, {"launches_between", launches_}, {"rows", deepest(pace_, launches_)},
                     {"bytes_sent", halo_->bytes_sent()}, {"seconds", nullptr}, {"idle_seconds", nullptr}, {"hidden", nullptr}};
        if (exchange.all < 0) return report;
        exchanges["seconds"] = exchange.all;
        exchanges["idle_seconds"] = exchange.idle;
        if (exchange.all > 0) exchanges["hidden"] = std::max(0.0, 1 - exchange.idle / exchange.all);
        return report;
    }

    ArrayDesc image_;
    Pace pace_;
    Layout whole_, layout_;      // of the image, and of the rows that are here
    bool wants_iterations_;
    int launches_ = 1;           // of a round
    Slices share_, there_;       // rows of the image: this rank's own, and all that are here
    Territory territory_;
    std::optional<Conversion> conversion_;
    std::unique_ptr<Steps> steps_;
    host::Buffer pixels_;        // of the rows that are here, as in the file
    std::optional<Halo> halo_;
};

}  // namespace

std::unique_ptr<distributed::Part> make_part(PlanBuilder& builder, const Problem& problem, const Policy& policy, int rank,
                                             std::int64_t margin, PaceOf pace, const MakeSteps& make) {
    return std::make_unique<DiffusionPart>(builder, problem, policy, rank, margin, pace, make);
}

}  // namespace parallax::engine::diffusion_lb
