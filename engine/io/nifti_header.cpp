// NIfTI headers, byte by byte as nifti1.h and nifti2.h place the fields. Read here: Debian's libniftiio-dev cannot be
// compiled against on its own, prints to stderr, and does not check what a header declares.
#include <algorithm>
#include <cmath>

#include "io/format.hpp"
#include "io/nifti.hpp"

namespace parallax::io::nifti {
namespace {

/// Where the fields stand; one row of numbers a version.
struct Places {
    std::size_t dim, datatype, bitpix, pixdim, vox_offset, slope, inter, description, qform, sform, quaternion, offset, srow,
        units, magic, intent, intent_numbers, intent_name;
};
constexpr Places places_1 = {40, 70, 72, 76, 108, 112, 116, 148, 252, 254, 256, 268, 280, 123, 344, 68, 56, 328};
constexpr Places places_2 = {16, 12, 14, 104, 168, 176, 184, 240, 344, 348, 352, 376, 400, 500, 4, 504, 80, 508};

template <class T, class Array>
void load_row(Array& to, const unsigned char* from, bool swap) {
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] = static_cast<typename Array::value_type>(load<T>(from + i * sizeof(T), swap));
}

template <class T>
void store(std::string& to, std::size_t at, T value) {
    std::memcpy(to.data() + at, &value, sizeof value);
}

template <class T, class Array>
void store_row(std::string& to, std::size_t at, const Array& values) {
    for (std::size_t i = 0; i < values.size(); ++i) store(to, at + i * sizeof(T), static_cast<T>(values[i]));
}

}  // namespace

Header parse(std::span<const unsigned char> bytes, int version, bool swap) {
    const unsigned char* b = bytes.data();
    const Places& at = version == 1 ? places_1 : places_2;
    Header h;
    h.version = version;
    h.swap = swap;
    h.datatype = load<std::int16_t>(b + at.datatype, swap);
    h.bits = load<std::int16_t>(b + at.bitpix, swap);
    if (version == 1) {
        load_row<std::int16_t>(h.dim, b + at.dim, swap);
        load_row<float>(h.pixdim, b + at.pixdim, swap);
        h.vox_offset = load<float>(b + at.vox_offset, swap);
        h.slope = load<float>(b + at.slope, swap);
        h.inter = load<float>(b + at.inter, swap);
        h.xyzt_units = b[at.units];
        h.qform_code = load<std::int16_t>(b + at.qform, swap);
        h.sform_code = load<std::int16_t>(b + at.sform, swap);
        load_row<float>(h.quaternion, b + at.quaternion, swap);
        load_row<float>(h.offset, b + at.offset, swap);
        load_row<float>(h.srow, b + at.srow, swap);
        h.intent = load<std::int16_t>(b + at.intent, swap);
        load_row<float>(h.intent_numbers, b + at.intent_numbers, swap);
    } else {
        load_row<std::int64_t>(h.dim, b + at.dim, swap);
        load_row<double>(h.pixdim, b + at.pixdim, swap);
        h.vox_offset = static_cast<double>(load<std::int64_t>(b + at.vox_offset, swap));
        h.slope = load<double>(b + at.slope, swap);
        h.inter = load<double>(b + at.inter, swap);
        h.xyzt_units = load<std::int32_t>(b + at.units, swap);
        h.qform_code = load<std::int32_t>(b + at.qform, swap);
        h.sform_code = load<std::int32_t>(b + at.sform, swap);
        load_row<double>(h.quaternion, b + at.quaternion, swap);
        load_row<double>(h.offset, b + at.offset, swap);
        load_row<double>(h.srow, b + at.srow, swap);
        h.intent = load<std::int32_t>(b + at.intent, swap);
        load_row<double>(h.intent_numbers, b + at.intent_numbers, swap);
    }
    const char* text = reinterpret_cast<const char*>(b + at.description);
    h.description.assign(text, std::find(text, text + 80, '\0'));
    const char* name = reinterpret_cast<const char*>(b + at.intent_name);
    h.intent_name.assign(name, std::find(name, name + 16, '\0'));
    std::memcpy(h.magic.data(), b + at.magic, 4);
    return h;
}

