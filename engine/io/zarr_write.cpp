// Zarr stores of ours (zarr_layout.hpp), written plane after plane, so that an array need not be in memory as a whole.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <libdeflate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>

#include "io/file.hpp"
#include "io/format.hpp"
#include "io/hints.hpp"
#include "io/transaction.hpp"
#include "io/zarr_layout.hpp"
#include "parallax/host/error.hpp"
#include "support/folder.hpp"

namespace parallax::io::zarr {
namespace {

constexpr std::int64_t most_chunks = std::int64_t{1} << 20;   ///< files; more are not read, either

/// A store in an empty folder. No link in it is followed: somebody else may put some there.
class Store {
public:
    Store(const std::filesystem::path& folder, std::string name)
        : folder_(host::Folder::open(folder.parent_path()).below(folder.filename())), name_(std::move(name)) {}

    void put(const std::filesystem::path& relative, std::span<const std::byte> bytes) {
        written_ += bytes.size();
        if (const std::uint64_t room = Transaction::left_of_limit(); written_ > room)
            throw IoError(name_, fmt::format("has {} bytes and more, and {} are left of the limit on outputs", written_, room),
                          "raise the limit, or write less");
        const host::Folder place = folder_.make(relative.parent_path(), [](const std::filesystem::path&) {});
        File file = File::create(place / relative.filename());
        file.write(bytes.data(), bytes.size());
        file.close();
    }
    void put(const std::filesystem::path& relative, const Json& json) {
        const std::string text = json.dump(4, ' ', false, Json::error_handler_t::replace) + '\n';
        put(relative, std::as_bytes(std::span(text)));
    }

private:
    host::Folder folder_;
    std::string name_;
    std::uint64_t written_ = 0;
};

/// Takes a dense array's bytes in their order, some at a time.
class PlaneWriter {
public:
    PlaneWriter(Store& store, const ArrayDesc& desc, int compression)
        : store_(store), desc_(desc), layout_(layout_of(desc)), element_(bytes_of(desc.type)),
          packer_(compression > 0 ? libdeflate_alloc_compressor(compression) : nullptr, libdeflate_free_compressor) {
        if (compression > 0 && !packer_) throw std::bad_alloc();
        chunk_.resize(static_cast<std::size_t>(layout_.chunk[0] * layout_.chunk[1]) * element_);
        const Axis* const c = layout_.ome && !is_complex(desc.type) ? desc.find('c') : nullptr;
        constexpr double endless = std::numeric_limits<double>::infinity();
        if (c) ranges_.assign(static_cast<std::size_t>(c->size), {endless, -endless});
    }

    const Layout& layout() const noexcept { return layout_; }
    const std::vector<Range>& ranges() const noexcept { return ranges_; }

    void take(std::span<const std::byte> bytes) {
        const std::size_t plane = plane_bytes();
        while (!bytes.empty()) {
            if (waiting_.empty() && bytes.size() >= plane) {
                write_plane(bytes.data());
                bytes = bytes.subspan(plane);
                continue;
            }
            const std::size_t some = std::min(bytes.size(), plane - waiting_.size());
            waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(some));
            bytes = bytes.subspan(some);
            if (waiting_.size() < plane) return;
            write_plane(waiting_.data());
            waiting_.clear();
        }
    }

private:
    /// Rows and columns, with all channels of a pixel.
    std::size_t plane_bytes() const noexcept {
        return static_cast<std::size_t>(layout_.rows * layout_.columns * layout_.samples) * element_;
    }

    void write_plane(const std::byte* plane) {
        std::vector<std::int64_t> index(desc_.axes.size(), 0);   // of the array's axes
        std::int64_t rest = static_cast<std::int64_t>(planes_++);
        for (std::size_t i = layout_.lead; i-- > 0;) {
            index[i] = rest % desc_.axes[i].size;
            rest /= desc_.axes[i].size;
        }
        for (std::int64_t sample = 0; sample < layout_.samples; ++sample) {
            if (layout_.has_samples) index.back() = sample;
            write_channel(plane + static_cast<std::size_t>(sample) * element_, index);
        }
    }

    void write_channel(const std::byte* from, const std::vector<std::int64_t>& index) {
        std::filesystem::path folder = "0";
        std::size_t channel = 0;
        for (const std::size_t axis : layout_.order) {
            if (axis < layout_.lead || (layout_.has_samples && axis + 1 == desc_.axes.size()))
                folder /= std::to_string(index[axis]);
            if (desc_.axes[axis].name == 'c') channel = static_cast<std::size_t>(index[axis]);
        }
        for (std::int64_t down = 0; down < layout_.chunks_down(); ++down) {
            const std::filesystem::path row = layout_.has_rows ? folder / std::to_string(down) : folder;
            for (std::int64_t across = 0; across < layout_.chunks_across(); ++across) {
                fill(from, down * layout_.chunk[0], across * layout_.chunk[1], channel);
                store_.put(row / std::to_string(across), packed());
            }
        }
    }

