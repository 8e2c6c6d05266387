/** A path that a tool call names, and what for. */
export interface PathUse {
  /** As it was named. */
  readonly path: string;
  /** The directory it is relative to. */
  readonly base: string;
  /** Whatever makes, changes, moves or removes something is a write. */
  readonly access: "read" | "write";
  /** What uses it: `rm`, `>`, `file_path`. */
  readonly by: string;
  /** Whether everything below it is used as well. */
  readonly isTree: boolean;
  /** Whether links below it are followed as well. */
  readonly followsLinks: boolean;
  /** Whether things come to be below it whose names nobody knows: what is in an archive. */
  readonly brings: boolean;
  /** Where it stands in the arguments of the tool; null when it was found inside of a text. */
  readonly field: readonly (string | number)[] | null;
}

/** Something that uses a path nobody can know before it runs. */
export interface Unclear {
  readonly by: string;
  readonly access: "read" | "write";
  readonly detail: string;
}

export interface Uses {
  readonly uses: readonly PathUse[];
  readonly unclear: readonly Unclear[];
}
