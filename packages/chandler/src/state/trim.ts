/** What the stores keep of objects: the annotations that are read, and the long lists of NodeClaims only once. */
import { type TrimTable, trimSharing, trims } from '@chandler/kube';

/** Of pods and pod templates. */
const DECIDING_ANNOTATION =
  /^(([a-z0-9-]+\.)*karpenter\.sh|chandler\.sh|autoscaling\.x-k8s\.io|buffer\.x-k8s\.io)\//;

export const trimOf: TrimTable = trims({
  keepPodAnnotation: (name) => DECIDING_ANNOTATION.test(name),
  kinds: {
    // A claim lists dozens of instance types, the same ones as hundreds of other claims.
    'nodeclaims.karpenter.sh': trimSharing({
      spec: ['requirements', 'nodeClassRef', 'taints', 'resources'],
      status: ['capacity', 'allocatable', 'imageID'],
    }),
  },
});
