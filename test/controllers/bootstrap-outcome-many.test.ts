/** A thousand machines that bootstrap at once, from what Azure answers to the condition on the claim, in virtual time. */
import type { Fetch } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type AzureEnvironment, createArmClients } from '../../packages/chandler/src/arm/index.ts';
import {
  type Answer,
  bootstrapReader,
  extensionAnswer,
  failedExtension,
  IMAGE,
  json,
  refusal,
} from '../../packages/chandler/src/cloud/azure/testing.ts';
import type { Cloud } from '../../packages/chandler/src/cloud/index.ts';
import { bootstrapOutcome } from '../../packages/chandler/src/controllers/index.ts';
import { inFull } from '../part.ts';
import { conditionOf } from './bootstrap-outcome.fixture.ts';
import { NODE_CLASS, pool, type StageSet, setStage } from './stage.ts';

const COUNT = 1000;
const SUBSCRIPTION = '/subscriptions/00000000-0000-4000-8000-000000000001';
const MACHINES = `${SUBSCRIPTION}/resourceGroups/mc_nodes/providers/Microsoft.Compute/virtualMachines`;
const ENVIRONMENT: AzureEnvironment = {
  name: 'Wire',
  resourceManagerUrl: 'https://arm.example',
  authorityHost: 'https://login.example',
  tokenAudience: 'https://arm.example',
  keyVaultDnsSuffix: 'vault.azure.net',
  storageSuffix: 'core.windows.net',
  wellKnown: false,
  aksBilling: true,
};

let stage: StageSet;
afterEach(() => stage.end());

test.runIf(inFull('a thousand claims that launch at once'))(
  '[002-AC1] of 1,000 launching claims each that fails carries the cause within 30 s, at no more than 20 calls a second',
  async () => {
    stage = await setStage();
    const { calls, extensions } = await azureOn(stage);
    const names = Array.from({ length: COUNT }, (_, index) => `n${String(index).padStart(4, '0')}`);
    for (const name of names) extensions.set(name, extensionAnswer('Creating'));
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('general'));
    for (const name of names) await launched(name);
    await stage.start([bootstrapOutcome]);
    await pass(60_000);

    // At moments that differ, so that it is not luck when the next look comes.
    const knownMs = new Map<string, number>();
    for (const name of ['n0000', 'n0123', 'n0500', 'n0777', 'n0999']) {
      extensions.set(name, failedExtension(51));
      knownMs.set(name, stage.world.clock.now());
      await pass(2_500);
    }
    await pass(30_000);

    const failed = (await stage.list(NODE_CLAIMS)).filter((claim) => conditionOf(claim)?.status === 'False');
    expect(failed.map(({ metadata }) => metadata.name).sort()).toEqual([...knownMs.keys()]);
    for (const claim of failed) {
      const condition = conditionOf(claim)!;
      expect(condition.reason).toBe('CSEFailed');
      expect(condition.message).toContain('code 51 (ERR_K8S_API_SERVER_CONN_FAIL)');
      const tookMs = Date.parse(condition.lastTransitionTime) - knownMs.get(claim.metadata.name!)!;
      expect(tookMs).toBeLessThanOrEqual(30_000);
    }
    const bySecond = Object.values(Object.groupBy(calls, (atMs) => Math.floor(atMs / 1000)));
    expect(calls.length).toBeGreaterThan(100);
    expect(Math.max(...bySecond.map((each) => each!.length))).toBeLessThanOrEqual(20);
  },
  120_000,
);

/** In small steps: between them requests get their answers. */
async function pass(ms: number): Promise<void> {
  const { clock } = stage.world;
  const endMs = clock.now() + ms;
  const passed = async () => {
    await stage.admin.get(NODE_POOLS, { name: 'general' });
    return clock.now() >= endMs;
  };
  await stage.until('that time has passed', passed, ms);
}

async function launched(name: string): Promise<void> {
  await stage.apply(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'general' } },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
  });
  const lastTransitionTime = new Date(stage.world.clock.now()).toISOString();
  const patch = {
    status: {
      imageID: IMAGE,
      providerID: `azure://${MACHINES}/aks-${name}`,
      conditions: [
        { type: 'Launched', status: 'True', reason: 'Launched', message: '', lastTransitionTime },
        { type: 'CSEProvisioned', status: 'Unknown', reason: 'CSEPending', message: '', lastTransitionTime },
      ],
    },
  };
  await stage.admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch });
}

/** The cloud's reader as it runs in production, on a wire that counts. Machines keep, so that nothing else happens. */
async function azureOn({ world, cloud }: StageSet) {
  const extensions = new Map<string, Answer>();
  const calls: number[] = [];
  const fetch: Fetch = async (input) => {
    calls.push(world.clock.monotonic());
    const url = String(input);
    const name = /\/virtualMachines\/aks-([^/]+)\/extensions\/cse-agent-karpenter/.exec(url)?.[1];
    if (name !== undefined) return extensions.get(name)!();
    if (!url.includes('/Microsoft.ResourceGraph/')) return refusal(404, 'NotFound');
    // Resource Graph lists those that failed.
    const answers = await Promise.all(
      [...extensions].map(async ([vm, answer]) => [vm, await (await answer()).text()]),
    );
    const data = answers
      .filter(([, text]) => text!.includes('"Failed"'))
      .map(([vm]) => ({ id: `${MACHINES}/aks-${vm}/extensions/cse-agent-karpenter` }));
    return json({ totalRecords: data.length, count: data.length, resultTruncated: 'false', data });
  };
  const clients = createArmClients({
    world,
    fetch,
    environment: ENVIRONMENT,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: world.clock.now() + 3600_000 }) },
    subscriptionId: SUBSCRIPTION.split('/').at(-1)!,
    version: '0.0.0',
  });
  // Each SDK is loaded at its first use, in real time: meanwhile minutes of virtual time would pass.
  await Promise.all([clients.compute(), clients.resourceGraph()]);
  const bootstrap = bootstrapReader({
    clock: world.clock,
    log: world.log,
    clients,
    fetch,
    resourceGroup: 'MC_nodes',
    mode: 'bootstrappingclient',
    launches: () => 1,
    aftermath: () => ({ keepClaimMs: 600_000, keepInstance: true }),
  });
  Object.assign(cloud, { bootstrap } satisfies Partial<Cloud>);
  return { extensions, calls };
}
