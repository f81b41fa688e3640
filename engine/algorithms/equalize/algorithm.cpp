// `equalize`: what goes in, what comes out, which shapes.
#include "algorithms/equalize/equalize.hpp"

#include "core/hints.hpp"

namespace parallax::engine {
namespace equalize {

histogram::HistogramSpec spec_of(const ArrayDesc& image) {
    if (image.type != ElementType::u8 && image.type != ElementType::u16)
        throw ConfigError(
            "/inputs/image", image.describe(), "elements of type u8 or u16",
            is_complex(image.type)
                ? how_to_convert(image)
                : R"(a step before it converts, with the values that become black and white: {"run": "convert", )"
                  R"("type": "u8", "window": {"low": 0, "high": 1}})");
    histogram::check_image(image);
    histogram::HistogramSpec spec;
    spec.type = image.type;
    spec.channels = static_cast<int>(image.size('c'));
    spec.pixels = image.count() / spec.channels;
    spec.bins = image.type == ElementType::u16 ? 65536 : 256;
    return spec;
}

}  // namespace equalize

namespace {

using namespace equalize;

ArrayDescs infer(const Problem& problem) {
    ArrayDesc image = problem.inputs.at("image");
    spec_of(image);
    if (problem.parameters.as<EqualizeParameters>().formula == Formula::skimage) image = image.with_type(ElementType::f32);
    return {{"image", image}};
}

}  // namespace

Algorithm make_equalize() {
    Algorithm a;
    a.name = "equalize";
    a.summary = "Spreads the grey levels of an image so that each is as frequent as the others";
    a.parameters = TableBuilder<EqualizeParameters>()
                       .choice("formula", &EqualizeParameters::formula,
                               {{"opencv", Formula::opencv}, {"classic", Formula::classic}, {"skimage", Formula::skimage}},
                               "opencv: equalizeHist, from the first level that occurs. classic: floor(top cdf / N + 1/2). "
                               "skimage: cdf / N as f32.")
                       .build();
    a.inputs = {{"image", "u8 or u16 (..., y, x), or (..., y, x, c) with 1 to 4 channels, each equalised on its own", true,
                 PortKind::array}};
    a.outputs = {{"image", "the image's type and shape; f32 from 0 to 1 for skimage", true, PortKind::array}};
    a.infer = infer;
    a.chunking = [](const Problem&) { return Division::no("levels depend on the histogram of all pixels"); };
    a.variants = {device_variant(), threaded_variant(), equalize::reference_variant()};
    return a;
}

}  // namespace parallax::engine
