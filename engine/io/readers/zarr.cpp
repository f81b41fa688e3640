// Zarr, version 2: a folder of chunks; of an OME-Zarr (NGFF 0.1 to 0.4) the level that is wanted, with its axes and distances.
#include <blosc.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "io/decimal.hpp"
#include "io/half.hpp"
#include "io/readers/serve.hpp"

namespace {

namespace fs = std::filesystem;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;

constexpr const char* again = "the folder is incomplete or damaged: write or copy it again";
constexpr std::size_t most_text = 16 << 20, most_chunks = 1 << 20;

std::string read_file(const fs::path& path, std::uint64_t most) {
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    if (error) return {};
    if (size > most)
        throw Problem{"has a file " + path.filename().string() + " of " + std::to_string(size) + " bytes; up to " +
                          std::to_string(most) + " are read",
                      again};
    std::ifstream in(path, std::ios::binary);
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (static_cast<std::uint64_t>(in.gcount()) != size)
        throw Problem{"has a file " + path.filename().string() + " that cannot be read", again};
    return bytes;
}

Json json_file(const fs::path& path) {
    const std::string text = read_file(path, most_text);
    if (text.empty()) return nullptr;
    // Values are copied and shown by functions that call themselves for each level.
    constexpr int most_levels = 64;
    const auto shallow = [&path](int depth, Json::parse_event_t, const Json&) {
        if (depth <= most_levels) return true;
        throw Problem{"has a file " + path.filename().string() + " of more than " + std::to_string(most_levels) + " levels",
                      again};
    };
    Json json = Json::parse(text, shallow, false);
    if (!json.is_object()) throw Problem{"has a file " + path.filename().string() + " that is no JSON object", again};
    return json;
}

struct Type {
    const char* name;
    std::size_t bytes;
    std::size_t part;   ///< what is turned round where the byte order differs
    bool half = false;   ///< stored in 16 bits, and widened: `bytes` are those of the file
    std::size_t read_bytes() const { return half ? 4 : bytes; }
};

Type type_of(const std::string& dtype) {
    static const std::map<std::string, Type> types = {
        {"b1", {"bool", 1, 1}},      {"u1", {"u8", 1, 1}},  {"i1", {"i8", 1, 1}},  {"u2", {"u16", 2, 2}},   {"i2", {"i16", 2, 2}},
        {"u4", {"u32", 4, 4}},       {"i4", {"i32", 4, 4}}, {"u8", {"u64", 8, 8}}, {"i8", {"i64", 8, 8}},   {"f4", {"f32", 4, 4}},
        {"f2", {"f32", 2, 2, true}}, {"f8", {"f64", 8, 8}}, {"c8", {"c64", 8, 4}}, {"c16", {"c128", 16, 8}}};
    const auto found = dtype.size() < 3 ? types.end() : types.find(dtype.substr(1));
    if (found == types.end())
        throw Problem{"holds elements of the type \"" + dtype + "\", which is not read", "write it as integers or floats"};
    return found->second;
}

/// The 16 bits that mean this number; one of them does where a header states it.
std::uint16_t half_of(double number) {
    std::uint16_t nearest = 0x7e00;   // NaN
    for (std::uint32_t bits = 0; bits < 0x10000 && !std::isnan(number); ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const double value = parallax::io::widen_half(half);
        if (value == number) return half;
        if (!std::isnan(value) &&
            (nearest == 0x7e00 || std::abs(value - number) < std::abs(parallax::io::widen_half(nearest) - number)))
            nearest = half;
    }
    return nearest;
}

std::pair<std::string, double> unit_of(const std::string& name) {
    static const std::map<std::string, std::pair<std::string, double>> units = {
        {"nanometer", {"nm", 1}},  {"micrometer", {"um", 1}},    {"millimeter", {"mm", 1}},
        {"centimeter", {"cm", 1}}, {"meter", {"m", 1}},          {"angstrom", {"nm", 0.1}},
        {"picometer", {"nm", 1e-3}}, {"decimeter", {"cm", 10}},  {"kilometer", {"m", 1000}},
        {"inch", {"mm", 25.4}},    {"foot", {"mm", 304.8}},      {"yard", {"mm", 914.4}},
        {"second", {"s", 1}},      {"millisecond", {"s", 1e-3}}, {"microsecond", {"s", 1e-6}},
        {"nanosecond", {"s", 1e-9}}, {"picosecond", {"s", 1e-12}}, {"minute", {"s", 60}},
        {"hour", {"s", 3600}},     {"day", {"s", 86400}}};
    const auto found = units.find(name);
    return found == units.end() ? std::pair<std::string, double>{"", 1} : found->second;
}

const std::map<std::string, double> in_mm = {
    {"nm", 1e-6}, {"um", 1e-3}, {"mm", 1}, {"cm", 10}, {"m", 1e3}};   ///< our units of length

class ZarrFile {
public:
    ZarrFile(const std::string& path, const Json& request) {
        fs::path folder(path);
        const std::string dataset = request.at("dataset").get<std::string>();
        const std::int64_t level = request.value("level", std::int64_t{-1}), series = request.value("series", std::int64_t{-1});
        if (series > 0)
            throw Problem{"holds no series that can be chosen", "say \"dataset\": the path of an array or a group in it"};
        if (!dataset.empty()) folder = below(folder, dataset);
        if (fs::exists(folder / "zarr.json"))
            throw Problem{"is Zarr of version 3, which is not read", "write it with zarr_format=2"};
        Json scales;
        const Json attributes = fs::exists(folder / ".zarray") ? Json() : json_file(folder / ".zattrs");
        const bool image = attributes.is_object() && attributes.contains("multiscales") &&
                           attributes["multiscales"].is_array() && !attributes["multiscales"].empty();
        if (!fs::exists(folder / ".zarray") && !image) {
            const std::vector<std::string> arrays = names_of_arrays(folder);
            if (arrays.size() != 1)
                throw Problem{"is a Zarr group without images of its own: " + arrays_in(folder),
                              "say \"dataset\": the path of an array in it"};
            folder = below(folder, arrays.front());
        }
        if (!fs::exists(folder / ".zarray")) {
            scales = attributes["multiscales"][0];
            const Json& levels = scales.at("datasets");
            const std::int64_t wanted = std::max<std::int64_t>(0, level);
            if (wanted >= static_cast<std::int64_t>(levels.size()))
                throw Problem{
                    "has " + std::to_string(levels.size()) + " levels, and level " + std::to_string(wanted) + " is asked for",
                    "choose one from 0 to " + std::to_string(levels.size() - 1)};
            said_["ignored"] = levels.size() > 1
                                   ? Json{std::to_string(levels.size() - 1) + " other levels of its pyramid: \"level\" takes one"}
                                   : Json::array();
            level_ = levels[static_cast<std::size_t>(wanted)];
            note(folder / ".zattrs");
            if (attributes.contains("omero")) omero_ = attributes["omero"];
            if (attributes.contains("parallax")) ours_ = attributes["parallax"];
            folder = below(folder, level_.at("path").get<std::string>());
        } else if (level > 0) {
            throw Problem{"is one Zarr array: it has no levels", "leave \"level\" out, or name the group that it is in"};
        }
        folder_ = folder;
        read_array();
        name_axes(scales);
        place_axes(scales);
    }

