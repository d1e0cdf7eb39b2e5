/** A node takes no pods before the controller has registered it, whoever writes its bootstrap data. */
import { EVENTS, NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

interface Placed {
  readonly spec?: { readonly nodeName?: string; readonly taints?: readonly { readonly key: string }[] };
}
const nodeOfPod = async () => ((await ground.find(PODS, 'a')) as Placed | undefined)?.spec?.nodeName;

describe('a new node while the controller is down', () => {
  test.each(['aksscriptless', 'bootstrappingclient'])(
    'in mode %s gets its pods only once it is registered',
    async (mode) => {
      ground = await embeddedGround({ quiet: true });
      const given = { env: { PROVISION_MODE: mode } };
      const operator = await ground.startOperator(given);
      await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
      await ground.apply(NODE_POOLS, pool('default'));
      await ground.apply(PODS, pod('a'));
      await ground.stage.until('a VM is there', () => ground.arm.resources.vms().length === 1);
      // In this mode the script is an extension, which the controller creates after the VM.
      const isBooting = () => mode === 'aksscriptless' || ground.arm.resources.extensions().length > 0;
      await ground.stage.until('it boots', isBooting);
      await ground.stage.inTime(operator.stop());
      await ground.stage.until('the node has joined', async () => (await ground.list(NODES)).length === 1);
      await ground.stage.world.clock.advance(5 * 60_000);
      const [node] = (await ground.list(NODES)) as readonly Placed[];
      expect(node?.spec?.taints?.map(({ key }) => key)).toEqual(['karpenter.sh/unregistered']);
      expect(await nodeOfPod()).toBeUndefined();
      await ground.startOperator(given);
      await ground.stage.until('the pod is bound', async () => (await nodeOfPod()) !== undefined);
      const reasons = (await ground.list(EVENTS)).map((event) => event['reason']);
      expect(reasons).not.toContain('UnregisteredTaintMissing');
    },
  );
});
