// HDF5: one dataset of numbers, by its path. MATLAB 7.3's variables and MINC 2's images are such.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "io/decimal.hpp"
#include "io/readers/hdf5_lzf.hpp"
#include "io/readers/serve.hpp"

namespace {

using parallax::io::readers::Json;
using parallax::io::readers::Problem;
using parallax::io::readers::expect_lzf;
using parallax::io::readers::register_lzf;

constexpr const char* again = "the file is damaged or cut off: write or copy it again";
constexpr std::size_t most_objects = 4096;
constexpr std::uint64_t best_ratio = 1032;   ///< deflate's

/// Debian's library serves one thread at a time.
std::mutex& library() {
    static std::mutex mutex;
    return mutex;
}

/// What the library has opened, closed at the end.
class Handle {
public:
    Handle() = default;
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const noexcept { return id_; }
    bool good() const noexcept { return id_ >= 0; }

private:
    hid_t id_ = -1;
    herr_t (*close_)(hid_t) = nullptr;
};

herr_t no_other_file(const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) { return -1; }

/// A dataset of this file by its path: no link on the way leads to another file.
Handle open_dataset(hid_t file, const char* path) {
    const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_elink_cb(access, no_other_file, nullptr);
    return {H5Dopen2(file, path, access), H5Dclose};
}

/// Whether elements are another file's: of a virtual dataset, or of any file in raw form. Asked before its sizes are, for which those of
/// a virtual one are opened.
bool is_elsewhere(hid_t dataset) {
    const Handle list(H5Dget_create_plist(dataset), H5Pclose);
    return !list.good() || H5Pget_layout(list) == H5D_VIRTUAL || H5Pget_external_count(list) != 0;
}

/// How elements are stored and delivered.
struct Type {
    const char* name = nullptr;   ///< ours; null: none that is read
    Handle memory{};
    std::string why{};   ///< not
};

Handle own(hid_t type) { return {H5Tcopy(type), H5Tclose}; }

Type real_type(hid_t stored) {
    switch (H5Tget_size(stored)) {
        case 2:
            return {"f32", own(H5T_NATIVE_FLOAT), {}};   // 16 bits, widened
        case 4:
            return {"f32", own(H5T_NATIVE_FLOAT), {}};
        case 8:
            return {"f64", own(H5T_NATIVE_DOUBLE), {}};
        default:
            return {nullptr, {}, std::to_string(H5Tget_size(stored) * 8) + "-bit floating-point numbers"};
    }
}

Type integer_type(hid_t stored) {
    const bool is_signed = H5Tget_sign(stored) == H5T_SGN_2;
    switch (H5Tget_size(stored)) {
        case 1:
            return is_signed ? Type{"i8", own(H5T_NATIVE_INT8), {}} : Type{"u8", own(H5T_NATIVE_UINT8), {}};
        case 2:
            return is_signed ? Type{"i16", own(H5T_NATIVE_INT16), {}} : Type{"u16", own(H5T_NATIVE_UINT16), {}};
        case 4:
            return is_signed ? Type{"i32", own(H5T_NATIVE_INT32), {}} : Type{"u32", own(H5T_NATIVE_UINT32), {}};
        case 8:
            return is_signed ? Type{"i64", own(H5T_NATIVE_INT64), {}} : Type{"u64", own(H5T_NATIVE_UINT64), {}};
        default:
            return {nullptr, {}, std::to_string(H5Tget_size(stored) * 8) + "-bit integers"};
    }
}

/// Pairs of real numbers are complex ones, whatever their two members are called.
Type compound_type(hid_t stored) {
    if (H5Tget_nmembers(stored) != 2) return {nullptr, {}, "records of " + std::to_string(H5Tget_nmembers(stored)) + " members"};
    const Handle first(H5Tget_member_type(stored, 0), H5Tclose), second(H5Tget_member_type(stored, 1), H5Tclose);
    if (H5Tget_class(first) != H5T_FLOAT || H5Tget_class(second) != H5T_FLOAT || H5Tget_size(first) != H5Tget_size(second))
        return {nullptr, {}, "records that are no complex numbers"};
    const Type part = real_type(first);
    if (!part.name || H5Tget_size(first) < 4) return {nullptr, {}, "complex numbers of " + part.why};
    const std::size_t size = H5Tget_size(part.memory);
    Handle memory(H5Tcreate(H5T_COMPOUND, 2 * size), H5Tclose);
    for (unsigned i = 0; i < 2; ++i) {
        char* const name = H5Tget_member_name(stored, i);
        H5Tinsert(memory, name ? name : "", i * size, part.memory);
        H5free_memory(name);
    }
    return {size == 4 ? "c64" : "c128", std::move(memory), {}};
}

/// h5py's bool is an enumeration of FALSE and TRUE.
Type enumeration_type(hid_t stored) {
    const bool two = H5Tget_nmembers(stored) == 2 && H5Tget_size(stored) == 1;
    if (!two) return {nullptr, {}, "enumerations"};
    return {"bool", {H5Tcopy(stored), H5Tclose}, {}};
}

Type type_of(hid_t stored) {
    switch (H5Tget_class(stored)) {
        case H5T_INTEGER:
            return integer_type(stored);
        case H5T_FLOAT:
            return real_type(stored);
        case H5T_COMPOUND:
            return compound_type(stored);
        case H5T_ENUM:
            return enumeration_type(stored);
        case H5T_STRING:
            return {nullptr, {}, "texts"};
        case H5T_REFERENCE:
            return {nullptr, {}, "references (a cell array of MATLAB's is such)"};
        default:
            return {nullptr, {}, "elements that are no numbers"};
    }
}

std::vector<hsize_t> sizes_of(hid_t dataset) {
    const Handle space(H5Dget_space(dataset), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, rank)));
    if (rank > 0) H5Sget_simple_extent_dims(space, sizes.data(), nullptr);
    return sizes;
}

