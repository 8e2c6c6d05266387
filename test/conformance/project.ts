import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type EventName, memoryTape, type Outcome, type TapeRecord, type Warning } from "@hooks/core";
import { loadHarness, type ManifestHarness, type Problem } from "@hooks/manifest";

/** A project in a temporary directory, loaded the way everybody's is. */
export class Project {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "harn-project-")));
  /** What a person got to see. */
  readonly spoken: Warning[] = [];
  private readonly tape = memoryTape();

  write(file: string, text: string, mode = 0o644): this {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    chmodSync(path, mode);
    return this;
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  /** A program that runs this shell script. */
  script(file: string, body: string): this {
    return this.write(file, `#!/bin/sh\n${body}\n`, 0o755);
  }

  get records(): readonly TapeRecord[] {
    return this.tape.records;
  }

  async load(): Promise<{ harness: ManifestHarness; warnings: readonly Problem[] }> {
    const ports = { warn: (warning: Warning) => void this.spoken.push(warning) };
    const loaded = await loadHarness({ cwd: this.root, harness: { ports, tape: this.tape } });
    if (!loaded.ok) throw new Error(loaded.message);
    return loaded;
  }

  /** Loads it anew and fires one event. */
  async fire<const E extends EventName>(event: E, payload: object): Promise<Outcome<E>> {
    const { harness } = await this.load();
    return harness.fire(event, payload as never);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
