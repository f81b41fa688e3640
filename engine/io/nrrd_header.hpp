// The lines of an NRRD header, or of the .nhdr beside its elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"
#include "io/text_header.hpp"

namespace parallax::io::nrrd {

inline constexpr const char* again = "the header is damaged: write the file again";

struct Header {
    Fields fields;
    std::vector<std::string> files;   ///< the lines below "data file: LIST"
    std::uint64_t bytes = 0;          ///< up to the elements
    bool attached = true;
};

Header read_lines(const Source&, File&);

/// By its name without blanks, in lower case; empty where there is none.
std::string_view field(const Header&, std::string_view name);
/// An error where there is none.
std::string_view needed(const Source&, const Header&, std::string_view name);

/// Texts in quotes, as units and labels are: "mm" "mm" "".
std::vector<std::string> quoted(std::string_view text);
/// Of a field that holds whole numbers. What is none is an error: readers that took a part of it would find other elements.
std::int64_t whole_number(const Source&, std::string_view name, std::string_view word);
/// One number for each axis; NaN: none. Empty where the field is not there.
std::vector<double> numbers(const Source&, const Header&, std::string_view name, std::size_t axes);
/// The words of a list of vectors, which may have blanks behind their commas.
std::vector<std::string> vectors_of(std::string_view text);
/// "(1,0,0)"; nothing for "none", or what is no vector of finite numbers.
std::optional<std::vector<double>> vector_from(std::string_view word);

}   // namespace parallax::io::nrrd
