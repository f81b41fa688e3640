// NumPy's .npy, versions 1 to 3: a magic word, a Python dictionary as text, the elements. The format is specified in
// NumPy Enhancement Proposal 1 and numpy.lib.format.
#include "io/npy.hpp"

#include <fmt/format.h>

#include "io/file.hpp"

namespace parallax::io::npy {
namespace {

constexpr unsigned char magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr const char* again = "the file is damaged: save the array again";
constexpr std::size_t most_axes = 64;   ///< NumPy's own

struct TypeRow {
    std::string_view code;  ///< kind and bytes, as in a dtype's text
    ElementType type;
};
constexpr TypeRow type_table[] = {
    {"b1", ElementType::boolean}, {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"u2", ElementType::u16},
    {"i2", ElementType::i16},     {"u4", ElementType::u32}, {"i4", ElementType::i32}, {"u8", ElementType::u64},
    {"i8", ElementType::i64},     {"f4", ElementType::f32}, {"f8", ElementType::f64}, {"c8", ElementType::c64},
    {"c16", ElementType::c128},
};

/// Reads the dictionary: quoted keys, and values that are quoted text, True, False or a tuple of whole numbers.
class Dictionary {
public:
    Dictionary(const Source& source, std::string_view text) : source_(source), rest_(text) {}

    struct Values {
        std::optional<std::string> descr;
        std::optional<bool> fortran;
        std::optional<std::vector<std::int64_t>> shape;
    };

    Values parse() {
        Values values;
        expect('{');
        while (!accept('}')) {
            const std::string key = text();
            expect(':');
            if (key == "descr") {
                if (peek() != '\'' && peek() != '"') {
                    fail(source_, "holds records or objects, not plain numbers", "save one of its fields, without pickling");
                }
                values.descr = text();
            } else if (key == "fortran_order") {
                values.fortran = boolean();
            } else if (key == "shape") {
                values.shape = tuple();
            } else {
                bad(fmt::format("has the unknown key \"{}\"", key));
            }
            if (!accept(',') && peek() != '}') bad("has no comma between its entries");
        }
        if (peek(), !rest_.empty()) bad("goes on behind its dictionary");
        if (!values.descr || !values.fortran || !values.shape) bad("lacks one of descr, fortran_order, shape");
        return values;
    }

private:
    [[noreturn]] void bad(std::string_view problem) const { fail(source_, fmt::format("its NPY header {}", problem), again); }
    char peek() {
        while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos) rest_.remove_prefix(1);
        return rest_.empty() ? '\0' : rest_[0];
    }
    bool accept(char c) {
        if (peek() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) bad(fmt::format("has no '{}' where one belongs", c));
    }
    std::string text() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') bad("has no quoted text where one belongs");
        const std::size_t end = rest_.find(quote, 1);
        if (end == std::string_view::npos) bad("has a quoted text without an end");
        std::string result(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return result;
    }
    bool boolean() {
        peek();
        for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
            if (rest_.substr(0, word.size()) == word) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        bad("has neither True nor False for fortran_order");
    }
    std::vector<std::int64_t> tuple() {
        constexpr const char* none = "has a shape that is no tuple of whole numbers";
        std::vector<std::int64_t> result;
        bool comma = false;
        expect('(');
        while (!accept(')')) {
            if (peek() < '0' || peek() > '9') bad(none);
            if (rest_.size() > 1 && rest_[0] == '0' && rest_[1] >= '0' && rest_[1] <= '9') bad(none);   // nor is it to Python
            std::int64_t value = 0;
            while (!rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9') {
                if (value > (INT64_MAX - 9) / 10) bad("has a size past 2^63");
                value = value * 10 + (rest_[0] - '0');
                rest_.remove_prefix(1);
            }
            accept('L');  // Python 2 wrote long numbers so
            if (result.size() == most_axes) bad(fmt::format("has more than {} axes", most_axes));
            result.push_back(value);
            comma = accept(',');
            if (!comma && peek() != ')') bad(none);
        }
        if (result.size() == 1 && !comma) bad(none);   // (6) is a number in brackets
        return result;
    }

