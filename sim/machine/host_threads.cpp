#include "sim/machine/host_threads.h"

#include <algorithm>

namespace lc::machine {

HostThreads::HostThreads(unsigned count) {
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this] { work(); });
}

HostThreads::~HostThreads() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
}

void HostThreads::for_each(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (threads_.empty() || count == 1) {
    for (std::size_t i = 0; i < count; ++i) job(i);
    return;
  }
  std::unique_lock lock(mutex_);
  job_ = &job;
  next_ = 0;
  count_ = count;
  wake_.notify_all();
  while (next_ < count_) {
    const std::size_t i = next_++;
    ++running_;
    lock.unlock();
    job(i);
    lock.lock();
    --running_;
  }
  done_.wait(lock, [&] { return running_ == 0; });
  job_ = nullptr;
}

void HostThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stop_ || (job_ != nullptr && next_ < count_); });
    if (stop_) return;
    const std::size_t i = next_++;
    const auto* job = job_;
    ++running_;
    lock.unlock();
    (*job)(i);
    lock.lock();
    --running_;
    if (running_ == 0 && next_ >= count_) done_.notify_all();
  }
}

}  // namespace lc::machine