std::string in_words(const std::vector<hsize_t>& sizes) {
    std::string text;
    for (const hsize_t size : sizes) text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text.empty() ? "one number" : text;
}

/// Numbers of an attribute; empty: it has none of that name.
std::vector<double> numbers_at(hid_t object, const char* name, std::size_t most = 64) {
    if (H5Aexists(object, name) <= 0) return {};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const H5T_class_t kind = H5Tget_class(type);
    if (count < 1 || count > static_cast<hssize_t>(most) || (kind != H5T_FLOAT && kind != H5T_INTEGER)) return {};
    std::vector<double> values(static_cast<std::size_t>(count));
    if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) return {};
    return values;
}

/// Texts of an attribute, of fixed or of any length.
std::vector<std::string> texts_at(hid_t object, const char* name, std::size_t most = 256) {
    if (H5Aexists(object, name) <= 0) return {};
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) != H5T_STRING || count < 1 || count > static_cast<hssize_t>(most)) return {};
    std::vector<std::string> texts;
    if (H5Tis_variable_str(type) > 0) {
        std::vector<char*> all(static_cast<std::size_t>(count), nullptr);
        const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
        H5Tset_size(memory, H5T_VARIABLE);
        H5Tset_cset(memory, H5Tget_cset(type));
        if (H5Aread(attribute, memory, all.data()) < 0) return {};
        for (const char* text : all) texts.emplace_back(text ? text : "");
        H5Dvlen_reclaim(memory, space, H5P_DEFAULT, all.data());
        return texts;
    }
    const std::size_t size = H5Tget_size(type);
    if (size > 65536) return {};
    std::vector<char> all(size * static_cast<std::size_t>(count));
    if (H5Aread(attribute, type, all.data()) < 0) return {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        const char* const from = all.data() + i * size;
        texts.emplace_back(from, std::find(from, from + size, '\0'));
    }
    return texts;
}

std::string text_at(hid_t object, const char* name) {
    const std::vector<std::string> texts = texts_at(object, name);
    return texts.size() == 1 ? texts.front() : std::string();
}

struct Found {
    std::string path, sizes;
    bool numbers = false;
    std::string what;
};

struct Listing {
    std::vector<Found> all;
    std::size_t seen = 0;
};

// What a library says of an object has another type from 1.12 on, and so has the function that lists objects.
#if H5_VERSION_GE(1, 12, 0)
constexpr auto visit_objects = H5Ovisit3;
#else
constexpr auto visit_objects = H5Ovisit2;
#endif

