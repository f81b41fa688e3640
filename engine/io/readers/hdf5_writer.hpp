// One array as the dataset /data of an HDF5 file.
#pragma once

#include <hdf5.h>

#include <istream>

#include "io/decimal.hpp"
#include "io/readers/hdf5_parts.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {

/// What H5 says no to ends the writing.
inline hid_t held(hid_t id, const char* what) {
    if (id < 0)
        throw Problem{std::string("cannot be written: HDF5 cannot make ") + what,
                      "see whether the disk is full, the folder may be written, and files may be longer than this "
                      "(--limit output=SIZE, ulimit -f)"};
    return id;
}

/// One array as /data, with what it means in attributes: axes, spacing, unit, affine, channels; and in the words that h5py
/// (DIMENSION_LABELS), Fiji and ilastik (element_size_um) look for.
struct Hdf5Writer {
    static hid_t real(const std::string& type) {
        const std::pair<const char*, hid_t> types[] = {
            {"u8", H5T_NATIVE_UINT8},   {"i8", H5T_NATIVE_INT8},   {"u16", H5T_NATIVE_UINT16}, {"i16", H5T_NATIVE_INT16},
            {"u32", H5T_NATIVE_UINT32}, {"i32", H5T_NATIVE_INT32}, {"u64", H5T_NATIVE_UINT64}, {"i64", H5T_NATIVE_INT64},
            {"f32", H5T_NATIVE_FLOAT},  {"f64", H5T_NATIVE_DOUBLE}};
        for (const auto& [name, native] : types) {
            if (type == name) return native;
        }
        throw Problem{"cannot be written: " + type + " is no type that is known here", ""};
    }

    /// As h5py has bool and complex numbers.
    static Handle type_for(const std::string& type) {
        if (type == "c64" || type == "c128") {
            const hid_t part = type == "c64" ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
            const std::size_t size = H5Tget_size(part);
            Handle pair(held(H5Tcreate(H5T_COMPOUND, 2 * size), "a type"), H5Tclose);
            H5Tinsert(pair, "r", 0, part);
            H5Tinsert(pair, "i", size, part);
            return pair;
        }
        if (type != "bool") return own(real(type));
        Handle words(held(H5Tenum_create(H5T_NATIVE_INT8), "a type"), H5Tclose);
        const std::int8_t no = 0, yes = 1;
        H5Tenum_insert(words, "FALSE", &no);
        H5Tenum_insert(words, "TRUE", &yes);
        return words;
    }

    static void put_numbers(hid_t to, const char* name, const std::vector<double>& values) {
        const hsize_t count = values.size();
        const Handle space(held(H5Screate_simple(1, &count, nullptr), "a space"), H5Sclose);
        const Handle attribute(held(H5Acreate2(to, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), "an attribute"),
                               H5Aclose);
        held(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()), "an attribute");
    }

    static void put_texts(hid_t to, const char* name, const std::vector<std::string>& texts, bool one) {
        const Handle type(held(H5Tcopy(H5T_C_S1), "a type"), H5Tclose);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
        const hsize_t count = texts.size();
        const Handle space(held(one ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), "a space"), H5Sclose);
        const Handle attribute(held(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "an attribute"), H5Aclose);
        std::vector<const char*> pointers;
        for (const std::string& text : texts) pointers.push_back(text.c_str());
        held(H5Awrite(attribute, type, pointers.data()), "an attribute");
    }

    static void write(const Json& request, std::istream& in) {
        const std::lock_guard lock(library());
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        std::vector<hsize_t> sizes;
        std::vector<double> spacing, um;
        std::vector<std::string> labels;
        std::string names;
        const std::string unit = request.value("unit", "");
        const double in_um = unit == "nm"   ? 1e-3
                             : unit == "um" ? 1
                             : unit == "mm" ? 1e3
                             : unit == "cm" ? 1e4
                             : unit == "m"  ? 1e6
                                            : 0;
        for (const Json& axis : request.at("axes")) {
            sizes.push_back(axis.at("size").get<hsize_t>());
            spacing.push_back(axis.at("spacing").get<double>());
            labels.push_back(axis.at("name").get<std::string>());
            names += labels.back();
            if (std::string("zyx").find(labels.back()) != std::string::npos)
                um.push_back(parallax::io::scaled(spacing.back(), in_um));
        }
        // It is there, empty (io/part_file.hpp).
        Handle file(
            held(H5Fcreate(request.at("write").get<std::string>().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "the file"),
            H5Fclose);
        const Handle type = type_for(request.at("type").get<std::string>());
        const Handle space(held(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), "a space"), H5Sclose);
        // Without the time at which it was made: the same array gives the same bytes.
        const Handle creation(held(H5Pcreate(H5P_DATASET_CREATE), "properties"), H5Pclose);
        held(H5Pset_obj_track_times(creation, false), "properties");
        Handle data(held(H5Dcreate2(file, "data", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "a dataset"), H5Dclose);
        put_texts(data, "axes", {names}, true);
        put_texts(data, "DIMENSION_LABELS", labels, false);
        put_numbers(data, "spacing", spacing);
        if (!unit.empty()) put_texts(data, "unit", {unit}, true);
        if (in_um > 0 && um.size() >= 2) put_numbers(data, "element_size_um", um);
        if (request.contains("affine")) put_numbers(data, "affine", request["affine"].get<std::vector<double>>());
        if (request.contains("channels")) put_texts(data, "channels", request["channels"].get<std::vector<std::string>>(), false);
        if (request.contains("colour")) put_texts(data, "colour", {request["colour"].get<std::string>()}, true);
        // Index after index of the first axis, so that the array is never here as a whole.
        std::vector<hsize_t> from(sizes.size(), 0), many = sizes;
        many[0] = 1;
        const Handle memory(held(H5Screate_simple(static_cast<int>(many.size()), many.data(), nullptr), "a space"), H5Sclose);
        std::vector<char> slice(static_cast<std::size_t>(request.at("bytes").get<std::uint64_t>() / sizes[0]));
        for (; from[0] < sizes[0]; ++from[0]) {
            if (!in.read(slice.data(), static_cast<std::streamsize>(slice.size())))
                throw Problem{"cannot be written: its elements have not come", ""};
            H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, many.data(), nullptr);
            held(H5Dwrite(data, type, memory, space, H5P_DEFAULT, slice.data()), "room for the elements");
        }
        held(H5Fflush(file, H5F_SCOPE_GLOBAL), "room for the elements");
        held(data.close(), "room for the elements");   // before the file, which else stays open for it
        held(file.close(), "room for the elements");   // network drives tell no earlier that the disk is full
    }
};

}   // namespace parallax::io::readers
