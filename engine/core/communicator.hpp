// Ranks that work on one thing together, and how they speak: threads of one process (threads.hpp), or processes that mpirun
// started on one machine or many (mpi.hpp).
#pragma once

#include "parallax/host/json.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace parallax::engine::distributed {

/// What goes to a rank and what is to come from it; either may be empty. Both sides know how long.
struct Message {
    int rank = 0;
    std::span<const std::byte> out;
    std::span<std::byte> in;
};

/// One rank's end. Belongs to one thread at a time.
class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const noexcept = 0;
    virtual int size() const noexcept = 0;
    /// Its number among the ranks of this machine.
    virtual int local_rank() const noexcept = 0;

    /// Sends and receives with several ranks at once, at most one message each; returns when everything has come and may be
    /// overwritten. Throws Error once a rank has given up, or where one has kept this one waiting for longer than the limit.
    virtual void exchange(std::span<const Message>) = 0;
    /// Seconds that an exchange may wait, 0 for any time; 3600 until it is said.
    virtual void set_limit(double seconds) noexcept = 0;
    /// This rank gives up, with the exit status that is meant for the program: every other rank that waits, or will, is
    /// ended too. Ranks that are threads throw; processes end.
    virtual void give_up(int status) noexcept = 0;
};

constexpr double longest_wait_s = 3600;
/// Throws what an exchange throws when it has waited that long.
[[noreturn]] void throw_late(int rank, double seconds);

// What every rank calls alike.

/// Rank 0's text, everywhere.
std::string broadcast(Communicator&, const std::string& text);
/// Every rank's text on rank 0, in order; empty elsewhere.
std::vector<std::string> gather(Communicator&, const std::string& text);
/// Returns when every rank has come here.
void barrier(Communicator&);
/// Every rank's text, everywhere: what each has to say before they begin.
std::vector<std::string> gather_everywhere(Communicator&, const std::string& text);
/// Runs `work`, which does not speak to other ranks, on every rank. Where it throws on some, the first of them throws that, so
/// that it is told once; the others wait until that one gives up.
void all_or_none(Communicator&, const std::function<void()>& work);

}  // namespace parallax::engine::distributed
