/** The whole way of an installation: what is wrong, what `--fix` writes, the values that only its owner knows, a smoke test. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inFull } from '../../part.ts';
import { type PlaygroundProcess, ROOT, startProcess } from '../../playground/process.ts';
import { PROVISIONERS } from '../provisioners.ts';

const TIMEOUT_MS = 240_000;

let folder: string;
let playground: PlaygroundProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-estate-'));
});
afterEach(async () => {
  await playground?.stop();
  playground = undefined;
  rmSync(folder, { recursive: true, force: true });
});

function check(estate: string, ...args: readonly string[]) {
  const main = 'packages/chandler/src/cli/main.ts';
  const config = join(estate, 'expectations.yaml');
  const all = [main, 'check', estate, '--config', config, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function edit(file: string, ...changes: readonly (readonly [string | RegExp, string])[]): void {
  const before = readFileSync(file, 'utf8');
  const after = changes.reduce((text, [from, to]) => {
    expect(text).toMatch(from);
    return text.replace(from, to);
  }, before);
  writeFileSync(file, after);
}

test.runIf(inFull('an estate that is mended, and smoked on a playground'))(
  'from the faults of an installation to a score of 100 and a smoke test that passes on AWS',
  async () => {
    const estate = join(folder, 'estate');
    cpSync(join(ROOT, 'test/readiness/estate'), estate, { recursive: true });
    const broken = check(estate, '-o', 'json');
    expect(broken.status).toBe(1);
    expect(JSON.parse(broken.stdout).score).toBeLessThanOrEqual(69);

    const fixed = check(estate, '--fix', '--write');
    expect(fixed.stdout + fixed.stderr).toContain('9 findings fixed in 3 files, 15 left');

    ownerWrites(estate);
    const mended = check(estate, '-o', 'json');
    expect(mended.status, mended.stderr).toBe(0);
    expect(JSON.parse(mended.stdout)).toMatchObject({ score: 100 });

    const kubeconfig = join(folder, 'kubeconfig');
    const world = ['--write-kubeconfig', kubeconfig, '--boot-time', '1s', '--cloud', 'aws', '--speed', '20'];
    playground = startProcess(world);
    await playground.ready;
    await playground.printed('controller', 'is the leader');
    const smoked = check(estate, '--smoke', '--yes', '--kubeconfig', kubeconfig, '-o', 'json');
    expect(smoked.status, smoked.stderr).toBe(0);
    const report = JSON.parse(smoked.stdout) as { findings: { id: string; status: string }[] };
    expect(report).toMatchObject({
      score: 100,
      smoke: { running: 10, removal: { state: 'done' }, left: [] },
    });
    expect(report.findings).toContainEqual(expect.objectContaining({ id: 'S-61', status: 'pass' }));
  },
  TIMEOUT_MS,
);

/** What no input tells, and decisions. */
function ownerWrites(estate: string): void {
  edit(join(estate, 'gitops/prod/apps/apps-karpenter.yaml'), [
    /( *)(clusterEndpoint: ).*REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT.*/,
    '$1$2https://0F3A.gr7.us-east-1.eks.amazonaws.com\n$1interruptionQueue: Karpenter-harbor-prod',
  ]);
  edit(join(estate, 'infra/environments/production/main.tf'), [
    '    "karpenter.sh/discovery" = local.cluster_name\n',
    '',
  ]);
  edit(
    join(estate, 'karpenter/node-class.yaml'),
    [/ {2}amiFamily: AL2\n/g, ''],
    [/- id: ami-\w+/g, '- alias: al2023@v20260801'],
    [/( *)encrypted: true/g, '$1encrypted: true\n$1kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/7d1e'],
  );
  edit(join(estate, 'karpenter/node-pool.yaml'), ['expireAfter: 15m', 'expireAfter: 168h']);
  // An Application delivers them from the GitOps repository.
  renameSync(join(estate, 'karpenter'), join(estate, 'gitops/prod/karpenter'));
  writeFileSync(join(estate, 'gitops/prod/apps/provisioners.yaml'), PROVISIONERS);
}
