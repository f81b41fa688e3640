// LZF, the filter that h5py brings along as compression="lzf", and which HDF5 has not.
#pragma once

#include <hdf5.h>

#include <cstddef>

namespace parallax::io::readers {

/// Unpacks up to `room` bytes; how many there are, or 0 where the packed ones are damaged or hold more.
std::size_t unpack_lzf(const unsigned char* from, std::size_t bytes, unsigned char* to, std::size_t room) noexcept;

/// Before a dataset is read: how long its chunks are, which a file's packed bytes need not be true to.
void expect_lzf(hid_t dataset) noexcept;

/// Registers the filter with HDF5, which then calls it for whatever dataset has it.
void register_lzf() noexcept;

}   // namespace parallax::io::readers
