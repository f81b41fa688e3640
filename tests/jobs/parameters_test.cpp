// The parameter table: everything that a job may say of an algorithm goes through it.
#include "core/parameters.hpp"
#include "core/policy.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace parallax;
using namespace parallax::engine;

namespace {

enum class Border { reflect, zero };

struct Inner {
    int order = 2;
    bool flag = false;
    bool operator==(const Inner&) const = default;
};

struct Sample {
    int radius = 1;
    double gain = 1.5;
    bool band_limit = true;
    std::string label = "none";
    Border border = Border::reflect;
    double wavelength = 532e-9;
    std::array<double, 2> pixel{1.4e-6, 1.4e-6};
    LengthSweep distance{{1e-3}};
    std::optional<std::array<int, 4>> region;
    std::optional<Inner> inner;
};

ParameterTable sample_table() {
    const ParameterTable inner = TableBuilder<Inner>()
                                     .integer("order", &Inner::order, {.min = 1}, "Order.")
                                     .boolean("flag", &Inner::flag, "A flag.")
                                     .build();
    return TableBuilder<Sample>()
        .integer("radius", &Sample::radius, {.min = 0, .max = 64}, "Half width.")
        .number("gain", &Sample::gain, {.above = 0}, "Gain.")
        .boolean("band_limit", &Sample::band_limit, "Limit the band.")
        .text("label", &Sample::label, "A label.")
        .choice("border", &Sample::border, {{"reflect", Border::reflect}, {"zero", Border::zero}}, "Outside.")
        .length("wavelength", &Sample::wavelength, {.above = 0, .unit = "nm"}, "In vacuum.")
        .length_pair("pixel", &Sample::pixel, {.above = 0}, "Pixel.")
        .length_sweep("distance", &Sample::distance, {}, "Distance.")
        .runtime()
        .integers("region", &Sample::region, {.min = 0}, "Region.")
        .object("inner", &Sample::inner, inner, {{"auto", Inner{7, true}}}, "Nested.")
        .build();
}

const ParameterTable table = sample_table();

Sample parse(const char* text) { return table.parse(Json::parse(text), "/steps/0", {"id", "run"}).as<Sample>(); }

}  // namespace

TEST_CASE("parameters: what a job may write is read as it stands") {
    const Sample s = parse(R"({"id": "a", "radius": 3, "gain": 2, "band_limit": false, "label": "x", "border": "zero",
        "wavelength_um": 0.633, "pixel_um": [5, 6.9], "distance_mm": [1, -2], "region": [1, 2, 3, 4],
        "inner": {"order": 3}, "//note": "skipped"})");
    CHECK(s.radius == 3);
    CHECK(s.gain == 2.0);
    CHECK_FALSE(s.band_limit);
    CHECK(s.label == "x");
    CHECK(s.border == Border::zero);
    CHECK(s.wavelength == 0.633e-6);
    CHECK(s.pixel == std::array<double, 2>{5e-6, 6.9e-6});
    CHECK(s.distance.values == std::vector<double>{1e-3, -2e-3});
    CHECK(s.region == std::array<int, 4>{1, 2, 3, 4});
    REQUIRE(s.inner);
    CHECK(*s.inner == Inner{3, false});
}

TEST_CASE("parameters: an integer may be written 3.0, null unsets an object, a word stands for one") {
    CHECK(parse(R"({"radius": 3.0})").radius == 3);
    CHECK_FALSE(parse(R"({"inner": null, "region": null})").inner);
    CHECK(parse(R"({"inner": "auto"})").inner == Inner{7, true});
}

TEST_CASE("parameters: each unit gives exactly the double that the decimal number means") {
    CHECK(parse(R"({"wavelength_nm": 532})").wavelength == 532e-9);
    CHECK(parse(R"({"wavelength_um": 0.532})").wavelength == doctest::Approx(532e-9).epsilon(1e-15));
    CHECK(parse(R"({"wavelength_mm": 2})").wavelength == 2e-3);
    CHECK(parse(R"({"wavelength_cm": 3})").wavelength == 3e-2);
    CHECK(parse(R"({"wavelength_m": 4})").wavelength == 4.0);
}

TEST_CASE("parameters: a range includes its end") {
    struct Row { const char* text; std::size_t count; double last; };
    const Row rows[] = {
        {R"({"distance_um": {"from": 800, "to": 1200, "step": 10}})", 41, 1200e-6},
        {R"({"distance_um": {"from": 0, "to": 1, "step": 0.1}})", 11, 1e-6},
        {R"({"distance_um": {"from": 6.2, "to": 8.2, "step": 0.2}})", 11, 8.2e-6},
        {R"({"distance_um": {"from": 0, "to": 10, "step": 4}})", 3, 8e-6},
        {R"({"distance_um": {"from": 10, "to": -10, "step": -5}})", 5, -10e-6},
        {R"({"distance_mm": {"from": 5, "to": 5, "step": 1}})", 1, 5e-3},
        {R"({"distance_um": {"from": 1, "to": 100000, "step": 1}})", 100000, 0.1},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.text));
        const Sample s = parse(row.text);
        CHECK(s.distance.values.size() == row.count);
        CHECK(s.distance.values.back() == row.last);
    }
}

