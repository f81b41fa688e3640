// The pixels of a GIF's frame, unpacked from its blocks. giflib takes codes for which nothing stands, and does not look behind
// the last pixel: a damaged frame would come out as another picture.
#pragma once

#include <gif_lib.h>

#include <cstddef>
#include <vector>

namespace parallax::io::readers {

/// Of the frame that `gif` has just described, as indices into its colours, row by row as they are stored. Throws Problem.
std::vector<unsigned char> pixels_of_frame(GifFileType* gif, std::size_t count);

/// What giflib has to say. Throws Problem.
[[noreturn]] void damaged_gif(const GifFileType* gif);

}   // namespace parallax::io::readers
