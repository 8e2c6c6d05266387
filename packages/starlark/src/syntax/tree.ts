// The syntax tree. Every node knows the line and column it starts at; an operator's node stands where the operator does.

export interface Node {
  readonly line: number;
  readonly column: number;
}

export type BinaryOperator =
  | "or"
  | "and"
  | "=="
  | "!="
  | "<"
  | ">"
  | "<="
  | ">="
  | "in"
  | "not in"
  | "|"
  | "^"
  | "&"
  | "<<"
  | ">>"
  | "+"
  | "-"
  | "*"
  | "/"
  | "//"
  | "%";

export type UnaryOperator = "-" | "+" | "~" | "not";

export interface Entry {
  readonly kind: "entry";
  readonly key: Expression;
  readonly value: Expression;
}

export type Expression = Node &
  (
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "literal"; readonly value: number | bigint | string }
    | { readonly kind: "float"; readonly value: number }
    | { readonly kind: "bytes"; readonly value: Uint8Array }
    | { readonly kind: "list" | "tuple"; readonly items: readonly Expression[] }
    | { readonly kind: "dict"; readonly entries: readonly Entry[] }
    | {
        readonly kind: "comprehension";
        /** An entry makes a dict, an expression a list. */
        readonly body: Expression | Entry;
        readonly clauses: readonly Clause[];
      }
    | { readonly kind: "unary"; readonly operator: UnaryOperator; readonly operand: Expression }
    | {
        readonly kind: "binary";
        readonly operator: BinaryOperator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: "conditional";
        readonly test: Expression;
        readonly then: Expression;
        readonly otherwise: Expression;
      }
    | { readonly kind: "lambda"; readonly parameters: readonly Parameter[]; readonly body: Expression }
    | { readonly kind: "dot"; readonly object: Expression; readonly name: string }
    | { readonly kind: "index"; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: "slice";
        readonly object: Expression;
        readonly start: Expression | null;
        readonly stop: Expression | null;
        readonly step: Expression | null;
      }
    | { readonly kind: "call"; readonly callee: Expression; readonly args: readonly Argument[] }
  );

export type Clause = Node &
  (
    | { readonly kind: "for"; readonly target: Expression; readonly iterable: Expression }
    | { readonly kind: "if"; readonly test: Expression }
  );

export type Argument = Node &
  (
    | { readonly kind: "positional" | "args" | "kwargs"; readonly value: Expression }
    | { readonly kind: "named"; readonly name: string; readonly value: Expression }
  );

export interface Parameter extends Node {
  readonly kind: "plain" | "args" | "kwargs" | "star";
  readonly name: string;
  readonly fallback: Expression | null;
}

export interface Branch {
  readonly test: Expression;
  readonly body: readonly Statement[];
}

export type Statement = Node &
  (
    | { readonly kind: "expression"; readonly expression: Expression }
    | { readonly kind: "assign"; readonly target: Expression; readonly value: Expression }
    | {
        readonly kind: "augment";
        readonly operator: BinaryOperator;
        readonly target: Expression;
        readonly value: Expression;
      }
    | {
        readonly kind: "def";
        readonly name: string;
        readonly parameters: readonly Parameter[];
        readonly body: readonly Statement[];
      }
    | {
        readonly kind: "if";
        /** The `if` and each `elif`. */
        readonly branches: readonly Branch[];
        readonly otherwise: readonly Statement[];
      }
    | {
        readonly kind: "for";
        readonly target: Expression;
        readonly iterable: Expression;
        readonly body: readonly Statement[];
      }
    | { readonly kind: "while"; readonly test: Expression; readonly body: readonly Statement[] }
    | { readonly kind: "return"; readonly value: Expression | null }
    | { readonly kind: "break" | "continue" | "pass" }
    | {
        readonly kind: "load";
        readonly module: string;
        readonly names: readonly { readonly local: string; readonly exported: string }[];
      }
  );
