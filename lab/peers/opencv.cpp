#include "peers/opencv.hpp"

#include "algorithms/box_filter/parameters.hpp"
#include "algorithms/equalize/equalize.hpp"
#include "algorithms/histogram/parameters.hpp"
#include "core/plan.hpp"
#include "parallax/host/error.hpp"
#include "peers/row.hpp"
#include "support/module.hpp"
#include "peers/opencv_module.h"

#include <fmt/format.h>

#include <limits>

namespace parallax::engine::peers {
namespace {

/// The module's functions.
struct OpenCv {
    OpenCv() {
        const host::Module module("opencv", PLX_OPENCV_ABI, "where OpenCV is found (libopencv-imgproc-dev)");
        module.find(box, "plx_opencv_box");
        module.find(equalize, "plx_opencv_equalize");
        module.find(histogram, "plx_opencv_histogram");
    }

    decltype(plx_opencv_box)* box = nullptr;
    decltype(plx_opencv_equalize)* equalize = nullptr;
    decltype(plx_opencv_histogram)* histogram = nullptr;
};

void check(const char* problem, const char* call) {
    if (problem != nullptr) throw DeviceError(call, -1, "cv::Exception", "opencv", problem);
}

int cv_type_of(ElementType type) {
    return type == ElementType::u8 ? PLX_OPENCV_U8 : type == ElementType::u16 ? PLX_OPENCV_U16 : PLX_OPENCV_F32;
}

constexpr std::int64_t most = std::numeric_limits<int>::max();   // OpenCV counts rows and columns in int

/// An image whose pixels may stand anywhere: rows of a plane, or, of an image with more axes, all rows one after another.
struct Shape {
    std::int64_t width = 0, height = 0;
};
Shape shape_of(const ArrayDesc& image) {
    const std::int64_t width = image.size('x');
    return {width, width == 0 ? 0 : image.count() / image.size('c') / width};
}

plx_opencv_image image_of(ElementType type, std::int64_t channels, Shape shape, const void* pixels) {
    return {cv_type_of(type), static_cast<int>(channels), static_cast<int>(shape.width), static_cast<int>(shape.height), pixels};
}

std::string too_large(Shape shape) {
    return shape.width > most || shape.height > most
               ? fmt::format("OpenCV counts rows and columns in 32 bits; these are {} x {}", shape.width, shape.height)
               : std::string();
}

class BoxPlan final : public Plan {
public:
    explicit BoxPlan(const Problem& problem) : spec_(box_filter::spec_of(problem)) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("opencv", [this, arrays] {
            const std::int64_t plane =
                spec_.height * spec_.width * spec_.channels * static_cast<std::int64_t>(bytes_of(spec_.type));
            const std::byte* const in = arrays.input("image").host_pointer();
            std::byte* const out = arrays.output("image").host_pointer();
            for (std::int64_t i = 0; i < spec_.outer * spec_.depth * spec_.middle; ++i) {
                const plx_opencv_image image = image_of(spec_.type, spec_.channels, {spec_.width, spec_.height}, in + i * plane);
                check(cv_.box(&image, static_cast<int>(spec_.window[0]), static_cast<int>(spec_.window[1]), border(),
                              out + i * plane),
                      "cv::boxFilter");
            }
        });
    }

private:
    int border() const {
        using box_filter::Border;
        switch (spec_.border) {
            case Border::reflect_101: return PLX_OPENCV_REFLECT_101;
            case Border::reflect: return PLX_OPENCV_REFLECT;
            case Border::replicate: return PLX_OPENCV_REPLICATE;
            case Border::constant: break;
        }
        return PLX_OPENCV_ZERO;
    }

