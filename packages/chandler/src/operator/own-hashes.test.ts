import { expect, test } from 'vitest';
import {
  AKS_NODE_CLASSES,
  AzureAnnotation,
  aksNodeClassHash,
  KarpenterAnnotation,
  NODE_POOLS,
} from '../api/index.ts';

import { asWeHash } from './own-hashes.ts';

const { nodeClassHash: HASH, nodeClassHashVersion: VERSION } = AzureAnnotation;

const classWith = (annotations: Record<string, string>) => ({
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default', annotations },
  spec: { imageFamily: 'Ubuntu' },
});

test('a class that somebody else hashed in our way carries our hash', () => {
  const theirs = classWith({ [HASH]: '1', [VERSION]: 'v3', kept: 'yes' });
  expect(asWeHash(theirs, AKS_NODE_CLASSES).metadata.annotations).toEqual({
    [HASH]: aksNodeClassHash(theirs),
    [VERSION]: 'v3',
    kept: 'yes',
  });
  expect(theirs.metadata.annotations[HASH]).toBe('1');
});

test('a hash of another way, or of a kind that we do not hash, is left as it is', () => {
  const older = classWith({ [HASH]: '1', [VERSION]: 'v2' });
  expect(asWeHash(older, AKS_NODE_CLASSES)).toBe(older);
  const foreign = classWith({ [HASH]: '1', [VERSION]: 'v3' });
  expect(asWeHash(foreign, { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass' })).toBe(foreign);
});

test('a pool carries our hash', () => {
  const pool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'general',
      annotations: {
        [KarpenterAnnotation.nodePoolHash]: '1',
        [KarpenterAnnotation.nodePoolHashVersion]: 'v3',
      },
    },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
          requirements: [],
        },
      },
    },
  };
  const hash = asWeHash(pool, NODE_POOLS).metadata.annotations[KarpenterAnnotation.nodePoolHash];
  expect(hash).toMatch(/^\d{5,}$/);
});
