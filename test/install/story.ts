/** The life of an installation, step by step: each step builds on the one before, so the first that fails is the last. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODES, SERVICES } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { readAudit } from '../cluster/control-plane/audit.ts';
import type { Suite } from '../dist/suite.ts';
import { checkOneEach, createPod, untilRunning } from './claims.ts';
import { NAMESPACE, untilNothingLacks } from './cluster.ts';
import { checkProcess, checkWrites, inPod } from './confinement.ts';
import { VERSIONS, type Version } from './images.ts';
import { type Installation, isTrue, RELEASE } from './installation.ts';
import { LEASE, LEASE_MS, LeaseWatch, leaderOf } from './lease-watch.ts';
import { NODES_OF_CLUSTER } from './network.table.ts';

type Step = (installation: Installation) => Promise<void>;

export async function playInstallation(suite: Suite, installation: Installation): Promise<void> {
  for (const [title, work] of Object.entries(STEPS))
    if (!(await suite.step(title, () => suite.check(title, () => work(installation))))) {
      show(installation.describe());
      return;
    }
}

// ---------------------------------------------------------------------------------------------------

/** Those that were created; each has a node of its own. */
const pods = ['first'];
const MAX_PODS = 12;
const CHANGED = { logLevel: 'debug', settings: { kubeClientQps: 150 } };

const STEPS: Readonly<Record<string, Step>> = {
  'the two nodes are Ready': async (at) => {
    await at.untilNodesReady(NODES_OF_CLUSTER.length);
    show(at.cluster.kubectl('get', 'nodes', '-L', 'topology.kubernetes.io/zone', '-o', 'wide'));
  },
  'helm installs both charts, and says how to uninstall': async (at) => {
    show(await at.installCrds());
    await at.create(at.cloud.objects);
    const said = await at.install();
    show(said);
    assert.match(said, /`helm uninstall chandler --namespace kube-system` removes the controller/);
    assert.match(said, /keep running and keep costing money/);
  },
  'two pods are Running, in two zones, and one leads': async (at) => {
    show(at.cluster.kubectl('get', 'pods', '--namespace', NAMESPACE, '-o', 'wide'));
    show(at.cluster.kubectl('get', 'lease', LEASE, '--namespace', NAMESPACE));
    const all = await at.pods();
    assert.ok(all.every((pod) => isTrue(pod, 'Ready')));
    const hosts = all.map((pod) => (pod['spec'] as { nodeName: string }).nodeName).sort();
    assert.deepEqual(
      hosts,
      NODES_OF_CLUSTER.map(({ name }) => name),
    );
    assert.ok((await at.podNames()).includes(await leaderOf(at.cluster.admin)));
  },
  'both run as 65532 on a read-only root, without rights, under their own ServiceAccount': async (at) => {
    for (const pod of await at.pods()) {
      await checkProcess(at.cluster, pod);
      checkWrites(at.cluster, pod);
    }
  },
  'the Service serves the metrics of one of them': async (at) => {
    const [pod] = await at.pods();
    const service = await at.cluster.admin.get(SERVICES, { name: RELEASE, namespace: NAMESPACE });
    const { clusterIP } = service['spec'] as { clusterIP: string };
    const program = `fetch('http://${clusterIP}:8080/metrics').then((answer) => answer.text(), String).then((text) => console.log(text))`;
    // A pod that has just become ready is an endpoint a moment later.
    await untilNothingLacks('the Service answers', () => {
      const answer = inPod(at.cluster, pod!, program);
      return /^karpenter_/m.test(answer) ? undefined : answer;
    });
  },
  'a pending pod gets its claim, its VM and its node, and runs': async (at) => {
    await at.create([at.cloud.nodeClass, at.cloud.nodePool]);
    await createPod(at.cluster.admin, pods[0]!);
    await untilRunning(at.cluster.admin, pods[0]!);
    await checkOneEach(at.cluster.admin, at.cloud, pods);
    show(at.cluster.kubectl('get', 'nodeclaims,nodes', '-o', 'wide'));
  },
  'a setting that needs no restart restarts no pod': async (at) => {
    const before = await at.podNames();
    await at.upgrade({ logLevel: 'debug' });
    assert.deepEqual(await at.podNames(), before);
  },
  'helm upgrade replaces both pods, and pods that become pending meanwhile get their nodes': async (at) => {
    await replaceUnderLoad(at, () => at.upgrade(CHANGED));
  },
  'helm upgrade to a newer version with launches in flight loses none, and doubles none': async (at) => {
    await replaceUnderLoad(at, () => at.upgrade(CHANGED, 'newer'));
    await checkVersion(at, 'newer');
  },
  'nor does helm rollback': async (at) => {
    await replaceUnderLoad(at, () => at.rollBack());
    await checkVersion(at, 'own');
  },
  // Before it is uninstalled: then its account and its roles are gone while it still stops.
  'no request of the controller was refused, by the audit log': async (at) => {
    const requests = readAudit(at.cluster.folder);
    assert.ok(requests.length > 100, `${requests.length} requests`);
    assert.deepEqual(
      requests.filter(({ code }) => code === 401 || code === 403),
      [],
    );
  },
  'helm uninstall leaves CRDs, claims, VMs and nodes': async (at) => {
    const before = await leftOvers(at);
    show(await at.uninstall());
    await untilNothingLacks('the pods are gone', async () =>
      (await at.podNames()).length === 0 ? undefined : String(await at.podNames()),
    );
    // Long enough for something that would delete them.
    await sleep(3_000);
    assert.deepEqual(await leftOvers(at), before);
    show(at.cluster.kubectl('get', 'nodeclaims,nodes,nodepools'));
  },
  'installed again, it goes on where it was; deleted NodePools take their nodes along': async (at) => {
    await at.install();
    await checkOneEach(at.cluster.admin, at.cloud, pods);
    at.cluster.kubectl('delete', 'pods', '--namespace', 'default', '--all', '--wait=false');
    await at.cluster.admin.delete(NODE_POOLS, { name: 'default' });
    await untilNothingLacks('claims, VMs and nodes are gone', async () => {
      const { claims, nodes, instances } = await leftOvers(at);
      const left = [...claims, ...instances, ...nodes.filter((name) => !name?.startsWith('system-'))];
      return left.length === 0 ? undefined : left.join(', ');
    });
  },
  'helm uninstall of the CRDs keeps them': async (at) => {
    const before = await at.crdNames();
    await at.uninstall();
    show(await at.helm('uninstall', 'chandler-crd'));
    assert.deepEqual(await at.crdNames(), before);
  },
};

