#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// Streams of a synchronous device: what is submitted runs at once, unless the stream is being
// captured; then it becomes a node of a graph, to run when the graph is launched.
namespace lc::runtime {

/// Work in the order in which it was captured or added, which respects every dependency: a node can
/// only depend on nodes that exist.
struct Graph {
  struct Node {
    enum class Kind : int {
      kernel = 0,
      copy = 1,
      fill = 2,
      host = 3,
      child = 4,
      empty = 5,
      wait_event = 6,
      record_event = 7
    };
    Kind kind = Kind::empty;
    std::function<void()> work;
  };
  /// Nodes have addresses that stay: cudaGraphNode_t points at them.
  std::vector<std::shared_ptr<Node>> nodes;

  Node& add(Node::Kind kind, std::function<void()> work) {
    nodes.push_back(std::make_shared<Node>(Node{kind, std::move(work)}));
    return *nodes.back();
  }
  void run() const {
    for (const auto& node : nodes) {
      if (node->work) node->work();
    }
  }
};

/// An instantiated graph keeps the nodes as they were.
struct GraphExec {
  Graph graph;
};

struct Stream {
  std::uint64_t id = 0;
  unsigned flags = 0;
  int priority = 0;
  std::shared_ptr<Graph> capture;  ///< not being captured: empty
  bool captures_first = false;     ///< the stream that the capture began on

  /// Runs the work, or records it.
  void submit(Graph::Node::Kind kind, std::function<void()> work) {
    if (capture) {
      capture->add(kind, std::move(work));
    } else {
      work();
    }
  }
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point when;
  std::shared_ptr<Graph> captured;  ///< recorded while this graph was captured
};

}  // namespace lc::runtime
