/* What the engine asks of the MPI module, a library of its own that is opened where mpirun started the program, so that one
   program runs with and without MPI. Plain C. */
#ifndef PARALLAX_MPI_MODULE_H
#define PARALLAX_MPI_MODULE_H

#include "support/module_export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLX_MPI_ABI = 2 };

/* To and from one rank; 0 bytes: nothing. */
typedef struct {
    int rank;
    const void* out;
    uint64_t out_bytes;
    void* in;
    uint64_t in_bytes;
} plx_mpi_message;

PLX_MODULE_EXPORT int plx_mpi_abi(void);
/* Functions that can fail return 0, or something else with MPI's words in `problem`. */
PLX_MODULE_EXPORT int plx_mpi_begin(char* problem, size_t bytes);
PLX_MODULE_EXPORT int plx_mpi_rank(void);
PLX_MODULE_EXPORT int plx_mpi_size(void);
/* Among the ranks of this machine. */
PLX_MODULE_EXPORT int plx_mpi_local_rank(void);
/* Waits for `seconds` at most, 0 for any time; then returns PLX_MPI_LATE, with a rank that has not answered in *late. */
enum { PLX_MPI_LATE = -1 };
PLX_MODULE_EXPORT int plx_mpi_exchange(const plx_mpi_message*, int count, double seconds, int* late, char* problem, size_t bytes);
PLX_MODULE_EXPORT void plx_mpi_end(void);
/* Ends every rank; does not return. */
PLX_MODULE_EXPORT void plx_mpi_abort(int status);

#ifdef __cplusplus
}
#endif
#endif