TEST_CASE("parameters: what is written reads back as the same values") {
    const Parameters first = table.parse(Json::parse(R"({"radius": 7, "wavelength_nm": 632.8, "pixel_nm": 38.8007,
        "distance_um": {"from": 0.1, "to": 0.7, "step": 0.1}, "inner": "auto", "region": [0, 0, 5, 6]})"), "");
    const Json written = first.to_json();
    const Parameters second = table.parse(written, "");
    CHECK(second.to_json() == written);
    CHECK(second.as<Sample>().wavelength == first.as<Sample>().wavelength);
    CHECK(second.as<Sample>().pixel == first.as<Sample>().pixel);
    CHECK(second.as<Sample>().distance == first.as<Sample>().distance);
    CHECK(written["inner"] == "auto");
    CHECK(written["wavelength_nm"] == 632.8);
    CHECK(written["pixel_um"].dump() == "0.0388007");
}

TEST_CASE("parameters: defaults are those of the struct; a plan's key leaves out what may change") {
    const Json defaults = table.defaults().to_json();
    CHECK(defaults.dump() == R"({"radius":1,"gain":1.5,"band_limit":true,"label":"none","border":"reflect","wavelength_nm":532,)"
                             R"("pixel_um":1.4,"distance_um":1000,"region":null,"inner":null})");
    const Json plan = table.defaults().to_json_for_plan();
    CHECK_FALSE(plan.contains("distance_um"));
    CHECK(plan.size() == defaults.size() - 1);
}

TEST_CASE("parameters: each slip is an error that names the place, what is there and what may be") {
    struct Row { const char* text; const char* pointer; const char* found; const char* expected; const char* hint; };
    const Row rows[] = {
        {R"({"raduis": 3})", "/steps/0/raduis", "\"raduis\"", "radius", "did you mean \"radius\""},
        {R"({"wavelenght_nm": 3})", "/steps/0/wavelenght_nm", "wavelenght_nm", "wavelength_nm", "did you mean \"wavelength_nm\""},
        {R"({"rnu": "x"})", "/steps/0/rnu", "rnu", "", "did you mean \"run\""},
        {R"({"distance": 3})", "/steps/0/distance", "\"distance\"", "distance_nm | distance_um", "\"distance_um\""},
        {R"({"distance_inch": 3})", "/steps/0/distance_inch", "distance_inch", "", "distance_um"},
        {R"({"frobnicate": 1})", "/steps/0/frobnicate", "frobnicate", "radius", ""},
        {R"({"pixel_um": 1, "pixel_nm": 1000})", "/steps/0/pixel_nm", "\"pixel_nm\" beside \"pixel_um\"", "one of the two",
         "remove one"},
        {R"({"a/b~c": 1})", "/steps/0/a~1b~0c", "a/b~c", "", ""},
        {R"({"radius": 65})", "/steps/0/radius", "65", "an integer 0 to 64", ""},
        {R"({"radius": 1.5})", "/steps/0/radius", "1.5", "an integer 0 to 64", ""},
        {R"({"radius": 1e300})", "/steps/0/radius", "1e+300", "an integer", ""},
        {R"({"radius": "3"})", "/steps/0/radius", "the string \"3\"", "an integer", ""},
        {R"({"gain": 0})", "/steps/0/gain", "the number 0", "a number above 0", ""},
        {R"({"gain": null})", "/steps/0/gain", "null", "a number above 0", ""},
        {R"({"band_limit": 1})", "/steps/0/band_limit", "the number 1", "true or false", ""},
        {R"({"label": 1})", "/steps/0/label", "the number 1", "a string", ""},
        {R"({"border": "zreo"})", "/steps/0/border", "zreo", "reflect | zero", "did you mean \"zero\""},
        {R"({"border": 3})", "/steps/0/border", "the number 3", "reflect | zero", ""},
        {R"({"wavelength_nm": "red"})", "/steps/0/wavelength_nm", "\"red\"", "a length in nm above 0", ""},
        {R"({"wavelength_nm": -1})", "/steps/0/wavelength_nm", "-1", "above 0", ""},
        {R"({"pixel_um": [1, 2, 3]})", "/steps/0/pixel_um", "a list of 3", "[x, y]", ""},
        {R"({"pixel_um": [1, 0]})", "/steps/0/pixel_um/1", "the number 0", "above 0", ""},
        {R"({"pixel_um": {}})", "/steps/0/pixel_um", "an empty object", "[x, y]", ""},
        {R"({"distance_um": []})", "/steps/0/distance_um", "an empty list", "{from, to, step}", ""},
        {R"({"distance_um": [1, "a"]})", "/steps/0/distance_um/1", "\"a\"", "a length in um", ""},
        {R"({"distance_um": {"from": 1, "to": 2}})", "/steps/0/distance_um", "without \"step\"", "from, to and step", "800"},
        {R"({"distance_um": {"from": 1, "to": 2, "stepp": 1}})", "/steps/0/distance_um/stepp", "stepp", "", "\"step\""},
        {R"({"distance_um": {"from": 1, "to": 2, "step": 0}})", "/steps/0/distance_um/step", "0", "above 0", ""},
        {R"({"distance_um": {"from": 2, "to": 1, "step": 1}})", "/steps/0/distance_um/step", "1", "below 0", ""},
        {R"({"distance_um": {"from": 0, "to": 1e6, "step": 1}})", "/steps/0/distance_um", "1000001 values", "100000",
         "larger step"},
        {R"({"distance_um": {"from": 0, "to": 1e30, "step": 1e-20}})", "/steps/0/distance_um", "values", "100000", ""},
        {R"({"region": [1, 2]})", "/steps/0/region", "a list of 2", "a list of 4 integers", ""},
        {R"({"region": [1, 2, 3, -4]})", "/steps/0/region/3", "-4", "at least 0", ""},
        {R"({"inner": {"ordre": 1}})", "/steps/0/inner/ordre", "ordre", "order", "did you mean \"order\""},
        {R"({"inner": "atuo"})", "/steps/0/inner", "atuo", "\"auto\"", "did you mean \"auto\""},
        {R"({"inner": 3})", "/steps/0/inner", "the number 3", "\"auto\", an object of", ""},
        {R"([])", "/steps/0", "an empty list", "an object", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.text));
        try {
            parse(row.text);
            FAIL("was taken");
        } catch (const ConfigError& error) {
            CAPTURE(error.found);
            CAPTURE(error.expected);
            CAPTURE(error.hint);
            CHECK(error.pointer == row.pointer);
            CHECK(error.found.find(row.found) != std::string::npos);
            CHECK(error.expected.find(row.expected) != std::string::npos);
            CHECK(error.hint.find(row.hint) != std::string::npos);
        }
    }
}

