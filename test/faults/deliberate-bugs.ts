/**
 * Plausible mistakes, injected from outside at the seams of a process; the checkers must find each of them.
 * One row per bug, with the checker that has to find it. Production code contains none of it.
 */

import { type Clock, type Controller, keyOfObject, singleton } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';

import { beside, blind, type Outgoing, rewriting, swallowing, withCloud, withCluster } from './bug-seams.ts';
import { type CloudBug, cloudBugs, DEFAULT_CLOUD } from './clouds.ts';
import type { DeliberateBug } from './deliberate-bug.ts';
import { DISRUPTION_BUGS } from './disruption-bugs.ts';
import type { Seams } from './process.ts';
import { isWatch, pathOf } from './request.ts';

const BUGS: readonly DeliberateBug[] = [
  {
    name: 'a VM counts as deleted as soon as its deletion is requested',
    foundBy: 'finalizer order',
    seams: {
      parts: withCloud((cloud) => ({
        delete: (claim) => cloud.delete(claim, neverAborted()).then(() => ({ state: 'gone' })),
      })),
    },
  },
  {
    name: 'pods are deleted instead of evicted',
    foundBy: 'drain rules',
    seams: { kubeFetch: rewriting(deletedInstead) },
  },
  {
    name: 'do-not-disrupt is ignored',
    foundBy: 'drain rules',
    seams: { kubeFetch: blind(/"karpenter\.sh\/do-not-disrupt":"true"/g, '"ignored":"true"') },
  },
  {
    name: 'the drain order is ignored',
    foundBy: 'drain rules',
    seams: { kubeFetch: blind(/"priorityClassName":"system-[a-z-]+"/g, '"priorityClassName":"ordinary"') },
  },
  {
    name: 'NodePool limits are ignored',
    foundBy: 'NodePool limits',
    seams: { kubeFetch: blind(/"limits":\{"cpu":"\d+"\}/g, '"limits":{"cpu":"1000"}') },
  },
  {
    name: 'in-flight NodeClaims are ignored by the planner',
    foundBy: 'bounded launches',
    scenario: { bootMs: 60_000 },
    seams: {
      context: withCluster((cluster) => ({
        nodes: () => [...cluster.nodes()].filter(({ initialized }) => initialized).values(),
        reservedClaim: () => undefined,
      })),
    },
  },
  {
    name: 'an object is written every minute',
    foundBy: 'no writes when stable',
    scenario: { quiet: true },
    seams: { controllers: (all, context) => [...all, fidget(context)] },
  },
  {
    name: 'an object is written in a loop',
    foundBy: 'no write loops',
    seams: { controllers: (all, context) => [...all, fidget(context, 100)] },
  },
  {
    name: 'a reconcile fails repeatedly',
    foundBy: 'no errors when stable',
    scenario: { quiet: true },
    seams: { controllers: (all, { world }) => [...all, stumble(world)] },
  },
  {
    name: 'a condition changes back',
    foundBy: 'condition transitions',
    seams: { kubeFetch: rewriting(backwards) },
  },
  {
    name: 'writes have no precondition',
    foundBy: 'conditional writes',
    seams: { kubeFetch: rewriting(unconditional) },
  },
  {
    name: 'leader election is skipped',
    foundBy: 'single writer',
    scenario: { election: true },
    seams: { env: { DISABLE_LEADER_ELECTION: 'true' } },
  },
  {
    name: 'no event is recorded for a refusal',
    foundBy: 'every pod runs or is explained',
    seams: { kubeFetch: swallowing(/"reason":"FailedScheduling"/) },
  },
  {
    name: 'there is no registration timeout',
    foundBy: 'convergence',
    scenario: { cloud: ['never-register'] },
    seams: {
      kubeFetch: blind(
        /("type":"Registered","status":"Unknown"[^}]*"lastTransitionTime":")[^"]+/g,
        '$12126-01-01T00:00:00Z',
      ),
    },
  },
  {
    name: 'a watch that was cut is opened again only after a minute',
    foundBy: 'cut watches are opened again',
    scenario: { proxy: { maxConnectionMs: 35_000, how: 'reset' }, quiet: true },
    seams: { kubeFetch: withSlowWatches(60_000) },
  },
  {
    name: 'every request leaks a timer',
    foundBy: 'bounded resources',
    seams: { kubeFetch: beside(({ clock }) => timers(clock)) },
  },
];

/** Those of every cloud, which are run on the first, and those of each cloud. */
export async function deliberateBugs(): Promise<readonly CloudBug[]> {
  const shared = [...BUGS, ...DISRUPTION_BUGS].map((bug) => ({ ...bug, cloud: DEFAULT_CLOUD }));
  return [...shared, ...(await cloudBugs())];
}

// ---------------------------------------------------------------------------------------------------

function deletedInstead({ path, body }: Outgoing): Partial<Outgoing> | undefined {
  if (!path.endsWith('/eviction')) return undefined;
  const preconditions = body.deleteOptions?.preconditions;
  return {
    method: 'DELETE',
    path: path.replace(/\/eviction$/, ''),
    body: { apiVersion: 'v1', kind: 'DeleteOptions', preconditions },
  };
}

/** The first watch of each kind is opened at once. */
function withSlowWatches(delayMs: number): NonNullable<Seams['kubeFetch']> {
  return (send, { clock }) => {
    const opened = new Set<string>();
    return async (input, init) => {
      if (isWatch(input) && opened.has(pathOf(input))) await clock.sleep(delayMs);
      if (isWatch(input)) opened.add(pathOf(input));
      return send(input, init);
    };
  };
}

/** Ten for each, so that a short workload is enough. */
function timers(clock: Clock): void {
  for (let count = 0; count < 10; count++) clock.after(24 * 3600_000, () => undefined);
}

/** Treats a claim that is being drained as never launched. */
function backwards({ path, body }: Outgoing): Partial<Outgoing> | undefined {
  const conditions = body?.status?.conditions as { type: string; status: string }[] | undefined;
  if (!/\/nodeclaims\/[^/]+\/status$/.test(path) || !conditions?.some(({ type }) => type === 'Drained'))
    return undefined;
  const changed = conditions.map((each) =>
    each.type === 'Launched' ? { ...each, status: 'Unknown' } : each,
  );
  return { body: { ...body, status: { ...body.status, conditions: changed } } };
}

function unconditional({ method, body }: Outgoing): Partial<Outgoing> | undefined {
  if (method !== 'PATCH' || body?.metadata?.resourceVersion === undefined) return undefined;
  const { resourceVersion: _, ...metadata } = body.metadata;
  return { body: { ...body, metadata } };
}

function stumble(world: ControllerContext['world']): Controller {
  return singleton({
    name: 'stumble',
    world,
    everyMs: 60_000,
    run: () => Promise.reject(new Error('this never works')),
  });
}

function fidget({ world, client, stores }: ControllerContext, everyMs = 60_000): Controller {
  return singleton({
    name: 'fidget',
    world,
    everyMs,
    async run() {
      for (const pool of stores.pools.store.values()) {
        const annotations = { fidget: `${world.clock.now()}` };
        const patch = { metadata: { resourceVersion: pool.metadata.resourceVersion, annotations } };
        await client.patch(NODE_POOLS, keyOfObject(pool), { type: 'merge', patch });
      }
    },
  });
}
