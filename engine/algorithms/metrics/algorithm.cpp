// `metrics`: what goes in and what comes out.
#include "algorithms/metrics/metrics.hpp"

#include "core/hints.hpp"
#include "core/observation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace parallax::engine {
namespace metrics {
namespace {

bool is_supported(ElementType type) { return type == ElementType::u8 || type == ElementType::u16 || type == ElementType::f32; }

void check(const ArrayDesc& image, const char* port) {
    if (!is_supported(image.type))
        throw ConfigError(port, image.describe(), "elements of type u8, u16 or f32", how_to_convert(image));
    if (!image.is_dense()) throw ConfigError(port, image.describe() + " with gaps", "a dense array");
    if (image.count() == 0) throw ConfigError(port, image.describe(), "an image with at least one pixel");
}

ArrayDescs infer(const Problem& problem) {
    pair_of(problem);
    return {};
}

ParameterTable metrics_table() {
    using P = MetricsParameters;
    return TableBuilder<P>()
        .number("range", &P::range, {.min = 0, .max = 1e30},
                "Range of the grey levels, the peak of PSNR. 0: that of the reference's type, 255, 65535, and 1 for f32.")
        .build();
}

}  // namespace

Pair pair_of(const Problem& problem) {
    const ArrayDesc &image = problem.inputs.at("image"), &reference = problem.inputs.at("reference");
    check(image, "/inputs/image");
    check(reference, "/inputs/reference");
    bool same = image.axes.size() == reference.axes.size();
    for (std::size_t i = 0; same && i < image.axes.size(); ++i)
        same = image.axes[i].name == reference.axes[i].name && image.axes[i].size == reference.axes[i].size;
    if (!same) throw ConfigError("/inputs/reference", reference.describe(), "the shape of the image: " + image.describe());

    Pair pair;
    pair.image = image.type;
    pair.reference = reference.type;
    const bool has_channels = !image.axes.empty() && image.axes.back().name == 'c';
    const std::size_t plane_axes = has_channels ? 3 : 2, axes = image.axes.size();
    if (axes < plane_axes || image.axes[axes - plane_axes].name != 'y' || image.axes[axes - plane_axes + 1].name != 'x')
        throw ConfigError("/inputs/image", image.describe(), "an image (y, x), channels (c) after them, stacks before");
    pair.width = image.size('x');
    pair.height = image.size('y');
    if (pair.width > (1 << 30) || pair.height > (1 << 30))
        throw ConfigError("/inputs/image", image.describe(), "at most 2^30 rows and columns");
    pair.channels = has_channels ? static_cast<int>(image.axes.back().size) : 1;
    pair.slices = image.count() / (pair.width * pair.height * pair.channels);
    const double range = problem.parameters.as<MetricsParameters>().range;
    pair.range = range > 0 ? range : reference.type == ElementType::u8 ? 255 : reference.type == ElementType::u16 ? 65535 : 1;
    return pair;
}

Json record_of(const Pair& pair, double squares, double magnitudes, double similarities) {
    const auto finite = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
    const double mse = squares / static_cast<double>(pair.count());
    return {{"mse", finite(mse)},
            {"mae", finite(magnitudes / static_cast<double>(pair.count()))},
            {"psnr_db", finite(10 * std::log10(pair.range * pair.range / mse))},
            {"ssim", pair.windows() > 0 ? finite(similarities / static_cast<double>(pair.windows())) : Json(nullptr)},
            {"range", pair.range}};
}

Json told(const Json& record) {
    const double range = record.at("range").get<double>();
    if (record.at("mse").is_null())
        return observation(1, {{1, 0,
                                "an image holds NaN or infinity, or numbers whose squares are too large for f32: mse and what "
                                "follows from it are null"}});
    const bool beyond = record.at("mse").is_number() &&
                        record.at("mse").get<double>() > 1.000001 * range * range;   // black beside white is no error
    return observation(beyond ? 1 : 0,
                       {{1, 0,
                         fmt::format("the images differ by more than their range, {:g}, so that psnr_db and ssim mean nothing: "
                                     "state \"range\", the greatest grey level less the least",
                                     range)}});
}

}  // namespace metrics

Algorithm make_metrics() {
    Algorithm a;
    a.name = "metrics";
    a.summary = "Compares an image with a reference: MSE, MAE, PSNR, SSIM";
    a.parameters = metrics::metrics_table();
    a.inputs = {{"image", "u8, u16 or f32 (..., y, x) or (..., y, x, c)", true, PortKind::array},
                {"reference", "of the same shape; u8, u16 or f32", true, PortKind::array}};
    a.outputs = {{"metrics", "mse, mae, psnr_db (null where the images are equal), ssim (null below 11 x 11 pixels), range", true,
                  PortKind::record}};
    a.infer = metrics::infer;
    a.chunking = [](const Problem&) { return Division::no("its means would depend on the chunks in their last digits"); };
    a.variants = {metrics::device_variant(), metrics::reference_variant()};
    return a;
}

}  // namespace parallax::engine
