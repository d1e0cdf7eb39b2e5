/** charts/chandler against its sources, without helm: `npm run test:charts` renders it, and keeps golden/ true. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { COMMAND_KEYS, optionKeys } from '../../packages/chandler/src/chart/index.ts';
import { CLOUD_NAMES, type CloudName, loadCloudOptions } from '../../packages/chandler/src/cloud/registry.ts';
import { OPERATOR_OPTIONS, resolveOptions } from '../../packages/chandler/src/settings/index.ts';
import { ALERTS } from '../../scripts/chart/alerts.table.ts';
import { DASHBOARDS } from '../../scripts/chart/dashboards.table.ts';
import { METRICS } from '../controllers/upstream-names.table.ts';
import { sourceFiles } from '../structure/sources.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const schema = JSON.parse(read('charts/chandler/values.schema.json')) as Schema;
const goldens = readdirSync(join(import.meta.dirname, 'golden')).map((name) => name.replace('.yaml', ''));

describe('values', () => {
  test.each(CLOUD_NAMES)('every option of the controller on %s has its place', async (cloud) => {
    const { table } = await loadCloudOptions(cloud);
    const keys = optionKeys({ ...OPERATOR_OPTIONS, ...table });
    expect(keys.length).toBeGreaterThan(50);
    const places = [...keys.map(({ path }) => path), ...Object.values(COMMAND_KEYS)].filter(
      (path) => path !== '',
    );
    expect(places.filter((path) => !isInSchema(path))).toEqual([]);
  });

  test('every key of the schema stands in values.yaml with a comment, and the other way round', () => {
    const lines = read('charts/chandler/values.yaml').split('\n');
    const documented = lines.flatMap((line, at) => (/^ *# -- /.test(line) ? [lines[at + 1]!] : []));
    const names = documented.map((line) => /^ *(?:# )?([\w.-]+):/.exec(line)?.[1]);
    expect(names.filter((name) => name === undefined)).toEqual([]);
    expect([...names].sort()).toEqual(
      leaves(schema, [])
        .map((path) => path.at(-1)!)
        .sort(),
    );
  });

  test.each(goldens)('the controller accepts the settings that helm renders of %s', async (name) => {
    const cloud = name.split('-')[0] as CloudName;
    const { table, rules } = await loadCloudOptions(cloud);
    const [settings, deployment] = ['karpenter-global-settings', 'Deployment'].map((wanted) =>
      rendered(name).find(({ kind, metadata }) => kind === wanted || metadata.name === wanted),
    );
    const env = (deployment as unknown as Workload).spec.template.spec.containers[0]!.env;
    const { problems, warnings } = resolveOptions(
      { ...OPERATOR_OPTIONS, ...table },
      {
        args: [],
        // What Kubernetes fills in.
        env: Object.fromEntries(env.map((each) => [each.name, each.value ?? FILLED_IN[each.name] ?? ''])),
        configMap: settings!['data'] as Record<string, string>,
        readFile: () => 'abcdef.0123456789abcdef',
      },
      rules,
    );
    expect({ problems, warnings }).toEqual({ problems: [], warnings: [] });
  });
});

describe('roles', () => {
  test.each([
    [
      'azure-more-roles',
      [
        'rbac.yaml',
        'rbac-pod-deletion-cost.yaml',
        'rbac-disruption-surge.yaml',
        'rbac-readiness-check.yaml',
        'rbac-page.yaml',
      ],
    ],
    ['aws-smallest', ['rbac-aws.yaml']],
  ])('of %s are those of deploy/', (name, sources) => {
    const own = rendered(name).filter(({ kind }) => /Role$/.test(kind));
    const wanted = sources.flatMap((source) =>
      documents(read(`deploy/${source}`)).filter(({ kind }) => /Role$/.test(kind)),
    );
    for (const role of wanted) {
      const { kind, metadata } = role;
      const found = own.find((each) => each.kind === kind && each.metadata.name === metadata.name);
      expect(withoutNames(found?.['rules'] as Rule[]), `${kind} ${metadata.name}`).toEqual(
        withoutNames(role['rules'] as Rule[]),
      );
    }
    const additional = own
      .map(({ metadata }) => metadata.name)
      .filter((each) => wanted.every((role) => role.metadata.name !== each));
    expect(additional).toEqual(name === 'azure-more-roles' ? ['chandler-leader-election'] : []);
  });
});

describe('monitoring', () => {
  const constants = new Set(
    ['packages/kube/src', 'packages/chandler/src'].flatMap((folder) =>
      sourceFiles(folder).flatMap(({ text }) =>
        [...text.matchAll(/'([a-z_]+_[a-z_]+)'/g)].map(([, name]) => name!),
      ),
    ),
  );
  const known = new Map(METRICS.map(({ name, kind, labels }) => [name, { kind, labels }]));
  const panels = DASHBOARDS.flatMap(({ panels: own }) =>
    own.flatMap(({ title, queries }) => queries.map(({ expr }) => [title, expr] as const)),
  );
  const alerts = Object.values(ALERTS).flatMap((rows) =>
    rows.map(({ alert, expr }) => [alert, expr] as const),
  );

  test.each([...panels, ...alerts])('%s uses metrics and labels that there are', (_, expr) => {
    const used = [...expr.matchAll(METRIC_USE)].map(([, name, labels = '']) => ({ name: name!, labels }));
    expect(used.length).toBeGreaterThan(0);
    const by = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(', '));
    for (const { name: full, labels } of used) {
      const name = full.replace(/_bucket$/, '');
      const row = known.get(name);
      expect(row !== undefined || constants.has(name), full).toBe(true);
      if (row === undefined) continue;
      if (full !== name) expect(row.kind, full).toBe('histogram');
      const selected = [...labels.matchAll(/(\w+)=~?"/g)].map(([, label]) => label!);
      expect(['le', ...row.labels], full).toEqual(expect.arrayContaining([...selected, ...by]));
    }
  });
});

// ---------------------------------------------------------------------------------------------------

interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

interface Rule {
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
}

const METRIC_USE =
  /\b((?:karpenter|operator|chandler|client_go|workqueue|controller_runtime)_\w+)(\{[^}]*\})?/g;

const FILLED_IN: Readonly<Record<string, string>> = {
  SYSTEM_NAMESPACE: 'kube-system',
  MEMORY_LIMIT: '1073741824',
  CPU_REQUESTS: '500',
  KUBELET_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
};

/** The lease and the token have names of the release; one rule is that of `additionalClusterRoleRules`. */
function withoutNames(rules: readonly Rule[] | undefined): unknown {
  return rules
    ?.filter(({ resources }) => !resources.includes('widgets'))
    .map(({ resourceNames, ...rule }) => ({
      ...rule,
      resourceNames: resourceNames?.map((name) =>
        name.replace(/^(karpenter-leader-election|mine)$/, 'LEASE').replace(/^bootstrap-token-.*/, 'TOKEN'),
      ),
    }));
}

function documents(text: string): Rendered[] {
  return parseAllDocuments(text)
    .map((each) => each.toJS() as Rendered | null)
    .filter((each) => each !== null);
}

function rendered(name: string): Rendered[] {
  return documents(read(`test/charts/golden/${name}.yaml`));
}

/** Objects of Kubernetes are checked by Kubernetes: what is below `resources` is not in the schema. */
function isInSchema(path: string): boolean {
  let at: Schema | undefined = schema;
  for (const step of path.split('.')) {
    if (at?.properties === undefined) return at?.type === 'object' && at.additionalProperties === undefined;
    at = at.properties[step];
  }
  return at !== undefined;
}

/** A reference to a Secret, gates and maps are one key. */
function leaves(at: Schema, path: readonly string[]): (readonly string[])[] {
  const isOne = path[0] === 'secrets' && path.length === 2;
  if (at.properties === undefined || isOne || /eatureGates$/.test(path.at(-1) ?? '')) return [path];
  return Object.entries(at.properties)
    .filter(([name]) => !(path.length === 0 && name === 'global'))
    .flatMap(([name, child]) => leaves(child, [...path, name]));
}
