// What kernels call the numbers that the host gives them. Each name stands for the number of the host's enumerator; neither side
// has one that the other lacks; and no kernel compares with a bare number where there is a name.
#include "algorithms/arithmetic/op.hpp"
#include "algorithms/box_filter/parameters.hpp"
#include "algorithms/diffusion_lb/steps.hpp"
#include "algorithms/elementwise/elementwise.hpp"
#include "algorithms/elementwise/ranks.hpp"
#include "algorithms/equalize/equalize.hpp"
#include "algorithms/fft/simd.hpp"
#include "algorithms/hologram/order_filter.hpp"
#include "algorithms/hologram/propagator.hpp"
#include "algorithms/noise/parameters.hpp"
#include "algorithms/phantom/phantom.hpp"
#include "algorithms/reduce/totals.hpp"
#include "algorithms/scan/device.hpp"
#include "algorithms/sort/sort.hpp"
#include "core/tile_states.hpp"
#include "program/embedded.hpp"
#include "registry/registry.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

using namespace parallax;
using namespace parallax::engine;

namespace {

struct Name {
    std::string word;
    std::int64_t number;
    Name(const char* w, std::int64_t n) : word(w), number(n) {}
    template <class E>
        requires std::is_enum_v<E>
    Name(const char* w, E e) : word(w), number(static_cast<std::int64_t>(e)) {}
};

struct Row {
    std::string file;
    std::string prefix;          // a name is PREFIX_WORD
    std::vector<Name> names;     // in the host's order
    std::string compared = {};   // what is compared with them, as a regular expression, where that is not PREFIX
    std::string algorithm = {};  // whose choices these are, all of them
    std::string key = {};
};

std::vector<Row> rows() {
    using LbEdge = diffusion_lb::EdgeFunction;
    using arithmetic::Op;
    using fft::simd::Layout;
    using phantom::Kind;
    const auto levels = [](ElementType type) { return std::int64_t{noise::NoiseSpec{.type = type}.levels()}; };
    return {
        {"scan/operator.clh", "OP", {{"SUM", scan::Op::sum}, {"MIN", scan::Op::min}, {"MAX", scan::Op::max}}, "", "scan", "op"},
        {"scan/operator.clh",
         "TYPE",
         {{"U32", scan::Word::u32}, {"I32", scan::Word::i32}, {"U64", scan::Word::u64}, {"F32", scan::Word::f32}}},
        {"arithmetic/arithmetic.cl",
         "OP",
         {{"ADD", Op::add},
          {"SUBTRACT", Op::subtract},
          {"MULTIPLY", Op::multiply},
          {"DIVIDE", Op::divide},
          {"LOG", Op::log},
          {"EXP", Op::exp},
          {"ABS", Op::abs},
          {"SQRT", Op::sqrt},
          {"CLAMP", Op::clamp}},
         "",
         "arithmetic",
         "op"},
        {"reduce/accumulator.clh",
         "KIND",
         {{"SUM", reduce::Kind::sum}, {"MIN", reduce::Kind::min}, {"MAX", reduce::Kind::max}, {"ALL", reduce::Kind::all}}},
        {"noise/add.cl",
         "KIND",
         {{"GAUSSIAN", noise::Kind::gaussian},
          {"SPECKLE", noise::Kind::speckle},
          {"SALT_AND_PEPPER", noise::Kind::salt_and_pepper}},
         "",
         "noise",
         "kind"},
        {"phantom/phantom.cl",
         "KIND",
         {{"MENGER", Kind::menger},
          {"CUBE", Kind::cube},
          {"CARPET", Kind::carpet},
          {"TRIANGLE", Kind::triangle},
          {"TETRAHEDRON", Kind::tetrahedron},
          {"CANTOR", Kind::cantor},
          {"RANDOM", Kind::random},
          {"VESSEL_TREE", Kind::vessel_tree}},
         "",
         "phantom",
         "kind"},
        {"elementwise/keys.clh",
         "KIND",
         {{"UNSIGNED_INTEGER", elementwise::KeyKind::unsigned_integer},
          {"SIGNED_INTEGER", elementwise::KeyKind::signed_integer},
          {"REAL", elementwise::KeyKind::real}}},
        {"elementwise/pass.clh",
         "PAIRING",
         {{"NONE", elementwise::Pairing::none},
          {"SAME", elementwise::Pairing::same},
          {"CHANNELS", elementwise::Pairing::channels},
          {"REPEATED", elementwise::Pairing::repeated}}},
        {"equalize/levels.clh",
         "FORMULA",
         {{"OPENCV", equalize::Formula::opencv},
          {"CLASSIC", equalize::Formula::classic},
          {"SKIMAGE", equalize::Formula::skimage}},
         "",
         "equalize",
         "formula"},
        {"sort/rank_warp.clh",
         "MATCH",
         {{"ANY", sort::Match::any}, {"BALLOT", sort::Match::ballot}, {"ATOMICS", sort::Match::atomics}}},
        {"diffusion_lb/edges.clh",
         "EDGE",
         {{"PERONA_MALIK_1", LbEdge::perona_malik_1},
          {"PERONA_MALIK_2", LbEdge::perona_malik_2},
          {"CHARBONNIER", LbEdge::charbonnier},
          {"WEICKERT", LbEdge::weickert}},
         "",
         "diffusion_lb",
         "edge_function"},
        {"diffusion_lb/simd.cl",
         "EDGES",
         {{"FOUND", diffusion_lb::RowEdges::found},
          {"WRITTEN", diffusion_lb::RowEdges::written},
          {"READ", diffusion_lb::RowEdges::read}},
         "edges"},
        {"diffusion_lb/lattice.clh",
         "LATTICE",
         {{"D2Q5", populations(diffusion_lb::Lattice::d2q5)}, {"D2Q9", populations(diffusion_lb::Lattice::d2q9)}},
         "",
         "diffusion_lb",
         "lattice"},
        {"hologram/propagate.clh",
         "METHOD",
         {{"ANGULAR_SPECTRUM", hologram::method_define(hologram::Method::angular_spectrum)},
          {"FRESNEL", hologram::method_define(hologram::Method::fresnel)},
          {"CONVOLUTION", hologram::method_define(hologram::Method::convolution)},
          {"RAYLEIGH_SOMMERFELD", hologram::method_define(hologram::Method::rayleigh_sommerfeld)},
          {"TABLE", hologram::method_table},
          {"TILES", hologram::method_tiles},
          {"AXES", hologram::method_axes}}},
        {"hologram/prepare.cl",
         "PADDING",
         {{"MEAN", hologram::Padding::mean},
          {"REFLECT", hologram::Padding::reflect},
          {"ZERO", hologram::Padding::zero},
          {"NONE", hologram::Padding::none}},
         "",
         "hologram",
         "padding"},
        {"hologram/focus.cl",
         "METRIC",
         {{"TENENGRAD", hologram::Metric::tenengrad},
          {"VARIANCE", hologram::Metric::variance},
          {"BRENNER", hologram::Metric::brenner},
          {"LAPLACIAN", hologram::Metric::laplacian},
          {"DUBOIS", hologram::Metric::dubois}}},
        {"hologram/found.clh",
         "FOUND",
         {{"X", hologram::Found::x},
          {"Y", hologram::Found::y},
          {"REST_X", hologram::Found::rest_x},
          {"REST_Y", hologram::Found::rest_y},
          {"RADIUS", hologram::Found::radius},
          {"FIRST", hologram::Found::first},
          {"SECOND", hologram::Found::second}}},
        {"fft/simd_layouts.clh",
         "LAYOUT",
         {{"COMPLEX", Layout::complex},
          {"REAL", Layout::real},
          {"HALF", Layout::half},
          {"PANELS", Layout::panels},
          {"HALVES", Layout::halves},
          {"COLUMNS", Layout::columns},
          {"FOLDED", Layout::folded},
          {"MODULUS", Layout::modulus}},
         "SIMD_(?:IN|OUT)"},
        {"box_filter/border.clh",
         "BORDER",
         {{"REFLECT_101", box_filter::Border::reflect_101},
          {"REFLECT", box_filter::Border::reflect},
          {"REPLICATE", box_filter::Border::replicate},
          {"CONSTANT", box_filter::Border::constant}},
         "border",
         "box_filter",
         "border"},
        {"common/tile_states.clh",
         "CONTROL",
         {{"RUNS", TileControl::runs},
          {"LEFT", TileControl::left},
          {"GAVE_UP", TileControl::gave_up},
          {"TIMES", TileControl::times},
          {"TICKET", TileControl::ticket}}},
        {"common/grey.clh",
         "LEVELS",
         {{"F32", levels(ElementType::f32)}, {"U8", levels(ElementType::u8)}, {"U16", levels(ElementType::u16)}}},
    };
}

std::string text_of(std::string_view file) {
    const auto& files = host::embedded_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.name == file; });
    return found == files.end() ? std::string() : std::string(found->text);
}

