/** NodeOverlays from the plan to the VM: what an overlay adds is launched, and its price decides the size. */
import { type KubeObject, NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
} from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

const DEVICE = 'example.com/fpga';
const SIZE = 'Standard_D8s_v5';
const ofSize = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [SIZE] }];

async function begin(overlay: Record<string, unknown>): Promise<void> {
  ground = await embeddedGround({ quiet: true });
  await ground.startOperator({ args: ['--feature-gates=NodeOverlay=true'] });
  await ground.apply(NODE_OVERLAYS, {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'adjusted' },
    spec: { requirements: ofSize, ...overlay },
  });
  await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await ground.apply(NODE_POOLS, pool('default'));
}

const launchedSizes = () =>
  ground.arm.resources
    .vms()
    .map(({ properties }) => (properties['hardwareProfile'] as { vmSize?: string } | undefined)?.vmSize);

const isRunning = async (name: string) =>
  ((await ground.find(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase === 'Running';

/** What the kubelet reports once a device plugin has registered with it. */
async function registerDevices(amount: string): Promise<void> {
  const [node] = await ground.list(NODES);
  const devices = { [DEVICE]: amount };
  await ground.stage.inTime(
    ground.stage.admin.patchStatus(
      NODES,
      { name: node!.metadata.name! },
      { type: 'merge', patch: { status: { capacity: devices, allocatable: devices } } },
    ),
  );
}

describe('a NodeOverlay holds from the plan to the VM', () => {
  test('a pod that requests a resource of an overlay gets one VM that has it, and runs there', async () => {
    await begin({ capacity: { [DEVICE]: '2' } });
    await ground.apply(PODS, withDevice(pod('a') as KubeObject));
    await ground.stage.until('a node has joined', async () => (await ground.list(NODES)).length === 1);
    const claims = await ground.list(NODE_CLAIMS);
    expect(claims).toHaveLength(1);
    expect(claims[0]?.['status']).toMatchObject({
      capacity: { [DEVICE]: '2' },
      allocatable: { [DEVICE]: '2' },
    });
    await registerDevices('2');
    await ground.stage.until('the pod runs', () => isRunning('a'));
    expect(launchedSizes()).toEqual([SIZE]);
    expect((await ground.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name)).toEqual(
      claims.map(({ metadata }) => metadata.name),
    );
  });

  test('the price of an overlay decides the size of the VM', async () => {
    await begin({ price: '0.0001' });
    await ground.apply(PODS, pod('a'));
    await ground.stage.until('the pod runs', () => isRunning('a'));
    expect(launchedSizes()).toEqual([SIZE]);
  });
});

// ---------------------------------------------------------------------------------------------------

function withDevice(object: KubeObject): KubeObject {
  const { containers } = object['spec'] as { containers: { resources?: Record<string, object> }[] };
  const [container] = containers;
  const { requests } = container?.resources ?? {};
  const devices = { [DEVICE]: '1' };
  const resources = { requests: { ...requests, ...devices }, limits: devices };
  return { ...object, spec: { ...(object['spec'] as object), containers: [{ ...container, resources }] } };
}
