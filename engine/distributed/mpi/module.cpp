// MPI behind C functions. Built into a library of its own.
#include "distributed/mpi/module.h"

#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

namespace {

MPI_Comm all = MPI_COMM_NULL;   ///< ours alone: messages of a host application, which may use MPI itself, do not get in
bool ours = false;              ///< MPI was begun here, and ends here

int fail(int code, char* problem, size_t bytes) {
    if (code == MPI_SUCCESS || bytes == 0) return code;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::strncpy(problem, text, bytes - 1);
    problem[bytes - 1] = '\0';
    return code;
}

/// Counts of MPI are ints: long messages go in pieces, which a tag each keeps apart.
template <class Start>
int in_pieces(uint64_t bytes, std::vector<MPI_Request>& requests, const Start& start) {
    constexpr uint64_t most = uint64_t{1} << 30;
    int tag = 0;
    for (uint64_t at = 0; at < bytes; at += most, ++tag) {
        requests.push_back(MPI_REQUEST_NULL);
        const int code = start(at, static_cast<int>(std::min(most, bytes - at)), tag, &requests.back());
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

/// MPI_Waitall with an end: for a rank that hangs, MPI itself would wait for ever. Spins as MPI_Waitall does.
int wait(std::vector<MPI_Request>& requests, double seconds) {
    const int count = static_cast<int>(requests.size());
    if (seconds <= 0) return MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    constexpr int between_looks = 256;   // at the clock
    const double start = MPI_Wtime();
    for (int tries = 0;; ++tries) {
        int done = 0;
        const int code = MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS || done != 0) return code;
        if (tries % between_looks != 0) continue;
        std::this_thread::yield();
        if (MPI_Wtime() - start > seconds) break;
    }
    for (MPI_Request& request : requests) {   // those that are done become MPI_REQUEST_NULL, which tells the others
        int done = 0;
        if (request != MPI_REQUEST_NULL) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    return PLX_MPI_LATE;
}

}  // namespace

int plx_mpi_abi(void) { return PLX_MPI_ABI; }

int plx_mpi_begin(char* problem, size_t bytes) {
    int there = 0, over = 0;
    MPI_Initialized(&there);
    MPI_Finalized(&over);
    if (over != 0) {
        std::strncpy(problem, "it has ended in this process: MPI begins once, so begin it yourself to run several jobs", bytes);
        return MPI_ERR_OTHER;
    }
    ours = there == 0;
    int level = MPI_THREAD_SINGLE;
    int code = ours ? MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level) : MPI_SUCCESS;
    if (code == MPI_SUCCESS) code = MPI_Comm_dup(MPI_COMM_WORLD, &all);
    if (code != MPI_SUCCESS) return fail(code, problem, bytes);
    return fail(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN), problem, bytes);
}

int plx_mpi_rank(void) {
    int rank = 0;
    MPI_Comm_rank(all, &rank);
    return rank;
}

int plx_mpi_size(void) {
    int size = 1;
    MPI_Comm_size(all, &size);
    return size;
}

int plx_mpi_local_rank(void) {
    MPI_Comm machine = MPI_COMM_NULL;
    int rank = 0;
    if (MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) != MPI_SUCCESS) return 0;
    MPI_Comm_rank(machine, &rank);
    MPI_Comm_free(&machine);
    return rank;
}

int plx_mpi_exchange(const plx_mpi_message* messages, int count, double seconds, int* late, char* problem, size_t bytes) {
    std::vector<MPI_Request> requests;
    std::vector<int> whose;
    for (const plx_mpi_message* m = messages; m != messages + count; ++m) {
        int code = in_pieces(m->in_bytes, requests, [&](uint64_t at, int n, int tag, MPI_Request* request) {
            return MPI_Irecv(static_cast<char*>(m->in) + at, n, MPI_BYTE, m->rank, tag, all, request);
        });
        if (code != MPI_SUCCESS) return fail(code, problem, bytes);
        code = in_pieces(m->out_bytes, requests, [&](uint64_t at, int n, int tag, MPI_Request* request) {
            return MPI_Isend(static_cast<const char*>(m->out) + at, n, MPI_BYTE, m->rank, tag, all, request);
        });
        if (code != MPI_SUCCESS) return fail(code, problem, bytes);
        whose.resize(requests.size(), m->rank);
    }
    const int code = wait(requests, seconds);
    if (code != PLX_MPI_LATE) return fail(code, problem, bytes);
    const auto open = std::find_if(requests.begin(), requests.end(), [](MPI_Request r) { return r != MPI_REQUEST_NULL; });
    if (open == requests.end()) return MPI_SUCCESS;   // at the last moment
    *late = whose[static_cast<std::size_t>(open - requests.begin())];
    return PLX_MPI_LATE;
}

void plx_mpi_end(void) {
    MPI_Comm_free(&all);
    if (ours) MPI_Finalize();
}

void plx_mpi_abort(int status) { MPI_Abort(all, status); }