    Json description() const { return said_; }

    void read(std::int64_t first, std::int64_t count, void* to) {
        // Pages are indices of the first axes; chunks that hold none of them are passed over.
        const std::size_t n = shape_.size();
        std::int64_t inner = 1;
        for (std::size_t i = pages_; i < n; ++i) inner *= shape_[i];
        const std::int64_t begin = first * inner, end = (first + count) * inner;
        std::vector<std::int64_t> strides(n, 1), at(n, 0);
        for (std::size_t i = n; i-- > 1;) strides[i - 1] = strides[i] * shape_[i];
        std::int64_t chunk_elements = 1, chunks = 1;
        for (std::size_t i = 0; i < n; ++i) chunk_elements *= chunk_[i], chunks *= chunks_along(i);
        const std::size_t bytes = static_cast<std::size_t>(chunk_elements) * type_.bytes;
        std::vector<char> elements(bytes);
        for (std::int64_t c = 0; c < chunks; ++c) {
            std::int64_t low = 0, high = 0;
            for (std::size_t i = n; c > 0 && i-- > 0; at[i] = 0)   // the next place in the grid
                if (++at[i] < chunks_along(i)) break;
            for (std::size_t i = n; i-- > 0;) {
                low += at[i] * chunk_[i] * strides[i];
                high += (std::min(shape_[i], (at[i] + 1) * chunk_[i]) - 1) * strides[i];
            }
            if (high < begin || low >= end) continue;
            if (found_.contains(static_cast<std::uint64_t>(c))) {
                decode(chunk_path(at), elements);
            } else {
                for (std::size_t i = 0; i < elements.size(); i += type_.bytes)
                    std::memcpy(elements.data() + i, fill_.data(), type_.bytes);
            }
            place(elements, at, strides, begin, end, static_cast<char*>(to));
        }
    }

private:
    /// A path in the folder, that leads nowhere else.
    static fs::path below(const fs::path& folder, const std::string& name) {
        const fs::path relative = fs::path(name).relative_path();
        for (const fs::path& part : relative) {
            if (part == "..") throw Problem{"names \"" + name + "\", which is not in its folder", again};
        }
        if (!fs::is_directory(folder / relative))
            throw Problem{"has no array or group \"" + name + "\": " + arrays_in(folder), "choose one that is there"};
        return folder / relative;
    }

