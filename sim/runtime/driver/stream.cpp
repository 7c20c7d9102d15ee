#include "sim/runtime/driver/call.h"

using namespace lc::runtime;
using namespace lc::runtime::driver;

extern "C" {

int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return call("cuStreamCreate",
              [&](Gpu& gpu) { give<void*>(stream, gpu.create_stream(flags, priority)); });
}

int cuStreamCreate(void** stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

int cuStreamDestroy_v2(void* stream) {
  return call("cuStreamDestroy", [&](Gpu& gpu) { gpu.destroy_stream(stream); });
}

int cuStreamSynchronize(void* stream) {
  return call("cuStreamSynchronize", [&](Gpu& gpu) {
    require(!gpu.stream(stream).capture, kCaptureUnsupported, "the stream is being captured");
  });
}

int cuStreamQuery(void* stream) {
  return cuStreamSynchronize(stream);
}

int cuStreamGetFlags(void* stream, unsigned* flags) {
  return call("cuStreamGetFlags", [&](Gpu& gpu) { give(flags, gpu.stream(stream).flags); });
}

int cuStreamGetPriority(void* stream, int* priority) {
  return call("cuStreamGetPriority",
              [&](Gpu& gpu) { give(priority, gpu.stream(stream).priority); });
}

int cuStreamGetCtx(void* stream, void** to) {
  return call("cuStreamGetCtx", [&](Gpu& gpu) {
    gpu.stream(stream);
    give(to, context());
  });
}

int cuStreamIsCapturing(void* stream, int* status) {
  return call("cuStreamIsCapturing",
              [&](Gpu& gpu) { give(status, gpu.stream(stream).capture != nullptr ? 1 : 0); });
}

int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  return call("cuStreamWaitEvent", [&](Gpu& gpu) {
    const Event& e = gpu.event(event);
    Stream& s = gpu.stream(stream);
    if (e.captured && !s.capture) s.capture = e.captured;
  });
}

int cuEventCreate(void** event, unsigned flags) {
  return call("cuEventCreate", [&](Gpu& gpu) { give<void*>(event, gpu.create_event(flags)); });
}

int cuEventDestroy_v2(void* event) {
  return call("cuEventDestroy", [&](Gpu& gpu) { gpu.destroy_event(event); });
}

int cuEventRecord(void* event, void* stream) {
  return call("cuEventRecord", [&](Gpu& gpu) {
    Event& e = gpu.event(event);
    e.captured = gpu.stream(stream).capture;
    if (e.captured) return;
    e.recorded = true;
    e.when = std::chrono::steady_clock::now();
  });
}

int cuEventSynchronize(void* event) {
  return call("cuEventSynchronize", [&](Gpu& gpu) { gpu.event(event); });
}

int cuEventQuery(void* event) {
  return call("cuEventQuery", [&](Gpu& gpu) { gpu.event(event); });
}

int cuEventElapsedTime_v2(float* milliseconds, void* start, void* end) {
  return call("cuEventElapsedTime", [&](Gpu& gpu) {
    const Event &first = gpu.event(start), &last = gpu.event(end);
    require(first.recorded && last.recorded, kInvalidHandle, "an event was never recorded");
    give(milliseconds, std::chrono::duration<float, std::milli>(last.when - first.when).count());
  });
}

int cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

}  // extern "C"
