#include "sim/machine/async.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/machine/events.h"
#include "tests/machine/machine_test.h"

using namespace lc;
using namespace lc::machine;

BOOST_AUTO_TEST_SUITE(async_tests)

namespace {

/// Writes its name into a log: lower case when read, upper case when done.
class Note : public AsyncWork {
 public:
  Note(std::string& log, char name) : log_(&log), name_(name) {}
  void read() override { *log_ += name_; }
  void write() override { *log_ += static_cast<char>(name_ - 'a' + 'A'); }

 private:
  std::string* log_;
  char name_;
};

struct World {
  explicit World(const Schedule& schedule, std::uint64_t stream = 0) : queue(schedule, stream) {}

  ItemId issue(char name, std::vector<BarrierKey> signals = {}, std::uint64_t chain = 0,
               std::vector<ItemId> after = {}) {
    AsyncItem item;
    item.what = "note";
    item.chain = chain;
    item.after = std::move(after);
    item.signals = std::move(signals);
    item.place.line = name;
    item.work = std::make_unique<Note>(log, name);
    return queue.issue(std::move(item));
  }

  std::string log;
  AsyncQueue queue;
};

constexpr Schedule kEager{Schedule::Kind::eager, 0}, kLazy{Schedule::Kind::lazy, 0};
constexpr BarrierKey kFull{0, 0x400}, kOther{1, 0x400};

Schedule seeded(std::uint64_t seed) {
  return {Schedule::Kind::random, seed};
}

}  // namespace

BOOST_AUTO_TEST_CASE(eager_work_is_done_at_the_next_step) {
  World w(kEager);
  const ItemId a = w.issue('a'), b = w.issue('b');
  BOOST_TEST(w.log == "");
  w.queue.tick();
  BOOST_TEST(w.log == "aAbB");
  BOOST_TEST(w.queue.reached(a, AsyncStage::done));
  BOOST_TEST(w.queue.reached(b, AsyncStage::done));
  BOOST_TEST(!w.queue.progress());
}

BOOST_AUTO_TEST_CASE(lazy_work_waits_for_a_waiter) {
  World w(kLazy);
  w.issue('a');
  w.issue('b', {kFull});
  w.issue('c', {kFull, kOther});
  for (int i = 0; i < 100; ++i) w.queue.tick();
  BOOST_TEST(w.log == "");
  BOOST_TEST(!w.queue.progress_for({0, 0x408}));
  BOOST_TEST(w.queue.in_flight(&kFull).size() == 2u);
  BOOST_TEST(w.queue.progress_for(kFull));
  BOOST_TEST(w.log == "bB");
  BOOST_TEST(w.queue.progress_for(kOther));
  BOOST_TEST(w.log == "bBcC");
  BOOST_TEST(!w.queue.progress_for(kFull));
  w.queue.drain();
  BOOST_TEST(w.log == "bBcCaA");
}

BOOST_AUTO_TEST_CASE(order_is_kept_where_it_is_asked_for) {
  for (const Schedule& schedule : {kEager, kLazy, seeded(1), seeded(2), seeded(3)}) {
    for (std::uint64_t stream = 0; stream < 50; ++stream) {
      World w(schedule, stream);
      w.issue('a', {}, 7);
      w.issue('b', {}, 7);
      const ItemId c = w.issue('c');
      w.issue('d', {kFull}, 7, {c});
      w.issue('e');
      while (w.queue.progress_for(kFull)) {
      }
      const auto at = [&](char x) { return w.log.find(x); };
      BOOST_TEST_REQUIRE(at('D') != std::string::npos);
      BOOST_TEST_REQUIRE(at('A') < at('b'));
      BOOST_TEST_REQUIRE(at('B') < at('d'));
      BOOST_TEST_REQUIRE(at('C') < at('d'));
      w.queue.drain();
      BOOST_TEST_REQUIRE(w.log.size() == 10u);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_random_schedule_repeats_and_varies) {
  const auto run = [](std::uint64_t seed, std::uint64_t stream) {
    World w(seeded(seed), stream);
    for (char name = 'a'; name < 'i'; ++name) {
      w.issue(name);
      w.queue.tick();
    }
    w.queue.drain();
    return w.log;
  };
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t stream = 0; stream < 10; ++stream) {
      const std::string log = run(seed, stream);
      BOOST_TEST_REQUIRE(log == run(seed, stream));
      BOOST_TEST_REQUIRE(log.size() == 16u);
      seen.insert(log);
    }
  }
  BOOST_TEST(seen.size() > 95u);
}

BOOST_AUTO_TEST_CASE(a_wait_leaves_the_most_recent_groups_pending) {
  for (std::uint64_t pending = 0; pending < 5; ++pending) {
    World w(kLazy);
    AsyncGroups groups;
    for (const char name : {'a', 'b', 'c'}) {
      groups.add(w.issue(name));
      groups.commit(w.queue);
    }
    groups.add(w.issue('d'));
    groups.wait(w.queue, pending);
    const std::string all = "aAbBcC";
    BOOST_TEST(w.log == (pending > 3 ? "" : all.substr(0, (3 - pending) * 2)));
    groups.wait_all(w.queue);
    BOOST_TEST(w.log == "aAbBcCdD");
  }
}

