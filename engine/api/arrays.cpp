// Arrays and events: views checked, memory wrapped, what has gaps packed.
#include "algorithms/elementwise/copy_view.hpp"
#include "api/impl.hpp"
#include "opencl/borrow.hpp"
#include "opencl/native.hpp"
#if defined(PARALLAX_HAS_CUDA)
#include "cuda/borrow.hpp"
#endif

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace parallax {

namespace {

/// Copies an array with gaps into one without; the layout itself is the input's.
const engine::Algorithm& pack_algorithm() {
    static const auto& pack = *new engine::Algorithm([] {
        const auto whole = [](const engine::Problem& problem) { return problem.inputs.at("image"); };
        engine::Algorithm a;
        a.name = "pack";
        a.summary = "Copies an array with gaps into one without";
        struct None {};
        a.parameters = engine::TableBuilder<None>().build();
        a.inputs = {{"image", "an array with gaps"}};
        a.outputs = {{"image", "the same without"}};
        a.infer = [](const engine::Problem& problem) {
            return engine::ArrayDescs{{"image", problem.inputs.at("image").to_dense()}};
        };
        a.variants = {engine::elementwise::copy_view_variant(whole), engine::elementwise::copy_view_reference(whole)};
        return a;
    }());
    return pack;
}

/// With what keeps it from being dense, where something does: "f32 4 (x) with strides 2".
std::string with_gaps(const ArrayDesc& desc) {
    if (desc.is_dense()) return desc.describe();
    std::vector<std::int64_t> strides;
    for (const Axis& axis : desc.axes) strides.push_back(axis.stride);
    const std::string offset = desc.offset == 0 ? "" : fmt::format(" and offset {}", desc.offset);
    return fmt::format("{} with strides {}{}", desc.describe(), fmt::join(strides, ", "), offset);
}

}  // namespace

std::int64_t extent_of(const ArrayDesc& desc) noexcept {
    if (desc.count() == 0) return 0;
    std::int64_t last = desc.offset;
    for (const Axis& axis : desc.axes) last += (axis.size - 1) * axis.stride;
    return last + 1;
}

void check_view(const ArrayDesc& desc, const void* data, const std::string& name) {
    const std::string pointer = name.empty() ? "" : "/inputs/" + name;
    if (desc.axes.empty())
        throw ConfigError(pointer, "an array without axes", "at least one axis, for instance {{'y', 480}, {'x', 640}}");
    // A number that a caller made an ElementType is one of none, and a byte may be no letter.
    if (static_cast<unsigned>(desc.type) > static_cast<unsigned>(ElementType::c128))
        throw ConfigError(pointer, fmt::format("an array of the element type {}", static_cast<int>(desc.type)),
                          "one of ElementType");
    for (const Axis& axis : desc.axes)
        if (axis.name <= ' ' || axis.name > '~')
            throw ConfigError(pointer, fmt::format("an axis called byte {}", static_cast<unsigned char>(axis.name)), "a letter",
                              "c channels, t time, z depth, y rows, x columns, n anything else");
    std::int64_t count = 1, last = desc.offset;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 64;
    for (const Axis& axis : desc.axes) {
        const bool sound = axis.size >= 0 && axis.stride >= 0 && axis.size <= most &&
                           (axis.size == 0 || (count <= most / axis.size && axis.stride <= most / axis.size));
        if (!sound || desc.offset < 0 || last > most) {
            throw ConfigError(pointer, fmt::format("axis {} of {} elements, {} apart", axis.name, axis.size, axis.stride),
                              "sizes, strides and offset from 0 on that memory can hold");
        }
        count *= axis.size;
        last += (axis.size - 1) * axis.stride;
        const auto same = [&](const Axis& other) { return other.name == axis.name; };
        if (axis.name != 'n' && std::count_if(desc.axes.begin(), desc.axes.end(), same) > 1)
            throw ConfigError(pointer, fmt::format("{}: the axis {} twice", desc.describe(), axis.name), "each axis once",
                              "c channels, t time, z depth, y rows, x columns, n anything else");
    }
    if (data == nullptr && count != 0)
        throw ConfigError(pointer, "a null pointer for " + desc.describe(), "the start of the array's memory");
}

/// Of an array that a caller gives; what is computed may have other distances (of a spectrum of one row).
void check_given(const ArrayDesc& desc, const void* data, const std::string& name) {
    check_view(desc, data, name);
    for (const Axis& axis : desc.axes)
        if (!std::isfinite(axis.spacing) || axis.spacing < 0 || (axis.spacing == 0 && axis.name != 't'))
            throw ConfigError(name.empty() ? "" : "/inputs/" + name,
                              fmt::format("axis {} with a spacing of {}", axis.name, axis.spacing),
                              "a distance from element to element, above 0", "1 where it is not known; 0 of t that says no time");
}

Event to_public(host::Event event) { return Event(std::make_shared<const Event::Impl>(Event::Impl{std::move(event)})); }

std::vector<host::Event> to_host(std::span<const Event> events) {
    std::vector<host::Event> list;
    for (const Event& event : events) {
        if (event.impl() == nullptr) continue;
        host::Event own = handed(event.impl()->event);
        if (own.ended()) own.wait();   // throws what it ended with: not every driver has commands fail that wait for it
        else list.push_back(std::move(own));
    }
    return list;
}

bool fits(const ArrayDesc& memory, const ArrayDesc& array) {
    if (memory.type != array.type || memory.count() != array.count()) return false;
    if (memory.axes.size() <= 1) return true;   // a row of elements is no layout
    const auto long_axes = [](const ArrayDesc& desc) {
        std::vector<Axis> axes;   // one of a single element changes nothing
        for (const Axis& axis : desc.axes)
            if (axis.size != 1) axes.push_back(axis);
        return axes;
    };
    const std::vector<Axis> here = long_axes(memory), there = long_axes(array);
    const auto are_as_long = [](const Axis& a, const Axis& b) { return a.size == b.size; };
    const auto are_called_alike = [](const Axis& a, const Axis& b) { return a.name == b.name; };
    if (!std::equal(here.begin(), here.end(), there.begin(), there.end(), are_as_long)) return false;
    // The same names in another order are another layout, which sizes tell only where they differ.
    return std::equal(here.begin(), here.end(), there.begin(), are_called_alike) ||
           !std::is_permutation(here.begin(), here.end(), there.begin(), are_called_alike);
}

void Event::wait() const {
    if (impl_) impl_->event.wait();
}
bool Event::complete() const { return !impl_ || impl_->event.complete(); }
_cl_event* Event::opencl() const noexcept { return impl_ ? host::opencl::event_handle(handed(impl_->event)) : nullptr; }

namespace {

const Array::Impl& present(const Array::Impl* impl) {
    if (impl == nullptr) throw ConfigError("", "an empty array", "an array that a session has made");
    return *impl;
}

}  // namespace

const ArrayDesc& Array::desc() const { return present(impl()).array.desc; }
const Metadata& Array::metadata() const { return present(impl()).array.metadata; }
_cl_mem* Array::opencl() const noexcept { return impl_ ? host::opencl::memory_handle(impl_->array.buffer) : nullptr; }
std::uint64_t Array::cuda() const noexcept {
#if defined(PARALLAX_HAS_CUDA)
    if (impl_) return host::cuda::address_of(impl_->array.buffer);
#endif
    return 0;
}

int Array::cuda_device() const noexcept { return cuda() != 0 ? impl_->engine->engine.device().index_in_platform : -1; }

Array Session::Impl::array(DeviceArray array) const {
    return Array(std::make_shared<const Array::Impl>(engine.impl(), std::move(array)));
}

const DeviceArray& Session::Impl::own(const Array& array) const {
    const Array::Impl& impl = present(array.impl());
    if (impl.engine != engine.impl()) {
        throw ConfigError("", "an array of another engine, on " + impl.engine->engine.device().name,
                          "an array of the session's engine", "download it there and upload it here");
    }
    return impl.array;
}

const DeviceArray& Session::Impl::made(const Array& array, host::Queue& queue) {
    const DeviceArray& source = own(array);
    order.before(queue, source, Order::Use::read);
    // A driver's queue goes in order, and nothing of what it has got is taken back; the native device's commands may be.
    host::Event making = array.impl()->making.check();
    if (making && engine.device().backend == host::Backend::native) makings.push_back(std::move(making));
    return source;
}

DeviceArray Session::Impl::dense(const DeviceArray& array) {
    if (array.desc.is_dense()) return array;
    const std::size_t offset = static_cast<std::size_t>(array.desc.offset) * bytes_of(array.desc.type);
    ArrayDesc from_zero = array.desc;
    from_zero.offset = 0;
    if (from_zero.is_dense() && offset % context().info().base_align == 0)
        return {from_zero, array.metadata, array.buffer.sub(offset, from_zero.dense_bytes())};
    engine::Call call;
    call.algorithm = &pack_algorithm();
    call.parameters = call.algorithm->parameters.defaults();
    call.inputs.emplace("image", array);
    const auto running = session.submit(call, {}, std::exchange(makings, {}));
    held.push_back({running, call.inputs});
    if (engine.device().backend == host::Backend::native) makings.push_back(running->done());
    DeviceArray packed = running->result().outputs.at("image");
    packed.metadata = array.metadata;
    return packed;
}

DeviceArray Session::Impl::upload(const View& view, std::string_view stage) {
    DeviceArray result = session.allocate(view.desc);
    result.metadata = view.metadata;
    if (view.desc.count() == 0) return result;
    const auto* start = static_cast<const std::byte*>(view.data);
    ArrayDesc from_zero = view.desc;
    from_zero.offset = 0;
    const std::size_t bytes = view.desc.dense_bytes();
    if (from_zero.is_dense()) {
        session.queue().write(result.buffer, 0, start + static_cast<std::size_t>(view.desc.offset) * bytes_of(view.desc.type),
                              bytes, stage);
        return result;
    }
    HostArray gaps{view.desc, {}, std::shared_ptr<std::byte[]>(std::shared_ptr<void>(), const_cast<std::byte*>(start))};
    const HostArray packed = gaps.to_dense();
    const host::Event done = session.queue().write(result.buffer, 0, packed.data(), bytes, stage);
    session.queue().keep(packed.memory, done);
    return result;
}

DeviceArray Session::Impl::take(const Input& input, const std::string& name) {
    if (const Array* array = std::get_if<Array>(&input)) {
        return dense(made(*array, session.queue()));
    }
    const View& view = std::get<View>(input);
    check_given(view.desc, view.data, name);
    return upload(view, name);
}

host::Queue& Session::Impl::upload_queue() {
    if (borrowed) return session.queue();
    if (!uploads) uploads = context().create_queue();
    return *uploads;
}

host::Queue& Session::Impl::download_queue() {
    if (borrowed) return session.queue();
    if (!downloads) downloads = context().create_queue();
    return *downloads;
}

Array Session::allocate(const ArrayDesc& desc) {
    const std::lock_guard lock(impl_->mutex);
    check_given(desc, "", {});
    return impl_->array(impl_->session.allocate(desc));
}

Array Session::upload(const View& view) {
    const std::lock_guard lock(impl_->mutex);
    check_given(view.desc, view.data, {});
    return impl_->with_memory_of_the_caller([&] {
        DeviceArray array = impl_->upload(view, "upload");
        impl_->session.queue().barrier({}, "upload").wait();
        return impl_->array(std::move(array));
    });
}

HostArray Session::download(const Array& array) {
    HostArray result = HostArray::make(array.desc().to_dense());
    result.metadata = array.metadata();
    download(array, MutableView(result));
    return result;
}

void Session::download(const Array& array, const MutableView& view) {
    const std::lock_guard lock(impl_->mutex);
    const DeviceArray source =
        impl_->with_memory_of_the_caller([&] { return impl_->dense(impl_->made(array, impl_->session.queue())); });
    for (const host::Event& making : std::exchange(impl_->makings, {})) making.wait();
    check_view(view.desc, view.data, {});
    ArrayDesc from_zero = view.desc;
    from_zero.offset = 0;
    if (!from_zero.is_dense() || !fits(view.desc, source.desc)) {
        throw ConfigError("", "memory for " + with_gaps(view.desc), "dense memory for " + source.desc.describe());
    }
    if (view.desc.count() == 0) return;
    auto* to = static_cast<std::byte*>(view.data) + static_cast<std::size_t>(view.desc.offset) * bytes_of(view.desc.type);
    host::Queue& queue = impl_->session.queue();
    impl_->with_memory_of_the_caller([&] {
        queue.barrier({}, "download");   // ties a queue that is out of order
        queue.read(source.buffer, 0, to, source.desc.dense_bytes(), "download").wait();
    });
}

HostArray Session::pinned(const ArrayDesc& desc) {
    check_view(desc, "", {});
    const ArrayDesc dense = desc.to_dense();
    if (dense.dense_bytes() == 0) return HostArray::make(dense);
    struct Kept {   // in this order: memory goes before the context that it is of
        std::shared_ptr<Engine::Impl> engine;
        std::shared_ptr<host::PinnedMemory> memory;
    };
    auto kept = std::make_shared<Kept>(Kept{impl_->engine.impl(), impl_->context().allocate_pinned(dense.dense_bytes())});
    std::byte* data = kept->memory->bytes().data();
    return {dense, {}, std::shared_ptr<std::byte[]>(std::move(kept), data)};
}

Event Session::write(const Array& array, const View& view, std::span<const Event> wait) {
    const std::lock_guard lock(impl_->mutex);
    const DeviceArray& target = impl_->own(array);
    check_view(view.desc, view.data, {});
    if (!view.desc.is_dense() || !target.desc.is_dense() || !fits(view.desc, target.desc)) {
        throw ConfigError("", with_gaps(view.desc) + " for an array of " + with_gaps(target.desc),
                          "dense memory of the same type and size", "upload() takes memory with gaps");
    }
    host::Queue& queue = impl_->upload_queue();
    return impl_->ended_on(queue, [&] {
        impl_->order.before(queue, target, Order::Use::write);
        queue.barrier(to_host(wait), "write");
        queue.write(target.buffer, 0, view.data, target.desc.dense_bytes(), "write");
        const host::Event done = queue.barrier({}, "write");
        impl_->order.after(queue, target, Order::Use::write, done);
        array.impl()->making.set(done);
        queue.flush();
        return to_public(done);
    });
}

Event Session::read(const Array& array, const MutableView& view, std::span<const Event> wait) {
    const std::lock_guard lock(impl_->mutex);
    impl_->own(array);
    check_view(view.desc, view.data, {});
    const DeviceArray& source = array.impl()->array;
    if (!view.desc.is_dense() || !source.desc.is_dense() || !fits(view.desc, source.desc)) {
        throw ConfigError("", with_gaps(view.desc) + " for an array of " + with_gaps(source.desc),
                          "dense memory of the same type and size");
    }
    host::Queue& queue = impl_->download_queue();
    return impl_->ended_on(queue, [&] {
        queue.barrier(to_host(wait), "read");
        impl_->made(array, queue);
        if (!impl_->makings.empty()) queue.barrier(std::exchange(impl_->makings, {}), "what makes it");
        queue.read(source.buffer, 0, view.data, source.desc.dense_bytes(), "read");
        const host::Event done = queue.barrier({}, "read");
        impl_->order.after(queue, source, Order::Use::read, done);
        queue.flush();
        return to_public(done);
    });
}

namespace {

void check_lies_within(const ArrayDesc& layout, std::size_t bytes) {
    const auto needed = static_cast<std::uint64_t>(extent_of(layout)) * bytes_of(layout.type);
    if (needed <= bytes) return;
    throw ConfigError("", fmt::format("a buffer of {} bytes", bytes),
                      fmt::format("at least {} bytes for {}, offset {}", needed, layout.describe(), layout.offset));
}

}  // namespace

Array Session::wrap(_cl_mem* memory, const ArrayDesc& layout) {
    check_given(layout, "", {});
    host::Buffer buffer = host::opencl::borrow_memory(impl_->context(), memory);
    check_lies_within(layout, buffer.bytes());
    return impl_->array({layout, {}, std::move(buffer)});
}

Array Session::wrap_cuda([[maybe_unused]] std::uint64_t address, const ArrayDesc& layout) {
    check_given(layout, "", {});
#if defined(PARALLAX_HAS_CUDA)
    const std::size_t bytes = static_cast<std::size_t>(extent_of(layout)) * bytes_of(layout.type);
    return impl_->array({layout, {}, host::cuda::borrow_memory(impl_->context(), address, bytes)});
#else
    throw UnsupportedError("this build has no CUDA backend", {"configure with PARALLAX_CUDA=ON and the CUDA toolkit's headers"});
#endif
}

Event Session::wrap(_cl_event* event) { return to_public(host::opencl::borrow_event(impl_->context(), event)); }

}  // namespace parallax
