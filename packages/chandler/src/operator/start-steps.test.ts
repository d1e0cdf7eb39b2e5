import { type Clock, type Fetch, fetchTransport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES } from '../api/index.ts';
import { Stores } from '../state/index.ts';
import { SYNC_LIMIT_MS, synced } from './start-steps.ts';

const PAGES = 10;

interface Server {
  /** The kind that is listed page by page, with a delay each; every other list is empty and immediate. */
  readonly slow?: string;
  readonly pageMs?: (page: number) => number;
  /** The kind that may not be read. */
  readonly forbidden?: string;
}

function aServer(clock: Clock, { slow = 'pods', pageMs = () => 0, forbidden }: Server): Fetch {
  return async (input, init) => {
    const url = new URL(String(input));
    if (url.searchParams.has('watch')) return new Response(new ReadableStream());
    const isSlow = url.pathname.endsWith(`/${slow}`);
    if (forbidden !== undefined && url.pathname.endsWith(`/${forbidden}`)) {
      const status = {
        kind: 'Status',
        status: 'Failure',
        reason: 'Forbidden',
        message: 'no role',
        code: 403,
      };
      return new Response(JSON.stringify(status), { status: 403 });
    }
    const page = Number(url.searchParams.get('continue') ?? 0);
    if (isSlow) await clock.sleep(pageMs(page), init?.signal ?? undefined);
    const more = isSlow && page + 1 < PAGES ? { continue: String(page + 1) } : {};
    const items = isSlow
      ? [{ metadata: { name: `p${page}`, namespace: 'default', uid: `${page}`, resourceVersion: '1' } }]
      : [];
    return new Response(JSON.stringify({ metadata: { resourceVersion: '7', ...more }, items }));
  };
}

async function start(server: Server) {
  const world = virtualWorld();
  const transport = fetchTransport(aServer(world.clock, server));
  const stores = new Stores({
    world,
    transport,
    nodeClasses: [AKS_NODE_CLASSES],
    overlays: true,
    selectors: true,
    workloads: true,
  });
  let end: unknown;
  const going = synced(world, stores, new AbortController().signal).then(
    () => {
      end = 'synced';
    },
    (error: unknown) => {
      end = error;
    },
  );
  for (let step = 0; step < 3600 && end === undefined; step++) await world.clock.advance(1_000);
  await going;
  const stopping = stores.stop();
  await world.clock.advance(120_000);
  await stopping;
  return { end, seconds: world.clock.monotonic() / 1000 };
}

describe('a start that syncs its caches', () => {
  test('waits for a large cluster as long as pages arrive', async () => {
    const { end, seconds } = await start({ pageMs: () => 20_000 });
    expect(end).toBe('synced');
    expect(seconds * 1000).toBeGreaterThan(SYNC_LIMIT_MS);
  });

  test('fails when no page arrives any more, and names the missing kinds', async () => {
    const { end } = await start({ pageMs: (page) => (page < 3 ? 1_000 : 24 * 3600_000) });
    expect(String(end)).toContain('these could not be read: pods');
  });

  test.each([
    ['aksnodeclasses'],
    ['nodeoverlays'],
    ['services'],
    ['replicasets'],
    ['replicationcontrollers'],
  ])('counts pages of %s as progress', async (slow) => {
    const { end } = await start({ slow, pageMs: () => 20_000 });
    expect(end).toBe('synced');
  });

  test.each([['pods'], ['aksnodeclasses'], ['services'], ['statefulsets']])(
    'names %s when they may not be read, and the roles to grant',
    async (forbidden) => {
      const { end } = await start({ forbidden });
      expect(end).toMatchObject({ code: 'Forbidden' });
      expect(String(end)).toContain(`these could not be read: ${forbidden}`);
      expect(String(end)).toContain('deploy/rbac.yaml');
    },
  );

  test('names the roles of an option when only its kinds may not be read', async () => {
    const { end } = await start({ forbidden: 'deployments' });
    expect(String(end)).toContain('deploy/rbac-disruption-surge.yaml');
  });
});
