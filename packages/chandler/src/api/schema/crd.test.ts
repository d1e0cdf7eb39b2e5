import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type KindDefinition, renderCrd } from './crd.ts';
import { crdYaml } from './crd-yaml.ts';
import { object, optional, text } from './schema.ts';

const aKind: KindDefinition = {
  group: 'example.com',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Cluster',
  shortNames: ['wd'],
  categories: ['all'],
  description: 'A Widget is an example.',
  versions: [
    { name: 'v1', served: true, storage: false, deprecationWarning: 'use v2' },
    { name: 'v2', served: true, storage: true },
  ],
  columns: [
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'How old it is.' },
    { name: 'Colour', type: 'string', jsonPath: '.spec.colour', description: 'Its colour.', wide: true },
  ],
  spec: object('What is wanted.', { colour: text('Its colour; `on` is one too.', { default: 'on' }) }),
  status: optional(object('What is.', {})),
};

describe('a CRD', () => {
  test('is named after its plural and group', () => {
    const crd = renderCrd(aKind);
    expect(crd.metadata.name).toBe('widgets.example.com');
    expect(crd.spec.names).toEqual({
      kind: 'Widget',
      listKind: 'WidgetList',
      plural: 'widgets',
      singular: 'widget',
      shortNames: ['wd'],
      categories: ['all'],
    });
    expect(crd.spec.conversion).toEqual({ strategy: 'None' });
  });

  test('survives the removal of its chart', () => {
    expect(renderCrd(aKind).metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' });
  });

  test('warns of an old version only', () => {
    const [old, current] = renderCrd(aKind).spec.versions;
    expect(old).toMatchObject({ name: 'v1', storage: false, deprecated: true, deprecationWarning: 'use v2' });
    expect(current).toMatchObject({ name: 'v2', storage: true });
    expect(current).not.toHaveProperty('deprecated');
    expect(current).not.toHaveProperty('deprecationWarning');
    expect(old?.schema).toEqual(current?.schema);
  });

  test('shows wide columns only when asked', () => {
    const columns = renderCrd(aKind).spec.versions[0]?.additionalPrinterColumns;
    expect(columns?.map((column) => column.priority)).toEqual([undefined, 1]);
    expect(columns?.[1]).not.toHaveProperty('wide');
  });

  test('has a status, and a scale where one is defined', () => {
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' };
    expect(renderCrd(aKind).spec.versions[0]?.subresources).toEqual({ status: {} });
    expect(renderCrd({ ...aKind, scale }).spec.versions[0]?.subresources).toEqual({ status: {}, scale });
  });

  test('demands a spec unless it is optional', () => {
    const schemaOf = (kind: KindDefinition) => renderCrd(kind).spec.versions[0]?.schema.openAPIV3Schema;
    expect(schemaOf(aKind)?.required).toEqual(['spec']);
    expect(schemaOf({ ...aKind, spec: optional(aKind.spec) })).not.toHaveProperty('required');
    expect(schemaOf(aKind)?.properties?.['metadata']).toEqual({ type: 'object' });
  });

  test('reads back from its text as it was', () => {
    expect(parse(crdYaml(aKind))).toEqual(renderCrd(aKind));
  });

  test('is written so that readers of old YAML see text, not truth values', () => {
    expect(parse(crdYaml(aKind), { version: '1.1' })).toEqual(renderCrd(aKind));
    expect(crdYaml(aKind)).toContain('default: "on"');
  });

  test('spells out what is used twice', () => {
    const shared = optional(text('Used twice.'));
    const text2 = crdYaml({ ...aKind, spec: object('Both.', { a: shared, b: shared }) });
    expect(text2).not.toMatch(/[&*]a\d/);
  });
});
