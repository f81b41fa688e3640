#include "job/read.hpp"

#include "io/f32_loss.hpp"
#include "io/read_witness.hpp"
#include "job/each_file.hpp"
#include "job/hashing.hpp"
#include "job/small_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

constexpr const char* leave_alone = "do not write to a file while a job reads it; run the job again";

/// What was read must be what was planned for: kernels run over so many elements of such a type, whatever the memory holds.
void hold(const std::filesystem::path& file, const ArrayDesc& found, const ArrayDesc& planned) {
    const auto same = [](const Axis& a, const Axis& b) { return a.name == b.name && a.size == b.size; };
    if (found.type == planned.type &&
        std::equal(found.axes.begin(), found.axes.end(), planned.axes.begin(), planned.axes.end(), same))
        return;
    throw IoError(
        to_utf8(file),
        fmt::format("has changed since the job looked at it: it held {}, and holds {}", planned.describe(), found.describe()),
        leave_alone);
}

/// Runs `read`. A file that has changed meanwhile is told as that, whether reading it went well or not.
template <class Read>
void as_looked_at(const std::filesystem::path& file, const std::filesystem::path& through, const io::FileInfo& info,
                  const Read& read) {
    try {
        read();
    } catch (const IoError& error) {
        check_unchanged(file, through, info);
        throw IoError(to_utf8(file), error.problem, error.hint);
    }
    check_unchanged(file, through, info);
}

}  // namespace

void apply_non_finite(HostArray& array, NonFinite policy, const std::string& origin) {
    const ElementType type = array.desc.type;
    if (policy == NonFinite::propagate || !(is_floating(type) || is_complex(type))) return;
    array = array.to_dense();
    if (type == ElementType::f32 || type == ElementType::c64) apply<float>(array, policy, origin, is_complex(type) ? 2 : 1);
    else apply<double>(array, policy, origin, is_complex(type) ? 2 : 1);
}

void check_unchanged(const std::filesystem::path& file, const std::filesystem::path& through, const io::FileInfo& info) {
    const auto now = host::identity_of(through);
    for (const auto* const parts : {&info.parts, &info.folders}) {
        for (const io::FilePart& part : *parts) {
            const auto there = host::identity_of(part.path);
            if (there == part.identity) continue;
            throw IoError(to_utf8(part.path),
                          fmt::format("{} since the job looked at {}, of which it is a part", there ? "has changed" : "has gone",
                                      to_utf8(file)),
                          leave_alone);
        }
    }
    if (!info.identity || now == info.identity) return;
    throw IoError(
        to_utf8(file),
        fmt::format("{} since the job looked at it, when it held {}", now ? "has changed" : "has gone", info.desc.describe()),
        leave_alone);
}

HostArray read_input(const InputSpec& input, const PreparedInput& prepared, NonFinite policy,
                     const std::function<HostArray(const ArrayDesc&)>& allocate, InputWarnings& warnings,
                     std::vector<FileReport>* hashed) {
    const std::size_t count = prepared.files.size();
    std::vector<HostArray> arrays(count);
    std::vector<std::vector<FileReport>> reports(hashed ? count : 0);
    const auto read = [&](std::size_t i) {
        const std::filesystem::path& file = prepared.files[i];
        const host::OpenedFile opened = prepared.open(file);
        io::ReadOptions options = input.read;
        if (input.combine.empty()) options.allocate = allocate;
        options.through = opened.path();
        options.open_part = prepared.part_opener();
        std::optional<io::ReadWitness> witness;
        const bool certain = is_certain(prepared.infos[i]);
        if (hashed) witness.emplace(opened.path(), prepared.infos[i].identity);
        as_looked_at(file, opened.path(), prepared.infos[i], [&] {
            arrays[i] = io::read(file, options);
            hold(file, arrays[i].desc, delivered(file, prepared.infos[i], input));
            if (hashed) reports[i] = report_input_file(prepared, i, opened);
            if (hashed && !certain)   // by what it was before it was read
                for (FileReport& report : reports[i]) report.certain = false;
        });
        apply_non_finite(arrays[i], policy, fmt::format("input \"{}\", {}", input.name, to_utf8(file)));
    };
    if (is_small(prepared)) {
        each_file(count, read);
    } else {   // each takes memory beside its array
        for (std::size_t i = 0; i < count; ++i) read(i);
    }
    for (std::vector<FileReport>& of_file : reports)
        for (FileReport& report : of_file) hashed->push_back(std::move(report));
    return combine_input(input, prepared, arrays, warnings);
}

bool has_slices(const InputSpec& spec, const PreparedInput& input) {
    if (input.files.size() != 1 || !spec.combine.empty() || spec.read.pages || spec.read.volume || !spec.read.channel.empty())
        return false;
    return input.infos.front().in_slices;
}

io::SliceStream open_slices(const InputSpec& input, const PreparedInput& prepared) {
    const std::filesystem::path file = prepared.files.front();
    const io::FileInfo info = prepared.infos.front();
    const host::OpenedFile opened = prepared.open(file);
    io::ReadOptions options = input.read;
    options.through = opened.path();
    options.open_part = prepared.part_opener();
    io::SliceStream slices;
    as_looked_at(file, opened.path(), info, [&] {
        slices = io::open_slices(file, options);
        hold(file, slices.desc, info.desc);
    });
    slices.next = [file, opened, info, next = std::move(slices.next)](std::int64_t count, std::byte* to) {
        as_looked_at(file, opened.path(), info, [&] { next(count, to); });
    };
    slices.skip = [file, opened, info, skip = std::move(slices.skip)](std::int64_t count) {
        as_looked_at(file, opened.path(), info, [&] { skip(count); });
    };
    return slices;
}

std::string InputWarning::in_words() const { return fmt::format("input \"{}\": {}", input, text); }

HostArray combine_input(const InputSpec& input, const PreparedInput& prepared, const std::vector<HostArray>& arrays,
                        InputWarnings& warnings) {
    for (const HostArray& one : arrays) {
        const std::string loss = input.combine.empty() ? std::string() : io::loss_in_f32(one);
        if (loss.empty()) continue;
        warnings.push_back({input.name, "its files are combined " + loss});
        break;   // one stands for all
    }
    HostArray array = input.combine.empty() ? arrays.front() : io::combine(arrays, input.combine);
    hold(prepared.files.front(), array.desc, prepared.desc);
    array.desc = with_stated_spacing(std::move(array.desc), input);
    array.metadata = with_stated_spacing(std::move(array.metadata), array.desc, input);
    return array;
}

}  // namespace parallax::engine