template <typename Info>
herr_t visit(hid_t root, const char* name, const Info* info, void* to) {
    Listing& listing = *static_cast<Listing*>(to);
    if (++listing.seen > most_objects) return 1;
    const std::string path = std::string("/") + name;
    // What MATLAB and scales of axes keep for themselves.
    if (info->type != H5O_TYPE_DATASET || path.find("/#") != std::string::npos) return 0;
    const Handle dataset = open_dataset(root, name);
    if (!dataset.good() || text_at(dataset, "CLASS") == "DIMENSION_SCALE") return 0;
    const Handle stored(H5Dget_type(dataset), H5Tclose);
    const Type type = type_of(stored);
    Found found{path, is_elsewhere(dataset) ? "in other files" : in_words(sizes_of(dataset)), type.name != nullptr,
                type.name ? type.name : type.why};
    listing.all.push_back(std::move(found));
    return 0;
}

class Hdf5File {
public:
    Hdf5File(const std::string& path, const Json& request) : bytes_(request.at("bytes").get<std::uint64_t>()) {
        const std::lock_guard lock(library());
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        register_lzf();
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
        file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
        if (!file_.good()) throw Problem{"cannot be opened as HDF5: " + last_words(), again};
        choose(request.at("dataset").get<std::string>());
        describe();
    }
    Hdf5File(Hdf5File&&) noexcept = default;
    ~Hdf5File() {
        const std::lock_guard lock(library());
        for (Handle* handle : {&type_.memory, &dataset_, &file_}) *handle = Handle();
    }

    Json description() const { return said_; }

    void read(std::int64_t first, std::int64_t count, void* to) {
        const std::lock_guard lock(library());
        const Handle space(H5Dget_space(dataset_), H5Sclose);
        // Pages are indices of the first axes.
        std::vector<hsize_t> from(sizes_.size(), 0), many = sizes_;
        std::int64_t rest = first, all = 1;
        for (std::size_t i = 0; i < pages_; ++i) all *= static_cast<std::int64_t>(sizes_[i]);
        if (count != all) {
            for (std::size_t i = pages_; i-- > 0;) {
                from[i] = static_cast<hsize_t>(rest) % sizes_[i];
                rest /= static_cast<std::int64_t>(sizes_[i]);
                many[i] = 1;
            }
            if (pages_ == 1) many[0] = static_cast<hsize_t>(count);
        }
        if (!sizes_.empty()) H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, many.data(), nullptr);
        const Handle memory(
            sizes_.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(many.size()), many.data(), nullptr),
            H5Sclose);
        const std::size_t element = H5Tget_size(type_.memory);
        std::size_t elements = 1;
        for (const hsize_t size : many) elements *= static_cast<std::size_t>(size);
        std::vector<char> turned(transposed_ ? elements * element : 0);
        expect_lzf(dataset_);
        if (H5Dread(dataset_, type_.memory, memory, space, H5P_DEFAULT, transposed_ ? static_cast<void*>(turned.data()) : to) < 0)
            throw Problem{"its dataset " + path_ + " cannot be read: " + last_words(),
                          "the file is damaged: write or copy it again"};
        if (!low_.empty()) {
            std::int64_t page = static_cast<std::int64_t>(elements) / std::max<std::int64_t>(1, count);
            scale_minc(first * page, elements, static_cast<float*>(to));
        }
        if (transposed_) turn(turned.data(), static_cast<char*>(to), many, element);
    }

