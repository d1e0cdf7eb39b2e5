import { describe, expect, test } from 'vitest';
import { find, textAt, toValue } from '../../model/tree.ts';
import { readKubernetes } from './read-kubernetes.ts';

const read = (files: Readonly<Record<string, string>>) =>
  readKubernetes(Object.entries(files).map(([name, text]) => ({ name, text })));

const application = (source: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: karpenter
spec:
  destination:
    namespace: kube-system
${source}`;

describe('an Argo CD Application', () => {
  const HELM = `  source:
    repoURL: public.ecr.aws/karpenter
    chart: karpenter
    targetRevision: 1.14.1
    helm:
`;

  test('has values as a text, with the lines of the file', () => {
    const { releases } = read({
      'app.yaml': application(`${HELM}      values: |\n        settings:\n          clusterName: shop\n`),
    });
    expect(releases).toMatchObject([
      { origin: 'Application/karpenter', releaseName: 'karpenter', incomplete: [] },
    ]);
    expect(find(releases[0]!.values, 'settings', 'clusterName')).toMatchObject({
      value: 'shop',
      at: { file: 'app.yaml', line: 15 },
    });
  });

  test('valuesObject replaces values, and parameters win over both', () => {
    const { releases } = read({
      'app.yaml': application(`${HELM}      values: |
        settings: {clusterName: text, interruptionQueue: text}
      valuesObject:
        settings: {clusterName: object, clusterEndpoint: object}
      parameters:
        - name: settings.clusterName
          value: parameter
        - name: serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn
          value: arn
`),
    });
    expect(toValue(releases[0]!.values)).toEqual({
      settings: { clusterName: 'parameter', clusterEndpoint: 'object' },
      serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn' } },
    });
  });

  test('several sources: values of another one are found in the folder', () => {
    const sources = `  sources:
    - repoURL: public.ecr.aws/karpenter
      chart: karpenter
      targetRevision: 1.14.1
      helm:
        valueFiles: [$values/prod/karpenter.yaml, $values/missing.yaml]
    - repoURL: https://git.shop.io/gitops
      ref: values
`;
    const { releases, applications } = read({
      'app.yaml': application(sources),
      'gitops/prod/karpenter.yaml': 'settings:\n  clusterName: shop\n',
    });
    expect(releases).toHaveLength(1);
    expect(textAt(releases[0]!.values, 'settings', 'clusterName')).toBe('shop');
    expect(releases[0]!.incomplete).toEqual(['the value file missing.yaml was not found']);
    expect(applications[0]!.sources).toMatchObject([
      { chart: 'karpenter' },
      { repoURL: 'https://git.shop.io/gitops' },
    ]);
  });

  test.each(['web', 'prod/karpenter'])('one with the manifests of the folder %s is no release', (path) => {
    const { releases, applications } = read({
      'app.yaml': application(`  source:
    repoURL: https://x
    path: ${path}
`),
    });
    expect([releases.length, applications.length]).toEqual([0, 1]);
  });
});

test('a Flux HelmRelease has values, and says what it takes from elsewhere', () => {
  const { releases } = read({
    'release.yaml': `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: karpenter
  namespace: flux-system
spec:
  targetNamespace: kube-system
  chart:
    spec:
      chart: karpenter
      version: 1.14.1
  values:
    settings:
      clusterName: shop
  valuesFrom:
    - kind: ConfigMap
      name: more
`,
  });
  expect(releases).toMatchObject([
    { origin: 'HelmRelease/flux-system/karpenter', incomplete: [expect.stringContaining('ConfigMap more')] },
  ]);
  expect(textAt(releases[0]!.values, 'settings', 'clusterName')).toBe('shop');
});

describe('files of Helm values', () => {
  test('are recognized by their keys, also below the name of the chart', () => {
    const { releases } = read({
      'umbrella.yaml': 'karpenter:\n  settings:\n    clusterName: shop\n',
      'web.yaml': 'settings:\n  color: red\n',
    });
    expect(releases.map(({ origin }) => origin)).toEqual(['umbrella.yaml']);
  });

  test('the defaults of the chart itself are none', () => {
    const { releases } = read({
      'karpenter/Chart.yaml': 'name: karpenter\n',
      'karpenter/values.yaml': 'settings:\n  clusterName: ""\n',
    });
    expect(releases).toEqual([]);
  });

  test('several may be merged, so none is complete', () => {
    const { releases } = read({
      'a.yaml': 'settings:\n  clusterName: shop\n',
      'b.yaml': 'settings:\n  clusterEndpoint: x\n',
    });
    expect(releases.map(({ incomplete }) => incomplete.length)).toEqual([1, 1]);
  });
});

describe('manifests', () => {
  test('items of a List are objects, and Secrets are not kept', () => {
    const { manifests } = read({
      'list.yaml': `apiVersion: v1
kind: List
items:
  - {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: a}}
  - {apiVersion: v1, kind: Secret, metadata: {name: b}}