TEST_CASE("parameters: the schema holds every key, its bounds and its default") {
    const Json schema = table.schema();
    const Json& properties = schema["properties"];
    CHECK(properties["radius"].dump() ==
          R"({"type":"integer","minimum":0,"maximum":64,"description":"Half width.","default":1})");
    for (const char* unit : {"nm", "um", "mm", "cm", "m"}) CHECK(properties.contains(std::string("wavelength_") + unit));
    CHECK(properties["wavelength_nm"]["exclusiveMinimum"] == 0);
    CHECK(schema["dependentSchemas"]["wavelength_nm"]["properties"]["wavelength_um"] == false);
    CHECK(schema["additionalProperties"] == false);
    CHECK(properties["border"]["enum"] == Json({"reflect", "zero"}));
}

TEST_CASE("parameters: two fields with one key are a mistake of the table") {
    TableBuilder<Sample> builder;
    builder.integer("radius", &Sample::radius, {}, "").number("radius", &Sample::gain, {}, "");
    CHECK_THROWS_AS(builder.build(), std::logic_error);
}

TEST_CASE("nearest: a slip is recognised, another word is not") {
    const std::vector<std::string> words{"hologram", "histogram", "fft", "sort"};
    CHECK(nearest("hologramm", words) == "hologram");
    CHECK(nearest("HOLOGRAM", words) == "hologram");
    CHECK(nearest("fff", words) == "fft");
    CHECK(nearest("srot", words) == "sort");
    CHECK(nearest("banana", words) == "");
    CHECK(nearest("", words) == "");
    CHECK(nearest("x", {}) == "");
}

