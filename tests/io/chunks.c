/* make_chunks FOLDER: HDF5 files in FOLDER.
   Each a dataset of bytes in chunks; every byte is its place, modulo 251:
     many.h5    200,000 x 8, chunks of 1 x 8, as appended row by row
     odd.h5     5 x 3,001 x 7, chunks of 2 x 1 x 3, which reach beyond it; its axes are t, y, x
     large.h5   64 Mi zeros in one chunk, packed
     few.h5     100,000 of 64 bits in chunks of one: the first 1,000 are 5, and the others, which are not there, are 2^64 - 1
     bomb.h5    8 x 8 in one chunk whose packed bytes hold 64 Mi zeros; short.h5: the same, and they hold ten
     names.h5   8 x 8 in one chunk, packed; its name and 99 others are in a group whose names are packed, too
     ends.h5    10 x 7, chunks of 4 x 4, packed, but for those that reach beyond it
     turned.h5  10 x 7 of 32 bits, chunks of 4 x 4: first packed, then shuffled
     enum.h5    2,000 datasets of one enumeration of 3,000 members, which stands in the file once, and z, 3 x 3 bytes
     deep.h5    500 datasets in 40 groups, each in the other, of names of 30,000 letters, and z
   MINC 2, each 2 x 2 x 2 x 2 (time, z, y, x), 0 to 4095 for 0 to 100; the first voxel is -32768, the last 4095, others 2048:
     cm.mnc      steps of 2 cm and 2000 ms
     odd.mnc     y in inches; x in furlongs, z not evenly spaced, and the step of time is a text
     slices.mnc  as many scales as 4096 x 4095, of which none is stored
   What attributes say:
     halves.h5   d: 1 + 2i, -0.5 + 65504i of 16-bit floats, and i before r; wide: the same members of 80 bits and more
     texts.h5    3 x 2, c and y, and names of channels of 400,000 letters each; few letters in few; in more 2 x 3 with as many names,
                 which says that it is of colours
     words.h5    bytes -1, 5, 0, 1, 2, -128: unsigned (by netCDF, with a fill value); and steps of 2 in each of
                 inch, furlong (a unit that is none of ours), none, fft (1/um); depth, whose values are in mm and, as unsigned
                 ones, from 1 to 253; nowhere, with steps of 0 mm; flat, of three axes with two steps in um; and text (MATLAB's char)
     axes.h5     2 x 3 x 4, 0 to 23, whose axes have names: labels, places, none, part, twice (by DIMENSION_LABELS); scales, sentence (by
                 scales, of which "depth" has a sentence of netCDF's for a name); letters, words (by the attribute axes) */
#include "../hdf5_text.h"

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
    if (axes) put_text(data, "axes", axes);
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

/* A complex number of two parts of a type, the imaginary one first. */
static hid_t complex_of(hid_t part) {
    const size_t size = H5Tget_size(part);
    const hid_t both = H5Tcreate(H5T_COMPOUND, 2 * size);
    H5Tinsert(both, "i", 0, part), H5Tinsert(both, "r", size, part);
    return both;
}

