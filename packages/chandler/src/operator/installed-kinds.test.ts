import { describe, expect, test } from 'vitest';
import { aksNodeClassKind, KINDS, type KindDefinition, renderCrd } from '../api/index.ts';
import { type InstalledDefinition, kindsOf, prunedFields } from './installed-kinds.ts';

const own = renderCrd(aksNodeClassKind as unknown as KindDefinition);

interface Node {
  properties: Record<string, Node>;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

/** Ours, changed in the version v1beta1. */
function installed(change: (spec: Node, root: Node) => void): InstalledDefinition {
  // Not by structuredClone: all versions share one schema, and would still.
  const copy = JSON.parse(JSON.stringify(own)) as InstalledDefinition;
  const version = copy.spec!.versions!.find(({ name }) => name === 'v1beta1')!;
  const root = version.schema!.openAPIV3Schema as unknown as Node;
  change(root.properties['spec']!, root);
  return copy;
}

describe('fields that an installed CRD prunes', () => {
  test('are none with our CRDs', () => {
    expect(
      prunedFields(
        own,
        installed(() => undefined),
      ),
    ).toEqual([]);
  });

  test('are named by version and path', () => {
    const pruned = prunedFields(
      own,
      installed((spec) => {
        delete spec.properties['osDiskDiskEncryptionSetID'];
        delete spec.properties['kubelet']!.properties['cpuCFSQuota'];
      }),
    );
    expect(pruned.map(({ kind, version, path }) => `${kind} ${version} ${path}`).sort()).toEqual([
      'AKSNodeClass v1beta1 spec.kubelet.cpuCFSQuota',
      'AKSNodeClass v1beta1 spec.osDiskDiskEncryptionSetID',
    ]);
  });

  test('a missing object is named once, without its fields', () => {
    const pruned = prunedFields(
      own,
      installed((spec) => {
        delete spec.properties['kubelet'];
      }),
    );
    expect(pruned.map(({ path }) => path)).toEqual(['spec.kubelet']);
  });

  test('are none below x-kubernetes-preserve-unknown-fields', () => {
    const pruned = prunedFields(
      own,
      installed((spec) => {
        spec.properties = {};
        spec['x-kubernetes-preserve-unknown-fields'] = true;
      }),
    );
    expect(pruned).toEqual([]);
  });

  test('a version that is not installed is skipped', () => {
    const copy = structuredClone(own) as unknown as { spec: { versions: { name: string }[] } };
    copy.spec.versions = copy.spec.versions.filter(({ name }) => name !== 'v1beta1');
    expect(prunedFields(own, copy as unknown as InstalledDefinition)).toEqual([]);
  });
});

test('the kinds to wait for are those of the core and of the cloud, overlays only behind their gate', () => {
  const classes = [{ group: 'karpenter.azure.com', kind: 'AKSNodeClass' }];
  const names = (overlays: boolean) => kindsOf(classes, { overlays }).map(({ kind }) => kind);
  expect(names(false).sort()).toEqual(['AKSNodeClass', 'NodeClaim', 'NodePool']);
  expect(names(true)).toContain('NodeOverlay');
  expect(KINDS.length).toBeGreaterThan(names(true).length);
});
