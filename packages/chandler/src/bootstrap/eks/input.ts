/**
 * The complete input of the user data of an EC2 instance: values with their sources, and plain facts about the node. No
 * clients, no clock. The launcher gathers it; the CLI builds it from manifests.
 */
import type { AMI_FAMILIES, EC2NodeClassSpec, ResourceList, Taint } from '../../api/index.ts';
import type { Sourced } from '../../settings/index.ts';

/** As `spec.amiFamily` of an EC2NodeClass names them. */
export type AmiFamily = (typeof AMI_FAMILIES)[number];

export interface EksBootstrapInput {
  readonly cluster: EksClusterValues;
  readonly nodeClass: EksNodeClassValues;
  readonly node: EksNodeValues;
}

export interface EksClusterValues {
  readonly name: Sourced<string>;
  /** URL of the API server. */
  readonly endpoint: Sourced<string>;
  /** PEM in base64; empty when unknown. */
  readonly caBundle: Sourced<string>;
  /** The range of Services; empty when unknown. AL2023 nodes cannot start without it. */
  readonly serviceCidr: Sourced<string>;
  /** The address of kube-dns; empty when unknown. */
  readonly dnsIp: Sourced<string>;
}

export interface EksNodeClassValues {
  /** Named by the class, or by its alias. */
  readonly family: AmiFamily;
  readonly spec: EC2NodeClassSpec;
  /** `latest`, `v1.46.0`; empty when unknown. Bottlerocket alone asks for it. */
  readonly imageVersion: Sourced<string>;
}

export interface EksNodeValues {
  /** Of the instance type. A number in `spec.kubelet.maxPods` wins. */
  readonly maxPods: Sourced<number>;
  /** The reservations of the class with their expressions evaluated; absent where the class has none to evaluate. */
  readonly kubeReserved?: ResourceList;
  readonly systemReserved?: ResourceList;
  /** Labels of the NodeClaim. */
  readonly labels: Sourced<Readonly<Record<string, string>>>;
  readonly capacityType: Sourced<string>;
  readonly taints: Sourced<readonly Taint[]>;
  readonly startupTaints: Sourced<readonly Taint[]>;
}
