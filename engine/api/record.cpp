#include "parallax/record.hpp"

#include "api/local.hpp"
#include "job/load.hpp"
#include "support/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace parallax {

struct PARALLAX_LOCAL Record::Impl {
    std::shared_ptr<const Json> whole;   ///< which `value` is a part of
    JsonValue value;

    std::optional<JsonValue> find(const std::string& path) const {
        JsonValue here = value;
        std::string_view rest = path;
        while (!rest.empty()) {
            const std::string part(rest.substr(0, rest.find('/')));
            rest.remove_prefix(std::min(rest.size(), part.size() + 1));
            const Json& json = here.json();
            if (json.is_object() && json.contains(part)) {
                here = {json[part], pointer_to(here.pointer(), part)};
            } else if (json.is_array() && !part.empty() && part.size() < 10 &&
                       part.find_first_not_of("0123456789") == std::string::npos && std::stoul(part) < json.size()) {
                here = {json[std::stoul(part)], pointer_to(here.pointer(), part)};
            } else {
                return std::nullopt;
            }
        }
        return here;
    }

    JsonValue get(const std::string& path) const {
        if (auto there = find(path)) return *there;
        std::vector<std::string> known;
        if (value.json().is_object())
            for (const auto& [key, ignored] : value.json().items()) known.push_back(key);
        throw ConfigError(value.pointer(), fmt::format("no \"{}\" in {}", path, describe(value.json())),
                          known.empty() ? "a path that there is" : "one of " + list(known),
                          did_you_mean(path.substr(0, path.find('/')), known));
    }
};

Record::Record(const std::string& json) {
    auto whole = std::make_shared<const Json>(engine::parse_json(json, "record"));
    const JsonValue value(*whole, "");
    impl_ = std::make_shared<const Impl>(Impl{std::move(whole), value});
}

bool Record::has(const std::string& path) const { return impl_->find(path).has_value(); }

double Record::number(const std::string& path) const {
    const JsonValue value = impl_->get(path);
    if (!value.json().is_number()) value.refuse("a number");
    return value.json().get<double>();
}

std::vector<double> Record::numbers(const std::string& path) const {
    std::vector<double> all;
    for (const JsonValue& value : impl_->get(path).list("a list of numbers")) {
        if (!value.json().is_number()) value.refuse("a number");
        all.push_back(value.json().get<double>());
    }
    return all;
}

std::string Record::text(const std::string& path) const {
    const JsonValue value = impl_->get(path);
    if (!value.json().is_string()) value.refuse("a text");
    return value.json().get<std::string>();
}

bool Record::flag(const std::string& path) const { return impl_->get(path).flag(); }

Record Record::at(const std::string& path) const {
    return Record(std::make_shared<const Impl>(Impl{impl_->whole, impl_->get(path)}));
}

std::size_t Record::size(const std::string& path) const { return impl_->get(path).json().size(); }

std::string Record::json() const { return impl_->value.json().dump(); }

}  // namespace parallax
