import { ApiStatusError, type KubeObject, type Transport } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import type { FullStage } from './all-controllers.ts';
import { claims, nodeOf, policiesFor, runningWorkloads, setIll } from './disruption.fixture.ts';
import type { StageOptions } from './stage.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const DEADLINE = 'karpenter.sh/nodeclaim-termination-timestamp';
const REBOOT_BOUND = 'karpenter.sh/reboot-termination-grace-period';
const advance = (ms: number) => full.stage.world.clock.advance(ms);

/** One workload on one node whose condition a policy repairs; returns the name of its claim. */
async function running(policy: Parameters<typeof policiesFor>[0], stage: Partial<StageOptions> = {}) {
  full = await runningWorkloads(
    { a: '1500m' },
    {
      disruption: { consolidateAfter: 'Never' },
      stage: {
        settings: { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true } },
        repairPolicies: policiesFor(policy),
        ...stage,
      },
    },
  );
  await advance(MINUTE_MS);
  const node = await nodeOf(full, 'a');
  return { node, name: node.slice('aks-'.length) };
}

const claimNamed = (name: string) => full.stage.get(NODE_CLAIMS, name) as Promise<KubeObject | undefined>;
const deadlineOf = (claim: KubeObject | undefined) => claim?.metadata.annotations?.[DEADLINE];
const isDeleted = async (name: string) => (await claimNamed(name))?.metadata.deletionTimestamp !== undefined;
const annotate = (name: string, annotations: Record<string, string>) =>
  full.stage.admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch: { metadata: { annotations } } });
/** The claim as it is when its deletion has been requested. */
async function whenDeleted(name: string): Promise<KubeObject> {
  let seen: KubeObject | undefined;
  await full.stage.until(
    'it is deleted',
    async () => {
      if (await isDeleted(name)) seen ??= await claimNamed(name);
      return seen !== undefined;
    },
    5 * MINUTE_MS,
  );
  return seen!;
}

const SLOW = { terminationGracePeriodMs: 10 * MINUTE_MS };

describe('the deadline of a repair', () => {
  test('is the time of the deletion where the policy skips the drain, and not before', async () => {
    const { node, name } = await running({ terminationGracePeriodMs: 0 });
    full.stage.cloud.bootMs = 40_000;
    await setIll(full, node);
    await full.stage.until('a replacement', async () => (await claims(full)).length === 2, 2 * MINUTE_MS);
    expect(deadlineOf(await claimNamed(name))).toBeUndefined();
    const seen = await whenDeleted(name);
    expect(deadlineOf(seen)).toBe(seen.metadata.deletionTimestamp);
  });

  test('stays an earlier one that is set already', async () => {
    const { node, name } = await running(SLOW);
    full.stage.cloud.bootMs = 40_000;
    await setIll(full, node);
    await full.stage.until('a replacement', async () => (await claims(full)).length === 2, 2 * MINUTE_MS);
    const earlier = new Date(full.stage.world.clock.now() + 5 * MINUTE_MS)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    await annotate(name, { [DEADLINE]: earlier });
    expect(deadlineOf(await whenDeleted(name))).toBe(earlier);
  });

  test('is written again when the write failed, before the deletion', async () => {
    let failures = 0;
    const wire =
      (send: Transport): Transport =>
      async (request) => {
        const writes = request.method === 'PATCH' && request.path.includes('/nodeclaims/');
        if (writes && failures === 0 && String(request.body).includes(DEADLINE)) {
          failures++;
          throw new ApiStatusError('internal', 'once');
        }
        return send(request);
      };
    const { node, name } = await running({ terminationGracePeriodMs: 45_000 }, { wire });
    await setIll(full, node);
    const seen = await whenDeleted(name);
    expect(failures).toBe(1);
    expect(
      Date.parse(deadlineOf(seen)!) - Date.parse(seen.metadata.deletionTimestamp!),
    ).toBeGreaterThanOrEqual(40_000);
  });

  test('is not written, and nothing is deleted, while the replacement is not initialized', async () => {
    const { node, name } = await running(SLOW);
    full.stage.cloud.joins = false;
    await setIll(full, node);
    await full.stage.until('a replacement', async () => (await claims(full)).length === 2, 2 * MINUTE_MS);
    await advance(5 * MINUTE_MS);
    expect(await isDeleted(name)).toBe(false);
    expect(deadlineOf(await claimNamed(name))).toBeUndefined();
  });
});

test('the bound of an earlier reboot is removed when the new reboot has none', async () => {
  const { node, name } = await running({ action: 'RebootNode' });
  await annotate(name, { [REBOOT_BOUND]: '5m0s' });
  await setIll(full, node);
  const requested = async () => {
    const { conditions = [] } = ((await claimNamed(name))?.['status'] ?? {}) as {
      conditions?: readonly { type: string; reason: string }[];
    };
    return conditions.some(({ type, reason }) => type === 'Rebooting' && reason === 'RebootRequested');
  };
  await full.stage.until('a reboot is requested', requested, 2 * MINUTE_MS);
  expect((await claimNamed(name))?.metadata.annotations).not.toHaveProperty([REBOOT_BOUND]);
});
