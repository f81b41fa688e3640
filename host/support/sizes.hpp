// Amounts of memory as people write them.
#pragma once

#include <optional>
#include <string_view>

namespace parallax::host {

/// "8 GB", "1.5MiB", with spaces around and between: bytes. Nothing for other texts.
std::optional<double> bytes_from(std::string_view);

}  // namespace parallax::host
