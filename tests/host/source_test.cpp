#include "parallax/host/error.hpp"
#include "parallax/host/program.hpp"
#include "program/build_log.hpp"
#include "program/key.hpp"
#include "program/source.hpp"
#include "support.hpp"
#include "support/json_words.hpp"
#include "support/text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>

using namespace parallax;
using namespace parallax::host;
using namespace parallax::tests;

namespace {

IoError io_error(const char* file) {
    try {
        flatten_source(file);
    } catch (const IoError& error) {
        return error;
    }
    FAIL("no error for " << file);
    return IoError("", "");
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("flattening keeps line numbers and includes a file as often as it is asked for") {
    const KernelFolder kernels(
        {{"a.cl", "one\n#include \"sub/b.clh\"\nthree\n  #  include \"sub/b.clh\" // again\nfive"},
         {"sub/b.clh", "b1\r\nb2\r\n"},
         {"comment.cl",
          "/* #include \"x\"\n#include \"none.clh\"\n*/ #include <system>\n// #include \"y\"\n\"/*\"\n#include \"sub/b.clh\"\n"},
         {"up.cl", "#include \"sub/../sub/b.clh\"\n"},
         {"empty.cl", ""}});
    CHECK(flatten_source("a.cl") ==
          "#line 1 \"a.cl\"\none\n#line 1 \"sub/b.clh\"\nb1\nb2\n#line 3 \"a.cl\"\nthree\n#line 1 \"sub/b.clh\"\nb1\nb2\n#line 5 "
          "\"a.cl\"\nfive\n");
    CHECK(flatten("a.cl").files == std::vector<std::string>{"a.cl", "sub/b.clh"});
    CHECK(flatten_source("comment.cl") ==
          "#line 1 \"comment.cl\"\n/* #include \"x\"\n#include \"none.clh\"\n*/ #include <system>\n// #include "
          "\"y\"\n\"/*\"\n#line 1 \"sub/b.clh\"\nb1\nb2\n#line 7 \"comment.cl\"\n");
    CHECK(flatten("up.cl").files == std::vector<std::string>{"up.cl", "sub/b.clh"});
    CHECK(flatten_source("empty.cl") == "#line 1 \"empty.cl\"\n");
    CHECK(flatten_source("./a.cl") == flatten_source("a.cl"));
}

TEST_CASE("wrong includes are errors that name includer and line") {
    std::map<std::string, std::string> files{{"missing.cl", "\n\n#include \"nowhere.clh\"\n"},
                                             {"self.cl", "#include \"self.cl\"\n"},
                                             {"escape.cl", "\n#include \"../../etc/passwd\"\n"},
                                             {"absolute.cl", "#include \"/etc/passwd\"\n"},
                                             {"folder.cl", "#include \"prelude\"\n"}};
    for (int i = 1; i < 32; ++i)
        files["deep" + std::to_string(i) + ".cl"] = "#include \"deep" + std::to_string(i + 1) + ".cl\"\n";
    files["deep32.cl"] = "bottom\n";
    const KernelFolder kernels(files);

    CHECK(io_error("missing.cl").path == "nowhere.clh");
    CHECK(has(io_error("missing.cl").what(), "included from missing.cl:3"));
    CHECK(has(io_error("self.cl").what(), "more than 32 deep"));
    CHECK(has(io_error("escape.cl").what(), "included from escape.cl:2"));
    CHECK(has(io_error("absolute.cl").what(), "must lie below kernels_cl"));
    CHECK(has(io_error("folder.cl").what(), "no such kernel file"));
    CHECK(has(io_error("../x.cl").what(), "path below kernels_cl"));
    CHECK(has(io_error("").what(), "path below kernels_cl"));
    CHECK(has(io_error("nothing.cl").what(), "PARALLAX_KERNEL_DIR"));
    CHECK(has(flatten_source("deep1.cl"), "bottom"));   // 32 deep is still allowed
}

TEST_CASE("embedded files flatten, each alone") {
    const ScopedVariable embedded("PARALLAX_KERNEL_DIR", std::nullopt);
    const std::vector<std::string> files = kernel_files();
    CHECK(std::set<std::string>(files.begin(), files.end()).contains("prelude/prelude.clh"));
    for (const std::string& file : files) {
        CAPTURE(file);
        CHECK_FALSE(flatten_source(file).empty());
    }
    CHECK(has(io_error("probe/fp46.cl").what(), "did you mean \"probe/fp64.cl\"?"));
}

TEST_CASE("defines keep their order and refuse what an option string would tear apart") {
    Defines defines;
    defines.add("B", 2).add("A", -1).flag("FAST").add("TYPE", "float2");
    CHECK(defines.options() == "-DB=2 -DA=-1 -DFAST=1 -DTYPE=float2");
    CHECK(defines.list().size() == 4);
    CHECK(Defines().options().empty());
    for (const char* name : {"", "1A", "A B", "A-B", "A=1"}) {
        CAPTURE(name);
        CHECK_THROWS_AS(Defines().add(name, 1), Error);
    }
    for (const char* value : {"a b", "\"x\"", "a\\b", "'x'", "a\nb"}) {
        CAPTURE(value);
        CHECK_THROWS_AS(Defines().add("A", value), Error);
    }
    CHECK_THROWS_AS(Defines().add("A", 1).add("A", 1), Error);
    CHECK(Defines().add("A", "").options() == "-DA=");
}

TEST_CASE("the key of a program changes with everything that it depends on") {
    DeviceInfo base;
    base.platform = "platform";
    base.name = "name";
    base.version = "version";
    base.driver = "driver";
    std::set<std::string> keys{program_key("source", "options", base)};
    CHECK(keys.contains(program_key("source", "options", base)));
    const auto with = [&](auto change) {
        DeviceInfo info = base;
        change(info);
        keys.insert(program_key("source", "options", info));
    };
    keys.insert(program_key("source2", "options", base));
    keys.insert(program_key("source", "options2", base));
    keys.insert(program_key("sourceo", "ptions", base));
    with([](DeviceInfo& info) { info.platform = "x"; });
    with([](DeviceInfo& info) { info.name = "x"; });
    with([](DeviceInfo& info) { info.version = "x"; });
    with([](DeviceInfo& info) { info.driver = "x"; });
    with([](DeviceInfo& info) { info.backend = Backend::cuda; });
    CHECK(keys.size() == 9);
    for (const std::string& key : keys) CHECK(key.size() == 32);
}

TEST_CASE("the place of the first error is read from every compiler's log") {
    const std::vector<std::string> files{"fft/main.cl", "fft/stage.clh", "stage.clh"};
    const char* const text = "#line 1 \"fft/main.cl\"\nm1\n#line 1 \"stage.clh\"\ns1\ns2\n#line 3 \"fft/main.cl\"\nm3\n";
    struct Row {
        const char* log;
        const char* file;
        int line;
    };
    const Row rows[] = {
        {"fft/stage.clh:12:5: error: use of undeclared identifier 'x'", "fft/stage.clh", 12},
        {"fft/main.cl:3:1: warning: unused\nfft/stage.clh:7:2: error: bad", "fft/stage.clh", 7},
        {"error: /tmp/a/b/fft/main.cl:4:5: use of undeclared identifier", "fft/main.cl", 4},
        {"<kernel>:2:5: error: expected ';'", "fft/main.cl", 1},
        {"<kernel>:5:5: error: expected ';'", "stage.clh", 2},
        {"input.cl:7:1: error: x", "fft/main.cl", 3},
        {"input.cl:9:1: error: past the end", "fft/main.cl", 9},
        {"/tmp/comgr-1/input/CompileSource:31:3: error: x", "fft/main.cl", 31},
        {"\"fft/stage.clh\", line 3: error\n\"fft/main.cl\":8: error: y", "fft/main.cl", 8},
        {"fft/main.cl(17): error: z", "fft/main.cl", 17},
        {"ptxas error : Entry function uses too much shared data", "fft/main.cl", 0},
        {"fft/main.cl:6:1: note: only a note", "fft/main.cl", 6},
        {"fft/main.cl:x:1: error", "fft/main.cl", 0},
        {"fft/main.cl:99999999999999: error", "fft/main.cl", 0},
        {"", "fft/main.cl", 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.log);
        const LogPlace place = first_error(row.log, text, files);
        CHECK(place.file == row.file);
        CHECK(place.line == row.line);
    }
    CHECK(first_error("x:1: error", "", {}).line == 0);
}

TEST_CASE("text helpers") {
    CHECK(trim(std::string_view(" a b\0\0", 6)) == "a b");
    CHECK(trim("").empty());
    CHECK(contains_nocase("NVIDIA Corporation", "nvidia"));
    CHECK_FALSE(contains_nocase("AMD", "nvidia"));
    CHECK(contains_nocase("", ""));
    CHECK(human_bytes(0) == "0 bytes");
    CHECK(human_bytes(999) == "999 bytes");
    CHECK(human_bytes(24000000000) == "24 GB");
    const std::vector<std::string> words{"wavelength_nm", "pixel_um"};
    CHECK(nearest("wavelenght_nm", words) == "wavelength_nm");
    CHECK(nearest("x", words).empty());
    std::string name(244, 'n'), slip = name, other = name;   // as long as a file's, of which some are another
    slip[200] = 'x';
    for (int i = 0; i < 12; ++i) other[static_cast<std::size_t>(20 * i)] = 'x';
    CHECK(nearest(slip, {other, name}) == name);
    CHECK(nearest(other, {name}).empty());
    CHECK(nearest(name.substr(4), {name}) == name);
    CHECK(nearest(name, {name.substr(0, 240)}) == name.substr(0, 240));
    for (const auto& [word, near] : {std::pair("abcdef", "bacdef"), {"abcdef", "abcde"}, {"abcdef", "xabcdef"}, {"abcdef", "abcxyf"}})
        CHECK(nearest(word, {near}) == near);
}

TEST_CASE("kernel files: no line is longer than a reader's window, no name in #if is unknown") {
    // The preprocessor takes a word that it does not know for 0, and says nothing.
    const std::regex compared("^\\s*#\\s*(?:el)?if\\b[^\\n]*[!=]= *([A-Z_][A-Z0-9_]*)");
    const ScopedVariable embedded("PARALLAX_KERNEL_DIR", std::nullopt);
    for (const std::string& file : kernel_files()) {
        CAPTURE(file);
        const auto flat = flatten_source(file);
        for (std::size_t begin = 0; begin < flat.size();) {
            const std::size_t end = std::min(flat.find('\n', begin), flat.size());
            const std::string line = flat.substr(begin, end - begin);
            begin = end + 1;
            CAPTURE(line);
            CHECK(line.size() <= 130);
            std::smatch match;
            if (file.ends_with(".cl") && std::regex_search(line, match, compared))
                CHECK(has(flat, "#define " + match.str(1) + " "));
        }
    }
}
