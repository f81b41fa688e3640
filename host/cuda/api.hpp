// The CUDA driver's header, once. Only the header is needed to build: the functions are looked up at run time (driver.hpp).
#pragma once

#include <cuda.h>
