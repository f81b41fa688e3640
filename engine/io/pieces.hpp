// Arrays that are written piece by piece: for what one process never has as a whole.
#pragma once

#include "io/io.hpp"

#include <span>

namespace parallax::io {

/// Whether the format of this name can be written so: .npy, .ome.zarr, .zarr.
bool writes_pieces(const std::filesystem::path&);
/// As write(), of a dense array whose bytes come in order: `next` gives some more of them, good until it is called again.
/// Throws IoError, and what `next` throws.
void write_pieces(const std::filesystem::path&, const ArrayDesc&, const std::function<std::span<const std::byte>()>& next,
                  const WriteOptions& = {}, const Metadata& = {});

}  // namespace parallax::io
