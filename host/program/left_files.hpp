// The user may have named a folder for the program cache that holds other things: what in it is ours, by its whole name.
#pragma once

#include <string_view>

namespace parallax::host {

/// What a process that died may leave in the cache's folder.
enum class Left { nothing, temporary, lock };
Left left_by_name(std::string_view) noexcept;

}  // namespace parallax::host
