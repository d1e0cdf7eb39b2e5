/**
 * The interface of the eleven steps: a name, its inputs and four operations. The engine is responsible for order, journal,
 * ownership, dry run and undo of files; a step defines the desired state and how to check it.
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

/** They install programs, which need disk space and, unless there is a bundle, downloads. */
export const INSTALLING_STEPS: readonly StepId[] = ['arc', 'runc', 'containerd', 'kubernetes', 'cni'];

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
  /** Idempotent: may be repeated after a kill at any point. */
  execute(context: StepContext): Promise<void>;
  /** Whether executing installs a program, for checks of disk space and downloads. Default: it does. */
  installs?(context: StepContext): Promise<boolean>;
  /**
   * Undoes everything except files: services, Azure resources, processes. The engine then restores every file that the
   * step wrote. Leftovers are returned with the commands that remove them.
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
  /** A dry run: the clients and artifacts only record what they would do. */
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
   * A directory that other programs fill (`/var/lib/containerd`). Undo removes it as a whole if it did not exist before, and
   * keeps it otherwise.
   */
  claim(path: string): Promise<void>;
  /**
   * For undo, if others have modified a file after bootstrap: writes their content without our changes, and the engine leaves
   * the file as it is. Does nothing for a file that is as bootstrap wrote it, which the engine restores.
   */
  leave(path: string, content: string): Promise<void>;
}

/**
 * Values that later steps or undo need (the principal ID, which units were enabled before). They are stored in the
 * journal before the change that they are about. Never contains a secret.
 */
export interface Facts {
  get(key: string): string | undefined;
  set(key: string, value: string): Promise<void>;
  delete(key: string): Promise<void>;
}
