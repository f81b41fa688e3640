/* What the engine asks of the oneTBB module, a library of its own that is opened at run time: one call for everything, so
   that the interface stays as it is when an operation is added. Plain C. */
#ifndef PARALLAX_TBB_MODULE_H
#define PARALLAX_TBB_MODULE_H

#include "support/module_export.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLX_TBB_ABI = 1 };
enum plx_tbb_what { PLX_TBB_REDUCE, PLX_TBB_SCAN, PLX_TBB_SORT };
enum plx_tbb_type { PLX_TBB_U8, PLX_TBB_U16, PLX_TBB_U32, PLX_TBB_I32, PLX_TBB_U64, PLX_TBB_F32 };
enum plx_tbb_op { PLX_TBB_SUM, PLX_TBB_MIN, PLX_TBB_MAX };

typedef struct {
    int what, type, op;
    int exclusive;      /* scan */
    int descending;     /* sort */
    uint64_t count;     /* elements */
    const void* in;
    void* out;          /* reduce: one uint64_t, int64_t or, of reals, double */
} plx_tbb_call;

PLX_MODULE_EXPORT int plx_tbb_abi(void);
/* 0, or -1 where the module has no instance for the type. */
PLX_MODULE_EXPORT int plx_tbb_run(const plx_tbb_call*);

#ifdef __cplusplus
}
#endif
#endif
