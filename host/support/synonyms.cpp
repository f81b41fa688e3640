#include "support/synonyms.hpp"

#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace parallax {

namespace {

struct Synonym {
    std::string_view theirs, ours;
};

/// One word of theirs may mean several of ours: the first that is among the candidates counts.
constexpr std::array synonyms = std::to_array<Synonym>({
    // Element types, as NumPy, MATLAB and C have them.
    {"uint8", "u8"},
    {"byte", "u8"},
    {"uchar", "u8"},
    {"int8", "i8"},
    {"uint16", "u16"},
    {"ushort", "u16"},
    {"int16", "i16"},
    {"short", "i16"},
    {"uint32", "u32"},
    {"uint", "u32"},
    {"int32", "i32"},
    {"int", "i32"},
    {"uint64", "u64"},
    {"int64", "i64"},
    {"long", "i64"},
    {"float", "f32"},
    {"float32", "f32"},
    {"single", "f32"},
    {"double", "f64"},
    {"float64", "f64"},
    {"complex", "c64"},
    {"complex64", "c64"},
    {"complex128", "c128"},
    {"boolean", "bool"},
    {"logical", "bool"},
    // Algorithms.
    {"blur", "box_filter"},
    {"boxfilter", "box_filter"},
    {"mean_filter", "box_filter"},
    {"uniform_filter", "box_filter"},
    {"smooth", "box_filter"},
    {"average", "box_filter"},
    {"denoise", "diffusion_lb"},
    {"anisotropic_diffusion", "diffusion_lb"},
    {"perona_malik", "diffusion_lb"},
    {"diffusion", "diffusion_lb"},
    {"fourier", "fft"},
    {"dft", "fft"},
    {"fractal_dimension", "box_count"},
    {"boxcount", "box_count"},
    {"box_counting", "box_count"},
    {"otsu", "threshold"},
    {"binarize", "threshold"},
    {"segment", "threshold"},
    {"cast", "convert"},
    {"astype", "convert"},
    {"rescale", "convert"},
    {"normalize", "convert"},
    {"normalise", "convert"},
    {"reconstruct", "hologram"},
    {"propagate", "hologram"},
    {"cumsum", "scan"},
    {"prefix_sum", "scan"},
    {"sum", "reduce"},
    {"psnr", "metrics"},
    {"ssim", "metrics"},
    {"hist", "histogram"},
    {"histeq", "equalize"},
    {"slice", "select"},
    {"roi", "crop"},
    {"math", "arithmetic"},
    {"add", "arithmetic"},
    {"subtract", "arithmetic"},
    // Words of parameters.
    {"+", "add"},
    {"plus", "add"},
    {"-", "subtract"},
    {"minus", "subtract"},
    {"sub", "subtract"},
    {"*", "multiply"},
    {"times", "multiply"},
    {"mul", "multiply"},
    {"/", "divide"},
    {"div", "divide"},
    {"asm", "angular_spectrum"},
    {"as", "angular_spectrum"},
    {"rs", "rayleigh_sommerfeld"},
    {"mirror", "reflect"},
    {"symmetric", "reflect"},
    {"nearest", "replicate"},
    {"edge", "replicate"},
    {"zero", "constant"},
    {"avg", "mean"},
    {"average", "mean"},
    {"asc", "ascending"},
    {"desc", "descending"},
    {"skip", "continue"},
    {"ignore", "continue"},
    {"abort", "stop"},
    {"zero", "mask"},
    {"error", "reject"},
    // Keys.
    {"path", "file"},
    {"filename", "file"},
    {"src", "file"},
    {"glob", "files"},
    {"input", "in"},
    {"inputs", "in"},
    {"output", "out"},
    {"outputs", "out"},
    {"algorithm", "run"},
    {"name", "id"},
    {"method", "variant"},
    {"lambda", "wavelength"},
    {"wl", "wavelength"},
    {"z", "distance"},
    {"depth", "distance"},
    {"dx", "pixel"},
    {"pitch", "pixel"},
    {"pixel", "spacing"},
    {"voxel", "spacing"},
    {"n", "refractive_index"},
    {"window_size", "size"},
    {"kernel", "size"},
    {"ksize", "size"},
    {"kernel_size", "size"},
    {"r", "radius"},
    {"border_mode", "border"},
    {"mode", "border"},
    {"steps", "iterations"},
    {"n_iter", "iterations"},
    {"niter", "iterations"},
    {"dtype", "type"},
    {"to", "type"},
    {"index", "page"},
    {"slice", "page"},
    {"frame", "page"},
    {"percentile", "window_percentile"},
    {"range", "window"},
    {"k", "threshold"},
    {"kappa", "threshold"},
    {"dt", "step"},
    {"lambda", "step"},
    {"fps", "frames_a_second"},
    {"framerate", "frames_a_second"},
    {"cmap", "colour_map"},
    {"frames", "pages"},
    {"pipeline", "steps"},
    {"stages", "steps"},
    {"max_memory", "memory_limit"},
    {"timeout", "step_timeout_s"},
});

}  // namespace

std::string synonym(const std::string& word, const std::vector<std::string>& candidates) {
    if (word.size() > 40) return {};
    const std::string small = host::lower(word);
    std::string_view base = small, unit;
    for (const std::string_view ending : {"_nm", "_um", "_mm", "_cm", "_m"}) {
        if (!base.ends_with(ending)) continue;
        base.remove_suffix(ending.size());
        unit = ending;
        break;
    }
    for (const Synonym& synonym : synonyms) {
        if (synonym.theirs != base) continue;
        const std::string ours = std::string(synonym.ours) + std::string(unit);
        if (std::find(candidates.begin(), candidates.end(), ours) != candidates.end()) return ours;
    }
    return {};
}

}  // namespace parallax
