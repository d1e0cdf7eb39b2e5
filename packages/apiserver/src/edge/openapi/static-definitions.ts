/**
 * Definitions that belong to the protocol and to no kind: list metadata, patches, delete options.
 */

interface StaticDefinition {
  readonly schema: Record<string, unknown>;
  readonly needs?: readonly string[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const text = { type: 'string' };

export const STATIC_DEFINITIONS: Readonly<Record<string, StaticDefinition>> = {
  [`${META}ListMeta`]: {
    schema: {
      type: 'object',
      properties: {
        continue: text,
        remainingItemCount: { type: 'integer', format: 'int64' },
        resourceVersion: text,
        selfLink: text,
      },
    },
  },
  [`${META}Patch`]: { schema: { type: 'object' } },
  [`${META}DeleteOptions`]: {
    schema: {
      type: 'object',
      properties: {
        apiVersion: text,
        dryRun: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
        gracePeriodSeconds: { type: 'integer', format: 'int64' },
        ignoreStoreReadErrorWithClusterBreakingPotential: { type: 'boolean' },
        kind: text,
        orphanDependents: { type: 'boolean' },
        preconditions: { $ref: `#/components/schemas/${META}Preconditions` },
        propagationPolicy: text,
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'DeleteOptions', version: 'v1' }],
    },
    needs: [`${META}Preconditions`],
  },
  [`${META}Preconditions`]: { schema: { type: 'object', properties: { resourceVersion: text, uid: text } } },
};