`,
    });
    expect(manifests).toMatchObject([{ kind: 'NodePool', name: 'a', at: { file: 'list.yaml', line: 4 } }]);
  });
});

describe('kustomize', () => {
  const base = {
    'base/pool.yaml':
      'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: default\nspec:\n  weight: 1\n  limits: {cpu: 10}\n',
    'base/kustomization.yaml': 'resources: [pool.yaml]\n',
  };

  test('an overlay is judged instead of its base, and patches are no manifests', () => {
    const { manifests, problems } = read({
      ...base,
      'prod/kustomization.yaml': 'resources: [../base]\npatches:\n  - path: patch.yaml\nnamePrefix: prod-\n',
      'prod/patch.yaml':
        'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: default\nspec:\n  weight: 5\n',
    });
    expect(problems).toEqual([]);
    expect(manifests.map(({ name, tree }) => [name, toValue(find(tree, 'spec')!)])).toEqual([
      ['prod-default', { weight: 5, limits: { cpu: 10 } }],
    ]);
    expect(find(manifests[0]!.tree, 'spec', 'weight')?.at).toEqual({ file: 'prod/patch.yaml', line: 6 });
  });

  test('JSON patches are applied to their target', () => {
    const { manifests } = read({
      ...base,
      'prod/kustomization.yaml': `resources: [../base]
patches:
  - target: {kind: NodePool, name: def.*}
    patch: |
      - op: replace
        path: /spec/limits/cpu
        value: 99
      - op: remove
        path: /spec/weight
      - op: add
        path: /metadata/labels
        value: {a~1b: c}
`,
    });
    expect(toValue(find(manifests[0]!.tree, 'spec')!)).toEqual({ limits: { cpu: 99 } });
    expect(find(manifests[0]!.tree, 'spec', 'limits', 'cpu')?.at).toMatchObject({ line: 7 });
  });

  test('a patch that deletes, and one that is missing', () => {
    const { manifests, problems } = read({
      ...base,
      'prod/kustomization.yaml':
        'resources: [../base]\npatchesStrategicMerge:\n  - missing.yaml\n  - |\n    kind: NodePool\n    metadata: {name: default}\n    $patch: delete\n',
    });
    expect(manifests).toEqual([]);
    expect(problems).toMatchObject([
      { at: { line: 3 }, message: 'the patch prod/missing.yaml was not found' },
    ]);
  });

  test('overlays that include each other end', () => {
    const { manifests } = read({
      'a/kustomization.yaml': 'resources: [../b, pool.yaml]\n',
      'b/kustomization.yaml': 'resources: [../a]\n',
      'c/kustomization.yaml': 'resources: [../a]\n',
      'a/pool.yaml': base['base/pool.yaml'],
    });
    expect(manifests.map(({ name }) => name)).toEqual(['default']);
  });
});
