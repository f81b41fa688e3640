// Handles of OpenCL and CUDA as their own headers define them, so that ours need neither: cl_context is _cl_context*,
// CUstream (and cudaStream_t) is CUstream_st*.
#pragma once

struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;
struct _cl_event;
struct CUctx_st;
struct CUstream_st;
struct CUevent_st;