/// `#define PREFIX_WORD number` of a text: "WORD number", by words.
std::set<std::string> names_in(const std::string& text, const std::string& prefix) {
    std::set<std::string> names;
    const std::regex line("#define " + prefix + "_([A-Z0-9_]+) +([0-9]+)");
    for (std::sregex_iterator match(text.begin(), text.end(), line), end; match != end; ++match)
        names.insert(match->str(1) + " " + match->str(2));
    return names;
}

/// Choices of a parameter, as kernels write words.
std::set<std::string> choices_of(const std::string& algorithm, const std::string& key) {
    std::set<std::string> words;
    for (const Algorithm& a : all_algorithms()) {
        if (a.name != algorithm) continue;
        const ParameterField* field = a.parameters.find(key);
        REQUIRE(field != nullptr);
        for (const Json& choice : field->schemas.at(0).at("enum")) {
            std::string word = choice;
            std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
            if (word != "AUTO") words.insert(word);   // the host has resolved it before a kernel hears of it
        }
    }
    return words;
}

}  // namespace

TEST_CASE("kernels and host mean the same by a name") {
    for (const Row& row : rows()) {
        CAPTURE(row.file);
        std::set<std::string> wanted, words;
        for (const Name& name : row.names) {
            wanted.insert(fmt::format("{} {}", name.word, name.number));
            words.insert(name.word);
        }
        CHECK(fmt::format("{}", names_in(text_of(row.file), row.prefix)) == fmt::format("{}", wanted));
        if (!row.algorithm.empty()) CHECK(fmt::format("{}", choices_of(row.algorithm, row.key)) == fmt::format("{}", words));
    }
}

TEST_CASE("no kernel compares with a bare number where there is a name") {
    for (const Row& row : rows()) {
        const std::string folder = row.file.substr(0, row.file.find('/') + 1);
        const std::string word = "(?:" + (row.compared.empty() ? row.prefix : row.compared) + ")";
        const std::regex bare("\\b" + word + " *(?:[!=]=|[<>]=?) *[0-9]|#define " + word + " +[0-9]");
        for (const auto& [name, text] : host::embedded_files()) {
            if (!name.starts_with(folder) && text.find('"' + row.file + '"') == std::string_view::npos)
                continue;  // the folder, and who includes it
            CAPTURE(name);
            std::cmatch match;
            std::regex_search(text.data(), text.data() + text.size(), match, bare);
            CHECK(match.str() == "");
        }
    }
}
