/**
 * A playground that stays up, asked by the other verbs over HTTPS as a cluster would be: `why` about the stories of
 * examples/why, also with the credentials for its Azure, `dump` and `simulate --live`.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBE_YAML, type KubeClient, type KubeObject, PODS, systemClock } from '@chandler/kube';
import { parseAllDocuments } from 'yaml';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { applyObject } from '../../packages/chandler/src/playground/testing.ts';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { ROOT } from '../../scripts/build/paths.ts';
import { clientOf, type PlaygroundProcess, type Ready, startProcess } from '../playground/process.ts';
import { assertNoBug, outputOf } from './program.ts';
import type { Stage } from './suite.ts';

/** The pods of examples/why/unhealthy-pods.yaml and the cause that `why` names. */
const CAUSES: Readonly<Record<string, string>> = {
  'too-large': 'L6.3',
  'wrong-label': 'L6.4',
  'no-image': 'L7.1',
  crashes: 'L7.2',
  'missing-volume-claim': 'scheduling.volume-claim-missing',
};

const PATIENCE_MS = 180_000;

export async function checkLive(stage: Stage): Promise<void> {
  const place = join(stage.folder, 'live');
  mkdirSync(place);
  const args = ['--boot-time', '1s', '--write-kubeconfig', join(place, 'kubeconfig')];
  const playground = startProcess(args, stage.chandler.files);
  try {
    const ready = await playground.ready;
    const { text: leads = '' } = await playground.printed('controller', 'is the leader', PATIENCE_MS);
    const { client, close } = await clientOf(ready);
    try {
      await prepare(client);
    } finally {
      await close();
    }
    await ask(stage, ready, place);
    await stage.suite.check('the metric karpenter_build_info names version and commit', () =>
      checkBuildInfo(leads),
    );
    await stage.suite.check('the log of the controller shows no bug', () =>
      assertNoBug(readFileSync(ready.controllerLog, 'utf8'), 'the log'),
    );
  } finally {
    await stage.suite.check('it stops when it is asked to, and removes its files', () =>
      stop(playground, place),
    );
  }
}

// ---------------------------------------------------------------------------------------------------

async function prepare(client: KubeClient): Promise<void> {
  for (const file of ['why/unhealthy-pods.yaml', 'playground/encrypted.yaml']) {
    const text = readFileSync(join(ROOT, 'examples', file), 'utf8');
    for (const document of parseAllDocuments(text, KUBE_YAML))
      await applyObject(client, document.toJS() as KubeObject);
  }
  await until('the examples run or fail', async () => {
    const pods = (await client.list(PODS)).items;
    const bound = pods.filter((pod) => (pod['spec'] as { nodeName?: string }).nodeName !== undefined);
    return bound.some(({ metadata }) => metadata.name?.startsWith('encrypted')) && bound.length >= 3;
  });
  await until('the NodeClaims are Ready', async () =>
    (await client.list(NODE_CLAIMS)).items.every((claim) => {
      const { conditions = [] } = claim['status'] as { conditions?: { type: string; status: string }[] };
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    }),
  );
  // The kubelet needs a moment to tell that a container fails.
  await systemClock.sleep(3_000);
}

async function ask({ suite, chandler }: Stage, ready: Ready, place: string): Promise<void> {
  const cluster = ['--kubeconfig', ready.kubeconfig];
  const azure = environmentOf(readFileSync(ready.azure.envFile, 'utf8'));
  for (const [pod, cause] of Object.entries(CAUSES))
    await suite.check(`why pod/${pod}: ${cause}`, async () => {
      const { out } = await chandler.run(['why', `pod/${pod}`, ...cluster, '-o', 'json']);
      assert.equal((JSON.parse(out) as { cause?: { id: string } }).cause?.id, cause);
    });

  await suite.check(
    'why --checklist byok looks at Azure, and finds the roles and the disk in order',
    async () => {
      const args = ['why', '--checklist', 'byok', '--azure', 'on', ...cluster];
      const { out } = await chandler.run(args, { env: azure });
      assert.match(out, /^ 6\. The controller has a role on the set.*: ok$/m);
      // The address of the vault exists only inside of the playground, so the key itself cannot be read.
      assert.match(out, /^ 7\. The key and the vault can be used: unknown$/m);
      assert.equal(out.match(/^ ?\d+\. .*: ok$/gm)?.length, 11, out);
    },
  );

  await suite.check('dump writes a file that why answers from', async () => {
    const file = join(place, 'cluster.json.gz');
    await chandler.run(['dump', '-f', file, ...cluster]);
    const { out } = await chandler.run(['why', 'pod/no-image', '--dump', file, '-o', 'json']);
    assert.equal((JSON.parse(out) as { cause?: { id: string } }).cause?.id, CAUSES['no-image']);
  });

  await suite.check('check --live-cluster judges the cluster', async () => {
    const { out } = await chandler.run(['check', '--live-cluster', ...cluster, '-o', 'json', '--exit-zero']);
    const { findings } = JSON.parse(out) as { findings: { id: string; status: string }[] };
    const statusOf = (id: string) => findings.find((finding) => finding.id === id)?.status;
    assert.deepEqual([statusOf('S-27'), statusOf('S-28')], ['pass', 'pass'], out);
    assert.equal(findings.filter(({ status }) => status === 'error').length, 0, out);
  });

  await suite.check('check --smoke gets nodes for its pods, and leaves nothing', async () => {
    const args = ['check', '--smoke', '--yes', '--smoke-replicas', '2', '--smoke-no-wait', ...cluster];
    const { out } = await chandler.run([...args, '-o', 'json', '--exit-zero']);
    const { findings, smoke } = JSON.parse(out) as {
      findings: { id: string; status: string }[];
      smoke: { running: number; left: string[] };
    };
    assert.match(findings.find(({ id }) => id === 'S-61')?.status ?? '', /^(pass|warn)$/);
    assert.deepEqual([smoke.running, smoke.left], [2, []]);
  });

  await suite.check('simulate --live reads the cluster', async () => {
    const { out } = await chandler.run(['simulate', '--live', ...cluster, '-o', 'json']);
    const { summary } = JSON.parse(out) as { summary: { refused: number } };
    assert.ok(summary.refused >= 2, out);
  });
}

/** @param leads the line in which the controller says where its metrics are. */
async function checkBuildInfo(leads: string): Promise<void> {
  const address = /http:\/\/[\w.:]+(?:\/metrics)?/.exec(leads)?.[0] ?? '';
  const answer = await fetch(address.endsWith('/metrics') ? address : `${address}/metrics`);
  const { version, commit } = buildFacts(ROOT);
  const info = (await answer.text()).split('\n').find((line) => line.startsWith('karpenter_build_info{'));
  assert.ok(info?.includes(`version="${version}"`) && info.includes(`commit="${commit}"`), info);
}

async function stop(playground: PlaygroundProcess, place: string): Promise<void> {
  assert.equal(await playground.stop(), 0);
  assertNoBug(outputOf(playground), 'the output');
  assert.equal(existsSync(join(place, 'kubeconfig')), false);
}

/** `NAME=value` lines, as a shell reads them. */
function environmentOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [
      name!,
      value!.replace(/^'(.*)'$/, '$1'),
    ]),
  );
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`it did not happen in time: ${what}`);
    await systemClock.sleep(200);
  }
}