private:
    static std::string last_words() {
        std::string text = "the library says no more";
        H5Ewalk2(
            H5E_DEFAULT, H5E_WALK_UPWARD,
            [](unsigned n, const H5E_error2_t* error, void* to) -> herr_t {
                if (n == 0 && error->desc) *static_cast<std::string*>(to) = error->desc;
                return 0;
            },
            &text);
        return text;
    }

    /// Columns one after the other become rows.
    static void turn(const char* from, char* to, const std::vector<hsize_t>& sizes, std::size_t element) {
        const std::size_t columns = sizes[sizes.size() - 2], rows = sizes.back();
        std::size_t planes = 1;
        for (std::size_t i = 0; i + 2 < sizes.size(); ++i) planes *= static_cast<std::size_t>(sizes[i]);
        for (std::size_t p = 0; p < planes; ++p, from += rows * columns * element)
            for (std::size_t y = 0; y < rows; ++y)
                for (std::size_t x = 0; x < columns; ++x, to += element)
                    std::memcpy(to, from + (x * rows + y) * element, element);
    }

    void choose(const std::string& wanted) {
        Listing listing;
        if (visit_objects(file_, H5_INDEX_NAME, H5_ITER_INC, visit, &listing, H5O_INFO_BASIC) < 0)
            throw Problem{"its objects cannot be listed: " + last_words(), again};
        std::vector<const Found*> numbers;
        std::string list;
        for (const Found& found : listing.all) {
            if (!found.numbers) continue;
            numbers.push_back(&found);
            if (numbers.size() <= 30)
                list += (list.empty() ? "" : ", ") + found.path + " (" + found.what + " " + found.sizes + ")";
        }
        if (wanted.empty()) {
            if (numbers.empty()) throw Problem{"holds no dataset of numbers", "see what it holds, for instance by h5ls -r"};
            // MINC's image is the one that it is for.
            const auto image =
                std::find_if(numbers.begin(), numbers.end(), [](const Found* f) { return f->path == "/minc-2.0/image/0/image"; });
            if (image != numbers.end())
                path_ = (*image)->path;
            else if (numbers.size() == 1)
                path_ = numbers.front()->path;
            else
                throw Problem{"holds " + std::to_string(numbers.size()) + " datasets of numbers: " + list,
                              "say which: \"dataset\": \"" + numbers.front()->path + "\""};
        } else {
            path_ = wanted[0] == '/' ? wanted : "/" + wanted;
        }
        dataset_ = open_dataset(file_, path_.c_str());
        if (!dataset_.good())
            throw Problem{
                "has no dataset " + path_ + " of its own",
                list.empty() ? "it has none of numbers" : "it holds " + list + (listing.seen > most_objects ? ", and more" : "")};
        if (is_elsewhere(dataset_))
            throw Problem{"keeps the elements of its dataset " + path_ + " in other files, which is not read",
                          "copy them into one file, for instance by h5repack"};
        for (const Found* other : numbers) {
            if (other->path != path_ && said_["ignored"].size() < 30)
                said_["ignored"].push_back("the dataset " + other->path + " (" + other->what + " " + other->sizes + ")");
        }
    }

    void describe() {
        const Handle stored(H5Dget_type(dataset_), H5Tclose);
        type_ = type_of(stored);
        if (!type_.name)
            throw Problem{"its dataset " + path_ + " holds " + type_.why + ", which are not read", "choose one of numbers"};
        sizes_ = sizes_of(dataset_);
        if (sizes_.size() > 8)
            throw Problem{"its dataset " + path_ + " has " + std::to_string(sizes_.size()) + " axes; up to 8 are read",
                          "write a part of it"};
        std::uint64_t elements = 1;
        for (const hsize_t size : sizes_) {
            if (size == 0) throw Problem{"its dataset " + path_ + " is empty: " + in_words(sizes_), "choose one with elements"};
            if (elements > (std::uint64_t{1} << 58) / size)
                throw Problem{"says that its dataset " + path_ + " holds more than 2^58 elements", again};
            elements *= size;
        }
        check_storage(elements * H5Tget_size(type_.memory), elements * H5Tget_size(stored));
        said_["type"] = type_.name;
        said_["format"] = "hdf5";
        const bool matlab = !text_at(dataset_, "MATLAB_class").empty();
        if (matlab && sizes_.size() >= 2) {
            // MATLAB's rows and columns, and its planes in front: of HDF5's axes the last two change places.
            transposed_ = true;
        }
        name_axes(matlab);
        if (path_ == "/minc-2.0/image/0/image") describe_minc();
    }

    /// MINC 2: the order of its axes, where they lie, and by which numbers each slice is scaled.
    void describe_minc() {
        const std::string order = text_at(dataset_, "dimorder");   // "zspace,yspace,xspace"
        std::string names;
        std::vector<std::array<double, 3>> steps;   // of each axis of space, the slowest first
        std::array<double, 3> origin{};
        bool placed = true;
        for (std::size_t at = 0; at <= order.size() && !order.empty();) {
            const std::size_t end = std::min(order.find(',', at), order.size());
            const std::string dimension = order.substr(at, end - at);
            at = end + 1;
            const char name = dimension == "vector_dimension" ? 'c' : dimension.empty() ? '?' : dimension[0];
            if (dimension != std::string(1, name) + "space" && dimension != "time" && name != 'c')
                throw Problem{"is a MINC file with the axis \"" + dimension + "\", which is not read",
                              "convert it, for instance by mnc2nii"};
            names += name;
            const std::size_t place = std::string("xyz").find(name);
            const Handle axis = open_dataset(file_, ("/minc-2.0/dimensions/" + dimension).c_str());
            if (!axis.good()) {
                placed = placed && place == std::string::npos;
                continue;
            }
            const std::vector<double> step = numbers_at(axis, "step"), start = numbers_at(axis, "start"),
                                      cosines = numbers_at(axis, "direction_cosines");
            const double by = step.size() == 1 && step[0] != 0 ? step[0] : 1;
            for (Json& one : said_["axes"]) {
                if (said_["axes"].size() == sizes_.size() && &one == &said_["axes"][names.size() - 1])
                    one["spacing"] = std::abs(by);
            }
            if (place == std::string::npos) continue;
            std::array<double, 3> direction{};
            direction[place] = 1;
            if (cosines.size() == 3) std::copy(cosines.begin(), cosines.end(), direction.begin());
            steps.emplace_back();
            for (std::size_t i = 0; i < 3; ++i) {
                steps.back()[i] = direction[i] * by;
                origin[i] += direction[i] * (start.size() == 1 ? start[0] : 0);
            }
        }
        if (names.size() != sizes_.size()) throw Problem{"is a MINC file that gives its axes as \"" + order + "\"", again};
        // The fastest axis of space is x, wherever it goes: that the affine says.
        std::size_t space = 0;
        for (std::size_t i = names.size(); i-- > 0;) {
            if (std::string("xyz").find(names[i]) != std::string::npos) names[i] = "xyz"[space++];
            said_["axes"][i]["name"] = std::string(1, names[i]);
        }
        said_["unit"] = "mm";
        said_["page_axes"] = pages_ = names[0] == 't' ? 1 : 0;
        if (placed && space == 3 && steps.size() == 3) {
            std::array<double, 16> affine{};   // MINC goes to the right, the front and up, as ours does
            for (std::size_t row = 0; row < 3; ++row) {
                for (std::size_t column = 0; column < 3; ++column) affine[row * 4 + column] = steps[2 - column][row];
                affine[row * 4 + 3] = origin[row];
            }
            affine[15] = 1;
            said_["affine"] = affine;
        }
        said_["detail"] = "MINC 2, " + order;
        const std::string stored = type_.name;
        if (stored[0] == 'f' || stored[0] == 'c') return;   // real numbers are not scaled
        low_ = whole("/minc-2.0/image/0/image-min"), high_ = whole("/minc-2.0/image/0/image-max");
        range_ = numbers_at(dataset_, "valid_range");
        if (range_.empty()) {   // then all numbers of the type are valid
            const double bits = static_cast<double>(8 * H5Tget_size(type_.memory));
            range_ = stored[0] == 'u' ? std::vector<double>{0, std::exp2(bits) - 1}
                                      : std::vector<double>{-std::exp2(bits - 1), std::exp2(bits - 1) - 1};
        }
        std::uint64_t elements = 1;
        for (const hsize_t size : sizes_) elements *= size;
        if (low_.empty() || low_.size() != high_.size() || elements % low_.size() != 0 || range_.size() != 2 ||
            !(range_[1] > range_[0]))
            throw Problem{"is a MINC file whose scales are missing or do not fit", again};
        type_ = {"f32", own(H5T_NATIVE_FLOAT), {}};
        said_["type"] = "f32";
    }

    /// All numbers of a small dataset.
    std::vector<double> whole(const char* path) const {
        const Handle data = open_dataset(file_, path);
        if (!data.good() || is_elsewhere(data)) return {};
        std::uint64_t count = 1;
        for (const hsize_t size : sizes_of(data)) count = size > 0 && count < (1u << 24) / size ? count * size : 0;
        std::vector<double> values(static_cast<std::size_t>(count));
        expect_lzf(data);
        if (values.empty() || H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
        return values;
    }

    /// Stored numbers of MINC between two ends stand for real ones between two others, slice by slice.
    void scale_minc(std::int64_t first_element, std::size_t count, float* values) const {
        std::uint64_t elements = 1;
        for (const hsize_t size : sizes_) elements *= size;
        const std::uint64_t slice = elements / low_.size();
        for (std::size_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>((static_cast<std::uint64_t>(first_element) + i) / slice);
            values[i] = static_cast<float>((values[i] - range_[0]) / (range_[1] - range_[0]) * (high_[at] - low_[at]) + low_[at]);
        }
    }

    /// Compressors beside HDF5's own, by the numbers that The HDF Group keeps.
    void check_filters(hid_t list) const {
        static const std::map<int, const char*> known = {
            {4, "szip"},    {305, "LZO"},    {307, "bzip2"},  {32001, "blosc"}, {32004, "LZ4"},    {32008, "bitshuffle"},
            {32013, "ZFP"}, {32015, "zstd"}, {32019, "JPEG"}, {32024, "SZ3"},   {32026, "blosc2"}, {32012, "JPEG-LS"}};
        const int count = H5Pget_nfilters(list);
        for (int i = 0; i < count; ++i) {
            std::size_t numbers = 0;
            unsigned int flags = 0, config = 0;
            std::array<char, 64> name{};
            const H5Z_filter_t filter =
                H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &numbers, nullptr, name.size(), name.data(), &config);
            if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
            const auto found = known.find(filter);
            throw Problem{"packs its dataset " + path_ + " by " +
                              (found == known.end() ? "filter " + std::to_string(filter) : std::string(found->second)) +
                              ", which the HDF5 library here has not",
                          "repack it by gzip, for instance by h5repack -f GZIP=4 or with h5py's compression=\"gzip\""};
        }
    }

    /// What the file has of it must be enough for what it says.
    void check_storage(std::uint64_t delivered, std::uint64_t declared) const {
        const Handle list(H5Dget_create_plist(dataset_), H5Pclose);
        const std::uint64_t there = H5Dget_storage_size(dataset_);
        if (std::min(there, bytes_) < declared / best_ratio || there > 2 * bytes_ + 65536)
            throw Problem{"says that its dataset " + path_ + " holds " + std::to_string(delivered) + " bytes, and has " +
                              std::to_string(std::min(there, bytes_)) + " for them",
                          "it has not been written in full, or is damaged"};
        if (H5Pget_layout(list) == H5D_CHUNKED) {
            check_filters(list);
            std::array<hsize_t, 32> sizes{};
            const int rank = H5Pget_chunk(list, static_cast<int>(sizes.size()), sizes.data());
            std::uint64_t chunk = H5Tget_size(type_.memory);
            for (int i = 0; i < rank; ++i) chunk *= sizes[static_cast<std::size_t>(i)];
            if (chunk > 2 * declared + (16u << 20))
                throw Problem{"has chunks of " + std::to_string(chunk) + " bytes for a dataset of " + std::to_string(declared),
                              "write it with chunks no larger than it, for instance by h5repack"};
        }
    }

    void name_axes(bool matlab) {
        std::vector<hsize_t> shown = sizes_;
        if (transposed_) std::swap(shown[shown.size() - 1], shown[shown.size() - 2]);
        std::string names = text_at(dataset_, "axes");   // as Parallax writes them
        std::vector<std::string> labels = texts_at(dataset_, "DIMENSION_LABELS");
        if (names.empty() && labels.size() == sizes_.size()) {
            for (const std::string& label : labels) names += label.size() == 1 ? label : std::string("?");
        }
        std::transform(names.begin(), names.end(), names.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        const auto known = [&](char c) {
            return std::string("tczyxn").find(c) != std::string::npos && std::count(names.begin(), names.end(), c) == 1;
        };
        if (names.size() != shown.size() || matlab || !std::all_of(names.begin(), names.end(), known)) {
            names.clear();
            constexpr const char* order = "xyzt";
            for (std::size_t i = 0; i < shown.size(); ++i) {
                const std::size_t from_back = shown.size() - 1 - i;
                names += from_back < 4 ? order[from_back] : 'n';
            }
            if (std::count(names.begin(), names.end(), 'n') > 1)
                throw Problem{
                    "its dataset " + path_ + " has " + std::to_string(shown.size()) + " axes without names; up to 5 are read",
                    "write a part of it"};
        }
        std::vector<double> spacing = numbers_at(dataset_, "spacing");
        std::string unit = text_at(dataset_, "unit");
        const std::vector<double> um = numbers_at(dataset_, "element_size_um");   // z, y, x, as ilastik and Fiji write it
        const bool lengths = unit == "nm" || unit == "um" || unit == "mm" || unit == "cm" || unit == "m";
        if (!lengths) unit.clear();
        if (spacing.size() != shown.size() && um.size() >= 2 && um.size() <= 3) {
            spacing.assign(shown.size(), 1);
            unit = "um";
            for (std::size_t i = 0; i < shown.size(); ++i) {
                const std::size_t place = std::string("zyx").find(names[i]);
                if (place != std::string::npos && place + um.size() >= 3) spacing[i] = um[place + um.size() - 3];
            }
        }
        Json axes = Json::array();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            Json axis{{"name", std::string(1, names[i])}, {"size", shown[i]}};
            if (spacing.size() == shown.size() && std::isfinite(spacing[i]) && spacing[i] > 0) axis["spacing"] = spacing[i];
            axes.push_back(std::move(axis));
        }
        if (axes.empty()) axes.push_back({{"name", "x"}, {"size", 1}});
        said_["axes"] = std::move(axes);
        said_["unit"] = unit;
        while (pages_ < names.size() && (names[pages_] == 't' || names[pages_] == 'n')) ++pages_;
        if (transposed_) pages_ = std::min(pages_, sizes_.size() - 2);
        said_["page_axes"] = pages_;
        const std::vector<double> affine = numbers_at(dataset_, "affine");
        if (affine.size() == 16) said_["affine"] = affine;
        if (const std::vector<std::string> channels = texts_at(dataset_, "channels"); !channels.empty())
            said_["channels"] = channels;
        const std::string colour = text_at(dataset_, "colour");
        if (!colour.empty()) said_["colour"] = colour;
        said_["detail"] = "dataset " + path_ + (matlab ? ", of MATLAB's" : "");
    }

    std::uint64_t bytes_ = 0;
    Handle file_, dataset_;
    Type type_;
    std::string path_;
    std::vector<hsize_t> sizes_;   ///< as HDF5 has them
    std::size_t pages_ = 0;
    std::vector<double> low_, high_, range_;   ///< of MINC
    bool transposed_ = false;
    Json said_ = Json::object();
};

