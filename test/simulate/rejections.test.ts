/** `chandler simulate` rejects what the API server would reject, with file, line, object and field. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { simulate } from './examples.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-simulate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const POD = `apiVersion: v1
kind: Pod
metadata: { name: a }
spec:
  containers: [{ name: main, image: nginx }]
`;

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: default }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: default }
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [amd64] }]
---
`;

describe('what the API server would reject', () => {
  test.each([
    [
      'a Deployment with a selector that does not match its template',
      `apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: other } }
    spec: { containers: [{ name: main, image: nginx }] }
`,
      /:\d+ \(document 2\): Deployment\/default\/web: spec\.template\.metadata\.labels: .*selector/,
    ],
    [
      'a container without an image',
      POD.replace(', image: nginx', ''),
      /:\d+ \(document 2\): Pod\/default\/a: spec\.containers\[0\]\.image: Required value/,
    ],
    [
      'requests above limits',
      POD.replace('image: nginx', 'image: nginx, resources: { requests: { cpu: 2 }, limits: { cpu: 1 } }'),
      /spec\.containers\[0\]\.resources\.requests: .*must be less than or equal to cpu limit/,
    ],
    [
      'a name that is not valid',
      POD.replace('name: a }', 'name: A_b }'),
      /Pod\/default\/A_b: metadata\.name: Invalid value/,
    ],
    [
      'a NodePool that breaks a CEL rule',
      `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: default }
spec:
  template:
    metadata: { labels: { karpenter.sh/nodepool: mine } }
    spec:
      nodeClassRef: { group: karpenter.azure.com, kind: AKSNodeClass, name: default }
      requirements: []
`,
      /NodePool\/default: spec\.template\.metadata\.labels.*restricted/,
    ],
    [
      'an AKSNodeClass with an unknown image family',
      `apiVersion: karpenter.azure.com/v1beta1
kind: AKSNodeClass
metadata: { name: default }
spec: { imageFamily: Windows }
`,
      /AKSNodeClass\/default: spec\.imageFamily: Unsupported value/,
    ],
    [
      'a version that is not served',
      POD.replace('apiVersion: v1\nkind: Pod', 'apiVersion: apps/v1beta2\nkind: StatefulSet').replace(
        'spec:\n',
        'spec:\n  template: { spec: { containers: [{ name: main, image: nginx }] } }\n',
      ),
      /apiVersion: StatefulSet is not served in apps\/v1beta2; use apps\/v1/,
    ],
  ])('%s', async (_, text, expected) => {
    const { code, out, err } = await simulate([
      '-f',
      file('rejected.yaml', `${POD.replace('name: a', 'name: ok')}---\n${text}`),
    ]);
    expect(err).toMatch(expected);
    expect([code, out]).toEqual([1, '']);
  });

  test('what a cluster has accepted already is not asked about', async () => {
    const exported = POD.replace(
      'metadata: { name: a }',
      'metadata: { name: a, uid: x, resourceVersion: "7" }',
    ).replace(', image: nginx', '');
    expect((await simulate(['-f', file('exported.yaml', exported)])).code).toBe(0);
  });
});

describe('what kubectl and the API server accept', () => {
  const SMALL = 'image: nginx, resources: { requests: { cpu: 1 } }';
  const withSpec = (spec: string) => POD.replace('image: nginx', SMALL) + spec;

  test.each([
    [
      'modes in octal, as in charts',
      withSpec(`  volumes:
    - { name: a, configMap: { name: scripts, defaultMode: 0755 } }
    - { name: b, secret: { secretName: keys, defaultMode: 0644 } }
`),
    ],
    [
      'modes with 0o, as linters ask for',
      withSpec('  volumes: [{ name: a, configMap: { name: scripts, defaultMode: 0o644 } }]\n'),
    ],
    [
      'a label like a number',
      withSpec('').replace('name: a }', 'name: e1, labels: { tier: e2, rev: 12e45678901 } }'),
    ],
    ['yes for a boolean', withSpec('  hostNetwork: yes\n')],
    ['empty init containers', withSpec('  initContainers:\n')],
    ['empty scheduling gates', withSpec('  schedulingGates:\n')],
    ['an empty amount', withSpec('').replace('cpu: 1', 'cpu: ')],
    ['empty tolerations, volumes and affinity', withSpec('  tolerations:\n  volumes: ~\n  affinity:\n')],
    ['an empty label', withSpec('').replace('name: a }', 'name: a, labels: { app: } }')],
    ['an empty node name', withSpec('  nodeName:\n')],
  ])('is planned: %s', async (_, text) => {
    const { code, out, err } = await simulate(['-o', 'json', '-f', file('accepted.yaml', POOL + text)]);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ summary: { placed: 1, refused: 0 } });
  });

  test('a pool whose name resembles a number', async () => {
    const pool = POOL.replace(/^(metadata: \{ name: )[^ ,}]+/m, '$1e8');
    const { code, out, err } = await simulate(['-o', 'json', '-f', file('e8.yaml', pool + withSpec(''))]);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ nodes: [{ nodePool: 'e8' }] });
  });

  test('a claim with an empty storage class gets the default one', async () => {
    const claim = `---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { storageClassName: , accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`;
    const pod = withSpec('  volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]\n');
    const { code, out, err } = await simulate(['-o', 'json', '-f', file('claim.yaml', POOL + pod + claim)]);
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toMatchObject({ summary: { placed: 1, refused: 0 } });
  });
});

describe('one line says what is wrong', () => {
  const deep = (count: number) => `${'{ a: '.repeat(count)}1${' }'.repeat(count)}`;
  test.each([
    ['flow style', 'deep.yaml', `spec: ${deep(50_000)}\n`],
    ['indentation', 'block.yaml', Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')],
    ['JSON', 'deep.json', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['not so deep', 'some.yaml', `apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: ${deep(150)}\n`],
  ])('about deep nesting: %s', async (_, name, text) => {
    const { code, err } = await simulate(['-f', file(name, text)]);
    expect(code).toBe(1);
    expect(err.trim().split('\n')).toHaveLength(2);
    expect(err).toContain('nested more than 100 levels deep');
  });

  test('about a folder that may not be read', ({ skip }) => {
    const open = join(folder, 'open');
    const closed = join(open, 'closed');
    mkdirSync(closed, { recursive: true });
    chmodSync(folder, 0o755);
    chmodSync(closed, 0o000);
    // Root may read everything, so the command runs as another user.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    const main = join(import.meta.dirname, '../../packages/chandler/src/cli/main.ts');
    const result = spawnSync(process.execPath, [main, 'simulate', '-f', open], {
      encoding: 'utf8',
      env: { HOME: folder },
      ...nobody,
    });
    if (/EACCES.*main\.ts/.test(result.stderr)) skip('the sources cannot be read by another user');
    expect(result.stderr).toMatch(/^chandler simulate: .*closed: the folder cannot be read \(EACCES\).*\n$/);
    expect(result.status).toBe(1);
  });
});
