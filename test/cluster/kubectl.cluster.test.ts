/** What people type: the real kubectl against the playground, as a process of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'chandler-kubectl-'));
const kubeconfig = join(folder, 'kubeconfig');
const kubectlPath = join(process.env['CHANDLER_TEST_BINARIES'] ?? '', 'kubectl');
let playground: ChildProcess;

beforeAll(async () => {
  const args = [
    'packages/chandler/src/cli/main.ts',
    'playground',
    '--write-kubeconfig',
    kubeconfig,
    '-o',
    'json',
  ];
  playground = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await new Promise<string[]>((resolve, reject) => {
    createInterface({ input: playground.stdout! }).once('line', (text) => resolve([text]));
    playground.once('exit', (code) => reject(new Error(`the playground ended with ${code}`)));
  });
  expect(JSON.parse(line!)).toMatchObject({ ready: true, kubeconfig });
});

afterAll(async () => {
  const ended = new Promise<number | null>((resolve) => playground.once('exit', (code) => resolve(code)));
  playground.kill('SIGINT');
  expect(await ended).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

describe('kubectl against the playground', () => {
  test('get nodes shows three system nodes that become Ready', () => {
    kubectl('wait', '--for=condition=Ready', 'node', '--all', '--timeout=30s');
    const lines = kubectl('get', 'nodes', '--no-headers').trim().split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line).toMatch(/^system-\d\s+Ready\s/);
  });

  test('api-resources and api-versions know built-in kinds and ours', () => {
    const resources = kubectl('api-resources');
    for (const name of [
      'pods',
      'deployments',
      'nodepools',
      'nodeclaims',
      'aksnodeclasses',
      'ec2nodeclasses',
    ]) {
      expect(resources).toMatch(new RegExp(`^${name}\\s`, 'm'));
    }
    expect(kubectl('api-versions')).toContain('karpenter.sh/v1');
  });

  test('explain describes fields of our kinds and of built-in kinds', () => {
    expect(kubectl('explain', 'nodepool.spec.disruption.budgets')).toMatch(/schedule\s+<string>/);
    expect(kubectl('explain', 'pod.spec.containers')).toMatch(/image\s+<string>/);
    expect(kubectl('explain', 'nodepool.spec', '--recursive')).toMatch(/nodeClassRef/);
  });

  test('apply creates, changes and leaves alone', () => {
    const file = manifest('config.yaml', configMap({ key: 'one' }));
    expect(kubectl('apply', '-f', file)).toContain('configmap/settings created');
    expect(kubectl('apply', '-f', file)).toContain('configmap/settings unchanged');
    manifest('config.yaml', configMap({ key: 'two' }));
    expect(kubectl('diff', '-f', file, { code: 1 })).toContain('+  key: two');
    expect(kubectl('apply', '-f', file)).toContain('configmap/settings configured');
    expect(kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.key}')).toBe('two');
  });

  test('apply --server-side owns its fields, and says when it conflicts', () => {
    const file = manifest('owned.yaml', { ...configMap({ key: 'mine' }), metadata: { name: 'owned' } });
    expect(kubectl('apply', '--server-side', '-f', file)).toContain('configmap/owned serverside-applied');
    kubectl('patch', 'configmap', 'owned', '--type=merge', '-p', '{"data":{"key":"theirs"}}');
    const refused = kubectl('apply', '--server-side', '-f', file, { code: 1 });
    expect(refused).toContain('conflict with "kubectl-patch"');
    kubectl('apply', '--server-side', '--force-conflicts', '-f', file);
    expect(kubectl('get', 'configmap', 'owned', '-o', 'jsonpath={.data.key}')).toBe('mine');
  });

  test('apply refuses what a rule refuses, in the words of the rule', () => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'bad' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In' }],
          },
        },
      },
    };
    const answer = kubectl('apply', '-f', manifest('bad.yaml', pool), { code: 1 });
    expect(answer).toContain("requirements with operator 'In' must have a value defined");
  });

  test('the examples apply, and get shows their columns', () => {
    const made = kubectl('apply', '-f', join(ROOT, 'examples'));
    // The playground begins with a pool of this name.
    expect(made).toMatch(/nodepool\.karpenter\.sh\/default (created|configured)/);
    expect(kubectl('get', 'nodepool')).toMatch(/^NAME\s+NODECLASS\s+NODES\s+READY\s+AGE/);
    expect(kubectl('get', 'aksnodeclass', 'default', '-o', 'wide')).toContain('Ubuntu2204');
    kubectl('patch', 'nodepool', 'default', '--type=merge', '-p', '{"spec":{"weight":1000}}', { code: 1 });
  });

  test('a deployment rolls out, scales, and is described', () => {
    kubectl('create', 'deployment', 'web', '--image=nginx', '--replicas=2');
    expect(kubectl('rollout', 'status', 'deployment/web', '--timeout=60s')).toContain(
      'successfully rolled out',
    );
    expect(kubectl('scale', 'deployment/web', '--replicas=4')).toContain('deployment.apps/web scaled');
    kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    expect(kubectl('get', 'pods', '-l', 'app=web', '--no-headers').trim().split('\n')).toHaveLength(4);
    expect(kubectl('describe', 'deployment', 'web')).toMatch(/Replicas:\s+4 desired/);
    const pod = kubectl('get', 'pods', '-l', 'app=web', '-o', 'name').trim().split('\n')[0]!;
    expect(kubectl('describe', pod)).toMatch(/Scheduled[\s\S]*Successfully assigned default\/web-/);
    expect(kubectl('describe', 'node', 'system-1')).toMatch(/Allocated resources:/);
  });

  test('a new image rolls through, edited by patch', async () => {
    const image = 'jsonpath={.items[*].spec.containers[0].image}';
    kubectl('set', 'image', 'deployment/web', 'nginx=nginx:2');
    kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
    // Pods of the old image may still be ending.
    await until(() => new Set(kubectl('get', 'pods', '-l', 'app=web', '-o', image).split(' ')).size === 1);
    expect(kubectl('get', 'pods', '-l', 'app=web', '-o', image)).toMatch(/^nginx:2\b/);
    kubectl('rollout', 'undo', 'deployment/web');
    kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  test('edit changes an object', () => {
    const editor = join(folder, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/key: two/key: edited/" "$1"\n', { mode: 0o755 });
    expect(kubectl('edit', 'configmap', 'settings', { env: { KUBE_EDITOR: editor } })).toContain('edited');
    expect(kubectl('get', 'configmap', 'settings', '-o', 'jsonpath={.data.key}')).toBe('edited');
  });

  test('get -w prints changes as they happen', async () => {
    const watch = spawn(kubectlPath, ['get', 'configmaps', '-w', '--no-headers'], { env: environment() });
    const lines: string[] = [];
    createInterface({ input: watch.stdout }).on('line', (line) => lines.push(line));
    await until(() => lines.some((line) => line.startsWith('settings ')));
    kubectl('create', 'configmap', 'late', '--from-literal=a=b');
    await until(() => lines.some((line) => /^late\s+1\s/.test(line)));
    watch.kill();
  });

  test('events are listed', () => {
    expect(kubectl('events', '--for', 'deployment/web')).toMatch(/ScalingReplicaSet/);
    expect(kubectl('get', 'events', '--field-selector', 'reason=Scheduled')).toMatch(/Successfully assigned/);
  });

  test('auth can-i asks the server', () => {
    expect(kubectl('auth', 'can-i', 'create', 'pods').trim()).toBe('yes');
    expect(kubectl('auth', 'can-i', 'create', 'pods', '--as', 'nobody', { code: 1 }).trim()).toBe('no');
    expect(kubectl('auth', 'whoami')).toMatch(/Username/);
    expect(kubectl('get', 'pods', '--as', 'nobody', { code: 1 })).toContain(
      'pods is forbidden: User "nobody"',
    );
  });

  test('drain waits for a disruption budget, and succeeds without it', () => {
    kubectl('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=4');
    kubectl('wait', '--for=jsonpath={.status.currentHealthy}=4', 'pdb/web', '--timeout=30s');
    const node = kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[0].spec.nodeName}');
    const stuck = kubectl('drain', node, '--ignore-daemonsets', '--timeout=4s', { code: 1 });
    expect(stuck).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    kubectl('patch', 'pdb', 'web', '--type=merge', '-p', '{"spec":{"minAvailable":1}}');
    expect(kubectl('drain', node, '--ignore-daemonsets', '--timeout=90s')).toContain(`node/${node} drained`);
    expect(kubectl('get', 'pods', '-o', 'wide', '--field-selector', `spec.nodeName=${node}`)).not.toContain(
      'web-',
    );
    kubectl('uncordon', node);
    kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  });

  test('delete also deletes dependents', () => {
    expect(kubectl('delete', 'deployment', 'web', '--timeout=60s')).toContain('"web" deleted');
    kubectl('wait', '--for=delete', 'pod', '-l', 'app=web', '--timeout=60s');
    kubectl('delete', 'configmap', 'settings', 'owned', 'late');
    expect(kubectl('get', 'configmap', 'settings', { code: 1 })).toContain('configmaps "settings" not found');
    kubectl('create', 'namespace', 'gone');
    kubectl('create', 'configmap', 'inside', '-n', 'gone');
    kubectl('delete', 'namespace', 'gone', '--timeout=30s');
  });
});

interface Expectation {
  readonly code?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs kubectl and gives both streams; it must end with the expected code. */
function kubectl(...parts: readonly (string | Expectation)[]): string {
  const args = parts.filter((part) => typeof part === 'string');
  const { code = 0, env = {} } = (parts.find((part) => typeof part !== 'string') ?? {}) as Expectation;
  const result = spawnSync(kubectlPath, args, { encoding: 'utf8', env: { ...environment(), ...env } });
  const output = `${result.stdout}${result.stderr}`;
  expect(result.status, `kubectl ${args.join(' ')}\n${output}`).toBe(code);
  return output;
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
}

function manifest(name: string, object: object): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(object));
  return file;
}

function configMap(data: Readonly<Record<string, string>>) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data };
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('it did not happen in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
