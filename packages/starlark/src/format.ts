import { repr, toText } from "./text.js";
import type { Thread } from "./thread.js";
import type { Arguments, Keywords, Value } from "./values.js";

/** `"{} {name!r}".format(...)`. */
export function formatText(thread: Thread, format: string, args: Arguments, keywords: Keywords): string {
  let text = "";
  let next = 0;
  let isNumbered: boolean | undefined;
  const add = (part: string) => {
    thread.allocate(2 * part.length);
    text += part;
  };
  for (let at = 0; at < format.length; ) {
    thread.step();
    const brace = format.slice(at).search(/[{}]/);
    if (brace === -1) {
      add(format.slice(at));
      break;
    }
    add(format.slice(at, at + brace));
    at += brace;
    const character = format[at] as string;
    if (format[at + 1] === character) {
      add(character);
      at += 2;
      continue;
    }
    if (character === "}") thread.fail("single '}' in format");
    const end = format.indexOf("}", at);
    if (end === -1) thread.fail("unmatched '{' in format");
    const field = format.slice(at + 1, end);
    if (field.includes("{")) thread.fail("nested replacement fields are not supported");
    at = end + 1;
    const [, name = "", conversion, specification = ""] = /^([^!:]*)(?:!([^:]*))?(?::(.*))?$/s.exec(field) ?? [];
    if (specification !== "") thread.fail("format specifications are not supported");
    let value: Value | undefined;
    if (/^\d*$/.test(name)) {
      const numbered = name !== "";
      if (isNumbered !== undefined && isNumbered !== numbered) {
        thread.fail(
          `format: cannot switch from ${numbered ? "automatic field numbering to manual" : "manual field specification to automatic field numbering"}`,
        );
      }
      isNumbered = numbered;
      const index = numbered ? Number(name) : next++;
      value = args[index];
      if (value === undefined) thread.fail(`tuple index out of range: no argument ${index}`);
    } else {
      if (name.includes(".")) thread.fail(`syntax x.y is not supported in replacement fields: ${name}`);
      if (name.includes("[")) thread.fail(`syntax a[i] is not supported in replacement fields: ${name}`);
      value = keywords.get(name);
      if (value === undefined) thread.fail(`keyword ${name} not found`);
    }
    if (conversion === undefined || conversion === "s") add(toText(thread, value));
    else if (conversion === "r") add(repr(thread, value));
    else thread.fail(`unknown conversion ${JSON.stringify(conversion)}`);
  }
  return text;
}
