/**
 * A large cluster of AKS on real sockets, for a controller in its own process: an API server and an ARM server with
 * many nodes, each with VM, claim and thirty pods, in a stable state. It prints one line with the environment
 * of the controller when everything is ready, with `with-page` also the token of somebody who may read what the page shows, and
 * ends with its standard input.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient } from '@chandler/kube';
import { startPlayground } from '../packages/chandler/src/playground/index.ts';
import { roleObjects } from '../test/e2e/roles.ts';
import { accountWhoMayRead } from '../test/operator/page-stage.ts';
import {
  type AksWritable,
  addNode,
  settlePool,
  upstreamEnvironment,
  upstreamOwners,
} from '../test/takeover/azure/cluster.ts';
import { putBillingExtension } from '../test/takeover/azure/vms.ts';
import { claimName, poolOfNode } from '../test/takeover/objects.ts';
import { each, newFolder, QUIET_STANDINS, serve, writeKubeconfig, writePods } from './large-cluster-parts.ts';
import { benchWorld } from './world.ts';

/** What the page shows, and what its plans read. */
const SHOWN = [
  'nodes',
  'pods',
  'configmaps',
  'events',
  'persistentvolumeclaims',
  'persistentvolumes',
  'namespaces',
  'storageclasses.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'daemonsets.apps',
  'replicasets.apps',
  'poddisruptionbudgets.policy',
  'nodeclaims.karpenter.sh',
  'nodepools.karpenter.sh',
  'nodeoverlays.karpenter.sh',
  'aksnodeclasses.karpenter.azure.com',
];
const [NODE_COUNT, POD_COUNT] = process.argv.slice(2).map(Number) as [number, number];
const hasPage = process.argv[4] === 'with-page';

const folder = newFolder();
const snapshotFile = join(folder, 'state');
await writePods(snapshotFile, POD_COUNT - NODE_COUNT, (at) => `aks-${claimName(at % NODE_COUNT)}`);
const world = benchWorld();
const playground = await startPlayground({
  world,
  snapshotFile,
  systemNodes: 0,
  standinOptions: QUIET_STANDINS,
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

const roles = roleObjects(azure.bootstrapToken, hasPage ? ['rbac-page.yaml'] : []);
const kubeconfig = await writeKubeconfig(folder, playground, admin, roles);
const around = { azure, serverUrl: url!, kubeconfig };
const files = await writeControllerFiles(folder, around);
const env = { ...controllerEnvironment(around, files), ...upstreamEnvironment(place) };
serve(folder, env, hasPage ? { reader: await accountWhoMayRead(admin, 'reader', ...SHOWN) } : {});
