/* What the engine asks of the FFTW module, a library of its own that is opened at run time. FFTW is GPL: the module is for tests
   and benchmarks, and is never installed. Plain C. */
#ifndef PARALLAX_FFTW_MODULE_H
#define PARALLAX_FFTW_MODULE_H

#include "support/module_export.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLX_FFTW_ABI = 1 };
enum plx_fftw_kind { PLX_FFTW_C2C, PLX_FFTW_R2C, PLX_FFTW_C2R };

/* Dense arrays [batch][height][width], height 1: rows only. width is that of the real rows. */
typedef struct {
    int kind, inverse, threads;
    int64_t width, height, batch;
} plx_fftw_spec;

typedef struct plx_fftw_plan plx_fftw_plan;

PLX_MODULE_EXPORT int plx_fftw_abi(void);
/* FFTW_MEASURE: takes a while. Null where FFTW cannot, or the memory for trying is not there. */
PLX_MODULE_EXPORT plx_fftw_plan* plx_fftw_make(const plx_fftw_spec*);
PLX_MODULE_EXPORT void plx_fftw_free(plx_fftw_plan*);
/* Without the inverse's 1/N. `in` is left as it is; both arrays are aligned to 16 bytes. c2c: they may be one. */
PLX_MODULE_EXPORT void plx_fftw_run(plx_fftw_plan*, const void* in, void* out);

#ifdef __cplusplus
}
#endif
#endif
