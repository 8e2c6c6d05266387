// Loads sample projects in a thread of its own, with the built package and Node's own module loader: the test runner
// would put its transforms between a project and Node, and what Node can see of a CommonJS module is part of the test.
import { parentPort } from "node:worker_threads";
import { markdown } from "@hooks/core";
import { loadHarness } from "@hooks/manifest";

parentPort.on("message", async (job) => {
  try {
    parentPort.postMessage(await run(job));
  } catch (error) {
    parentPort.postMessage({ crash: error.stack });
  }
});

async function run({ cwd, manifest, managed = [], trusted = true, steps, gates }) {
  const before = everywhere();
  const named = manifest === undefined ? {} : { manifest };
  const loaded = await loadHarness({
    cwd,
    ...named,
    managed,
    trust: () => trusted,
    harness: { ports: { warn() {} }, timing: false },
  });
  const { ok, harness } = loaded;
  return {
    ok,
    message: loaded.message ?? "",
    problems: loaded.problems ?? loaded.warnings,
    manifest: harness.manifest ?? null,
    hooks: plain(harness.hooks.map(({ event, ref, priority, source }) => ({ event, ...ref, priority, ...source }))),
    outcomes: await inOrder(steps, (step) => take(step, harness)),
    gates: await inOrder(gates, ([event, payload]) => fire(harness, event, payload)),
    leftBehind: everywhere().filter((key) => !before.includes(key)),
  };
}

/** The keys of everything that every object inherits, functions included. */
function everywhere() {
  const shared = Reflect.ownKeys(Object.prototype).flatMap((key) => {
    const { value, get, set } = Object.getOwnPropertyDescriptor(Object.prototype, key);
    return [value, get, set].filter((part) => typeof part === "function").map((part) => [String(key), part]);
  });
  return [["Object.prototype", Object.prototype], ...shared].flatMap(([owner, object]) =>
    Reflect.ownKeys(object).map((key) => `${owner}.${String(key)}`),
  );
}

function take({ event, payload, beside }, harness) {
  // What a hook of another kind does when it fails depends on `strict`.
  if (beside !== undefined) {
    harness.install([{ event, dialect: markdown, handlerName: "markdown", handler: () => beside.returns }]);
  }
  return fire(harness, event, payload);
}

async function fire(harness, event, payload) {
  try {
    return plain(await harness.fire(event, payload));
  } catch (error) {
    return { thrown: `${error.code}: ${error.message}` };
  }
}

async function inOrder(items, work) {
  const done = [];
  for (const item of items) done.push(await work(item));
  return done;
}

function plain(value) {
  return JSON.parse(JSON.stringify(value));
}
