#include "io/readers/hdf5_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace parallax::io::readers {

std::mutex& library() {
    static std::mutex mutex;
    return mutex;
}

std::string last_words() {
    std::string text = "the library says no more";
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
            if (n == 0 && error->desc) *static_cast<std::string*>(to) = error->desc;
            return 0;
        },
        &text);
    return text;
}

bool is_out_of_memory() {
    bool out = false;
    H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
            if (error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE) *static_cast<bool*>(to) = true;
            return 0;
        },
        &out);
    return out;
}

Problem no_memory_for(const std::string& path) {
    return {"its dataset " + path + " cannot be read in the memory that a file of its length may take",
            "write it again with chunks of a few MB at most, for instance by h5repack -l CHUNK=..."};
}

Handle open_dataset(hid_t file, const char* path) {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_elink_cb(
        access, [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) -> herr_t { return -1; },
        nullptr);
    return {H5Dopen2(file, path, access), H5Dclose};
}

bool is_elsewhere(hid_t dataset) {
    const Handle list(H5Dget_create_plist(dataset), H5Pclose);
    return !list.good() || H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) != 0;
}

Handle own(hid_t type) { return {H5Tcopy(type), H5Tclose}; }

namespace {

Type real_type(hid_t stored) {
    switch (H5Tget_size(stored)) {
        case 2:   // widened
        case 4:
            return {"f32", own(H5T_NATIVE_FLOAT), {}};
        case 8:
            return {"f64", own(H5T_NATIVE_DOUBLE), {}};
        default:
            return {nullptr, {}, std::to_string(H5Tget_size(stored) * 8) + "-bit floating-point numbers"};
    }
}

Type integer_type(hid_t stored) {
    const bool is_signed = H5Tget_sign(stored) == H5T_SGN_2;
    switch (H5Tget_size(stored)) {
        case 1:
            return is_signed ? Type{"i8", own(H5T_NATIVE_INT8), {}} : Type{"u8", own(H5T_NATIVE_UINT8), {}};
        case 2:
            return is_signed ? Type{"i16", own(H5T_NATIVE_INT16), {}} : Type{"u16", own(H5T_NATIVE_UINT16), {}};
        case 4:
            return is_signed ? Type{"i32", own(H5T_NATIVE_INT32), {}} : Type{"u32", own(H5T_NATIVE_UINT32), {}};
        case 8:
            return is_signed ? Type{"i64", own(H5T_NATIVE_INT64), {}} : Type{"u64", own(H5T_NATIVE_UINT64), {}};
        default:
            return {nullptr, {}, std::to_string(H5Tget_size(stored) * 8) + "-bit integers"};
    }
}

std::string member_name(hid_t stored, unsigned index) {
    char* const text = H5Tget_member_name(stored, index);
    std::string name = text ? text : "";
    H5free_memory(text);
    return name;
}

/// Which of two members is the real part of a complex number, by the names that programs give them; nothing: they are others.
std::optional<unsigned> real_member(const std::array<std::string, 2>& members) {
    // h5py's and GDAL's; MATLAB's; Yardl's; and short ones.
    constexpr std::array<const char*, 2> known[] = {{"r", "i"}, {"real", "imag"}, {"real", "imaginary"}, {"re", "im"}};
    std::array<std::string, 2> names = members;
    for (std::string& name : names)
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const auto& [real, imaginary] : known) {
        if (names[0] == real && names[1] == imaginary) return 0;
        if (names[1] == real && names[0] == imaginary) return 1;
    }
    return std::nullopt;
}

/// Two real numbers are a complex one where their names say so, in whichever order they stand.
Type compound_type(hid_t stored) {
    if (H5Tget_nmembers(stored) != 2) return {nullptr, {}, "records of " + std::to_string(H5Tget_nmembers(stored)) + " members"};
    const Handle first(H5Tget_member_type(stored, 0), H5Tclose), second(H5Tget_member_type(stored, 1), H5Tclose);
    if (H5Tget_class(first) != H5T_FLOAT || H5Tget_class(second) != H5T_FLOAT || H5Tget_size(first) != H5Tget_size(second))
        return {nullptr, {}, "records that are no complex numbers"};
    const std::array<std::string, 2> names = {member_name(stored, 0), member_name(stored, 1)};
    const std::optional<unsigned> real = real_member(names);
    if (!real)
        return {nullptr, {}, "records of \"" + names[0].substr(0, 40) + "\" and \"" + names[1].substr(0, 40) +
                                 "\" (a complex number is one of \"r\" and \"i\", or \"real\" and \"imag\")"};
    const Type part = real_type(first);
    if (!part.name) return {nullptr, {}, "complex numbers of " + part.why};
    const std::size_t size = H5Tget_size(part.memory);
    Handle memory(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    H5Tinsert(memory, names[*real].c_str(), 0, part.memory);   // the library goes by names, not by the order in the file
    H5Tinsert(memory, names[1 - *real].c_str(), size, part.memory);
    return {size == 4 ? "c64" : "c128", std::move(memory), {}};
}

/// h5py's bool is an enumeration of FALSE and TRUE, one byte of 0 or 1. Of others the numbers are read.
Type enumeration_type(hid_t stored) {
    if (H5Tget_nmembers(stored) == 2 && H5Tget_size(stored) == 1) {
        std::array<unsigned char, 2> values{};
        for (unsigned i = 0; i < 2; ++i) H5Tget_member_value(stored, i, &values[i]);
        if (values[0] + values[1] == 1) return {"bool", {H5Tcopy(stored), H5Tclose}, {}};
    }
    return integer_type(Handle(H5Tget_super(stored), H5Tclose));
}

}   // namespace

