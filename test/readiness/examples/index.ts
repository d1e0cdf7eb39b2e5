/** All examples, by the id of the check. */
import { AKS_IDENTITY_EXAMPLES } from './aks-identity.table.ts';
import { AKS_NETWORK_EXAMPLES } from './aks-network.table.ts';
import { AKS_NODE_EXAMPLES } from './aks-nodes.table.ts';
import { AKS_ROLE_EXAMPLES } from './aks-roles.table.ts';
import { ALIGNMENT_EXAMPLES } from './alignment.table.ts';
import { APPLIED_EXAMPLES } from './applied.table.ts';
import { CAPACITY_EXAMPLES } from './capacity.table.ts';
import { CLUSTER_CONTROLLER_EXAMPLES } from './cluster-controller.table.ts';
import { CLUSTER_NODE_EXAMPLES } from './cluster-nodes.table.ts';
import { DELIVERY_EXAMPLES } from './delivery.table.ts';
import type { ExampleTable } from './example.ts';
import { HAZARD_EXAMPLES } from './hazards.table.ts';
import { LIVE_EGRESS_EXAMPLES } from './live-egress.table.ts';
import { LIVE_IDENTITY_EXAMPLES } from './live-identity.table.ts';
import { LIVE_IMAGE_EXAMPLES } from './live-images.table.ts';
import { LIVE_LIMIT_EXAMPLES } from './live-limits.table.ts';
import { LIVE_NETWORK_EXAMPLES } from './live-network.table.ts';
import { METADATA_EXAMPLES } from './metadata.table.ts';
import { NODE_CLASS_EXAMPLES } from './node-classes.table.ts';
import { NODE_POOL_EXAMPLES } from './node-pools.table.ts';
import { POD_ADDRESS_EXAMPLES } from './pod-addresses.table.ts';
import { POLICY_EXAMPLES } from './policies.table.ts';
import { SETTINGS_EXAMPLES } from './settings.table.ts';
import { SMOKE_EXAMPLES } from './smoke.table.ts';
import { TERRAFORM_EXAMPLES } from './terraform.table.ts';
import { TROUBLESHOOTING_EXAMPLES } from './troubleshooting.table.ts';
import { TRUST_EXAMPLES } from './trust.table.ts';
import { VALUES_EXAMPLES } from './values.table.ts';
import { WINDOWS_EXAMPLES } from './windows.table.ts';
import { WORKLOAD_EXAMPLES } from './workloads.table.ts';

export const EXAMPLES: ExampleTable = {
  ...AKS_IDENTITY_EXAMPLES,
  ...AKS_NETWORK_EXAMPLES,
  ...AKS_NODE_EXAMPLES,
  ...AKS_ROLE_EXAMPLES,
  ...ALIGNMENT_EXAMPLES,
  ...APPLIED_EXAMPLES,
  ...CLUSTER_CONTROLLER_EXAMPLES,
  ...CLUSTER_NODE_EXAMPLES,
  ...CAPACITY_EXAMPLES,
  ...DELIVERY_EXAMPLES,
  ...HAZARD_EXAMPLES,
  ...LIVE_EGRESS_EXAMPLES,
  ...LIVE_IDENTITY_EXAMPLES,
  ...LIVE_IMAGE_EXAMPLES,
  ...LIVE_LIMIT_EXAMPLES,
  ...LIVE_NETWORK_EXAMPLES,
  ...METADATA_EXAMPLES,
  ...NODE_CLASS_EXAMPLES,
  ...NODE_POOL_EXAMPLES,
  ...POD_ADDRESS_EXAMPLES,
  ...POLICY_EXAMPLES,
  ...SETTINGS_EXAMPLES,
  ...SMOKE_EXAMPLES,
  ...TERRAFORM_EXAMPLES,
  ...TROUBLESHOOTING_EXAMPLES,
  ...TRUST_EXAMPLES,
  ...VALUES_EXAMPLES,
  ...WINDOWS_EXAMPLES,
  ...WORKLOAD_EXAMPLES,
};

/** Of checks that are judged from the live account or from a live cluster: the latter. */
export const CLUSTER_EXAMPLES: ExampleTable = Object.fromEntries(
  Object.entries(CLUSTER_NODE_EXAMPLES).filter(([id]) => id in LIVE_IDENTITY_EXAMPLES),
);
