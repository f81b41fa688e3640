#include "core/overlap.hpp"

#include "parallax/host/error.hpp"
#include "parallax/host/place.hpp"

#include <fmt/format.h>


namespace parallax::engine {
namespace {

/// The bytes that an array fills: buffers may be larger.
host::Place place_of(const DeviceArray& array) {
    host::Place place = host::place_of(array.buffer);
    place.bytes = array.desc.dense_bytes();
    return place;
}

}  // namespace

bool works_in_place(const Algorithm& algorithm, const ArrayDesc& input, const ArrayDesc& output) {
    return algorithm.in_place && input.count() == output.count() && bytes_of(input.type) == bytes_of(output.type);
}

void check_overlaps(const Algorithm& algorithm, const NamedArrays& inputs, const NamedArrays& outputs, const NamedArrays& into,
                    const std::string& pointer) {
    for (const auto& [port, given] : into) {
        const auto output = outputs.find(port);
        if (output == outputs.end()) continue;
        const host::Place written = place_of(output->second);
        const auto refuse = [&, &port = port](const std::string& found,
                                              const std::string& hint) {   // clang 14 does not take it along
            throw ConfigError(pointer + "/into/" + port, found, "memory of its own", hint);
        };
        for (const auto& [other, array] : outputs)
            if (other != port && written.overlaps(place_of(array)))
                refuse(fmt::format("memory of the output \"{}\"", other), "give each output an array of its own");
        for (const auto& [input, array] : inputs) {
            const host::Place read = place_of(array);
            const bool same = written.first == read.first && written.bytes == read.bytes;
            if (!written.overlaps(read) || (same && works_in_place(algorithm, array.desc, output->second.desc))) continue;
            refuse(fmt::format("{} of the input \"{}\", which {} still reads while it writes",
                               same ? "the memory" : "a part of the memory", input, algorithm.name),
                   algorithm.in_place ? "allocate another array, or give the whole of an input whose elements are as large"
                                      : "allocate another array");
        }
    }
}

}  // namespace parallax::engine
