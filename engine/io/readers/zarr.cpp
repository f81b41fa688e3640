// Zarr, version 2: a folder of chunks; of an OME-Zarr (NGFF 0.1 to 0.4) the level that is wanted, with its axes and distances.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include "io/axis_names.hpp"
#include "io/decimal.hpp"
#include "io/half.hpp"
#include "io/readers/serve.hpp"
#include "io/readers/zarr_axes.hpp"
#include "io/readers/zarr_codec.hpp"
#include "io/readers/zarr_images.hpp"
#include "io/readers/zarr_space.hpp"
#include "io/readers/zarr_store.hpp"
#include "io/readers/zarr_type.hpp"

namespace {

namespace fs = std::filesystem;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;
using namespace parallax::io::readers::zarr;

constexpr std::uint64_t most_chunks = 1 << 20, most_elements = std::uint64_t{1} << 56, most_in_chunk = std::uint64_t{1} << 40;
/// So many bytes a chunk may have that are not the array's: small levels of a pyramid are kept in the chunks of the large one.
constexpr std::uint64_t beyond = 64u << 20;
/// How many bytes the array of a store that lacks chunks may have: so many for each byte of those that are there, and beside these as
/// many as are no burden, whatever is there.
constexpr std::uint64_t sparse_ratio = 1000000, sparse_at_any_rate = 64u << 20;

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
        fs::path in_store = fs::path(dataset).relative_path();
        if (!fs::exists(folder / ".zarray") && !has_images(attributes)) {
            const std::vector<std::string> arrays = names_of_arrays(folder);
            if (arrays.size() != 1)
                throw Problem{"is a Zarr group without images of its own: " + arrays_in(folder),
                              "say \"dataset\": the path of an array in it"};
            folder = below(folder, arrays.front());
            in_store /= arrays.front();
        }
        if (!fs::exists(folder / ".zarray")) {
            scales = first_of(attributes["multiscales"]);
            const Json& levels = scales.at("datasets");
            const std::int64_t wanted = std::max<std::int64_t>(0, level);
            if (wanted >= static_cast<std::int64_t>(levels.size()))
                throw Problem{
                    "has " + std::to_string(levels.size()) + " levels, and level " + std::to_string(wanted) + " is asked for",
                    "choose one from 0 to " + std::to_string(levels.size() - 1)};
            if (levels.size() > 1)
                said_["ignored"].push_back(std::to_string(levels.size() - 1) + " other levels of its pyramid: \"level\" takes one");
            follow(folder, attributes, levels[static_cast<std::size_t>(wanted)]);
            folder = below(folder, level_.at("path").get<std::string>());
        } else if (level > 0) {
            throw Problem{"is one Zarr array: it has no levels", "leave \"level\" out, or name the group that it is in"};
        } else if (const auto image = image_around(path, in_store)) {   // which says what its axes are
            scales = image->scales;
            follow(image->group, image->attributes, image->level);
        }
        folder_ = folder;
        read_array();
        name_axes(scales);
        note_chunks();
        place_axes(said_, ours_, names_, place_, scales.is_object() ? &at_ : nullptr);
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
        const std::int64_t along_others = chunks / chunks_along(0), in_chunk = strides[0] * chunk_[0];
        at[0] = begin / in_chunk;
        const std::int64_t from = at[0] * along_others, until = std::min(chunks, ((end - 1) / in_chunk + 1) * along_others);
        for (std::int64_t c = from; c < until; ++c) {
            std::int64_t low = 0, high = 0;
            for (std::size_t i = n; c > from && i-- > 0; at[i] = 0)   // the next place in the grid
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
                    std::memcpy(elements.data() + i, fill_.element.data(), type_.bytes);
            }
            place(elements, at, strides, begin, end, static_cast<char*>(to));
        }
    }

