#include "support/plain_numbers.hpp"

#if !defined(_WIN32)
#include <locale.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif

namespace parallax::host {

#if defined(_WIN32)
PlainNumbers::PlainNumbers() = default;
PlainNumbers::~PlainNumbers() = default;
#else
PlainNumbers::PlainNumbers() {
    static const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", nullptr);
    if (plain != nullptr) before_ = uselocale(plain);
}

PlainNumbers::~PlainNumbers() {
    if (before_ != nullptr) uselocale(static_cast<locale_t>(before_));
}
#endif

}  // namespace parallax::host
