/**
 * A smoke test of a cluster: pods that need nodes, the time of each phase until they run, and the removal of the nodes after
 * them. What it created is deleted whatever happens: a failure, a timeout, an interrupt.
 */
import {
  type Clock,
  DEPLOYMENTS,
  isApiError,
  type KubeClient,
  type KubeObject,
  NAMESPACES,
  PODS,
  type Random,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS, SMOKE_TEST_LABEL } from '../../api/index.ts';
import type { Explanation, Subject } from '../../diagnose/index.ts';
import { throughOutages } from './outage.ts';
import { smokeWhy } from './smoke-explanation.ts';
import { inflateDeployment, smokeNamespace } from './smoke-objects.ts';
import {
  currentPhase,
  isRunning,
  type Observation,
  ownClaims,
  progressText,
  type StuckPhase,
  smokeNodes,
  smokePhases,
} from './smoke-progress.ts';
import { awaitRemoval, deleteObjects } from './smoke-removal.ts';
import {
  SMOKE_PHASE_NAMES,
  SMOKE_PHASES,
  type SmokePhaseName,
  type SmokeRemoval,
  type SmokeResult,
} from './smoke-result.ts';

export interface SmokeOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborted: the test stops, deletes what it created, and throws the reason. */
  readonly signal: AbortSignal;
  readonly replicas: number;
  readonly cpu: string;
  readonly memory: string;
  readonly image: string;
  /** An existing namespace. Default: one of its own. */
  readonly namespace?: string;
  /** Only nodes of this NodePool. Default: of any. */
  readonly nodePool?: string;
  /** From the creation of the pods until all of them run; and the longest `consolidateAfter` that is waited for. */
  readonly timeoutMs: number;
  /** Whether to wait until its nodes are removed. */
  readonly awaitsRemoval: boolean;
  /** What `why` says of an object; undefined where it cannot say anything. */
  explain(subject: Subject): Promise<Explanation | undefined>;
  /** A line of progress. */
  report(line: string): void;
}

/** @throws when an object cannot be created or read, and the reason of the signal; everything is deleted before. */
export async function runSmoke(options: SmokeOptions): Promise<SmokeResult> {
  const { client, signal, random, replicas, cpu, memory, report } = options;
  const run = random.uuid().slice(0, 8);
  const namespace = options.namespace ?? smokeNamespace(run).metadata.name;
  const known = await claimNames(options);
  const deployment = inflateDeployment({ ...options, run, namespace, taints: await taintsOf(options) });
  const { name } = deployment.metadata;
  const made = { run, namespace, deployment: false, ownsNamespace: false };
  const left: string[] = [];
  let outcome: Omit<SmokeResult, 'left'>;
  try {
    if (options.namespace === undefined)
      await attempt(
        () => client.create(NAMESPACES, smokeNamespace(run), { signal }),
        (there) => (made.ownsNamespace = there),
      );
    report(`run ${run}: Deployment ${namespace}/${name}, ${replicas} pods of ${cpu} CPU and ${memory}`);
    const created = await attempt(
      () => client.create(DEPLOYMENTS as ResourceRef, deployment, { signal }),
      (there) => (made.deployment = there),
    );
    outcome = await followed(options, { run, namespace, known, created });
  } finally {
    if (made.deployment || made.ownsNamespace) report('deleting what the test created');
    left.push(...(await deleteObjects(options, made)));
    for (const each of left) report(`not deleted: ${each}`);
  }
  return { ...outcome, left };
}

// ---------------------------------------------------------------------------------------------------------------

interface Running {
  readonly run: string;
  readonly namespace: string;
  /** NodeClaims that were there before. */
  readonly known: ReadonlySet<string>;
  readonly created: Stored<KubeObject>;
}

const POLL_MS = 2_000;

/** An object whose creation was not rejected may exist, also when no answer came. */
async function attempt<T>(create: () => Promise<T>, exists: (there: boolean) => void): Promise<T> {
  exists(true);
  try {
    return await create();
  } catch (error) {
    // A server that timed out may have created it.
    if (isApiError(error) && error.status !== undefined && (error.status.code ?? 0) < 500) exists(false);
    throw error;
  }
}

