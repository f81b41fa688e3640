// What only the finished work tells about itself: that a focus lies at the end of its range, that a carrier is in doubt.
#pragma once

#include "core/plan.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parallax::engine {

/// When everything is done, `judge` gets a few values of the device; each line that it returns is a warning to the user, and it
/// may throw to refuse the result. `what` it is about tells several judges of one execution apart.
void judge(Execution&, const std::string& what, const host::Buffer&, std::size_t bytes,
           std::function<std::vector<std::string>(std::span<const std::byte>)> judge);
/// The same from values of the host's.
void judge(Execution&, const std::string& what, std::function<std::vector<std::string>()> judge);

/// Takes out of the records of a finished execution what its judges had to say.
std::vector<std::string> take_warnings(Json& records);
/// The same with what was observed (core/observation.hpp), and by the keys that the user wrote.
std::vector<std::string> take_words(Json& records, const Parameters&);

}  // namespace parallax::engine
