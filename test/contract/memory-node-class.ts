/** The node class of the cloud in memory: its kind, its CRD, and the controller that says it is ready. */
import { Controller, keyOfObject, type ResourceRef, storeSource } from '@chandler/kube';
import type { CloudControllerContext } from '../../packages/chandler/src/cloud/index.ts';

export const MEMORY_NODE_CLASSES: ResourceRef = {
  group: 'memory.test',
  version: 'v1',
  plural: 'memorynodeclasses',
  kind: 'MemoryNodeClass',
  namespaced: false,
};

const { group, version, plural, kind } = MEMORY_NODE_CLASSES;

export const MEMORY_NODE_CLASS_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Cluster',
    names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

export const aMemoryNodeClass = (name: string) => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { name },
  spec: { image: 'image-1' },
});

/** A controller of the cloud's own. */
export function classReadiness({ world, client, stores }: CloudControllerContext): Controller {
  const reflector = stores.nodeClasses.get(`${group}/${kind}`)!;
  return new Controller({
    name: 'memorynodeclass.status',
    world,
    sources: [storeSource(reflector, { filter: ({ type }) => type === 'added' })],
    async reconcile(name) {
      const found = reflector.store.get({ name });
      if (found === undefined) return;
      const lastTransitionTime = new Date(world.clock.now()).toISOString();
      const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime };
      const { resourceVersion } = found.metadata;
      const patch = { metadata: { resourceVersion }, status: { conditions: [ready] } };
      await client.patchStatus(MEMORY_NODE_CLASSES, keyOfObject(found), { type: 'merge', patch });
    },
  });
}
