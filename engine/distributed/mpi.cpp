#include "distributed/mpi.hpp"

#include "distributed/deadline.hpp"
#include "distributed/mpi/module.h"
#include "parallax/host/error.hpp"
#include "support/module.hpp"
#include "support/platform.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace parallax::engine::distributed {
namespace {

std::optional<int> number(const char* variable) {
    const std::optional<std::string> text = host::platform::environment(variable);
    int value = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc()) return std::nullopt;
    return value;
}

/// The module's functions.
struct Mpi {
    Mpi() {
        const host::Module module("mpi", PLX_MPI_ABI, "where MPI is found (libopenmpi-dev), unless PARALLAX_MPI is OFF");
        module.find(begin, "plx_mpi_begin");
        module.find(rank, "plx_mpi_rank");
        module.find(size, "plx_mpi_size");
        module.find(local_rank, "plx_mpi_local_rank");
        module.find(exchange, "plx_mpi_exchange");
        module.find(end, "plx_mpi_end");
        module.find(abort, "plx_mpi_abort");
    }

    decltype(plx_mpi_begin)* begin = nullptr;
    decltype(plx_mpi_rank)* rank = nullptr;
    decltype(plx_mpi_size)* size = nullptr;
    decltype(plx_mpi_local_rank)* local_rank = nullptr;
    decltype(plx_mpi_exchange)* exchange = nullptr;
    decltype(plx_mpi_end)* end = nullptr;
    decltype(plx_mpi_abort)* abort = nullptr;
};

/// What can be done about a call of MPI that does not return: this process ends, and then the launcher ends the others.
void end_process(int rank, const char* what, double seconds) {
    std::fputs(fmt::format("rank {}: error: MPI has not {} for {} s: a rank hangs, or its machine or network does\n", rank, what,
                           seconds)
                   .c_str(),
               stderr);
    std::fflush(stderr);   // others may be locked by who waits for a pipe
    std::_Exit(1);
}

class MpiRank final : public Communicator {
public:
    MpiRank() {
        const Deadline deadline(limit_, [limit = limit_] { end_process(launched().rank, "begun", limit); });
        check([&](char* problem, std::size_t bytes) { return mpi_.begin(problem, bytes); }, "begin");
        rank_ = mpi_.rank();
        size_ = mpi_.size();
        local_rank_ = mpi_.local_rank();
    }
    ~MpiRank() override {
        const Deadline deadline(limit_, [this] { end_process(rank_, "ended", limit_); });
        mpi_.end();
    }
    MpiRank(const MpiRank&) = delete;
    MpiRank& operator=(const MpiRank&) = delete;

    int rank() const noexcept override { return rank_; }
    int size() const noexcept override { return size_; }
    int local_rank() const noexcept override { return local_rank_; }

    void exchange(std::span<const Message> messages) override {
        std::vector<plx_mpi_message> all;
        for (const Message& m : messages) all.push_back({m.rank, m.out.data(), m.out.size(), m.in.data(), m.in.size()});
        int late = -1;
        const auto exchange = [&](char* problem, std::size_t bytes) {
            const int code = mpi_.exchange(all.data(), static_cast<int>(all.size()), limit_, &late, problem, bytes);
            return code == PLX_MPI_LATE ? 0 : code;
        };
        check(exchange, "exchange");
        if (late >= 0) throw_late(late, limit_);
    }

    void set_limit(double seconds) noexcept override { limit_ = seconds; }

    void give_up(int status) noexcept override { mpi_.abort(status); }

private:
    template <class Call>
    static void check(const Call& call, const char* what) {
        std::array<char, 1024> problem{};
        if (call(problem.data(), problem.size()) != 0) throw Error(fmt::format("MPI cannot {}: {}", what, problem.data()));
    }

    Mpi mpi_;
    int rank_ = 0, size_ = 1, local_rank_ = 0;
    double limit_ = longest_wait_s;
};

}  // namespace

Launched launched() {
    if (const auto size = number("OMPI_COMM_WORLD_SIZE")) return {*size, number("OMPI_COMM_WORLD_RANK").value_or(0)};
    if (const auto size = number("PMI_SIZE")) return {*size, number("PMI_RANK").value_or(0)};
    const auto rank = number("PMIX_RANK"), size = number("SLURM_NTASKS");   // PMIx itself tells no size
    if (rank && size) return {*size, *rank};
    return {};
}

std::unique_ptr<Communicator> join_mpi() { return std::make_unique<MpiRank>(); }

}  // namespace parallax::engine::distributed
