#include "sim/runtime/cudart/call.h"

// Graphs are lists of work in an order that respects their edges: captured work in the order of the
// calls, nodes added by hand in the order in which they were added.
using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

using Kind = Graph::Node::Kind;

std::shared_ptr<Graph> captured_by(const Stream& stream) {
  require(stream.capture != nullptr, kCaptureUnmatched, "the stream is not being captured");
  return stream.capture;
}

int instantiate(const char* function, void** exec, void* graph) {
  return call(function, [&](Gpu& gpu) { give<void*>(exec, gpu.instantiate(gpu.graph(graph))); });
}

void add(Gpu& gpu, void** node, void* graph, Kind kind, std::function<void()> work) {
  Graph::Node& made = gpu.graph(graph).add(kind, std::move(work));
  if (node != nullptr) *node = &made;
}

/// A launch that is recorded by a stream of its own, so that arguments are read now.
std::function<void()> launch_work(Gpu& gpu, const abi::KernelNode& p) {
  Stream recorder;
  recorder.capture = std::make_shared<Graph>();
  LaunchRequest request;
  request.kernel = &kernel_of(gpu, p.function);
  request.grid = {p.grid.x, p.grid.y, p.grid.z};
  request.block = {p.block.x, p.block.y, p.block.z};
  request.dynamic_shared_bytes = p.dynamic_shared_bytes;
  request.stream = &recorder;
  gpu.launch(request, p.arguments);
  return recorder.capture->nodes.front()->work;
}

std::function<void()> fill_work(Gpu& gpu, const abi::FillNode& p) {
  require(p.element_bytes == 1 || p.element_bytes == 2 || p.element_bytes == 4, kInvalidValue);
  return [p, &gpu] {
    for (std::size_t y = 0; y < p.height; ++y) {
      gpu.memory().fill(static_cast<char*>(p.target) + y * p.pitch, &p.value, p.element_bytes,
                        p.width);
    }
  };
}

}  // namespace

extern "C" {

int cudaStreamBeginCapture(void* stream, int) {
  return call("cudaStreamBeginCapture", [&](Gpu& gpu) {
    require(reinterpret_cast<std::uintptr_t>(stream) > 2, kCaptureUnsupported,
            "the default stream cannot be captured");
    Stream& s = gpu.stream(stream);
    require(!s.capture, 401, "the stream is being captured already");
    s.capture = std::make_shared<Graph>();
    s.captures_first = true;
  });
}

int cudaStreamEndCapture(void* stream, void** graph) {
  return call("cudaStreamEndCapture", [&](Gpu& gpu) {
    Stream& s = gpu.stream(stream);
    const std::shared_ptr<Graph> captured = captured_by(s);
    require(s.captures_first, kCaptureUnmatched, "the capture began on another stream");
    gpu.end_capture(captured);
    give<void*>(graph, gpu.own(captured));
  });
}

int cudaStreamIsCapturing(void* stream, int* status) {
  return call("cudaStreamIsCapturing",
              [&](Gpu& gpu) { give(status, gpu.stream(stream).capture != nullptr ? 1 : 0); });
}

int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id, void** graph,
                             const void** dependencies, const void** edges, std::size_t* count) {
  return call("cudaStreamGetCaptureInfo", [&](Gpu& gpu) {
    const Stream& s = gpu.stream(stream);
    give(status, s.capture != nullptr ? 1 : 0);
    if (id != nullptr) *id = s.id;
    if (graph != nullptr) *graph = s.capture.get();
    if (dependencies != nullptr) *dependencies = nullptr;
    if (edges != nullptr) *edges = nullptr;
    if (count != nullptr) *count = 0;
  });
}

int cudaThreadExchangeStreamCaptureMode(int* mode) {
  return call("cudaThreadExchangeStreamCaptureMode", [&](Gpu&) { give(mode, 0); });
}

int cudaGraphCreate(void** graph, unsigned) {
  return call("cudaGraphCreate",
              [&](Gpu& gpu) { give<void*>(graph, gpu.own(std::make_shared<Graph>())); });
}

int cudaGraphDestroy(void* graph) {
  return call("cudaGraphDestroy", [&](Gpu& gpu) { gpu.destroy_graph(graph); });
}

