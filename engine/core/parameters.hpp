// One table of typed fields for each algorithm. Parser, JSON Schema, --help, `parallax init` and docs are
// all made from it, so they cannot disagree.
//
//   struct BlurParameters { int radius = 1; Border border = Border::reflect; double pixel = 1e-6; };
//
//   ParameterTable table = TableBuilder<BlurParameters>()
//       .integer("radius", &BlurParameters::radius, {.min = 0, .max = 64}, "Half width of the window.")
//       .choice("border", &BlurParameters::border, {{"reflect", Border::reflect}, {"zero", Border::zero}}, "Outside the image.")
//       .length("pixel", &BlurParameters::pixel, {.above = 0, .unit = "um"}, "Size of a pixel.")
//       .build();
//
// A length field called "pixel" is written in a job as one of pixel_nm, pixel_um, pixel_mm, pixel_cm, pixel_m
// and kept in metres. The default of every field is its value in a default-constructed struct.
// Keys that begin with "//" are comments: they may stand in any object and are skipped.
#pragma once

#include "parallax/host/error.hpp"
#include "parallax/host/json.hpp"
#include "support/json_words.hpp"

#include <array>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parallax::engine {

/// What numbers a field admits; both ends may be open. The bounds of a length are in metres.
struct NumberRule {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    double above = -std::numeric_limits<double>::infinity();   ///< exclusive
    double below = std::numeric_limits<double>::infinity();    ///< exclusive
    std::string unit = "um";                                   ///< lengths: the unit of the canonical key
};

/// Lengths in metres given as a number, a list, or {from, to, step}. The order of a list is kept.
struct LengthSweep {
    std::vector<double> values;
    bool operator==(const LengthSweep&) const = default;
};

/// A sweep of more values than this is refused: it is a slip of a unit, and each value is a plane of memory.
inline constexpr std::size_t max_sweep_values = 100000;

/// Type-erased field; made by TableBuilder only.
struct ParameterField {
    std::string name;                      ///< "wavelength"
    std::vector<std::string> keys;         ///< what a job may write: {"wavelength_nm", "wavelength_um", ...} or {"name"}
    std::string canonical_key;             ///< "wavelength_nm"
    std::string doc;                       ///< one or two sentences
    std::string type;                      ///< for a person: "length above 0", "one of a | b", "integer 0 to 64"
    bool runtime = false;                  ///< may change without a new plan (Plan::update)
    std::vector<Json> schemas;             ///< JSON Schema of the value, one for each of `keys`
    std::function<void(void* object, const Json& value, const std::string& key, const std::string& pointer)> read;
    std::function<Json(const void* object)> write;   ///< value under canonical_key
};

class Parameters;

class ParameterTable {
public:
    const std::vector<ParameterField>& fields() const noexcept { return fields_; }
    /// The field that a job addresses by `key`, null if there is none.
    const ParameterField* find(const std::string& key) const noexcept;

    /// Reads an object; keys in `reserved` are skipped, any other unknown key is a ConfigError that names the
    /// nearest right one, and so are two units of one quantity. The result refers to this table.
    Parameters parse(const Json& object, const std::string& pointer, const std::vector<std::string>& reserved = {}) const;
    Parameters defaults() const;
    /// {"type": "object", "properties": {...}, "additionalProperties": false}
    Json schema() const;

private:
    template <class P> friend class TableBuilder;
    friend class Parameters;
    [[noreturn]] void refuse_key(const std::string& key, const std::string& pointer,
                                 const std::vector<std::string>& reserved) const;

    std::vector<ParameterField> fields_;
    std::function<std::shared_ptr<void>()> make_;
};

/// One set of values; cheap to copy, never changed once made.
class Parameters {
public:
    Parameters() = default;
    Parameters(const ParameterTable* table, std::shared_ptr<const void> object) : table_(table), object_(std::move(object)) {}
    /// With the keys of lengths in another unit than the canonical one, by that one: "pixel_um" -> "pixel_nm".
    Parameters(const ParameterTable* table, std::shared_ptr<const void> object, std::map<std::string, std::string> written);
    template <class P> const P& as() const { return *static_cast<const P*>(object_.get()); }
    /// Every field under its canonical key: what `--report` shows and what a repeat needs.
    Json to_json() const;
    /// The same without the fields that may change at run time: part of a plan's key.
    Json to_json_for_plan() const;
    /// A text that speaks of keys, such as an algorithm's error, with those that the user wrote.
    std::string in_written_keys(std::string text) const;
    /// The same values, of which messages speak by the keys that were written there.
    Parameters with_keys_of(const Parameters& there) const;
    explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    const ParameterTable* table_ = nullptr;
    std::shared_ptr<const void> object_;
    std::shared_ptr<const std::map<std::string, std::string>> written_;   ///< null: all by their canonical keys
};

template <class P>
class TableBuilder {
public:
    TableBuilder();

    TableBuilder& integer(std::string name, int P::*member, NumberRule rule, std::string doc);
    TableBuilder& number(std::string name, double P::*member, NumberRule rule, std::string doc);
    TableBuilder& boolean(std::string name, bool P::*member, std::string doc);
    TableBuilder& text(std::string name, std::string P::*member, std::string doc);
    template <class E>
    TableBuilder& choice(std::string name, E P::*member, std::vector<std::pair<std::string, E>> choices, std::string doc);
    /// A length in metres.
    TableBuilder& length(std::string name, double P::*member, NumberRule rule, std::string doc);
    /// One length for both axes, or [x, y].
    TableBuilder& length_pair(std::string name, std::array<double, 2> P::*member, NumberRule rule, std::string doc);
    /// A number, a list, or {from, to, step} with `to` included.
    TableBuilder& length_sweep(std::string name, LengthSweep P::*member, NumberRule rule, std::string doc);
    /// A fixed-length list of numbers, e.g. a region [x, y, width, height]; empty optional: null.
    template <std::size_t N>
    TableBuilder& integers(std::string name, std::optional<std::array<int, N>> P::*member, NumberRule rule, std::string doc);
    /// One number, or a list of up to `most`, e.g. a radius for all axes or for x, y and z; empty: null.
    TableBuilder& integer_list(std::string name, std::vector<int> P::*member, std::size_t most, NumberRule rule, std::string doc);
    /// A nested object with a table of its own; null or left out: not set. `words` are strings that stand for
    /// whole objects, such as "auto"; Q needs operator== so that they are recognised when written back.
    template <class Q>
    TableBuilder& object(std::string name, std::optional<Q> P::*member, const ParameterTable& table,
                         std::vector<std::pair<std::string, Q>> words, std::string doc);
    /// The last field may change without a new plan.
    TableBuilder& runtime();

    /// Throws std::logic_error if two fields share a key.
    ParameterTable build();

private:
    ParameterTable table_;
};

}  // namespace parallax::engine

#include "core/parameters_impl.hpp"
