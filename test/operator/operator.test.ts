import { ADMIN } from '@chandler/apiserver';
import { CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS, EVENTS, NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { fakeProvider } from '../controllers/fake-cloud.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { NAMESPACE, type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage.end());

const READY = {
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

/** The controller of the node class belongs to the cloud; here the test sets it Ready. */
async function aReadyClass(): Promise<void> {
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const patch = { type: 'merge' as const, patch: { status: READY } };
  await stage.inTime(stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, patch));
}

async function runs(name: string): Promise<boolean> {
  const found = (await stage.list(PODS)).find(({ metadata }) => metadata.name === name);
  return (found?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
}

describe('an operator', () => {
  test('launches a node for a pending pod, and removes it again', async () => {
    stage = await operatorStage();
    await aReadyClass();
    await stage.apply(NODE_POOLS, pool('default'));
    const operator = stage.operator();
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod runs', () => runs('a'));
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
    expect(stage.cloud.machines.size).toBe(1);
    const [claim] = await stage.list(NODE_CLAIMS);
    await stage.inTime(stage.admin.delete(PODS, { namespace: 'default', name: 'a' }));
    await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! }));
    await stage.until('all is gone', async () => {
      const left = [...(await stage.list(NODE_CLAIMS)), ...(await stage.list(NODES))];
      return left.length === 0 && stage.cloud.machines.size === 0;
    });
  });

  test('works in any order of creation: pod, pool, class', async () => {
    stage = await operatorStage();
    const operator = stage.operator();
    await stage.inTime(operator.start());
    await stage.apply(PODS, pod('a'));
    await stage.world.clock.advance(30_000);
    await stage.apply(NODE_POOLS, pool('default'));
    await stage.world.clock.advance(30_000);
    expect(await stage.list(NODE_CLAIMS)).toEqual([]);
    await aReadyClass();
    await stage.until('the pod runs', () => runs('a'));
  });

  test('is ready only when kinds are installed and caches synced, and logs what runs', async () => {
    stage = await operatorStage();
    const operator = stage.operator();
    expect(operator.ready).toBe(false);
    expect(() => operator.checks.ready['crds']!()).toThrow();
    expect(() => operator.checks.ready['caches']!()).toThrow();
    await stage.inTime(operator.start());
    expect(operator.ready).toBe(true);
    operator.checks.ready['crds']!();
    operator.checks.ready['caches']!();
    const [info] = [...stage.world.values.keys()].filter((key) => key.startsWith('karpenter_build_info'));
    expect(info).toContain('version="1.2.3"');
  });

  test('is not ready while a store is not updated, and names it', async () => {
    let revoked = false;
    stage = await operatorStage({
      door: ({ server }) => {
        const send = server.fetchAs(ADMIN);
        return async (input, init) => {
          const { pathname } = new URL(input instanceof Request ? input.url : input);
          if (revoked && pathname === '/api/v1/pods') return new Response('forbidden', { status: 403 });
          return send(input, init);
        };
      },
    });
    const operator = stage.operator();
    await stage.inTime(operator.start());
    operator.checks.ready['watches']!();
    revoked = true;
    await stage.world.clock.advance(12 * 60_000);
    expect(() => operator.checks.ready['watches']!()).toThrow(/not updated for over a minute: pods$/);
    revoked = false;
    await stage.world.clock.advance(60_000);
    operator.checks.ready['watches']!();
  });

  test('waits for kinds that are installed later, and names missing ones', async () => {
    stage = await operatorStage();
    const name = 'aksnodeclasses.karpenter.azure.com';
    const definition = await stage.inTime(stage.admin.get(CUSTOM_RESOURCE_DEFINITIONS, { name }));
    await stage.inTime(stage.admin.delete(CUSTOM_RESOURCE_DEFINITIONS, { name }));
    const failing = stage.operator();
    const outcome = stage.inTime(failing.start());
    await expect(outcome).rejects.toMatchObject({ name: 'StartError', code: 'KindMissing' });
    await expect(outcome).rejects.toThrow(`${name} is not installed`);
    const operator = stage.operator();
    const started = operator.start();
    await stage.world.clock.advance(25_000);
    expect(operator.ready).toBe(false);
    const { apiVersion, kind, spec } = definition;
    await stage.apply(CUSTOM_RESOURCE_DEFINITIONS, { apiVersion, kind, metadata: { name }, spec });
    await stage.inTime(started);
    expect(operator.ready).toBe(true);
  });

  test('logs a field that the installed CRD drops', async () => {
    stage = await operatorStage();
    const name = 'aksnodeclasses.karpenter.azure.com';
    const definition = structuredClone(
      await stage.inTime(stage.admin.get(CUSTOM_RESOURCE_DEFINITIONS, { name })),
    );
    type Version = { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } };
    for (const version of (definition['spec'] as { versions: Version[] }).versions) {
      const { properties } = version.schema.openAPIV3Schema.properties.spec;
      delete (properties as Record<string, unknown>)['osDiskDiskEncryptionSetID'];
    }
    await stage.inTime(stage.admin.update(CUSTOM_RESOURCE_DEFINITIONS, definition));
    await stage.inTime(stage.operator().start());
    const logged = stage.world.lines.filter(({ message }) =>
      message.includes('the installed CRD lacks a field'),
    );
    expect(logged.map(({ fields }) => [fields['kind'], fields['version'], fields['path']])).toContainEqual([
      'AKSNodeClass',
      'v1beta1',
      'spec.osDiskDiskEncryptionSetID',
    ]);
  });

  test('applies live settings at once and reports settings that need a restart', async () => {
    stage = await operatorStage();
    const operator = stage.operator();
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    expect(operator.context!.settings.batchIdleMs).toBe(1000);
    await stage.apply(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'karpenter-global-settings', namespace: NAMESPACE },
      data: { batchIdleDuration: '3s', kubeClientQps: '5', nonsense: '1' },
    });
    await stage.until('the events are there', async () => {
      const reasons = (await stage.list(EVENTS)).map((event) => event['reason']);
      return ['SettingsChanged', 'SettingsNeedRestart', 'SettingsUnknownKey'].every((reason) =>
        reasons.includes(reason),
      );
    });
    expect(operator.context!.settings.batchIdleMs).toBe(3000);
  });

  test('retries to prepare its cloud, and fails with the last error', async () => {
    stage = await operatorStage();
    const { cloud } = stage;
    let failures = 3;
    const prepare = async () => {
      if (failures-- > 0) throw new Error('the role is not there yet');
    };
    const operator = stage.operator({ provider: fakeProvider(cloud, { prepare }) });
    await stage.inTime(operator.start());
    expect(failures).toBe(-1);
    failures = Number.POSITIVE_INFINITY;
    const never = stage.operator({ provider: fakeProvider(cloud, { prepare }) });
    await expect(stage.inTime(never.start())).rejects.toMatchObject({
      code: 'CloudNotReady',
      message: expect.stringContaining('the role is not there yet'),
    });
  });

  test('that is stopped leaves no timer and sends nothing more', async () => {
    stage = await operatorStage();
    await aReadyClass();
    await stage.apply(NODE_POOLS, pool('default'));
    const before = stage.world.clock.pendingTimers;
    const operator = stage.operator();
    await stage.inTime(operator.start());
    await stage.until('it leads', () => operator.isLeading);
    await stage.world.clock.advance(10_000);
    await stage.inTime(operator.stop());
    expect(await operator.ended).toBe('stopped');
    const sent = stage.requests.length;
    await stage.world.clock.advance(600_000);
    expect(stage.requests.length).toBe(sent);
    expect(stage.world.clock.pendingTimers).toBeLessThanOrEqual(before + 2);
  });
});
