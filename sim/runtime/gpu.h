#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sim/machine/launch.h"
#include "sim/runtime/device.h"
#include "sim/runtime/error.h"
#include "sim/runtime/launch_watch.h"
#include "sim/runtime/library.h"
#include "sim/runtime/memory.h"
#include "sim/runtime/options.h"
#include "sim/runtime/stream.h"

namespace lc::runtime {

/// What a kernel is launched with, as both libraries put it.
struct LaunchRequest {
  Kernel* kernel = nullptr;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  bool explicit_cluster = false;
  bool cooperative = false;
  std::size_t dynamic_shared_bytes = 0;
  Stream* stream = nullptr;
};

/// Applies the attributes that change what runs: clusters, cooperation.  Programmatic dependencies
/// hold by themselves, since one launch ends before the next begins.
void apply(std::span<const abi::LaunchAttribute> attributes, LaunchRequest& request);

/// The one device of a process.
class Gpu {
 public:
  explicit Gpu(Options options) : options_(std::move(options)) {}

  std::recursive_mutex& mutex() { return mutex_; }
  const Options& options() const { return options_; }
  /// Chosen at the first look, when automatic.
  const DeviceModel& device();
  Memory& memory();
  std::uint64_t memory_bytes();

  // Code.
  Library& add_library(const void* image, const std::string& name = {});
  void remove_library(Library* library);
  bool knows(const Library* library) const;
  bool knows(const Kernel* kernel) const;
  /// Parses it and gives managed variables their host addresses.
  isa::LoadedModule& loaded(Library& library);
  /// The kernel by its name; throws CudaError(`code`).
  Kernel& kernel(Library& library, const std::string& name, int code);
  /// Dynamic shared memory that a launch may ask for now.
  int max_dynamic_shared(Kernel& kernel);
  std::list<std::unique_ptr<Library>>& libraries() { return libraries_; }

  // Streams; nullptr and the legacy and per-thread handles are the default stream.
  Stream& stream(void* handle);
  Stream* create_stream(unsigned flags, int priority);
  void destroy_stream(void* handle);
  Event& event(void* handle);
  Event* create_event(unsigned flags);
  void destroy_event(void* handle);
  /// No stream records into the graph any more.
  void end_capture(const std::shared_ptr<Graph>& graph);
  Graph& graph(void* handle);
  Graph* own(std::shared_ptr<Graph> graph);
  void destroy_graph(void* handle);
  GraphExec& graph_exec(void* handle);
  GraphExec* instantiate(const Graph& graph);
  void destroy_graph_exec(void* handle);

  // Launches.
  /// Reads the arguments, then runs or records the launch.  Throws CudaError.
  void launch(const LaunchRequest& request, void* const* arguments);
  /// The same for arguments that lie in a buffer as in the .param space.
  void launch_packed(const LaunchRequest& request, std::span<const std::byte> arguments);

  /// The error that a fault left behind; every call fails with it until the device is reset.
  int sticky() const { return sticky_; }
  void reset();

  /// Limits of cudaDeviceSetLimit: remembered, and enforced by nothing here.
  std::map<int, std::size_t> limits;

 private:
  machine::Launch prepared(const LaunchRequest& request);
  void prepare_cooperation(const LaunchRequest& request, machine::Launch& launch);
  void check(const LaunchRequest& request, const machine::Program& program);
  void submit(const LaunchRequest& request, machine::Launch launch);
  void run(Kernel& kernel, const machine::Launch& launch);

  std::recursive_mutex mutex_;
  Options options_;
  const DeviceModel* device_ = nullptr;
  std::unique_ptr<Memory> memory_;
  std::list<std::unique_ptr<Library>> libraries_;
  Stream default_stream_;
  std::map<void*, std::unique_ptr<Stream>> streams_;
  std::map<void*, std::unique_ptr<Event>> events_;
  std::map<void*, std::shared_ptr<Graph>> graphs_;
  std::map<void*, std::unique_ptr<GraphExec>> graph_execs_;
  std::uint64_t next_stream_id_ = 2, next_grid_id_ = 1;
  void* workspace_ = nullptr;  ///< of cooperative launches
  unsigned next_library_ = 1;
  int sticky_ = 0;
  std::unique_ptr<LaunchWatch> watch_;
  bool watch_made_ = false;
};

/// The device of this process, made at the first call and never taken down: programs call it from
/// destructors and exit handlers.
Gpu& gpu();

/// Runs one call of a library: with the lock, and with what is thrown told on stderr and turned
/// into the number that the caller gets.  `even_after_fault`: the call works when the device has
/// failed.
int guarded(const char* function, bool even_after_fault, const std::function<void(Gpu&)>& body);

}  // namespace lc::runtime
