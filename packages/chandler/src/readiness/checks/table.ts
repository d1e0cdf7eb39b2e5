/** All checks, in the order of their ids. A check is in the table when its code is there. */
import type { CheckRow } from './check.ts';
import { ALIGNMENT_CHECKS } from './rows/alignment.ts';
import { APPLIED_CHECKS } from './rows/applied.ts';
import { AKS_CAPACITY_CHECKS } from './rows/azure/capacity.ts';
import { AKS_CLUSTER_CHECKS } from './rows/azure/cluster.ts';
import { AKS_DISK_ENCRYPTION_CHECKS } from './rows/azure/disk-encryption.ts';
import { AKS_IDENTITY_CHECKS } from './rows/azure/identity.ts';
import { AKS_MANIFEST_CHECKS } from './rows/azure/manifests.ts';
import { AKS_NETWORK_CHECKS } from './rows/azure/network.ts';
import { AKS_OPTION_CHECKS } from './rows/azure/options.ts';
import { AKS_ROLE_CHECKS } from './rows/azure/roles.ts';
import { AKS_SUBNET_CHECKS } from './rows/azure/subnets.ts';
import { CAPACITY_CHECKS } from './rows/capacity.ts';
import { CLUSTER_AGENT_CHECKS } from './rows/cluster-agents.ts';
import { CLUSTER_CONTROLLER_CHECKS } from './rows/cluster-controller.ts';
import { CLUSTER_NODE_CHECKS } from './rows/cluster-nodes.ts';
import { CONTROLLER_CHECKS } from './rows/controller.ts';
import { DELIVERY_CHECKS } from './rows/delivery.ts';
import { DISCOVERY_TAG_CHECKS } from './rows/discovery-tags.ts';
import { EXPECTATION_CHECKS } from './rows/expectations.ts';
import { HAZARD_CHECKS } from './rows/hazards.ts';
import { KUBELET_CHECKS } from './rows/kubelet.ts';
import { LIVE_CLUSTER_CHECKS } from './rows/live-cluster.ts';
import { LIVE_EGRESS_CHECKS } from './rows/live-egress.ts';
import { LIVE_IDENTITY_CHECKS } from './rows/live-identity.ts';
import { LIVE_IMAGE_CHECKS } from './rows/live-images.ts';
import { LIVE_LIMIT_CHECKS } from './rows/live-limits.ts';
import { LIVE_NETWORK_CHECKS } from './rows/live-network.ts';
import { METADATA_CHECKS } from './rows/metadata.ts';
import { NODE_CLASS_CHECKS } from './rows/node-classes.ts';
import { NODE_POOL_CHECKS } from './rows/node-pools.ts';
import { NODE_ROLE_CHECKS } from './rows/node-role.ts';
import { POD_ADDRESS_CHECKS } from './rows/pod-addresses.ts';
import { POLICY_CHECKS } from './rows/policies.ts';
import { REQUIREMENT_CHECKS } from './rows/requirements.ts';
import { SMOKE_CHECKS } from './rows/smoke.ts';
import { TERRAFORM_CHECKS } from './rows/terraform.ts';
import { TROUBLESHOOTING_CHECKS } from './rows/troubleshooting.ts';
import { TRUST_CHECKS } from './rows/trust.ts';
import { VALUES_CHECKS } from './rows/values.ts';
import { VERSION_CHECKS } from './rows/versions.ts';
import { VOLUME_CHECKS } from './rows/volumes.ts';
import { WINDOWS_CHECKS } from './rows/windows.ts';
import { WORKLOAD_CHECKS } from './rows/workloads.ts';

/** `S-`: the steps of an installation, from Terraform to a node that has joined; `K-`: what goes wrong besides; `A-`: both on AKS. */
const SERIES = ['S', 'K', 'A'];

export const CHECKS: readonly CheckRow[] = [
  ...AKS_CAPACITY_CHECKS,
  ...AKS_CLUSTER_CHECKS,
  ...AKS_DISK_ENCRYPTION_CHECKS,
  ...AKS_IDENTITY_CHECKS,
  ...AKS_MANIFEST_CHECKS,
  ...AKS_NETWORK_CHECKS,
  ...AKS_OPTION_CHECKS,
  ...AKS_ROLE_CHECKS,
  ...AKS_SUBNET_CHECKS,
  ...ALIGNMENT_CHECKS,
  ...APPLIED_CHECKS,
  ...CLUSTER_AGENT_CHECKS,
  ...CLUSTER_CONTROLLER_CHECKS,
  ...CLUSTER_NODE_CHECKS,
  ...CAPACITY_CHECKS,
  ...CONTROLLER_CHECKS,
  ...DELIVERY_CHECKS,
  ...DISCOVERY_TAG_CHECKS,
  ...EXPECTATION_CHECKS,
  ...HAZARD_CHECKS,
  ...KUBELET_CHECKS,
  ...LIVE_CLUSTER_CHECKS,
  ...LIVE_EGRESS_CHECKS,
  ...LIVE_IDENTITY_CHECKS,
  ...LIVE_IMAGE_CHECKS,
  ...LIVE_LIMIT_CHECKS,
  ...LIVE_NETWORK_CHECKS,
  ...METADATA_CHECKS,
  ...NODE_CLASS_CHECKS,
  ...NODE_POOL_CHECKS,
  ...NODE_ROLE_CHECKS,
  ...POD_ADDRESS_CHECKS,
  ...POLICY_CHECKS,
  ...REQUIREMENT_CHECKS,
  ...SMOKE_CHECKS,
  ...TERRAFORM_CHECKS,
  ...TROUBLESHOOTING_CHECKS,
  ...TRUST_CHECKS,
  ...VALUES_CHECKS,
  ...VERSION_CHECKS,
  ...VOLUME_CHECKS,
  ...WINDOWS_CHECKS,
  ...WORKLOAD_CHECKS,
].sort((a, b) => place(a) - place(b));

// ---------------------------------------------------------------------------------------------------------------

function place({ id }: CheckRow): number {
  const [series = '', number] = id.split('-');
  return SERIES.indexOf(series) * 1000 + Number(number);
}