static void make_halves(const char* folder) {
    char path[4096];
    const hsize_t two = 2;
    const float values[] = {2, 1, 65504, -.5f};   /* i, r */
    snprintf(path, sizeof path, "%s/halves.h5", folder);
    const hid_t half = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_fields(half, 15, 10, 5, 0, 10), H5Tset_size(half, 2), H5Tset_ebias(half, 15);
    const hid_t stored = complex_of(half), memory = complex_of(H5T_NATIVE_FLOAT), wide = complex_of(H5T_NATIVE_LDOUBLE);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &two, NULL);
    const hid_t data = H5Dcreate2(file, "d", stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    const hid_t other = H5Dcreate2(file, "wide", wide, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(other), H5Dclose(data), H5Sclose(space), H5Fclose(file);
    H5Tclose(wide), H5Tclose(memory), H5Tclose(stored), H5Tclose(half);
}

static void put_numbers(hid_t to, const char* name, hsize_t count, const double* values) {
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t attribute = H5Acreate2(to, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, values);
    H5Aclose(attribute), H5Sclose(space);
}

/* A dataset, which is left open, in groups that are made. */
static hid_t put(hid_t file, const char* name, hid_t type, int rank, const hsize_t* sizes, const void* values) {
    const hid_t space = H5Screate_simple(rank, sizes, NULL), all = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(all, 1);
    const hid_t data = H5Dcreate2(file, name, type, space, all, H5P_DEFAULT, H5P_DEFAULT);
    if (values) H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(space), H5Pclose(all);
    return data;
}

static void make_minc(const char* folder, const char* name) {
    static const char* const axes[] = {"time", "zspace", "yspace", "xspace"};
    const int odd = strcmp(name, "odd.mnc") == 0;
    const hsize_t sizes[] = {2, 2, 2, 2}, slices[] = {4096, 4095}, one[] = {1};
    const double range[] = {4095, 0}, step[] = {2000, 2, 2, 2}, least = 0, most = 100;
    const int zero = 0;
    short values[16];
    char path[4096];
    for (int i = 0; i < 16; ++i) values[i] = 2048;
    values[0] = -32768, values[15] = 4095;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (int i = 0; i < 4; ++i) {
        snprintf(path, sizeof path, "/minc-2.0/dimensions/%s", axes[i]);
        const hid_t axis = put(file, path, H5T_NATIVE_INT, 0, NULL, &zero);
        put_text(axis, "units", i == 0 ? "ms" : !odd ? (i == 1 ? "centimetres" : i == 2 ? "cm  " : "cm") : i == 2 ? "inch" : i == 3 ? "furlong" : "mm");
        put_text(axis, "spacing", odd && i == 1 ? "irregular" : "regular__");
        if (odd && i == 0) put_text(axis, "step", "2000");
        else put_numbers(axis, "step", 1, step + i);
        put_numbers(axis, "start", 1, &most);
        H5Dclose(axis);
    }
    const hid_t image = put(file, "/minc-2.0/image/0/image", H5T_NATIVE_SHORT, 4, sizes, values);
    put_text(image, "dimorder", "time,zspace,yspace,xspace"), put_numbers(image, "valid_range", 2, range);
    const int large = strcmp(name, "slices.mnc") == 0, rank = large ? 2 : 1;
    const hsize_t* const scales = large ? slices : one;
    if (strcmp(name, "cm.mnc") == 0)   /* a second name, through fewer groups */
        H5Lcreate_hard(file, "/minc-2.0/image/0/image", file, "/hard", H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(put(file, "/minc-2.0/image/0/image-min", H5T_NATIVE_DOUBLE, rank, scales, large ? NULL : &least));
    H5Dclose(put(file, "/minc-2.0/image/0/image-max", H5T_NATIVE_DOUBLE, rank, scales, large ? NULL : &most));
    H5Dclose(image), H5Fclose(file);
}

static void make_texts(const char* folder) {
    static const char* const few[] = {"red", "green", "blue"};
    const hsize_t sizes[] = {3, 2}, two[] = {2, 3};
    const signed char values[] = {0, 1, 2, 3, 4, 5};
    char path[4096];
    char* const long_text = malloc(400001);
    memset(long_text, 'a', 400000), long_text[400000] = 0;
    const char* const many[] = {long_text, long_text, long_text};
    snprintf(path, sizeof path, "%s/texts.h5", folder);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    const hid_t space = H5Screate_simple(1, sizes, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    for (int i = 0; i < 3; ++i) {
        const hid_t data = put(file, i == 2 ? "more" : i ? "many" : "few", H5T_NATIVE_INT8, 2, i == 2 ? two : sizes, values);
        const hid_t attribute = H5Acreate2(data, "channels", type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, i == 1 ? many : few);
        put_text(data, "axes", "cy");
        if (i == 2) put_text(data, "colour", "rgb");
        H5Aclose(attribute), H5Dclose(data);
    }
    free(long_text);
    H5Sclose(space), H5Tclose(type), H5Fclose(file);
}

static void make_words(const char* folder) {
    const hsize_t sizes[] = {2, 3}, deep[] = {2, 3, 1};
    const signed char values[] = {-1, 5, 0, 1, 2, -128};
    const double steps[] = {2, 2}, fill = -2, range[] = {1, -3}, nowhere[] = {0, 0};
    const struct { const char *name, *unit; } units[] = {{"inch", "inch"}, {"furlong", "furlong"}, {"none", NULL}, {"fft", "1/um"}};
    char path[4096];
    snprintf(path, sizeof path, "%s/words.h5", folder);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t data = put(file, "unsigned", H5T_NATIVE_INT8, 2, sizes, values);
    put_text(data, "_Unsigned", "true"), put_numbers(data, "_FillValue", 1, &fill);
    H5Dclose(data);
    const hid_t depth = put(file, "depth", H5T_NATIVE_INT8, 2, sizes, values);
    put_text(depth, "unit", "mm"), put_text(depth, "_Unsigned", "true");
    put_numbers(depth, "valid_range", 2, range), put_numbers(depth, "valid_min", 1, range);
    H5Dclose(depth);
    const hid_t none = put(file, "nowhere", H5T_NATIVE_INT8, 2, sizes, values);
    put_numbers(none, "spacing", 2, nowhere), put_text(none, "unit", "mm");
    H5Dclose(none);
    const hid_t flat = put(file, "flat", H5T_NATIVE_INT8, 3, deep, values);
    put_numbers(flat, "element_size_um", 2, steps);
    H5Dclose(flat);
    const hid_t text = put(file, "text", H5T_NATIVE_INT8, 2, sizes, values);
    put_text(text, "MATLAB_class", "char");
    H5Dclose(text);
    for (int i = 0; i < 4; ++i) {
        const hid_t other = put(file, units[i].name, H5T_NATIVE_INT8, 2, sizes, values);
        put_numbers(other, "spacing", 2, steps);
        if (units[i].unit) put_text(other, "unit", units[i].unit);
        H5Dclose(other);
    }
    H5Fclose(file);
}

static void put_labels(hid_t data, const char* const* labels) {
    const hsize_t three = 3;
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &three, NULL);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t attribute = H5Acreate2(data, "DIMENSION_LABELS", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, labels);
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

static void put_scales(hid_t file, hid_t data, const char* const* names) {
    const hsize_t three = 3, one = 1;
    hobj_ref_t scales[3];
    hvl_t lists[3];
    for (int i = 0; i < 3; ++i) {
        if (H5Lexists(file, names[i], H5P_DEFAULT) <= 0) {
            const hid_t scale = put(file, names[i], H5T_NATIVE_DOUBLE, 1, &one, NULL);
            put_text(scale, "CLASS", "DIMENSION_SCALE");
            put_text(scale, "NAME", strcmp(names[i], "depth") ? names[i] : "This is a netCDF dimension but not a netCDF variable.         3");
            H5Dclose(scale);
        }
        H5Rcreate(scales + i, file, names[i], H5R_OBJECT, -1);
        lists[i].len = 1, lists[i].p = scales + i;
    }
    const hid_t type = H5Tvlen_create(H5T_STD_REF_OBJ), space = H5Screate_simple(1, &three, NULL);
    const hid_t attribute = H5Acreate2(data, "DIMENSION_LIST", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, lists);
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
}

static void make_axes(const char* folder) {
    static const struct { const char *data, *names[3]; } labels[] = {{"labels", {"lon", "time", "channel"}}, {"places", {"Time", "Y", "X"}},
        {"none", {NULL, NULL, NULL}}, {"part", {"channel", NULL, NULL}}, {"twice", {"lat", "y", "x"}}};
    static const struct { const char *data, *names[3]; } scales[] = {{"scales", {"lon", "lat", "time"}}, {"sentence", {"time", "depth", "lat"}}};
    const hsize_t sizes[] = {2, 3, 4};
    unsigned char values[24];
    char path[4096];
    for (int i = 0; i < 24; ++i) values[i] = (unsigned char)i;
    snprintf(path, sizeof path, "%s/axes.h5", folder);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; ++i) {
        const hid_t data = put(file, labels[i].data, H5T_NATIVE_UCHAR, 3, sizes, values);
        put_labels(data, labels[i].names);
        H5Dclose(data);
    }
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
        const hid_t data = put(file, scales[i].data, H5T_NATIVE_UCHAR, 3, sizes, values);
        put_scales(file, data, scales[i].names);
        H5Dclose(data);
    }
    const hid_t letters = put(file, "letters", H5T_NATIVE_UCHAR, 3, sizes, values), words = put(file, "words", H5T_NATIVE_UCHAR, 3, sizes, values);
    put_text(letters, "axes", "xyz"), put_text(words, "axes", "lat,lon");
    H5Dclose(letters), H5Dclose(words), H5Fclose(file);
}

/* Datasets d0, d1, ... of 2 x 2, and z beside the file's groups. */
static void add_many(hid_t file, hid_t group, int count, hid_t type) {
    const hsize_t two[] = {2, 2}, three[] = {3, 3};
    const hid_t small = H5Screate_simple(2, two, NULL), other = H5Screate_simple(2, three, NULL);
    char name[32];
    for (int i = 0; i < count; ++i) {
        snprintf(name, sizeof name, "d%d", i);
        H5Dclose(H5Dcreate2(group, name, type, small, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    const unsigned char bytes[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const hid_t data = H5Dcreate2(file, "z", H5T_NATIVE_UINT8, other, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    H5Dclose(data), H5Sclose(small), H5Sclose(other);
}

static void make_enum(const char* folder) {
    char path[4096], name[32];
    snprintf(path, sizeof path, "%s/enum.h5", folder);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), type = H5Tenum_create(H5T_STD_I16LE);
    for (short i = 0; i < 3000; ++i) {
        snprintf(name, sizeof name, "m%d", i);
        H5Tenum_insert(type, name, &i);
    }
    H5Tcommit2(file, "T", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    add_many(file, file, 2000, type);
    H5Tclose(type), H5Fclose(file);
}

static void make_deep(const char* folder) {
    char path[4096];
    static char name[30001];
    snprintf(path, sizeof path, "%s/deep.h5", folder);
    memset(name, 'x', sizeof name - 1);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "/", H5P_DEFAULT);
    for (int i = 0; i < 40; ++i) {
        const hid_t inside = H5Gcreate2(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Gclose(group);
        group = inside;
    }
    add_many(file, group, 500, H5T_STD_U8LE);
    H5Gclose(group), H5Fclose(file);
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
    make_minc(argv[1], "cm.mnc");
    make_minc(argv[1], "odd.mnc");
    make_minc(argv[1], "slices.mnc");
    make_halves(argv[1]);
    make_texts(argv[1]);
    make_words(argv[1]);
    make_axes(argv[1]);
    make_enum(argv[1]);
    make_deep(argv[1]);
    return 0;
}
