#include "core/communicator.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>

namespace parallax::engine::distributed {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const T& values) {
    return std::as_bytes(std::span(values));
}
template <class T>
std::span<std::byte> writable(T& values) {
    return std::as_writable_bytes(std::span(values));
}

void send(Communicator& ranks, int to, const std::string& text) {
    const std::array<std::uint64_t, 1> length{text.size()};
    const Message header{to, bytes_of(length), {}}, body{to, bytes_of(text), {}};
    ranks.exchange({&header, 1});
    if (!text.empty()) ranks.exchange({&body, 1});
}

std::string receive(Communicator& ranks, int from) {
    std::array<std::uint64_t, 1> length{};
    const Message header{from, {}, writable(length)};
    ranks.exchange({&header, 1});
    std::string text(static_cast<std::size_t>(length[0]), '\0');
    const Message body{from, {}, writable(text)};
    if (!text.empty()) ranks.exchange({&body, 1});
    return text;
}

}  // namespace

void throw_late(int rank, double seconds) {
    throw Error(
        fmt::format("rank {} has not answered for {} s: it hangs, or its machine or network does. try again, or give it a "
                    "larger step_timeout_s if it is only slow",
                    rank, seconds));
}

std::string broadcast(Communicator& ranks, const std::string& text) {
    if (ranks.rank() != 0) return receive(ranks, 0);
    for (int to = 1; to < ranks.size(); ++to) send(ranks, to, text);
    return text;
}

std::vector<std::string> gather(Communicator& ranks, const std::string& text) {
    if (ranks.rank() != 0) {
        send(ranks, 0, text);
        return {};
    }
    std::vector<std::string> all{text};
    for (int from = 1; from < ranks.size(); ++from) all.push_back(receive(ranks, from));
    return all;
}

void barrier(Communicator& ranks) {
    gather(ranks, {});
    broadcast(ranks, {});
}

std::vector<std::string> gather_everywhere(Communicator& ranks, const std::string& text) {
    return Json::parse(broadcast(ranks, Json(gather(ranks, text)).dump(-1, ' ', false, Json::error_handler_t::replace)))
        .get<std::vector<std::string>>();
}

void all_or_none(Communicator& ranks, const std::function<void()>& work) {
    std::exception_ptr problem;
    try {
        work();
    } catch (...) {
        problem = std::current_exception();
    }
    const std::vector<std::string> failed = gather_everywhere(ranks, problem ? "failed" : "");
    const auto first = std::find(failed.begin(), failed.end(), "failed");
    if (first == failed.end()) return;
    if (first - failed.begin() == ranks.rank()) std::rethrow_exception(problem);
    barrier(ranks);   // to which the first one does not come
}

}  // namespace parallax::engine::distributed
