/** The requests of a case, and the recorded answers. `case-file.ts` reads and writes them. */

export interface CaseFile {
  readonly topic: string;
  /** Requests made once before the cases of the file, for what is cluster-wide (CRDs, roles). Not recorded. */
  readonly setup: readonly Step[];
  readonly cases: readonly Case[];
}

export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Why the case cannot run on a real server; its answer is then written by hand. */
  readonly skipOnReal?: string;
}

export interface Step {
  /** `POST /api/v1/namespaces/$ns/pods`; `$name` is the case's namespace or something saved before. */
  readonly request: string;
  /** The body as YAML; sent as JSON unless `raw` is used. */
  readonly body?: unknown;
  /** The body as it is sent. */
  readonly raw?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The user: `admin` by default. */
  readonly as?: 'admin' | 'alice' | 'nobody';
  /** Names for values of the answer, by path, to be used in later steps. */
  readonly save?: Readonly<Record<string, string>>;
  /** A watch: reads this many events and closes. */
  readonly events?: number;
  /** Compares only these paths of the answer. */
  readonly only?: readonly string[];
  /** Keeps metadata.managedFields in the comparison. */
  readonly managedFields?: boolean;
  /** Repeats the request until the answer has this status or this value at a path; the last answer counts. */
  readonly until?: { readonly status?: number; readonly path?: string; readonly equals?: unknown };
  /** The request prepares something; its answer is not compared, but it must succeed, or reach `until`. */
  readonly quiet?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body?: unknown;
  readonly events?: readonly unknown[];
}

/** Answers of the steps of each case that are compared, by name of the case. */
export type Recording = Readonly<Record<string, readonly Answer[]>>;
