#include "verify/error.h"

#include <utility>

namespace lc::verify {

Error::Error(std::string at, std::string what, std::string try_this)
    : std::runtime_error(at + ": error: " + what +
                         (try_this.empty() ? "" : "\n  try: " + try_this)),
      where(std::move(at)),
      message(std::move(what)),
      hint(std::move(try_this)) {}

}  // namespace lc::verify
