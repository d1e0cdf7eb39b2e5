/**
 * Mistakes that somebody could make, put in on purpose from outside, at the seams of a process: each must be found by the
 * checkers. A table: one row per bug, with the checker that has to find it. Nothing of it is in production code.
 */

import { type Clock, type Controller, keyOfObject, singleton } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';

import {
  beside,
  blind,
  type Outgoing,
  rewriting,
  swallowing,
  withCloud,
  withCluster,
  without,
} from './bug-seams.ts';
import type { BadDay } from './bug-story.ts';
import type { Seams } from './process.ts';

export interface DeliberateBug {
  readonly name: string;
  /** The checker that finds it. */
  readonly foundBy: string;
  readonly seams: Seams;
  /** What of the common story has to be different for it to show. */
  readonly day?: BadDay;
}

export const DELIBERATE_BUGS: readonly DeliberateBug[] = [
  {
    name: 'a process names machines after itself, so that the next one does not find them',
    foundBy: 'one machine per claim, ever',
    day: { deathAtAnswer: /^arm PUT .*virtualMachines/ },
    seams: {
      parts: withCloud((cloud, { name }) => ({
        create: ({ claim, ...rest }) => {
          const metadata = { ...claim.metadata, name: `${claim.metadata.name}-${name}` };
          return cloud.create({ ...rest, claim: { ...claim, metadata } }, neverAborted());
        },
      })),
    },
  },
  {
    name: 'a machine counts as gone when its deletion was asked for',
    foundBy: 'finalizers go last',
    seams: {
      parts: withCloud((cloud) => ({
        delete: (claim) => cloud.delete(claim, neverAborted()).then(() => ({ state: 'gone' })),
      })),
    },
  },
  {
    name: 'what nobody owns is not collected',
    foundBy: 'nothing leaks',
    seams: { controllers: without('nodeclaim.garbagecollection', 'networkinterface.garbagecollection') },
  },
  {
    name: 'pods are deleted, not evicted',
    foundBy: 'pods go by the rules',
    seams: { kubeFetch: rewriting(deletedInstead) },
  },
  {
    name: 'do-not-disrupt is not seen',
    foundBy: 'pods go by the rules',
    seams: { kubeFetch: blind(/"karpenter\.sh\/do-not-disrupt":"true"/g, '"ignored":"true"') },
  },
  {
    name: 'every pod is an ordinary one',
    foundBy: 'pods go by the rules',
    seams: { kubeFetch: blind(/"priorityClassName":"system-[a-z-]+"/g, '"priorityClassName":"ordinary"') },
  },
  {
    name: 'limits are not seen',
    foundBy: 'limits hold',
    seams: { kubeFetch: blind(/"limits":\{"cpu":"\d+"\}/g, '"limits":{"cpu":"1000"}') },
  },
  {
    name: 'claims that have no node yet are not planned with',
    foundBy: 'launches are bounded',
    day: { bootMs: 60_000 },
    seams: {
      context: withCluster((cluster) => ({
        nodes: () => [...cluster.nodes()].filter(({ initialized }) => initialized).values(),
        reservedClaim: () => undefined,
      })),
    },
  },
  {
    name: 'something is written every minute',
    foundBy: 'nothing is written in a quiet world',
    day: { quiet: true },
    seams: { controllers: (all, context) => [...all, fidget(context)] },
  },
  {
    name: 'something is written as often as it can be',
    foundBy: 'nobody writes over and over',
    seams: { controllers: (all, context) => [...all, fidget(context, 100)] },
  },
  {
    name: 'something fails again and again',
    foundBy: 'nothing fails in a quiet world',
    day: { quiet: true },
    seams: { controllers: (all, { world }) => [...all, stumble(world)] },
  },
  {
    name: 'a condition goes back',
    foundBy: 'conditions move by the table',
    seams: { kubeFetch: rewriting(backwards) },
  },
  {
    name: 'writes do not say what they were based on',
    foundBy: 'writes are conditional',
    seams: { kubeFetch: rewriting(unconditional) },
  },
  {
    name: 'processes lead without being elected',
    foundBy: 'one writer',
    day: { election: true },
    seams: { env: { DISABLE_LEADER_ELECTION: 'true' } },
  },
  {
    name: 'what a machine is told is logged',
    foundBy: 'secrets appear nowhere',
    seams: {
      armFetch: beside(({ log }, { body }) => {
        const customData = body?.properties?.osProfile?.customData as string | undefined;
        if (customData !== undefined)
          log.debug('custom data', { text: Buffer.from(customData, 'base64').toString() });
      }),
    },
  },
  {
    name: 'refusals are kept to oneself',
    foundBy: 'everybody runs or knows why',
    seams: { kubeFetch: swallowing(/"reason":"FailedScheduling"/) },
  },
  {
    name: 'nodes that never join are waited for',
    foundBy: 'the world comes to rest',
    day: { azure: ['never-register'] },
    seams: {
      kubeFetch: blind(
        /("type":"Registered","status":"Unknown"[^}]*"lastTransitionTime":")[^"]+/g,
        '$12126-01-01T00:00:00Z',
      ),
    },
  },
  {
    name: 'too many requests is taken for any other trouble',
    foundBy: 'call rates hold',
    day: { azure: ['throttle=20@count=40'] },
    seams: {
      armFetch: (send) => async (input, init) => {
        const answer = await send(input, init);
        return answer.status === 429 ? new Response(answer.body, { status: 500 }) : answer;
      },
    },
  },
  {
    name: 'every request leaves a timer behind',
    foundBy: 'nothing grows without end',
    seams: { kubeFetch: beside(({ clock }) => timers(clock)) },
  },
];

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

/** Ten for each, so that a short story will do. */
function timers(clock: Clock): void {
  for (let count = 0; count < 10; count++) clock.after(24 * 3600_000, () => undefined);
}

/** A claim that drains was never launched. */
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
