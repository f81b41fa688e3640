// MATLAB's files up to version 7.2: one numeric variable, its rows and columns as MATLAB shows them, planes in front.
#include <matio.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "io/readers/mat_elements.hpp"
#include "io/readers/serve.hpp"

namespace {

namespace mat = parallax::io::readers::mat;
using parallax::io::readers::Json;
using parallax::io::readers::Problem;

constexpr const char* again = "the file is damaged or cut off: save it again";
constexpr std::size_t most_variables = 4096;
constexpr std::uint64_t best_ratio = 1032;

/// matio opens MATLAB 7.3's files by HDF5, whose library serves one thread at a time; and it logs through a global.
std::mutex& library() {
    static std::mutex mutex;
    return mutex;
}

using Variable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

const char* type_of(const matvar_t& v) {
    if (v.isLogical && v.class_type == MAT_C_UINT8) return "bool";
    switch (v.class_type) {
        case MAT_C_DOUBLE:
            return v.isComplex ? "c128" : "f64";
        case MAT_C_SINGLE:
            return v.isComplex ? "c64" : "f32";
        case MAT_C_INT8:
            return v.isComplex ? nullptr : "i8";
        case MAT_C_UINT8:
            return v.isComplex ? nullptr : "u8";
        case MAT_C_INT16:
            return v.isComplex ? nullptr : "i16";
        case MAT_C_UINT16:
            return v.isComplex ? nullptr : "u16";
        case MAT_C_INT32:
            return v.isComplex ? nullptr : "i32";
        case MAT_C_UINT32:
            return v.isComplex ? nullptr : "u32";
        case MAT_C_INT64:
            return v.isComplex ? nullptr : "i64";
        case MAT_C_UINT64:
            return v.isComplex ? nullptr : "u64";
        default:
            return nullptr;
    }
}

std::size_t bytes_of(const std::string& type) {
    if (type == "bool" || type.ends_with("8")) return type == "c128" ? 16 : 1;
    if (type == "c64" || type.ends_with("64")) return 8;
    return type.ends_with("32") ? 4 : 2;
}

/// What is not read.
const char* kind_of(const matvar_t& v) {
    switch (v.class_type) {
        case MAT_C_STRUCT:
            return "a structure";
        case MAT_C_CELL:
            return "a cell array";
        case MAT_C_CHAR:
            return "text";
        case MAT_C_SPARSE:
            return "a sparse matrix";
        case MAT_C_OBJECT:
        case MAT_C_OPAQUE:
            return "an object";
        case MAT_C_FUNCTION:
            return "a function";
        default:
            return v.isComplex ? "complex integers" : "no numbers";
    }
}

const char* way_out(const matvar_t& v) {
    switch (v.class_type) {
        case MAT_C_STRUCT:
        case MAT_C_CELL:
        case MAT_C_OBJECT:
        case MAT_C_OPAQUE:
            return "save the array that it holds as a variable of its own";
        case MAT_C_SPARSE:
            return "save full() of it";
        default:
            return "choose another";
    }
}

std::string in_words(const matvar_t& v) {
    std::string text = std::string(v.name ? v.name : "") + " (" + (type_of(v) ? type_of(v) : kind_of(v));
    for (int i = 0; i < v.rank; ++i) text += (i == 0 ? " " : " x ") + std::to_string(v.dims[i]);
    return text + ")";
}

class MatFile {
public:
    MatFile(const std::string& path, const Json& request) : path_(path), bytes_(request.at("bytes").get<std::uint64_t>()) {
        const std::lock_guard lock(library());
        Mat_LogInitFunc("parallax", [](int, auto*) {});   // char*, or const char* in newer ones
        const auto file = open();
        const bool of_elements = Mat_GetVersion(file.get()) == MAT_FT_MAT5;
        const std::size_t there = of_elements ? mat::count_variables(path_, bytes_, most_variables) : 0;
        std::size_t listed = 0;
        const std::string wanted = request.at("dataset").get<std::string>();
        std::vector<std::string> others;
        std::size_t numbers = 0, objects = 0;
        std::string list;
        std::map<std::string, std::vector<std::string>> namesakes;   // of all kinds, in words
        std::optional<Problem> unread;                               // what is wrong with the one that is wanted
        bool alike = true;                                           // all of numbers have one name
        for (std::size_t i = 0; i < most_variables; ++i, ++listed) {
            const Variable v(Mat_VarReadNextInfo(file.get()), Mat_VarFree);
            if (!v) break;
            // matio reads nothing of an object of a class, its name neither; what MATLAB keeps for itself has none.
            if (!v->name || !*v->name) {
                if (v->class_type != MAT_C_OPAQUE) continue;
                others.emplace_back("an object (a table, a string, a date or the like) whose name is not read");
                ++objects;
                continue;
            }
            namesakes[v->name].push_back(in_words(*v));
            if (!type_of(*v) || v->rank < 2) {
                if (wanted == v->name && !unread)
                    unread = Problem{"its variable \"" + wanted + "\" is " + kind_of(*v) + ", which is not read", way_out(*v)};
                others.push_back("the variable " + in_words(*v));
                continue;
            }
            ++numbers;
            if (numbers <= 30) list += (list.empty() ? "" : ", ") + in_words(*v);
            alike = alike && (name_.empty() || name_ == v->name);
            const bool chosen = wanted.empty() ? name_.empty() : name_.empty() && wanted == v->name;
            if (chosen)
                take(*v), shape_.number = i;
            else
                others.push_back("the variable " + in_words(*v));
        }
        // matio takes the first, MATLAB and SciPy the last.
        const std::vector<std::string>& same = namesakes[wanted.empty() ? name_ : wanted];
        if (same.size() > 1 && (alike || !wanted.empty())) {
            std::string what;
            for (std::size_t i = 0; i < std::min<std::size_t>(same.size(), 30); ++i) what += (i == 0 ? "" : ", ") + same[i];
            throw Problem{"has several variables of one name: " + what + ", of which programs take one or another",
                          "save each under a name of its own"};
        }
        if (unread) throw *unread;
        // matio stops at the first that it cannot make out.
        if (listed < there && listed > 0)
            throw Problem{"has " + std::to_string(there) +
                              " variables, of which matio, the library by which MATLAB's files are read, " +
                              "makes out the first " + std::to_string(listed) + " alone",
                          again};
        if (numbers == 0 && others.empty())
            throw Problem{"holds no variable that matio makes out, the library by which MATLAB's files are read", again};
        if (numbers == 0) {
            std::string what;
            for (std::size_t i = 0; i < std::min<std::size_t>(others.size(), 30); ++i) what += (i == 0 ? ": " : ", ") + others[i];
            throw Problem{"holds no variable of numbers that can be read" + what, "save an array of numbers, by -v7 or -v7.3"};
        }
        if (wanted.empty() && numbers > 1)
            throw Problem{"holds " + std::to_string(numbers) + " variables of numbers: " + list,
                          "say which: \"dataset\": \"" + name_ + "\""};
        if (name_.empty() && objects > 0)
            throw Problem{"has no variable \"" + wanted +
                              "\" unless that is one of its objects (tables, strings, dates and the like), which are not read",
                          "of numbers it holds " + list};
        if (name_.empty() && listed == most_variables)
            throw Problem{"has no variable \"" + wanted + "\" among its first " + std::to_string(most_variables) +
                              ", and no more are looked at",
                          "save it into a file of its own"};
        if (name_.empty()) throw Problem{"has no variable \"" + wanted + "\"", "it holds " + list};
        if (of_elements) mat::check_variable(path_, shape_, false);
        if (others.size() > 30) others.resize(30);
        said_["ignored"] = others;
    }