    /// Some of them, where they are many.
    static std::vector<std::string> names_of_arrays(const fs::path& folder) {
        std::vector<std::string> names;
        std::size_t seen = 0;
        std::error_code error;
        for (fs::recursive_directory_iterator it(folder, error), none; it != none && seen < 10000 && names.size() < 100;
             it.increment(error), ++seen) {
            if (it.depth() > 4) it.disable_recursion_pending();
            if (it->path().filename() == ".zarray")
                names.push_back(fs::relative(it->path().parent_path(), folder, error).string());
        }
        std::sort(names.begin(), names.end());
        return names;
    }

    static std::string arrays_in(const fs::path& folder) {
        std::string list;
        for (const std::string& name : names_of_arrays(folder)) {
            if (list.size() < 1000) list += (list.empty() ? "it holds " : ", ") + name;
        }
        return list.empty() ? "it holds no arrays" : list;
    }

    void note(const fs::path& path) { said_["parts"].push_back(path.string()); }

    void read_array() {
        const Json array = json_file(folder_ / ".zarray");
        if (!array.is_object()) throw Problem{"has no Zarr array in " + folder_.filename().string(), again};
        note(folder_ / ".zarray");
        if (array.value("zarr_format", 0) != 2)
            throw Problem{"is Zarr of version " + array.value("zarr_format", Json(0)).dump() + "; 2 is read",
                          "write it with zarr_format=2"};
        shape_ = array.at("shape").get<std::vector<std::int64_t>>();
        chunk_ = array.at("chunks").get<std::vector<std::int64_t>>();
        if (!array.at("dtype").is_string()) throw Problem{"holds records, which are not read", "write one of their fields"};
        dtype_ = array["dtype"].get<std::string>();
        type_ = type_of(dtype_);
        const std::string order = array.value("order", "C");
        if (order != "C" && order != "F") throw Problem{"has elements in the order \"" + order + "\"; C and F are read", again};
        first_fastest_ = order == "F" && shape_.size() > 1;
        if (array.contains("filters") && !array["filters"].is_null() && !array["filters"].empty())
            throw Problem{"has filters (" + array["filters"].dump() + "), which are not read", "write it without filters"};
        if (shape_.size() != chunk_.size() || shape_.empty() || shape_.size() > 8)
            throw Problem{
                "has " + std::to_string(shape_.size()) + " axes and " + std::to_string(chunk_.size()) + " sizes of chunks",
                again};
        std::uint64_t elements = 1, in_chunk = 1, chunks = 1;
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            if (shape_[i] < 1 || chunk_[i] < 1 || shape_[i] > (std::int64_t{1} << 48) || chunk_[i] > (std::int64_t{1} << 32))
                throw Problem{"has an axis of " + std::to_string(shape_[i]) + " in chunks of " + std::to_string(chunk_[i]),
                              again};
            const auto number = static_cast<std::uint64_t>((shape_[i] + chunk_[i] - 1) / chunk_[i]);
            if (elements > (std::uint64_t{1} << 56) / static_cast<std::uint64_t>(shape_[i]) ||
                in_chunk > (std::uint64_t{1} << 40) / static_cast<std::uint64_t>(chunk_[i]) || chunks > most_chunks / number)
                throw Problem{"says that it holds more elements, larger chunks or more chunks than are read", again};
            elements *= static_cast<std::uint64_t>(shape_[i]), in_chunk *= static_cast<std::uint64_t>(chunk_[i]),
                chunks *= number;
        }
        if (in_chunk > 2 * elements + (16u << 20))
            throw Problem{"has chunks of " + std::to_string(in_chunk) + " elements for an array of " + std::to_string(elements),
                          "write it with smaller chunks"};
        const Json compressor = array.value("compressor", Json());
        codec_ = compressor.is_object() ? compressor.value("id", "") : "";
        if (!codec_.empty() && codec_ != "blosc" && codec_ != "zstd" && codec_ != "gzip" && codec_ != "zlib")
            throw Problem{"is compressed by \"" + codec_ + "\", which is not read",
                          "write it with blosc, zstd, gzip or no compression"};
        separator_ = array.value("dimension_separator", ".");
        if (separator_ != "." && separator_ != "/") throw Problem{"has chunks named by \"" + separator_ + "\"", again};
        set_fill(array.value("fill_value", Json()));
        // What the files have must be enough for what the header says; where chunks are missing, the fill value is meant.
        std::uint64_t stored = 0;
        list_chunks(folder_, 0, 0);
        for (const auto& [number, bytes] : found_) stored += bytes, note(chunk_path(place_of(number)));
        const std::uint64_t missing = chunks - found_.size();
        const std::uint64_t ratio = codec_.empty() ? 1 : 40000;
        if (missing == 0 && elements * type_.bytes / ratio > stored)
            throw Problem{"says that it holds " + std::to_string(elements * type_.bytes) + " bytes, which cannot come out of " +
                              std::to_string(stored),
                          again};
        if (missing == chunks) throw Problem{"has none of its " + std::to_string(chunks) + " chunks", again};
        if (missing > 0 && !no_fill_.empty()) throw Problem{no_fill_, again};
        if (missing > 0)
            said_["warnings"].push_back(std::to_string(missing) + " of its " + std::to_string(chunks) +
                                        " chunks are not there: they are filled with " +
                                        array.value("fill_value", Json(0)).dump());
        if (elements * type_.bytes / 1000000 > stored)
            throw Problem{
                "has " + std::to_string(stored) + " bytes of chunks for an array of " + std::to_string(elements * type_.bytes),
                again};
        said_["type"] = type_.name;
        said_["detail"] = "zarr 2, " + (codec_.empty() ? std::string("uncompressed") : codec_) + ", " + std::to_string(chunks) +
                          (chunks == 1 ? " chunk" : " chunks") + (first_fastest_ ? ", Fortran order" : "") +
                          (type_.half ? ", 16-bit floats widened to 32" : "");
    }

