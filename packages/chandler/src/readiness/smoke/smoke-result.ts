/**
 * The result of a smoke test, and the limits of its phases. It is an input of check S-61, and reports print it; `run-smoke.ts`
 * makes it.
 */

export interface SmokePhaseRow {
  readonly name: SmokePhaseName;
  /** What has happened when it is over. */
  readonly title: string;
  /** The phase from whose end the time counts. Default: the one before. */
  readonly since?: SmokePhaseName;
  /** Longer than this is a warning. */
  readonly warnMs: number;
  /** Longer than this is a failure, and the test stops. */
  readonly failMs: number;
}

export const SMOKE_PHASE_NAMES = [
  'pending',
  'claims',
  'launched',
  'registered',
  'initialized',
  'running',
] as const;
export type SmokePhaseName = (typeof SMOKE_PHASE_NAMES)[number];

const MINUTE_MS = 60_000;

export const SMOKE_PHASES: readonly SmokePhaseRow[] = [
  { name: 'pending', title: 'pods are created', warnMs: MINUTE_MS / 2, failMs: MINUTE_MS },
  { name: 'claims', title: 'NodeClaims are created', warnMs: MINUTE_MS / 2, failMs: 2 * MINUTE_MS },
  { name: 'launched', title: 'instances are launched', warnMs: MINUTE_MS, failMs: 5 * MINUTE_MS },
  {
    name: 'registered',
    title: 'nodes have joined',
    since: 'claims',
    warnMs: 3 * MINUTE_MS,
    failMs: 5 * MINUTE_MS,
  },
  { name: 'initialized', title: 'nodes are initialized', warnMs: MINUTE_MS, failMs: 5 * MINUTE_MS },
  { name: 'running', title: 'pods run', warnMs: MINUTE_MS, failMs: 5 * MINUTE_MS },
];

/** `notNeeded`: the pods found room on nodes that were there already. */
export type SmokePhaseState = 'done' | 'stuck' | 'notReached' | 'notNeeded';

export interface SmokePhase {
  readonly name: SmokePhaseName;
  readonly title: string;
  readonly state: SmokePhaseState;
  /** Of a phase that is over, by the times that the cluster wrote; of one that is stuck, how long it was waited for. */
  readonly tookMs?: number;
  readonly warnMs: number;
  readonly failMs: number;
}

export interface SmokeNode {
  readonly nodeClaim: string;
  readonly nodePool: string;
  readonly node: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** What `why` says of the object that the test waits for. */
export interface SmokeWhy {
  readonly subject: string;
  readonly verdict: string;
  readonly cause?: {
    readonly id: string;
    readonly title: string;
    readonly summary: string;
    readonly fix: string;
  };
  /** As `chandler why` prints it. */
  readonly text: string;
  /** As `chandler why -o json` prints it. */
  readonly explanation: object;
}

export interface SmokeRemoval {
  /** `unfinished`: nodes were still there at the end. `skipped`: it was not waited for, and `note` says why. */
  readonly state: 'done' | 'unfinished' | 'skipped';
  readonly tookMs?: number;
  readonly limitMs?: number;
  readonly note?: string;
  /** Of a node that is still there. */
  readonly why?: SmokeWhy;
}

export interface SmokeResult {
  /** Its objects have the label chandler.sh/smoke-test with this value. */
  readonly run: string;
  readonly namespace: string;
  readonly replicas: number;
  /** Requests of each pod. */
  readonly cpu: string;
  readonly memory: string;
  readonly startedAt: string;
  /** Pods that were running at the end. */
  readonly running: number;
  readonly phases: readonly SmokePhase[];
  /** Nodes that were launched for its pods. */
  readonly nodes: readonly SmokeNode[];
  /** Of a pod that does not run. */
  readonly why?: SmokeWhy;
  readonly removal: SmokeRemoval;
  /** What could not be deleted, each with the command that deletes it. */
  readonly left: readonly string[];
}
