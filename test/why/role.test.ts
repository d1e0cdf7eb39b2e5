/** The role that docs/why.md gives for `why` has every kind that is read for an answer. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as kube from '@chandler/kube';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as api from '../../packages/chandler/src/api/index.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Role {
  readonly rules: readonly { apiGroups: readonly string[]; resources: readonly string[] }[];
}

/** `group/plural`, as the role of the page names them. */
function ofRole(): ReadonlySet<string> {
  const page = readFileSync(join(ROOT, 'docs/why.md'), 'utf8');
  const [, text = ''] = /```yaml\n(apiVersion: rbac[^`]*kind: ClusterRole\n[^`]*)```/.exec(page) ?? [];
  const { rules } = parse(text) as Role;
  return new Set(
    rules.flatMap(({ apiGroups, resources }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
    ),
  );
}

/** By the names of their constants in the sources. */
function ofSources(): readonly string[] {
  const sources = globSync('packages/chandler/src/diagnose/**/*.ts', { cwd: ROOT })
    .filter((file) => !/\.(?:test|fixture)\.ts$|\/dump\//.test(file))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  return Object.entries({ ...kube, ...api }).flatMap(([name, value]) => {
    const { group, plural } = (typeof value === 'object' ? value : {}) as { group?: string; plural?: string };
    if (plural === undefined || group === undefined || !new RegExp(`\\b${name}\\b`).test(sources)) return [];
    return [`${group}/${plural}`];
  });
}

test('the role has all kinds that why reads, except Secrets, which only the state of a bootstrap token needs', () => {
  const read = ofSources();
  expect(read).toContain('/replicationcontrollers');
  expect(read.length).toBeGreaterThan(15);
  const role = ofRole();
  expect(read.filter((kind) => !role.has(kind) && kind !== '/secrets')).toEqual([]);
});
