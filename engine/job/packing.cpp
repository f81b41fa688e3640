#include "job/packing.hpp"

#include "io/window.hpp"
#include "job/paths.hpp"
#include "support/text.hpp"

namespace parallax::engine {

std::vector<std::string> without_packing(const std::vector<OutputSpec>& outputs) {
    bool picture = false, gzip = false, png_level = false, key = false;
    for (const OutputSpec& output : outputs) {
        if (output.of_series()) continue;
        const std::string name = host::lower(output.file);
        const bool png = name.ends_with(".png");
        picture = picture || (io::is_picture(path_from(name)) && (!png || output.write.compression.value_or(1) > 0));
        gzip = gzip || name.ends_with(".gz");
        // A PNG's 0 is no faster than its 1: of noise more bytes are copied than are spared (docs/results/series.md).
        if (png) png_level = png_level || output.write.compression.value_or(1) > 1;
        else key = key || output.write.compression.value_or(0) > 0;
    }
    std::vector<std::string> ways;
    if (picture) ways.emplace_back("TIFF or NPY");
    if (gzip) ways.emplace_back(".nii for .nii.gz");
    if (png_level) ways.emplace_back("\"compression\": 1 for PNG");
    if (key) ways.emplace_back("\"compression\": 0");
    return ways;
}

}   // namespace parallax::engine
