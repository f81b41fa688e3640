#include "calls.hpp"

#include <nanobind/stl/string.h>

namespace parallax::python {
namespace {

Input input_of(nb::handle object) {
    if (nb::isinstance<PyArray>(object)) return static_cast<const Array&>(nb::cast<const PyArray&>(object));
    const PyView& view = nb::cast<const PyView&>(object);
    return View(view.desc, view.memory.data());
}

}   // namespace

Inputs inputs_of(const nb::dict& inputs) {
    Inputs result;
    for (const auto& [name, input] : inputs) result.insert_or_assign(nb::cast<std::string>(name), input_of(input));
    return result;
}

Call call_of(const std::string& algorithm, const std::string& parameters, const nb::dict& inputs,
             const std::vector<std::string>& outputs, const nb::dict& into, const std::string& variant, const std::string& policy,
             const nb::list& wait, const CancelToken& cancel) {
    CallOptions options{.outputs = outputs, .variant = variant, .policy = policy, .cancel = cancel};
    for (const auto& [name, array] : into)
        options.into.insert_or_assign(nb::cast<std::string>(name), nb::cast<const PyArray&>(array));
    for (const nb::handle event : wait) {
        if (!nb::isinstance<PyEvent>(event))
            throw ConfigError("wait", "an object of type " + nb::cast<std::string>(nb::str(event.type().attr("__name__"))),
                              "events", "the `done` of a call that was submitted is one");
        options.wait.push_back(nb::cast<const PyEvent&>(event));
    }
    return {algorithm, parameters, inputs_of(inputs), std::move(options)};
}

nb::dict dict_of(const std::map<std::string, Array>& arrays) {
    nb::dict result;
    for (const auto& [name, array] : arrays) result[name.c_str()] = PyArray(Array(array));
    return result;
}


}   // namespace parallax::python
