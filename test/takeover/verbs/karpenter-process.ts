/**
 * A stand-in for a pod of Karpenter, as a process: takes part in leader election under Karpenter's lease until SIGTERM, then releases
 * the lease. It prints when it leads and when it stops. Usage: node karpenter-process.ts KUBECONFIG POD
 */
import {
  Fence,
  KubeClient,
  LeaderElection,
  loadCredentials,
  systemClock,
  undiciTransport,
} from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { LEASE } from './two-controllers.ts';

const [kubeconfig = '', podName = ''] = process.argv.slice(2);
const say = (event: 'leads' | 'stops') => console.log(JSON.stringify({ event, atMs: Date.now() }));

const world = realTimeWorld();
const wire = undiciTransport(await loadCredentials({ kubeconfig, env: {}, clock: systemClock }));
const election = new LeaderElection({
  client: new KubeClient({ transport: wire.send }),
  fence: new Fence(systemClock),
  world,
  ...LEASE,
  identity: `${podName}_${crypto.randomUUID()}`,
  onStartedLeading: () => say('leads'),
  onStoppedLeading: () => say('stops'),
});
process.once('SIGTERM', () => void election.stop());
await election.run();
await wire.close();
