/** What a turn has cost so far. */
export interface Turn {
  completions: number;
  tokens: number;
}

const MAX_SESSIONS = 1_000;

/** The turns that are under way, by session. Sessions end without a word, so the oldest are forgotten. */
export class Turns {
  private readonly turns = new Map<string, Turn>();

  begin(session: string): void {
    this.turns.delete(session);
  }

  of(session: string): Turn {
    const turn = this.turns.get(session) ?? { completions: 0, tokens: 0 };
    this.turns.delete(session);
    this.turns.set(session, turn);
    const [oldest] = this.turns.keys();
    if (this.turns.size > MAX_SESSIONS && oldest !== undefined) this.turns.delete(oldest);
    return turn;
  }
}
