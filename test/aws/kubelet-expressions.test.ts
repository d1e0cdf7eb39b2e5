/** A whole controller with the gate NodeClassCEL: what an expression gives for a type is what its node is started with. */
import { NODES, PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { EC2_NODE_CLASSES } from '../../packages/chandler/src/api/index.ts';
// Loaded before time moves.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import { startAwsScenarioHarness } from '../playground/aws-scenario-harness.ts';
import type { ScenarioHarness } from '../playground/scenario-harness.ts';

const TIMEOUT_MS = 120_000;
const MINUTE_MS = 60_000;
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1' } } }] },
};
let harness: ScenarioHarness;
afterEach(() => harness.stop());

async function start(flags: readonly string[], kubelet: object): Promise<void> {
  harness = await startAwsScenarioHarness(flags);
  const patch = { spec: { kubelet } };
  await harness.wait(harness.admin.patch(EC2_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch }));
  await harness.world.clock.advance(MINUTE_MS);
}

async function validation() {
  const { status } = await harness.wait(harness.admin.get(EC2_NODE_CLASSES, { name: 'default' }));
  return status?.conditions?.find(({ type }) => type === 'ValidationSucceeded');
}

test(
  'a node starts with the number of pods and the reservations that the expressions give for its type',
  async () => {
    await start(['--aws-feature-gates=NodeClassCEL=true'], {
      maxPods: 'vcpus * 7',
      kubeReserved: { cpu: 'vcpus * 45', memory: '300Mi' },
    });
    expect(await validation()).toMatchObject({ status: 'True' });
    await harness.wait(harness.admin.create(PODS, POD as never));
    await harness.world.clock.advance(3 * MINUTE_MS);
    const nodes = (await harness.wait(harness.admin.list(NODES))).items.filter(
      ({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] !== undefined,
    );
    expect(nodes).toHaveLength(1);
    const { cpu, pods } = nodes[0]!.status!.capacity as Record<string, string>;
    expect(Number(pods)).toBe(Number(cpu) * 7);
    const [instance] = harness.playground.aws!.server.instances.list();
    const userData = Buffer.from(instance!.userData ?? '', 'base64').toString();
    expect(userData).toContain(`maxPods: ${Number(cpu) * 7}`);
    expect(userData).toMatch(new RegExp(`cpu: "?${Number(cpu) * 45}m`));
    expect(userData).toMatch(/memory: "?300Mi/);
  },
  TIMEOUT_MS,
);

test(
  'an expression without a value for one type of the region is a reason of the class',
  async () => {
    await start(['--aws-feature-gates=NodeClassCEL=true'], { maxPods: '110 / (vcpus - 2)' });
    expect(await validation()).toMatchObject({
      status: 'False',
      reason: 'KubeletExpressionEvaluationFailed',
      message: expect.stringMatching(/^spec\.kubelet\.maxPods: .* division by zero, for /),
    });
  },
  TIMEOUT_MS,
);