    OpenCv cv_;
    box_filter::BoxSpec spec_;
};

class EqualizePlan final : public Plan {
public:
    explicit EqualizePlan(const Problem& problem) : shape_(shape_of(problem.inputs.at("image"))) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("opencv", [this, arrays] {
            const plx_opencv_image image = image_of(ElementType::u8, 1, shape_, arrays.input("image").host_pointer());
            check(cv_.equalize(&image, arrays.output("image").host_pointer()), "cv::equalizeHist");
        });
    }

private:
    OpenCv cv_;
    Shape shape_;
};

class HistogramPlan final : public Plan {
public:
    explicit HistogramPlan(const Problem& problem)
        : spec_(histogram::spec_of(problem)), shape_(shape_of(problem.inputs.at("image"))) {}

    void enqueue(Execution& x, const Bindings& arrays) override {
        x.host_task("opencv", [this, arrays] {
            const plx_opencv_image image = image_of(spec_.type, spec_.channels, shape_, arrays.input("image").host_pointer());
            const auto* const mask =
                spec_.masked ? reinterpret_cast<const std::uint8_t*>(arrays.input("mask").host_pointer()) : nullptr;
            check(cv_.histogram(&image, mask, spec_.bins,
                                reinterpret_cast<std::uint32_t*>(arrays.output("histogram").host_pointer())),
                  "cv::calcHist");
        });
    }

private:
    OpenCv cv_;
    histogram::HistogramSpec spec_;
    Shape shape_;
};

std::string why_no_box(const Problem& problem) {
    const box_filter::BoxSpec s = box_filter::spec_of(problem);
    if (s.window[2] > 1) return "OpenCV filters planes, no volumes";
    if (s.border == box_filter::Border::constant && s.value != 0) return "OpenCV's boxFilter has the constant 0 only";
    if (!s.is_float() && s.taps() > most / static_cast<std::int64_t>(s.largest())) return "OpenCV's sums of windows have 32 bits";
    return too_large({s.width, s.height});
}

std::string why_not_equalize(const Problem& problem) {
    const ArrayDesc& image = problem.inputs.at("image");
    if (image.type != ElementType::u8 || image.size('c') != 1) return "OpenCV equalises u8 with one channel";
    if (problem.parameters.as<equalize::EqualizeParameters>().formula != equalize::Formula::opencv)
        return "OpenCV has a formula of its own: \"opencv\"";
    return too_large(shape_of(image));
}

std::string why_no_histogram(const Problem& problem) {
    const histogram::HistogramSpec s = histogram::spec_of(problem);
    if (s.type == ElementType::f32) return "OpenCV puts numbers near the edges of bins elsewhere";
    const int levels = s.type == ElementType::u8 ? 256 : 65536;
    if (levels % s.bins != 0)
        return fmt::format("OpenCV's bins are of one width: {} levels are no multiple of {}", levels, s.bins);
    const Shape shape = shape_of(problem.inputs.at("image"));
    if (shape.width > (1 << 24))
        return "OpenCV counts in f32, which holds integers up to 2^24: rows of more pixels are not counted exactly";
    return too_large(shape);
}

template <class P>
Variant opencv_variant(std::string what, WhyNot why_not) {
    return peer_variant(
        "opencv", "OpenCV's " + what + " on the host, for comparison; runs where it is asked for", host::Backend::native,
        std::move(why_not), [] { OpenCv(); },
        [](PlanBuilder&, const Problem& problem, const Policy&) -> std::unique_ptr<Plan> {
            return std::make_unique<P>(problem);
        });
}

}  // namespace

void add_opencv(Algorithm& algorithm) {
    if (algorithm.name == "box_filter") algorithm.variants.push_back(opencv_variant<BoxPlan>("boxFilter", why_no_box));
    if (algorithm.name == "equalize")
        algorithm.variants.push_back(opencv_variant<EqualizePlan>("equalizeHist", why_not_equalize));
    if (algorithm.name == "histogram") algorithm.variants.push_back(opencv_variant<HistogramPlan>("calcHist", why_no_histogram));
}

}  // namespace parallax::engine::peers