    const Source& source_;
    std::string_view rest_;
};

/// {t, z, y, x} from the back; axes further in front are 'n'.
std::vector<ArrayDesc::Extent> name_axes(const std::vector<std::int64_t>& shape, char page_axis) {
    const std::size_t n = shape.size();
    std::vector<ArrayDesc::Extent> extents;
    for (std::size_t i = 0; i < n; ++i) {
        constexpr std::string_view names = "xyzt";
        const std::size_t from_back = n - 1 - i;
        char name = from_back < names.size() ? names[from_back] : 'n';
        if (n == 3 && i == 0 && page_axis != '\0') name = page_axis;
        extents.push_back({name, shape[i]});
    }
    return extents;
}

}   // namespace

Header read_header(const Source& source, Input& file, std::uint64_t bytes) {
    unsigned char start[12] = {};
    file.read(start, 10, "the header");
    const int major = start[6];
    if (major < 1 || major > 3) fail(source, fmt::format("has NPY version {}; 1 to 3 can be read", major), again);
    std::uint64_t length = load_little<std::uint16_t>(start + 8), at = 10;
    if (major > 1) {
        file.read(start + 10, 2, "the header");
        length = load_little<std::uint32_t>(start + 8), at = 12;
    }
    if (bytes < at || length > bytes - at) {
        fail(source, fmt::format("says that its header has {} bytes, but it has {} in all", length, bytes), again);
    }
    if (length > (1u << 20)) fail(source, fmt::format("has a header of {} bytes, more than any array needs", length), again);
    std::string text(length, '\0');
    file.read(text.data(), length, "the header");
    const Dictionary::Values values = Dictionary(source, text).parse();

    Header header;
    const std::string& descr = *values.descr;
    const char order = descr.empty() ? '\0' : descr[0];
    const std::string_view code = std::string_view(descr).substr(std::min<std::size_t>(descr.size(), 1));
    const auto* row =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.code == code; });
    header.half = code == "f2";
    if ((row == std::end(type_table) && !header.half) || std::string_view("<>|=").find(order) == std::string_view::npos) {
        fail(source, fmt::format("holds elements of NumPy's type \"{}\"", descr),
             "save it as bool, int8 to int64, uint8 to uint64, float16 to float64, complex64 or complex128");
    }
    const bool native_little = std::endian::native == std::endian::little;
    header.swap = (order == '>' && native_little) || (order == '<' && !native_little);
    header.fortran = *values.fortran && values.shape->size() > 1;
    header.file.format = "npy";
    header.file.file_bytes = source.bytes;
    header.file.desc =
        declared(source, header.half ? ElementType::f32 : row->type, name_axes(*values.shape, source.options.page_axis));
    header.file.page_axes = static_cast<int>(std::max<std::size_t>(values.shape->size(), 2) - 2);
    header.file.in_slices = !header.fortran && has_slices(header.file.desc);
    header.file.detail = fmt::format("version {}, {}{}", major, descr, header.fortran ? ", Fortran order" : "");
    const std::uint64_t stored = header.file.desc.dense_bytes() / (header.half ? 2 : 1), rest = bytes - at - length;
    if (stored > rest) {
        fail(source,
             fmt::format("says that it holds {}: {} bytes, but {} follow its header", header.file.desc.describe(), stored, rest),
             "the file is cut off: save or copy it again");
    }
    header.end = at + length + stored;
    return header;
}

void read_elements(Input& file, const Header& header, std::int64_t count, std::byte* to) {
    const ElementType type = header.file.desc.type;
    if (!header.half) {
        file.read(to, static_cast<std::size_t>(count) * bytes_of(type), "the elements");
        if (header.swap) swap_bytes(to, count, type);
        return;
    }
    std::vector<std::uint16_t> halves(static_cast<std::size_t>(count));
    file.read(halves.data(), halves.size() * 2, "the elements");
    if (header.swap) swap_bytes(reinterpret_cast<std::byte*>(halves.data()), count, ElementType::u16);
    std::transform(halves.begin(), halves.end(), reinterpret_cast<float*>(to), widen_half);
}

