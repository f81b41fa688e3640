// A host application: runs a job on a device by the library, in a locale of its own, which must stay, and prints the report.
//   calling_host DEVICE JOB OUT [LOCALE [resume]]     LOCALE: a name, or "grouped" for a C++ locale that writes 1.234,5
#include <parallax/parallax.hpp>

#include <clocale>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <locale>
#include <string>

namespace {

struct Grouped : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) return 2;
    try {
        const std::string locale = argc > 4 ? argv[4] : "";
        if (locale == "grouped") std::locale::global(std::locale(std::locale::classic(), new Grouped));
        else if (!locale.empty()) std::locale::global(std::locale(locale));   // the C library's, too
        std::ifstream file(argv[2], std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const parallax::Engine engine({.device = argv[1]});
        const std::string before = std::setlocale(LC_ALL, nullptr);
        const bool resume = argc > 5;
        const parallax::JobOptions options{.out = argv[3], .overwrite = !resume, .resume = resume};
        std::printf("%s\n", engine.run(parallax::Job::parse(text), options).c_str());
        const std::string after = std::setlocale(LC_ALL, nullptr);
        if (after != before) std::fprintf(stderr, "the program's locale was %s and is %s\n", before.c_str(), after.c_str());
        return after == before ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
