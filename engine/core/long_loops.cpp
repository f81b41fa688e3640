#include "core/long_loops.hpp"

#include <fmt/format.h>

#include <limits>

#include "parallax/host/context.hpp"
#include "parallax/host/error.hpp"

namespace parallax::engine {
namespace {

constexpr std::int64_t cut_rounds = 65535;

}  // namespace

std::int64_t most_rounds(host::Context& context) {
    return context.capabilities().cuts_loops ? cut_rounds : std::numeric_limits<std::int64_t>::max();
}

std::string too_many_rounds(host::Context& context, std::int64_t rounds) {
    if (rounds <= cut_rounds || rounds <= most_rounds(context)) return {};   // no device is asked about short ones
    return fmt::format("a work-item's loops take up to {} rounds, and this driver ends them after {}", rounds, cut_rounds);
}

void require_rounds(host::Context& context, std::int64_t rounds) {
    const std::string reason = too_many_rounds(context, rounds);
    if (!reason.empty()) throw UnsupportedError("loops are too long for " + context.info().name, {reason});
}

}  // namespace parallax::engine
