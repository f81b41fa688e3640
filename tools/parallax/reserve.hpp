// Memory kept for when there is none left.
#pragma once

namespace parallax::cli {

/// From here on `new` falls back on a megabyte when the system gives no more. Some destructors need memory, nlohmann's of JSON
/// among them, and end the process where they get none: half of the megabyte is theirs, for while an error is on its way.
void keep_reserve();

}   // namespace parallax::cli