int cudaGraphInstantiate(void** exec, void* graph, unsigned long long) {
  return instantiate("cudaGraphInstantiate", exec, graph);
}

int cudaGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  return instantiate("cudaGraphInstantiateWithFlags", exec, graph);
}

int cudaGraphExecDestroy(void* exec) {
  return call("cudaGraphExecDestroy", [&](Gpu& gpu) { gpu.destroy_graph_exec(exec); });
}

int cudaGraphUpload(void* exec, void*) {
  return call("cudaGraphUpload", [&](Gpu& gpu) { gpu.graph_exec(exec); });
}

int cudaGraphLaunch(void* exec, void* stream) {
  return call("cudaGraphLaunch", [&](Gpu& gpu) {
    gpu.stream(stream).submit(Kind::child, [graph = gpu.graph_exec(exec).graph] { graph.run(); });
  });
}

int cudaGraphExecUpdate(void* exec, void* graph, void*) {
  return call("cudaGraphExecUpdate",
              [&](Gpu& gpu) { gpu.graph_exec(exec).graph = gpu.graph(graph); });
}

int cudaGraphClone(void** clone, void* graph) {
  return call("cudaGraphClone", [&](Gpu& gpu) {
    give<void*>(clone, gpu.own(std::make_shared<Graph>(gpu.graph(graph))));
  });
}

int cudaGraphGetNodes(void* graph, void** nodes, std::size_t* count) {
  return call("cudaGraphGetNodes", [&](Gpu& gpu) {
    const auto& all = gpu.graph(graph).nodes;
    require(count != nullptr, kInvalidValue);
    for (std::size_t i = 0; nodes != nullptr && i < *count; ++i) {
      nodes[i] = i < all.size() ? all[i].get() : nullptr;
    }
    if (nodes == nullptr || *count > all.size()) *count = all.size();
  });
}

int cudaGraphNodeGetType(void* node, int* type) {
  return call("cudaGraphNodeGetType", [&](Gpu&) {
    require(node != nullptr, kInvalidValue);
    give(type, static_cast<int>(static_cast<const Graph::Node*>(node)->kind));
  });
}

int cudaGraphAddEmptyNode(void** node, void* graph, const void*, std::size_t) {
  return call("cudaGraphAddEmptyNode", [&](Gpu& gpu) { add(gpu, node, graph, Kind::empty, {}); });
}

int cudaGraphAddKernelNode(void** node, void* graph, const void*, std::size_t,
                           const abi::KernelNode* p) {
  return call("cudaGraphAddKernelNode", [&](Gpu& gpu) {
    require(p != nullptr, kInvalidValue);
    add(gpu, node, graph, Kind::kernel, launch_work(gpu, *p));
  });
}

int cudaGraphAddMemcpyNode1D(void** node, void* graph, const void*, std::size_t, void* to,
                             const void* from, std::size_t bytes, int kind) {
  return call("cudaGraphAddMemcpyNode1D", [&](Gpu& gpu) {
    add(gpu, node, graph, Kind::copy, [=, &gpu] {
      check_direction(gpu.memory(), static_cast<CopyKind>(kind), to, from);
      gpu.memory().copy(to, from, bytes);
    });
  });
}

int cudaGraphAddMemsetNode(void** node, void* graph, const void*, std::size_t,
                           const abi::FillNode* p) {
  return call("cudaGraphAddMemsetNode", [&](Gpu& gpu) {
    require(p != nullptr, kInvalidValue);
    add(gpu, node, graph, Kind::fill, fill_work(gpu, *p));
  });
}

int cudaGraphAddHostNode(void** node, void* graph, const void*, std::size_t,
                         const abi::HostNode* p) {
  return call("cudaGraphAddHostNode", [&](Gpu& gpu) {
    require(p != nullptr, kInvalidValue);
    add(gpu, node, graph, Kind::host, [p = *p] { p.function(p.data); });
  });
}

int cudaGraphAddChildGraphNode(void** node, void* graph, const void*, std::size_t, void* child) {
  return call("cudaGraphAddChildGraphNode", [&](Gpu& gpu) {
    add(gpu, node, graph, Kind::child, [inner = gpu.graph(child)] { inner.run(); });
  });
}

}  // extern "C"