BOOST_AUTO_TEST_CASE(a_read_wait_frees_the_sources_only) {
  World w(kLazy);
  AsyncGroups groups;
  groups.add(w.issue('a'));
  groups.commit(w.queue);
  groups.wait(w.queue, 0, AsyncStage::read);
  BOOST_TEST(w.log == "a");
  BOOST_TEST(groups.outstanding(w.queue).size() == 1u);
  groups.wait(w.queue, 0);
  BOOST_TEST(w.log == "aA");
  BOOST_TEST(groups.outstanding(w.queue).empty());
}

BOOST_AUTO_TEST_CASE(empty_groups_are_complete_and_groups_do_not_pile_up) {
  World w(kEager);
  AsyncGroups groups;
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0) groups.add(w.issue('a'));
    w.queue.tick();
    groups.commit(w.queue);
  }
  BOOST_TEST(groups.committed() == 0u);
  groups.wait(w.queue, ~std::uint64_t{0});
}

BOOST_AUTO_TEST_CASE(empty_groups_count_among_the_most_recent) {
  World w(kLazy);
  AsyncGroups groups;
  groups.add(w.issue('a'));
  groups.commit(w.queue);
  groups.commit(w.queue);
  groups.wait(w.queue, 2);
  BOOST_TEST(w.log == "");
  groups.wait(w.queue, 1);
  BOOST_TEST(w.log == "aA");
}

BOOST_AUTO_TEST_CASE(a_fault_names_the_instruction_that_issued_the_work) {
  struct Bad : AsyncWork {
    void write() override { throw Fault(FaultKind::illegal_address, "bad", "bad"); }
  };
  World w(kLazy);
  AsyncItem item;
  item.place.line = 42;
  item.work = std::make_unique<Bad>();
  w.queue.issue(std::move(item));
  try {
    w.queue.drain();
    BOOST_TEST(false);
  } catch (const Fault& fault) {
    BOOST_TEST(fault.place.line == 42);
  }
  BOOST_TEST(w.queue.count() == 0u);
}

BOOST_AUTO_TEST_CASE(what_is_in_flight_is_bounded) {
  World w(kLazy);
  for (int i = 0; i < 20000; ++i) w.issue('a', {kFull}, 1);
  BOOST_TEST(w.queue.count() < 5000u);
  w.queue.drain();
  BOOST_TEST(w.log.size() == 40000u);
}

BOOST_AUTO_TEST_CASE(schedules_are_spelled_as_on_the_command_line) {
  for (const char* text : {"eager", "lazy", "random:0", "random:18446744073709551615"}) {
    BOOST_TEST(to_text(*parse_schedule(text)) == text);
  }
  BOOST_TEST((parse_schedule("random:0x10") == seeded(16)));
  for (const char* text : {"", "Eager", "random", "random:", "random:-1", "random:1x", "random:0x",
                           "random:18446744073709551616", "lazy "}) {
    BOOST_TEST(!parse_schedule(text), text);
  }
}

BOOST_AUTO_TEST_CASE(events_are_made_only_when_somebody_watches) {
  struct Counter : Observer {
    using Observer::see;
    void see(const BarrierWait& wait) override { passed += wait.passed ? 1 : 0; }
    int passed = 0;
  };
  Events events;
  int made = 0;
  const auto make = [&] {
    ++made;
    return BarrierWait{kFull, 0, true, {}, {}};
  };
  events.emit(make);
  BOOST_TEST(made == 0);
  Counter first, second;
  events.subscribe(first);
  events.subscribe(second);
  events.emit(make);
  events.emit([] { return AsyncEvent{}; });
  BOOST_TEST(made == 1);
  BOOST_TEST(first.passed + second.passed == 2);
}

BOOST_AUTO_TEST_CASE(observers_hear_of_every_stage_and_change_nothing) {
  struct Log : Observer {
    using Observer::see;
    void see(const AsyncEvent& e) override {
      text += static_cast<char>(e.what->place.line);
      text += std::to_string(static_cast<int>(e.stage));
    }
    std::string text;
  };
  const auto run = [](const Events* events) {
    std::string log;
    AsyncQueue queue(seeded(5), 1, events);
    for (const char name : {'a', 'b', 'c'}) {
      AsyncItem item;
      item.place.line = name;
      item.work = std::make_unique<Note>(log, name);
      queue.issue(std::move(item));
    }
    queue.drain();
    return log;
  };
  Events events;
  Log log;
  events.subscribe(log);
  BOOST_TEST(run(&events) == run(nullptr));
  BOOST_TEST(log.text.size() == 18u);
  BOOST_TEST(log.text.substr(0, 6) == "a0b0c0");
}

BOOST_AUTO_TEST_SUITE_END()
