/** What a document could reach through a key that every object has. */
const watched: ReadonlyMap<string, object> = new Map<string, object>([
  ["Object", Object],
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["Function.prototype", Function.prototype],
  ...Object.getOwnPropertyNames(Object.prototype).flatMap((name): [string, object][] => {
    const value: unknown = Object.getOwnPropertyDescriptor(Object.prototype, name)?.value;
    return typeof value === "function" ? [[`Object.prototype.${name}`, value]] : [];
  }),
]);

const before = new Map([...watched.values()].map((target) => [target, new Set(Reflect.ownKeys(target))]));

/** Names those of the language's own objects that have keys they did not start with, and takes these away again. */
export function takeBack(): string[] {
  return [...watched].flatMap(([name, target]) => {
    const added = Reflect.ownKeys(target).filter((key) => !before.get(target)?.has(key));
    for (const key of added) Reflect.deleteProperty(target, key);
    return added.length === 0 ? [] : [name];
  });
}
