/** The dependencies of a run, and the paths of its state. */
import type { World } from '@chandler/kube';
import type { Architecture, Artifacts } from '../artifacts/artifacts.ts';
import type { AzureClient } from '../azure/azure-client.ts';
import type { ClusterClient } from '../azure/cluster-client.ts';
import type { FlexConfig } from '../config/config.ts';
import type { MachineHost } from '../host/machine-host.ts';
import type { SelfExecutable, Step } from '../step.ts';

export interface Parts {
  readonly world: World;
  readonly host: MachineHost;
  readonly config: FlexConfig;
  readonly artifacts: Artifacts;
  readonly azure: AzureClient;
  readonly cluster: ClusterClient;
  readonly architecture: Architecture;
  readonly self: SelfExecutable;
  /** In the order of `STEP_IDS`. */
  readonly steps: readonly Step[];
  /** This process, as the lock names it. */
  readonly pid: number;
}

export const STATE_FOLDER = '/var/lib/chandler-flexnode';
export const JOURNAL_PATH = `${STATE_FOLDER}/journal.jsonl`;
export const BACKUP_FOLDER = `${STATE_FOLDER}/backup`;
/** On tmpfs: gone with the next start of the machine. */
export const RUN_FOLDER = '/run/chandler-flexnode';
export const LOCK_PATH = `${RUN_FOLDER}/lock`;
