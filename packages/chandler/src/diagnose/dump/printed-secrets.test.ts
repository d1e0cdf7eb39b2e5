/** What a container printed before it ended: its log, its termination message, the output of its probes. */
import { PODS } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { ObjectReader, ReadObject } from '../../causes/index.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';
import { gather } from '../evidence/gather.ts';
import { explain } from '../explain.ts';
import { explanationJson } from '../json.ts';
import { parseSubject } from '../subject.ts';
import { explanationText } from '../text.ts';
import type { Dump } from './dump.ts';
import { dumpReader } from './dump-reader.ts';
import { makeDump } from './make-dump.ts';

const cloud = azureDiagnosis();
const PRINTED =
  '+ mysqldump -h db -uroot -psecret1 shop\n+ sshpass -p hunter2 ssh db\nmysqldump: Unknown database "shop"';
const SECRETS = ['secret1', 'hunter2'];

test('a dump has no passwords that a container printed, in logs, termination messages or outputs of probes', async () => {
  const dump = await makeDump({ reader: printing(), cloud, madeBy: 'test' });
  const text = JSON.stringify(dump);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(Object.values(dump.logs).join('\n')).toContain('Unknown database');
  expect(JSON.stringify(dump.kinds['pods'])).toContain('Unknown database');
  expect(JSON.stringify(dump.kinds['events'])).toContain('Unknown database');
});

test('an answer has no passwords that a container printed, but the error after them', async () => {
  const answer = await asked('pod/shop/backup');
  expect(answer).toContain('Unknown database');
  for (const secret of SECRETS) expect(answer).not.toContain(secret);
});

test('neither has passwords of a command that the runtime cannot execute', async () => {
  const said = 'exec: "mysql -uroot -psecret1 shop": executable file not found in $PATH';
  const waiting = { reason: 'RunContainerError', message: said };
  const status = { name: 'app', restartCount: 0, ready: false, state: { waiting } };
  const pod = aPod('backup', 'shop', undefined);
  const pods = [{ ...pod, status: { phase: 'Pending', containerStatuses: [status] } }];
  const failed = anEvent('Failed', `Error: ${said}`);
  const answer = await asked('pod/shop/backup', pods, undefined, [failed]);
  const dump = await makeDump({ reader: printing([failed], pods), cloud, madeBy: 'test' });
  for (const text of [answer, JSON.stringify(dump)]) {
    expect(text).toContain('executable file not found');
    expect(text).not.toContain('secret1');
  }
});

