/* Texts of HDF5 files that tests make. */
#pragma once

#include <hdf5.h>
#include <string.h>

static void put_text(hid_t to, const char* name, const char* text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, strlen(text));
    const hid_t attribute = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text);
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}
