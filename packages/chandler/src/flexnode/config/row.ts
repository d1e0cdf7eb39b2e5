/**
 * The row type of the table of config keys. Validation, error messages, the JSON schema and the reference page are
 * derived from the rows.
 */

export interface ConfigRow {
  /** `azure.arc.machineName`. */
  readonly path: string;
  readonly type: ConfigType;
  /** The description for the reference, without a full stop. */
  readonly doc: string;
  /** A missing key is the error `<path> is required`. */
  readonly required?: true;
  /** The same, once the object of this path is there. */
  readonly requiredWith?: string;
  /** The default value. */
  readonly fallback?: unknown;
  /** The description of a computed default. */
  readonly fallbackDoc?: string;
  readonly choices?: readonly string[];
  /** Other spellings of a choice. */
  readonly otherChoices?: Readonly<Record<string, string>>;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Checks a string, or each string of a list or map. */
  readonly check?: TextCheck;
  /** Looks at the names of a map. */
  readonly checkName?: TextCheck;
  /** Names that a map may hold; anything otherwise. */
  readonly names?: readonly string[];
  /** For the schema; the check decides. */
  readonly pattern?: string;
  /** Must not be readable by others than the owner of the file. */
  readonly secret?: true;
  /** The names of the key in the other schema. */
  readonly alsoNamed?: readonly AlsoNamed[];
}

export interface AlsoNamed {
  readonly path: string;
  /** The newer name, which takes precedence if both are set. */
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

/** A key of the original schema without effect in this agent; a warning gives the reason. */
export interface IgnoredKey {
  /** This key and everything below it. */
  readonly path: string;
  readonly why: string;
  /** Its value is a secret, although it has no effect. */
  readonly secret?: true;
}
