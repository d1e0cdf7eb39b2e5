/** What is true of AWS before anything of it runs. */
import { AWS_WELL_KNOWN_LABELS, AwsLabel, EC2_NODE_CLASSES } from '../../api/index.ts';
import type { CloudTraits, RepairPolicy } from '../index.ts';

import { nodeClassHashing } from './drift/index.ts';

const MINUTE_MS = 60_000;

/** Those of Karpenter's AWS provider; `Ready` is the fallback, as v1.15 asks for one. */
export const AWS_REPAIR_POLICIES: readonly RepairPolicy[] = [
  {
    conditionType: 'Ready',
    conditionStatus: 'False',
    tolerationMs: 30 * MINUTE_MS,
    action: 'ReplaceNode',
    fallback: true,
  },
  {
    conditionType: 'Ready',
    conditionStatus: 'Unknown',
    tolerationMs: 30 * MINUTE_MS,
    action: 'ReplaceNode',
  },
  // The conditions of the node monitoring agent of EKS.
  {
    conditionType: 'AcceleratedHardwareReady',
    conditionStatus: 'False',
    tolerationMs: 10 * MINUTE_MS,
    action: 'ReplaceNode',
  },
  ...['StorageReady', 'NetworkingReady', 'KernelReady', 'ContainerRuntimeReady'].map(
    (conditionType): RepairPolicy => ({
      conditionType,
      conditionStatus: 'False',
      tolerationMs: 30 * MINUTE_MS,
      action: 'ReplaceNode',
    }),
  ),
];

/** @param caBundle of the cluster, in base64, as far as it is known: it is part of the hash of a node class. */
export function awsTraits(caBundle: () => string | undefined = () => undefined): CloudTraits {
  const { hashKey, versionKey, version } = nodeClassHashing(undefined);
  return {
    name: 'aws',
    nodeClasses: [
      {
        ...EC2_NODE_CLASSES,
        hash: { hashKey, versionKey, version, hash: (object) => nodeClassHashing(caBundle()).hash(object) },
      },
    ],
    wellKnownLabels: [...AWS_WELL_KNOWN_LABELS].sort(),
    reservationLabel: AwsLabel.capacityReservationId,
    repairPolicies: AWS_REPAIR_POLICIES,
    ownership: { providerIdPrefix: 'aws://', isManagedElsewhere: () => false },
    terminationAdvice: {
      Unauthorized:
        'allow the role of the controller ec2:TerminateInstances on instances with the tags of the cluster',
      CredentialsMissing: 'configure IRSA or EKS Pod Identity for the service account of the controller',
      CredentialsInvalid: 'fix the credentials of the controller',
      CredentialsExpired: 'fix the credentials of the controller',
      ZoneShifted: 'the controller terminates the instance when the zonal shift is over',
      TerminationProtected:
        'disable termination protection of the instance (aws ec2 modify-instance-attribute)',
    },
  };
}
