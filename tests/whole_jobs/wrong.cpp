#include "wrong.hpp"

#include "files.hpp"
#include "support/sanitizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>

namespace parallax::tests::whole_jobs {

namespace fs = std::filesystem;

namespace {

using sizes::Random;

/// Pointers to every value below one, itself included.
void collect(const Json& value, const Json::json_pointer& at, std::vector<Json::json_pointer>& all) {
    all.push_back(at);
    if (value.is_object())
        for (const auto& [key, below] : value.items()) collect(below, at / key, all);
    if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i) collect(value[i], at / i, all);
}

template <class Fits>
std::vector<Json::json_pointer> places(const Json& job, const Fits& fits) {
    std::vector<Json::json_pointer> all, fitting;
    collect(job, Json::json_pointer(), all);
    for (const Json::json_pointer& place : all)
        if (!place.empty() && fits(place, job.at(place))) fitting.push_back(place);
    return fitting;
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

/// Keys of labels are numbers that people choose.
bool is_free_key(const Json::json_pointer& place) { return place.parent_pointer().to_string().ends_with("/labels"); }

void rename(Json& job, const Json::json_pointer& place, const std::string& to) {
    Json& parent = job.at(place.parent_pointer());
    Json value = parent.at(place.back());
    parent.erase(place.back());
    parent[to] = std::move(value);
}

Mutation misspell(Random& random, Json& job) {
    const auto keys = places(job, [&](const auto& place, const Json&) {
        return job.at(place.parent_pointer()).is_object() && !is_free_key(place);
    });
    const Json::json_pointer place = random.one_of(keys);
    std::string key = place.back();
    if (random.chance(0.7)) {
        key.insert(static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(key.size()))), "q");
        rename(job, place, key);
        return {fmt::format("{} is called {}", place.to_string(), key), true};
    }
    key.erase(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(key.size()))), 1);
    rename(job, place, key);
    return {fmt::format("{} is called {}", place.to_string(), key), false};
}

Mutation leave_out(Random& random, Json& job) {
    const Json::json_pointer place = random.one_of(places(job, [](const auto&, const Json&) { return true; }));
    Json& parent = job.at(place.parent_pointer());
    if (parent.is_object()) parent.erase(place.back());
    else parent.erase(static_cast<std::size_t>(std::stoul(place.back())));
    return {fmt::format("{} is left out", place.to_string()), false};
}

/// A number that became words is wrong everywhere.
Mutation change_type(Random& random, Json& job) {
    const auto numbers = places(job, [](const auto&, const Json& value) { return value.is_number(); });
    if (random.chance(0.5) && !numbers.empty()) {
        const Json::json_pointer place = random.one_of(numbers);
        job.at(place) = "nonsense";
        return {fmt::format("{} is a word", place.to_string()), true};
    }
    static const std::array<Json, 9> others{nullptr, true, -1, 0.5, "", "nonsense", Json::array(), Json::object(),
                                            Json::array({1, "two", nullptr})};
    const Json::json_pointer place = random.one_of(places(job, [](const auto&, const Json&) { return true; }));
    const Json other = random.one_of(others);
    job.at(place) = other;
    return {fmt::format("{} is {}", place.to_string(), other.dump()), false};
}

Mutation change_number(Random& random, Json& job) {
    static const std::array<Json, 12> others{-1, 0, 1, 3, 65537, 4294967296, -9223372036854775807, 1e-300, 1e300, -0.5, 1e9, 0.1};
    const auto numbers = places(job, [](const auto&, const Json& value) { return value.is_number(); });
    if (numbers.empty()) return leave_out(random, job);
    const Json::json_pointer place = random.one_of(numbers);
    const Json other = random.one_of(others);
    job.at(place) = other;
    return {fmt::format("{} is {}", place.to_string(), other.dump()), false};
}

/// Two texts of the job change places: names of arrays, algorithms, words of choices.
Mutation swap_words(Random& random, Json& job) {
    const auto texts = places(job, [](const auto&, const Json& value) { return value.is_string(); });
    const Json::json_pointer one = random.one_of(texts), other = random.one_of(texts);
    std::swap(job.at(one), job.at(other));
    return {fmt::format("{} and {} have changed places", one.to_string(), other.to_string()), false};
}

/// Files whose length is their contents'.
bool is_plain(const std::string& file) {
    for (const char* const ending : {".npy", ".raw", ".nrrd", ".mha", ".pgm", ".nii"})
        if (file.ends_with(ending)) return true;
    return false;
}

Mutation cut_file(Random& random, const fs::path& file) {
    const std::string bytes = text_of(file);
    const auto length = random.chance(0.2) ? 0 : random.below(static_cast<std::int64_t>(bytes.size()));
    put(file, bytes.substr(0, static_cast<std::size_t>(length)));
    return {fmt::format("{} ends after {} of {} bytes", file.filename().string(), length, bytes.size()),
            is_plain(file.filename().string())};
}

Mutation change_bytes(Random& random, const fs::path& file) {
    std::string bytes = text_of(file);
    std::string where;
    for (std::int64_t i = random.between(1, 4); i > 0; --i) {
        const auto most = static_cast<std::int64_t>(std::min<std::size_t>(400, bytes.size()));
        const auto at = static_cast<std::size_t>(random.below(most));
        bytes[at] = static_cast<char>(random.below(256));
        where += fmt::format(" {}", at);
    }
    put(file, bytes);
    return {fmt::format("{} has other bytes at{}", file.filename().string(), where), false};
}

