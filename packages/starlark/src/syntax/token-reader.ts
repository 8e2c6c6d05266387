import { Scanner, type Token } from "./scanner.js";
import type { Node } from "./tree.js";

const MAX_DEPTH = 200;

/** Reads tokens one at a time, and says what was expected instead of what is there. */
export abstract class TokenReader {
  protected token: Token;
  private readonly scanner: Scanner;
  private depth = 0;

  constructor(source: string, file: string) {
    this.scanner = new Scanner(source, file);
    this.token = this.scanner.next();
  }

  protected fail(message: string, at: Node = this.token): never {
    this.scanner.refuse(message, at);
  }

  protected unexpected(wanted: string): never {
    const { kind, text } = this.token;
    const found =
      kind === "newline"
        ? "the end of the line"
        : kind === "end"
          ? "the end of the file"
          : kind === "indent" || kind === "outdent"
            ? "an indentation"
            : JSON.stringify(text);
    this.fail(`syntax error: got ${found}, want ${wanted}`);
  }

  protected advance(): Token {
    const { token } = this;
    this.token = this.scanner.next();
    return token;
  }

  protected is(text: string): boolean {
    return this.token.text === text && (this.token.kind === "operator" || this.token.kind === "keyword");
  }

  protected isKind(kind: Token["kind"]): boolean {
    return this.token.kind === kind;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.advance();
    return true;
  }

  protected expect(text: string): Token {
    if (!this.is(text)) this.unexpected(JSON.stringify(text));
    return this.advance();
  }

  protected name(): Token {
    if (this.token.kind !== "name") this.unexpected("a name");
    return this.advance();
  }

  /** Goes one level deeper; what is nested too deeply is refused before the stack is. */
  protected descend(): void {
    if (++this.depth > MAX_DEPTH) this.fail("nested too deeply");
  }

  protected ascend(): void {
    this.depth--;
  }
}