test('neither has passwords in the command of a probe that timed out', async () => {
  const said =
    'command timed out: "/bin/sh -c client --word secret1 && redis-cli -a hunter2 ping" timed out after 1s';
  const probe = anEvent('Unhealthy', `Readiness probe failed: ${said}`);
  const running = { startedAt: '2026-01-01T00:01:00Z' };
  const status = { name: 'app', restartCount: 0, ready: false, started: true, state: { running } };
  const pod = aPod('backup', 'shop', undefined);
  const readinessProbe = { exec: { command: ['/bin/sh', '-c', 'client --word secret1'] } };
  const spec = { nodeName: 'a', containers: [{ name: 'app', image: 'i', readinessProbe }] };
  const pods = [{ ...pod, spec, status: { phase: 'Running', containerStatuses: [status] } }];
  const answer = await asked('pod/shop/backup', pods, '', [probe]);
  const dump = await makeDump({ reader: printing([probe], pods, ''), cloud, madeBy: 'test' });
  expect(answer).toContain('[L7.3');
  for (const text of [answer, JSON.stringify(dump)]) {
    expect(text).toContain('/bin/sh -c client …');
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
});

test('the name of an image that cannot be pulled is in a dump and in an answer, and what the registry was asked with is not', async () => {
  const image = 'registry.example/app:3f2a9c0d1e4b5a69788796a5b4c3d2e1f0a9b8c7';
  const waiting = { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` };
  const status = { name: 'app', image, restartCount: 0, ready: false, state: { waiting } };
  const pod = aPod('backup', 'shop', undefined);
  const pods = [{ ...pod, status: { phase: 'Pending', containerStatuses: [status] } }];
  const asks = 'Get "https://joe:secret1@registry.example/v2/token?account=hunter2"';
  const failed = anEvent('Failed', `Failed to pull image "${image}": ${asks}: 401 Unauthorized`);
  const answer = await asked('pod/shop/backup', pods, undefined, [failed]);
  const dump = await makeDump({ reader: printing([failed], pods), cloud, madeBy: 'test' });
  expect(answer).toContain('[images.unauthorized');
  expect(JSON.stringify(dump.kinds['events'])).toContain(image);
  for (const text of [answer, JSON.stringify(dump)]) {
    expect(text).toContain(image);
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  }
});

test.each([
  ['its termination message', PRINTED],
  ['its log', undefined],
])('why the controller has stopped is read from %s without passwords', async (_, message) => {
  const pod = aPod('karpenter', 'kube-system', message);
  const answer = await asked('nodepool/default', [pod], PRINTED.split('\n').slice(0, 2).join('\n'));
  expect(answer).toContain('CrashLoopBackOff');
  for (const secret of SECRETS) expect(answer).not.toContain(secret);
});

test('why the controller does not start is read from its command without passwords', async () => {
  const waiting = { reason: 'RunContainerError', message: 'exec: "mysql -uroot -psecret1": not found' };
  const status = { name: 'app', restartCount: 0, ready: false, state: { waiting } };
  const pod = aPod('karpenter', 'kube-system', undefined);
  const pods = [{ ...pod, status: { phase: 'Pending', containerStatuses: [status] } }];
  const answer = await asked('nodepool/default', pods, '');
  expect(answer).toContain('RunContainerError');
  expect(answer).not.toContain('secret1');
});

test('neither has JSON that is the value of a secret, whatever its names are', async () => {
  const said = [
    'DB_CREDENTIALS={"login":"joe","pin":"secret1, or {hunter2"}',
    'retry with --password ["hunter2","secret1"]',
    'Unknown database "shop"',
  ].join('\n');
  const pods = [aPod('backup', 'shop', said)];
  const answer = await asked('pod/shop/backup', pods, said);
  const dump = await makeDump({ reader: printing([], pods, said), cloud, madeBy: 'test' });
  for (const text of [answer, JSON.stringify(dump)]) {
    expect(text).toContain('Unknown database');
    for (const secret of [...SECRETS, 'joe']) expect(text).not.toContain(secret);
  }
});

test('a message that is no output of a program stays as it is', async () => {
  const scheduled = anEvent('FailedScheduling', '0/3 nodes: https://a.example/?why=x');
  const dump = await makeDump({ reader: printing([scheduled]), cloud, madeBy: 'test' });
  expect(JSON.stringify(dump.kinds['events'])).toContain('?why=x');
});

// ---------------------------------------------------------------------------------------------------

async function asked(
  ask: string,
  pods?: readonly ReadObject[],
  log?: string,
  events: readonly ReadObject[] = [],
): Promise<string> {
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const gathered = await gather(subject, { reader: printing(events, pods, log), cloud });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  const explanation = explain(gathered.subject, gathered.evidence, cloud);
  return `${explanationText(explanation, { verbose: true })}\n${JSON.stringify(explanationJson(explanation))}`;
}

function printing(
  events: readonly ReadObject[] = [],
  pods: readonly ReadObject[] = [aPod('backup', 'shop', PRINTED)],
  log = PRINTED,
): ObjectReader {
  const deployment: ReadObject = {
    metadata: {
      name: 'karpenter',
      namespace: 'kube-system',
      labels: { 'app.kubernetes.io/name': 'chandler' },
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'karpenter' } },
      template: { spec: { containers: [] } },
    },
    status: { replicas: 1 },
  };
  const pool: ReadObject = {
    metadata: { name: 'default' },
    spec: {
      template: {
        spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } },
      },
    },
  };
  const objects = {
    [PODS.plural]: pods,
    nodes: [{ metadata: { name: 'a' } }],
    events: [anEvent('Unhealthy', `Liveness probe failed: ${PRINTED}`), ...events],
    'deployments.apps': [deployment],
    'nodepools.karpenter.sh': [pool],
  };
  const kinds = Object.fromEntries(
    Object.entries(objects).map(([kind, found]) => [kind, { objects: found, complete: true }]),
  );
  const dump: Dump = {
    kind: 'ChandlerDump',
    version: 1,
    madeAt: '2026-01-01T00:10:00Z',
    madeBy: 'test',
    kinds,
    logs: {},
    evidence: [],
    unread: [],
  };
  return { ...dumpReader(dump), log: async () => ({ found: log }) };
}

function aPod(name: string, namespace: string, message: string | undefined): ReadObject {
  const ended = { exitCode: 1, reason: 'Error', finishedAt: '2026-01-01T00:08:00Z' };
  const terminated = message === undefined ? ended : { ...ended, message };
  return {
    metadata: { name, namespace, labels: { app: name }, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodeName: 'a', containers: [{ name: 'app', image: 'i' }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          restartCount: 3,
          ready: false,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
          lastState: { terminated },
        },
      ],
    },
  };
}

function anEvent(reason: string, message: string): ReadObject {
  return {
    metadata: { name: `backup.${reason}`, namespace: 'shop', creationTimestamp: '2026-01-01T00:08:00Z' },
    involvedObject: { kind: 'Pod', name: 'backup', namespace: 'shop' },
    type: 'Warning',
    reason,
    message,
    lastTimestamp: '2026-01-01T00:09:00Z',
  };
}
