// `image`: the source paper's variant in image memory.
#include "algorithms/diffusion_lb/device.hpp"
#include "algorithms/diffusion_lb/texture.hpp"
#include "algorithms/diffusion_lb/variants.hpp"
#include "core/integers.hpp"
#include "core/make_variant.hpp"

#include <memory>

namespace parallax::engine::diffusion_lb {
namespace {


/// One plane at a time: images are two-dimensional.
class ImagePlan final : public Plan {
public:
    ImagePlan(PlanBuilder& builder, const Problem& problem, const Policy& policy)
        : parameters_(problem.parameters.as<LbParameters>()),
          layout_(one_at_a_time(planes_of(problem.inputs.at("image")))),
          conversion_(builder, layout_),
          wants_iterations_(problem.wants("iterations")),
          local_{size(policy.at("work_group_size_x")), size(policy.at("work_group_size_y")), 1} {
        const std::int64_t width = layout_.planes.width, height = layout_.planes.height;
        groups_ = {size(divided_up(width, policy.at("work_group_size_x"))),
                   size(divided_up(height, policy.at("work_group_size_y"))), 1};
        host::Defines d;
        d.add("LATTICE", populations(parameters_.lattice)).add("EDGE", static_cast<std::int64_t>(parameters_.edge_function));
        const host::ProgramSpec spec{"diffusion_lb/image.cl", d};
        start_ = builder.kernel(spec, "image_start", local_.x * local_.y);
        smooth_ = builder.kernel(spec, "image_smooth", local_.x * local_.y);
        edges_ = builder.kernel(spec, "image_edges", local_.x * local_.y);
        collide_ = builder.kernel(spec, "image_collide", local_.x * local_.y);
        pass_ = builder.kernel(spec, "image_stream", local_.x * local_.y);
        take_ = builder.kernel(spec, "image_take", local_.x * local_.y);
        const std::vector<double> weights = gaussian(parameters_.sigma);
        gaussian_ = builder.constant(std::vector<float>(weights.begin(), weights.end()));
        plane_ = builder.scratch(layout_.batch_floats() * sizeof(float));
        const bool oblique = parameters_.lattice == Lattice::d2q9;
        for (int i = 0; i < 2; ++i) {
            rests_[i] = Texture(builder.context(), width, height, true);
            axes_[i] = Texture(builder.context(), width, height, true);
            diagonals_[i] = Texture(builder.context(), oblique ? width : 1, oblique ? height : 1, true);
            smoothed_[i] = Texture(builder.context(), width, height, false);
        }
        keep_ = Texture(builder.context(), width, height, false);
    }

    void enqueue(Execution& x, const Bindings& arrays) override {
        const host::Buffer& plane = x.buffer(plane_);
        const std::int32_t width = layout_.width(), height = layout_.height(), pitch = layout_.pitch32();
        for (std::int64_t first = 0; first < layout_.planes.count(); ++first) {
            conversion_.begin(x, arrays.input("image"), plane, first, 1);
            launch(x, "start", *start_, {plane, rests_[0], axes_[0], diagonals_[0], width, height, pitch});
            for (int n = 0; n < parameters_.iterations; ++n) {
                if (n % parameters_.update_edges_every == 0) find_edges(x);
                launch(x, "collide", *collide_,
                       {rests_[0], axes_[0], diagonals_[0], keep_, rests_[1], axes_[1], diagonals_[1], width, height});
                launch(x, "stream", *pass_,
                       {rests_[1], axes_[1], diagonals_[1], rests_[0], axes_[0], diagonals_[0], width, height});
            }
            launch(x, "take", *take_, {rests_[0], plane, width, height, pitch});
            if (arrays.has_output("image")) conversion_.end(x, plane, plane, arrays.output("image"), first, 1, 0);
        }
        if (wants_iterations_) conversion_.record(x, parameters_.iterations);
    }

private:
    static Layout one_at_a_time(const Planes& planes) {
        Layout layout(planes);
        layout.batch = 1;
        return layout;
    }

    void launch(Execution& x, std::string_view stage, host::Kernel& kernel, std::initializer_list<TextureArg> args) {
        launch_with_textures(x, stage, kernel, groups_, local_, args);
    }

    void find_edges(Execution& x) {
        const std::int32_t width = layout_.width(), height = layout_.height(),
                           radius = static_cast<std::int32_t>(radius_of(parameters_)), yes = 1, no = 0;
        const float b = coupling_of(parameters_), k2 = inverse_k2(parameters_);
        launch(x, "smooth rows", *smooth_, {rests_[0], smoothed_[0], gaussian_, radius, yes, no, width, height});
        launch(x, "smooth columns", *smooth_, {smoothed_[0], smoothed_[1], gaussian_, radius, no, yes, width, height});
        launch(x, "edges", *edges_, {smoothed_[1], keep_, b, k2, width, height});
    }

    LbParameters parameters_;
    Layout layout_;
    Conversion conversion_;
    bool wants_iterations_;
    host::NDRange local_, groups_;
    std::unique_ptr<host::Kernel> start_, smooth_, edges_, collide_, pass_, take_;
    host::Buffer gaussian_;
    Scratch plane_;
    Texture rests_[2], axes_[2], diagonals_[2], smoothed_[2], keep_;
};

}  // namespace

Variant image_variant() {
    return make_variant<ImagePlan>({
        .name = "image",
        .summary = "the source paper's: populations packed in images, read through the texture units, several kernels a step",
        .role = Role::baseline,
        .backends = {host::Backend::opencl},
        .policy = {{"work_group_size_x", 32, {8, 16, 32, 64, 128}, "columns of a work-group"},
                   {"work_group_size_y", 4, {1, 2, 4, 8}, "rows of a work-group"}},
        .supports =
            [](const Problem& problem, host::Context& context) {
                if (problem.parameters.as<LbParameters>().stop_below > 0)
                    return Support::no("does not stop early: leave out stop_below");
                const Planes planes = planes_of(problem.inputs.at("image"));
                return Support{textures_why_not(context, planes.width, planes.height)};
            },
    });
}

}  // namespace parallax::engine::diffusion_lb
