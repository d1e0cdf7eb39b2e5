/**
 * What a plan for a pod rests on beside its input: nodes that are there, NodeClaims in flight, the pod's events, which say
 * that it was nominated, and DaemonSets, which need room. Not read is not "none": then the plan does not say it.
 */
import { DAEMON_SETS, NODES } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { listFailure, type RefusalFact } from '../../causes/index.ts';

import { aboutPod, areEventsUnread } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import type { PodShape } from './shapes.ts';

export interface PlanBasis {
  /** False: it is not known whether a node is launched for the pod already, or needed at all. */
  readonly isLaunchKnown: boolean;
  /** False: a NodeClaim that the pod was nominated to may be what uses up a limit or a reservation. */
  readonly areEventsKnown: boolean;
  /** False: another NodePool may take the pod. */
  readonly arePoolsKnown: boolean;
}

/** As what is missing where not all of them could be read. */
export const ALL_POOLS = 'NodePools';

/** Reads a few objects of each kind; what cannot be read is recorded. After the input of the plan was read. */
export async function planBasis(context: GatherContext, pod: PodShape): Promise<PlanBasis> {
  const { recorder } = context;
  const isRead = await areRead(context);
  const lacksDaemons = recorder
    .evidence()
    .unread.some(({ kind, what }) => kind === 'plan' && what === DAEMON_SETS.plural);
  const areEventsKnown = !areEventsUnread(context, aboutPod(pod));
  const arePoolsKnown = !recorder
    .evidence()
    .unread.some(({ kind, what }) => kind === 'nodePool' && what === ALL_POOLS);
  return {
    areEventsKnown,
    arePoolsKnown,
    isLaunchKnown: areEventsKnown && !lacksDaemons && isRead,
  };
}

/** What a node that was launched for the pod itself would cause as well. */
export function mayBeServed({ areEventsKnown }: PlanBasis, refusals: readonly RefusalFact[]): boolean {
  return !areEventsKnown && refusals.some(({ code }) => OF_LAUNCHES.has(code));
}

/** A NodePool that could not be read may take the pod: only what is wrong with the pod itself is known. */
export function mayBeTaken({ arePoolsKnown }: PlanBasis, refusals: readonly RefusalFact[]): boolean {
  return (
    !arePoolsKnown && refusals.some(({ code, nodePool }) => nodePool !== undefined || code === 'NoPools')
  );
}

// ---------------------------------------------------------------------------------------------------

const FEW = 5;

/** Once for all pods of a question. */
const READ = new WeakMap<GatherContext['recorder'], Promise<boolean>>();

function areRead({ reader, recorder }: GatherContext): Promise<boolean> {
  const known = READ.get(recorder);
  if (known !== undefined) return known;
  const read = Promise.all(
    RESTS_ON.map(async ({ kind, resource, what }) => {
      const failure = listFailure(await reader.list(resource, { atMost: FEW }));
      if (failure !== undefined) recorder.addUnread(kind, what, failure);
      return failure === undefined;
    }),
  ).then((all) => all.every(Boolean));
  READ.set(recorder, read);
  return read;
}

const RESTS_ON = [
  { kind: 'nodeClaim', resource: NODE_CLAIMS, what: 'NodeClaims' },
  { kind: 'node', resource: NODES, what: 'Nodes' },
] as const;

const OF_LAUNCHES: ReadonlySet<string> = new Set(['LimitExceeded', 'ReservedOnly', 'NoOffering']);
