// What docs/compare.md shows of the laboratory.
#include "compare/count.inc"
static_assert(snippets == 1, "a block of docs/compare.md that no function here has");

// A block's first line is its #include, which extract.cmake leaves to us.
#include "parallax/lab.hpp"

#include <cstdio>
#include <filesystem>
#include <string>

namespace {

std::string result(const std::string& program, const std::string& study, const std::string& earlier) {
#include "compare/1.inc"
    static_cast<void>(worse);   // the block only makes it
    return earlier == report ? report : changes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "worker") return parallax::lab::serve(argv[2]);
    const std::string study = R"({
    "parallax_study": 1, "title": "Shift", "devices": [{}], "sampling": {"samples": 3, "rounds": 1, "budget_s": 0.2},
    "cases": [{"id": "shift", "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": [64, 64]}},
               "steps": [{"run": "convert", "type": "f32"}]}],
    "report": [{"kind": "table", "title": "Times", "columns": ["variant", "compute_ms"]}]
})";
    const std::string program = std::filesystem::absolute(argv[0]).string();
    std::filesystem::remove_all(argv[1]);
    std::filesystem::create_directories(argv[1]);
    std::filesystem::current_path(argv[1]);
    try {
        parallax::lab::CompareOptions options{{.program = program}};
        options.out = "earlier";
        options.quick = true;   // as the block runs it: reports of other sizes are not held against each other
        const std::string earlier = parallax::lab::compare(study, options);
        const std::string changes = result(program, study, earlier);
        const bool good = changes.find("verdict") != std::string::npos && std::filesystem::exists("results/lb/report.html");
        std::puts(good ? "the snippet does what it says" : "the snippet gives something else");
        return good ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
