#include "core/parameters.hpp"

#include "support/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace parallax::engine {

namespace {

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

const ParameterField* ParameterTable::find(const std::string& key) const noexcept {
    for (const ParameterField& field : fields_) {
        if (std::find(field.keys.begin(), field.keys.end(), key) != field.keys.end()) return &field;
    }
    return nullptr;
}

void ParameterTable::refuse_key(const std::string& key, const std::string& pointer,
                                const std::vector<std::string>& reserved) const {
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
        static const auto& of_the_job =
            *new std::vector<std::string>{"device", "memory_limit", "retry", "step_timeout_s", "non_finite", "for_each", "steps"};
        if (std::find(of_the_job.begin(), of_the_job.end(), key) != of_the_job.end())
            hint = fmt::format("\"{}\" belongs to the job, beside \"steps\"", key);
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
        throw ConfigError(pointer_to(pointer, field.canonical_key), fmt::format("no {}", field.name),
                          fmt::format("one of {}", fmt::join(field.keys, " | ")),
                          fmt::format("it has no default, for nobody can guess it: {}", field.doc));
    }
    std::map<std::string, std::string> written;
    for (const auto& [field, key] : seen)
        if (key != field->canonical_key) written.emplace(field->canonical_key, key);
    return Parameters(this, values, std::move(written));
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

Parameters::Parameters(const ParameterTable* table, std::shared_ptr<const void> object,
                       std::map<std::string, std::string> written)
    : table_(table), object_(std::move(object)) {
    if (!written.empty()) written_ = std::make_shared<const std::map<std::string, std::string>>(std::move(written));
}

Parameters Parameters::with_keys_of(const Parameters& there) const {
    Parameters same = *this;
    same.written_ = there.written_;
    return same;
}

std::string Parameters::in_written_keys(std::string text) const {
    if (!written_) return text;
    for (const auto& [key, instead] : *written_) {
        for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
            const std::size_t end = at + key.size();
            const bool whole = (at == 0 || !host::is_word(text[at - 1])) && (end == text.size() || !host::is_word(text[end]));
            if (whole) text.replace(at, key.size(), instead);
            at += whole ? instead.size() : key.size();
        }
    }
    return text;
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
