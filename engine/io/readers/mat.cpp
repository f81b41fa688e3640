// MATLAB's files up to version 7.2: one numeric variable, its rows and columns as MATLAB shows them, planes in front.
#include <matio.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
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

using mat::Variable;
using Loaded = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

const char* type_of(const Variable& v) {
    if (v.logical && v.kind == MAT_C_UINT8) return "bool";
    switch (v.kind) {
        case MAT_C_DOUBLE:
            return v.complex ? "c128" : "f64";
        case MAT_C_SINGLE:
            return v.complex ? "c64" : "f32";
        case MAT_C_INT8:
            return v.complex ? nullptr : "i8";
        case MAT_C_UINT8:
            return v.complex ? nullptr : "u8";
        case MAT_C_INT16:
            return v.complex ? nullptr : "i16";
        case MAT_C_UINT16:
            return v.complex ? nullptr : "u16";
        case MAT_C_INT32:
            return v.complex ? nullptr : "i32";
        case MAT_C_UINT32:
            return v.complex ? nullptr : "u32";
        case MAT_C_INT64:
            return v.complex ? nullptr : "i64";
        case MAT_C_UINT64:
            return v.complex ? nullptr : "u64";
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
const char* kind_of(const Variable& v) {
    switch (v.kind) {
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
            return v.complex ? "complex integers" : "no numbers";
    }
}

const char* way_out(const Variable& v) {
    switch (v.kind) {
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

std::string in_words(const Variable& v) {
    std::string text = v.name + " (" + (type_of(v) ? type_of(v) : kind_of(v));
    for (std::size_t i = 0; i < v.dims.size(); ++i) text += (i == 0 ? " " : " x ") + std::to_string(v.dims[i]);
    return text + ")";
}

/// What matio says of a variable.
Variable of(const matvar_t& v, std::size_t number) {
    return {.name = v.name ? v.name : "",
            .kind = v.class_type,
            .complex = v.isComplex != 0,
            .logical = v.isLogical != 0,
            .dims = {v.dims, v.dims + v.rank},
            .number = number};
}

class MatFile {
public:
    MatFile(const std::string& path, const Json& request) : path_(path), bytes_(request.at("bytes").get<std::uint64_t>()) {
        const std::lock_guard lock(library());
        Mat_LogInitFunc("parallax", [](int, auto*) {});   // char*, or const char* in newer ones
        const std::vector<Variable> all = list();
        const std::string wanted = request.at("dataset").get<std::string>();
        std::vector<std::string> others;   // the first of them, in words
        const auto leave = [&](std::string what) {
            if (others.size() < 30) others.push_back(std::move(what));
        };
        const Variable* taken = nullptr;
        std::size_t numbers = 0, objects = 0;
        std::string list;
        std::optional<Problem> unread;   // what is wrong with the one that is wanted
        bool alike = true;               // all of numbers have one name
        for (const Variable& v : all) {
            // Of an object of a class the name is not read either; what MATLAB keeps for itself has none.
            if (v.name.empty()) {
                if (v.kind != MAT_C_OPAQUE) continue;
                leave("an object (a table, a string, a date or the like) whose name is not read");
                ++objects;
                continue;
            }
            if (!type_of(v) || v.dims.size() < 2) {
                if (wanted == v.name && !unread)
                    unread = Problem{"its variable \"" + wanted + "\" is " + kind_of(v) + ", which is not read", way_out(v)};
                leave("the variable " + in_words(v));
                continue;
            }
            ++numbers;
            if (numbers <= 30) list += (list.empty() ? "" : ", ") + in_words(v);
            alike = alike && (!taken || taken->name == v.name);
            if (!taken && (wanted.empty() || wanted == v.name))
                taken = &v;
            else
                leave("the variable " + in_words(v));
        }
        // matio takes the first, MATLAB and SciPy the last.
        if (alike || !wanted.empty()) check_namesakes(all, wanted.empty() && taken ? taken->name : wanted);
        if (unread) throw *unread;
        if (numbers == 0 && others.empty()) throw Problem{"holds no variable that has a name", again};
        if (numbers == 0) {
            std::string what;
            for (const std::string& other : others) what += (what.empty() ? ": " : ", ") + other;
            throw Problem{"holds no variable of numbers that can be read" + what, "save an array of numbers, by -v7 or -v7.3"};
        }
        if (wanted.empty() && numbers > 1)
            throw Problem{"holds " + std::to_string(numbers) + " variables of numbers: " + list,
                          "say which: \"dataset\": \"" + taken->name + "\""};
        if (!taken && objects > 0)
            throw Problem{"has no variable \"" + wanted +
                              "\" unless that is one of its objects (tables, strings, dates and the like), which are not read",
                          "of numbers it holds " + list};
        if (!taken && all.size() == most_variables)
            throw Problem{"has no variable \"" + wanted + "\" among its first " + std::to_string(most_variables) +
                              ", and no more are looked at",
                          "save it into a file of its own"};
        if (!taken) throw Problem{"has no variable \"" + wanted + "\"", "it holds " + list};
        take(*taken);
        if (of_elements_) mat::check_variable(path_, variable_);
        said_["ignored"] = others;
    }

    Json description() const { return said_; }

    void read(std::int64_t first, std::int64_t count, void* to) {
        const std::lock_guard lock(library());
        if (!real_) load();
        const std::size_t elements = static_cast<std::size_t>(variable_.elements());
        const std::size_t whole = bytes_of(type_), part = variable_.complex ? whole / 2 : whole;
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
                    std::memcpy(out, real_ + at, part);
                    out += part;
                    if (!variable_.complex) continue;
                    std::memcpy(out, imaginary_ + at, part);
                    out += part;
                }
    }

private:
    /// All variables, with or without a name.
    std::vector<Variable> list() {
        const auto file = open();
        of_elements_ = Mat_GetVersion(file.get()) == MAT_FT_MAT5;
        if (of_elements_) return mat::list_variables(path_, bytes_, most_variables);
        std::vector<Variable> all;
        while (all.size() < most_variables) {
            const Loaded v(Mat_VarReadNextInfo(file.get()), Mat_VarFree);
            if (!v) break;
            all.push_back(of(*v, all.size()));
        }
        return all;
    }

    /// Throws Problem where a name is that of several variables, of any kind.
    static void check_namesakes(const std::vector<Variable>& all, const std::string& name) {
        std::size_t count = 0;
        std::string what;
        for (const Variable& v : all) {
            if (name.empty() || v.name != name) continue;
            if (++count <= 30) what += (count == 1 ? "" : ", ") + in_words(v);
        }
        if (count > 1)
            throw Problem{"has several variables of one name: " + what + ", of which programs take one or another",
                          "save each under a name of its own"};
    }

    /// All elements: packed ones are unpacked from their beginning.
    void load() {
        if (!of_elements_) return load_by_matio();
        elements_ = mat::elements_of(path_, variable_);
        real_ = elements_.data();
        imaginary_ = variable_.complex ? real_ + elements_.size() / 2 : nullptr;
    }

    void load_by_matio() {
        const auto file = open();
        loaded_ = Loaded(Mat_VarRead(file.get(), variable_.name.c_str()), Mat_VarFree);
        const Loaded& v = loaded_;
        const std::size_t elements = static_cast<std::size_t>(variable_.elements());
        const std::size_t whole = bytes_of(type_), part = variable_.complex ? whole / 2 : whole;
        const mat_complex_split_t* const split =
            v && variable_.complex ? static_cast<const mat_complex_split_t*>(v->data) : nullptr;
        const Variable there = v ? of(*v, variable_.number) : Variable();
        const bool same = v && v->data && type_of(there) && type_ == type_of(there) && there.dims == variable_.dims &&
                          v->nbytes >= elements * part && static_cast<std::size_t>(v->data_size) == part &&
                          (!variable_.complex || (split && split->Re && split->Im));
        if (!same) throw Problem{"its variable \"" + variable_.name + "\" cannot be read to its end", again};
        real_ = static_cast<const char*>(split ? split->Re : v->data);
        imaginary_ = static_cast<const char*>(split ? split->Im : nullptr);
    }

    std::unique_ptr<mat_t, int (*)(mat_t*)> open() const {
        std::unique_ptr<mat_t, int (*)(mat_t*)> file(Mat_Open(path_.c_str(), MAT_ACC_RDONLY), Mat_Close);
        if (!file) throw Problem{"cannot be opened as a MATLAB file", again};
        // HDF5 behind the head of an older file, which matio reads with all that it leads to: links, elements in other files.
        if (Mat_GetVersion(file.get()) == MAT_FT_MAT73)
            throw Problem{"says that it is of version 5 and of version 7.3", "save it again, by -v7 or -v7.3"};
        return file;
    }

    void take(const Variable& v) {
        variable_ = v;
        type_ = type_of(v);
        dims_ = v.dims;
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
                 {"detail", "variable \"" + variable_.name + "\""}};
    }

    std::string path_, type_;
    std::uint64_t bytes_ = 0;
    bool of_elements_ = false;        ///< of version 5, and not of version 4, which matio reads
    Variable variable_;
    std::vector<std::size_t> dims_;   ///< without ones at the end
    std::int64_t pages_ = 1;
    std::vector<char> elements_;      ///< from the first page on, as `loaded_` is
    Loaded loaded_{nullptr, Mat_VarFree};
    const char *real_ = nullptr, *imaginary_ = nullptr;   ///< in the one or the other
    Json said_ = Json::object();
};

}   // namespace

int main() { return parallax::io::readers::serve<MatFile>({.keeps_all = true}); }