Mutation spoil_file(Random& random, WholeJob& whole, const fs::path& folder) {
    std::vector<std::string> used;
    const std::string job = whole.job.dump();
    for (const auto& [name, array] : whole.files)
        if (job.find('"' + name + '"') != std::string::npos || whole.is_series()) used.push_back(name);
    if (used.empty()) return change_type(random, whole.job);
    const std::string name = random.one_of(used);
    const fs::path file = folder / name;
    switch (random.below(5)) {
        case 0:
            fs::remove_all(file);
            return {fmt::format("{} is not there", name), !whole.is_series()};
        case 1:
            fs::remove_all(file);
            fs::create_directory(file);
            return {fmt::format("{} is an empty folder", name), !whole.is_series()};   // patterns mean files
        case 2: {
            HostArray other = whole.files.at(name);
            const auto last = std::find_if(other.desc.axes.rbegin(), other.desc.axes.rend(),
                                           [](const Axis& axis) { return axis.name != 'c'; });   // pixels keep their channels
            last->size += random.between(1, 3);
            other.desc = other.desc.to_dense();
            fs::remove_all(file);
            write_input(file, like(other, 1));
            return {fmt::format("{} has another shape", name), false};
        }
        default:
            if (fs::is_directory(file)) {   // a store: one of the files in it
                std::vector<fs::path> parts;
                for (const auto& entry : fs::recursive_directory_iterator(file))
                    if (entry.is_regular_file() && entry.file_size() > 0) parts.push_back(entry.path());
                std::sort(parts.begin(), parts.end());
                const fs::path part = random.one_of(parts);
                Mutation mutation = random.chance(0.5) ? cut_file(random, part) : change_bytes(random, part);
                return {name + ": " + mutation.what, false};
            }
            return random.chance(0.5) ? cut_file(random, file) : change_bytes(random, file);
    }
}

std::string quoted(const fs::path& path) {
    std::string text = "'";
    for (const char c : path.string()) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

}  // namespace

Mutation spoil(Random& random, WholeJob& whole, const fs::path& folder) {
    switch (random.below(7)) {
        case 0:
            return misspell(random, whole.job);
        case 1:
            return leave_out(random, whole.job);
        case 2:
            return change_type(random, whole.job);
        case 3:
            return change_number(random, whole.job);
        case 4:
            return swap_words(random, whole.job);
        default:
            return spoil_file(random, whole, folder);
    }
}

std::vector<std::string> listing(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (!entry.is_directory()) names.push_back(entry.path().lexically_relative(folder).generic_string());
    std::sort(names.begin(), names.end());
    return names;
}

ProgramRun run_program(const fs::path& program, const WholeJob& whole, const fs::path& folder, int patience) {
#if PARALLAX_ADDRESS_SANITIZER   // it takes terabytes of addresses
    const char* const limits = "time=30s,output=1GiB";
#else
    const char* const limits = "memory=3GiB,time=30s,output=1GiB";
#endif
    const fs::path out = folder.string() + ".stdout", err = folder.string() + ".stderr";
    const std::string command = fmt::format(
        "cd {} && timeout -k 5 {} {} run job.json --device native --no-sync --out out --limit {}{} "
        "> {} 2> {} < /dev/null",
        quoted(folder), patience, quoted(program), limits, whole.confined ? " --confined" : "", quoted(out), quoted(err));
    const auto start = std::chrono::steady_clock::now();
    const int status = std::system(command.c_str());
    ProgramRun run{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(out), text_of(err),
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    fs::remove(out);
    fs::remove(err);
    return run;
}

std::vector<std::string> judge_wrong(const ProgramRun& run, const Mutation& mutation, const WholeJob& whole,
                                     const fs::path& folder, const std::vector<std::string>& before) {
    std::vector<std::string> failures;
    const std::vector<std::string> after = listing(folder);
    if (run.status == 124 || run.status == 137) failures.emplace_back("it had not ended");
    else if (run.status < 0 || run.status > 2) failures.push_back(fmt::format("it ended by status {}", run.status));
    if (run.status == 0) {
        if (mutation.certain) failures.emplace_back("it was done");
        if (after.size() <= before.size()) failures.emplace_back("it was done and wrote nothing");
        return failures;
    }
    // Items of a series that were done before another failed stay, and so does the record of them.
    // So it is where the limit on time has stopped it.
    const auto says = [&](const char* words) { return run.err.find(words) != std::string::npos; };
    const bool stopped = whole.is_series() && run.status == 1 && (says("items failed") || says("stopped by --limit"));
    if (!stopped && run.err.find("error: ") == std::string::npos) failures.emplace_back("no error was told");
    for (const char* const words :
         {"json.exception", "std::", "bad_alloc", "basic_string", "vector::", "stoul", "fault of the engine"})
        if (run.err.find(words) != std::string::npos) failures.push_back(fmt::format("the error speaks of \"{}\"", words));
    std::string left;
    for (const std::string& name : after)
        if (std::find(before.begin(), before.end(), name) == before.end() && !name.ends_with(".series/lock")) left += " " + name;
    if (!left.empty() && !stopped) failures.push_back("left behind:" + left);
    return failures;
}

}  // namespace parallax::tests::whole_jobs
