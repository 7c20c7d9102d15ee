#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace lc {

/// One of the drop-in libraries, called as a program calls it: by the names of its functions.
class LoadedLibrary {
 public:
  explicit LoadedLibrary(const std::string& name)
      : handle_(dlopen((std::string(LC_RUNTIME_DIR "/") + name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }

  void* symbol(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr) throw std::runtime_error(dlerror());
    return found;
  }
  bool has(const char* name) const { return dlsym(handle_, name) != nullptr; }

  /// Arguments must have the types of the C function's.
  template <class... Arguments>
  int operator()(const char* name, Arguments... arguments) const {
    return reinterpret_cast<int (*)(Arguments...)>(symbol(name))(arguments...);
  }

 private:
  void* handle_;
};

/// out[i] = i + x for the threads of one CTA; `broken` writes where nothing is.
inline constexpr const char* kTwoKernels = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .const .align 4 .u32 offset = 1000;
.visible .global .align 4 .u32 seen;
.visible .entry sum(.param .u64 out, .param .u32 x) {
  .reg .b64 %rd<4>;
  .reg .b32 %r<6>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [x];
  mov.u32 %r2, %tid.x;
  ld.const.u32 %r3, [offset];
  add.u32 %r4, %r1, %r2;
  add.u32 %r4, %r4, %r3;
  mul.wide.u32 %rd2, %r2, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r4;
  st.global.u32 [seen], 77;
  ret;
}
.visible .entry broken() {
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 16;
  st.global.u32 [%rd1], 1;
  ret;
}
)";

}  // namespace lc
