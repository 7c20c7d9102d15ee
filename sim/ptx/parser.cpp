#include "sim/ptx/parser.h"

#include <unordered_map>

#include "sim/ptx/constant_parser.h"
#include "sim/ptx/declaration_parser.h"
#include "sim/ptx/function_parser.h"

namespace lc::ptx {
namespace {

constexpr std::uint32_t kOldestVersion = 31, kNewestMajor = 9;

class ModuleParser {
 public:
  explicit ModuleParser(Module& module) : module_(module), tokens_(*module.text, module.file) {}

  void run() {
    if (tokens_.at_end()) tokens_.fail("this file is empty", "PTX text begins with .version");
    version();
    if (!tokens_.peek().is(".target")) tokens_.fail("expected .target after .version");
    target();
    if (tokens_.peek().is(".address_size")) address_size();
    while (!tokens_.at_end()) item();
    resolve_module(tokens_, module_, pending_);
  }

 private:
  void version() {
    if (!tokens_.peek().is(".version")) {
      tokens_.fail("PTX text begins with .version, not " + TokenStream::shown(tokens_.peek()));
    }
    tokens_.take();
    const Token number = tokens_.peek();
    const std::size_t dot = number.text.find('.');
    const auto all_digits = [](std::string_view text) {
      return !text.empty() && text.size() < 4 &&
             text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (number.kind != Token::Kind::floating || !all_digits(number.text.substr(0, dot)) ||
        !all_digits(number.text.substr(dot + 1))) {
      tokens_.fail("expected a version such as 9.0, not " + TokenStream::shown(number));
    }
    tokens_.take();
    module_.version_major =
        static_cast<std::uint32_t>(std::stoul(std::string(number.text.substr(0, dot))));
    module_.version_minor =
        static_cast<std::uint32_t>(std::stoul(std::string(number.text.substr(dot + 1))));
    if (module_.version_major > kNewestMajor ||
        module_.version_major * 10 + module_.version_minor < kOldestVersion) {
      tokens_.fail_at(number, "PTX " + std::string(number.text) + " is not read",
                      "versions 3.1 to 9.x");
    }
  }

  /// .target sm_100a, debug
  void target() {
    tokens_.take();
    do {
      module_.targets.push_back(tokens_.expect(Token::Kind::identifier, "a target").text);
    } while (tokens_.accept(","));
  }

  void address_size() {
    tokens_.take();
    const Token size = tokens_.expect(Token::Kind::integer, "32 or 64");
    if (size.text != "32" && size.text != "64") {
      tokens_.fail_at(size, "an address has 32 or 64 bits");
    }
    module_.address_size = size.text == "32" ? 32 : 64;
  }

  void item() {
    const Token token = tokens_.peek();
    if (token.kind != Token::Kind::dotted) {
      tokens_.fail("expected a directive, not " + TokenStream::shown(token),
                   "instructions stand inside the body of .entry or .func");
    }
    const std::string_view word = token.text.substr(1);
    if (word == "target") return target();
    if (word == "file") return source_file();
    if (word == "section") return section();
    if (word == "alias") return alias();
    if (word == "pragma") return pragma();
    const Linkage linkage = linkage_named(word);
    if (linkage != Linkage::none) tokens_.take();
    declaration(linkage);
  }

  void declaration(Linkage linkage) {
    const Token token = tokens_.peek();
    if (token.is(".entry") || token.is(".func")) return function(linkage);
    const Space space =
        token.kind == Token::Kind::dotted ? space_named(token.text.substr(1)) : Space::none;
    if (space == Space::global || space == Space::const_ || space == Space::shared) {
      return variables(linkage);
    }
    if (space != Space::none) {
      tokens_.fail(quoted(token.text) + " is declared inside a function only");
    }
    if (token.is(".version") || token.is(".address_size")) {
      tokens_.fail(quoted(token.text) + " stands once, at the top");
    }
    const std::string_view near = nearest(
        token.text, {".entry", ".func", ".global", ".const", ".shared", ".visible", ".extern",
                     ".weak", ".common", ".file", ".section", ".alias", ".pragma", ".target"});
    tokens_.fail("no directive of a module is called " + TokenStream::shown(token),
                 std::string(near));
  }

  void add(ModuleItem::Kind kind, std::size_t index) {
    module_.items.push_back({kind, static_cast<std::uint32_t>(index)});
  }

  void pragma() {
    add(ModuleItem::Kind::pragma, module_.pragmas.size());
    module_.pragmas.push_back(parse_pragma(tokens_));
  }

  /// Declarations may repeat while all but one are .extern.
  void variables(Linkage linkage) {
    const DeclarationHead head = parse_head(tokens_, linkage);
    do {
      const Token name = tokens_.peek();
      Variable variable = parse_declarator(tokens_, head, false);
      if (tokens_.accept("=")) parse_initialiser(tokens_, variable, module_.addresses);
      const bool weak = linkage == Linkage::extern_;
      const auto [known, fresh] = known_.try_emplace(variable.name, Known{false, !weak});
      if (!fresh && (known->second.function || (known->second.defined && !weak))) {
        fail_duplicate(name);
      }
      known->second.defined |= !weak;
      add(ModuleItem::Kind::variable, module_.variables.size());
      module_.variables.push_back(std::move(variable));
    } while (tokens_.accept(","));
    tokens_.expect(";", "at the end of the declaration");
  }

  [[noreturn]] void fail_duplicate(const Token& name) {
    tokens_.fail_at(name, quoted(name.text) + " is defined twice in this module");
  }

  void function(Linkage linkage) {
    const Token word = tokens_.take();
    Function function;
    function.linkage = linkage;
    function.entry = word.is(".entry");
    if (tokens_.accept(".attribute")) function.attributes = parse_attributes(tokens_);
    if (!function.entry && tokens_.peek().is("(")) {
      function.signature.results = parse_parameters(tokens_, true);
    }
    const Token name = tokens_.expect(Token::Kind::identifier, "the name of the function");
    function.name = name.text;
    function.at = name.at;
    function.signature.has_parameter_list = tokens_.peek().is("(");
    if (function.signature.has_parameter_list) {
      function.signature.parameters = parse_parameters(tokens_, true);
    }
    while (parse_performance(tokens_, function.signature.performance)) {
    }
    const bool defined = tokens_.peek().is("{");
    const auto [known, fresh] = known_.try_emplace(name.text, Known{true, defined});
    if (!fresh && (!known->second.function || (known->second.defined && defined))) {
      fail_duplicate(name);
    }
    known->second.defined |= defined;
    const auto index = static_cast<std::uint32_t>(module_.functions.size());
    if (defined) {
      FunctionParser(tokens_, module_, mnemonics_, pending_, index).run(function);
    } else {
      tokens_.expect(";", "or a body after the head of the function");
    }
    add(ModuleItem::Kind::function, index);
    module_.functions.push_back(std::move(function));
  }

  /// .file 1 "kernel.cu"{, timestamp, size}
  void source_file() {
    tokens_.take();
    SourceFile file;
    file.index = static_cast<std::uint32_t>(parse_count(tokens_, "the number of a file", ~0u));
    file.name = tokens_.expect(Token::Kind::string, "the name of a file").text;
    if (tokens_.accept(",")) {
      file.timestamp = parse_integer(tokens_, "a time").bits;
      tokens_.expect(",", "between the time and the size");
      file.size = parse_integer(tokens_, "a size").bits;
    }
    add(ModuleItem::Kind::file, module_.files.size());
    module_.files.push_back(file);
  }

  /// .section .debug_info { … }: nothing inside is looked at but its end.
  void section() {
    tokens_.take();
    DebugSection section;
    const Token name = tokens_.take();
    if (name.kind != Token::Kind::dotted && name.kind != Token::Kind::identifier) {
      tokens_.fail_at(name, "expected the name of a section");
    }
    section.name = name.text;
    tokens_.expect("{", "before the lines of the section");
    const std::uint32_t begin = tokens_.peek().offset;
    std::uint32_t end = begin;
    while (!tokens_.peek().is("}")) {
      if (tokens_.at_end()) tokens_.fail("this section has no end", "a closing `}`");
      end = tokens_.take().end_offset();
    }
    tokens_.take();
    section.body = tokens_.text_between(begin, end);
    add(ModuleItem::Kind::section, module_.sections.size());
    module_.sections.push_back(section);
  }

  void alias() {
    tokens_.take();
    const Token name = tokens_.expect(Token::Kind::identifier, "the name of a function");
    tokens_.expect(",", "between the names of .alias");
    const Token target = tokens_.expect(Token::Kind::identifier, "the name of a function");
    tokens_.expect(";", "at the end of .alias");
    add(ModuleItem::Kind::alias, module_.aliases.size());
    module_.aliases.push_back({name.text, target.text, 0, 0, name.at});
  }

  struct Known {
    bool function = false;
    bool defined = false;
  };

  Module& module_;
  TokenStream tokens_;
  MnemonicTable mnemonics_;
  std::vector<PendingName> pending_;
  std::unordered_map<std::string_view, Known> known_;
};

}  // namespace

Module parse(std::string text, std::string file) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
  if (text.size() >= 0xffffffffu) {
    throw ParseError(std::move(file), {}, "this file is larger than 4 GiB", {}, {});
  }
  Module module;
  module.text = std::make_shared<const std::string>(std::move(text));
  module.file = std::move(file);
  ModuleParser(module).run();
  return module;
}

}  // namespace lc::ptx
