import { describe, expect, test } from 'vitest';
import { qualify } from '../errors.ts';
import { builtinResources } from './catalogue.ts';
import { decodeEvent, encodeEvent } from './cluster/events.ts';
import { resourceOf } from './golden/replay.ts';

describe('the built-in resources', () => {
  test('each has a shape with metadata, a strategy and columns', () => {
    for (const resource of builtinResources()) {
      expect(Object.keys(resource.structure.properties ?? {}), qualify(resource)).toContain('metadata');
      expect(resource.strategy.decode, qualify(resource)).toBeTypeOf('function');
      expect(resource.columns.length, qualify(resource)).toBeGreaterThan(0);
    }
  });

  test('are the same objects at every call', () => {
    expect(builtinResources()).toBe(builtinResources());
  });

  test('pods can be selected by node and phase', () => {
    const pods = resourceOf('pods');
    const pod = { metadata: { name: 'x' }, spec: { nodeName: 'n' }, status: { phase: 'Running' } };
    const read = Object.fromEntries(pods.selectableFields.map(({ path, read }) => [path, read(pod)]));
    expect(read).toEqual({
      'spec.nodeName': 'n',
      'spec.restartPolicy': '',
      'spec.schedulerName': '',
      'spec.serviceAccountName': '',
      'spec.hostNetwork': 'false',
      'status.phase': 'Running',
      'status.podIP': '',
      'status.nominatedNodeName': '',
    });
  });

  test('lists carry the merge keys that patches need', () => {
    const containers = resourceOf('pods').structure.properties?.['spec']?.properties?.['containers'];
    expect(containers).toMatchObject({
      listType: 'map',
      listKeys: ['name'],
      patchStrategy: 'merge',
      patchMergeKey: 'name',
    });
    expect(containers?.items?.properties?.['ports']?.listKeys).toEqual(['containerPort', 'protocol']);
  });

  test('recursive shapes can be walked to any depth', () => {
    const definitions = resourceOf('customresourcedefinitions.apiextensions.k8s.io').structure;
    let schema =
      definitions.properties?.['spec']?.properties?.['versions']?.items?.properties?.['schema']?.properties?.[
        'openAPIV3Schema'
      ];
    for (let depth = 0; depth < 20; depth++) schema = schema?.properties?.['properties']?.additional;
    expect(schema?.properties?.['type']?.type).toBe('string');
  });

  test('an event of the newer group is returned as it was written', () => {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'x', namespace: 'default' },
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      note: 'hello',
      reason: 'Because',
      type: 'Normal',
      eventTime: '2020-01-01T00:00:00.000000Z',
      reportingController: 'a/b',
      reportingInstance: 'c',
      deprecatedSource: {},
      deprecatedFirstTimestamp: null,
      deprecatedLastTimestamp: null,
      deprecatedCount: 3,
    };
    const stored = encodeEvent(event);
    expect(stored).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { name: 'p' },
      message: 'hello',
      count: 3,
    });
    expect(decodeEvent(stored)).toEqual(event);
  });
});