std::string compose(const Header& h) {
    const Places& at = h.version == 1 ? places_1 : places_2;
    const std::size_t bytes = h.version == 1 ? header_bytes_1 : header_bytes_2;
    std::string out(bytes + 4, '\0');
    store(out, 0, static_cast<std::int32_t>(bytes));
    store(out, at.datatype, static_cast<std::int16_t>(h.datatype));
    store(out, at.bitpix, static_cast<std::int16_t>(h.bits));
    if (h.version == 1) {
        store_row<std::int16_t>(out, at.dim, h.dim);
        store_row<float>(out, at.pixdim, h.pixdim);
        store(out, at.vox_offset, static_cast<float>(out.size()));
        store(out, at.slope, 1.0f);
        out[38] = 'r';  // "regular", which old readers look for
        out[at.units] = static_cast<char>(h.xyzt_units);
        store(out, at.qform, static_cast<std::int16_t>(h.qform_code));
        store(out, at.sform, static_cast<std::int16_t>(h.sform_code));
        store_row<float>(out, at.quaternion, h.quaternion);
        store_row<float>(out, at.offset, h.offset);
        store_row<float>(out, at.srow, h.srow);
        store(out, at.intent, static_cast<std::int16_t>(h.intent));
        store_row<float>(out, at.intent_numbers, h.intent_numbers);
        std::memcpy(out.data() + at.magic, "n+1", 4);
    } else {
        store_row<std::int64_t>(out, at.dim, h.dim);
        store_row<double>(out, at.pixdim, h.pixdim);
        store(out, at.vox_offset, static_cast<std::int64_t>(out.size()));
        store(out, at.slope, 1.0);
        store(out, at.units, static_cast<std::int32_t>(h.xyzt_units));
        store(out, at.qform, static_cast<std::int32_t>(h.qform_code));
        store(out, at.sform, static_cast<std::int32_t>(h.sform_code));
        store_row<double>(out, at.quaternion, h.quaternion);
        store_row<double>(out, at.offset, h.offset);
        store_row<double>(out, at.srow, h.srow);
        store(out, at.intent, static_cast<std::int32_t>(h.intent));
        store_row<double>(out, at.intent_numbers, h.intent_numbers);
        std::memcpy(out.data() + at.magic, "n+2\0\r\n\032\n", 8);
    }
    h.description.copy(out.data() + at.description, 79);
    h.intent_name.copy(out.data() + at.intent_name, 15);
    return out;
}

bool turns(const Header& h) {
    const auto& q = h.quaternion;
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] <= 1.001;   // false of NaN, too
}

std::array<double, 16> matrix_of_quaternion(const Header& h) {
    double b = h.quaternion[0], c = h.quaternion[1], d = h.quaternion[2];
    double a = 1 - (b * b + c * c + d * d);
    if (a < 1e-7) {
        // A rotation by 180 degrees: rounding may have left the vector longer than 1.
        const double length = std::sqrt(b * b + c * c + d * d);
        b /= length, c /= length, d /= length;
        a = 0;
    } else {
        a = std::sqrt(a);
    }
    const std::array<double, 9> rotation = {
        a * a + b * b - c * c - d * d, 2 * (b * c - a * d),           2 * (b * d + a * c),
        2 * (b * c + a * d),           a * a + c * c - b * b - d * d, 2 * (c * d - a * b),
        2 * (b * d - a * c),           2 * (c * d + a * b),           a * a + d * d - b * b - c * c};
    std::array<double, 16> m{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const double size = h.pixdim[column + 1] != 0 ? std::abs(h.pixdim[column + 1]) : 1;
            const double hand = column == 2 && h.pixdim[0] < 0 ? -1 : 1;
            m[row * 4 + column] = rotation[row * 3 + column] * size * hand;
        }
        m[row * 4 + 3] = h.offset[row];
    }
    m[15] = 1;
    return m;
}

bool set_quaternion(Header& h, const std::array<double, 16>& matrix) {
    std::array<std::array<double, 3>, 3> r{};   // rows of the rotation
    for (std::size_t column = 0; column < 3; ++column) {
        double length = 0;
        for (std::size_t row = 0; row < 3; ++row) length += matrix[row * 4 + column] * matrix[row * 4 + column];
        length = std::sqrt(length);
        if (!(length > 0) || std::abs(length - h.pixdim[column + 1]) > 1e-4 * length) return false;
        for (std::size_t row = 0; row < 3; ++row) r[row][column] = matrix[row * 4 + column] / length;
    }
    for (std::size_t a = 0; a < 3; ++a) {
        const double along = r[0][a] * r[0][(a + 1) % 3] + r[1][a] * r[1][(a + 1) % 3] + r[2][a] * r[2][(a + 1) % 3];
        if (std::abs(along) > 1e-4) return false;
    }
    const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) - r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
                       r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
    h.pixdim[0] = det < 0 ? -1 : 1;
    if (det < 0) {
        for (auto& row : r) row[2] = -row[2];
    }
    // The largest of the four parts first, so that no quotient is of small numbers.
    const std::array<double, 4> squares = {1 + r[0][0] + r[1][1] + r[2][2], 1 + r[0][0] - r[1][1] - r[2][2],
                                           1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2]};
    const auto largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
    const double twice = std::sqrt(squares[largest]), part = 0.5 / twice;   // twice the largest part
    double a = 0, b = 0, c = 0, d = 0;
    switch (largest) {
        case 0:
            a = twice / 2, b = (r[2][1] - r[1][2]) * part, c = (r[0][2] - r[2][0]) * part, d = (r[1][0] - r[0][1]) * part;
            break;
        case 1:
            b = twice / 2, a = (r[2][1] - r[1][2]) * part, c = (r[0][1] + r[1][0]) * part, d = (r[0][2] + r[2][0]) * part;
            break;
        case 2:
            c = twice / 2, a = (r[0][2] - r[2][0]) * part, b = (r[0][1] + r[1][0]) * part, d = (r[1][2] + r[2][1]) * part;
            break;
        default: d = twice / 2, a = (r[1][0] - r[0][1]) * part, b = (r[0][2] + r[2][0]) * part, c = (r[1][2] + r[2][1]) * part;
    }
    const double sign = a < 0 ? -1 : 1;
    h.quaternion = {sign * b, sign * c, sign * d};
    for (std::size_t row = 0; row < 3; ++row) h.offset[row] = matrix[row * 4 + 3];
    return true;
}

}  // namespace parallax::io::nifti
