#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lc::machine {

/// Host threads that share a list of independent jobs.
class HostThreads {
 public:
  /// `count` 0: one for each core.
  explicit HostThreads(unsigned count);
  ~HostThreads();
  HostThreads(const HostThreads&) = delete;
  HostThreads& operator=(const HostThreads&) = delete;

  /// Calls `job(0)` … `job(count - 1)`, each once, started in that order; returns when all are
  /// done.  `job` throws nothing.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(std::size_t)>* job_ = nullptr;
  std::size_t next_ = 0, count_ = 0, running_ = 0;
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace lc::machine
