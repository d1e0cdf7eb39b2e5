import { expect, test } from 'vitest';
import { structureOf } from '../builtin/structures.ts';
import { EMPTY_OBJECTS } from './empty-object.table.ts';

const KINDS = [
  ['', 'v1', 'Pod'],
  ['', 'v1', 'Node'],
  ['', 'v1', 'Event'],
  ['', 'v1', 'Service'],
  ['', 'v1', 'ConfigMap'],
  ['apps', 'v1', 'Deployment'],
  ['apps', 'v1', 'StatefulSet'],
  ['batch', 'v1', 'CronJob'],
  ['policy', 'v1', 'PodDisruptionBudget'],
  ['coordination.k8s.io', 'v1', 'Lease'],
  ['apiextensions.k8s.io', 'v1', 'CustomResourceDefinition'],
] as const;

test.each(KINDS)(
  'what nobody sets in %s/%s %s is what decoding leaves when nothing is given',
  (group, version, kind) => {
    const structure = structureOf(group, version, kind);
    const { metadata: _, ...zero } = (structure?.zero() ?? {}) as Record<string, unknown>;
    expect(EMPTY_OBJECTS[structure?.name ?? '']).toEqual(zero);
  },
);