    void set_fill(const Json& value) {
        fill_.assign(type_.bytes, '\0');
        const std::string name = type_.name;
        const double number = value.is_number()      ? value.get<double>()
                              : value == "NaN"       ? NAN
                              : value == "Infinity"  ? INFINITY
                              : value == "-Infinity" ? -INFINITY
                                                     : 0;
        const auto put = [&](auto v) { std::memcpy(fill_.data(), &v, std::min(sizeof v, fill_.size())); };   // the lowest bytes
        if (value.is_null() || value == false) return;
        if (type_.half)
            put(half_of(number));
        else if (name == "f32" || name == "c64")
            put(static_cast<float>(number));
        else if (name == "f64" || name == "c128")
            put(number);
        else if (value.is_number_unsigned())
            put(value.get<std::uint64_t>());
        else if (value.is_number_integer())
            put(value.get<std::int64_t>());
        else if (value == true)
            put(std::uint8_t{1});
        else if (std::abs(number) < 0x1p53 && number == std::floor(number) && value.is_number())   // 3.0
            put(static_cast<std::int64_t>(number));
        else
            no_fill_ = "lacks chunks and fills them with " + value.dump() + ", which is no " + name;
    }

    std::int64_t chunks_along(std::size_t axis) const { return (shape_[axis] + chunk_[axis] - 1) / chunk_[axis]; }

    /// Where in the grid a chunk lies, by its number.
    std::vector<std::int64_t> place_of(std::uint64_t number) const {
        std::vector<std::int64_t> at(shape_.size());
        for (std::size_t i = at.size(); i-- > 0;) {
            const auto along = static_cast<std::uint64_t>(chunks_along(i));
            at[i] = static_cast<std::int64_t>(number % along);
            number /= along;
        }
        return at;
    }

