#include "support/warnings.hpp"

#include <mutex>
#include <set>
#include <utility>

namespace parallax::host {
namespace {

// To the end: objects of the host's may have something to tell after main().
std::mutex mutex;
auto& known = *new std::set<std::string>;
auto& untold = *new std::vector<std::string>;
auto& listener = *new std::function<void(const std::string&)>;

}  // namespace

void warn_once(const std::string& text) {
    const std::lock_guard lock(mutex);
    if (!known.insert(text).second) return;
    if (listener) listener(text);
    else untold.push_back(text);
}

void on_warning(std::function<void(const std::string&)> told) {
    const std::lock_guard lock(mutex);
    listener = std::move(told);
    if (!listener) return;
    for (const std::string& text : std::exchange(untold, {})) listener(text);
}

std::vector<std::string> take_warnings() {
    const std::lock_guard lock(mutex);
    return std::exchange(untold, {});
}

}  // namespace parallax::host
