// The pixels of a GIF's frame, unpacked from its blocks. giflib takes codes for which nothing stands, and does not look behind
// the last pixel: a damaged frame would come out as another picture.
#pragma once

#include <gif_lib.h>

#include <cstddef>
#include <string>
#include <vector>

namespace parallax::io::readers {

/// Of the frame that `gif` has just described, as indices into its colours, row by row as they are stored. Throws Problem.
std::vector<unsigned char> pixels_of_frame(GifFileType* gif, std::size_t count);

/// giflib's words for an error; `otherwise` where it has none, as for 0: it does not always say what went wrong.
std::string words_of_gif(int error, const char* otherwise = "giflib says no more");

/// What giflib has to say. Throws Problem.
[[noreturn]] void damaged_gif(const GifFileType* gif);

}   // namespace parallax::io::readers