Type type_of(hid_t stored) {
    switch (H5Tget_class(stored)) {
        case H5T_INTEGER:
            return integer_type(stored);
        case H5T_FLOAT:
            return real_type(stored);
        case H5T_COMPOUND:
            return compound_type(stored);
        case H5T_ENUM:
            return enumeration_type(stored);
        case H5T_STRING:
            return {nullptr, {}, "texts"};
        case H5T_REFERENCE:
            return {nullptr, {}, "references (a cell array of MATLAB's is such)"};
        default:
            return {nullptr, {}, "elements that are no numbers"};
    }
}

Type type_of_dataset(hid_t dataset) {
    if (text_at(dataset, matlab_class) == "char") return {nullptr, {}, "texts (MATLAB's char is such)"};
    return type_of(Handle(H5Dget_type(dataset), H5Tclose));
}

bool is_null(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    return H5Sget_simple_extent_type(space) == H5S_NULL;
}

std::vector<hsize_t> sizes_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, rank)));
    if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return sizes;
}

std::string in_words(const std::vector<hsize_t>& sizes) {
    std::string text;
    for (const hsize_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text.empty() ? "one number" : text;
}

std::vector<double> numbers_at(hid_t object, const char* name, std::size_t most) {
    if (H5Aexists(object, name) <= 0) return {};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const H5T_class_t kind = H5Tget_class(type);
    if (count < 1 || count > static_cast<hssize_t>(most) || (kind != H5T_FLOAT && kind != H5T_INTEGER)) return {};
    std::vector<double> values(static_cast<std::size_t>(count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
    return values;
}

std::uint64_t entries_of(hid_t attribute, std::size_t count) {
    const std::size_t each = static_cast<std::size_t>(H5Aget_storage_size(attribute)) / count;
    if (each < 4) return UINT64_MAX;
    const Handle reference(H5Tcreate(H5T_OPAQUE, each), H5Tclose);
    // Stored is a reference for each, whose first four bytes are the length; HDF5 gives it where a conversion to bytes without a
    // meaning is known.
    static const bool known = [] {
        const auto as_it_is = [](hid_t, hid_t, H5T_cdata_t*, std::size_t, std::size_t, std::size_t, void*, void*, hid_t) -> herr_t {
            return 0;
        };
        const Handle text(H5Tcopy(H5T_C_S1), H5Tclose), list(H5Tvlen_create(H5T_NATIVE_UCHAR), H5Tclose),
            bytes(H5Tcreate(H5T_OPAQUE, 16), H5Tclose);
        H5Tset_size(text, H5T_VARIABLE);
        return H5Tregister(H5T_PERS_SOFT, "references to texts", text, bytes, as_it_is) >= 0 &&
               H5Tregister(H5T_PERS_SOFT, "references to lists", list, bytes, as_it_is) >= 0;
    }();
    std::vector<unsigned char> all(each * count);
    if (!known || H5Aread(attribute, reference, all.data()) < 0) return UINT64_MAX;
    std::uint64_t entries = 0;
    for (std::size_t at = 0; at < all.size(); at += each)
        for (std::size_t i = 0; i < 4; ++i) entries += std::uint64_t{all[at + i]} << 8 * i;
    return entries;
}

std::vector<std::string> texts_at(hid_t object, const char* name, std::size_t most) {
    if (H5Aexists(object, name) <= 0) return {};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) != H5T_STRING || count < 1 || count > static_cast<hssize_t>(most)) return {};
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type) > 0) {
        if (entries_of(attribute, static_cast<std::size_t>(count)) > most_entries) return {};
        std::vector<char*> all(static_cast<std::size_t>(count), nullptr);
        const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(memory, H5T_VARIABLE);
        H5Tset_cset(memory, H5Tget_cset(type));
        if (H5Aread(attribute, memory, all.data()) < 0) return {};
        for (const char* text : all) texts.emplace_back(text ? text : "");
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, all.data());
        return texts;
    }
    const std::size_t size = H5Tget_size(type);
    if (size > 65536) return {};
    std::vector<char> all(size * static_cast<std::size_t>(count));
    if (H5Aread(attribute, type, all.data()) < 0) return {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const char* const from = all.data() + i * size;
        texts.emplace_back(from, std::find(from, from + size, '\0'));
    }
    return texts;
}

std::string text_at(hid_t object, const char* name) {
    const std::vector<std::string> texts = texts_at(object, name, 1);
    return texts.size() == 1 ? texts.front() : std::string();
}

}   // namespace parallax::io::readers
