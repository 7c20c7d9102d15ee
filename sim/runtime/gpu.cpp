#include "sim/runtime/gpu.h"

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "sim/ptx/error.h"

namespace lc::runtime {
namespace {

const char* environment(const char* name) {
  return std::getenv(name);
}

/// Handles that stand for the default stream: cudaStreamLegacy, cudaStreamPerThread.
bool is_default(void* handle) {
  return reinterpret_cast<std::uintptr_t>(handle) <= 2;
}

template <class T, class Map>
T& held(const Map& map, void* handle) {
  const auto at = map.find(handle);
  if (at == map.end()) throw CudaError(kInvalidHandle);
  return *at->second;
}

template <class Map>
void drop(Map& map, void* handle) {
  if (map.erase(handle) == 0) throw CudaError(kInvalidHandle);
}

void say(const char* function, const std::string& message) {
  if (!message.empty()) std::fprintf(stderr, "layout-check: %s: %s\n", function, message.c_str());
}

}  // namespace

Gpu& gpu() {
  static Gpu* const instance = [] {
    std::string problem;
    Options options = read_options(environment, problem);
    if (!problem.empty()) std::fprintf(stderr, "layout-check: %s", problem.c_str());
    return new Gpu(std::move(options));
  }();
  return *instance;
}

int guarded(const char* function, bool even_after_fault, const std::function<void(Gpu&)>& body) {
  Gpu& device = gpu();
  const std::lock_guard lock(device.mutex());
  if (device.sticky() != 0 && !even_after_fault) return device.sticky();
  try {
    body(device);
    return kSuccess;
  } catch (const CudaError& e) {
    say(function, e.what());
    return e.code;
  } catch (const ptx::ParseError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return kInvalidPtx;
  } catch (const machine::Fault& e) {
    say(function, std::string(e.what()) + " (" + e.rule + ")");
    return error_code_of(e.kind, e.rule);
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  } catch (const std::exception& e) {
    say(function, e.what());
    return kUnknown;
  }
}

const DeviceModel& Gpu::device() {
  if (device_ != nullptr) return *device_;
  device_ = options_.device == Options::Device::h200 ? &h200() : &b200();
  if (options_.device != Options::Device::automatic) return *device_;
  // A program for Hopper alone gets a Hopper device.
  for (const auto& library : libraries_) {
    if (image_suits(library->image(), b200().target)) return *device_;
    if (image_suits(library->image(), h200().target)) device_ = &h200();
  }
  return *device_;
}

std::uint64_t Gpu::memory_bytes() {
  return options_.memory_limit.value_or(device().memory_bytes);
}

Memory& Gpu::memory() {
  if (!memory_) memory_ = std::make_unique<Memory>(memory_bytes(), options_.fresh_global);
  return *memory_;
}

Library& Gpu::add_library(const void* image, const std::string& name) {
  const std::string own = "module_" + std::to_string(next_library_++);
  libraries_.push_back(std::make_unique<Library>(image, name.empty() ? own : name));
  return *libraries_.back();
}

void Gpu::remove_library(Library* library) {
  for (const std::uint64_t address : library->mapped) memory().unmap(address);
  libraries_.remove_if([&](const auto& held) { return held.get() == library; });
}

bool Gpu::knows(const Library* library) const {
  for (const auto& held : libraries_) {
    if (held.get() == library) return true;
  }
  return false;
}

bool Gpu::knows(const Kernel* kernel) const {
  for (const auto& held : libraries_) {
    if (held->holds(kernel)) return true;
  }
  return false;
}

isa::LoadedModule& Gpu::loaded(Library& library) {
  if (library.is_loaded()) return library.module();
  library.load(device(), memory().global(), options_.ptx_directory);
  for (const Library::Shadow& shadow : library.managed) {
    const auto symbol = library.module().variable(shadow.name);
    if (!symbol) continue;
    *shadow.managed = memory().map_variable(symbol->address);
    library.mapped.push_back(reinterpret_cast<std::uintptr_t>(*shadow.managed));
  }
  return library.module();
}

Kernel& Gpu::kernel(Library& library, const std::string& name, int code) {
  loaded(library);
  Kernel* found = library.kernel(name);
  if (found == nullptr) {
    throw CudaError(code, "there is no kernel `" + name + "` in " + library.module().module().file);
  }
  return *found;
}

Stream& Gpu::stream(void* handle) {
  return is_default(handle) ? default_stream_ : held<Stream>(streams_, handle);
}

Stream* Gpu::create_stream(unsigned flags, int priority) {
  auto made = std::make_unique<Stream>();
  made->id = next_stream_id_++;
  made->flags = flags;
  made->priority = priority;
  Stream* const handle = made.get();
  streams_[handle] = std::move(made);
  return handle;
}

void Gpu::destroy_stream(void* handle) {
  drop(streams_, handle);
}

void Gpu::end_capture(const std::shared_ptr<Graph>& graph) {
  for (const auto& [handle, stream] : streams_) {
    if (stream->capture != graph) continue;
    stream->capture.reset();
    stream->captures_first = false;
  }
  for (const auto& [handle, event] : events_) {
    if (event->captured == graph) event->captured.reset();
  }
}

Event& Gpu::event(void* handle) {
  return held<Event>(events_, handle);
}

Event* Gpu::create_event(unsigned flags) {
  auto made = std::make_unique<Event>();
  made->flags = flags;
  Event* const handle = made.get();
  events_[handle] = std::move(made);
  return handle;
}

void Gpu::destroy_event(void* handle) {
  drop(events_, handle);
}

Graph& Gpu::graph(void* handle) {
  return held<Graph>(graphs_, handle);
}

Graph* Gpu::own(std::shared_ptr<Graph> graph) {
  Graph* const handle = graph.get();
  graphs_[handle] = std::move(graph);
  return handle;
}

void Gpu::destroy_graph(void* handle) {
  drop(graphs_, handle);
}

GraphExec& Gpu::graph_exec(void* handle) {
  return held<GraphExec>(graph_execs_, handle);
}

GraphExec* Gpu::instantiate(const Graph& graph) {
  auto made = std::make_unique<GraphExec>(GraphExec{graph});
  GraphExec* const handle = made.get();
  graph_execs_[handle] = std::move(made);
  return handle;
}

void Gpu::destroy_graph_exec(void* handle) {
  drop(graph_execs_, handle);
}

void Gpu::reset() {
  sticky_ = 0;
  if (!memory_) return;
  for (const auto& library : libraries_) {
    library->unload();
    library->mapped.clear();
  }
  memory_->free_all();
}

}  // namespace lc::runtime
