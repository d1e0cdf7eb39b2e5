/** What the stores keep of objects: the annotations and selectors that are read, and the long lists of NodeClaims only once. */
import { type Trim, type TrimTable, trimSharing, trims } from '@chandler/kube';

/** Of pods and pod templates. */
const DECIDING_ANNOTATION =
  /^(([a-z0-9-]+\.)*karpenter\.sh|chandler\.sh|autoscaling\.x-k8s\.io|buffer\.x-k8s\.io)\//;

/** Of Services and controllers of pods only the selector is read; there may be tens of thousands. */
const selectorOnly: Trim = ({ apiVersion, kind, metadata, spec }, interner) => {
  const { name, namespace, uid, resourceVersion } = metadata;
  const { selector } = (spec ?? {}) as { readonly selector?: unknown };
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(namespace === undefined ? {} : { namespace: interner.string(namespace) }),
    },
    spec: selector === undefined ? {} : { selector },
  };
};

export const trimOf: TrimTable = trims({
  keepPodAnnotation: (name) => DECIDING_ANNOTATION.test(name),
  kinds: {
    services: selectorOnly,
    replicationcontrollers: selectorOnly,
    'replicasets.apps': selectorOnly,
    'statefulsets.apps': selectorOnly,
    // A claim lists dozens of instance types, the same ones as hundreds of other claims.
    'nodeclaims.karpenter.sh': trimSharing({
      spec: ['requirements', 'nodeClassRef', 'taints', 'resources'],
      status: ['capacity', 'allocatable', 'imageID'],
    }),
  },
});