TEST_CASE("policy: overlays on the defaults, refuses what the table does not hold") {
    const PolicyTable policies{{"work_group_size", 256, {64, 128, 256}, ""}, {"unroll", 1, {1, 2, 4}, ""}};
    const Policy policy = Policy::parse(policies, Json::parse(R"({"unroll": 4})"), "/steps/0/policy");
    CHECK(policy.at("work_group_size") == 256);
    CHECK(policy.at("unroll") == 4);
    CHECK(policy.to_json().dump() == R"({"work_group_size":256,"unroll":4})");
    CHECK(Policy::parse(policies, policy.to_json(), "") == policy);
    CHECK(Policy::parse(policies, Json::parse(R"({"unroll": 4.0})"), "").to_json() == policy.to_json());
    CHECK_THROWS_AS(policy.at("other"), std::out_of_range);
    struct Row { const char* text; const char* pointer; const char* message; };
    for (const Row& row :
         {Row{R"({"unrol": 2})", "/steps/0/policy/unrol", "did you mean \"unroll\""},
          Row{R"({"unroll": 3})", "/steps/0/policy/unroll", "1 | 2 | 4"},
          Row{R"({"unroll": "2"})", "/steps/0/policy/unroll", "the string \"2\""},
          Row{R"({"unroll": 2.5})", "/steps/0/policy/unroll", "1 | 2 | 4"}, Row{R"([])", "/steps/0/policy", "an object"}}) {
        CAPTURE(std::string(row.text));
        try {
            Policy::parse(policies, Json::parse(row.text), "/steps/0/policy");
            FAIL("was taken");
        } catch (const ConfigError& error) {
            CHECK(error.pointer == row.pointer);
            CHECK(std::string(error.what()).find(row.message) != std::string::npos);
        }
    }
}

TEST_CASE("an integer list is one number or a few") {
    struct Steps {
        std::vector<int> radius;
    };
    const ParameterTable steps =
        TableBuilder<Steps>().integer_list("radius", &Steps::radius, 3, {.min = 0, .max = 9}, "Radius.").build();
    const auto radius = [&](const char* text) { return steps.parse(Json::parse(text), "/steps/0").as<Steps>().radius; };
    CHECK(radius(R"({"radius": 2})") == std::vector<int>{2});
    CHECK(radius(R"({"radius": [1, 2, 3]})") == std::vector<int>{1, 2, 3});
    CHECK(radius(R"({"radius": null})").empty());
    CHECK(radius("{}").empty());
    for (const char* text : {R"({"radius": 2})", R"({"radius": [1, 2]})", R"({"radius": null})"})
        CHECK(steps.parse(Json::parse(text), "").to_json() == Json::parse(text));
    for (const char* text :
         {R"({"radius": 10})", R"({"radius": [1, 2, 3, 4]})", R"({"radius": []})", R"({"radius": "1"})", R"({"radius": [1.5]})"})
        CHECK_THROWS_AS(radius(text), ConfigError);
}

namespace {

struct Needy {
    double wavelength = std::nan("");
    LengthSweep distance;
    std::optional<std::array<int, 4>> region;
};

}  // namespace

TEST_CASE("parameters: what has no default is asked for") {
    const ParameterTable needy = TableBuilder<Needy>()
                                     .length("wavelength", &Needy::wavelength, {.above = 0, .unit = "nm"}, "In vacuum.")
                                     .length_sweep("distance", &Needy::distance, {}, "Distance.")
                                     .runtime()
                                     .integers("region", &Needy::region, {.min = 0}, "Region.")
                                     .build();
    const auto missing = [&](const char* text) {
        try {
            needy.parse(Json::parse(text), "/steps/0");
        } catch (const ConfigError& error) {
            return error.pointer + ", " + error.found + ", " + error.expected;
        }
        return std::string("nothing");
    };
    CHECK(missing(R"({})") ==
          "/steps/0/wavelength_nm, no wavelength, one of wavelength_nm | wavelength_um | wavelength_mm | wavelength_cm | "
          "wavelength_m");
    CHECK(missing(R"({"wavelength_um": 0.5})").starts_with("/steps/0/distance_um, no distance"));
    CHECK(missing(R"({"distance_um": 1, "//wavelength_nm": 3})").starts_with("/steps/0/wavelength_nm, no wavelength"));
    CHECK(missing(R"({"distance_um": 1, "wavelength_nm": null})").starts_with("/steps/0/wavelength_nm, null"));
    CHECK(missing(R"({"wavelength_um": 0.5, "distance_mm": [1, 2]})") == "nothing");   // null is a region
    CHECK_FALSE(needy.schema()["properties"]["wavelength_nm"].contains("default"));
    CHECK(needy.schema()["properties"]["region"]["default"].is_null());
    CHECK(needy.schema()["allOf"].size() == 2);
    CHECK(needy.schema()["allOf"][0]["anyOf"].size() == needy.find("wavelength_nm")->keys.size());
    const Parameters both = needy.parse(Json::parse(R"({"wavelength_um": 0.5, "distance_mm": [1, 2]})"), "");
    CHECK(needy.parse(both.to_json(), "").to_json() == both.to_json());
}
