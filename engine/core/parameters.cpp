#include "core/parameters.hpp"

#include "core/synonyms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

namespace parallax::engine {

namespace {

/// Optimal string alignment without case: Levenshtein's distance in which a swap of neighbours counts once.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::vector<std::size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    std::iota(previous.begin(), previous.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1])) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(previous);
        previous.swap(row);
    }
    return previous[b.size()];
}

bool admits_null(const Json& schema) {
    if (schema.value("type", "") == "null") return true;
    const auto choices = schema.find("anyOf");
    return choices != schema.end() && std::any_of(choices->begin(), choices->end(), admits_null);
}

/// A field whose default is null although no value of it may be: nobody can guess it, so an object has to have it.
bool is_required(const ParameterField& field, const Json& standard) {
    return standard.is_null() && std::none_of(field.schemas.begin(), field.schemas.end(), admits_null);
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
    std::string best;
    std::size_t least = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
    for (const std::string& candidate : candidates) {
        // So many letters apart they are at least; and it keeps words without end from being gone through.
        const std::size_t apart = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
        if (apart >= least || candidate.size() > 1000) continue;
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < least && distance < candidate.size()) {
            least = distance;
            best = candidate;
        }
    }
    return best.empty() ? synonym(word, candidates) : best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates) {
    const std::string near = nearest(word, candidates);
    return near.empty() ? std::string() : fmt::format("did you mean \"{}\"?", near);
}

std::string describe(const Json& value) {
    switch (value.type()) {
        case Json::value_t::null: return "null";
        case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
        case Json::value_t::object: return value.empty() ? "an empty object" : "an object";
        case Json::value_t::array: return value.empty() ? "an empty list" : fmt::format("a list of {}", value.size());
        case Json::value_t::string: {
            const std::string& text = value.get_ref<const std::string&>();
            return text.size() <= 60 ? fmt::format("the string \"{}\"", text) : fmt::format("the string \"{}...\"", text.substr(0, 57));
        }
        case Json::value_t::number_integer:
        case Json::value_t::number_unsigned: return "the number " + value.dump();
        case Json::value_t::number_float: return fmt::format("the number {}", value.get<double>());
        default: return "something that is not JSON";
    }
}

std::string pointer_to(const std::string& parent, const std::string& key) {
    std::string pointer = parent + '/';
    for (const char c : key) {
        if (c == '~') pointer += "~0";
        else if (c == '/') pointer += "~1";
        else pointer += c;
    }
    return pointer;
}

std::string pointer_to(const std::string& parent, std::size_t index) { return fmt::format("{}/{}", parent, index); }

bool is_comment(const std::string& key) noexcept { return key.compare(0, 2, "//") == 0; }

const ParameterField* ParameterTable::find(const std::string& key) const noexcept {
    for (const ParameterField& field : fields_) {
        if (std::find(field.keys.begin(), field.keys.end(), key) != field.keys.end()) return &field;
    }
    return nullptr;
}

void ParameterTable::refuse_key(const std::string& key, const std::string& pointer, const std::vector<std::string>& reserved) const {
    const std::string found = fmt::format("the unknown key \"{}\"", key);
    for (const ParameterField& field : fields_) {
        if (field.name == key) {   // a length without its unit
            throw ConfigError(pointer, found, fmt::format("one of {}", fmt::join(field.keys, " | ")),
                              fmt::format("a length carries its unit in its key, for instance \"{}\"", field.canonical_key));
        }
    }
    std::vector<std::string> known = reserved;
    std::vector<std::string> canonical;
    for (const ParameterField& field : fields_) {
        known.insert(known.end(), field.keys.begin(), field.keys.end());
        canonical.push_back(field.canonical_key);
    }
    std::string expected = canonical.empty() ? "no parameters" : fmt::format("one of {}", fmt::join(canonical, " | "));
    std::string hint = did_you_mean(key, known);
    if (hint.empty() && std::find(reserved.begin(), reserved.end(), "run") != reserved.end()) {   // of a step
        static const std::vector<std::string> of_the_job{"device", "memory_limit", "retry", "step_timeout_s", "non_finite", "for_each", "steps"};
        if (std::find(of_the_job.begin(), of_the_job.end(), key) != of_the_job.end()) hint = fmt::format("\"{}\" belongs to the job, beside \"steps\"", key);
    }
    for (const ParameterField& field : fields_) {   // "distance_inch" is nearer to the unit than to another word
        if (field.keys.size() > 1 && key.compare(0, field.name.size() + 1, field.name + '_') == 0) {
            hint = fmt::format("its units are {}", fmt::join(field.keys, ", "));
        }
    }
    throw ConfigError(pointer, found, std::move(expected), std::move(hint));
}

