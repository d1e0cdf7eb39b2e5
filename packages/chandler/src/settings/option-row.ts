/**
 * The language of option tables: what one row may say, and what comes of a table. Reading texts is in
 * option-readers.ts, finding them in option-flags.ts, putting layers over each other in resolve-options.ts.
 */
import type { Sourced } from './sourced.ts';

export interface OptionTypes {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  /** Written as Go does (`1m30s`), held in milliseconds. */
  duration: number;
  list: readonly string[];
  /** `key=value,key=value`. */
  map: Readonly<Record<string, string>>;
  /** An absolute URL with a host, kept as written. */
  url: string;
  /** Kept without line breaks and blanks, which `base64` and files of Secrets add. */
  base64: string;
  /** `Name=true,Other=false` over the names of the row. */
  gates: Readonly<Record<string, boolean>>;
}

export interface OptionRow<K extends keyof OptionTypes = keyof OptionTypes, D = OptionTypes[K] | undefined> {
  /** Without the dashes: `write-kubeconfig`. */
  readonly flag: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  /** One name or several; the first that is set counts. Set to nothing is set. */
  readonly env?: string | readonly string[];
  readonly type: K;
  readonly default: D;
  /** How help names the value: `FILE`. */
  readonly placeholder?: string;
  /** One sentence, without the default, which is added. */
  readonly doc: string;
  /** Values that a string may take. */
  readonly choices?: readonly string[];
  /** Values that completion offers; others are accepted. */
  readonly suggestions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Says what would be right when the value is not; never asked about an empty text. */
  readonly check?: (value: never) => string | undefined;
  /** Says what is odd about a value that is accepted all the same; never asked about an empty text. */
  readonly doubt?: (value: never) => string | undefined;
  /** Empty is not an answer: always, or when the other values ask for it. Checked where all layers are known. */
  readonly required?: true | RequiredWhen;
  /** Never printed; read from `<ENV>_FILE` and `--<flag>-file` too, and not from the ConfigMap. */
  readonly secret?: true;
  /** A running controller takes a new value at once; without it, a restart is needed. */
  readonly runtime?: true;
  /** The key in the ConfigMap; absent for options of a command. */
  readonly settingsKey?: string;
  /** Needed before the ConfigMap can be read, so it has no key there. */
  readonly beforeSettings?: true;
  /** Heading in help and documentation. */
  readonly group?: string;
  /** Accepted because existing installations set it, and without effect for this reason. */
  readonly unused?: string;
  /** Gates of which the same is true, each with its reason. */
  readonly unusedGates?: Readonly<Record<string, string>>;
}

export interface RequiredWhen {
  readonly when: (values: PlainValues) => boolean;
  /** Completes "is required when …". */
  readonly text: string;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

export type OptionValues<T extends OptionTable> = {
  readonly [N in keyof T]: Sourced<OptionTypes[T[N]['type']] | Extract<T[N]['default'], undefined>>;
};

/** Values without their sources, by the name of the option. */
export type PlainValues = Readonly<Record<string, unknown>>;

/** What was wrong, where it stood, and what to do. */
export interface OptionProblem {
  readonly where: string;
  readonly message: string;
}

export type WarningCode =
  | 'UnknownKey'
  | 'SecretRefused'
  | 'SecretOnCommandLine'
  | 'DoubtfulValue'
  | 'BadValue'
  | 'NoEffect';

export interface OptionWarning extends OptionProblem {
  readonly code: WarningCode;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function envNames(row: OptionRow): readonly string[] {
  if (row.env === undefined) return [];
  return typeof row.env === 'string' ? [row.env] : row.env;
}

/** `node-osdisk-diskencryptionset-id` → `nodeOsdiskDiskencryptionsetId`. */
export function camelCase(flag: string): string {
  return flag.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

export interface GroupOf {
  readonly group: string;
  /** Before the name in the ConfigMap: `azure.`. */
  readonly settingsPrefix: string;
}

/** Rows of one heading, each with its ConfigMap key. The keys of the rows are the flags in camel case. */
export function optionGroup<const T extends OptionTable>(common: GroupOf, rows: T): T {
  const entries = Object.entries(rows).map(([name, row]) => [
    name,
    {
      ...row,
      group: common.group,
      ...(row.secret === true || row.beforeSettings === true
        ? {}
        : { settingsKey: row.settingsKey ?? `${common.settingsPrefix}${name}` }),
    },
  ]);
  return Object.fromEntries(entries) as T;
}
