/* make_elsewhere FOLDER FILE: HDF5 files in FOLDER whose elements, or whose scales, are those of other files.
     raw.h5      a MINC image of 255, whose greatest values are the bytes of FILE, so that what is read is FILE
     link.h5     the same, whose greatest values are a link to /s in FILE.h5, which is made
     virtual.h5  two datasets, one of which is as long as /s in FILE.h5
     empty.h5    a variable of MATLAB's without elements: of other things than they, its sizes */
#include "../hdf5_text.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

enum { count = 16 };

static void put(hid_t to, const char* name, hid_t type, int rank, const hsize_t* sizes, const void* values, hid_t how) {
    const hid_t space = H5Screate_simple(rank, sizes, NULL), all = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(all, 1);
    const hid_t data = H5Dcreate2(to, name, type, space, all, how, H5P_DEFAULT);
    if (values) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    if (strstr(name, "/image/0/image") && rank == 3) put_text(data, "dimorder", "zspace,yspace,xspace");
    H5Dclose(data), H5Pclose(all), H5Sclose(space);
}

static hid_t minc(const char* folder, const char* name) {
    static unsigned char image[count];
    static double zeros[count];
    const hsize_t sizes[] = {count, 1, 1};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    memset(image, 255, sizeof image);
    put(file, "/minc-2.0/image/0/image", H5T_NATIVE_UINT8, 3, sizes, image, H5P_DEFAULT);
    put(file, "/minc-2.0/image/0/image-min", H5T_NATIVE_DOUBLE, 1, sizes, zeros, H5P_DEFAULT);
    return file;
}

int main(int argc, char** argv) {
    static unsigned char secret[count] = "hidden elements";
    const hsize_t sizes[] = {count}, any[] = {H5S_UNLIMITED}, chunk[] = {4}, none[] = {0}, one[] = {1}, pair[] = {2};
    const unsigned long long zeros_by_five[] = {0, 5};
    char other[4096], path[4096];
    if (argc != 3) return 2;
    snprintf(other, sizeof other, "%s.h5", argv[2]);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, sizes, any), from = H5Screate_simple(1, sizes, any);
    H5Pset_chunk(how, 1, chunk);
    hid_t file = H5Fcreate(other, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t data = H5Dcreate2(file, "s", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, secret);
    H5Dclose(data), H5Fclose(file), H5Pclose(how);

    file = minc(argv[1], "raw.h5");
    how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(how, argv[2], 0, count);
    put(file, "/minc-2.0/image/0/image-max", H5T_NATIVE_UINT8, 1, sizes, NULL, how);
    H5Fclose(file), H5Pclose(how);

    file = minc(argv[1], "link.h5");
    H5Lcreate_external(other, "/s", file, "/minc-2.0/image/0/image-max", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);

    snprintf(path, sizeof path, "%s/empty.h5", argv[1]);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const unsigned char yes = 1;
    const hid_t two = H5Screate_simple(1, pair, NULL), single = H5Screate(H5S_SCALAR);
    data = H5Dcreate2(file, "v", H5T_NATIVE_UINT64, two, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros_by_five);
    put_text(data, "MATLAB_class", "double");
    const hid_t empty = H5Acreate2(data, "MATLAB_empty", H5T_NATIVE_UINT8, single, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(empty, H5T_NATIVE_UINT8, &yes);
    H5Aclose(empty), H5Sclose(single), H5Sclose(two), H5Dclose(data), H5Fclose(file);

    snprintf(path, sizeof path, "%s/virtual.h5", argv[1]);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    how = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t to = H5Screate_simple(1, one, any);   /* one element is there, and as many as the other has are told */
    H5Sselect_hyperslab(to, H5S_SELECT_SET, none, NULL, one, any);
    H5Sselect_hyperslab(from, H5S_SELECT_SET, none, NULL, one, any);
    H5Pset_virtual(how, to, other, "/s", from);
    data = H5Dcreate2(file, "v", H5T_NATIVE_UINT8, to, H5P_DEFAULT, how, H5P_DEFAULT);
    put(file, "w", H5T_NATIVE_UINT8, 1, chunk, secret, H5P_DEFAULT);
    const int made = data >= 0;
    H5Dclose(data), H5Fclose(file), H5Pclose(how), H5Sclose(space), H5Sclose(from), H5Sclose(to);
    return made ? 0 : 1;
}
