#include "sim/runtime/cudart/call.h"

using namespace lc::runtime;
using namespace lc::runtime::cudart;

namespace {

using Kind = Graph::Node::Kind;

void require_idle(const Stream& stream) {
  require(!stream.capture, kCaptureUnsupported, "the stream is being captured");
}

/// Waiting for work that has run already.
int synchronize(const char* function, void* stream) {
  return call(function, [&](Gpu& gpu) { require_idle(gpu.stream(stream)); });
}

void record(Gpu& gpu, void* event, void* stream) {
  Event& e = gpu.event(event);
  const Stream& s = gpu.stream(stream);
  e.captured = s.capture;
  if (s.capture) return;
  e.recorded = true;
  e.when = std::chrono::steady_clock::now();
}

void require_recorded(const Event& event) {
  require(event.recorded, kInvalidHandle, "the event was never recorded");
}

}  // namespace

extern "C" {

int cudaStreamCreate(void** stream) {
  return call("cudaStreamCreate", [&](Gpu& gpu) { give<void*>(stream, gpu.create_stream(0, 0)); });
}

int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  return call("cudaStreamCreateWithFlags",
              [&](Gpu& gpu) { give<void*>(stream, gpu.create_stream(flags, 0)); });
}

int cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return call("cudaStreamCreateWithPriority",
              [&](Gpu& gpu) { give<void*>(stream, gpu.create_stream(flags, priority)); });
}

int cudaStreamDestroy(void* stream) {
  return call("cudaStreamDestroy", [&](Gpu& gpu) { gpu.destroy_stream(stream); });
}

int cudaStreamSynchronize(void* stream) {
  return synchronize("cudaStreamSynchronize", stream);
}

int cudaStreamQuery(void* stream) {
  return synchronize("cudaStreamQuery", stream);
}

int cudaDeviceSynchronize() {
  return call("cudaDeviceSynchronize", [](Gpu&) {});
}

int cudaStreamGetFlags(void* stream, unsigned* flags) {
  return call("cudaStreamGetFlags", [&](Gpu& gpu) { give(flags, gpu.stream(stream).flags); });
}

int cudaStreamGetPriority(void* stream, int* priority) {
  return call("cudaStreamGetPriority",
              [&](Gpu& gpu) { give(priority, gpu.stream(stream).priority); });
}

int cudaStreamGetId(void* stream, unsigned long long* id) {
  return call("cudaStreamGetId",
              [&](Gpu& gpu) { give<unsigned long long>(id, gpu.stream(stream).id); });
}

int cudaStreamGetDevice(void* stream, int* device) {
  return call("cudaStreamGetDevice", [&](Gpu& gpu) {
    gpu.stream(stream);
    give(device, 0);
  });
}

int cudaStreamWaitEvent(void* stream, void* event, unsigned) {
  return call("cudaStreamWaitEvent", [&](Gpu& gpu) {
    // An event of a capture draws the stream into it.
    const Event& e = gpu.event(event);
    Stream& s = gpu.stream(stream);
    if (e.captured && !s.capture) s.capture = e.captured;
  });
}

int cudaStreamAddCallback(void* stream, void (*callback)(void*, int, void*), void* data, unsigned) {
  return call("cudaStreamAddCallback", [&](Gpu& gpu) {
    gpu.stream(stream).submit(Kind::host, [=] { callback(stream, kSuccess, data); });
  });
}

int cudaStreamSetAttribute(void* stream, int, const void*) {
  return call("cudaStreamSetAttribute", [&](Gpu& gpu) { gpu.stream(stream); });
}

int cudaEventCreate(void** event) {
  return call("cudaEventCreate", [&](Gpu& gpu) { give<void*>(event, gpu.create_event(0)); });
}

int cudaEventCreateWithFlags(void** event, unsigned flags) {
  return call("cudaEventCreateWithFlags",
              [&](Gpu& gpu) { give<void*>(event, gpu.create_event(flags)); });
}

int cudaEventDestroy(void* event) {
  return call("cudaEventDestroy", [&](Gpu& gpu) { gpu.destroy_event(event); });
}

int cudaEventRecord(void* event, void* stream) {
  return call("cudaEventRecord", [&](Gpu& gpu) { record(gpu, event, stream); });
}

int cudaEventRecordWithFlags(void* event, void* stream, unsigned) {
  return cudaEventRecord(event, stream);
}

int cudaEventSynchronize(void* event) {
  return call("cudaEventSynchronize", [&](Gpu& gpu) {
    require(!gpu.event(event).captured, 907, "the event was recorded in a capture");
  });
}

int cudaEventQuery(void* event) {
  return call("cudaEventQuery", [&](Gpu& gpu) {
    require(!gpu.event(event).captured, 907, "the event was recorded in a capture");
  });
}

/// Time of the host: the virtual GPU has no clock that tells how fast a GPU would be.
int cudaEventElapsedTime(float* milliseconds, void* start, void* end) {
  return call("cudaEventElapsedTime", [&](Gpu& gpu) {
    const Event &first = gpu.event(start), &last = gpu.event(end);
    require_recorded(first);
    require_recorded(last);
    give(milliseconds, std::chrono::duration<float, std::milli>(last.when - first.when).count());
  });
}

}  // extern "C"
