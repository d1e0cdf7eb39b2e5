/** What `chandler top` is asked for. */
import type { NonDisruptionReason } from '../../diagnose/index.ts';
import type { LiveOptions } from '../simulate/live.ts';
import type { KeyInput } from '../terminal/keys.ts';
import type { ScreenOutput } from '../terminal/screen.ts';
import type { Terminal } from '../verb.ts';
import type { NodeChoice, SortKey } from './choose-nodes.ts';

export type TopOutput = 'text' | 'wide' | 'json' | 'name';

export interface TopRequest {
  readonly live: LiveOptions;
  readonly terminal: Terminal;
  readonly output: TopOutput;
  readonly choice: NodeChoice;
  readonly sort: SortKey;
  readonly reverse: boolean;
  readonly catalogue: string | undefined;
  readonly watch: boolean;
  /** Reasons for staying by a plan; undefined: from objects and events. */
  readonly plan: (() => Promise<PlannedReasons>) | undefined;
  /** Where standard output is a terminal. */
  readonly screen: ScreenOutput | undefined;
  /** Where standard input is a terminal. */
  readonly keys: KeyInput | undefined;
}

export interface PlannedReasons {
  readonly byNode: ReadonlyMap<string, readonly NonDisruptionReason[]>;
  readonly notes: readonly string[];
}
