/** The end of a smoke test: the nodes of its pods are removed by the controller, and its own objects are deleted. */
import {
  type Clock,
  DEPLOYMENTS,
  isApiError,
  type KubeClient,
  NAMESPACES,
  NODES,
  PODS,
  readDurationMs,
  type Stored,
} from '@chandler/kube';
import {
  KarpenterLabel,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  SMOKE_TEST_LABEL,
} from '../../api/index.ts';
import type { Explanation, Subject } from '../../diagnose/index.ts';
import { isAccessError } from '../access-error.ts';
import { durationText } from '../model/duration.ts';
import { throughOutages } from './outage.ts';
import { smokeWhy } from './smoke-explanation.ts';
import { INFLATE } from './smoke-objects.ts';
import type { SmokeRemoval } from './smoke-result.ts';

interface RemovalOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A NodePool that waits longer before it removes a node is not waited for. */
  readonly timeoutMs: number;
  explain(subject: Subject): Promise<Explanation | undefined>;
  report(line: string): void;
}

const POLL_MS = 2_000;
/** Beside what the NodePool waits by itself. Budgets may let one node go at a time. */
const REMOVAL_MS = 5 * 60_000;
const REMOVAL_PER_NODE_MS = 60_000;
/** For its own objects. */
const DELETION_MS = 60_000;

/** Until nodes and NodeClaims are deleted, once their pods are. */
export async function awaitRemoval(
  options: RemovalOptions,
  claims: readonly Stored<NodeClaim>[],
): Promise<SmokeRemoval> {
  const { client, clock, signal, report, timeoutMs } = options;
  const waits = await consolidationMs(options, claims);
  if (waits === undefined)
    return {
      state: 'skipped',
      note: 'a NodePool of these nodes does not consolidate (consolidateAfter: Never)',
    };
  if (waits > timeoutMs)
    return {
      state: 'skipped',
      note: `a NodePool of these nodes removes them only after ${durationText(waits)} (consolidateAfter), which is longer than --smoke-timeout (${durationText(timeoutMs)})`,
    };
  const limitMs = waits + REMOVAL_MS + claims.length * REMOVAL_PER_NODE_MS;
  const startMs = clock.monotonic();
  report(`scaled to 0; waiting until ${claims.length} nodes are removed`);
  for (;;) {
    const left = await throughOutages(clock, () => remaining(client, claims, signal), signal);
    const tookMs = clock.monotonic() - startMs;
    if (left.length === 0) {
      report(`${claims.length} nodes are removed`);
      return { state: 'done', tookMs, limitMs };
    }
    if (tookMs > limitMs) {
      const name = left[0]!.status?.nodeName;
      const why = name === undefined ? undefined : await smokeWhy(options, { kind: 'node', name });
      const names = left.map(({ metadata }) => metadata.name).join(', ');
      return {
        state: 'unfinished',
        tookMs,
        limitMs,
        note: `still there: ${names}`,
        ...(why === undefined ? {} : { why }),
      };
    }
    await clock.sleep(POLL_MS, signal);
  }
}

/** What has been created, or may have been. */
export interface CreatedObjects {
  readonly run: string;
  readonly namespace: string;
  readonly deployment: boolean;
  readonly ownsNamespace: boolean;
}

/**
 * Deletes the objects of the test, and waits until they are gone. It takes no signal: it also runs after an interrupt.
 * @returns what is left, each with the command that deletes it.
 */
export async function deleteObjects(
  { client, clock }: Pick<RemovalOptions, 'client' | 'clock'>,
  { run, namespace, deployment, ownsNamespace }: CreatedObjects,
): Promise<readonly string[]> {
  const name = `${INFLATE}-${run}`;
  const steps: Deletion[] = [];
  if (deployment)
    steps.push({
      what: `Deployment ${namespace}/${name} (kubectl delete deployment -n ${namespace} ${name})`,
      remove: () => client.delete(DEPLOYMENTS, { namespace, name }, { propagationPolicy: 'Background' }),
      isGone: async () =>
        (await client.find(DEPLOYMENTS, { namespace, name })) === undefined &&
        (await client.list(PODS, { namespace, labelSelector: `${SMOKE_TEST_LABEL}=${run}`, limit: 1 })).items
          .length === 0,
    });
  if (ownsNamespace)
    steps.push({
      what: `Namespace ${namespace} (kubectl delete namespace ${namespace})`,
      remove: () => client.delete(NAMESPACES, { name: namespace }),
      isGone: async () => (await client.find(NAMESPACES, { name: namespace })) === undefined,
    });
  const left: string[] = [];
  for (const step of steps) {
    const problem = await deleted(clock, step);
    if (problem !== undefined) left.push(`${step.what}: ${problem}`);
  }
  return left;
}

// ---------------------------------------------------------------------------------------------------------------

interface Deletion {
  readonly what: string;
  remove(): Promise<unknown>;
  isGone(): Promise<boolean>;
}

/** Undefined: it is gone; else why not. */
async function deleted(clock: Clock, { remove, isGone }: Deletion): Promise<string | undefined> {
  try {
    await throughOutages(clock, remove);
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    if (isAccessError(error)) return error.message;
    throw error;
  }
  const endMs = clock.monotonic() + DELETION_MS;
  for (;;) {
    try {
      if (await throughOutages(clock, isGone)) return undefined;
    } catch (error) {
      if (!isAccessError(error)) throw error;
      return error.message;
    }
    if (clock.monotonic() > endMs) return `it was still there after ${DELETION_MS / 1000} s`;
    await clock.sleep(POLL_MS);
  }
}

/** How long the NodePools leave an empty node alone; undefined: for ever. */
async function consolidationMs(
  { client, signal }: RemovalOptions,
  claims: readonly Stored<NodeClaim>[],
): Promise<number | undefined> {
  const names = new Set(claims.flatMap(({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] ?? []));
  let longest = 0;
  for (const name of names) {
    const pool = await client.find(NODE_POOLS, { name }, { signal });
    const after = pool?.spec.disruption?.consolidateAfter ?? '0s';
    const ms = readDurationMs(after);
    if (ms === undefined) return undefined;
    longest = Math.max(longest, ms);
  }
  return longest;
}

async function remaining(
  client: KubeClient,
  claims: readonly Stored<NodeClaim>[],
  signal: AbortSignal,
): Promise<readonly Stored<NodeClaim>[]> {
  const found = await Promise.all(
    claims.map(async (claim) => {
      const { name } = claim.metadata;
      const node = claim.status?.nodeName;
      const isLeft =
        (await client.find(NODE_CLAIMS, { name }, { signal })) !== undefined ||
        (node !== undefined && (await client.find(NODES, { name: node }, { signal })) !== undefined);
      return isLeft ? [claim] : [];
    }),
  );
  return found.flat();
}
