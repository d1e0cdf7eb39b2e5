import type { NodeHost } from '@chandler/cloudsim';
import { startAzure } from '@chandler/cloudsim/azure';
import { fetchTransport } from '@chandler/kube';
import { realTimeWorld, TinyServer } from '@chandler/kube/testing';

/** Runs no kubelets: VMs boot, and no node ever registers. */
const nodeHost: NodeHost = {
  startKubelet: async () => {},
  stopKubelet: () => {},
  resumeKubelet: async () => {},
  removeNode: async () => {},
};
const transport = fetchTransport(new TinyServer().fetch);
const cluster = {
  world: realTimeWorld(),
  nodeHost,
  kubernetesVersion: '1.36.3',
  transport,
  apiServer: undefined,
};
const { arm, stop } = await startAzure(cluster, { faults: ['throttle@count=1'] });

const path = `/subscriptions/${arm.settings.subscriptionId}/providers/Microsoft.Compute/skus`;
const headers = { authorization: `Bearer ${arm.token()}` };
const listSkus = () => arm.fetch(`${path}?api-version=2021-07-01`, { headers });
console.log((await listSkus()).status); // 429
console.log((await listSkus()).status); // 200
await stop();