    /// Finds the chunks that are there. Their folders are listed, and no names tried: a header may speak of a million, of which
    /// one is. `number`: that of `folder` itself in the grid of the axes before `axis`.
    void list_chunks(const fs::path& folder, std::size_t axis, std::uint64_t number) {
        const std::size_t in_name = separator_ == "." ? shape_.size() : 1;   // indices that one name has
        std::error_code error;
        for (fs::directory_iterator it(folder, error), none; !error && it != none; it.increment(error)) {
            const auto index = indices_in(it->path().filename().string(), axis, in_name);
            if (!index) continue;
            std::uint64_t chunk = number;
            for (std::size_t i = 0; i < in_name; ++i)
                chunk = chunk * static_cast<std::uint64_t>(chunks_along(axis + i)) + (*index)[i];
            std::error_code ignored;
            if (axis + in_name == shape_.size()) {
                const std::uint64_t bytes = fs::file_size(it->path(), ignored);
                if (!ignored) found_.emplace(chunk, bytes);
            } else if (it->is_symlink(ignored)) {   // it might lead round in a circle
                throw Problem{"has a link " + it->path().filename().string() + " where a folder of chunks should be",
                              "copy it with what its links lead to, for instance by cp -rL"};
            } else if (it->is_directory(ignored)) {
                list_chunks(it->path(), axis + in_name, chunk);
            }
        }
        if (error)
            throw Problem{"has a folder of chunks whose names cannot be listed (" + error.message() + ")",
                          "what is read must be allowed to be listed, not only to be entered"};
    }

    /// "1.0.3": indices of the axes from `axis` on; nothing for other names.
    std::optional<std::vector<std::uint64_t>> indices_in(const std::string& name, std::size_t axis, std::size_t count) const {
        std::vector<std::uint64_t> indices(count);
        const char *at = name.data(), *const end = name.data() + name.size();
        for (std::size_t i = 0; i < count; ++i, ++at) {
            const auto [to, failed] = std::from_chars(at, end, indices[i]);
            const bool zeros = to - at > 1 && *at == '0';
            const bool ends = i + 1 == count ? to == end : to != end && *to == '.';
            if (failed != std::errc() || zeros || !ends || indices[i] >= static_cast<std::uint64_t>(chunks_along(axis + i)))
                return std::nullopt;
            at = to;
        }
        return indices;
    }

    fs::path chunk_path(const std::vector<std::int64_t>& at) const {
        std::string name;
        for (const std::int64_t i : at) name += (name.empty() ? "" : separator_) + std::to_string(i);
        return folder_ / name;
    }

