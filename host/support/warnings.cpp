#include "support/warnings.hpp"

#include <mutex>
#include <set>
#include <utility>

namespace parallax::host {
namespace {

std::mutex mutex;
std::set<std::string> known;
std::vector<std::string> untold;
std::function<void(const std::string&)> listener;

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
