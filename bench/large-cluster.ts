/**
 * A large cluster on real sockets, for a controller in its own process: an API server and an ARM server with
 * many nodes, each with VM, claim and thirty pods, in a stable state. It prints one line with the environment
 * of the controller when everything is ready, and ends with its standard input.
 */
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient } from '@chandler/kube';
import { startPlayground } from '../packages/chandler/src/playground/index.ts';
import { accountKubeconfig, accountToken, roleObjects } from '../test/e2e/roles.ts';
import {
  type AksWritable,
  addNode,
  settlePool,
  upstreamEnvironment,
  upstreamOwners,
} from '../test/takeover/azure/cluster.ts';
import { putBillingExtension } from '../test/takeover/azure/vms.ts';
import { claimName, poolOfNode } from '../test/takeover/objects.ts';
import { runningPod } from './pods.ts';
import { benchWorld } from './world.ts';

const [NODE_COUNT, POD_COUNT] = process.argv.slice(2).map(Number) as [number, number];
const AT_ONCE = 50;

const folder = mkdtempSync(join(tmpdir(), 'chandler-large-'));
const snapshotFile = join(folder, 'state');
await writePods(snapshotFile);
const world = benchWorld();
const playground = await startPlayground({
  world,
  snapshotFile,
  systemNodes: 0,
  standinOptions: {
    without: ['scheduler', 'workloads', 'disruption', 'volumes', 'service-accounts', 'node-lifecycle'],
    nodeGraceMs: 1000 * 3600_000,
    heartbeatMs: 1000 * 3600_000,
    orphanMs: 1000 * 3600_000,
  },
  azure: {
    azure: { catalogue: { quota: { family: 1_000_000, regional: 1_000_000, spot: 1_000_000 } } },
    server: { latencies: { requestMs: 0, nicPutMs: 0, vmCreateMs: 0 }, tokenLifetimeMs: 86_400_000 },
  },
});
const { server, url } = playground;
const azure = playground.azure!;
const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
const stage: AksWritable = { world, admin, arm: azure.arm, inTime: (promise) => promise };

const { place, ofClass, pools } = await upstreamOwners(stage);
rmSync(snapshotFile);
const ownersOf = (at: number) => ({ place, pool: pools[poolOfNode(at)], nodeClass: ofClass });
await each(NODE_COUNT, (at) => addNode(stage, ownersOf(at), at));
const general = Array.from({ length: NODE_COUNT }, (_, at) => at).filter(
  (at) => poolOfNode(at) === 'general',
).length;
await settlePool(stage, place, pools.general, general);
await settlePool(stage, place, pools.spot, NODE_COUNT - general);
// The machines must have booted.
await world.clock.sleep(10_000);
await each(NODE_COUNT, (at) => putBillingExtension(ownersOf(at), azure.arm, claimName(at)));

for (const [resource, object] of roleObjects(azure.bootstrapToken)) await admin.create(resource, object);
const kubeconfig = join(folder, 'kubeconfig');
const token = await accountToken(admin);
writeFileSync(kubeconfig, accountKubeconfig({ server: url!, caPem: server.caPem, token }), { mode: 0o600 });
const around = { azure, serverUrl: url!, kubeconfig };
const files = await writeControllerFiles(folder, around);
const env = { ...controllerEnvironment(around, files), ...upstreamEnvironment(place) };
console.log(JSON.stringify({ env }));

process.stdin.resume();
process.stdin.on('end', () => {
  // A stop in order would write all of it to a file first.
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

// ---------------------------------------------------------------------------------------------------

async function each(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** As a file that the API server reads at its start: a hundred thousand requests would take minutes. */
async function writePods(file: string): Promise<void> {
  const count = POD_COUNT - NODE_COUNT;
  const out = createWriteStream(file);
  const header = {
    format: 'chandler.sh/apiserver-snapshot',
    version: 1,
    revision: count + 1000,
    objects: count,
  };
  out.write(`${JSON.stringify(header)}\n`);
  for (let at = 0; at < count; at++) {
    const pod = runningPod(at);
    const { ownerReferences: _, ...metadata } = pod.metadata;
    const spec = { ...(pod['spec'] as object), nodeName: `aks-${claimName(at % NODE_COUNT)}` };
    const more = out.write(`${JSON.stringify(['pods', { ...pod, metadata, spec }])}\n`);
    if (!more) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}