/** Creates a pod every two seconds while helm replaces the pods of the controller; measures who leads. */
async function replaceUnderLoad(at: Installation, work: () => Promise<unknown>): Promise<void> {
  const { admin } = at.cluster;
  const before = await at.podNames();
  const watch = new LeaseWatch(admin);
  const logs = before.map((pod) => at.cluster.follow(pod));
  const rolling = { done: false };
  const rolled = work().finally(() => {
    rolling.done = true;
  });
  const added: string[] = [];
  while (!rolling.done && added.length < MAX_PODS) {
    const name = `meanwhile-${pods.length + added.length}`;
    added.push(name);
    await createPod(admin, name);
    await sleep(2_000);
  }
  await rolled;
  const after = await at.podNames();
  await untilNothingLacks('one of the new pods leads', async () => {
    const leader = await leaderOf(admin);
    return after.includes(leader) ? undefined : `${leader || 'none'} leads`;
  });
  await watch.stop();
  assert.deepEqual(
    after.filter((name) => before.includes(name)),
    [],
    'pods that were not replaced',
  );
  const { leaders, longestWithoutMs, inFlight } = watch.summary();
  const ends = logs.map((log) => endOf(log()));
  const measured = { pods: added.length, leaders, longestWithoutLeaderMs: longestWithoutMs, inFlight, ends };
  console.log(`     ${JSON.stringify(measured)}`);
  assert.ok(longestWithoutMs < LEASE_MS, `nobody led for ${longestWithoutMs} ms: a lease was left to expire`);
  assert.ok(
    inFlight.some((count) => count > 0),
    'no launch was in flight when the leader changed',
  );
  assert.ok(before.includes(leaders[0]!) && after.includes(leaders.at(-1)!), leaders.join(', '));
  pods.push(...added);
  for (const name of added) await untilRunning(admin, name);
  await checkOneEach(admin, at.cloud, pods);
}

/** Whether a pod that led released the lease, or left it to expire. */
function endOf(log: string): string {
  const messages = [...log.matchAll(/"message":"([^"]*(?:stopped|lease)[^"]*)"/g)].map(
    ([, message]) => message,
  );
  return messages.join(', ') || 'not seen';
}

async function checkVersion(at: Installation, version: Version): Promise<void> {
  const program = `process.argv = ['node', 'chandler', 'version', '-o', 'json']; import('/opt/chandler/chandler.js')`;
  for (const pod of await at.pods()) {
    const said = JSON.parse(inPod(at.cluster, pod, program)) as { version: string };
    assert.equal(said.version, VERSIONS[version], pod.metadata.name);
  }
}

async function leftOvers(at: Installation) {
  const names = async (resource: typeof NODES) =>
    (await at.cluster.admin.list(resource)).items.map(({ metadata }) => metadata.name!).sort();
  return {
    crds: await at.crdNames(),
    pools: await names(NODE_POOLS as never),
    claims: await names(NODE_CLAIMS as never),
    nodes: await names(NODES),
    instances: [...at.cloud.instances()].sort(),
  };
}

function show(text: string): void {
  for (const line of text.trimEnd().split('\n')) console.log(`     | ${line}`);
}
