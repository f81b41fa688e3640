#include "errors.hpp"

#include "text.hpp"

#include <parallax/parallax.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace parallax::python {
namespace {

/// The types of errors, which live as long as the process.
struct ErrorTypes {
    nb::object error, config, device, build, io, unsupported, cancelled;
};
ErrorTypes& error_types() {
    static ErrorTypes* const types = new ErrorTypes;
    return *types;
}

using Attributes = std::initializer_list<std::pair<const char*, nb::object>>;

void raise(const nb::object& type, const std::exception& error, const Attributes& attributes) {
    nb::object instance = type(text(error.what()));
    for (const auto& [name, value] : attributes) nb::setattr(instance, name, value);
    PyErr_SetObject(type.ptr(), instance.ptr());
}

}   // namespace

void add_exceptions(nb::module_& m) {
    const auto add = [&](const char* name, nb::handle base, const char* doc,
                         const std::vector<std::pair<const char*, nb::object>>& without) {
        nb::dict members;
        members["__doc__"] = doc;
        members["__module__"] =
            m.attr("__name__");   // as of everything here: what describes the module's types looks for its own
        for (const auto& [attribute, value] : without) members[attribute] = value;
        nb::object type = nb::handle(reinterpret_cast<PyObject*>(&PyType_Type))(name, nb::make_tuple(base), members);
        m.attr(name) = type;
        return type;
    };
    const nb::object none = nb::str(""), zero = nb::int_(0);
    ErrorTypes& types = error_types();
    types.error =
        add("Error", PyExc_RuntimeError, "What the library raises; str() of it is a complete message for a person.", {});
    types.config = add("ConfigError", types.error,
                       "The request was wrong: `found` stands at `pointer`, `expected` may stand there, `hint` says what to try.",
                       {{"pointer", none}, {"found", none}, {"expected", none}, {"hint", none}});
    types.device = add("DeviceError", types.error,
                       "`call` of the driver gave `code`, which is called `code_name`, at `step`; `hint` says what to try.",
                       {{"call", none}, {"code", zero}, {"code_name", none}, {"step", none}, {"hint", none}});
    types.build = add("BuildError", types.error, "A kernel did not compile: `file`, `line`, and the compiler's `log`.",
                      {{"file", none}, {"line", zero}, {"options", none}, {"log", none}});
    types.io = add("IoError", types.error, "A file, `path`, could not be read or written: `problem`, and `hint`, what to try.",
                   {{"path", none}, {"problem", none}, {"hint", none}});
    types.unsupported = add("UnsupportedError", types.error, "Nothing at hand can do it; `reasons` has one for each candidate.",
                            {{"reasons", nb::make_tuple()}});
    types.cancelled = add("CancelledError", types.error, "Ended by a CancelToken; nothing of the work is left.", {});
    nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
        const ErrorTypes& known = error_types();
        try {
            std::rethrow_exception(thrown);
        } catch (const ConfigError& e) {
            raise(
                known.config, e,
                {{"pointer", text(e.pointer)}, {"found", text(e.found)}, {"expected", text(e.expected)}, {"hint", text(e.hint)}});
        } catch (const DeviceError& e) {
            raise(known.device, e,
                  {{"call", text(e.call)},
                   {"code", nb::int_(e.code)},
                   {"code_name", text(e.code_name)},
                   {"step", text(e.step)},
                   {"hint", text(e.hint)}});
        } catch (const BuildError& e) {
            raise(known.build, e,
                  {{"file", text(e.file)}, {"line", nb::int_(e.line)}, {"options", text(e.options)}, {"log", text(e.log)}});
        } catch (const IoError& e) {
            raise(known.io, e, {{"path", text(e.path)}, {"problem", text(e.problem)}, {"hint", text(e.hint)}});
        } catch (const UnsupportedError& e) {
            nb::list reasons;
            for (const std::string& reason : e.reasons) reasons.append(text(reason));
            raise(known.unsupported, e, {{"reasons", nb::tuple(reasons)}});
        } catch (const CancelledError& e) {
            raise(known.cancelled, e, {});
        } catch (const Error& e) {
            raise(known.error, e, {});
        }
    });
}

}   // namespace parallax::python