/// What H5 says no to ends the writing.
hid_t held(hid_t id, const char* what) {
    if (id < 0)
        throw Problem{std::string("cannot be written: HDF5 cannot make ") + what,
                      "see whether the disk is full and the folder may be written"};
    return id;
}

/// One array as /data, with what it means in attributes: axes, spacing, unit, affine, channels; and in the words that h5py
/// (DIMENSION_LABELS), Fiji and ilastik (element_size_um) look for.
struct Hdf5Writer {
    static hid_t real(const std::string& type) {
        const std::pair<const char*, hid_t> types[] = {
            {"u8", H5T_NATIVE_UINT8},   {"i8", H5T_NATIVE_INT8},   {"u16", H5T_NATIVE_UINT16}, {"i16", H5T_NATIVE_INT16},
            {"u32", H5T_NATIVE_UINT32}, {"i32", H5T_NATIVE_INT32}, {"u64", H5T_NATIVE_UINT64}, {"i64", H5T_NATIVE_INT64},
            {"f32", H5T_NATIVE_FLOAT},  {"f64", H5T_NATIVE_DOUBLE}};
        for (const auto& [name, native] : types) {
            if (type == name) return native;
        }
        throw Problem{"cannot be written: " + type + " is no type that is known here", ""};
    }

    /// As h5py has bool and complex numbers.
    static Handle type_for(const std::string& type) {
        if (type == "c64" || type == "c128") {
            const hid_t part = type == "c64" ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
            const std::size_t size = H5Tget_size(part);
            Handle pair(held(H5Tcreate(H5T_COMPOUND, 2 * size), "a type"), H5Tclose);
            H5Tinsert(pair, "r", 0, part);
            H5Tinsert(pair, "i", size, part);
            return pair;
        }
        if (type != "bool") return own(real(type));
        Handle words(held(H5Tenum_create(H5T_NATIVE_INT8), "a type"), H5Tclose);
        const std::int8_t no = 0, yes = 1;
        H5Tenum_insert(words, "FALSE", &no);
        H5Tenum_insert(words, "TRUE", &yes);
        return words;
    }

