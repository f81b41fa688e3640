// A program with the laboratory in it, which is its own worker: self-test, a comparison and what changed, tuning.
#include <parallax/lab.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

namespace {

constexpr const char* study = R"({
    "parallax_study": 1, "title": "Shift", "devices": [{}], "sampling": {"samples": 3, "rounds": 1, "budget_s": 0.2},
    "cases": [{"id": "shift", "inputs": {"image": {"make": "random", "type": "u8", "axes": "yx", "shape": [64, 64]}},
               "steps": [{"run": "convert", "type": "f32"}]}],
    "report": [{"kind": "table", "title": "Times", "columns": ["variant", "compute_ms"]}]
})";

int check(bool right, const char* what) {
    if (!right) std::fprintf(stderr, "FAILED: %s\n", what);
    return right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    namespace lab = parallax::lab;
    if (argc == 3 && std::string(argv[1]) == "worker") return lab::serve(argv[2]);
    try {
        const std::filesystem::path folder = argv[1];
        lab::SelfTestOptions test{{.program = argv[0]}};
        test.algorithms = {"convert"};
        int told = 0;
        test.progress = [&](const std::string&, double) { ++told; };
        const std::string tested = lab::self_test(test);
        int wrong = check(lab::passed(tested) && told > 0 && tested.find("\"convert\"") != std::string::npos, "self-test");

        lab::CompareOptions comparison{{.program = argv[0]}};
        comparison.out = (folder / "first").string();
        const std::string first = lab::compare(study, comparison);
        comparison.out = (folder / "second").string();
        const std::string second = lab::compare(study, comparison);
        wrong += check(first.find("\"ok\"") != std::string::npos, "comparison");
        wrong += check(std::filesystem::exists(folder / "second/report.html"), "report");
        const std::string changed = lab::changes(first, second);
        wrong += check(changed.find("verdict") != std::string::npos && changed.find("different result") == std::string::npos,
                       "changes");
        wrong += check(!lab::merge({first, second}, (folder / "both").string()).empty(), "merge");
        try {
            lab::compare(study, comparison);
            wrong += check(false, "a report was replaced");
        } catch (const parallax::ConfigError& error) {
            wrong += check(error.pointer == "--out", error.what());
        }

        lab::TuneOptions tuning{{.program = argv[0]}};
        tuning.algorithms = {"convert"};
        tuning.seconds = 0.5;
        tuning.out = (folder / "tuning").string();
        wrong += check(lab::tune(tuning).find("\"results\"") != std::string::npos, "tuning");
        return wrong;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
