import { attribute, getItem, iterate, setItem, slice } from "./access.js";
import type { Source } from "./errors.js";
import { binary, unary } from "./operations.js";
import type { FunctionLayout, Resolution } from "./resolver.js";
import type { Argument, Clause, Expression, Parameter, Statement } from "./syntax.js";
import { toText } from "./text.js";
import type { Frame, Thread } from "./thread.js";
import {
  type Arguments,
  Bytes,
  type Callable,
  Dict,
  Float,
  freeze,
  isCallable,
  isTrue,
  type Keywords,
  List,
  Tuple,
  typeName,
  type Value,
} from "./values.js";

/** One running call: its variables, and the call it was defined in. */
export class Activation implements Frame {
  readonly variables: (Value | undefined)[];
  result: Value = null;
  at: { readonly line: number; readonly column: number };

  constructor(
    readonly thread: Thread,
    readonly name: string,
    readonly source: Source,
    readonly parent: Activation | null,
    readonly code: object,
    size: number,
    at: { readonly line: number; readonly column: number },
  ) {
    this.variables = new Array<Value | undefined>(size).fill(undefined);
    this.at = at;
  }
}

type Evaluate = (frame: Activation) => Value;
type Store = (frame: Activation, value: Value) => void;

enum Signal {
  Next = 0,
  Break = 1,
  Continue = 2,
  Return = 3,
}

export type Execute = (frame: Activation) => Signal;

export interface CompileContext {
  readonly source: Source;
  readonly resolution: Resolution;
  readonly predeclared: ReadonlyMap<string, Value>;
  readonly recursion: boolean;
  readonly load: (thread: Thread, module: string) => ReadonlyMap<string, Value>;
}

/** Turns a resolved syntax tree into closures: walking strings and maps happens here, once, and never while running. */
export class Compiler {
  constructor(private readonly context: CompileContext) {}

  block(statements: readonly Statement[]): Execute {
    const executes = statements.map((statement) => this.statement(statement));
    if (executes.length === 1) return executes[0] as Execute;
    return (frame) => {
      for (let i = 0; i < executes.length; i++) {
        const signal = (executes[i] as Execute)(frame);
        if (signal !== Signal.Next) return signal;
      }
      return Signal.Next;
    };
  }

  private statement(statement: Statement): Execute {
    const run = this.bare(statement);
    return (frame) => {
      frame.at = statement;
      frame.thread.step();
      return run(frame);
    };
  }

  private bare(statement: Statement): Execute {
    switch (statement.kind) {
      case "pass":
        return () => Signal.Next;
      case "break":
        return () => Signal.Break;
      case "continue":
        return () => Signal.Continue;
      case "expression": {
        const evaluate = this.expression(statement.expression);
        return (frame) => {
          evaluate(frame);
          return Signal.Next;
        };
      }
      case "assign": {
        const value = this.expression(statement.value);
        const store = this.store(statement.target);
        return (frame) => {
          store(frame, value(frame));
          return Signal.Next;
        };
      }
      case "augment":
        return this.augment(statement);
      case "def": {
        const make = this.function(statement.name, statement, statement.parameters, this.block(statement.body));
        const index = this.context.resolution.writes.get(statement)?.[0] ?? 0;
        return (frame) => {
          frame.variables[index] = make(frame);
          return Signal.Next;
        };
      }
      case "if": {
        const test = this.expression(statement.test);
        const then = this.block(statement.then);
        const otherwise = this.block(statement.otherwise);
        return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
      }
      case "for":
        return this.loop(statement);
      case "while": {
        const test = this.expression(statement.test);
        const body = this.block(statement.body);
        return (frame) => {
          while (isTrue(test(frame))) {
            frame.thread.step();
            const signal = body(frame);
            if (signal === Signal.Break) break;
            if (signal === Signal.Return) return signal;
          }
          return Signal.Next;
        };
      }
      case "return": {
        const value = statement.value === null ? () => null : this.expression(statement.value);
        return (frame) => {
          frame.result = value(frame);
          return Signal.Return;
        };
      }
      case "load":
        return (frame) => {
          const members = this.context.load(frame.thread, statement.module);
          const indices = this.context.resolution.writes.get(statement) ?? [];
          for (const [i, [, exported]] of statement.names.entries()) {
            const value = members.get(exported);
            if (value === undefined) frame.thread.fail(`load: ${exported} not found in module ${statement.module}`);
            frame.variables[indices[i] ?? 0] = value;
          }
          return Signal.Next;
        };
    }
  }

