// CUB, NVIDIA's library of device-wide primitives, behind one C function. Built by nvcc into a library of its own.
#include "cub_module.h"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/type_traits>

namespace {

struct Temporary {
    void* memory;
    size_t& bytes;
};

constexpr int not_offered = -1;

template <class T>
int reduce(const plx_cub_call& c, Temporary t, cudaStream_t stream) {
    const T* in = static_cast<const T*>(c.in);
    const auto n = static_cast<int64_t>(c.count);
    if (c.op == PLX_CUB_MIN) return cub::DeviceReduce::Min(t.memory, t.bytes, in, static_cast<T*>(c.out), n, stream);
    if (c.op == PLX_CUB_MAX) return cub::DeviceReduce::Max(t.memory, t.bytes, in, static_cast<T*>(c.out), n, stream);
    if constexpr (cuda::std::is_floating_point_v<T>)
        return cub::DeviceReduce::Sum(t.memory, t.bytes, in, static_cast<T*>(c.out), n, stream);
    using Wide = cuda::std::conditional_t<cuda::std::is_signed_v<T>, int64_t, uint64_t>;
    return cub::DeviceReduce::Reduce(t.memory, t.bytes, in, static_cast<Wide*>(c.out), n, cuda::std::plus<Wide>{}, Wide{0},
                                     stream);
}

template <class T, class Join>
int scan_by(const plx_cub_call& c, Temporary t, cudaStream_t stream, Join join, T first) {
    const T* in = static_cast<const T*>(c.in);
    T* out = static_cast<T*>(c.out);
    const auto n = static_cast<int64_t>(c.count);
    if (c.exclusive != 0) return cub::DeviceScan::ExclusiveScan(t.memory, t.bytes, in, out, join, first, n, stream);
    return cub::DeviceScan::InclusiveScan(t.memory, t.bytes, in, out, join, n, stream);
}

template <class T>
int scan(const plx_cub_call& c, Temporary t, cudaStream_t stream) {
    if (c.op != PLX_CUB_SUM) return not_offered;
    return scan_by<T>(c, t, stream, cuda::std::plus<T>{}, T{0});
}

template <class T>
int histogram(const plx_cub_call& c, Temporary t, cudaStream_t stream) {
    constexpr int range = 1 << (8 * sizeof(T));
    if (range % c.bins != 0) return not_offered;
    return cub::DeviceHistogram::HistogramEven(t.memory, t.bytes, static_cast<const T*>(c.in), static_cast<unsigned*>(c.out),
                                               c.bins + 1, 0, range, static_cast<int64_t>(c.count), stream);
}

template <class K>
int sort(const plx_cub_call& c, Temporary t, cudaStream_t stream) {
    const K* in = static_cast<const K*>(c.in);
    K* out = static_cast<K*>(c.out);
    const auto* values_in = static_cast<const uint32_t*>(c.values_in);
    auto* values_out = static_cast<uint32_t*>(c.values_out);
    const auto n = static_cast<int64_t>(c.count);
    if (c.descending != 0) return not_offered;
    if (values_in != nullptr)
        return cub::DeviceRadixSort::SortPairs(t.memory, t.bytes, in, out, values_in, values_out, n, c.begin_bit, c.end_bit,
                                               stream);
    return cub::DeviceRadixSort::SortKeys(t.memory, t.bytes, in, out, n, c.begin_bit, c.end_bit, stream);
}

}  // namespace

int plx_cub_abi(void) { return PLX_CUB_ABI; }

const char* plx_cub_error(int code) {
    return code == not_offered ? "not offered" : cudaGetErrorName(static_cast<cudaError_t>(code));
}

int plx_cub_run(const plx_cub_call* call, void* temporary, size_t* bytes, void* stream_) {
    const plx_cub_call& c = *call;
    const Temporary t{temporary, *bytes};
    const auto stream = static_cast<cudaStream_t>(stream_);
    switch (c.what) {
        case PLX_CUB_REDUCE:
            if (c.type == PLX_CUB_U8) return reduce<uint8_t>(c, t, stream);
            if (c.type == PLX_CUB_U32) return reduce<uint32_t>(c, t, stream);
            if (c.type == PLX_CUB_I32) return reduce<int32_t>(c, t, stream);
            if (c.type == PLX_CUB_F32) return reduce<float>(c, t, stream);
            return not_offered;
        case PLX_CUB_SCAN:
            if (c.type == PLX_CUB_U32) return scan<uint32_t>(c, t, stream);
            if (c.type == PLX_CUB_U64) return scan<uint64_t>(c, t, stream);
            if (c.type == PLX_CUB_F32) return scan<float>(c, t, stream);
            return not_offered;
        case PLX_CUB_HISTOGRAM:
            if (c.type == PLX_CUB_U8) return histogram<uint8_t>(c, t, stream);
            if (c.type == PLX_CUB_U16) return histogram<uint16_t>(c, t, stream);
            return not_offered;
        case PLX_CUB_SORT:
            if (c.type == PLX_CUB_U32) return sort<uint32_t>(c, t, stream);
            if (c.type == PLX_CUB_U64) return sort<uint64_t>(c, t, stream);
            return not_offered;
        default: return not_offered;
    }
}
