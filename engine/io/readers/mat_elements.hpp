// The elements of which MATLAB's files of version 5 to 7.2 are made, read here and not by matio: that builds whatever a cell or a
// structure holds only to say its name, takes lengths on trust, and looks at no checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace parallax::io::readers::mat {

/// What a variable says of itself, before its elements.
struct Variable {
    std::string name{};         ///< empty: what MATLAB keeps for itself, and objects whose name is not read
    int kind = 0;               ///< MATLAB's number of its class, and matio's
    bool complex = false, logical = false;
    std::vector<std::size_t> dims{};
    std::size_t number = 0;     ///< in its file, from 0

    std::uint64_t elements() const;
};

/// The variables of a file of so many bytes, up to `most`; of those that are compressed only the beginning is unpacked. Throws
/// Problem where one goes beyond the file, or does not begin as one does.
std::vector<Variable> list_variables(const std::string& path, std::uint64_t bytes, std::size_t most);

/// Throws Problem where a variable of numbers has other bytes than its elements take, as far as that shows without unpacking them.
void check_variable(const std::string& path, const Variable& variable);

/// Its elements, of the type of its class, as the file has them: of complex numbers all real parts, then all imaginary ones. Throws
/// Problem as check_variable() does, and where compressed ones are damaged.
std::vector<char> elements_of(const std::string& path, const Variable& variable);

}   // namespace parallax::io::readers::mat