  private loop({ target, iterable, body }: Extract<Statement, { kind: "for" }>): Execute {
    const values = this.expression(iterable);
    const store = this.store(target);
    const run = this.block(body);
    return (frame) => {
      let left: Signal = Signal.Next;
      iterate(frame.thread, values(frame), (value) => {
        frame.thread.step();
        store(frame, value);
        const signal = run(frame);
        if (signal === Signal.Return) left = signal;
        return signal === Signal.Return || signal === Signal.Break;
      });
      return left;
    };
  }

  private augment({ operator, target, value }: Extract<Statement, { kind: "augment" }>): Execute {
    const right = this.expression(value);
    if (target.kind === "name") {
      const read = this.expression(target);
      const store = this.store(target);
      return (frame) => {
        store(frame, inPlace(frame.thread, operator, read(frame), right(frame)));
        return Signal.Next;
      };
    }
    if (target.kind === "index") {
      const object = this.expression(target.object);
      const index = this.expression(target.index);
      return (frame) => {
        const [container, key] = [object(frame), index(frame)];
        const before = getItem(frame.thread, container, key);
        setItem(frame.thread, container, key, inPlace(frame.thread, operator, before, right(frame)));
        return Signal.Next;
      };
    }
    return (frame) => frame.thread.fail("cannot assign to a field");
  }

  private store(target: Expression): Store {
    switch (target.kind) {
      case "name": {
        const binding = this.context.resolution.names.get(target);
        const index = binding?.kind === "variable" ? binding.index : 0;
        return (frame, value) => {
          frame.variables[index] = value;
        };
      }
      case "index": {
        const object = this.expression(target.object);
        const index = this.expression(target.index);
        return (frame, value) => setItem(frame.thread, object(frame), index(frame), value);
      }
      case "list":
      case "tuple": {
        const stores = target.items.map((item) => this.store(item));
        return (frame, value) => unpack(frame, value, stores);
      }
      default:
        return (frame) => frame.thread.fail("cannot assign to a field");
    }
  }

  expression(expression: Expression): Evaluate {
    switch (expression.kind) {
      case "literal": {
        const { value } = expression;
        return () => value;
      }
      case "float": {
        const value = new Float(expression.value);
        return () => value;
      }
      case "bytes": {
        const value = new Bytes(expression.value);
        return () => value;
      }
      case "name":
        return this.name(expression);
      case "list": {
        const items = expression.items.map((item) => this.expression(item));
        return (frame) => {
          frame.thread.allocate(32 + 8 * items.length);
          return new List(items.map((item) => item(frame)));
        };
      }
      case "tuple": {
        const items = expression.items.map((item) => this.expression(item));
        return (frame) => {
          frame.thread.allocate(24 + 8 * items.length);
          return new Tuple(items.map((item) => item(frame)));
        };
      }
      case "dict":
        return this.dict(expression);
      case "comprehension":
        return this.comprehension(expression);
      case "conditional": {
        const test = this.expression(expression.test);
        const then = this.expression(expression.then);
        const otherwise = this.expression(expression.otherwise);
        return (frame) => (isTrue(test(frame)) ? then(frame) : otherwise(frame));
      }
      case "unary": {
        const { operator } = expression;
        const operand = this.expression(expression.operand);
        if (operator === "not") return (frame) => !isTrue(operand(frame));
        return (frame) => {
          const value = operand(frame);
          frame.at = expression;
          return unary(frame.thread, operator, value);
        };
      }
      case "binary":
        return this.binary(expression);
      case "lambda": {
        const body = this.expression(expression.body);
        return this.function("lambda", expression, expression.parameters, (frame) => {
          frame.result = body(frame);
          return Signal.Return;
        });
      }
      case "dot": {
        const object = this.expression(expression.object);
        const { name } = expression;
        return (frame) => {
          const value = object(frame);
          frame.at = expression;
          return attribute(frame.thread, value, name);
        };
      }
      case "index": {
        const object = this.expression(expression.object);
        const index = this.expression(expression.index);
        return (frame) => {
          const [container, key] = [object(frame), index(frame)];
          frame.at = expression;
          return getItem(frame.thread, container, key);
        };
      }
      case "slice": {
        const parts = [expression.object, expression.start, expression.stop, expression.step].map((part) =>
          part === null ? () => null : this.expression(part),
        );
        return (frame) => {
          const [object = null, start = null, stop = null, step = null] = parts.map((part) => part(frame));
          frame.at = expression;
          return slice(frame.thread, object, start, stop, step);
        };
      }
      case "call":
        return this.call(expression);
    }
  }

