export const KEYWORDS: ReadonlySet<string> = new Set(
  "and break continue def elif else for if in lambda load not or pass return while".split(" "),
);

/** Words of Python that Starlark keeps for itself, with what to do instead. */
export const RESERVED: ReadonlyMap<string, string> = new Map([
  ["as", ""],
  ["async", "; everything runs one after the other"],
  ["await", "; everything runs one after the other"],
  ["class", "; Starlark has no classes, use dicts or functions"],
  ["del", "; use dict.pop() or list.pop()"],
  ["except", "; Starlark has no exceptions, test before you act"],
  ["finally", "; Starlark has no exceptions"],
  ["from", '; there are no imports, use load("module", "name") where the host offers modules'],
  ["global", "; a function cannot change a global, return the value instead"],
  ["import", '; there are no imports, use load("module", "name") where the host offers modules'],
  ["is", "; use =="],
  ["nonlocal", "; a function cannot change a variable of another, return the value instead"],
  ["raise", "; use fail()"],
  ["try", "; Starlark has no exceptions, test before you act"],
  ["with", "; there is nothing to open or to close"],
  ["yield", "; Starlark has no generators, return a list"],
]);

/** Characters of other languages, with what to write instead. */
export const FOREIGN: ReadonlyMap<string, string> = new Map([
  ["!", "; use not"],
  ["?", "; use: a if condition else b"],
  ["$", ""],
  ["`", "; strings stand in \" or '"],
  ["\u201c", '; strings stand in plain quotes: "'],
  ["\u201d", '; strings stand in plain quotes: "'],
  ["\u2018", "; strings stand in plain quotes: '"],
  ["\u2019", "; strings stand in plain quotes: '"],
  ["\u00a0", ": it looks like a space but is none"],
]);

/** Built-ins and habits of Python and of other languages, with what to do instead. */
const HABITS: ReadonlyMap<string, string> = new Map([
  ["isinstance", 'use type(x) == "string", or another name that type() returns'],
  ["issubclass", "Starlark has no classes"],
  ["callable", 'use type(x) in ("function", "builtin_function_or_method")'],
  ["sum", "add them up in a for loop"],
  ["map", "use a comprehension: [f(x) for x in xs]"],
  ["filter", "use a comprehension: [x for x in xs if f(x)]"],
  ["reduce", "use a for loop"],
  ["next", "index the list, or use a for loop"],
  ["iter", "for loops iterate over lists, tuples, dicts, sets and ranges"],
  ["pow", "multiply in a for loop"],
  ["round", "use int(x + 0.5), or format with %f"],
  ["divmod", "use x // y and x % y"],
  ["bin", 'use "%x" % n for hexadecimal or "%o" % n for octal'],
  ["oct", 'use "%o" % n'],
  ["hex", 'use "%x" % n'],
  ["format", 'use "{}".format(x) or "%s" % x'],
  ["ascii", "use repr(x)"],
  ["unicode", "use str(x)"],
  ["long", "ints have any size"],
  ["xrange", "use range()"],
  ["frozenset", "use set(); values are frozen when the module has been loaded"],
  ["bytearray", "use bytes()"],
  ["object", "Starlark has no classes, use dicts"],
  ["super", "Starlark has no classes"],
  ["self", "Starlark has no classes, pass what a function needs as an argument"],
  ["setattr", "use a dict"],
  ["delattr", "use a dict"],
  ["vars", "use dir(x)"],
  ["globals", "use dir(x)"],
  ["locals", "use dir(x)"],
  ["id", "values have no identity, compare with =="],
  ["open", "there is no I/O"],
  ["input", "there is no I/O"],
  ["exec", "there is no I/O, and no code but this"],
  ["eval", "there is no code but this"],
  ["compile", "there is no code but this"],
  ["Exception", "Starlark has no exceptions, use fail()"],
  ["ValueError", "Starlark has no exceptions, use fail()"],
  ["TypeError", "Starlark has no exceptions, use fail()"],
  ["KeyError", "Starlark has no exceptions, use fail()"],
  ["true", "did you mean True?"],
  ["false", "did you mean False?"],
  ["null", "did you mean None?"],
  ["nil", "did you mean None?"],
  ["none", "did you mean None?"],
  ["undefined", "did you mean None?"],
  ["console", "use print()"],
]);

/** What to do instead of using a name that other languages have and Starlark has not. */
export function adviceFor(name: string): string | undefined {
  return HABITS.get(name);
}
