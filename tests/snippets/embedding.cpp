// What docs/embedding.md shows.
#define CL_TARGET_OPENCL_VERSION 120
#include "snippets.hpp"

#include <CL/cl.h>

#include <parallax/parallax.hpp>

#include <cstdint>
#include <vector>

#include "embedding/count.inc"
static_assert(snippets == 2, "a block of docs/embedding.md that no function here has");

bool embedding() {
#include "embedding/1.inc"
    const float middle = amplitude[240 * 640 + 320], beside = amplitude[240 * 640 + 321];   // of nothing at all: a plane wave
    return middle > 0 && beside > 0.99f * middle && beside < 1.01f * middle;
}

[[maybe_unused]] static void borrowed(cl_context context, cl_device_id device, cl_command_queue queue, cl_mem buffer, const parallax::Array& image_out) {
#include "embedding/2.inc"
}