async function followed(options: SmokeOptions, running: Running): Promise<Omit<SmokeResult, 'left'>> {
  const { replicas, cpu, memory } = options;
  const { run, namespace, created } = running;
  const { observation, stuck } = await awaitPods(options, running);
  const startedAt = created.metadata.creationTimestamp ?? new Date(options.clock.now()).toISOString();
  const waiting = stuck === undefined ? undefined : observation.pods.find((pod) => !isRunning(pod));
  const why =
    waiting === undefined
      ? undefined
      : await smokeWhy(options, { kind: 'pod', name: waiting.metadata.name, namespace });
  return {
    run,
    namespace,
    replicas,
    cpu,
    memory,
    startedAt,
    running: observation.pods.filter(isRunning).length,
    phases: smokePhases(observation, Date.parse(startedAt), stuck),
    nodes: smokeNodes(observation),
    ...(why === undefined ? {} : { why }),
    removal: await removal(options, running, observation, stuck),
  };
}

/** Until all pods run, or a phase takes too long. */
async function awaitPods(
  options: SmokeOptions,
  running: Running,
): Promise<{ readonly observation: Observation; readonly stuck: StuckPhase | undefined }> {
  const { clock, signal, replicas } = options;
  const startMs = clock.monotonic();
  const entered = new Map<SmokePhaseName, number>();
  let before = '';
  for (;;) {
    signal.throwIfAborted();
    const observation = await throughOutages(clock, () => observe(options, running), signal);
    const text = progressText(observation, replicas);
    if (text !== before) options.report(`${seconds(clock.monotonic() - startMs)}  ${text}`);
    before = text;
    const phase = currentPhase(observation, replicas);
    if (phase === undefined) return { observation, stuck: undefined };
    const nowMs = clock.monotonic();
    // A phase that begins again, because a launch failed and another is tried, has begun when it first did.
    for (const name of SMOKE_PHASE_NAMES.slice(0, SMOKE_PHASE_NAMES.indexOf(phase) + 1))
      if (!entered.has(name)) entered.set(name, nowMs);
    const waitedMs = nowMs - beginOf(phase, entered);
    if (waitedMs > limitOf(phase) || nowMs - startMs > options.timeoutMs)
      return { observation, stuck: { name: phase, waitedMs } };
    await clock.sleep(POLL_MS, signal);
  }
}

/** The phase that its time counts from has ended when the next one began. */
function beginOf(name: SmokePhaseName, entered: ReadonlyMap<SmokePhaseName, number>): number {
  const { since } = SMOKE_PHASES.find((row) => row.name === name)!;
  const first = since === undefined ? name : SMOKE_PHASE_NAMES[SMOKE_PHASE_NAMES.indexOf(since) + 1]!;
  return entered.get(first)!;
}

function limitOf(name: SmokePhaseName): number {
  return SMOKE_PHASES.find((row) => row.name === name)!.failMs;
}

async function observe(
  { client, signal }: SmokeOptions,
  { run, namespace, known }: Pick<Running, 'run' | 'namespace' | 'known'>,
): Promise<Observation> {
  const labelSelector = `${SMOKE_TEST_LABEL}=${run}`;
  const [pods, claims] = await Promise.all([
    client.listAll(PODS, { namespace, labelSelector, signal }),
    client.listAll(NODE_CLAIMS, { signal }),
  ]);
  return {
    pods: pods.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined),
    claims: claims.items.filter(
      ({ metadata }) => !known.has(metadata.name) && metadata.deletionTimestamp === undefined,
    ),
  };
}

async function removal(
  options: SmokeOptions,
  { namespace, created }: Running,
  observation: Observation,
  stuck: StuckPhase | undefined,
): Promise<SmokeRemoval> {
  const { client, signal } = options;
  const claims = ownClaims(observation);
  if (stuck !== undefined) return { state: 'skipped', note: 'the pods did not run' };
  if (claims.length === 0) return { state: 'skipped', note: 'no node was launched' };
  if (!options.awaitsRemoval) return { state: 'skipped', note: 'it was not waited for' };
  const key = { namespace, name: created.metadata.name };
  const patch = { type: 'merge', patch: { spec: { replicas: 0 } } } as const;
  await throughOutages(options.clock, () => client.patch(DEPLOYMENTS, key, patch, { signal }), signal);
  return awaitRemoval(options, claims);
}

async function claimNames({ client, signal }: SmokeOptions): Promise<ReadonlySet<string>> {
  const { items } = await client.listAll(NODE_CLAIMS, { signal });
  return new Set(items.map(({ metadata }) => metadata.name));
}

/** Of the NodePool that is named. Pods of other tests have no tolerations, as most pods. */
async function taintsOf({ client, signal, nodePool }: SmokeOptions) {
  if (nodePool === undefined) return [];
  const { spec } = await client.get(NODE_POOLS, { name: nodePool }, { signal });
  return spec.template.spec.taints ?? [];
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`.padStart(6);
}
