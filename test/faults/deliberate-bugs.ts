/**
 * Mistakes that somebody could make, put in on purpose from outside, at the seams of a process: each must be found by the
 * checkers. A table: one row per bug, with the checker that has to find it. Nothing of it is in production code.
 */
import type { Instance } from '../../src/cloud/cloud.ts';
import type { ControllerContext } from '../../src/controllers/context.ts';
import { type Controller, keyOfObject, NODE_POOLS, singleton } from '../../src/kube/index.ts';
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
import type { Seams } from './process.ts';

export interface DeliberateBug {
  readonly name: string;
  /** The checker that finds it. */
  readonly foundBy: string;
  /** In whose story it shows. */
  readonly seed: number;
  readonly seams: Seams;
}

export const DELIBERATE_BUGS: readonly DeliberateBug[] = [
  {
    name: 'a process names machines after itself, so that the next one does not find them',
    foundBy: 'one machine per claim, ever',
    seed: 0,
    seams: {
      parts: withCloud((cloud, { name }) => ({
        create: ({ claim, ...rest }) => {
          const metadata = { ...claim.metadata, name: `${claim.metadata.name}-${name}` };
          return cloud.create({ ...rest, claim: { ...claim, metadata } });
        },
      })),
    },
  },
  {
    name: 'a machine counts as gone when its deletion was asked for',
    foundBy: 'finalizers go last',
    seed: 0,
    seams: {
      parts: withCloud((cloud) => ({
        delete: (claim) => cloud.delete(claim).then(() => ({ state: 'gone' })),
      })),
    },
  },
  {
    name: 'what nobody owns is not collected',
    foundBy: 'nothing leaks',
    seed: 0,
    seams: { controllers: without('nodeclaim.garbagecollection', 'networkinterface.garbagecollection') },
  },
  {
    name: 'a machine that was listed once is believed to be there for ever',
    foundBy: 'no claim without a machine',
    seed: 0,
    seams: {
      parts: withCloud((cloud) => {
        const known = new Map<string, Instance>();
        return {
          async list() {
            for (const machine of await cloud.list()) known.set(machine.providerID, machine);
            return [...known.values()].map((machine) => ({ ...machine, deleting: false }));
          },
        };
      }),
    },
  },
  {
    name: 'pods are deleted, not evicted',
    foundBy: 'pods go by the rules',
    seed: 0,
    seams: { kubeFetch: rewriting(deletedInstead) },
  },
  {
    name: 'do-not-disrupt is not seen',
    foundBy: 'pods go by the rules',
    seed: 0,
    seams: { kubeFetch: blind(/"karpenter\.sh\/do-not-disrupt":"true"/g, '"ignored":"true"') },
  },
  {
    name: 'every pod is an ordinary one',
    foundBy: 'pods go by the rules',
    seed: 0,
    seams: { kubeFetch: blind(/"priorityClassName":"system-[a-z-]+"/g, '"priorityClassName":"ordinary"') },
  },
  {
    name: 'limits are not seen',
    foundBy: 'limits hold',
    seed: 0,
    seams: { kubeFetch: blind(/"limits":\{"cpu":"\d+"\}/g, '"limits":{"cpu":"1000"}') },
  },
  {
    name: 'claims that have no node yet are not planned with',
    foundBy: 'launches are bounded',
    seed: 0,
    seams: {
      context: withCluster((cluster) => ({
        nodes: () => [...cluster.nodes()].filter(({ initialized }) => initialized).values(),
        promisedTo: () => undefined,
      })),
    },
  },
  {
    name: 'something is written every minute',
    foundBy: 'nothing is written in a quiet world',
    seed: 0,
    seams: { controllers: (all, context) => [...all, fidget(context)] },
  },
  {
    name: 'a condition goes back',
    foundBy: 'conditions move by the table',
    seed: 0,
    seams: { kubeFetch: rewriting(backwards) },
  },
  {
    name: 'writes do not say what they were based on',
    foundBy: 'writes are conditional',
    seed: 0,
    seams: { kubeFetch: rewriting(unconditional) },
  },
  {
    name: 'processes lead without being elected',
    foundBy: 'one writer',
    seed: 0,
    seams: { env: { DISABLE_LEADER_ELECTION: 'true' } },
  },
  {
    name: 'what a machine is told is logged',
    foundBy: 'secrets appear nowhere',
    seed: 0,
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
    seed: 0,
    seams: { kubeFetch: swallowing(/"reason":"FailedScheduling"/) },
  },
  {
    name: 'nodes that never join are waited for',
    foundBy: 'the world comes to rest',
    seed: 0,
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
    seed: 0,
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
    seed: 0,
    seams: { kubeFetch: beside(({ clock }) => void clock.after(24 * 3600_000, () => undefined)) },
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

function fidget({ world, client, stores }: ControllerContext): Controller {
  return singleton({
    name: 'fidget',
    world,
    everyMs: 60_000,
    async run() {
      for (const pool of stores.pools.store.values()) {
        const annotations = { fidget: `${world.clock.now()}` };
        const patch = { metadata: { resourceVersion: pool.metadata.resourceVersion, annotations } };
        await client.patch(NODE_POOLS, keyOfObject(pool), { type: 'merge', patch });
      }
    },
  });
}