private:
    /// Of an image's first array; null where it says none, as of one that is not read it may.
    static const Json* path_in(const Json& image) {
        const auto datasets = image.is_object() ? image.find("datasets") : image.end();
        if (datasets == image.end() || !datasets->is_array() || datasets->empty() || !datasets->front().is_object()) return nullptr;
        const auto path = datasets->front().find("path");
        return path == datasets->front().end() ? nullptr : &*path;
    }

    /// The first of a group's images; the others are told.
    Json first_of(const Json& images) {
        if (images.size() > 1) {
            const Json* const path = path_in(images[1]);
            said_["ignored"].push_back(std::to_string(images.size() - 1) + (images.size() > 2 ? " other images" : " other image") +
                                       " of its \"multiscales\"" +
                                       (path ? ": \"dataset\" takes an array of one, for instance " + path->dump().substr(0, 80) : ""));
            said_["warnings"].push_back("it holds " + std::to_string(images.size()) +
                                        " images (\"multiscales\"), of which the first is read");
        }
        return images[0];
    }

    /// What a group says of its image, of which this level is read.
    void follow(const fs::path& group, const Json& attributes, const Json& level) {
        level_ = level;
        note(group / ".zattrs");
        if (attributes.contains("omero")) omero_ = attributes["omero"];
        if (attributes.contains("parallax")) ours_ = attributes["parallax"];
    }

    void note(const fs::path& path) { said_["parts"].push_back({{"path", path.string()}}); }

    /// Each with the pages of which it has something. A chunk that is not there has fill values as long as its folder stays as it is.
    void note_chunks() {
        const auto note_in = [&](const char* list, const fs::path& path, const std::vector<std::int64_t>& at) {
            std::int64_t first = 0, last = 0;
            for (std::size_t i = 0; i < pages_; ++i) {
                const bool known = i < at.size();
                first = first * shape_[i] + (known ? at[i] * chunk_[i] : 0);
                last = last * shape_[i] + (known ? std::min(shape_[i], (at[i] + 1) * chunk_[i]) : shape_[i]) - 1;
            }
            said_[list].push_back({{"path", path.string()}, {"pages", {first, last + 1}}});
        };
        for (const auto& [folder, at] : folders_) note_in("folders", folder, at);
        for (const auto& [number, bytes] : found_) note_in("parts", chunk_path(place_of(number)), place_of(number));
    }

    static std::vector<std::int64_t> sizes_in(const Json& array, const char* key) {
        const Json& sizes = array.at(key);
        for (const Json& size : sizes) {   // a number beyond 64 bits is none that is whole
            const bool whole = size.is_number_unsigned() ? size.get<std::uint64_t>() >> 63 == 0 : size.is_number_integer();
            if (!whole)
                throw Problem{"has the size " + size.dump().substr(0, 80) + " among its " + key + ", which is no whole number", again};
        }
        return sizes.get<std::vector<std::int64_t>>();
    }

    void read_array() {
        const Json array = json_file(folder_ / ".zarray");
        if (!array.is_object()) throw Problem{"has no Zarr array in " + folder_.filename().string(), again};
        note(folder_ / ".zarray");
        const Json version = array.value("zarr_format", Json(0));
        if (!version.is_number_integer() || version != 2)
            throw Problem{"is Zarr of version " + version.dump().substr(0, 80) + "; 2 is read",
                          "write it with zarr_format=2"};
        shape_ = sizes_in(array, "shape");
        chunk_ = sizes_in(array, "chunks");
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
            if (elements > most_elements / static_cast<std::uint64_t>(shape_[i]))
                throw Problem{"says that it holds more than " + std::to_string(most_elements) + " elements", again};
            if (in_chunk > most_in_chunk / static_cast<std::uint64_t>(chunk_[i]))
                throw Problem{"has chunks of more than " + std::to_string(most_in_chunk) + " elements", "write it with smaller chunks"};
            elements *= static_cast<std::uint64_t>(shape_[i]), in_chunk *= static_cast<std::uint64_t>(chunk_[i]),
                chunks *= number;   // no more than there are elements
        }
        if (chunks > most_chunks)
            throw Problem{"is divided into " + std::to_string(chunks) + " chunks; up to " + std::to_string(most_chunks) + " are read",
                          "write it with larger chunks"};
        if (in_chunk * type_.bytes > 2 * elements * type_.bytes + beyond)
            throw Problem{"has chunks of " + std::to_string(in_chunk) + " elements for an array of " + std::to_string(elements),
                          "write it with smaller chunks"};
        const Json compressor = array.value("compressor", Json());
        codec_ = compressor.is_object() ? compressor.value("id", "") : "";
        if (!is_known_codec(codec_))
            throw Problem{"is compressed by \"" + codec_ + "\", which is not read",
                          "write it with blosc, zstd, gzip or no compression"};
        separator_ = array.value("dimension_separator", ".");
        if (separator_ != "." && separator_ != "/") throw Problem{"has chunks named by \"" + separator_ + "\"", again};
        fill_ = fill_of(array.value("fill_value", Json()), type_);
        // What the files have must be enough for what the header says; where chunks are missing, the fill value is meant.
        std::uint64_t stored = 0;
        list_chunks(folder_, 0, 0);
        for (const auto& [number, bytes] : found_) stored += bytes;
        const std::uint64_t missing = chunks - found_.size();
        hold_against_bytes(in_chunk * type_.bytes);
        if (missing == chunks) throw Problem{"has none of its " + std::to_string(chunks) + " chunks", again};
        if (missing > 0 && !fill_.why_none.empty()) throw Problem{fill_.why_none, again};
        if (missing > 0)
            said_["warnings"].push_back(std::to_string(missing) + " of its " + std::to_string(chunks) +
                                        " chunks are not there: they are filled with " +
                                        array.value("fill_value", Json(0)).dump());
        const std::uint64_t whole = elements * type_.bytes;
        if (missing > 0 && whole > sparse_at_any_rate && (whole - sparse_at_any_rate) / sparse_ratio > stored)
            throw Problem{"has " + std::to_string(found_.size()) + " of its " + std::to_string(chunks) + " chunks, with " +
                              std::to_string(stored) + " bytes for an array of " + std::to_string(whole) +
                              ": so sparse an array is not read",
                          "write it with its empty chunks (zarr-python's write_empty_chunks), or a part of it; copy it again where "
                          "chunks were lost"};
        said_["type"] = type_.name;
        said_["detail"] = "zarr 2, " + (codec_.empty() ? std::string("uncompressed") : codec_) + ", " + std::to_string(chunks) +
                          (chunks == 1 ? " chunk" : " chunks") + (first_fastest_ ? ", Fortran order" : "") +
                          (type_.half ? ", 16-bit floats widened to 32" : "");
    }

    /// What a chunk unpacks to must be able to come out of what its file has, before memory is taken for it.
    void hold_against_bytes(std::uint64_t unpacked) const {
        const std::uint64_t ratio = codec_.empty() ? 1 : 40000;
        for (const auto& [number, bytes] : found_)
            if ((unpacked - 1) / ratio >= bytes)
                throw Problem{"has a chunk " + chunk_path(place_of(number)).lexically_relative(folder_).string() + " of " +
                                  std::to_string(bytes) + " bytes, out of which " + std::to_string(unpacked) + " cannot come",
                              again};
    }

    std::int64_t chunks_along(std::size_t axis) const { return (shape_[axis] + chunk_[axis] - 1) / chunk_[axis]; }

    /// Where in the grid a chunk lies, by its number.
    std::vector<std::int64_t> place_of(std::uint64_t number) const { return place_of(number, shape_.size()); }
    /// In that of the first axes.
    std::vector<std::int64_t> place_of(std::uint64_t number, std::size_t axes) const {
        std::vector<std::int64_t> at(axes);
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
        folders_.emplace_back(folder, place_of(number, axis));
        std::error_code error;
        for (fs::directory_iterator it(folder, error), none; !error && it != none; it.increment(error)) {
            const auto index = indices_in(it->path().filename().string(), axis, in_name);
            if (!index) continue;
            std::uint64_t chunk = number;
            for (std::size_t i = 0; i < in_name; ++i)
                chunk = chunk * static_cast<std::uint64_t>(chunks_along(axis + i)) + (*index)[i];
            std::error_code ignored;
            if (axis + in_name == shape_.size()) {
                if (!it->is_regular_file(ignored)) refuse_entry(it->path(), "a chunk should be, and is no file");
                found_.emplace(chunk, it->file_size());
            } else if (it->is_symlink(ignored)) {   // it might lead round in a circle
                throw Problem{"has a link " + it->path().filename().string() + " where a folder of chunks should be",
                              "copy it with what its links lead to, for instance by cp -rL"};
            } else if (it->is_directory(ignored)) {
                list_chunks(it->path(), axis + in_name, chunk);
            } else {
                refuse_entry(it->path(), "a folder of chunks should be, and is none");
            }
        }
        if (error)
            throw Problem{"has a folder of chunks whose names cannot be listed (" + error.message() + ")",
                          "what is read must be allowed to be listed, not only to be entered"};
    }

    /// What is there is not left out as what is not there.
    [[noreturn]] void refuse_entry(const fs::path& path, const char* what) const {
        throw Problem{"has " + path.lexically_relative(folder_).string() + " where " + what, again};
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
        const std::size_t got = unpack(codec_, stored, elements);
        if (got != elements.size())
            throw Problem{"its chunk " + which + " of " + std::to_string(stored.size()) + " bytes does not unpack to " +
                              std::to_string(elements.size()),
                          again};
        if (dtype_[0] == '>')
            for (std::size_t i = 0; i < elements.size(); i += type_.part)
                std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(i),
                             elements.begin() + static_cast<std::ptrdiff_t>(i + type_.part));
        if (first_fastest_) last_axis_fastest(elements, chunk_, type_.bytes);
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
            if (own.is_object() && own.contains("_ARRAY_DIMENSIONS")) names = letters_in(own["_ARRAY_DIMENSIONS"], n);   // xarray's
            if (names.empty()) names = by_order(n);
        } else {
            if (scales.contains("axes")) names = letters_in(scales["axes"], n);
            else if (n == 5) names = "tczyx";   // of version 0.1 and 0.2
            Placed placed = placed_by(level_, scales, n);
            at_.own = placed;
            if (!ours_.is_null()) at_.finest = placed_by(scales.at("datasets").at(0), scales, n);
            if (placed.unfit)
                said_["warnings"].push_back("it has a scale or a translation that is not of " + std::to_string(n) +
                                            " numbers, one for each axis: that is left out");
            if (placed.elsewhere)
                said_["warnings"].push_back(
                    "it has a scale or a translation in an array of its own (\"path\"), which is not read: its "
                    "distances are left out");
            if (names.empty()) names = by_order(n);
            if (scales.contains("axes")) unit = in_one_unit(scales["axes"], names, placed, said_["warnings"]);
            tell_scales(placed, names, shape_, unit, said_["warnings"]);
            spacing = placed.spacing;
            place_ = placed.place;
        }
        if (ours_.is_object() && ours_.contains("unit") && unit.empty()) unit = ours_["unit"].get<std::string>();
        Json axes = Json::array();
        bool unlike_one = false;
        for (std::size_t i = 0; i < n; ++i) {
            Json axis{{"name", std::string(1, names[i])}, {"size", shape_[i]}};
            const bool length = names[i] != 'c' && names[i] != 't' && names[i] != 'n';
            if (!std::isfinite(spacing[i])) spacing[i] = 0;
            const bool without = scales.is_object() && !has_unit(scales.value("axes", Json()), i);
            // A 1 without a unit is what stands there where no time is said.
            if (names[i] == 't' && spacing[i] == 1 && without) spacing[i] = 0;
            if (names[i] == 't' && spacing[i] > 0 && without)
                said_["warnings"].push_back("its frames are " + parallax::io::shortest(spacing[i]) +
                                            " of a unit that it does not name apart: seconds are taken");
            if (spacing[i] > 0 && names[i] != 'c') axis["spacing"] = spacing[i];
            unlike_one = unlike_one || (length && spacing[i] > 0 && spacing[i] != 1);
            axes.push_back(std::move(axis));
        }
        if (unlike_one && unit.empty() && ours_.is_null())
            said_["warnings"].push_back({{"text",
                                          "its distances are of a unit that it does not name, most often um: \"spacing_um\" of "
                                          "the input states it"},
                                         {"about", "spacing"}});
        said_["axes"] = axes;
        said_["unit"] = unit;
        names_ = names;
        while (pages_ < n && (names[pages_] == 't' || names[pages_] == 'n')) ++pages_;
        said_["page_axes"] = pages_;
        const Json channels = names_of_channels();
        const std::size_t c = names.find('c');
        if (c != std::string::npos && channels.size() == static_cast<std::size_t>(shape_[c])) said_["channels"] = channels;
    }

    /// Of omero, else our own. None where no channel has one, and, with a warning, where one is something else than a text.
    Json names_of_channels() {
        Json names = Json::array();
        if (omero_.is_object() && omero_.contains("channels")) {
            for (const Json& channel : omero_["channels"]) {
                const Json label = channel.is_object() ? channel.value("label", Json()) : Json();
                names.push_back(label.is_null() ? Json("") : label);
            }
            if (std::all_of(names.begin(), names.end(), [](const Json& name) { return name == ""; })) return Json::array();
        } else if (ours_.is_object() && ours_.contains("channels")) {
            if (ours_["channels"].is_array()) names = ours_["channels"];
            else names.push_back(ours_["channels"]);
        }
        const auto other = std::find_if(names.begin(), names.end(), [](const Json& name) { return !name.is_string(); });
        if (other == names.end()) return names;
        said_["warnings"].push_back("it has " + other->dump().substr(0, 40) +
                                    " where the name of a channel should be, which is no text: such names are left out");
        return Json::array();
    }

    static std::string by_order(std::size_t n) {
        if (n > 5) throw Problem{"has " + std::to_string(n) + " axes without names; up to 5 are read", "write a part of it"};
        return std::string("ntzyx").substr(5 - n);
    }

    /// Letters of axes that are named; empty, with a warning: they are not followed.
    std::string letters_in(const Json& axes, std::size_t n) {
        const bool fit = axes.is_array() && axes.size() == n;
        const std::string letters = fit ? letters_of(axes, said_["warnings"]) : "";
        if (letters.empty()) said_["warnings"].push_back(parallax::io::told_of_names(axes.dump(), by_order(n)));
        return letters;
    }

    fs::path folder_;
    std::vector<std::int64_t> shape_, chunk_;
    std::string dtype_, codec_, separator_;
    Type type_{};
    bool first_fastest_ = false;   ///< elements of a chunk stand in Fortran's order
    Fill fill_;
    std::vector<std::pair<fs::path, std::vector<std::int64_t>>> folders_;   ///< of chunks, with their place on the axes before
    std::map<std::uint64_t, std::uint64_t> found_;   ///< chunks that are there, by their number: bytes of their files
    std::size_t pages_ = 0;
    std::string names_;
    std::vector<double> place_;
    Level at_;
    Json level_, omero_, ours_, said_ = Json::object();
};

}   // namespace

int main() { return parallax::io::readers::serve<ZarrFile>(); }