    void decode(const fs::path& path, std::vector<char>& elements) const {
        std::error_code error;
        const std::string stored = read_file(path, 2 * elements.size() + (1u << 20));
        const std::string which = fs::relative(path, folder_, error).string();
        std::size_t got = 0;
        if (codec_.empty()) {
            got = stored.size();
            if (got == elements.size()) std::memcpy(elements.data(), stored.data(), got);
        } else if (codec_ == "blosc") {
            std::size_t declared = 0;
            if (blosc_cbuffer_validate(stored.data(), stored.size(), &declared) == 0 && declared == elements.size())
                got = static_cast<std::size_t>(
                    std::max(0, blosc_decompress_ctx(stored.data(), elements.data(), elements.size(), 1)));
        } else if (codec_ == "zstd") {
            got = ZSTD_decompress(elements.data(), elements.size(), stored.data(), stored.size());
            if (ZSTD_isError(got)) got = 0;
        } else {
            z_stream stream{};
            if (inflateInit2(&stream, 15 + 32) != Z_OK) throw std::bad_alloc();
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(stored.data()));
            stream.avail_in = static_cast<uInt>(stored.size());
            stream.next_out = reinterpret_cast<Bytef*>(elements.data());
            stream.avail_out = static_cast<uInt>(elements.size());
            if (inflate(&stream, Z_FINISH) == Z_STREAM_END) got = elements.size() - stream.avail_out;
            inflateEnd(&stream);
        }
        if (got != elements.size())
            throw Problem{"its chunk " + which + " of " + std::to_string(stored.size()) + " bytes does not unpack to " +
                              std::to_string(elements.size()),
                          again};
        if (dtype_[0] == '>')
            for (std::size_t i = 0; i < elements.size(); i += type_.part)
                std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(i),
                             elements.begin() + static_cast<std::ptrdiff_t>(i + type_.part));
        if (first_fastest_) last_axis_fastest(elements);
    }

    /// Of a chunk in Fortran's order. The order of the chunks themselves is C's in any case.
    void last_axis_fastest(std::vector<char>& elements) const {
        const std::size_t n = chunk_.size(), bytes = type_.bytes;
        std::vector<std::size_t> strides(n, bytes);
        for (std::size_t i = 1; i < n; ++i) strides[i] = strides[i - 1] * static_cast<std::size_t>(chunk_[i - 1]);
        std::vector<std::int64_t> at(n, 0);
        std::vector<char> turned(elements.size());
        std::size_t from = 0;
        for (std::size_t to = 0; to < turned.size(); to += bytes) {
            std::memcpy(turned.data() + to, elements.data() + from, bytes);
            for (std::size_t i = n; i-- > 0; at[i] = 0) {
                from += strides[i];
                if (++at[i] < chunk_[i]) break;
                from -= strides[i] * static_cast<std::size_t>(chunk_[i]);
            }
        }
        elements.swap(turned);
    }

    void copy(const char* from, std::size_t count, char* to) const {
        if (!type_.half) {
            std::memcpy(to, from, count * type_.bytes);
            return;
        }
        for (std::size_t i = 0; i < count; ++i) {
            std::uint16_t half = 0;
            std::memcpy(&half, from + 2 * i, 2);
            const float value = parallax::io::widen_half(half);
            std::memcpy(to + 4 * i, &value, 4);
        }
    }

    /// Rows of a chunk to their places, as far as they are among the elements that are wanted.
    void place(const std::vector<char>& elements, const std::vector<std::int64_t>& at, const std::vector<std::int64_t>& strides,
               std::int64_t begin, std::int64_t end, char* to) const {
        const std::size_t n = shape_.size(), last = n - 1;
        const std::int64_t row = std::min(chunk_[last], shape_[last] - at[last] * chunk_[last]);
        std::vector<std::int64_t> i(n, 0);
        std::int64_t from = 0;
        while (true) {
            std::int64_t place = at[last] * chunk_[last];
            bool inside = true;
            for (std::size_t a = 0; a < last; ++a) {
                const std::int64_t index = at[a] * chunk_[a] + i[a];
                inside = inside && index < shape_[a];
                place += index * strides[a];
            }
            if (inside) {
                const std::int64_t low = std::max(place, begin), high = std::min(place + row, end);
                if (low < high)
                    copy(elements.data() + static_cast<std::size_t>(from + low - place) * type_.bytes,
                         static_cast<std::size_t>(high - low), to + static_cast<std::size_t>(low - begin) * type_.read_bytes());
            }
            from += chunk_[last];
            std::size_t a = last;
            while (a-- > 0) {
                if (++i[a] < chunk_[a]) break;
                i[a] = 0;
            }
            if (a == static_cast<std::size_t>(-1)) return;
        }
    }

    void name_axes(const Json& scales) {
        const std::size_t n = shape_.size();
        std::string names;
        std::vector<double> spacing(n, 0);
        std::string unit;
        if (!scales.is_object()) {
            const Json own = json_file(folder_ / ".zattrs");
            names = names_in(own);
            if (own.is_object() && own.contains("parallax")) ours_ = own["parallax"];
            const auto number = [&own](const char* key, double otherwise) {
                return own.is_object() && own.contains(key) && own[key].is_number() ? own[key].get<double>() : otherwise;
            };
            if (number("scale_factor", 1) != 1 || number("add_offset", 0) != 0)
                said_["warnings"].push_back(
                    "its values are to be scaled (scale_factor, add_offset), and are read as they are stored");
            if (!own.is_null()) note(folder_ / ".zattrs");
            const std::vector<double> said = numbers_of(ours_, "spacing");
            if (said.size() == n) spacing = said;
        } else {
            if (scales.contains("axes") && scales["axes"].is_array() && scales["axes"].size() == n) {
                for (const Json& axis : scales["axes"])
                    names += axis.is_object() ? axis.value("name", "?") : axis.get<std::string>();
            } else if (!scales.contains("axes") && n == 5) {
                names = "tczyx";   // of version 0.1 and 0.2
            }
            const Placed placed = placed_by(level_, scales, n);
            spacing = placed.spacing;
            place_ = placed.place;
            if (!ours_.is_null()) finest_ = placed_by(scales.at("datasets").at(0), scales, n);
            if (placed.unfit)
                said_["warnings"].push_back("it has a scale or a translation that is not of " + std::to_string(n) +
                                            " numbers, one for each axis: that is left out");
            if (placed.elsewhere)
                said_["warnings"].push_back(
                    "it has a scale or a translation in an array of its own (\"path\"), which is not read: its "
                    "distances are left out");
            if (names.size() == n && scales.contains("axes")) unit = in_one_unit(scales["axes"], names, spacing);
        }
        if (ours_.is_object() && ours_.contains("unit") && unit.empty()) unit = ours_["unit"].get<std::string>();
        const auto known = [&](char c) {
            return std::string(scales.is_object() ? "tczyx" : "ntczyx").find(c) != std::string::npos &&
                   std::count(names.begin(), names.end(), c) == 1;
        };
        if (names.size() != n || !std::all_of(names.begin(), names.end(), known)) {
            const bool called = !names.empty() && !scales.is_object();
            // What it calls t and c stays where xarray's names are few enough to be known by their order.
            const bool kept = called && names.size() == n && std::count(names.begin(), names.end(), '?') <= 3 &&
                              std::all_of(names.begin(), names.end(), [&](char c) { return c == '?' || c == 't' || c == 'c'; }) &&
                              std::count(names.begin(), names.end(), 't') <= 1 &&
                              std::count(names.begin(), names.end(), 'c') <= 1;
            std::size_t next = 0;
            for (std::size_t i = n; kept && i-- > 0;)
                if (names[i] == '?') names[i] = "xyz"[next++];
            if (!kept) names.clear();
            for (std::size_t i = 0; i < n && !kept; ++i) names += n - 1 - i < 4 ? "xyzt"[n - 1 - i] : 'n';
            if (n > 5) throw Problem{"has " + std::to_string(n) + " axes without names; up to 5 are read", "write a part of it"};
            if (called)
                said_["warnings"].push_back("what it calls its axes (_ARRAY_DIMENSIONS) is not followed: they are taken for " +
                                            names + " by their order");
        }
        Json axes = Json::array();
        for (std::size_t i = 0; i < n; ++i) {
            Json axis{{"name", std::string(1, names[i])}, {"size", shape_[i]}};
            const bool length = names[i] != 'c' && names[i] != 't' && names[i] != 'n';
            if (spacing[i] > 0 && std::isfinite(spacing[i]) && (!length || !unit.empty() || !ours_.is_null()) && names[i] != 'c')
                axis["spacing"] = spacing[i];
            axes.push_back(std::move(axis));
        }
        said_["axes"] = axes;
        said_["unit"] = unit;
        names_ = names;
        while (pages_ < n && (names[pages_] == 't' || names[pages_] == 'n')) ++pages_;
        said_["page_axes"] = pages_;
        Json channels = Json::array();
        bool named = false;
        if (omero_.is_object() && omero_.contains("channels")) {
            for (const Json& channel : omero_["channels"]) {
                channels.push_back(channel.value("label", ""));
                named = named || channels.back() != "";
            }
        } else if (ours_.is_object() && ours_.contains("channels")) {
            channels = ours_["channels"];
            named = true;
        }
        const std::size_t c = names.find('c');
        if (named && c != std::string::npos && channels.size() == static_cast<std::size_t>(shape_[c]))
            said_["channels"] = channels;
    }

    /// Turns spacings and places of axes that say their unit into seconds, and into one unit of length, which it returns: that of
    /// the columns where they have one.
    std::string in_one_unit(const Json& axes, const std::string& names, std::vector<double>& spacing) {
        std::string unit;
        double unit_in_mm = 0;
        const auto each = [&](const auto& work) {
            for (std::size_t i = 0; i < names.size(); ++i)
                if (axes[i].is_object() && axes[i].contains("unit")) work(i, axes[i]["unit"].get<std::string>());
        };
        each([&](std::size_t i, const std::string& said) {
            const std::string ours = unit_of(said).first;
            if (!ours.empty() && ours != "s" && (unit.empty() || names[i] == 'x')) unit = ours, unit_in_mm = in_mm.at(ours);
        });
        each([&](std::size_t i, const std::string& said) {
            const auto [ours, factor] = unit_of(said);
            const bool fits = names[i] == 't' ? ours == "s" : ours != "s";
            if (ours.empty() || !fits) {
                said_["warnings"].push_back(
                    "its axis " + std::string(1, names[i]) + " is in \"" + said + "\", " +
                    (fits || ours.empty() ? "a unit that is not known" : "which is no unit of such an axis") +
                    ": its distances are left out");
                spacing[i] = place_[i] = 0;
                return;
            }
            const double to_ours =
                ours == "s" || ours == unit ? factor : parallax::io::as_decimal(factor * in_mm.at(ours) / unit_in_mm);
            if (spacing[i] > 0) spacing[i] = parallax::io::scaled(spacing[i], to_ours);
            place_[i] *= to_ours;
        });
        return unit;
    }

    /// xarray's word for the axes of an array, where they are ours.
    static std::string names_in(const Json& attributes) {
        if (!attributes.is_object() || !attributes.contains("_ARRAY_DIMENSIONS") || !attributes["_ARRAY_DIMENSIONS"].is_array())
            return {};
        std::string names;
        for (const Json& name : attributes["_ARRAY_DIMENSIONS"]) {
            const std::string text = name.is_string() ? name.get<std::string>() : "";
            names += text.size() == 1 ? text[0] : text == "time" ? 't' : text == "channel" ? 'c' : '?';
        }
        return names;
    }

    static std::vector<double> numbers_of(const Json& object, const char* key) {
        if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return {};
        std::vector<double> numbers;
        for (const Json& number : object[key]) numbers.push_back(number.is_number() ? number.get<double>() : 0);
        return numbers;
    }

    /// Lengths of steps, and where the first element lies, along each axis and in its unit.
    struct Placed {
        std::vector<double> spacing, place;   ///< a spacing of 0: none is told
        bool unfit = false;                   ///< some numbers are not one for each axis, and are left out
        bool elsewhere = false;               ///< some are in an array of their own
    };

    static Placed placed_by(const Json& level, const Json& scales, std::size_t n) {
        Placed placed{std::vector<double>(n, 0), std::vector<double>(n, 0), false, false};
        for (const Json* const of : {&level, &scales}) {   // those of the whole come after those of the level
            for (const Json& transform : of->value("coordinateTransformations", Json::array())) {
                const std::vector<double> scale = numbers_of(transform, "scale"), shift = numbers_of(transform, "translation");
                placed.elsewhere = placed.elsewhere || (transform.is_object() && transform.contains("path"));
                for (const std::vector<double>& numbers : {scale, shift})
                    placed.unfit = placed.unfit || (!numbers.empty() && numbers.size() != n);
                for (std::size_t i = 0; i < n && scale.size() == n; ++i) {
                    placed.spacing[i] = placed.spacing[i] > 0 ? parallax::io::scaled(placed.spacing[i], scale[i]) : scale[i];
                    placed.place[i] *= scale[i];
                }
                for (std::size_t i = 0; i < n && shift.size() == n; ++i) placed.place[i] += shift[i];
            }
        }
        return placed;
    }

    /// An affine in mm, towards right, anterior, superior: our own where it stands there, else by the translation.
    void place_axes(const Json& scales) {
        const auto unit = in_mm.find(said_["unit"].get<std::string>());
        const double mm = unit == in_mm.end() ? 1 : unit->second;
        std::vector<double> affine = numbers_of(ours_, "affine");
        const bool told = affine.size() == 16;
        if (!told && (unit == in_mm.end() || std::none_of(place_.begin(), place_.end(), [](double p) { return p != 0; }))) return;
        if (!told) affine = {-mm, 0, 0, 0, 0, -mm, 0, 0, 0, 0, mm, 0, 0, 0, 0, 1};
        const Placed placed = scales.is_object() ? placed_by(level_, scales, names_.size()) : Placed{};
        for (std::size_t i = 0; i < names_.size() && scales.is_object(); ++i) {
            const std::size_t column = std::string("xyz").find(names_[i]);
            if (column == std::string::npos) continue;
            const double spacing = said_["axes"][i].value("spacing", 1.0);
            // Of a smaller level: so much longer steps, from a place so far along them.
            const bool finer = told && i < finest_.spacing.size() && finest_.spacing[i] > 0 && placed.spacing[i] > 0;
            const double stretch = !told ? spacing : finer ? placed.spacing[i] / finest_.spacing[i] : 1,
                         along = !told ? place_[i] : finer ? (placed.place[i] - finest_.place[i]) / finest_.spacing[i] : 0;
            for (std::size_t row = 0; row < 3; ++row) {
                affine[row * 4 + 3] += affine[row * 4 + column] * along;
                affine[row * 4 + column] *= stretch;
            }
        }
        if (!told)
            said_["warnings"].push_back("it names no sides of a body for its origin: its axes are taken to go left, posterior "
                                        "and superior, as ITK takes them");
        said_["affine"] = affine;
    }


    fs::path folder_;
    std::vector<std::int64_t> shape_, chunk_;
    std::string dtype_, codec_, separator_;
    Type type_{};
    bool first_fastest_ = false;   ///< elements of a chunk stand in Fortran's order
    std::vector<char> fill_;
    std::string no_fill_;   ///< why the header gives none
    std::map<std::uint64_t, std::uint64_t> found_;   ///< chunks that are there, by their number: bytes of their files
    std::size_t pages_ = 0;
    std::string names_;
    std::vector<double> place_;
    Placed finest_;
    Json level_, omero_, ours_, said_ = Json::object();
};

}   // namespace

int main() { return parallax::io::readers::serve<ZarrFile>(); }
