// `device`: sums of tiles on the device, their sum in double precision on the host.
#include "algorithms/metrics/metrics.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"
#include "core/observation.hpp"
#include "core/plan.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace parallax::engine::metrics {
namespace {

constexpr std::int64_t tile = 16;   // as in ssim.cl
constexpr std::int64_t most_planes = 65535;    // of an axis on CUDA

std::size_t size(std::int64_t v) { return static_cast<std::size_t>(v); }
const char* pixel(ElementType type) { return type == ElementType::u8 ? "uchar" : type == ElementType::u16 ? "ushort" : "float"; }

class DevicePlan final : public Plan {
public:
    DevicePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy) : pair_(pair_of(problem)) {
        host::Defines d;
        d.add("PIXEL_A", pixel(pair_.image)).add("PIXEL_B", pixel(pair_.reference));
        if (pair_.windows() > 0) ssim_ = builder.kernel({"metrics/ssim.cl", d}, "ssim", size(tile * tile));
        group_ = policy.at("work_group_size");
        d.add("GROUP", group_);
        errors_ = builder.kernel({"metrics/errors.cl", d}, "errors");
        groups_ = std::clamp<std::int64_t>(divided_up(pair_.count(), group_ * 32), 1, 1 << 20);
        tiles_x_ = divided_up(std::max<std::int64_t>(pair_.width - 2 * reach, 0), tile);
        tiles_y_ = divided_up(std::max<std::int64_t>(pair_.height - 2 * reach, 0), tile);
        tiles_ = pair_.windows() > 0 ? tiles_x_ * tiles_y_ * pair_.planes() : 0;
        // One buffer, so that the record is read at once: pairs of errors, then the tiles' similarities.
        floats_ = size(2 * groups_ + tiles_);
        sums_ = builder.scratch(floats_ * sizeof(float));
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer &image = arrays.input("image"), &reference = arrays.input("reference"), &sums = x.buffer(sums_);
        x.launch("errors", *errors_, {size(groups_), 1, 1}, {size(group_), 1, 1},
                 {image, reference, sums, static_cast<std::uint64_t>(pair_.count())});
        const auto range = static_cast<float>(pair_.range);
        for (std::int64_t first = 0; first < pair_.planes() && tiles_ > 0; first += most_planes)
            x.launch("ssim", *ssim_, {size(tiles_x_), size(tiles_y_), size(std::min(most_planes, pair_.planes() - first))},
                     {tile, tile, 1},
                     {image, reference, sums, static_cast<std::int32_t>(pair_.width), static_cast<std::int32_t>(pair_.height),
                      pair_.channels, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(2 * groups_),
                      (.01f * range) * (.01f * range), (.03f * range) * (.03f * range)});
        const auto kept = std::make_shared<Json>();
        x.record("metrics", sums, floats_ * sizeof(float),
                 [this, kept](std::span<const std::byte> bytes) { return *kept = record(bytes); });
        x.record(observed, [kept] { return told(*kept); });
    }

private:
    Json record(std::span<const std::byte> bytes) const {
        std::vector<float> sums(floats_);
        std::memcpy(sums.data(), bytes.data(), floats_ * sizeof(float));
        double squares = 0, magnitudes = 0, similarities = 0;
        for (std::size_t i = 0; i < size(groups_); ++i) {
            squares += sums[2 * i];
            magnitudes += sums[2 * i + 1];
        }
        for (std::size_t i = size(2 * groups_); i < floats_; ++i) similarities += sums[i];
        return record_of(pair_, squares, magnitudes, similarities);
    }

    Pair pair_;
    std::int64_t group_ = 0, groups_ = 0, tiles_x_ = 0, tiles_y_ = 0, tiles_ = 0;
    std::unique_ptr<host::Kernel> errors_, ssim_;
    std::size_t floats_ = 0;
    Scratch sums_;
};

}  // namespace

Variant device_variant() {
    return make_variant<DevicePlan>({
        .name = "device",
        .summary = "both images read twice: errors in a sweep, similarity in tiles of 16 x 16 windows",
        .role = Role::best,
        .policy = {{"work_group_size", 128, {64, 128, 256}, "work-items of a group that sums errors"}},
        .supports = [](const Problem&, host::Context& context) {
            return context.info().max_work_group < 256 ? Support::no("needs work-groups of 256") : Support::yes();
        },
    });
}

}  // namespace parallax::engine::metrics