Parameters ParameterTable::parse(const Json& object, const std::string& pointer, const std::vector<std::string>& reserved) const {
    if (!object.is_object()) throw ConfigError(pointer, describe(object), "an object");
    const std::shared_ptr<void> values = make_();
    std::map<const ParameterField*, std::string> seen;
    for (const auto& [key, value] : object.items()) {
        if (is_comment(key) || std::find(reserved.begin(), reserved.end(), key) != reserved.end()) continue;
        const std::string here = pointer_to(pointer, key);
        const ParameterField* field = find(key);
        if (!field) refuse_key(key, here, reserved);
        const auto [first, fresh] = seen.emplace(field, key);
        if (!fresh) {
            throw ConfigError(here, fmt::format("\"{}\" beside \"{}\"", key, first->second), "one of the two",
                              fmt::format("both say the {}: remove one", field->name));
        }
        try {
            field->read(values.get(), value, key, here);
        } catch (const ConfigError& error) {
            const bool whole = error.pointer == here && error.hint.empty() && field->type.find("object of ") != std::string::npos;
            if (!whole) throw;
            std::string type = field->type;   // with the names of its members
            throw ConfigError(here, error.found, type.insert(type.find("object of "), "an "));
        }
    }
    for (const ParameterField& field : fields_) {
        if (seen.count(&field) || !is_required(field, field.write(values.get()))) continue;
        throw ConfigError(pointer_to(pointer, field.canonical_key), fmt::format("no {}", field.name), fmt::format("one of {}", fmt::join(field.keys, " | ")),
                          fmt::format("it has no default, for nobody can guess it: {}", field.doc));
    }
    return Parameters(this, values);
}

Parameters ParameterTable::defaults() const { return Parameters(this, make_()); }

Json ParameterTable::schema() const {
    Json properties = Json::object();
    Json exclusive = Json::object(), required = Json::array();
    const std::shared_ptr<void> values = make_();
    for (const ParameterField& field : fields_) {
        for (std::size_t i = 0; i < field.keys.size(); ++i) {
            Json schema = field.schemas[i];
            schema["description"] = field.doc;
            const Json standard = field.write(values.get());
            if (field.keys[i] == field.canonical_key && !is_required(field, standard)) schema["default"] = standard;
            properties[field.keys[i]] = std::move(schema);
            if (field.keys.size() > 1) {   // one unit forbids the others
                Json others = Json::object();
                for (const std::string& other : field.keys) {
                    if (other != field.keys[i]) others[other] = false;
                }
                exclusive[field.keys[i]]["properties"] = std::move(others);
            }
        }
        if (!is_required(field, field.write(values.get()))) continue;
        Json any = Json::array();
        for (const std::string& key : field.keys) any.push_back({{"required", {key}}});
        required.push_back({{"anyOf", std::move(any)}});
    }
    Json schema{{"type", "object"}, {"properties", std::move(properties)}};
    if (!exclusive.empty()) schema["dependentSchemas"] = std::move(exclusive);
    if (!required.empty()) schema["allOf"] = std::move(required);
    schema["patternProperties"]["^//"] = true;
    schema["additionalProperties"] = false;
    return schema;
}

Json Parameters::to_json() const {
    Json object = Json::object();
    if (!table_) return object;
    for (const ParameterField& field : table_->fields_) object[field.canonical_key] = field.write(object_.get());
    return object;
}

Json Parameters::to_json_for_plan() const {
    Json object = Json::object();
    if (!table_) return object;
    for (const ParameterField& field : table_->fields_) {
        if (!field.runtime) object[field.canonical_key] = field.write(object_.get());
    }
    return object;
}

}  // namespace parallax::engine
