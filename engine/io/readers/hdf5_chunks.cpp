#include "io/readers/hdf5_chunks.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

#include "io/readers/hdf5_slabs.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

/// What stands in chunks that are not there, in words.
std::string fill_of(hid_t list, const Type& type) {
    H5D_fill_time_t time = H5D_FILL_TIME_IFSET;
    H5D_fill_value_t defined = H5D_FILL_VALUE_DEFAULT;
    H5Pget_fill_time(list, &time);
    H5Pfill_value_defined(list, &defined);
    if (time == H5D_FILL_TIME_NEVER || defined != H5D_FILL_VALUE_USER_DEFINED) return "0";   // what the memory holds
    std::array<char, 32> text{};
    const H5T_class_t kind = H5Tget_class(type.memory);
    long long whole = 0;
    unsigned long long natural = 0;
    double real = 0;
    if (kind == H5T_INTEGER && H5Tget_sign(type.memory) == H5T_SGN_NONE &&
        H5Pget_fill_value(list, H5T_NATIVE_ULLONG, &natural) >= 0)
        std::snprintf(text.data(), text.size(), "%llu", natural);
    else if (kind == H5T_INTEGER && H5Pget_fill_value(list, H5T_NATIVE_LLONG, &whole) >= 0)
        std::snprintf(text.data(), text.size(), "%lld", whole);
    else if (kind == H5T_FLOAT && H5Pget_fill_value(list, H5T_NATIVE_DOUBLE, &real) >= 0)
        std::snprintf(text.data(), text.size(), "%.9g", real);
    else
        return "their fill value";
    return text.data();
}

/// How many of the places of a dataset have a chunk.
std::uint64_t count_in_places(hid_t dataset, const std::vector<hsize_t>& sizes, const std::vector<hsize_t>& chunk) {
    std::vector<hsize_t> at(sizes.size(), 0);
    std::uint64_t there = 0;
    for (std::size_t axis = 0; axis < sizes.size();) {
        hsize_t bytes = 0;
        there += H5Dget_chunk_storage_size(dataset, at.data(), &bytes) >= 0 && bytes > 0 ? 1 : 0;
        for (axis = 0; axis < sizes.size(); ++axis) {   // to the next place
            at[axis] += chunk[axis];
            if (at[axis] < sizes[axis]) break;
            at[axis] = 0;
        }
    }
    return there;
}

}   // namespace

std::string missing_chunks(hid_t dataset, const std::string& path, const std::vector<hsize_t>& sizes, const Type& type) {
    const Handle list(H5Dget_create_plist(dataset), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(list);
    if (layout != H5D_COMPACT && H5Dget_storage_size(dataset) == 0)
        throw Problem{"has none of the elements of its dataset " + path, "it has not been written in full, or is damaged"};
    const std::vector<hsize_t> chunk = chunk_of(dataset);
    if (layout != H5D_CHUNKED || chunk.size() != sizes.size()) return {};
    std::uint64_t all = 1;   // check_storage() has bounded the elements
    for (std::size_t i = 0; i < sizes.size(); ++i) all *= (sizes[i] + chunk[i] - 1) / chunk[i];
    const Handle space(H5Dget_space(dataset), H5Sclose);
    hsize_t named = 0;
    if (H5Dget_num_chunks(dataset, space, &named) < 0)
        throw Problem{"has a damaged index of the chunks of its dataset " + path + ": " + last_words(), again};
    // Each place is looked up, as when it is read; of a file with few chunks not any number of them.
    if (all > 4 * named + 4000000)
        throw Problem{"has " + std::to_string(named) + " of the " + std::to_string(all) + " chunks of its dataset " + path,
                      "write it again with larger chunks, for instance by h5repack"};
    const std::uint64_t there = count_in_places(dataset, sizes, chunk);
    if (there != named)
        throw Problem{"has " + std::to_string(named) + " chunks of its dataset " + path + ", of which " + std::to_string(there) +
                          " lie in it",
                      again};
    if (there == all) return {};
    return std::to_string(all - there) + " of its " + std::to_string(all) + " chunks are not there: they are filled with " +
           fill_of(list, type);
}

}   // namespace parallax::io::readers
