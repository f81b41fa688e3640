#include "job/read.hpp"

#include <fmt/format.h>

#include <cmath>

namespace parallax::engine {

namespace {

/// "[3, 7] (y, x)" of the n-th element.
std::string place_of(const ArrayDesc& desc, std::int64_t n) {
    std::vector<std::int64_t> index(desc.axes.size());
    std::string names;
    for (std::size_t i = desc.axes.size(); i-- > 0;) {
        index[i] = n % desc.axes[i].size;
        n /= desc.axes[i].size;
    }
    for (const Axis& axis : desc.axes) names += (names.empty() ? "" : ", ") + std::string(1, axis.name);
    return fmt::format("[{}] ({})", fmt::join(index, ", "), names);
}

template <class T>
void apply(HostArray& array, NonFinite policy, const std::string& origin, std::int64_t parts) {
    T* const values = array.as<T>();
    const std::int64_t count = array.desc.count() * parts;
    for (std::int64_t i = 0; i < count; ++i) {
        if (std::isfinite(values[i])) continue;
        if (policy == NonFinite::reject) {
            throw IoError(origin, fmt::format("holds {} at {}", values[i], place_of(array.desc, i / parts)),
                          "\"non_finite\": \"mask\" takes 0 for such values, \"propagate\" keeps them");
        }
        values[i] = 0;
    }
}

}  // namespace

void apply_non_finite(HostArray& array, NonFinite policy, const std::string& origin) {
    const ElementType type = array.desc.type;
    if (policy == NonFinite::propagate || !(is_floating(type) || is_complex(type))) return;
    array = array.to_dense();
    if (type == ElementType::f32 || type == ElementType::c64) apply<float>(array, policy, origin, is_complex(type) ? 2 : 1);
    else apply<double>(array, policy, origin, is_complex(type) ? 2 : 1);
}

HostArray read_input(const InputSpec& input, const PreparedInput& prepared, NonFinite policy,
                     const std::function<HostArray(const ArrayDesc&)>& allocate) {
    io::ReadOptions options = input.read;
    if (input.combine.empty()) options.allocate = allocate;
    std::vector<HostArray> arrays;
    for (const std::filesystem::path& file : prepared.files) {
        arrays.push_back(io::read(file, options));
        apply_non_finite(arrays.back(), policy, fmt::format("input \"{}\", {}", input.name, to_utf8(file)));
    }
    return combine_input(input, arrays);
}

bool has_slices(const InputSpec& spec, const PreparedInput& input) {
    if (input.files.size() != 1 || !spec.combine.empty() || spec.read.pages || spec.read.volume || spec.read.keep_channels) return false;
    return input.infos.front().in_slices;
}

io::SliceStream open_slices(const InputSpec& input, const PreparedInput& prepared) {
    io::SliceStream slices = io::open_slices(prepared.files.front(), input.read);
    if (slices.desc.describe() != prepared.infos.front().desc.describe())
        throw IoError(to_utf8(prepared.files.front()), fmt::format("holds {} now, and held {}", slices.desc.describe(), prepared.infos.front().desc.describe()),
                      "do not write to a file while a job reads it");
    return slices;
}

HostArray combine_input(const InputSpec& input, const std::vector<HostArray>& arrays) {
    HostArray array = input.combine.empty() ? arrays.front() : io::combine(arrays, input.combine);
    array.desc = with_stated_spacing(std::move(array.desc), input);
    return array;
}

}  // namespace parallax::engine
