#include "support.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#if !defined(_WIN32)
#include <sys/wait.h>
#endif

namespace parallax::tests {

namespace {

std::string quoted(const std::string& text) {
#if defined(_WIN32)
    return '"' + text + '"';
#else
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += "'\\''";
        else result += c;
    }
    result += '\'';
    return result;
#endif
}

int exit_status(int status) {
#if defined(_WIN32)
    return status;
#else
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
#endif
}

}  // namespace

TempFolder::TempFolder() {
    std::random_device random;
    path_ = fs::canonical(fs::temp_directory_path()) / ("parallax-test-" + std::to_string(random()) + std::to_string(random()));
    fs::create_directories(path_);
}

TempFolder::~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::vector<std::string> TempFolder::listing() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
        names.push_back(entry.path().lexically_relative(path_).generic_string());
    std::sort(names.begin(), names.end());
    return names;
}

void write_text(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string read_text(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

HostArray ramp(std::int64_t width, std::int64_t height) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::u8, {{'y', height}, {'x', width}}));
    for (std::int64_t i = 0; i < array.desc.count(); ++i) array.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
    return array;
}

HostArray floats(std::int64_t width, std::int64_t height, std::vector<float> values) {
    HostArray array = HostArray::make(ArrayDesc::dense(ElementType::f32, {{'y', height}, {'x', width}}));
    std::fill_n(array.as<float>(), width * height, 1.0f);
    std::copy(values.begin(), values.end(), array.as<float>());
    return array;
}

Run run_program(const std::vector<std::string>& arguments, const fs::path& folder, const std::vector<std::string>& environment,
                const fs::path& standard_output, const std::vector<std::string>& launcher) {
    const char* const program = std::getenv("PARALLAX_BIN");
    if (!program) FAIL("PARALLAX_BIN must hold the path of the program");
    const TempFolder streams;
    std::string command = "cd " + quoted(folder.string()) + " && ";
    for (const std::string& setting : environment) {
        const std::size_t equals = setting.find('=');
        command += setting.substr(0, equals + 1);
        command += quoted(setting.substr(equals + 1));
        command += ' ';
    }
    for (const std::string& word : launcher) {
        command += quoted(word);
        command += ' ';
    }
    command += quoted(program);
    for (const std::string& argument : arguments) {
        command += ' ';
        command += quoted(argument);
    }
    command += " > " + quoted((standard_output.empty() ? streams / "out" : standard_output).string()) + " 2> " +
               quoted((streams / "err").string()) + " < /dev/null";
    const int status = std::system(command.c_str());
    return {exit_status(status), read_text(streams / "out"), read_text(streams / "err")};
}

std::optional<fs::path> repository(const std::string& folder) {
    if (const char* source = std::getenv("PARALLAX_SOURCE")) {
        if (fs::is_directory(fs::path(source) / folder)) return fs::path(source) / folder;
    }
    for (fs::path at = fs::current_path();; at = at.parent_path()) {
        if (fs::is_directory(at / folder)) return at / folder;
        if (at == at.parent_path()) return std::nullopt;
    }
}

fs::path test_data() {
    const char* const given = std::getenv("PARALLAX_TEST_DATA");
    const fs::path source = repository("configs").value_or(fs::current_path() / "configs").parent_path();
    const fs::path path = given && *given ? fs::path(given) : source / "../shared/data";
    return fs::is_directory(path) ? fs::canonical(path) : fs::path();
}

}  // namespace parallax::tests
