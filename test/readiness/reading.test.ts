/** How files become inputs, where Terraform and kustomize have rules of their own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readInputs } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { aChange, aNodeClass, aPlan, aResource, aState } from './examples/example.ts';
import { judged, statusesOf } from './examples/judged.ts';

const folder = mkdtempSync(join(tmpdir(), 'reading-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PROFILE = (count: string) =>
  `variable "create" {\n  default = false\n}\nvariable "unset" {}\nresource "aws_iam_instance_profile" "karpenter" {\n  count = ${count}\n  name  = "nodes"\n}\n`;
const USING = { 'class.yaml': aNodeClass('  instanceProfile: nodes') };

describe('Terraform', () => {
  test.each([
    ['0', 'skip'],
    ['var.create ? 1 : 0', 'skip'],
    ['var.unset ? 1 : 0', 'skip'],
    ['var.unset && var.create ? 1 : 0', 'skip'],
    ['!var.create ? 1 : 0', 'pass'],
    ['1', 'pass'],
    ['length(var.unset)', 'pass'],
  ])('a profile with count = %s: %s', (count, status) => {
    expect(statusesOf('S-02', { 'main.tf': PROFILE(count), ...USING })).toEqual([status]);
  });

  test.each(['for_each = {}', 'for_each = toset([])', 'for_each = var.create ? { a = 1 } : {}'])(
    'a resource with %s and a module with count = 0 make nothing',
    (line) => {
      const text = PROFILE('1').replace('count = 1', line.replace('toset([])', '[]'));
      expect(inputsOf({ 'main.tf': text }).resources).toEqual([]);
      const call = 'module "inner" {\n  source = "./inner"\n  count  = 0\n}\n';
      expect(inputsOf({ 'main.tf': call, 'inner/main.tf': PROFILE('1') }).resources).toEqual([]);
    },
  );

  test('files of overrides are merged over what they override', () => {
    const files = {
      'a_override.tf': 'resource "aws_eks_cluster" "this" {\n  version = "1.34"\n}\n',
      'main.tf': 'resource "aws_eks_cluster" "this" {\n  name = "shop"\n  version = "1.30"\n}\n',
      'values.yaml': 'settings: {clusterName: shop}\n',
    };
    expect(statusesOf('S-01', files)).toEqual(['pass']);
    const [cluster] = inputsOf(files).resources;
    expect(cluster?.values).toMatchObject({ kind: 'map' });
    const version = cluster?.values.kind === 'map' ? cluster.values.entries.get('version') : undefined;
    expect(version).toMatchObject({ value: '1.34', at: { file: 'a_override.tf', line: 2 } });
  });

  test('names may have letters of any language', () => {
    const text =
      'locals {\n  größe = "shop"\n}\nresource "aws_eks_cluster" "this" {\n  name = local.größe\n}\n';
    const { problems, resources } = inputsOf({ 'main.tf': text });
    expect(problems).toEqual([]);
    expect(resources).toHaveLength(1);
  });

  test('a heredoc may have very many lines', () => {
    const text = `locals {\n  a = <<-EOT\n${'    x\n'.repeat(200_000)}  EOT\n}\n`;
    expect(inputsOf({ 'main.tf': text }).problems).toEqual([]);
  });

  test('a manifest of the state wins over the one of the files, which knows less', () => {
    const files = {
      'main.tf': `variable "tokens" {}\nresource "kubernetes_manifest" "class" {\n  manifest = {\n    apiVersion = "karpenter.k8s.aws/v1"\n    kind = "EC2NodeClass"\n    metadata = { name = "default" }\n    spec = { metadataOptions = { httpTokens = var.tokens } }\n  }\n}\n`,
      'state.json': aState(
        aResource('kubernetes_manifest', 'class', {
          manifest: {
            apiVersion: 'karpenter.k8s.aws/v1',
            kind: 'EC2NodeClass',
            metadata: { name: 'default' },
            spec: { metadataOptions: { httpTokens: 'optional' } },
          },
        }),
      ),
    };
    expect(statusesOf('S-35', files)).toEqual(['fail']);
  });

  test.each(['utf16le', 'utf16be'] as const)(
    'a plan in %s, as a shell of Windows writes it, is read',
    async (encoding) => {
      const text = `\ufeff${aPlan(aChange('aws_eks_cluster', 'this', ['create'], { name: 'shop' }))}`;
      const bytes = Buffer.from(text, 'utf16le');
      const path = join(folder, `${encoding}.json`);
      writeFileSync(path, encoding === 'utf16le' ? bytes : bytes.swap16());
      for (const options of [{ paths: [path] }, { paths: [], terraformJson: [path] }]) {
        const { resources, problems } = await readInputs(options);
        expect(problems).toEqual([]);
        expect(resources.map(({ address }) => address)).toEqual(['aws_eks_cluster.this']);
      }
    },
  );
});

describe('kustomize', () => {
  const deployment = (name: string, labels = '{}') =>
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n  labels: ${labels}\nspec:\n  template:\n    spec:\n      containers:\n        - name: web\n          image: web:1\n          resources: {requests: {cpu: 1, memory: 1Gi}}\n        - name: proxy\n          resources: {requests: {cpu: 1, memory: 1Gi}}\n`;
  const patched = (patch: string, files: Readonly<Record<string, string>>) => ({
    'kustomization.yaml': `resources: [${Object.keys(files).join(', ')}]\npatches:\n${patch}`,
    ...files,
  });

  test('a patch of one container leaves the others, and its other fields', () => {
    const patch =
      '  - patch: |\n      apiVersion: apps/v1\n      kind: Deployment\n      metadata: {name: web}\n      spec: {template: {spec: {containers: [{name: web, image: web:2}]}}}\n';
    expect(statusesOf('K-62', patched(patch, { 'web.yaml': deployment('web') }))).toEqual(['pass']);
    const removed = patch.replace('image: web:2', '$patch: delete');
    const [made] = inputsOf(patched(removed, { 'web.yaml': deployment('web') })).manifests;
    expect(JSON.stringify(made?.tree, (_, each) => (each instanceof Map ? [...each] : each))).not.toContain(
      'web:1',
    );
  });

  test('a patch replaces lists of custom resources', () => {
    const pool =
      'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: a}\nspec: {template: {spec: {taints: [{key: a, effect: NoSchedule}]}}}\n';
    const patch =
      '  - patch: |\n      apiVersion: karpenter.sh/v1\n      kind: NodePool\n      metadata: {name: a}\n      spec: {template: {spec: {taints: []}}}\n';
    const [made] = inputsOf(patched(patch, { 'pool.yaml': pool })).manifests;
    expect(JSON.stringify(made?.tree, (_, each) => (each instanceof Map ? [...each] : each))).not.toContain(
      'NoSchedule',
    );
  });

  test('a target with a selector chooses by labels', () => {
    const patch =
      '  - target: {kind: Deployment, labelSelector: "tier in (front),!old"}\n    patch: |\n      - {op: remove, path: /spec/template/spec/containers/0/resources}\n';
    const files = { 'a.yaml': deployment('a', '{tier: front}'), 'b.yaml': deployment('b', '{tier: back}') };
    const warned = judged(patched(patch, files)).findings.filter(
      ({ id, status }) => id === 'K-62' && status === 'warn',
    );
    expect(warned.map(({ object }) => object)).toEqual(['Deployment/a']);
    const broken = patch.replace('tier in (front),!old', 'tier in front');
    expect(judged(patched(broken, files)).problems).toMatchObject([
      { message: expect.stringContaining('is not a selector; the patch was not applied') },
    ]);
  });

  test.each([
    '{op: replace, path: /spec/template/spec/containers/9/resources, value: {}}',
    '{op: remove, path: /spec/template/spec/containers/web}',
  ])('an operation that does not fit makes the value unknown: %s', (operation) => {
    const patch = `  - target: {kind: Deployment}\n    patch: |\n      - ${operation}\n`;
    expect(statusesOf('K-62', patched(patch, { 'a.yaml': deployment('a') }))).not.toContain('pass');
  });

  test('layers that list the next one twice are built once', () => {
    const layers = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `l${index}/kustomization.yaml`,
        index === 39 ? 'resources: [web.yaml]\n' : `resources: [../l${index + 1}, ../l${index + 1}]\n`,
      ]),
    );
    const { manifests } = inputsOf({ ...layers, 'l39/web.yaml': deployment('web') });
    expect(manifests.filter(({ kind }) => kind === 'Deployment')).toHaveLength(1);
  });

  test('the same application in two folders without namespaces is two applications', () => {
    const app = `${deployment('web').replace('spec:\n  template:', 'spec:\n  replicas: 2\n  template:\n    metadata: {labels: {app: web}}')}---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\nspec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}\n`;
    expect(statusesOf('K-22', { 'dev/app.yaml': app, 'prod/app.yaml': app })).toEqual(['pass']);
  });
});
