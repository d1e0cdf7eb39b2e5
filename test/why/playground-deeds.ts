/** What a case does to a running cluster besides faults: expired tokens, container messages, a controller that does not start. */
import { EVENTS, type KubeObject, PODS, SECRETS } from '@chandler/kube';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { submit } from '../../packages/chandler/src/arm/index.ts';

import type { PlaygroundWords } from './corpus.ts';
import { merged } from './objects.ts';
import type { WhyStage } from './why-stage.ts';

const LABELS = { 'app.kubernetes.io/name': 'karpenter' };

export async function spoilToken(stage: WhyStage, how: 'delete' | 'expire'): Promise<void> {
  const [id = ''] = stage.azure.bootstrapToken.split('.');
  const key = { namespace: 'kube-system', name: `bootstrap-token-${id}` };
  if (how === 'delete') {
    await stage.inTime(stage.admin.delete(SECRETS, key));
    return;
  }
  const past = new Date(stage.world.clock.now() - 3600_000).toISOString().replace(/\.\d+Z/, 'Z');
  const patch = { data: { expiration: Buffer.from(past).toString('base64') } };
  await stage.inTime(stage.admin.patch(SECRETS, key, { type: 'merge', patch }));
}

/** The playground runs no probes, and containers have no log: a case gives the events of the kubelet. */
export async function speak(stage: WhyStage, { told = [], podStatus }: PlaygroundWords): Promise<void> {
  if (told.length === 0 && podStatus === undefined) return;
  const key = { namespace: 'default', name: 'web' };
  const object = await stage.inTime(stage.admin.get(PODS, key));
  for (const [index, { reason, message, type = 'Warning' }] of told.entries()) {
    const at = new Date(stage.world.clock.now()).toISOString().replace(/\.\d+Z/, 'Z');
    await stage.apply(EVENTS, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `web.told${index}`, namespace: 'default' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', uid: object.metadata.uid, ...key },
      type,
      reason,
      message,
      count: 1,
      firstTimestamp: at,
      lastTimestamp: at,
      source: { component: 'kubelet' },
    });
  }
  if (podStatus === undefined) return;
  const { container = {}, ...fields } = podStatus;
  const { containerStatuses = [] } = object['status'] as { containerStatuses?: readonly object[] };
  const patch = {
    status: { ...fields, containerStatuses: containerStatuses.map((each) => merged(each, container)) },
  };
  await stage.inTime(stage.admin.patchStatus(PODS, key, { type: 'merge', patch }));
}

type Deed = NonNullable<PlaygroundWords['deed']>;

/** By somebody with a terminal. */
export const DEEDS: Readonly<Record<Deed, (stage: WhyStage) => Promise<void>>> = {
  async deleteClaim(stage) {
    const [claim] = await stage.list(NODE_CLAIMS);
    await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! }));
  },
  async deleteVm(stage) {
    const { virtualMachines } = await stage.clients.compute();
    await stage.inTime(submit(virtualMachines.delete(...machineIn(stage))));
  },
  async powerOff(stage) {
    const { virtualMachines } = await stage.clients.compute();
    await stage.inTime(submit(virtualMachines.powerOff(...machineIn(stage))));
  },
};

function machineIn(stage: WhyStage): [group: string, name: string] {
  const [vm] = stage.azure.arm.resources.vms();
  return [/resourceGroups\/([^/]+)/i.exec(vm!.id)![1]!, vm!.name];
}

/** The controller as the cluster shows it; what runs is beside it. */
export function deployment(env: Readonly<Record<string, string>>): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'karpenter', namespace: 'kube-system', labels: LABELS },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          containers: [
            {
              name: 'controller',
              image: 'registry.example/chandler:1',
              env: Object.entries(env).map(([name, value]) => ({ name, value })),
            },
          ],
        },
      },
    },
  };
}

/** With what it said before it ended, as a kubelet keeps it. */
export function crashedController(
  env: Readonly<Record<string, string>>,
  message: string,
): readonly KubeObject[] {
  return [
    deployment(env),
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'karpenter-1', namespace: 'kube-system', labels: LABELS },
      spec: { containers: [{ name: 'controller', image: 'registry.example/chandler:1' }] },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'controller',
            image: 'registry.example/chandler:1',
            imageID: '',
            ready: false,
            restartCount: 5,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 2, reason: 'Error', message } },
          },
        ],
      },
    },
  ];
}
