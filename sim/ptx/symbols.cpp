#include "sim/ptx/symbols.h"

namespace lc::ptx {

void Symbols::open(std::uint32_t scope) {
  scopes_.push_back(scope);
  declared_before_.push_back(declared_.size());
}

void Symbols::close() {
  while (declared_.size() > declared_before_.back()) {
    const Declared last = declared_.back();
    declared_.pop_back();
    const auto found = last.table->find(last.name);
    found->second.pop_back();
    if (found->second.empty()) last.table->erase(found);
  }
  declared_before_.pop_back();
  scopes_.pop_back();
}

bool Symbols::add(Table& table, std::string_view name, const Entry& entry) {
  std::vector<Entry>& entries = table[name];
  if (!entries.empty() && entries.back().scope == entry.scope) return false;
  entries.push_back(entry);
  declared_.push_back({&table, name});
  return true;
}

bool Symbols::declare(std::string_view name, Symbol symbol) {
  const auto range = find_in_range(name);
  if (range && range->scope == scopes_.back()) return false;
  if (labels_.contains({name, scopes_.back()})) return false;
  return add(names_, name, {symbol, scopes_.back(), 1});
}

bool Symbols::declare_range(std::string_view prefix, Symbol symbol, std::uint32_t count) {
  return add(ranges_, prefix, {symbol, scopes_.back(), count});
}

bool Symbols::declare_label(std::string_view name, Symbol symbol) {
  const auto found = names_.find(name);
  if (found != names_.end() && found->second.back().scope == scopes_.back()) return false;
  return labels_.emplace(Key{name, scopes_.back()}, symbol).second;
}

/// %r12 as %r<n> with n > 12, or as %r1<n> with n > 2: the innermost, then the longest prefix.
std::optional<Symbols::Entry> Symbols::find_in_range(std::string_view name) const {
  std::optional<Entry> best;
  std::uint64_t number = 0, scale = 1;
  for (std::size_t cut = name.size(); cut-- > 1;) {
    const char c = name[cut];
    if (c < '0' || c > '9' || name.size() - cut > 9) break;
    number += scale * static_cast<std::uint64_t>(c - '0');
    scale *= 10;
    if (c == '0' && name.size() - cut > 1) continue;  // %r01 is not a name of %r<2>
    const auto found = ranges_.find(name.substr(0, cut));
    if (found == ranges_.end()) continue;
    for (auto entry = found->second.rbegin(); entry != found->second.rend(); ++entry) {
      if (number >= entry->count) continue;
      if (!best || entry->scope > best->scope) {
        best = *entry;
        best->symbol.element = static_cast<std::uint32_t>(number);
      }
      break;
    }
  }
  return best;
}

std::optional<Symbol> Symbols::find(std::string_view name) const {
  const auto range = find_in_range(name);
  const auto exact = names_.find(name);
  if (exact != names_.end() && (!range || exact->second.back().scope >= range->scope)) {
    return exact->second.back().symbol;
  }
  if (range) return range->symbol;
  return std::nullopt;
}

}  // namespace lc::ptx