    /// The chunk from this row and column on: all chunks are equally long, and what is beyond the array is zero.
    void fill(const std::byte* from, std::int64_t row, std::int64_t column, std::size_t channel) {
        const std::int64_t rows = std::min(layout_.chunk[0], layout_.rows - row),
                           columns = std::min(layout_.chunk[1], layout_.columns - column);
        const std::size_t pitch = static_cast<std::size_t>(layout_.chunk[1]) * element_;
        if (rows < layout_.chunk[0] || columns < layout_.chunk[1]) std::fill(chunk_.begin(), chunk_.end(), std::byte{0});
        for (std::int64_t y = 0; y < rows; ++y) {
            const std::byte* source =
                from + static_cast<std::size_t>(((row + y) * layout_.columns + column) * layout_.samples) * element_;
            std::byte* const to = chunk_.data() + static_cast<std::size_t>(y) * pitch;
            if (layout_.samples == 1) {
                std::memcpy(to, source, static_cast<std::size_t>(columns) * element_);
            } else {
                for (std::int64_t x = 0; x < columns; ++x, source += static_cast<std::size_t>(layout_.samples) * element_)
                    std::memcpy(to + static_cast<std::size_t>(x) * element_, source, element_);
            }
            if (channel < ranges_.size()) widen(ranges_[channel], to, columns);
        }
        if constexpr (std::endian::native == std::endian::big)
            swap_bytes(chunk_.data(), layout_.chunk[0] * layout_.chunk[1], desc_.type);
    }

    void widen(Range& range, const std::byte* row, std::int64_t count) const {
        visit_real(desc_.type, [&](auto zero) {
            using T = decltype(zero);
            T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
            const T* const values = reinterpret_cast<const T*>(row);
            for (std::int64_t i = 0; i < count; ++i) {
                if constexpr (std::is_floating_point_v<T>) {
                    if (!std::isfinite(values[i])) continue;
                }
                low = std::min(low, values[i]), high = std::max(high, values[i]);
            }
            if (low > high) return;
            range[0] = std::min(range[0], static_cast<double>(low)), range[1] = std::max(range[1], static_cast<double>(high));
        });
    }

    std::span<const std::byte> packed() {
        if (!packer_) return chunk_;
        packed_.resize(libdeflate_zlib_compress_bound(packer_.get(), chunk_.size()));
        return {packed_.data(),
                libdeflate_zlib_compress(packer_.get(), chunk_.data(), chunk_.size(), packed_.data(), packed_.size())};
    }

    Store& store_;
    const ArrayDesc desc_;
    const Layout layout_;
    const std::size_t element_;
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer_;
    std::size_t planes_ = 0;   ///< that are written
    std::vector<std::byte> chunk_, packed_, waiting_;
    std::vector<Range> ranges_;
};

/// "scan.7" of "scan.7.ome.zarr".
std::string stem_of(const std::string& name) {
    std::string stem = name.substr(name.find_last_of("/\\") + 1);
    for (const std::string_view ending : {".zarr", ".ome"}) {
        if (stem.size() > ending.size() && stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
    }
    return stem;
}

}   // namespace

std::string refusal(const ArrayDesc& desc, const WriteOptions&) {
#if defined(_WIN32)
    static_cast<void>(desc);
    return "Zarr stores are not written on Windows";   // where a folder that is open cannot be renamed
#else
    if (desc.axes.empty()) return "Zarr is written with 1 axis at least, and this is a single number";
    const Layout layout = layout_of(desc);
    std::int64_t chunks = layout.chunks_down() * layout.chunks_across() * layout.samples;
    for (std::size_t i = 0; i < layout.lead; ++i) chunks *= desc.axes[i].size;
    if (chunks > most_chunks)
        return fmt::format("a Zarr store of {} planes would be {} files, and up to {} are written: write a .npy file",
                           desc.describe(), chunks, most_chunks);
    return {};
#endif
}

std::string ome_refusal(const ArrayDesc& desc, const WriteOptions& options) {
    if (!desc.axes.empty() && !layout_of(desc).ome)
        return fmt::format("OME-Zarr holds rows and columns (y, x), with t, c and z before them or c behind; this is {}: a name "
                           "that ends in .zarr alone takes it without OME-Zarr's words",
                           desc.describe());
    return refusal(desc, options);
}

void write_pieces(const std::filesystem::path& path, const std::string& name, const ArrayDesc& desc, const Metadata& metadata,
                  const std::function<std::span<const std::byte>()>& next, const WriteOptions& options) {
    try {
        Store store(path, name);
        const int compression = options.compression.value_or(0);
        PlaneWriter planes(store, desc, compression);
        for (std::size_t left = desc.dense_bytes(); left > 0;) {
            const std::span<const std::byte> piece = next();
            planes.take(piece);
            left -= piece.size();
        }
        const Layout& layout = planes.layout();
        store.put("0/.zarray", array_header(layout, desc, compression));
        store.put("0/.zattrs", array_attributes(layout, desc, metadata));
        store.put(".zattrs", group_attributes(layout, desc, metadata, planes.ranges(),
                                              stem_of(options.name.empty() ? name : options.name)));
        store.put(".zgroup", Json{{"zarr_format", 2}});
    } catch (const std::system_error& error) {
        throw IoError(name, "cannot be written: " + error.code().message(), write_hint_for(error.code()));
    }
}

void write(const std::filesystem::path& path, const std::string& name, const HostArray& array, const WriteOptions& options) {
    write_pieces(path, name, array.desc, array.metadata,
                 [&]() -> std::span<const std::byte> { return {array.data(), array.desc.dense_bytes()}; }, options);
}

}   // namespace parallax::io::zarr
