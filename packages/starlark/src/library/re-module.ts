import { defineFunction, defineModule } from "../host.js";
import { List, Tuple, type Value } from "../values/values.js";
import { type Groups, PatternSearch } from "./pattern-search.js";

const parameters = { pattern: "string", text: "string" } as const;

function tupleOf(groups: Groups | undefined): Value {
  return groups === undefined ? null : new Tuple(groups);
}

/**
 * `re`: regular expressions that take time linear in the text, whatever the pattern. `match` looks at the start of the text,
 * `search` anywhere; both return the groups as a tuple, the whole match first, or None. `findall` returns a list: of the
 * matches, of the group where there is one, of tuples where there are several.
 */
export const re: Value = defineModule("re", {
  match: defineFunction("match", parameters, ({ pattern, text }, thread) =>
    tupleOf(new PatternSearch(thread, pattern, text).atStart()),
  ),
  search: defineFunction("search", parameters, ({ pattern, text }, thread) =>
    tupleOf(new PatternSearch(thread, pattern, text).next()),
  ),
  findall: defineFunction("findall", parameters, ({ pattern, text }, thread) => {
    const search = new PatternSearch(thread, pattern, text);
    const found: Value[] = [];
    for (let match = search.next(); match !== undefined; match = search.next()) {
      const [whole = null, ...groups] = match;
      thread.allocate(8);
      found.push(groups.length === 0 ? whole : groups.length === 1 ? (groups[0] as Value) : new Tuple(groups));
    }
    return new List(found);
  }),
});
