/** What the stores keep of objects: the annotations and selectors that are read, and the long lists of NodeClaims only once. */
import { type Trim, type TrimTable, trimSharing, trims } from '@chandler/kube';

/** Of pods and pod templates. */
const DECIDING_ANNOTATION =
  /^(([a-z0-9-]+\.)*karpenter\.sh|chandler\.sh|autoscaling\.x-k8s\.io|buffer\.x-k8s\.io)\//;

type Fields = Readonly<Record<string, unknown>>;

const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';
/** Of the status. */
const PROGRESS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'availableReplicas',
  'currentRevision',
  'updateRevision',
];

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

/** What decides whether a workload can be rolled: its strategy, its progress and its last restart. */
const rollable: Trim = (object, interner) => {
  const { selector, replicas, strategy, updateStrategy, paused, template } = (object['spec'] ?? {}) as Fields;
  const { annotations = {} } = ((template as Fields | undefined)?.['metadata'] ?? {}) as {
    readonly annotations?: Readonly<Record<string, string>>;
  };
  const restarted = annotations[RESTARTED_AT];
  const status = (object['status'] ?? {}) as Fields;
  const { generation, deletionTimestamp } = object.metadata;
  const kept = selectorOnly(object, interner);
  return {
    ...kept,
    metadata: {
      ...kept.metadata,
      ...(generation === undefined ? {} : { generation }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
    spec: {
      ...(selector === undefined ? {} : { selector }),
      ...(replicas === undefined ? {} : { replicas }),
      ...(strategy === undefined ? {} : { strategy: interner.value(strategy) }),
      ...(updateStrategy === undefined ? {} : { updateStrategy: interner.value(updateStrategy) }),
      ...(paused === undefined ? {} : { paused }),
      template: restarted === undefined ? {} : { metadata: { annotations: { [RESTARTED_AT]: restarted } } },
    },
    status: Object.fromEntries(
      PROGRESS.flatMap((name) => (status[name] === undefined ? [] : [[name, status[name]]])),
    ),
  };
};

/** And by which Deployment it was made. */
const replicaSet: Trim = (object, interner) => {
  const kept = selectorOnly(object, interner);
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined) return kept;
  return { ...kept, metadata: { ...kept.metadata, ownerReferences: interner.value(ownerReferences) } };
};

export const trimOf: TrimTable = trims({
  keepPodAnnotation: (name) => DECIDING_ANNOTATION.test(name),
  kinds: {
    services: selectorOnly,
    replicationcontrollers: selectorOnly,
    'deployments.apps': rollable,
    'replicasets.apps': replicaSet,
    'statefulsets.apps': rollable,
    // A claim lists dozens of instance types, the same ones as hundreds of other claims.
    'nodeclaims.karpenter.sh': trimSharing({
      spec: ['requirements', 'nodeClassRef', 'taints', 'resources'],
      // The ID and the name are those of the Node.
      status: ['capacity', 'allocatable', 'imageID', 'providerID', 'nodeName'],
    }),
  },
});
