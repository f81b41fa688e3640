// `phantom`: its parameters and what comes out.
#include "algorithms/phantom/phantom.hpp"

namespace parallax::engine {
namespace phantom {

ParameterTable phantom_table() {
    using P = PhantomParameters;
    return TableBuilder<P>()
        .choice("kind", &P::kind,
                {{"menger", Kind::menger},
                 {"cube", Kind::cube},
                 {"carpet", Kind::carpet},
                 {"triangle", Kind::triangle},
                 {"tetrahedron", Kind::tetrahedron},
                 {"cantor", Kind::cantor},
                 {"random", Kind::random},
                 {"vessel_tree", Kind::vessel_tree}},
                "menger, carpet, cantor: by ternary digits, whole at sizes 3^n. triangle, tetrahedron: by binary digits, whole "
                "at 2^n. carpet and "
                "triangle are images.")
        .integer("size", &P::size, {.min = 1, .max = most_voxels_a_side},
                 "Voxels a side. Fractals grow from the first voxel on and are cut here.")
        .number("density", &P::density, {.min = 0, .max = 1}, "random: share of the voxels that are set.")
        .integer("seed", &P::seed, {.min = 0}, "random, vessel_tree: one seed gives one shape, the same on every device.")
        .build();
}

bool is_flat(Kind kind) noexcept { return kind == Kind::carpet || kind == Kind::triangle; }

std::uint64_t density_threshold(const PhantomParameters& p) { return static_cast<std::uint64_t>(p.density * 0x1p53); }

namespace {

ArrayDescs infer(const Problem& problem) {
    const auto& p = problem.parameters.as<PhantomParameters>();
    if (!problem.wants("volume")) return {};
    if (is_flat(p.kind)) return {{"volume", ArrayDesc::dense(ElementType::u8, {{'y', p.size}, {'x', p.size}})}};
    return {{"volume", ArrayDesc::dense(ElementType::u8, {{'z', p.size}, {'y', p.size}, {'x', p.size}})}};
}

}  // namespace
}  // namespace phantom

Algorithm make_phantom() {
    Algorithm a;
    a.name = "phantom";
    a.summary = "Makes fractals and vessel trees whose box counts are known";
    a.parameters = phantom::phantom_table();
    a.outputs = {
        {"volume", "u8 (z, y, x), or (y, x) for carpet and triangle: 255 in the shape, 0 outside", true, PortKind::array}};
    a.infer = phantom::infer;
    a.chunking = [](const Problem&) { return Division::no("it makes one image as a whole"); };
    a.variants = {phantom::device_variant(), phantom::reference_variant()};
    return a;
}

}  // namespace parallax::engine
