#include "parallax/host/place.hpp"

#include "opencl/native.hpp"
#if defined(PARALLAX_HAS_CUDA)
#include "cuda/borrow.hpp"
#endif

namespace parallax::host {

Place place_of(const Buffer& buffer) noexcept {
    if (const std::byte* const address = buffer.host_pointer())
        return {0, reinterpret_cast<std::uintptr_t>(address), buffer.bytes()};
    if (const cl_mem own = opencl::memory_handle(buffer)) {
        // Ours or the host application's: of a part the driver knows the whole.
        cl_mem whole = nullptr;
        std::size_t offset = 0;
        const bool is_part = clGetMemObjectInfo(own, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, nullptr) == CL_SUCCESS &&
                             whole != nullptr &&
                             clGetMemObjectInfo(own, CL_MEM_OFFSET, sizeof offset, &offset, nullptr) == CL_SUCCESS;
        return {reinterpret_cast<std::uintptr_t>(is_part ? whole : own), is_part ? offset : 0, buffer.bytes()};
    }
#if defined(PARALLAX_HAS_CUDA)
    if (const std::uint64_t address = cuda::address_of(buffer)) return {0, address, buffer.bytes()};
#endif
    return {};
}

}  // namespace parallax::host