    static void put_numbers(hid_t to, const char* name, const std::vector<double>& values) {
        const hsize_t count = values.size();
        const Handle space(held(H5Screate_simple(1, &count, nullptr), "a space"), H5Sclose);
        const Handle attribute(held(H5Acreate2(to, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT), "an attribute"),
                               H5Aclose);
        held(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()), "an attribute");
    }

    static void put_texts(hid_t to, const char* name, const std::vector<std::string>& texts, bool one) {
        const Handle type(held(H5Tcopy(H5T_C_S1), "a type"), H5Tclose);
        H5Tset_size(type, H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
        const hsize_t count = texts.size();
        const Handle space(held(one ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), "a space"), H5Sclose);
        const Handle attribute(held(H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT), "an attribute"), H5Aclose);
        std::vector<const char*> pointers;
        for (const std::string& text : texts) pointers.push_back(text.c_str());
        held(H5Awrite(attribute, type, pointers.data()), "an attribute");
    }

    static void write(const Json& request, std::istream& in) {
        const std::lock_guard lock(library());
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        std::vector<hsize_t> sizes;
        std::vector<double> spacing, um;
        std::vector<std::string> labels;
        std::string names;
        const std::string unit = request.value("unit", "");
        const double in_um = unit == "nm"   ? 1e-3
                             : unit == "um" ? 1
                             : unit == "mm" ? 1e3
                             : unit == "cm" ? 1e4
                             : unit == "m"  ? 1e6
                                            : 0;
        for (const Json& axis : request.at("axes")) {
            sizes.push_back(axis.at("size").get<hsize_t>());
            spacing.push_back(axis.at("spacing").get<double>());
            labels.push_back(axis.at("name").get<std::string>());
            names += labels.back();
            if (std::string("zyx").find(labels.back()) != std::string::npos)
                um.push_back(parallax::io::scaled(spacing.back(), in_um));
        }
        const Handle file(
            held(H5Fcreate(request.at("write").get<std::string>().c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), "the file"),
            H5Fclose);
        const Handle type = type_for(request.at("type").get<std::string>());
        const Handle space(held(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), "a space"), H5Sclose);
        // Without the time at which it was made: the same array gives the same bytes.
        const Handle creation(held(H5Pcreate(H5P_DATASET_CREATE), "properties"), H5Pclose);
        held(H5Pset_obj_track_times(creation, false), "properties");
        const Handle data(held(H5Dcreate2(file, "data", type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "a dataset"), H5Dclose);
        put_texts(data, "axes", {names}, true);
        put_texts(data, "DIMENSION_LABELS", labels, false);
        put_numbers(data, "spacing", spacing);
        if (!unit.empty()) put_texts(data, "unit", {unit}, true);
        if (in_um > 0 && um.size() >= 2) put_numbers(data, "element_size_um", um);
        if (request.contains("affine")) put_numbers(data, "affine", request["affine"].get<std::vector<double>>());
        if (request.contains("channels")) put_texts(data, "channels", request["channels"].get<std::vector<std::string>>(), false);
        if (request.contains("colour")) put_texts(data, "colour", {request["colour"].get<std::string>()}, true);
        // Index after index of the first axis, so that the array is never here as a whole.
        std::vector<hsize_t> from(sizes.size(), 0), many = sizes;
        many[0] = 1;
        const Handle memory(held(H5Screate_simple(static_cast<int>(many.size()), many.data(), nullptr), "a space"), H5Sclose);
        std::vector<char> slice(static_cast<std::size_t>(request.at("bytes").get<std::uint64_t>() / sizes[0]));
        for (; from[0] < sizes[0]; ++from[0]) {
            if (!in.read(slice.data(), static_cast<std::streamsize>(slice.size())))
                throw Problem{"cannot be written: its elements have not come", ""};
            H5Sselect_hyperslab(space, H5S_SELECT_SET, from.data(), nullptr, many.data(), nullptr);
            held(H5Dwrite(data, type, memory, space, H5P_DEFAULT, slice.data()), "room for the elements");
        }
        held(H5Fflush(file, H5F_SCOPE_GLOBAL), "room for the elements");
    }
};

}   // namespace

int main() { return parallax::io::readers::serve<Hdf5File, Hdf5Writer>(); }