  private name(expression: Extract<Expression, { kind: "name" }>): Evaluate {
    const { name } = expression;
    const binding = this.context.resolution.names.get(expression);
    if (binding?.kind !== "variable") {
      const value = this.context.predeclared.get(name) as Value;
      return () => value;
    }
    const { depth, index } = binding;
    const missing = (frame: Activation): never => {
      frame.at = expression;
      let scope: Activation | null = frame;
      for (let i = 0; i < depth; i++) scope = scope?.parent ?? null;
      const kind = scope?.parent === null ? "global" : "local";
      return frame.thread.fail(`${kind} variable ${name} referenced before assignment`);
    };
    if (depth === 0) {
      return (frame) => {
        const value = frame.variables[index];
        return value === undefined ? missing(frame) : value;
      };
    }
    return (frame) => {
      let scope = frame;
      for (let i = 0; i < depth; i++) scope = scope.parent as Activation;
      const value = scope.variables[index];
      return value === undefined ? missing(frame) : value;
    };
  }

  private binary(expression: Extract<Expression, { kind: "binary" }>): Evaluate {
    const { operator } = expression;
    const left = this.expression(expression.left);
    const right = this.expression(expression.right);
    if (operator === "and") {
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? right(frame) : value;
      };
    }
    if (operator === "or") {
      return (frame) => {
        const value = left(frame);
        return isTrue(value) ? value : right(frame);
      };
    }
    return (frame) => {
      const [x, y] = [left(frame), right(frame)];
      frame.at = expression;
      return binary(frame.thread, operator, x, y);
    };
  }

  private dict({ entries }: Extract<Expression, { kind: "dict" }>): Evaluate {
    const pairs = entries.map(([key, value]) => [key, this.expression(key), this.expression(value)] as const);
    return (frame) => {
      const dict = new Dict();
      for (const [node, key, value] of pairs) {
        const [k, v] = [key(frame), value(frame)];
        frame.at = node;
        if (dict.get(frame.thread, k) !== undefined) frame.thread.fail(`duplicate key: ${toText(frame.thread, k)}`);
        dict.put(frame.thread, k, v);
      }
      return dict;
    };
  }

  private comprehension({ body, clauses }: Extract<Expression, { kind: "comprehension" }>): Evaluate {
    if (Array.isArray(body)) {
      const [key, value] = (body as readonly Expression[]).map((part) => this.expression(part)) as [Evaluate, Evaluate];
      const fill = this.clauses<Dict>(clauses, (frame, dict) => dict.put(frame.thread, key(frame), value(frame)));
      return (frame) => {
        const dict = new Dict();
        fill(frame, dict);
        return dict;
      };
    }
    const item = this.expression(body as Expression);
    const fill = this.clauses<Value[]>(clauses, (frame, items) => {
      frame.thread.allocate(8);
      items.push(item(frame));
    });
    return (frame) => {
      const items: Value[] = [];
      fill(frame, items);
      return new List(items);
    };
  }

  private clauses<Sink>(
    clauses: readonly Clause[],
    emit: (frame: Activation, sink: Sink) => void,
  ): (frame: Activation, sink: Sink) => void {
    const [clause, ...rest] = clauses;
    if (clause === undefined) return emit;
    const inner = this.clauses(rest, emit);
    if (clause.kind === "if") {
      const test = this.expression(clause.test);
      return (frame, sink) => {
        if (isTrue(test(frame))) inner(frame, sink);
      };
    }
    const values = this.expression(clause.iterable);
    const store = this.store(clause.target);
    return (frame, sink) => {
      const iterable = values(frame);
      frame.at = clause;
      iterate(frame.thread, iterable, (value) => {
        frame.thread.step();
        store(frame, value);
        inner(frame, sink);
        return false;
      });
    };
  }

  private call(expression: Extract<Expression, { kind: "call" }>): Evaluate {
    const callee = this.expression(expression.callee);
    const collect = this.arguments(expression.args);
    return (frame) => {
      const value = callee(frame);
      const [args, keywords] = collect(frame);
      frame.at = expression;
      frame.thread.step();
      if (!isCallable(value)) return frame.thread.fail(`invalid call of non-function (${typeName(value)})`);
      return value.call(frame.thread, args, keywords);
    };
  }

  private arguments(args: readonly Argument[]): (frame: Activation) => [Arguments, Keywords] {
    const parts = args.map((arg) => ({ ...arg, evaluate: this.expression(arg.value) }));
    if (parts.every(({ kind }) => kind === "positional")) {
      const evaluates = parts.map(({ evaluate }) => evaluate);
      return (frame) => [evaluates.map((evaluate) => evaluate(frame)), NO_KEYWORDS];
    }
    return (frame) => {
      const positional: Value[] = [];
      const keywords = new Map<string, Value>();
      for (const part of parts) {
        const value = part.evaluate(frame);
        if (part.kind === "positional") positional.push(value);
        else if (part.kind === "named") keywords.set(part.name ?? "", value);
        else if (part.kind === "args") {
          if (typeof value === "string" || !isIterable(value))
            frame.thread.fail(`argument after * must be iterable, not ${typeName(value)}`);
          iterate(frame.thread, value, (item) => {
            positional.push(item);
            return false;
          });
        } else spread(frame.thread, value, keywords);
      }
      return [positional, keywords];
    };
  }

  private function(
    name: string,
    node: Parameters<Resolution["functions"]["get"]>[0],
    parameters: readonly Parameter[],
    body: Execute,
  ): Evaluate {
    const { source, recursion, resolution } = this.context;
    const layout = resolution.functions.get(node) as FunctionLayout;
    const defaults = parameters.map(({ fallback }) => (fallback === null ? null : this.expression(fallback)));
    const signature = new Signature(name, parameters);
    return (frame) => {
      frame.thread.allocate(64);
      const fallbacks = defaults.map((evaluate) => evaluate?.(frame));
      return new UserFunction({ name, source, signature, layout, body, node, recursion }, frame, fallbacks);
    };
  }
}

