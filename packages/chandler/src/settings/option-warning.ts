/** A text that was found for an option, and what may be wrong with one. */
import type { OptionProblem } from './option-row.ts';
import type { Source } from './sourced.ts';

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

/** A text, or the file that holds it, in the order in which they count. */
export interface FoundText {
  readonly source: Source;
  readonly path: string;
  readonly texts: readonly string[];
  readonly inFile: boolean;
}
