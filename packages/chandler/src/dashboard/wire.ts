/**
 * The JSON between the page and its server, version 1. Types only: the server and the app in the browser share them.
 *
 * Every path below needs the token (`Authorization: Bearer …`); all but `/api/v1/what-if` are GET. Errors are `WireError` with a
 * status: 400 bad question, 401 no token, 403 not permitted, 404 unknown object, 413 too large, 429 too often, 503 not read yet,
 * or the API server gives no answer.
 */
import type { VIEWS } from './views.table.ts';
import type { Totals } from './wire-totals.ts';

export type { PlaygroundAnswer } from './wire-playground.ts';
export type { NoLowerBound, Totals } from './wire-totals.ts';

/** `GET /api/v1/session`: what this page can show. */
export interface Session {
  readonly version: 1;
  /** Of the program. */
  readonly program: string;
  /** What the kubeconfig calls the cluster; the playground says `playground`. */
  readonly cluster: string;
  readonly signIn: SignIn;
  /** Changes when the server starts anew: then a sequence of before means nothing. */
  readonly epoch: string;
  readonly views: readonly View[];
  /** Kinds that cannot be shown, and why. Everything else is shown. */
  readonly missing: readonly Missing[];
  /** `live`: what was shown so far can be looked at again. `file`: there is nothing but a recording. */
  readonly recording?: 'live' | 'file';
  readonly time: ServerTime;
}

/** Whose token the page needs: that of the command that serves it, or one of Kubernetes. */
export type SignIn = 'page' | 'kubernetes';

/** The time of the cluster when it was sent. In the playground it may run faster than real time. */
export interface ServerTime {
  readonly nowMs: number;
  /** Milliseconds of the cluster in one of real time, until the next time is sent. */
  readonly speed: number;
}

export type View = (typeof VIEWS)[number];

export interface Missing {
  /** As kubectl names it: `pods`, `nodeclaims.karpenter.sh`. */
  readonly resource: string;
  readonly reason: 'denied' | 'not-installed' | 'failed';
  readonly text: string;
}

/** `GET /api/v1/snapshot`: everything that the stream changes afterwards. */
export interface Snapshot {
  readonly version: 1;
  readonly epoch: string;
  /** The stream goes on from here: `GET /api/v1/stream?epoch=…&after=…`. */
  readonly sequence: number;
  /** When it was made: at rest that may be long ago. */
  readonly atMs: number;
  readonly totals: Totals;
  readonly nodes: readonly NodeRow[];
  readonly pods: readonly PodRow[];
  readonly pools: readonly PoolRow[];
  readonly freezes: readonly Freeze[];
  readonly missing: readonly Missing[];
}

/** A Node, or a NodeClaim that has none yet. */
export interface NodeRow {
  /** Of the Node, or of the NodeClaim while it has none. */
  readonly name: string;
  readonly node: string | null;
  readonly claim: string | null;
  readonly pool: string | null;
  readonly type: string | null;
  readonly zone: string | null;
  readonly capacity: string | null;
  readonly version: string | null;
  readonly phase: NodePhase;
  /** The phase in the words of `chandler top`. */
  readonly phaseText: string;
  readonly warning: boolean;
  readonly createdMs: number | null;
  readonly pricePerHour: number | null;
  readonly cpuMillis: number | null;
  readonly memoryBytes: number | null;
  readonly maxPods: number | null;
  /** Why it stays, the most important first. */
  readonly staying: readonly { readonly code: string; readonly text: string }[];
}

export type NodePhase =
  | 'planned'
  | 'booting'
  | 'ready'
  | 'not-ready'
  | 'disrupting'
  | 'cordoned'
  | 'deleting'
  | 'failed';

/** A tuple, because there may be 150,000: namespace, name, node (empty: none), phase, millicores, bytes, workload (`Deployment/web`). */
export type PodRow = readonly [
  namespace: string,
  name: string,
  node: string,
  phase: PodPhase,
  cpuMillis: number,
  memoryBytes: number,
  workload: string,
];

/** Pending without a node: p. Pending with one: c (being created). Running: r. Leaving: l. Failed: f. */
export type PodPhase = 'p' | 'c' | 'r' | 'l' | 'f';

export interface PoolRow {
  readonly name: string;
  /** `EC2NodeClass/default`. */
  readonly nodeClass: string;
  readonly ready: boolean | null;
  readonly readyText: string;
  readonly weight: number | null;
  readonly limits: Readonly<Record<string, string>>;
  readonly budgets: readonly {
    readonly nodes: string;
    readonly reasons: readonly string[];
    readonly schedule: string | null;
    readonly duration: string | null;
  }[];
  readonly consolidation: string;
  readonly consolidateAfter: string;
}

