// LZF, the filter that h5py brings along as compression="lzf", and which HDF5 has not.
#pragma once

#include <hdf5.h>

namespace parallax::io::readers {

constexpr H5Z_filter_t number_of_lzf = 32000;

/// Before a dataset is read: how long its chunks are, which a file's packed bytes need not be true to.
void expect_lzf(hid_t dataset) noexcept;

/// Registers the filter with HDF5, which then calls it for whatever dataset has it.
void register_lzf() noexcept;

}   // namespace parallax::io::readers
