/** Which pods and logs are in a dump of a cluster that has too many: what is down comes first. */
import { expect, test } from 'vitest';
import type { ObjectReader, ReadObject } from '../../causes/index.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';
import type { Dump } from './dump.ts';
import { dumpReader } from './dump-reader.ts';
import { makeDump } from './make-dump.ts';

const cloud = azureDiagnosis();
const NOW_MS = Date.UTC(2026, 5, 1, 9);
const before = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();

/** It runs out of memory every half hour, and is Ready in between. */
function agent(index: number): ReadObject {
  return aPod('kube-system', `agent-${index}`, 'True', {
    restartCount: 40,
    state: { running: { startedAt: before(5) } },
    lastState: {
      terminated: { reason: 'OOMKilled', exitCode: 137, startedAt: before(35), finishedAt: before(5) },
    },
  });
}

function crashing(namespace: string, name: string, owner?: string): ReadObject {
  const pod = aPod(namespace, name, 'False', {
    restartCount: 12,
    state: { waiting: { reason: 'CrashLoopBackOff' } },
    lastState: {
      terminated: { reason: 'Error', exitCode: 1, startedAt: before(3), finishedAt: before(2) },
    },
  });
  if (owner === undefined) return pod;
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'DaemonSet', name: owner, uid: owner, controller: true },
  ];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

function aPod(namespace: string, name: string, ready: string, status: object): ReadObject {
  return {
    metadata: { namespace, name },
    spec: { nodeName: 'a', containers: [{ name: 'app' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready }],
      containerStatuses: [{ name: 'app', ready: ready === 'True', started: true, ...status }],
    },
  };
}

async function dumpOf(pods: readonly ReadObject[], namespaces: readonly string[] = []): Promise<Dump> {
  const whole: Dump = {
    kind: 'ChandlerDump',
    version: 1,
    madeAt: new Date(NOW_MS).toISOString(),
    madeBy: 'test',
    kinds: { pods: { objects: pods, complete: true }, services: { objects: [], complete: true } },
    logs: {},
    evidence: [],
    unread: [],
  };
  const reader: ObjectReader = { ...dumpReader(whole), log: async () => ({ found: 'a line' }) };
  return makeDump({ reader, cloud, madeBy: 'test', namespaces });
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const logsOf = ({ logs }: Dump, prefix: string) => Object.keys(logs).filter((key) => key.startsWith(prefix));
const BOTH = ['shop/web/app', 'shop/web/app/previous'];

test.each([40, 2_100])(
  'of %i pods that are Ready between two failures and one that is down, the latter is in it with its logs',
  async (count) => {
    const dump = await dumpOf([...range(count).map(agent), crashing('shop', 'web')]);
    expect(dump.kinds['pods']!.objects.map(({ metadata }) => metadata.name)).toContain('web');
    expect(logsOf(dump, 'shop/')).toEqual(BOTH);
  },
);

test('a namespace with a pod that is down comes before those with pods that are Ready for now', async () => {
  const others = range(40).map((index) => {
    const pod = agent(index);
    return { ...pod, metadata: { ...pod.metadata, namespace: `a-${index}` } };
  });
  const dump = await dumpOf([...others, crashing('shop', 'web')]);
  expect(dump.kinds['services']!.wholeNamespaces).toContain('shop');
});

test('many pods of one owner leave room for the logs of others, and the dump says that logs are missing', async () => {
  const pods = range(200).map((index) => crashing('kube-system', `cni-${index}`, 'cni'));
  const dump = await dumpOf([...pods, crashing('shop', 'web')]);
  expect(logsOf(dump, 'shop/')).toEqual(BOTH);
  expect(dump.cutLogs).toBe('of 402 logs of unhealthy containers, 60 were read; name namespaces with -n');
  expect(await dumpOf([crashing('shop', 'web')])).not.toHaveProperty('cutLogs');
});

test('pods of a namespace that is named come before all others, however many one owner has', async () => {
  const pods = range(40).map((index) => crashing('a', `a-${index}`));
  const named = range(20).map((index) => crashing('shop', `web-${index}`, 'web'));
  const dump = await dumpOf([...pods, ...named], ['shop']);
  expect(logsOf(dump, 'shop/')).toHaveLength(40);
});