export interface Freeze {
  /** `*` or the name of a NodePool. */
  readonly pool: string;
  readonly untilMs: number | null;
  readonly text: string;
}

/**
 * `GET /api/v1/stream?epoch=…&after=…`: server-sent events. `id` is the sequence after the changes. Event `changes`: data is
 * `Change[]`, at most ten events a second. Event `reset`: fetch the snapshot again (another epoch, or too far behind). Event `time`:
 * data is `ServerTime`, when the stream begins, before changes, when the speed has changed, and every 15 s as the heartbeat. `Last-Event-ID` (`epoch:sequence`) counts like the query.
 */
export type Change =
  | readonly ['node', NodeRow]
  | readonly ['node-gone', string]
  | readonly ['pod', PodRow]
  | readonly ['pod-gone', namespace: string, name: string]
  | readonly ['pool', PoolRow]
  | readonly ['pool-gone', string]
  | readonly ['totals', Totals]
  | readonly ['freezes', readonly Freeze[]]
  | readonly ['missing', readonly Missing[]]
  | readonly ['happened', Happened]
  /** More happened than is sent: the timeline must be asked for again. */
  | readonly ['happened-cut']
  /** What is written about NodeClaims changed, and no row need show it: `claims` must be asked for again. */
  | readonly ['claims']
  | readonly ['price', PricePoint];

/**
 * An answer with the number of the last change of the stream that was known when it was made. Answers that take work are given again
 * for a while: one that is older than a change that it depends on can be asked for again.
 */
export type Sequenced<T> = T & {
  readonly sequence: number;
  /** Of the stream that it is a number of: where there are several replicas, it may be that of another one. */
  readonly epoch?: string;
};

/** `GET /api/v1/pending`. Pods of one workload with the same answer are one group. */
export interface PendingAnswer {
  readonly atMs: number;
  readonly groups: readonly PendingGroup[];
  /** Groups that were not asked about, because there are too many. */
  readonly further: number;
}

export interface PendingGroup {
  readonly workload: string;
  readonly namespace: string;
  readonly pods: readonly string[];
  readonly count: number;
  readonly sinceMs: number | null;
  readonly answer: Explanation;
}

/** What `chandler why … -o json` prints (`explanationJson` in diagnose/json.ts), with the text that the terminal shows. */
export interface Explanation {
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly verdict: string;
  readonly standing: string;
  readonly cause: Finding | null;
  readonly also: readonly Finding[];
  readonly layers: readonly {
    readonly number: number;
    readonly layer: string;
    /** As `why` writes it: `Bootstrap and kubelet`. */
    readonly title: string;
    readonly state: string;
    readonly detail: string;
  }[];
  /** For a pending pod: the NodePools that come closest, with all that each would need. */
  readonly nearestPools: readonly { readonly nodePool: string; readonly reasons: readonly string[] }[];
  /** For a pending pod: why the other NodePools are not for it. */
  readonly otherPools: readonly string[];
  readonly staying: readonly { readonly code: string; readonly text: string; readonly at?: string }[];
  readonly journey: readonly {
    readonly at: string;
    readonly who: string;
    readonly what: string;
    readonly outcome: string;
    readonly detail: string;
  }[];
  readonly unread: readonly { readonly message?: string; readonly what?: string }[];
  readonly text: string;
}

/** As `findingJson` in causes/ writes it: the fields that the page shows. */
export interface Finding {
  readonly [field: string]: unknown;
}

/** `GET /api/v1/claims`: those under way, those of the last day, the last 50 that failed. */
export interface ClaimsAnswer {
  readonly atMs: number;
  /** Seconds from the creation of a claim to each stage, over those that succeeded. By NodePool; `*`: all. */
  readonly medians: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly claims: readonly ClaimRow[];
}

export interface ClaimRow {
  readonly name: string;
  readonly pool: string | null;
  readonly type: string | null;
  readonly node: string | null;
  readonly outcome: 'under-way' | 'succeeded' | 'failed' | 'leaving';
  readonly createdMs: number;
  readonly stages: readonly {
    readonly stage: string;
    readonly text: string;
    readonly startMs: number;
    readonly endMs: number | null;
    readonly outcome: string;
    readonly detail: string;
  }[];
  readonly cause: Finding | null;
}

