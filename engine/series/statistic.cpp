#include "series/statistic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/file.hpp"
#include "io/io.hpp"
#include "io/units.hpp"
#include "parallax/host/error.hpp"
#include "series/extreme.hpp"
#include "series/mean.hpp"
#include "series/median.hpp"
#include "series/stack.hpp"

namespace parallax::engine::series {

void FrameSeal::add(const void* bytes, std::size_t count) {
    for (std::size_t start = 0; start < count; start += piece)
        hashes_ += io::hash_text({static_cast<const char*>(bytes) + start, std::min(piece, count - start)});
}

std::string FrameSeal::finish() const { return io::hash_text(hashes_); }

Seal Statistic::seal(const std::filesystem::path& saved, std::size_t) const { return {io::hash_file(saved), 0}; }

std::string seal_of(const std::filesystem::path& path, std::size_t frame_bytes, std::size_t count) {
    if (frame_bytes == 0) return io::hash_file(path);
    io::File file = io::File::open(path);
    std::vector<std::byte> piece(std::min(FrameSeal::piece, frame_bytes));
    std::string frames;
    for (std::size_t n = 0; n < count; ++n) {
        FrameSeal seal;
        for (std::size_t left = frame_bytes; left > 0;) {
            const std::size_t length = std::min(piece.size(), left);
            file.read(piece.data(), length, "the frames");
            seal.add(piece.data(), length);
            left -= length;
        }
        frames += seal.finish();
    }
    return io::hash_text(frames);
}

std::unique_ptr<Statistic> make_statistic(const std::string& how, const ArrayDesc& item, const std::filesystem::path& stem) {
    const auto elements = static_cast<std::size_t>(item.count());
    if (how == "mean") return std::make_unique<Mean>(elements);
    if (how == "median") return std::make_unique<Median>(elements, stem);
    if (how == "min") return std::make_unique<Extreme>(elements, Extreme::Which::least);
    if (how == "max") return std::make_unique<Extreme>(elements, Extreme::Which::greatest);
    if (is_stack(how)) return std::make_unique<Stack>(item.dense_bytes(), stem);
    throw Error(fmt::format("arrays of a series are combined by mean, median, min, max or stack, not by \"{}\"", how));
}

bool is_ending_of_state(const std::string& ending) {
    const auto all = {Mean::ending, Median::ending, Extreme::ending_of_least, Extreme::ending_of_greatest, Stack::ending};
    return std::find(all.begin(), all.end(), ending) != all.end();
}

ArrayDesc combined(const std::string& how, const ArrayDesc& item, std::int64_t items, const Spread& along) {
    if (!is_stack(how)) return item.with_type(ElementType::f32);
    const bool slices = along.axis == 'z' && !item.find('z') && !item.find('t');
    std::vector<ArrayDesc::Extent> extents{{slices ? 'z' : item.find('t') ? 'n' : 't', items}};
    for (const Axis& axis : item.axes) extents.push_back({axis.name, axis.size});
    ArrayDesc stack = ArrayDesc::dense(item.type, extents).with_unit(item.unit);
    for (std::size_t i = 0; i < item.axes.size(); ++i) stack.axes[i + 1].spacing = item.axes[i].spacing;
    const double step = slices ? io::converted(along.spacing, along.unit, item.unit) : along.axis == 't' ? along.spacing : 0;
    if (step > 0) stack.axes.front().spacing = step;
    return stack;
}

StatisticCost cost_of(const std::string& how, const ArrayDesc& item, std::uint64_t items) {
    const auto elements = static_cast<std::uint64_t>(item.count());
    if (how == "mean") return {elements * Mean::bytes_of_element, elements * Mean::bytes_of_state};
    if (how == "median") return {Median::memory, elements * sizeof(float) * items};
    if (is_stack(how)) return {item.dense_bytes() * items, item.dense_bytes() * items};
    return {elements * sizeof(float), elements * sizeof(float)};
}

}   // namespace parallax::engine::series
