import { describe, expect, test } from 'vitest';
import { renderConfigDoc } from './config-doc.ts';
import { CONFIG_ROWS, IGNORED_KEYS } from './keys.table.ts';
import { type Changes, minimalFile, reading } from './read.fixture.ts';
import { configSchema, type JsonSchema } from './schema.ts';

describe('the published JSON schema', () => {
  test('accepts what the reader accepts', () => {
    for (const changes of [
      {},
      { 'node.labels|a.b/c': '1', 'node.maxPods': 30, 'node.taints': 'a:NoSchedule' },
      { 'components.kubernetes': '1.33.2', 'npd.version': 'v1', 'azure.cloud': 'AzureGovernmentCloud' },
    ] satisfies Changes[]) {
      expect(reading(changes).ok).toBe(true);
      expect(violations(configSchema(), minimalFile(changes))).toEqual([]);
    }
  });

  test.each([
    [{ 'azure.tenantId': undefined }, 'azure.tenantId: missing'],
    [{ 'azure.targetCluster': undefined }, 'azure.targetCluster: missing'],
    [{ 'azure.cloud': 'Mars' }, 'azure.cloud: not a choice'],
    [{ 'azure.clown': 'x' }, 'azure.clown: unknown'],
    [{ 'node.maxPods': 300 }, 'node.maxPods: too large'],
    [{ 'node.maxPods': '30' }, 'node.maxPods: not integer'],
    [{ 'kubernetes.version': 'v1.32.7' }, 'kubernetes.version: pattern'],
    [{ 'node.kubelet.evictionHard|memory': '1' }, 'node.kubelet.evictionHard.memory: name'],
    [{ 'azure.servicePrincipal': {} }, 'azure.servicePrincipal.tenantId: missing'],
  ] satisfies [Changes, string][])('refuses %j as the reader does', (changes, violation) => {
    expect(reading(changes as Changes).ok).toBe(false);
    expect(violations(configSchema(), minimalFile(changes as Changes))).toContain(violation);
  });

  test('has every key of the table, and so has the reference', () => {
    const doc = renderConfigDoc();
    for (const { path } of [...CONFIG_ROWS, ...IGNORED_KEYS]) {
      let here: JsonSchema | undefined = configSchema();
      for (const name of path.split('.')) here = here?.properties?.[name];
      expect(here?.description, path).toBeDefined();
      expect(doc).toContain(`\`${path}\``);
    }
  });
});

/** As much of JSON schema as the table makes use of. */
function violations(schema: JsonSchema, value: unknown, path = ''): string[] {
  if (schema.anyOf !== undefined)
    return schema.anyOf.some((each) => violations(each, value, path).length === 0)
      ? []
      : [`${path}: no form`];
  if (schema.type === 'object') return objectViolations(schema, value as Record<string, unknown>, path);
  if (schema.type === 'array') return Array.isArray(value) ? [] : [`${path}: not array`];
  if (schema.type === 'integer' && !Number.isInteger(value)) return [`${path}: not integer`];
  if (schema.type === 'string' && typeof value !== 'string') return [`${path}: not string`];
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return [`${path}: not a choice`];
  if (schema.maximum !== undefined && (value as number) > schema.maximum) return [`${path}: too large`];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value as string))
    return [`${path}: pattern`];
  return [];
}

function objectViolations(schema: JsonSchema, value: Record<string, unknown>, path: string): string[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = (schema.required ?? []).filter((name) => !(name in value));
  return [
    ...missing.map((name) => `${at(name)}: missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      if (schema.propertyNames?.enum?.includes(name) === false) return [`${at(name)}: name`];
      const known = schema.properties?.[name] ?? schema.additionalProperties;
      if (known === false) return [`${at(name)}: unknown`];
      return typeof known === 'object' ? violations(known, each, at(name)) : [];
    }),
  ];
}