/** `GET /api/v1/savings`. */
export interface SavingsAnswer {
  readonly atMs: number;
  readonly pricePerHour: number | null;
  readonly lowerBoundPerHour: number | null;
  /** Kinds that could not be read: the plan is without them, and may not be what the controller does. */
  readonly unread?: readonly string[];
  /** What the plan assumes. */
  readonly notes?: readonly string[];
  /** What would be done now, in order. */
  readonly now: readonly Move[];
  /** What keeps the other nodes: the number and price of nodes by reason. */
  readonly keeping: readonly {
    readonly code: string;
    /** What is the same for all of them; null: every node has its own text. */
    readonly text: string | null;
    readonly nodes: readonly { readonly name: string; readonly text: string }[];
    readonly pricePerHour: number | null;
  }[];
  /** The commands of the last day. */
  readonly done: readonly (Move & { readonly atMs: number; readonly outcome: string })[];
  readonly budgets: readonly BudgetLine[];
  readonly freezes: readonly Freeze[];
}

export interface Move {
  readonly method: string;
  readonly nodes: readonly string[];
  readonly replacements: readonly string[];
  readonly pods: number | null;
  readonly savedPerHour: number | null;
  readonly text: string;
}

/** One budget of a NodePool, with the windows of the next and last 24 hours in which it applies. No schedule: one window. */
export interface BudgetLine {
  readonly pool: string;
  readonly nodes: string;
  readonly reasons: readonly string[];
  /** In UTC; null: it always applies. */
  readonly schedule: string | null;
  readonly duration: string | null;
  /** Whether a window is open now. */
  readonly isActive: boolean;
  /** How many more nodes this budget permits now; null: it does not apply now, or it is not known. */
  readonly allowedNow: number | null;
  readonly windows: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** `GET /api/v1/timeline?from=…&to=…` (ms). */
export interface TimelineAnswer {
  readonly fromMs: number;
  readonly toMs: number;
  readonly happened: readonly Happened[];
  /** There is more before this time: only the newest 2,000 entries are sent. */
  readonly cutBeforeMs?: number;
  /** One point per change, at most 1,000. */
  readonly prices: readonly PricePoint[];
}

export interface PricePoint {
  readonly atMs: number;
  readonly pricePerHour: number;
}

export interface Happened {
  readonly atMs: number;
  readonly what:
    | 'event'
    | 'launch'
    | 'registered'
    | 'disruption'
    | 'interruption'
    | 'removed'
    | 'failure'
    | 'pending';
  /** `Node/x`, `Pod/ns/x`, `NodeClaim/x`, `NodePool/x`: the page links it. */
  readonly subject: string;
  readonly reason: string;
  readonly text: string;
  readonly warning: boolean;
}

/** `GET /api/v1/object?subject=Node/x`: the page of one object. Subjects: Node, NodeClaim, Pod (`Pod/ns/x`), NodePool, a node class. */
export interface ObjectAnswer {
  readonly subject: string;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly sinceMs: number | null;
  }[];
  /** Values and where they came from. */
  readonly values: readonly { readonly name: string; readonly value: string; readonly from: string }[];
  readonly labels: Readonly<Record<string, string>>;
  readonly related: readonly string[];
  readonly events: readonly Happened[];
  /** Command lines: the first is `kubectl describe …`. */
  readonly commands: readonly string[];
  readonly answer: Explanation;
}

/** `POST /api/v1/what-if`, the body is YAML or JSON of manifests. Nothing is changed. What `chandler simulate -o json` prints, in short. */
export interface WhatIfAnswer {
  readonly nodes: readonly {
    readonly pool: string;
    readonly type: string;
    readonly zone: string;
    readonly capacity: string;
    readonly pricePerHour: number | null;
    readonly pods: number;
    readonly count: number;
  }[];
  readonly onExisting: number;
  readonly pricePerHour: number | null;
  readonly refused: readonly { readonly workload: string; readonly count: number; readonly text: string }[];
  /** Pods of the cluster that were pending before: they are planned too, and are in none of the fields above. */
  readonly pendingBefore: {
    readonly pods: number;
    readonly refused: number;
    /** Nodes for them alone, and their price. */
    readonly nodes: number;
    readonly pricePerHour: number;
  };
  readonly problems: readonly string[];
  /** What was assumed. */
  readonly notes?: readonly string[];
}

export interface WireError {
  readonly error: string;
  /** What to do. */
  readonly cure?: string;
  /** With status 401. Default page. */
  readonly signIn?: SignIn;
  /** Of the answer; the page adds it. */
  readonly status?: number;
}
