import type { TapeEntry, TapeSink } from "@hooks/core";

/** One sink for several: each gets every record, whatever happens to the others, and the first failure counts. */
export function teeSink(...sinks: readonly TapeSink[]): Required<TapeSink> {
  function each(work: (sink: TapeSink) => unknown): unknown[] {
    const failures: unknown[] = [];
    const answers = sinks.map((sink) => {
      try {
        return work(sink);
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    });
    if (failures.length > 0) throw failures[0];
    return answers;
  }

  return {
    write(entry: TapeEntry): undefined {
      const answers = each((sink) => sink.write(entry));
      if (answers.some((answer) => answer !== undefined))
        throw new TypeError("write must be synchronous and return nothing");
    },
    commit(): undefined | Promise<undefined> {
      const waiting = each((sink) => sink.commit?.()).filter((answer) => answer !== undefined);
      if (waiting.length === 0) return undefined;
      return Promise.all(waiting).then(() => undefined);
    },
  };
}