HostArray read_array(const Source& source, Input& input, const Header& header) {
    const auto [first, end] = chosen_pages(source.name, header.file, source.options);
    const ArrayDesc part = chosen(source.name, header.file, source.options);
    const std::int64_t page = header.file.desc.count() / header.file.pages();
    if (!header.fortran) {
        HostArray result = allocate(source, part, header.file.metadata);
        input.skip(static_cast<std::uint64_t>(first * page) * (header.half ? 2 : bytes_of(part.type)),
                   "the pages before those that are wanted");
        read_elements(input, header, part.count(), result.data());
        return result;
    }
    check_limit(source, header.file.desc);
    HostArray columns = HostArray::make(header.file.desc);
    read_elements(input, header, columns.desc.count(), columns.data());
    std::int64_t stride = 1;
    for (Axis& axis : columns.desc.axes) {
        axis.stride = stride;
        stride *= axis.size;
    }
    HostArray rows = columns.to_dense();
    if (!source.options.allocate && end - first == header.file.pages()) return rows;
    HostArray result = allocate(source, part, header.file.metadata);
    std::memcpy(result.data(), rows.data() + static_cast<std::size_t>(first * page) * bytes_of(part.type), part.dense_bytes());
    return result;
}

SliceStream stream_array(const Source& source, const std::shared_ptr<Input>& input, const Header& header) {
    if (header.fortran)
        fail(source, "is in Fortran order, the slowest axis first", "save it in C order: numpy.ascontiguousarray");
    return {header.file.desc, header.file.metadata,
            [input, header, slice = slice_of(header.file.desc)](std::int64_t count, std::byte* to) {
                read_elements(*input, header, count * slice, to);
            },
            [input, bytes = static_cast<std::uint64_t>(slice_of(header.file.desc)) *
                            (header.half ? 2 : bytes_of(header.file.desc.type))](std::int64_t count) {
                input->skip(static_cast<std::uint64_t>(count) * bytes, "the elements");
            }};
}

bool matches(Head head) { return head.size() >= 6 && std::equal(std::begin(magic), std::end(magic), head.begin()); }

FileInfo info(const Source& source) {
    const auto input = open_input(source.open(), 0, Packing::none);
    Header header = read_header(source, *input, source.bytes);
    header.file.read_bytes = Stretch{0, header.end};
    return header.file;
}

HostArray read(const Source& source) {
    const auto input = open_input(source.open(), 0, Packing::none);
    return read_array(source, *input, read_header(source, *input, source.bytes));
}

SliceStream slices(const Source& source) {
    const std::shared_ptr<Input> input = open_input(source.open(), 0, Packing::none);
    return stream_array(source, input, read_header(source, *input, source.bytes));
}

std::string refusal(const ArrayDesc&, const WriteOptions&) { return {}; }

namespace {

/// A new file with its header, for elements to follow.
File begin_file(const std::filesystem::path& path, const ArrayDesc& desc) {
    const auto* row =
        std::find_if(std::begin(type_table), std::end(type_table), [&](const TypeRow& r) { return r.type == desc.type; });
    const char order = bytes_of(desc.type) == 1 ? '|' : std::endian::native == std::endian::little ? '<' : '>';
    std::string shape;
    for (const Axis& axis : desc.axes) shape += fmt::format("{}, ", axis.size);
    if (desc.axes.size() > 1) shape.resize(shape.size() - 2);
    if (desc.axes.size() == 1) shape.pop_back();  // a tuple of one keeps its comma
    std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}", order, row->code, shape);
    text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 11, ' ');  // the elements begin at a multiple of 64
    text += '\n';
    const unsigned char start[10] = {magic[0],
                                     magic[1],
                                     magic[2],
                                     magic[3],
                                     magic[4],
                                     magic[5],
                                     1,
                                     0,
                                     static_cast<unsigned char>(text.size() & 255),
                                     static_cast<unsigned char>(text.size() >> 8)};
    File file = File::create(path);
    file.write(start, sizeof start);
    file.write(text.data(), text.size());
    return file;
}

}  // namespace

void write(const std::filesystem::path& path, const std::string&, const HostArray& array, const WriteOptions&) {
    File file = begin_file(path, array.desc);
    file.write(array.data(), array.desc.dense_bytes());
    file.close();
}

void write_pieces(const std::filesystem::path& path, const ArrayDesc& desc,
                  const std::function<std::span<const std::byte>()>& next) {
    File file = begin_file(path, desc);
    for (std::size_t left = desc.dense_bytes(); left > 0;) {
        const std::span<const std::byte> piece = next();
        file.write(piece.data(), piece.size());
        left -= piece.size();
    }
    file.close();
}

}  // namespace parallax::io::npy
