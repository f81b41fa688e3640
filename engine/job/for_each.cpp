#include "job/for_each.hpp"

#include "job/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace parallax::engine {

namespace {

constexpr std::size_t most_variables = 64;   // each text of a job is looked through for each of them

/// Calls visit(before, inside) for every "{inside}" of a text, with the text since the one before; what is left comes back.
template <class Visit>
std::string_view for_each_placeholder(std::string_view text, const Visit& visit) {
    std::size_t done = 0;
    for (std::size_t open = text.find('{'); open != std::string_view::npos;) {
        const std::size_t end = text.find_first_of("{}", open + 1);
        if (end == std::string_view::npos) break;
        if (text[end] == '{') {   // braces that hold no name stay as they are
            open = end;
            continue;
        }
        visit(text.substr(done, open - done), std::string(text.substr(open + 1, end - open - 1)));
        done = end + 1;
        open = text.find('{', done);
    }
    return text.substr(done);
}

ForEachSource read_source(const std::string& variable, const JsonValue& value) {
    ForEachSource source;
    source.variable = check_name(variable, value.pointer());
    source.pointer = value.pointer();
    if (!value.json().is_object()) {
        source.patterns = value.paths();
        return source;
    }
    const JsonObject object(value, "", {"files", "pages", "volumes", "page_axis", "range", "stride"});
    for (const std::string& kind : for_each_kinds) {
        if (!object.contains(kind)) continue;
        if (!source.patterns.empty())
            throw ConfigError(object.pointer(kind), fmt::format("\"{}\" beside \"{}\"", kind, source.kind), "one of the two");
        source.kind = kind;
        source.patterns = object.at(kind).paths();
    }
    if (source.patterns.empty()) value.refuse(R"(a pattern, {"files": ...}, {"pages": ...} or {"volumes": ...})");
    if (object.contains("page_axis")) {
        if (source.kind != "pages")
            throw ConfigError(object.pointer("page_axis"), "\"page_axis\" without \"pages\"", "it beside \"pages\"");
        source.page_axis = object.word("page_axis", {"t", "z"})[0];
    }
    if (object.contains("range")) {
        const auto ends = object.at("range").list_of(2, "[first, end]: from 0, the end left out");
        const std::int64_t first = ends[0].count();
        source.range = {first, ends[1].count(first + 1)};
    }
    if (object.contains("stride")) source.stride = object.at("stride").count(1);
    return source;
}

}  // namespace

const ForEachSource* ForEach::find(const std::string& variable) const noexcept {
    const auto found =
        std::find_if(sources.begin(), sources.end(), [&](const ForEachSource& s) { return s.variable == variable; });
    return found == sources.end() ? nullptr : &*found;
}

const ForEachSource* ForEach::alone_in(const std::string& text) const noexcept {
    const auto found = std::find_if(sources.begin(), sources.end(), [&](const ForEachSource& s) {
        return text.size() == s.variable.size() + 2 && text.front() == '{' && text.back() == '}' &&
               text.compare(1, s.variable.size(), s.variable) == 0;
    });
    return found == sources.end() ? nullptr : &*found;
}

