#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lc::ptx {

/// What a name inside a function stands for.
struct Symbol {
  enum class Kind : std::uint8_t { registers, variable, parameter, result, label, targets };
  Kind kind = Kind::registers;
  std::uint32_t index = 0;    ///< into the list of its kind
  std::uint32_t element = 0;  ///< which of a range
};

/// Names of a function body, with scopes that nest and shadow.  Registers and variables must be
/// declared before they are used and are looked up at once; labels may come later and are looked
/// up, from the innermost scope outward, when the body is complete.
class Symbols {
 public:
  /// Enters a new scope; `scope` is its number, greater than any before.
  void open(std::uint32_t scope);
  void close();

  /// False: the scope has this name already.
  bool declare(std::string_view name, Symbol symbol);
  /// name0 … name(count - 1).  Names of a range are found after those declared one by one.
  bool declare_range(std::string_view prefix, Symbol symbol, std::uint32_t count);
  /// A label of the scope that is open.
  bool declare_label(std::string_view name, Symbol symbol);

  std::optional<Symbol> find(std::string_view name) const;
  /// A label visible in `scope`; `parents[s]` is the scope around s.
  template <class Scopes>
  std::optional<Symbol> find_label(std::string_view name, std::uint32_t scope,
                                   const Scopes& scopes) const {
    while (true) {
      const auto found = labels_.find({name, scope});
      if (found != labels_.end()) return found->second;
      if (scope == 0) return std::nullopt;
      scope = scopes[scope].parent;
    }
  }

 private:
  struct Entry {
    Symbol symbol;
    std::uint32_t scope = 0;
    std::uint32_t count = 1;  ///< names of a range
  };
  struct Key {
    std::string_view name;
    std::uint32_t scope;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) ^ (key.scope * 0x9e3779b97f4a7c15u);
    }
  };
  using Table = std::unordered_map<std::string_view, std::vector<Entry>>;
  struct Declared {
    Table* table;
    std::string_view name;
  };

  bool add(Table& table, std::string_view name, const Entry& entry);
  std::optional<Entry> find_in_range(std::string_view name) const;

  Table names_, ranges_;
  std::unordered_map<Key, Symbol, KeyHash> labels_;
  std::vector<std::uint32_t> scopes_;         ///< open ones, innermost last
  std::vector<Declared> declared_;            ///< in order, to be undone at the close
  std::vector<std::size_t> declared_before_;  ///< per open scope: size of declared_
};

}  // namespace lc::ptx
