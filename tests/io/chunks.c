/* make_chunks FOLDER: HDF5 files in FOLDER, each a dataset of bytes in chunks; every byte is its place, modulo 251.
     many.h5    200,000 x 8, chunks of 1 x 8, as appended row by row
     odd.h5     5 x 3,001 x 7, chunks of 2 x 1 x 3, which reach beyond it; its axes are t, y, x
     large.h5   64 Mi zeros in one chunk, packed
     few.h5     100,000 of 64 bits in chunks of one: the first 1,000 are 5, and the others, which are not there, are 2^64 - 1
     bomb.h5    8 x 8 in one chunk whose packed bytes hold 64 Mi zeros; short.h5: the same, and they hold ten
     names.h5   8 x 8 in one chunk, packed; its name and 99 others are in a group whose names are packed, too
     ends.h5    10 x 7, chunks of 4 x 4, packed, but for those that reach beyond it
     turned.h5  10 x 7 of 32 bits, chunks of 4 x 4: first packed, then shuffled */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void make(const char* folder, const char* name, int rank, const hsize_t* sizes, const hsize_t* chunk, const char* axes) {
    char path[4096];
    hsize_t from[3] = {0}, part[3] = {1, 1, 1}, row = 1, at = 0;
    const int latest = strcmp(name, "many.h5") == 0, packed = strcmp(name, "large.h5") == 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_DATASET_CREATE);
    if (latest) H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(how, rank, chunk);
    if (packed) H5Pset_deflate(how, 1);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access), space = H5Screate_simple(rank, sizes, NULL);
    const hid_t data = H5Dcreate2(file, "d", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
    /* Some of the first axis at once: what the library keeps for a chunk it keeps until a call ends. */
    memcpy(part, sizes, sizeof *sizes * (size_t)rank);
    part[0] = packed ? sizes[0] : sizes[0] > 1000 ? 1000 : 1;
    for (int i = 0; i < rank; ++i) row *= part[i];
    unsigned char* const bytes = calloc(row, 1);
    for (; from[0] < sizes[0]; from[0] += part[0]) {
        for (hsize_t i = 0; i < row && !packed; ++i) bytes[i] = (unsigned char)((at + i) % 251);
        const hid_t memory = H5Screate_simple(rank, part, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, from, NULL, part, NULL);
        H5Dwrite(data, H5T_NATIVE_UINT8, memory, space, H5P_DEFAULT, bytes);
        H5Sclose(memory);
        at += row;
    }
    free(bytes);
    if (axes) {
        const hid_t type = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
        H5Tset_size(type, strlen(axes));
        const hid_t attribute = H5Acreate2(data, "axes", type, one, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, axes);
        H5Aclose(attribute), H5Sclose(one), H5Tclose(type);
    }
    H5Dclose(data), H5Sclose(space), H5Fclose(file), H5Pclose(how), H5Pclose(access);
}

static void make_few(const char* folder) {
    char path[4096];
    const hsize_t size = 100000, one = 1, begin = 0, there = 1000;
    const unsigned long long fill = ~0ULL;
    unsigned long long values[1000];
    for (int i = 0; i < 1000; ++i) values[i] = 5;
    snprintf(path, sizeof path, "%s/few.h5", folder);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(1, &size, NULL);
    const hid_t memory = H5Screate_simple(1, &there, NULL);
    H5Pset_chunk(how, 1, &one);
    H5Pset_fill_value(how, H5T_NATIVE_ULLONG, &fill);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t data = H5Dcreate2(file, "d", H5T_STD_U64LE, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &there, NULL);
    H5Dwrite(data, H5T_NATIVE_ULLONG, memory, space, H5P_DEFAULT, values);
    H5Dclose(data), H5Fclose(file), H5Sclose(memory), H5Sclose(space), H5Pclose(how);
}

/* A chunk of 8 x 8 bytes that is packed, of so many zeros. */
static void make_untrue(const char* folder, const char* name, uLong zeros) {
    char path[4096];
    const hsize_t sizes[] = {8, 8}, begin[] = {0, 0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, sizes, NULL);
    H5Pset_chunk(how, 2, sizes), H5Pset_deflate(how, 9);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t data = H5Dcreate2(file, "d", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
    unsigned char* const bytes = calloc(zeros, 1);
    uLongf packed = compressBound(zeros);
    unsigned char* const chunk = malloc(packed);
    compress2(chunk, &packed, bytes, zeros, 9);
    H5Dwrite_chunk(data, H5P_DEFAULT, 0, begin, packed, chunk);
    free(bytes), free(chunk);
    H5Dclose(data), H5Sclose(space), H5Fclose(file), H5Pclose(how);
}

static void make_names(const char* folder) {
    char path[4096], name[64];
    const hsize_t sizes[] = {8, 8};
    unsigned char values[64];
    for (int i = 0; i < 64; ++i) values[i] = (unsigned char)i;
    snprintf(path, sizeof path, "%s/names.h5", folder);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), top = H5Pcreate(H5P_GROUP_CREATE), how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_link_phase_change(top, 2, 1), H5Pset_deflate(top, 9);
    H5Pset_chunk(how, 2, sizes), H5Pset_deflate(how, 9);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, top, H5P_DEFAULT), space = H5Screate_simple(2, sizes, NULL);
    for (int i = 0; i < 99; ++i) {
        snprintf(name, sizeof name, "a group with a name of some length, the %dth", i);
        H5Gclose(H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    const hid_t data = H5Dcreate2(group, "d", H5T_NATIVE_UINT8, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data), H5Sclose(space), H5Gclose(group), H5Fclose(file), H5Pclose(how), H5Pclose(top), H5Pclose(access);
}

static void make_ordered(const char* folder, const char* name, int ends, hid_t type) {
    char path[4096];
    const hsize_t sizes[] = {10, 7}, chunk[] = {4, 4};
    unsigned char values[70];
    for (int i = 0; i < 70; ++i) values[i] = (unsigned char)i;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, sizes, NULL);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset_chunk(how, 2, chunk), H5Pset_deflate(how, 9);
    if (ends) H5Pset_chunk_opts(how, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS);
    else H5Pset_shuffle(how);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t data = H5Dcreate2(file, "d", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(data), H5Sclose(space), H5Fclose(file), H5Pclose(how), H5Pclose(access);
}

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const hsize_t many[] = {200000, 8}, row[] = {1, 8}, odd[] = {5, 3001, 7}, parts[] = {2, 1, 3}, large[] = {1 << 26};
    make(argv[1], "many.h5", 2, many, row, NULL);
    make(argv[1], "odd.h5", 3, odd, parts, "tyx");
    make(argv[1], "large.h5", 1, large, large, NULL);
    make_few(argv[1]);
    make_untrue(argv[1], "bomb.h5", 1 << 26);
    make_untrue(argv[1], "short.h5", 10);
    make_names(argv[1]);
    make_ordered(argv[1], "ends.h5", 1, H5T_NATIVE_UINT8);
    make_ordered(argv[1], "turned.h5", 0, H5T_STD_U32BE);
    return 0;
}