ForEach read_for_each(const JsonValue& value) {
    const char* const form = R"(an object such as {"frame": "run7/*.tif", "on_error": "continue"})";
    ForEach each;
    each.written = value.json();
    for (const auto& [key, content] : JsonObject(value, form).members()) {
        if (key == "on_error") each.continue_on_error = content.word({"stop", "continue"}) == "continue";
        else if (content.json() == "stop" || content.json() == "continue")
            throw ConfigError(content.pointer(), fmt::format("the unknown key \"{}\"", key),
                              "\"on_error\", or a variable with its files", did_you_mean(key, {"on_error"}));
        else each.sources.push_back(read_source(key, content));
    }
    if (each.sources.empty()) throw ConfigError(value.pointer(), "no variable", form);
    if (each.sources.size() > most_variables)
        throw ConfigError(value.pointer(), fmt::format("{} variables", each.sources.size()), fmt::format("up to {}", most_variables));
    return each;
}

std::string fill_placeholders(const std::string& text,
                              const std::function<std::string(const std::string&, const std::string&)>& value) {
    std::string result;
    const std::string_view rest = for_each_placeholder(text, [&](std::string_view before, const std::string& inside) {
        const std::size_t dot = inside.find('.');
        result += before;
        result += value(inside.substr(0, dot), dot == std::string::npos ? std::string() : inside.substr(dot + 1));
    });
    return result.append(rest);
}

namespace {

bool has_part(const ForEachSource& source, const std::string& part) {
    return (part != "page" || source.kind == "pages") && (part != "volume" || source.kind == "volumes");
}

bool is_known(const ForEach& for_each, const std::string& placeholder, bool output) {
    const std::size_t dot = std::min(placeholder.rfind('.'), placeholder.size());
    const std::string part = placeholder.substr(std::min(dot + 1, placeholder.size()));
    return std::any_of(for_each.sources.begin(), for_each.sources.end(), [&](const ForEachSource& source) {
        if (!output && source.variable == placeholder) return true;
        return placeholder.compare(0, dot, source.variable) == 0 && has_part(source, part) &&
               std::find(placeholder_parts.begin(), placeholder_parts.end(), part) != placeholder_parts.end();
    });
}

}  // namespace

bool check_placeholders(const std::string& text, const ForEach* for_each, const std::string& pointer, bool output) {
    bool any = false;
    for_each_placeholder(text, [&](std::string_view, const std::string& inside) {
        if (!for_each)
            throw ConfigError(pointer, fmt::format("the placeholder {{{}}}", inside), "a plain path, as the job has no for_each");
        any = true;
        if (is_known(*for_each, inside, output)) return;
        std::vector<std::string> known;
        for (const ForEachSource& source : for_each->sources) {
            if (!output) known.push_back(source.variable);
            for (const std::string& part : placeholder_parts)
                if (has_part(source, part)) known.push_back(source.variable + "." + part);
        }
        throw ConfigError(pointer, fmt::format("the placeholder {{{}}}", inside), "one of " + list(known), did_you_mean(inside, known));
    });
    return any;
}

/// A variable that nothing names is a slip more often than not; and without one in an input all items are the same.
void check_variables_used(const Job& job) {
    const auto names = [](const std::string& text, const ForEachSource& source) {
        return text.find("{" + source.variable + "}") != std::string::npos ||
               text.find("{" + source.variable + ".") != std::string::npos;
    };
    bool any_input = false;
    for (const ForEachSource& source : job.for_each->sources) {
        bool used = false;
        for (const InputSpec& input : job.inputs)
            for (const std::string& file : input.files) used = used || names(file, source);
        any_input = any_input || used;
        for (const OutputSpec& output : job.outputs) used = used || names(output.file, source);
        if (!used) {
            throw ConfigError(source.pointer, fmt::format("\"{}\", which nothing names", source.variable),
                              fmt::format("an input such as \"{{{}}}\"", source.variable), "leave it out, or use it");
        }
    }
    if (!any_input) {
        const ForEachSource& first = job.for_each->sources.front();
        throw ConfigError(first.pointer, fmt::format("\"{}\", which no input names: all items would be the same", first.variable),
                          fmt::format("an input such as \"{{{}}}\"", first.variable));
    }
}

namespace {

/// Which page or volume is read goes for all files of an input, and is the item's where a variable of such stands for one of them.
void check_part(const InputSpec& input, const ForEach& for_each) {
    for (const std::string& file : input.files) {
        const ForEachSource* const source = for_each.alone_in(file);
        if (!source || source->kind == "files") continue;
        const std::string part = source->kind == "pages" ? "page" : "volume";
        for (const std::string& other : input.files) {
            if (other == file) continue;
            throw ConfigError(input.pointer + "/files", fmt::format("\"{}\" beside \"{}\", a {} of a file", other, file, part),
                              fmt::format("\"{}\" alone", file),
                              fmt::format("which {} is read goes for all files of an input: give each an input of its own, and let a "
                                          "step combine them",
                                          part));
        }
        if (input.read.pages || input.read.volume) {
            const char* const key = !input.read.pages ? "volume" : input.read.keep_page_axis ? "pages" : "page";
            throw ConfigError(input.pointer + "/" + key, fmt::format("\"{}\" beside \"{}\", which is a {} already", key, file, part),
                              "one of the two",
                              fmt::format(R"(the same {} for all items is one of a file by its name: {{"file": "scan", "{}": 0}})", part, part));
        }
        if (input.read.page_axis != '\0' && source->page_axis != '\0' && input.read.page_axis != source->page_axis)
            throw ConfigError(input.pointer + "/page_axis",
                              fmt::format("\"{}\" where for_each says \"{}\"", input.read.page_axis, source->page_axis), "one of the two",
                              "leave it out here");
    }
}

}  // namespace

void check_series_keys(const Job& job) {
    for (const InputSpec& input : job.inputs) {
        if (job.for_each) check_part(input, *job.for_each);
        if (input.running == 0) continue;
        const bool whole = input.files.size() == 1 && job.for_each && job.for_each->alone_in(input.files[0]);
        if (!whole)
            throw ConfigError(input.pointer + "/running", "\"running\" for a fixed file",
                              R"("file": "{frame}", a variable of for_each)");
        if (input.combine.empty())
            throw ConfigError(input.pointer, "\"running\" without \"combine\"", list(combine_words),
                              "say how the neighbours become one array");
    }
    for (const OutputSpec& output : job.outputs) {
        if (!job.for_each) {
            if (!output.combine.empty())
                throw ConfigError(output.pointer + "/combine", "\"combine\" in a job without for_each", "a series to combine");
            if (output.times)
                throw ConfigError(output.pointer + "/times", "\"times\" in a job without for_each", "a series, or --report");
            continue;
        }
        const bool named = output.file.find('{') != std::string::npos;
        if (output.of_series() && named) {
            throw ConfigError(output.pointer, fmt::format("a placeholder in \"{}\"", output.file), "a plain path",
                              "it is one file for the whole series");
        }
        if (!output.of_series() && !named) {
            const std::string& variable = job.for_each->sources.front().variable;
            throw ConfigError(output.pointer, fmt::format("\"{}\", the same file for every item", output.file),
                              fmt::format("a name with a placeholder such as {{{0}.stem}} or {{{0}.index}}", variable),
                              R"(one file for the whole series is a "table", or has "combine")");
        }
    }
    if (job.for_each) check_variables_used(job);
}

}  // namespace parallax::engine