const NO_KEYWORDS: Keywords = new Map();

function isIterable(value: Value): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    !isCallable(value) &&
    !(value instanceof Float) &&
    !(value instanceof Bytes)
  );
}

function spread(thread: Thread, value: Value, keywords: Map<string, Value>): void {
  if (!(value instanceof Dict)) thread.fail(`argument after ** must be a mapping, not ${typeName(value)}`);
  for (const [key, item] of value.entries.values()) {
    if (typeof key !== "string") thread.fail(`keywords must be strings, not ${typeName(key)}`);
    if (keywords.has(key)) thread.fail(`got multiple values for keyword argument "${key}"`);
    keywords.set(key, item);
  }
}

/** `x += y`: a list grows where it is, everything else becomes a new value. */
function inPlace(thread: Thread, operator: string, x: Value, y: Value): Value {
  if (operator === "+" && x instanceof List && isIterable(y)) {
    x.change(thread, "extend");
    const added: Value[] = [];
    iterate(thread, y, (item) => {
      thread.step();
      added.push(item);
      return false;
    });
    thread.allocate(8 * added.length);
    for (const item of added) x.items.push(item);
    return x;
  }
  if (operator === "|" && x instanceof Dict && y instanceof Dict) {
    x.change(thread, "update");
    for (const [key, value] of [...y.entries.values()]) x.put(thread, key, value);
    return x;
  }
  return binary(thread, operator, x, y);
}

function unpack(frame: Activation, value: Value, stores: readonly Store[]): void {
  const { thread } = frame;
  if (typeof value === "string" || !isIterable(value)) thread.fail(`got ${typeName(value)} in sequence assignment`);
  const items: Value[] = [];
  iterate(thread, value, (item) => {
    items.push(item);
    return items.length > stores.length;
  });
  if (items.length > stores.length) thread.fail(`too many values to unpack (got more, want ${stores.length})`);
  if (items.length < stores.length)
    thread.fail(`too few values to unpack (got ${items.length}, want ${stores.length})`);
  for (const [i, store] of stores.entries()) store(frame, items[i] as Value);
}

/** A function's parameters, and how arguments are given to them. */
class Signature {
  private readonly positional: readonly number[];
  private readonly byName = new Map<string, number>();
  private readonly args: number = -1;
  private readonly kwargs: number = -1;

