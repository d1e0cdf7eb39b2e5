import { PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

async function allRun(): Promise<boolean> {
  const phases = (await ground.list(PODS)).map((each) => (each['status'] as { phase?: string }).phase);
  return phases.every((phase) => phase === 'Running');
}

describe('nodes that register one after the other', () => {
  test.each([
    // One of these fits on a VM of two cores, six on one of eight.
    ['for a pod each', 'Standard_D2s_v5', '1100m', 16, 16],
    ['for several pods each', 'Standard_D8s_v5', '1200m', 36, 6],
  ])(
    '%s: pods that run on the node planned for others leave their own node to these, and no further node is launched',
    async (_, size, cpu, pods, claims) => {
      ground = await embeddedGround({ quiet: true });
      await ground.startOperator({ args: ['--arm-write-qps=1', '--arm-write-burst=1'] });
      await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
      const made = pool('default') as { spec: { template: { spec: { requirements: object[] } } } };
      made.spec.template.spec.requirements.push({
        key: 'karpenter.azure.com/sku-name',
        operator: 'In',
        values: [size],
      });
      await ground.apply(NODE_POOLS, made);
      const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu } } }];
      for (let at = 0; at < pods; at++) await ground.apply(PODS, pod(`p${at}`, { containers }));
      await ground.stage.until('all pods run', allRun, 600_000);
      expect(await ground.list(NODE_CLAIMS)).toHaveLength(claims);
      expect(ground.arm.resources.vms()).toHaveLength(claims);
    },
  );
});
