#include "verify/run/kernel_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/ptx/elf.h"
#include "sim/ptx/error.h"
#include "sim/ptx/fatbin.h"
#include "sim/ptx/parser.h"
#include "verify/dump/mapped_file.h"
#include "verify/error.h"
#include "verify/suggest.h"

namespace lc::verify {
namespace {

constexpr Device kDevices[] = {{"b200", "B200", Arch::sm_100, 148},
                               {"h200", "H200", Arch::sm_90, 132}};

const Device& device_of(std::string_view target) {
  return ptx::suitability(target, "sm_90") != 0 ? kDevices[1] : kDevices[0];
}

bool has_entry(const ptx::Module& module, const std::string& entry) {
  return std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& f) {
    return f.entry && f.has_body && (entry.empty() || f.name == entry);
  });
}

/// One image of each container; the devices in the order they are tried.
std::vector<std::pair<ptx::PtxImage, const Device*>> images_of(
    const std::string& path, ptx::Bytes bytes, const std::vector<const Device*>& devices) {
  std::vector<std::pair<ptx::PtxImage, const Device*>> images;
  std::size_t elf_only = 0;
  for (const ptx::FatbinContainer& container : ptx::read_containers(bytes, path)) {
    bool found = false;
    for (const Device* device : devices) {
      if (found) break;
      if (auto image = ptx::choose_ptx(container, name_of(device->arch), path)) {
        images.emplace_back(std::move(*image), device);
        found = true;
      }
    }
    if (!found) ++elf_only;
  }
  if (images.empty()) {
    throw Error(path,
                elf_only == 0 ? "holds no device code" : "holds no PTX that the device could run",
                "build with -gencode arch=compute_100a,code=compute_100a (or 90a), which keeps "
                "the PTX");
  }
  return images;
}

KernelFile from_images(const std::string& path, ptx::Bytes bytes, const std::string& entry,
                       const std::vector<const Device*>& devices) {
  std::vector<std::string> names;
  std::optional<KernelFile> found;
  for (auto& [image, device] : images_of(path, bytes, devices)) {
    const std::string name = path + "." + image.target + ".ptx";
    auto module = std::make_shared<const ptx::Module>(ptx::parse(std::move(image.text), name));
    for (const ptx::Function& f : module->functions) {
      if (f.entry && f.has_body) names.emplace_back(f.name);
    }
    if (!found && has_entry(*module, entry)) found = KernelFile{module, device};
  }
  if (!found) {
    throw Error(path, fmt::format("has no kernel `{:.80}`", entry),
                names.empty() ? "a file with kernels" : one_of(entry, names));
  }
  return *found;
}

}  // namespace

const Device& device_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Device& device : kDevices) {
    if (name == device.name) return device;
    names.emplace_back(device.name);
  }
  throw Error("device", fmt::format("unknown name \"{:.60}\"", name), one_of(name, names));
}

KernelFile read_kernel(const std::string& path, const std::string& entry,
                       const std::optional<std::string>& device) {
  const MappedFile file(path);
  const ptx::Bytes bytes = file.bytes();
  std::vector<const Device*> devices{&kDevices[0], &kDevices[1]};
  if (device) devices = {&device_named(*device)};
  if (ptx::looks_like_elf(bytes) || ptx::looks_like_fatbin(bytes)) {
    return from_images(path, bytes, entry, devices);
  }
  auto module = std::make_shared<const ptx::Module>(
      ptx::parse(std::string(bytes.begin(), bytes.end()), path));
  const std::string_view target = module->targets.empty() ? "" : module->targets.front();
  const Device& own = device_of(target);
  if (device && ptx::suitability(target, name_of(devices[0]->arch)) == 0) {
    throw Error("device", fmt::format("PTX for {} does not run on a {}", target, devices[0]->title),
                fmt::format("--device {}", own.name));
  }
  return {std::move(module), device ? devices[0] : &own};
}

}  // namespace lc::verify
