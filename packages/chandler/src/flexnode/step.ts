/**
 * The executor of the eleven steps and of nothing else: a name, what it depends on, and four acts. Order, journal,
 * ownership, dry run and undoing of files are the engine's business: a step says what should be there and how to see it.
 */
import type { World } from '@chandler/kube';
import type { Architecture, Artifacts } from './artifacts/artifacts.ts';
import type { AzureClient } from './azure/azure-client.ts';
import type { ClusterClient } from './azure/cluster-client.ts';
import type { FlexConfig } from './config/config.ts';
import type { Host } from './host/host.ts';

export const STEP_IDS = [
  'arc',
  'stop-services',
  'directories',
  'system',
  'runc',
  'containerd',
  'kubernetes',
  'cni',
  'credentials',
  'kubelet',
  'start-services',
] as const;
export type StepId = (typeof STEP_IDS)[number];

export type Phase = 'identity' | 'installation' | 'activation';

export interface Step {
  readonly id: StepId;
  /** The name that logs and results carry: `ArcInstall`, `ServicesDisabled`, … */
  readonly name: string;
  /** `Register the machine with Azure Arc`. */
  readonly title: string;
  readonly phase: Phase;
  /** Everything of the config that the step's outcome depends on: its hash is the step's fingerprint. No secrets. */
  inputs(context: StepContext): unknown;
  /** Throws a `FlexError` when executing cannot succeed. Changes nothing. */
  validate(context: StepContext): Promise<void>;
  /** Looks at the machine (not at the journal), cheaply and without a change. */
  isCompleted(context: StepContext): Promise<boolean>;
  /** May be repeated after a death at any point. */
  execute(context: StepContext): Promise<void>;
  /**
   * Takes back what is not a file: services, Azure objects, running things. The engine then puts back every file that
   * the step wrote, from its record. What could not be taken back is returned with the command that finishes the work.
   */
  undo(context: StepContext): Promise<readonly Leftover[]>;
}

export interface Leftover {
  /** `role assignment …/1f0c…`, `/etc/kubernetes/admin.conf`. */
  readonly what: string;
  readonly why: string;
  /** Exact commands that finish it. */
  readonly finish?: readonly string[];
}

export interface StepContext {
  readonly world: World;
  readonly config: FlexConfig;
  /** Everything written through it is recorded as this step's own. */
  readonly host: OwningHost;
  readonly artifacts: Artifacts;
  readonly azure: AzureClient;
  readonly cluster: ClusterClient;
  readonly facts: Facts;
  readonly architecture: Architecture;
  /** How this program is started again, for the token helper. */
  readonly self: SelfExecutable;
  readonly signal: AbortSignal;
  /** Nothing will really be done: azure, cluster and artifacts only note what they would do. */
  readonly dryRun: boolean;
  /** A line of progress within the step. */
  say(message: string, fields?: Readonly<Record<string, string | number>>): void;
}

export interface SelfExecutable {
  /** The single executable that runs now: the kubelet step puts a copy at `/usr/local/bin/chandler-flexnode`. */
  readonly copyFrom?: string;
  /** Otherwise what starts us: `['/usr/bin/node', '/opt/chandler/chandler.js', 'flexnode']`. */
  readonly argv: readonly string[];
}

export interface OwningHost extends Host {
  /**
   * Other programs will fill this place (`/var/lib/containerd`): where nothing was there before, the whole of it goes when
   * the step is undone; where something was, it stays.
   */
  claim(path: string): Promise<void>;
}

/**
 * Small things that steps learn and later steps or the undoing need (the principal's id, which units were enabled
 * before): kept in the journal, written before the effect they are about. Never a secret.
 */
export interface Facts {
  get(key: string): string | undefined;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}
