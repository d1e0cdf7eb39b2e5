/**
 * Why a node on Azure is no longer what would be launched today: the reasons in order; the first that holds is reported.
 * Reads the claim, its node and the node class, nothing else; Azure is not asked. What is found out by others (images,
 * cluster values) comes in as a check.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import {
  type AKSNodeClass,
  AksLabel,
  AzureAnnotation,
  type NodeClaim,
  type NodePool,
} from '../../../api/index.ts';
import type { Drift } from '../../index.ts';

import { CLUSTER_RECORDS, clusterValueDrift } from '../cluster/cluster-drift.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { nodeVersion } from '../launch-template/index.ts';
import { usableImages, usableKubernetesVersion } from '../node-class/usable.ts';
import { diskEncryptionSetDrift } from './disk-encryption-set-drift.ts';
import type { AdoptedDriftMode } from './recorded-value.ts';

export const DriftReason = {
  nodeClass: 'NodeClassDrift',
  kubernetesVersion: 'K8sVersionDrift',
  kubeletIdentity: 'KubeletIdentityDrift',
  image: 'ImageDrift',
} as const;

export interface DriftQuestion {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: AKSNodeClass;
  readonly nodePool?: Stored<NodePool> | undefined;
  /** Absent until the VM has joined. */
  readonly node?: KubeObject | undefined;
}

export interface DriftValues {
  /** The option `kubelet-identity-client-id`; empty is not set. */
  readonly kubeletIdentityClientID: string | undefined;
  /** What a launch for this class would use now; absent when that cannot be said, and then nothing is compared. */
  readonly diskEncryptionSet: { readonly id: string | undefined } | undefined;
  readonly diskEncryptionSetDrift: AdoptedDriftMode;
  /** What is known of the cluster now; its values drift by the same rule. */
  readonly cluster: Partial<ClusterFacts>;
}

export function azureDrift(question: DriftQuestion, values: DriftValues): Drift | undefined {
  if (isDeleting(question.nodeClass) || isDeleting(question.nodePool)) return undefined;
  for (const check of CHECKS) {
    const drift = check(question, values);
    if (drift !== undefined) return drift;
  }
  return undefined;
}

/** The Kubernetes version that the claim was launched for. */
export const KUBERNETES_VERSION_ANNOTATION = CLUSTER_RECORDS.find(
  (record) => record.fact === 'kubernetesVersion',
)!.annotation;

// ---------------------------------------------------------------------------------------------------

type Check = (question: DriftQuestion, values: DriftValues) => Drift | undefined;

const CHECKS: readonly Check[] = [
  nodeClassDrift,
  kubernetesVersionDrift,
  kubeletIdentityDrift,
  imageDrift,
  ({ claim }, { diskEncryptionSet: now, diskEncryptionSetDrift: mode }) =>
    now === undefined ? undefined : diskEncryptionSetDrift(claim, now.id, mode),
  ({ claim, nodeClass }, { cluster }) => clusterDrift(claim, nodeClass, cluster),
];

/** Needs all four annotations, and hashes of one version: those of two cannot be compared. */
function nodeClassDrift({ claim, nodeClass }: DriftQuestion): Drift | undefined {
  const [was, now] = [claim, nodeClass].map(({ metadata: { annotations } }) => ({
    hash: annotations?.[AzureAnnotation.nodeClassHash],
    version: annotations?.[AzureAnnotation.nodeClassHashVersion],
  }));
  if (was?.hash === undefined || now?.hash === undefined) return undefined;
  if (was.version === undefined || was.version !== now.version || was.hash === now.hash) return undefined;
  return {
    reason: DriftReason.nodeClass,
    message: `AKSNodeClass ${nodeClass.metadata.name} changed: its hash was ${was.hash} and is ${now.hash} now`,
  };
}

/**
 * The kubelet's version against the class's, as text. When the claim was launched for the very version that the class
 * asks for, the image brings another kubelet: a new node would be no different, so replacing would never end.
 */
function kubernetesVersionDrift({ claim, nodeClass, node }: DriftQuestion): Drift | undefined {
  const wanted = usableKubernetesVersion(nodeClass);
  const running = kubeletVersion(node);
  if ('notUsable' in wanted || running === undefined || running === wanted.value) return undefined;
  if (claim.metadata.annotations?.[KUBERNETES_VERSION_ANNOTATION] === wanted.value) return undefined;
  return {
    reason: DriftReason.kubernetesVersion,
    message: `the kubelet has version ${running}, and new nodes get ${wanted.value}`,
  };
}

/** A node without the label is of an older version of the controller, and left alone. */
function kubeletIdentityDrift({ node }: DriftQuestion, values: DriftValues): Drift | undefined {
  const was = node?.metadata.labels?.[AksLabel.kubeletIdentityClientId];
  const now = values.kubeletIdentityClientID;
  if (was === undefined || now === undefined || now === '' || was === now) return undefined;
  return {
    reason: DriftReason.kubeletIdentity,
    message: `the kubelet has the identity ${was}, and new nodes get ${now}`,
  };
}

function imageDrift({ claim, nodeClass }: DriftQuestion): Drift | undefined {
  const images = usableImages(nodeClass);
  const was = claim.status?.imageID;
  // A claim without an image was launched a moment ago, or never: there is nothing to compare yet.
  if ('notUsable' in images || was === undefined || was === '') return undefined;
  if (images.value.some((image) => image.id.toLowerCase() === was.toLowerCase())) return undefined;
  return {
    reason: DriftReason.image,
    message: `the node uses image ${was}, which is not an image of the AKSNodeClass: ${images.value.map((image) => image.id).join(', ')}`,
  };
}

/** New nodes get the version of the class, which follows that of the API server: replacing before that would not end. */
function clusterDrift(
  claim: Stored<NodeClaim>,
  nodeClass: AKSNodeClass,
  cluster: Partial<ClusterFacts>,
): Drift | undefined {
  const { kubernetesVersion: ofServer, ...others } = cluster;
  const now =
    ofServer === undefined
      ? others
      : {
          ...others,
          kubernetesVersion: nodeVersion({ nodeClass, cluster: { kubernetesVersion: ofServer } }),
        };
  const [first] = clusterValueDrift(claim.metadata.annotations, now).drifts;
  return first === undefined ? undefined : { reason: first.reason, message: first.message };
}

export function kubeletVersion(node: KubeObject | undefined): string | undefined {
  const status = node?.['status'] as { readonly nodeInfo?: { readonly kubeletVersion?: string } } | undefined;
  const version = status?.nodeInfo?.kubeletVersion?.replace(/^v/, '');
  return version === '' ? undefined : version;
}

function isDeleting(
  object: { readonly metadata: { readonly deletionTimestamp?: string } } | undefined,
): boolean {
  return object?.metadata.deletionTimestamp !== undefined;
}
