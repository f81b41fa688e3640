#include "series/conveyor_shape.hpp"

#include "exec/host_memory.hpp"
#include "job/packing.hpp"
#include "support/memory.hpp"
#include "support/platform.hpp"

#include <algorithm>

namespace parallax::engine::series {

FileWork file_work_of(const PreparedSeries& series) {
    FileWork work;
    for (std::size_t i = 0; i < series.job.inputs.size(); ++i) {
        if (!series.job.inputs[i].each) continue;
        for (const io::FileInfo& info : series.sample.inputs[i].infos)
            work.unpacks = work.unpacks || info.file_bytes < info.desc.dense_bytes();
    }
    work.packs = !without_packing(series.job.outputs).empty();
    work.writes = std::any_of(series.job.outputs.begin(), series.job.outputs.end(), [](const OutputSpec& output) {
        return output.form == OutputForm::array && !output.of_series();
    });
    return work;
}

ConveyorShape threads_for(int cores, FileWork work, int devices) {
    ConveyorShape shape;
    shape.readers = std::clamp(cores / (work.unpacks || !work.writes ? 2 : 4) / devices, 1, 16);
    shape.writers = work.packs ? cores : std::max(cores - shape.readers * devices, std::min(cores, 2));
    return shape;
}

ConveyorShape shape_of(const PreparedSeries& series, Engine& engine, const RunSeriesOptions& options, std::size_t devices) {
    const int cores = std::clamp(host::platform::processors(), 1, 32);
    ConveyorShape shape = threads_for(cores, file_work_of(series), static_cast<int>(devices));
    if (options.readers > 0) shape.readers = options.readers;
    if (options.writers > 0) shape.writers = options.writers;
    const std::uint64_t item = std::max<std::uint64_t>(series.sample.resolved.array_bytes(), 1);
    const std::uint64_t limit = budget_of(series.sample.resolved.pipeline, engine).total;
    const std::uint64_t taken = engine.context().allocated();
    const std::uint64_t fit = limit > taken ? (limit - taken) / item : 1;
    shape.in_flight =
        static_cast<int>(std::clamp<std::uint64_t>(fit, 1, static_cast<std::uint64_t>(std::max(options.in_flight, 1))));
    // Each thread has one in its hands, and as many as the device has at once wait on either side of it. More would only have
    // more memory taken, which a driver gives slowly.
    shape.items_in_memory = static_cast<std::size_t>(shape.readers + 3 * shape.in_flight + shape.writers);
    shape.items_in_memory = std::min<std::size_t>(shape.items_in_memory, most_tickets);
    // As many as the host holds; the rest of its memory is for tables, statistics and what files are decoded with.
    const std::uint64_t on_host = host_bytes_of_item(series.sample.resolved) + (is_the_host(engine.device()) ? item : 0);
    check_host(on_host, "an item of the series");
    if (const std::uint64_t room = host::platform::memory_room().bytes; room > 0)
        shape.items_in_memory = static_cast<std::size_t>(std::clamp<std::uint64_t>(
            room / 4 * 3 / devices / std::max<std::uint64_t>(on_host, 1), 1, shape.items_in_memory));
    shape.in_flight = std::min(shape.in_flight, static_cast<int>(shape.items_in_memory));
    return shape;
}

}  // namespace parallax::engine::series