    Json description() const { return said_; }

    void read(std::int64_t first, std::int64_t count, void* to) {
        const std::lock_guard lock(library());
        if (!whole_) whole_ = load();
        const Variable& v = whole_;
        const std::size_t elements = static_cast<std::size_t>(shape_.elements);
        const std::size_t whole = bytes_of(type_), part = complex_ ? whole / 2 : whole;
        const mat_complex_split_t* const split = v && complex_ ? static_cast<const mat_complex_split_t*>(v->data) : nullptr;
        const bool same = v && v->data && type_of(*v) && type_ == type_of(*v) && v->rank == static_cast<int>(stored_.size()) &&
                          std::equal(stored_.begin(), stored_.end(), v->dims) && v->nbytes >= elements * part &&
                          static_cast<std::size_t>(v->data_size) == part && (!complex_ || (split->Re && split->Im));
        if (!same) throw Problem{"its variable \"" + name_ + "\" cannot be read to its end", again};
        const auto* real = static_cast<const char*>(complex_ ? split->Re : v->data);
        const auto* imaginary = static_cast<const char*>(complex_ ? split->Im : nullptr);
        const std::size_t rows = dims_[0], columns = dims_[1], plane = rows * columns;
        // Pages are the last of MATLAB's axes.
        const std::size_t per_page = elements / static_cast<std::size_t>(pages_),
                          from = static_cast<std::size_t>(first) * per_page,
                          planes = static_cast<std::size_t>(count) * per_page / plane;
        char* out = static_cast<char*>(to);
        for (std::size_t p = 0; p < planes; ++p)
            for (std::size_t y = 0; y < rows; ++y)
                for (std::size_t x = 0; x < columns; ++x) {
                    const std::size_t at = (from + p * plane + x * rows + y) * part;
                    std::memcpy(out, real + at, part);
                    out += part;
                    if (!complex_) continue;
                    std::memcpy(out, imaginary + at, part);
                    out += part;
                }
    }

private:
    Variable load() const {
        const auto file = open();
        if (Mat_GetVersion(file.get()) == MAT_FT_MAT5) mat::check_variable(path_, shape_, true);
        return Variable(Mat_VarRead(file.get(), name_.c_str()), Mat_VarFree);
    }

