// What would make the slowest part of a series faster, in words for its summary: nothing that is so already.
#pragma once

#include <string>
#include <vector>

namespace parallax::engine::series {

/// `unpacks`: the files that are read are packed. `in_memory`: they lie there, not on a disk.
std::string remedies_of_reading(bool unpacks, bool in_memory);
/// `without_packing`: what would spare the packing; none where nothing is packed. `synced`: each file is waited for until the disk
/// has it.
std::string remedies_of_writing(const std::vector<std::string>& without_packing, bool in_memory, bool synced);

}   // namespace parallax::engine::series