  constructor(
    private readonly name: string,
    private readonly parameters: readonly Parameter[],
  ) {
    const positional: number[] = [];
    let slot = 0;
    let isKeywordOnly = false;
    for (const { kind, name: parameter } of parameters) {
      if (kind === "star") {
        isKeywordOnly = true;
        continue;
      }
      if (kind === "args") {
        isKeywordOnly = true;
        this.args = slot;
      } else if (kind === "kwargs") this.kwargs = slot;
      else {
        if (!isKeywordOnly) positional.push(slot);
        this.byName.set(parameter, slot);
      }
      slot++;
    }
    this.positional = positional;
  }

  bind(
    thread: Thread,
    into: (Value | undefined)[],
    args: Arguments,
    keywords: Keywords,
    fallbacks: readonly (Value | undefined)[],
  ): void {
    const given = Math.min(args.length, this.positional.length);
    for (let i = 0; i < given; i++) into[this.positional[i] as number] = args[i] as Value;
    if (this.args >= 0) into[this.args] = new Tuple(args.slice(given));
    else if (args.length > given) this.tooMany(thread, args.length);
    const rest = this.kwargs >= 0 ? new Dict() : null;
    for (const [name, value] of keywords) {
      const slot = this.byName.get(name);
      if (slot === undefined) {
        if (rest === null)
          thread.fail(`function ${this.name} got an unexpected keyword argument ${JSON.stringify(name)}`);
        rest.put(thread, name, value);
      } else if (into[slot] !== undefined) {
        thread.fail(`function ${this.name} got multiple values for parameter ${JSON.stringify(name)}`);
      } else into[slot] = value;
    }
    if (rest !== null) into[this.kwargs] = rest;
    this.fillIn(thread, into, fallbacks);
  }

  private tooMany(thread: Thread, count: number): never {
    const most = this.positional.length;
    const arguments_ = most === 1 ? "argument" : "arguments";
    return thread.fail(
      `function ${this.name} accepts ${most === 0 ? "no" : `at most ${most} positional`} ${arguments_} (${count} given)`,
    );
  }

  private fillIn(thread: Thread, into: (Value | undefined)[], fallbacks: readonly (Value | undefined)[]): void {
    const missing: string[] = [];
    for (const [i, { kind, name }] of this.parameters.entries()) {
      const slot = kind === "plain" ? this.byName.get(name) : undefined;
      if (slot === undefined || into[slot] !== undefined) continue;
      if (fallbacks[i] === undefined) missing.push(name);
      else into[slot] = fallbacks[i];
    }
    if (missing.length > 0) {
      thread.fail(
        `function ${this.name} missing ${missing.length} argument${missing.length === 1 ? "" : "s"} (${missing.join(", ")})`,
      );
    }
  }
}

interface Code {
  readonly name: string;
  readonly source: Source;
  readonly signature: Signature;
  readonly layout: FunctionLayout;
  readonly body: Execute;
  readonly node: { readonly line: number; readonly column: number };
  readonly recursion: boolean;
}

/** A function written in Starlark. */
class UserFunction implements Callable {
  readonly isBuiltin = false;
  private isFrozen = false;

  constructor(
    private readonly code: Code,
    private readonly parent: Activation,
    private readonly fallbacks: readonly (Value | undefined)[],
  ) {}

  get name(): string {
    return this.code.name;
  }

  call(thread: Thread, args: Arguments, keywords: Keywords): Value {
    const { name, source, signature, layout, body, node, recursion } = this.code;
    if (!recursion && thread.frames.some((frame) => (frame as Activation).code === node)) {
      thread.fail(`function ${name} called recursively`);
    }
    const frame = new Activation(thread, name, source, this.parent, node, layout.size, node);
    signature.bind(thread, frame.variables, args, keywords, this.fallbacks);
    thread.enter(frame);
    body(frame);
    thread.leave();
    return frame.result;
  }

  freeze(): void {
    if (this.isFrozen) return;
    this.isFrozen = true;
    for (const value of this.fallbacks) if (value !== undefined) freeze(value);
    for (let scope: Activation | null = this.parent; scope?.parent; scope = scope.parent) {
      for (const value of scope.variables) if (value !== undefined) freeze(value);
    }
  }
}
