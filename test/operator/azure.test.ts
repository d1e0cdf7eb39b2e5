import { ADMIN } from '@chandler/apiserver';
import { fetchTransport, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { inFull } from '../part.ts';
import { type AzureStage, azureStage, FEW_SIZES } from './azure-stage.ts';

let stage: AzureStage;
afterEach(() => stage.end());

async function phaseOf(name: string): Promise<string | undefined> {
  const found = (await stage.list(PODS)).find(({ metadata }) => metadata.name === name);
  return (found?.['status'] as { phase?: string } | undefined)?.phase;
}

type Conditioned = { status?: { conditions?: { type: string; status: string; message?: string }[] } };

async function isTrue(resource: ResourceRef, type: string): Promise<boolean> {
  const items = (await stage.list(resource)) as unknown as Conditioned[];
  return (
    items.length > 0 &&
    items.every(({ status }) =>
      status?.conditions?.some((each) => each.type === type && each.status === 'True'),
    )
  );
}

describe('an operator on Azure', () => {
  test('[000] NodeClass, NodePool, pod → VM → node Ready → pod Running, and back to nothing', async () => {
    stage = await azureStage();
    const operator = stage.operator();
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.until('the class is ready', () => isTrue(AKS_NODE_CLASSES, 'Ready'));
    await stage.apply(NODE_POOLS, pool('default'));
    await stage.until('the pool is ready', () => isTrue(NODE_POOLS, 'Ready'));
    await stage.apply(PODS, pod('a'));
    await stage.until('a claim is launched', () => isTrue(NODE_CLAIMS, 'Launched'));
    expect(stage.arm.resources.vms()).toHaveLength(1);
    await stage.until('the claim is initialized', () => isTrue(NODE_CLAIMS, 'Initialized'));
    expect(await isTrue(NODES, 'Ready')).toBe(true);
    await stage.until('the pod runs', async () => (await phaseOf('a')) === 'Running');
    const [claim] = await stage.list(NODE_CLAIMS);
    const [vm] = stage.arm.resources.vms();
    expect(vm?.name).toBe(`aks-${claim?.metadata.name}`);

    await stage.inTime(stage.admin.delete(PODS, { namespace: 'default', name: 'a' }));
    await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! }));
    await stage.until('all is gone on both sides', async () => {
      const { vms, nics, disks } = stage.arm.resources;
      const objects = [...(await stage.list(NODE_CLAIMS)), ...(await stage.list(NODES))];
      return objects.length + vms().length + nics().length + disks().length === 0;
    });
  });
});

describe.runIf(inFull('a quiet hour'))('a quiet cluster', () => {
  test('is not written to, leases and repeated events apart, and Azure is only read', async () => {
    stage = await azureStage(FEW_SIZES);
    const writes: string[] = [];
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    const operator = stage.operator({
      transport: (request) => {
        if (request.method !== 'GET' && !request.path.includes('/leases'))
          writes.push(`${request.method} ${request.path}`);
        return wire(request);
      },
    });
    await stage.inTime(operator.start());
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('default'));
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod runs', async () => (await phaseOf('a')) === 'Running');
    // The first look at the shape of its node comes after ten minutes.
    await stage.world.clock.advance(15 * 60_000);
    writes.length = 0;
    const calls = stage.arm.resources.totalCalls;
    await stage.world.clock.advance(60 * 60_000);
    // What keeps the node is said again every 15 minutes: an event that is an hour old is gone.
    const events = writes.filter((write) => /^PATCH \/api\/v1\/namespaces\/default\/events\//.test(write));
    expect(events).toHaveLength(2 * 4);
    expect(writes.filter((write) => !events.includes(write))).toEqual([]);
    const sent = stage.arm.resources.calls().slice(calls - stage.arm.resources.totalCalls);
    expect(
      sent.filter(({ method }) => method === 'PUT' || method === 'DELETE' || method === 'PATCH'),
    ).toEqual([]);
  });
});

describe('images of the shared galleries', () => {
  test('are found through the list of AKS', async () => {
    stage = await azureStage(FEW_SIZES);
    const operator = stage.operator({
      env: {
        USE_SIG: 'true',
        SIG_SUBSCRIPTION_ID: '00000000-0000-4000-8000-00000000516a',
        SIG_ACCESS_TOKEN_SERVER_URL: 'https://sig.playground.internal/token',
      },
    });
    await stage.inTime(operator.start());
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.until('the class is ready', () => isTrue(AKS_NODE_CLASSES, 'Ready'));
    const [nodeClass] = (await stage.list(AKS_NODE_CLASSES)) as unknown as {
      status: { images: { id: string }[] };
    }[];
    expect(nodeClass!.status.images[0]!.id).toMatch(
      /^\/subscriptions\/00000000-0000-4000-8000-00000000516a\/resourceGroups\/AKS-Ubuntu\/providers\/Microsoft\.Compute\/galleries\/AKSUbuntu\//,
    );
  });
});

describe('observing on Azure', () => {
  test('reads the catalogue and plans with it, and sends no write', async () => {
    stage = await azureStage(FEW_SIZES);
    const acting = stage.operator();
    await stage.inTime(acting.start());
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('default'));
    await stage.until('the pool is ready', () => isTrue(NODE_POOLS, 'Ready'));
    await stage.inTime(acting.stop());
    const calls = stage.arm.resources.totalCalls;
    const writes: string[] = [];
    const wire = fetchTransport(stage.playground.server.fetchAs(ADMIN));
    const observer = stage.operator({
      observe: true,
      transport: (request) => {
        if (request.method !== 'GET') writes.push(request.path);
        return wire(request);
      },
    });
    await stage.inTime(observer.start());
    await stage.apply(PODS, pod('a'));
    const figure = (name: string) => stage.world.values.get(`chandler_observe_${name}`);
    await stage.until('it has planned', () => figure('planned_nodeclaims{nodepool="default"}') === 1);
    expect(figure('planned_price_per_hour')).toBeGreaterThan(0);
    await stage.world.clock.advance(10 * 60_000);
    expect(writes).toEqual([]);
    const sent = stage.arm.resources.calls().slice(calls - stage.arm.resources.totalCalls);
    expect(sent.filter(({ method, path }) => method !== 'GET' && !/token|ResourceGraph/.test(path))).toEqual(
      [],
    );
    expect(stage.arm.resources.vms()).toEqual([]);
  });
});
