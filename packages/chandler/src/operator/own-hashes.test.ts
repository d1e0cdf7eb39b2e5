import { expect, test } from 'vitest';
import { AzureAnnotation, aksNodeClassHash, KarpenterAnnotation } from '../api/index.ts';
import { azureProvider } from '../cloud/azure/index.ts';

import { NODE_POOL_HASH, withOwnHash } from './own-hashes.ts';

const CLASS_HASH = azureProvider.nodeClasses[0]!.hash;
const { nodeClassHash: HASH, nodeClassHashVersion: VERSION } = AzureAnnotation;

const classWith = (annotations: Record<string, string>) => ({
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default', annotations },
  spec: { imageFamily: 'Ubuntu' },
});

test('a class that another controller hashed with the same version carries our hash', () => {
  const claimsOfOthers = classWith({ [HASH]: '1', [VERSION]: 'v3', kept: 'yes' });
  expect(withOwnHash(claimsOfOthers, CLASS_HASH).metadata.annotations).toEqual({
    [HASH]: aksNodeClassHash(claimsOfOthers),
    [VERSION]: 'v3',
    kept: 'yes',
  });
  expect(claimsOfOthers.metadata.annotations[HASH]).toBe('1');
});

test('a hash of another version, or of a kind that is not hashed, is unchanged', () => {
  const older = classWith({ [HASH]: '1', [VERSION]: 'v2' });
  expect(withOwnHash(older, CLASS_HASH)).toBe(older);
  const foreign = classWith({ [HASH]: '1', [VERSION]: 'v3' });
  expect(withOwnHash(foreign, undefined)).toBe(foreign);
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
  const hash = withOwnHash(pool, NODE_POOL_HASH).metadata.annotations[KarpenterAnnotation.nodePoolHash];
  expect(hash).toMatch(/^\d{5,}$/);
});