    std::unique_ptr<mat_t, int (*)(mat_t*)> open() const {
        std::unique_ptr<mat_t, int (*)(mat_t*)> file(Mat_Open(path_.c_str(), MAT_ACC_RDONLY), Mat_Close);
        if (!file) throw Problem{"cannot be opened as a MATLAB file", again};
        // HDF5 behind the head of an older file, which matio reads with all that it leads to: links, elements in other files.
        if (Mat_GetVersion(file.get()) == MAT_FT_MAT73)
            throw Problem{"says that it is of version 5 and of version 7.3", "save it again, by -v7 or -v7.3"};
        return file;
    }

    void take(const matvar_t& v) {
        name_ = v.name;
        type_ = type_of(v);
        complex_ = v.isComplex != 0;
        dims_.assign(v.dims, v.dims + v.rank);
        std::uint64_t elements = 1;
        for (const std::size_t d : dims_) {
            if (d == 0) throw Problem{"its variable " + in_words(v) + " is empty", "choose one with elements"};
            if (elements > (std::uint64_t{1} << 58) / d)
                throw Problem{"says that its variable " + in_words(v) + " holds more than 2^58 elements", again};
            elements *= d;
        }
        // Numbers may be stored in fewer bytes than they have.
        if (elements / best_ratio > bytes_)
            throw Problem{"says that its variable " + in_words(v) + " holds " + std::to_string(elements) +
                              " elements, which cannot come out of " + std::to_string(bytes_) + " bytes",
                          again};
        stored_ = dims_;
        shape_ = {.name = name_, .rank = stored_.size(), .elements = elements, .complex = complex_};
        while (dims_.size() > 2 && dims_.back() == 1) dims_.pop_back();
        if (dims_.size() > 5)
            throw Problem{"its variable " + in_words(v) + " has more axes than the 5 that are read", "save a part of it"};
        Json axes = Json::array();
        for (std::size_t i = dims_.size(); i-- > 2;) axes.push_back({{"name", std::string(1, "??ztn"[i])}, {"size", dims_[i]}});
        axes.push_back({{"name", "y"}, {"size", dims_[0]}});
        axes.push_back({{"name", "x"}, {"size", dims_[1]}});
        for (std::size_t i = 3; i < dims_.size(); ++i) pages_ *= static_cast<std::int64_t>(dims_[i]);
        said_ = {{"type", type_},
                 {"axes", axes},
                 {"page_axes", dims_.size() > 3 ? dims_.size() - 3 : 0},
                 {"detail", "variable \"" + name_ + "\""}};
    }

    std::string path_, name_, type_;
    std::uint64_t bytes_ = 0;
    mat::Shape shape_;
    bool complex_ = false;
    std::vector<std::size_t> stored_, dims_;   ///< as the file has them, and without ones at the end
    std::int64_t pages_ = 1;
    Variable whole_{nullptr, Mat_VarFree};   ///< from the first page on: packed elements are unpacked from their beginning
    Json said_ = Json::object();
};

}   // namespace

int main() { return parallax::io::readers::serve<MatFile>({.keeps_all = true}); }
