#include "support/json_outline.hpp"

#include <set>
#include <utility>
#include <vector>

namespace parallax {

namespace {

/// Goes along with the parser, which stops where one of these says no.
class Walk final : public nlohmann::json_sax<Json> {
public:
    explicit Walk(const JsonBounds& bounds) : bounds_(bounds) {}
    std::optional<JsonFault> fault() const { return fault_; }

    bool null() override { return counts(); }
    bool boolean(bool) override { return counts(); }
    bool number_integer(number_integer_t) override { return counts(); }
    bool number_unsigned(number_unsigned_t) override { return counts(); }
    bool number_float(number_float_t, const string_t&) override { return counts(); }
    bool string(string_t&) override { return counts(); }
    bool binary(binary_t&) override { return counts(); }
    bool start_object(std::size_t) override { return opens(); }
    bool start_array(std::size_t) override { return opens(); }
    bool end_object() override { return closes(); }
    bool end_array() override { return closes(); }
    bool key(string_t& name) override {
        Open& object = open_.back();
        if (++object.members > bounds_.members) return is(JsonExcess::members);
        return !bounds_.keys_once || object.keys.insert(name).second || is(JsonExcess::key_twice, name);
    }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

private:
    struct Open {
        std::size_t members = 0;
        std::set<std::string> keys{};
    };

    bool is(JsonExcess excess, std::string key = {}) {
        fault_ = JsonFault{excess, std::move(key)};
        return false;
    }
    bool counts() { return ++values_ <= bounds_.values || is(JsonExcess::values); }
    bool opens() {
        if (open_.size() == bounds_.levels) return is(JsonExcess::levels);
        open_.emplace_back();
        return counts();
    }
    bool closes() {
        open_.pop_back();
        return true;
    }

    const JsonBounds bounds_;
    std::size_t values_ = 0;
    std::vector<Open> open_;
    std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> fault_of(std::string_view text, const JsonBounds& bounds) {
    Walk walk(bounds);
    Json::sax_parse(text, &walk);
    return walk.fault();
}

std::optional<Json> parse_shallow(std::string_view text) {
    if (fault_of(text, {})) return std::nullopt;
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    return json;
}

}  // namespace parallax
