// HDF5: one dataset of numbers, by its path. MATLAB 7.3's variables and MINC 2's images are such.
#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "io/readers/hdf5_axes.hpp"
#include "io/readers/hdf5_chunks.hpp"
#include "io/readers/hdf5_lzf.hpp"
#include "io/readers/hdf5_minc.hpp"
#include "io/readers/hdf5_netcdf.hpp"
#include "io/readers/hdf5_packed.hpp"
#include "io/readers/hdf5_parts.hpp"
#include "io/readers/hdf5_slabs.hpp"
#include "io/readers/hdf5_units.hpp"
#include "io/readers/hdf5_walk.hpp"
#include "io/readers/hdf5_writer.hpp"
#include "io/readers/serve.hpp"

namespace parallax::io::readers {
namespace {

constexpr std::uint64_t best_ratio = 1032;   ///< deflate's

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
        const Handle memory(
            sizes_.empty() ? H5Screate(H5S_SCALAR) : H5Screate_simple(static_cast<int>(many.size()), many.data(), nullptr),
            H5Sclose);
        const std::size_t element = H5Tget_size(type_.memory);
        std::size_t elements = 1;
        for (const hsize_t size : many) elements *= static_cast<std::size_t>(size);
        std::vector<char> turned(transposed_ ? elements * element : 0);
        void* const into = transposed_ ? static_cast<void*>(turned.data()) : to;
        expect_lzf(dataset_);
        PackedChunks packed(dataset_, path_);
        for (Slabs slabs(from, many, chunk_of(dataset_)); slabs.next();) {
            if (!sizes_.empty()) {
                H5Sselect_hyperslab(space, H5S_SELECT_SET, slabs.in_file().data(), nullptr, slabs.sizes().data(), nullptr);
                H5Sselect_hyperslab(memory, H5S_SELECT_SET, slabs.in_memory().data(), nullptr, slabs.sizes().data(), nullptr);
            }
            packed.check(slabs.in_file(), slabs.sizes());
            if (H5Dread(dataset_, type_.memory, memory, space, H5P_DEFAULT, into) < 0) cannot_be_read();
        }
        if (!scales_.none()) {
            std::int64_t page = static_cast<std::int64_t>(elements) / std::max<std::int64_t>(1, count);
            scales_.apply(first * page, elements, static_cast<float*>(to));
        }
        if (transposed_) turn(turned.data(), static_cast<char*>(to), many, element);
    }

private:
    [[noreturn]] void cannot_be_read() const {
        if (is_out_of_memory()) throw no_memory_for(path_);
        throw Problem{"its dataset " + path_ + " cannot be read: " + last_words(), "the file is damaged: write or copy it again"};
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

    /// The datasets that were looked at.
    struct Looked {
        struct Number {
            std::size_t index;
            std::string words;
        };
        std::size_t datasets = 0;
        std::size_t count = 0;                 ///< of numbers
        std::vector<Number> numbers;           ///< the first of those
        std::string others;                    ///< what else there is, in words
        std::optional<std::size_t> image;      ///< MINC's
        std::optional<std::size_t> closed;     ///< the first that cannot be opened
        bool whole = true;                     ///< all were looked at that are in the outline, unless the first are enough
    };
    static constexpr std::size_t most_listed = 30;

    /// `image`: MINC's, if there is one; `enough`: no more than the first that are shown.
    Looked look(const Outline& outline, const Handle& image, bool enough) const {
        Looked looked;
        std::size_t left = most_listed;
        std::uint64_t types = 0;
        for (const std::size_t index : outline.datasets()) {
            if (enough && looked.count > most_listed) break;
            looked.whole = types <= (8u << 20) + bytes_;
            if (!looked.whole) break;
            ++looked.datasets;
            const Found found = outline.look_at(index);
            types += found.bytes_of_type;
            if (found.scale) continue;
            if (!found.closed.empty()) {
                if (!looked.closed) looked.closed = index;
            } else if (found.numbers) {
                if (looked.count++ <= most_listed)
                    looked.numbers.push_back({index, outline.path_of(index) + " (" + found.what + " " + found.sizes + ")"});
                if (image.good() && outline.is_same(index, image)) looked.image = index;
            } else if (left > 0) {
                --left;
                looked.others += (looked.others.empty() ? "" : ", ") + outline.path_of(index) + " (" + found.what + ")";
            }
        }
        return looked;
    }

    /// What was left out; empty: nothing.
    static std::string left_out(const Outline& outline, const Looked& looked) {
        if (!looked.whole)
            return "its types of elements are so long that only " + std::to_string(looked.datasets) + " of its " +
                   std::to_string(outline.datasets().size()) + " datasets are looked at";
        return outline.whole() ? "" : "it has more objects than the " + std::to_string(most_objects) + " that are looked at";
    }

    /// Where a dataset cannot be opened.
    static void check_opens(const Outline& outline, std::size_t index) {
        const std::string why = outline.look_at(index).closed;
        if (why.empty()) return;
        unsigned major = 0, minor = 0, release = 0;
        H5get_libversion(&major, &minor, &release);
        throw Problem{"its dataset " + outline.path_of(index) + " cannot be opened: " + why,
                      "HDF5 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release) +
                          " is the library here: what a newer one wrote with libver=\"latest\" is to be written with "
                          "libver=\"earliest\""};
    }

    void choose(const std::string& wanted) {
        const Outline outline(file_);
        if (!wanted.empty()) {
            path_ = wanted[0] == '/' ? wanted : "/" + wanted;
            dataset_ = open_dataset(file_, path_.c_str());
            for (const std::size_t index : outline.datasets()) {
                if (!dataset_.good() && outline.is_at(index, path_)) check_opens(outline, index);
            }
        }
        const Handle image = open_dataset(file_, minc_image);   // it may have other names
        const Looked looked = look(outline, image, dataset_.good());
        std::string list;   // of numbers
        for (std::size_t i = 0; i < std::min(looked.numbers.size(), most_listed); ++i)
            list += (i == 0 ? "" : ", ") + looked.numbers[i].words;
        const std::string left = left_out(outline, looked), more = left.empty() ? "" : "; " + left;
        if (!wanted.empty() && !dataset_.good())
            throw Problem{"has no dataset " + path_ + " of its own",
                          (list.empty() ? "none of numbers was found" : "it holds " + list) + more};
        if (wanted.empty()) take_only(outline, looked, list, more);
        if (wanted.empty() && !left.empty() && !looked.image)
            said_["warnings"].push_back(left + ": " + path_ + " is the only dataset of numbers among those");
        is_minc_ = image.good() && is_one_object(dataset_, image);
        if (is_elsewhere(dataset_))
            throw Problem{"keeps the elements of its dataset " + path_ + " in other files, which is not read",
                          "copy them into one file, for instance by h5repack"};
        for (const Looked::Number& other : looked.numbers) {
            if (!outline.is_same(other.index, dataset_) && said_["ignored"].size() < most_listed)
                said_["ignored"].push_back("the dataset " + other.words);
        }
    }

    /// Where none is named: the only one of numbers, or MINC's image, which is the one that such a file is for.
    void take_only(const Outline& outline, const Looked& looked, const std::string& list, const std::string& more) {
        if (looked.count == 0 && looked.closed) check_opens(outline, *looked.closed);
        if (looked.count == 0)
            throw Problem{"holds no dataset of numbers that are read" + (looked.others.empty() ? "" : ", but " + looked.others) +
                              more,
                          more.empty() ? "see what it holds, for instance by h5ls -r"
                                       : "say which: \"dataset\": \"/...\", as h5ls -r lists them"};
        const std::size_t first = looked.numbers.front().index;
        if (looked.count > 1 && !looked.image)
            throw Problem{"holds " + std::to_string(looked.count) + " datasets of numbers: " + list + more,
                          "say which: \"dataset\": \"" + outline.path_of(first) + "\"" +
                              (outline.is_at(first, outline.path_of(first)) ? "" : " (its whole path by h5ls -r)")};
        const std::size_t index = looked.image.value_or(first);
        path_ = looked.image ? minc_image : outline.path_of(index);
        dataset_ = outline.open(index);
    }

    void describe() {
        const Handle stored(H5Dget_type(dataset_), H5Tclose);
        type_ = type_of_dataset(dataset_);
        if (!type_.name)
            throw Problem{"its dataset " + path_ + " holds " + type_.why + ", which are not read", "choose one of numbers"};
        if (is_null(dataset_))
            throw Problem{"its dataset " + path_ + " is empty: its dataspace is null, without any element",
                          "choose one with elements"};
        if (const std::vector<double> empty = numbers_at(dataset_, "MATLAB_empty"); !empty.empty() && empty[0] != 0)
            throw Problem{"its variable " + path_ + " is empty: " + sizes_of_empty(), "choose one with elements"};
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
        if (const std::string missing = missing_chunks(dataset_, path_, sizes_, type_); !missing.empty())
            said_["warnings"].push_back(missing);
        said_["type"] = type_.name;
        said_["format"] = "hdf5";
        const std::string kind = text_at(dataset_, matlab_class);
        const bool matlab = !kind.empty();
        if (kind == "logical" && said_["type"] == "u8") said_["type"] = "bool";   // as of its earlier versions
        if (matlab && sizes_.size() >= 2) {
            // MATLAB's rows and columns, and its planes in front: of HDF5's axes the last two change places.
            transposed_ = true;
        }
        name_axes(matlab);
        follow_netcdf(dataset_, said_);
        if (!is_minc_) return tell_valid_range(dataset_, said_);   // of MINC's it is the scale's
        pages_ = describe_minc(file_, dataset_, sizes_, said_);
        scales_ = MincScales(file_, dataset_, type_, sizes_);
        if (scales_.none()) return;
        if (!scales_.loss().empty()) said_["warnings"].push_back(scales_.loss());
        type_ = {"f32", own(H5T_NATIVE_FLOAT), {}};
        said_["type"] = "f32";
    }

    /// MATLAB's dataset for a variable without elements holds its sizes.
    std::string sizes_of_empty() const {
        const std::vector<hsize_t> there = sizes_of(dataset_);
        if (there.size() != 1 || there[0] < 1 || there[0] > 32) return "MATLAB_empty says so";
        std::vector<hsize_t> sizes(static_cast<std::size_t>(there[0]));
        PackedChunks(dataset_, path_).check();
        if (H5Dread(dataset_, H5T_NATIVE_HSIZE, H5S_ALL, H5S_ALL, H5P_DEFAULT, sizes.data()) < 0) return "MATLAB_empty says so";
        return in_words(sizes);
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
        // MINC's axes have names of their own, and MATLAB's change places.
        const bool by_order = matlab || is_minc_;
        const std::string names = by_order ? letters_by_order(path_, shown.size())
                                           : letters_of_axes(dataset_, path_, shown.size(), said_["warnings"]);
        std::vector<double> spacing = numbers_at(dataset_, "spacing");
        std::string unit = text_at(dataset_, "unit");
        const std::vector<double> um = numbers_at(dataset_, "element_size_um");   // z, y, x, as ilastik and Fiji write it
        if (spacing.size() != shown.size()) spacing.clear();
        if (spacing.empty() && um.size() >= 2 && um.size() <= 3) {
            spacing.assign(shown.size(), 1);
            unit = "um";
            for (std::size_t i = 0; i < shown.size(); ++i) {
                const std::size_t place = std::string("zyx").find(names[i]);
                if (place != std::string::npos) spacing[i] = place + um.size() >= 3 ? um[place + um.size() - 3] : 0;
                if (names[i] == 't') spacing[i] = 0;   // of which it says nothing
            }
        }
        unit = in_our_unit(unit, names, spacing, said_["warnings"]);
        Json axes = Json::array();
        for (std::size_t i = 0; i < shown.size(); ++i) {
            Json axis{{"name", std::string(1, names[i])}, {"size", shown[i]}};
            if (!spacing.empty() && std::isfinite(spacing[i]) && spacing[i] > 0) axis["spacing"] = spacing[i];
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
        if (const std::vector<std::string> channels = texts_at(dataset_, "channels", most_channels); !channels.empty())
            said_["channels"] = channels;
        const std::string colour = text_at(dataset_, "colour");
        if (!colour.empty()) said_["colour"] = colour;
        said_["detail"] = "dataset " + path_ + (matlab ? ", of MATLAB's" : "");
    }

    std::uint64_t bytes_ = 0;
    Handle file_, dataset_;
    Type type_;
    std::string path_;
    bool is_minc_ = false;   ///< it is MINC's image
    std::vector<hsize_t> sizes_;   ///< as HDF5 has them
    std::size_t pages_ = 0;
    MincScales scales_;
    bool transposed_ = false;
    Json said_ = Json::object();
};

}   // namespace
}   // namespace parallax::io::readers

int main() { return parallax::io::readers::serve<parallax::io::readers::Hdf5File, parallax::io::readers::Hdf5Writer>(); }
