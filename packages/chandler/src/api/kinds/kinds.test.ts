import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@chandler/kube';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { parse } from 'yaml';
import { renderCrd } from '../schema/crd.ts';
import type { JsonSchema } from '../schema/schema.ts';
import type { AKSNodeClass } from './aks-node-class/aks-node-class.ts';
import type { CapacityBuffer } from './capacity-buffer.ts';
import { crdFiles } from './crd-files.ts';
import type { EC2NodeClass } from './ec2-node-class/ec2-node-class.ts';
import { builtinCrds, KINDS } from './index.ts';
import type { NodeClaim } from './node-claim.ts';
import type { NodeOverlay } from './node-overlay.ts';
import type { NodePool } from './node-pool.ts';
import type { Operator, Requirement, Taint } from './parts.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const TEMPLATES = 'charts/chandler-crd/templates';

interface Visited {
  readonly path: string;
  readonly schema: JsonSchema;
}

function everyNode(path: string, schema: JsonSchema): Visited[] {
  const children = [
    ...Object.entries(schema.properties ?? {}).map(([name, child]) => [`${path}.${name}`, child] as const),
    ...(schema.items === undefined ? [] : [[`${path}[]`, schema.items] as const]),
    ...(schema.additionalProperties === undefined
      ? []
      : [[`${path}{}`, schema.additionalProperties] as const]),
  ];
  return [{ path, schema }, ...children.flatMap(([name, child]) => everyNode(name, child))];
}

const NODES = KINDS.flatMap((kind) => [
  ...everyNode(`${kind.kind}.spec`, kind.spec.json),
  ...everyNode(`${kind.kind}.status`, kind.status.json),
]);

describe('the CRD chart', () => {
  test('holds exactly what the schemas give; run `npm run generate` if it does not', () => {
    const files = crdFiles();
    expect(readdirSync(join(ROOT, TEMPLATES)).sort()).toEqual(
      files.map((file) => file.path.split('/').at(-1)).sort(),
    );
    for (const file of files) expect(readFileSync(join(ROOT, file.path), 'utf8'), file.path).toBe(file.text);
  });

  test('is free of template actions, so that its files are the CRDs themselves', () => {
    for (const file of crdFiles()) expect(file.text, file.path).not.toContain('{{');
  });

  test('is the same every time, in the order of the file names', () => {
    expect(crdFiles()).toEqual(crdFiles());
    const paths = crdFiles().map((file) => file.path);
    expect(paths).toEqual([...paths].sort());
  });

  test('carries the version of the package, and its README names every kind', () => {
    const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(parse(read('charts/chandler-crd/Chart.yaml'))).toMatchObject({
      apiVersion: 'v2',
      name: 'chandler-crd',
      version,
      appVersion: version,
    });
    for (const { kind } of KINDS) expect(read('charts/chandler-crd/README.md')).toContain(kind);
  });

  test('fits into what kubectl apply writes into an annotation', () => {
    for (const crd of builtinCrds()) expect(JSON.stringify(crd).length).toBeLessThan(200_000);
  });
});

describe('every kind', () => {
  test.each(KINDS.map((kind) => [kind.kind, kind] as const))(
    '%s stores one version and serves all',
    (_, kind) => {
      expect(kind.versions.filter((version) => version.storage)).toHaveLength(1);
      expect(kind.versions.every((version) => version.served)).toBe(true);
    },
  );

  test('is there once', () => {
    expect(KINDS.map((kind) => renderCrd(kind).metadata.name)).toEqual([
      'capacitybuffers.autoscaling.x-k8s.io',
      'aksnodeclasses.karpenter.azure.com',
      'ec2nodeclasses.karpenter.k8s.aws',
      'nodeclaims.karpenter.sh',
      'nodeoverlays.karpenter.sh',
      'nodepools.karpenter.sh',
    ]);
  });

  test('documents every field with a sentence', () => {
    const silent = NODES.filter(({ schema }) => !/^.{4,}[.]$/s.test(schema.description ?? ''));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test('anchors every pattern at both ends', () => {
    const loose = NODES.filter(({ schema: { pattern } }) => {
      if (pattern === undefined) return false;
      const body = pattern.replace(/^\(\?i\)/, '');
      return !body.startsWith('^') || !body.endsWith('$') || splitsAtTop(body);
    });
    expect(loose.map(({ path }) => path)).toEqual([]);
  });

  test('keeps its defaults within its own limits', () => {
    const bad = NODES.filter(({ schema }) => {
      if (typeof schema.default === 'string') {
        const { pattern = '', enum: values = [schema.default] } = schema;
        return !new RegExp(pattern).test(schema.default) || !values.includes(schema.default);
      }
      const { minimum = -Infinity, maximum = Infinity } = schema;
      return typeof schema.default === 'number' && (schema.default < minimum || schema.default > maximum);
    });
    expect(bad.map(({ path }) => path)).toEqual([]);
  });

  test('gives every rule a message of its own', () => {
    const messages = NODES.flatMap(({ path, schema }) =>
      (schema['x-kubernetes-validations'] ?? []).map((rule) => `${path}: ${rule.message}`),
    );
    expect(new Set(messages).size).toBe(messages.length);
    expect(messages.length).toBeGreaterThan(80);
  });
});

describe('types', () => {
  test('every kind is an object that generic code can handle', () => {
    expectTypeOf<NodePool>().toExtend<KubeObject>();
    expectTypeOf<NodeClaim>().toExtend<KubeObject>();
    expectTypeOf<NodeOverlay>().toExtend<KubeObject>();
    expectTypeOf<CapacityBuffer>().toExtend<KubeObject>();
    expectTypeOf<AKSNodeClass>().toExtend<KubeObject>();
    expectTypeOf<EC2NodeClass>().toExtend<KubeObject>();
    expectTypeOf(builtinCrds()).toExtend<KubeObject[]>();
  });

  test('a pool can be written down with its types', () => {
    const pool: NodePool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'general' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
            requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'], minValues: 1 }],
            taints: [{ key: 'a', effect: 'NoSchedule' }],
          },
        },
        limits: { cpu: 100, memory: '1Ti' },
      },
    };
    expect(pool.spec.template.spec.requirements).toHaveLength(1);
    expectTypeOf<Requirement['operator']>().toEqualTypeOf<Operator>();
    expectTypeOf<Taint['effect']>().toEqualTypeOf<'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'>();
    expectTypeOf<NonNullable<AKSNodeClass['spec']>['imageFamily']>().toEqualTypeOf<
      'Ubuntu' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux' | undefined
    >();
    expectTypeOf<EC2NodeClass['spec']['kubelet']>().toExtend<Record<string, unknown> | undefined>();
  });
});

/** Whether the pattern has an alternative outside all brackets, which an anchor would not hold. */
function splitsAtTop(pattern: string): boolean {
  let depth = 0;
  let set = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (set) set = char !== ']';
    else if (char === '[') set = true;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) return true;
  }
  return false;
}
