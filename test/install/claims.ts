/** Pending pods, and what the controller made for them: NodeClaims, VMs or instances, and nodes, one of each for each. */
import assert from 'node:assert/strict';
import { type KubeClient, type KubeObject, NODES, PODS } from '@chandler/kube';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { untilNothingLacks } from './cluster.ts';
import type { InstallCloud } from './install-cloud.ts';

/** A pod that shares its node with no other of them: each needs one of its own. */
export async function createPod(admin: KubeClient, name: string): Promise<void> {
  const labels = { app: 'alone' };
  await admin.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels },
    spec: {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
      containers: [
        { name: 'main', image: 'registry.example/app:1', resources: { requests: { cpu: '500m' } } },
      ],
    },
  } as KubeObject);
}

export async function untilRunning(admin: KubeClient, name: string): Promise<void> {
  await untilNothingLacks(`the pod ${name} runs`, async () => {
    const pod = await admin.get(PODS, { name, namespace: 'default' });
    const { phase } = (pod['status'] ?? {}) as { phase?: string };
    return phase === 'Running' ? undefined : JSON.stringify(pod['status']);
  });
}

/** How many NodeClaims have no node yet. */
export async function inFlight(admin: KubeClient): Promise<number> {
  const { items } = await admin.list(NODE_CLAIMS);
  return items.filter((claim) => statusOf(claim)['nodeName'] === undefined).length;
}

/** One claim, one VM and one node for each pod, and those of each other: nothing is doubled, and nothing is lost. */
export async function checkOneEach(
  admin: KubeClient,
  cloud: InstallCloud,
  pods: readonly string[],
): Promise<void> {
  const claims = (await admin.list(NODE_CLAIMS)).items;
  const ids = claims.map((claim) => String(statusOf(claim)['providerID']).toLowerCase());
  assert.equal(
    new Set(ids).size,
    pods.length,
    `${pods.length} pods, but claims of ${ids.join(', ') || 'nothing'}`,
  );
  assert.deepEqual([...cloud.instances()].sort(), [...ids].sort(), 'instances and claims');
  const nodes = (await admin.list(NODES)).items.map(({ metadata }) => metadata.name);
  const onNodes = await Promise.all(
    pods.map(async (name) => {
      const pod = await admin.get(PODS, { name, namespace: 'default' });
      return (pod['spec'] as { nodeName?: string }).nodeName ?? `${name} has none`;
    }),
  );
  const named = claims.map((claim) => String(statusOf(claim)['nodeName'])).sort();
  assert.deepEqual([...onNodes].sort(), named, 'nodes of pods and nodes of claims');
  for (const name of named) assert.ok(nodes.includes(name), `there is no node ${name}`);
}

// ---------------------------------------------------------------------------------------------------

function statusOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return (object['status'] ?? {}) as Readonly<Record<string, unknown>>;
}
