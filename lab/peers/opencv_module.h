/* What the engine asks of the OpenCV module, a library of its own that is opened at run time. Plain C. Images are dense, channels
   last; each function returns null, or what OpenCV says is wrong, to be read before the thread's next call. */
#ifndef PARALLAX_OPENCV_MODULE_H
#define PARALLAX_OPENCV_MODULE_H

#include "support/module_export.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PLX_OPENCV_ABI = 1 };
enum plx_opencv_type { PLX_OPENCV_U8, PLX_OPENCV_U16, PLX_OPENCV_F32 };
enum plx_opencv_border { PLX_OPENCV_REFLECT_101, PLX_OPENCV_REFLECT, PLX_OPENCV_REPLICATE, PLX_OPENCV_ZERO };

typedef struct {
    int type, channels, width, height;
    const void* pixels;
} plx_opencv_image;

PLX_MODULE_EXPORT int plx_opencv_abi(void);
/* boxFilter, normalised; `out` is of the image's shape and type. */
PLX_MODULE_EXPORT const char* plx_opencv_box(const plx_opencv_image*, int window_x, int window_y, int border, void* out);
/* equalizeHist of one channel of u8. */
PLX_MODULE_EXPORT const char* plx_opencv_equalize(const plx_opencv_image*, void* out);
/* calcHist of u8 or u16 over the type's whole range, which `bins` divides; `counts` is [channels][bins]. `mask`: u8, or null. */
PLX_MODULE_EXPORT const char* plx_opencv_histogram(const plx_opencv_image*, const uint8_t* mask, int bins, uint32_t* counts);

#ifdef __cplusplus
}
#endif
#endif
