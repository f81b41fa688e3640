/* What the engine asks of the CUB module, which nvcc builds into a library of its own: one call for everything, so that the
   interface stays as it is when an operation is added. Plain C: the module is opened at run time. */
#ifndef PARALLAX_CUB_MODULE_H
#define PARALLAX_CUB_MODULE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLX_CUB_ABI = 1 };
enum plx_cub_what { PLX_CUB_REDUCE, PLX_CUB_SCAN, PLX_CUB_HISTOGRAM, PLX_CUB_SORT };
enum plx_cub_type { PLX_CUB_U8, PLX_CUB_U16, PLX_CUB_U32, PLX_CUB_I32, PLX_CUB_U64, PLX_CUB_F32 };
enum plx_cub_op { PLX_CUB_SUM, PLX_CUB_MIN, PLX_CUB_MAX };

typedef struct {
    int what, type, op;
    int exclusive;                    /* scan */
    int bins;                         /* histogram of u8 or u16 over the type's whole range */
    int begin_bit, end_bit, descending;   /* sort */
    uint64_t count;                   /* elements */
    const void* in;                   /* device pointers */
    void* out;                        /* reduce: one value, 64 bits for sums of integers; histogram: u32 counts */
    const void* values_in;            /* sort: u32, or null */
    void* values_out;
} plx_cub_call;

int plx_cub_abi(void);
/* As CUB: temporary null asks for its size. 0, or a cudaError_t; -1: not offered. `stream` is a CUstream of the current context.
 */
int plx_cub_run(const plx_cub_call*, void* temporary, size_t* temporary_bytes, void* stream);
const char* plx_cub_error(int code);

#ifdef __cplusplus
}
#endif
#endif
