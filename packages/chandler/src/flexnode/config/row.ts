/**
 * One row per key that a config file may hold. From it come the reading, its refusals, the JSON schema and the reference
 * page: nothing about a key is said twice.
 */

export interface ConfigRow {
  /** `azure.arc.machineName`. */
  readonly path: string;
  readonly type: ConfigType;
  /** What it decides, for the reference. A sentence without a full stop. */
  readonly doc: string;
  /** Told `<path> is required` when it is not there. */
  readonly required?: true;
  /** The same, once the object of this path is there. */
  readonly requiredWith?: string;
  /** What stands when it is left out. */
  readonly fallback?: unknown;
  /** The same in words, where it is worked out. */
  readonly fallbackDoc?: string;
  readonly choices?: readonly string[];
  /** Other spellings of a choice. */
  readonly otherChoices?: Readonly<Record<string, string>>;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Looks at a text (of a list or a map: at each); what is wrong, or nothing. */
  readonly check?: TextCheck;
  /** Looks at the names of a map. */
  readonly checkName?: TextCheck;
  /** Names that a map may hold; anything otherwise. */
  readonly names?: readonly string[];
  /** For the schema; the check decides. */
  readonly pattern?: string;
  /** Must not be readable by others than the owner of the file. */
  readonly secret?: true;
  /** Names that the other schema has for it. */
  readonly alsoNamed?: readonly AlsoNamed[];
}

export interface AlsoNamed {
  readonly path: string;
  /** It wins where both are given: it is the newer one. */
  readonly newer: boolean;
  /** What it may look like under this name, where that differs. */
  readonly check?: TextCheck;
}

export type ConfigType =
  | 'string'
  | 'boolean'
  | 'integer'
  /** A list of texts, or a single one. */
  | 'texts'
  /** Names to texts. */
  | 'map'
  /** Anything below is handed on as it is. */
  | 'object';

export type TextCheck = (text: string) => CheckFailure | undefined;

export interface CheckFailure {
  readonly message: string;
  readonly suggestion?: string;
}

/** A key of the original that says nothing to this agent; the warning tells why. */
export interface IgnoredKey {
  /** This key and everything below it. */
  readonly path: string;
  readonly why: string;
  /** It holds a secret all the same. */
  readonly secret?: true;
}
