/**
 * Whether the subnet of a node class can be used: its ID is one, it lies in the cluster's virtual network, not in a
 * network that AKS manages, and it exists. IDs are compared as Azure does, without regard to case. An error that says
 * nothing about the subnet leaves a subnet that was read before as it was.
 */
import { AksLabel, isLabelValue } from '../../../api/index.ts';
import {
  type ArmError,
  BAD_ANSWER,
  HELD_BACK,
  isNotFound,
  NO_ANSWER,
  NO_TOKEN,
  parseResourceId,
  type ResourceId,
  resourceName,
  sameResource,
  toArmError,
} from '../../../arm/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { isManagedSubnet } from '../vm/managed-subnet.ts';
import { Condition, type Draft, MINUTE_MS, type Part, type PartResult } from './part.ts';
import { isCurrent } from './usable.ts';

export const SUBNET_REQUEUE_MS = 3 * MINUTE_MS;

export interface SubnetDeps {
  /** The option `vnet-subnet-id`. */
  readonly clusterSubnetID: () => Sourced<string>;
  readonly nodeResourceGroup: () => string;
  /** Whether pods are in an overlay network: then nodes have a label with the name of their subnet. */
  readonly hasOverlay: () => boolean;
  /** Rejects with what the SDK throws when it is not there. */
  readonly get: (subnet: ResourceId, signal: AbortSignal) => Promise<unknown>;
}

export function subnetPart(deps: SubnetDeps): Part {
  /** The last subnet of the option that was read. Nothing yet: the status tells about the process before this one. */
  let readOfCluster: string | undefined;
  return {
    name: 'subnet',
    conditions: [Condition.subnets],
    async reconcile(draft, signal) {
      const cluster = deps.clusterSubnetID();
      const own = draft.nodeClass.spec?.vnetSubnetID;
      const text = own ?? cluster.value;
      const parsed = parseResourceId(text, SUBNET_TYPE);
      if ('problem' in parsed) return refuse(draft, 'SubnetIDInvalid', `vnetSubnetID ${parsed.problem}`);
      if (own !== undefined && !sameResource(own, cluster.value)) {
        const problem = outsideOfCluster(parsed.id, cluster, deps.nodeResourceGroup());
        if (problem !== undefined) return refuse(draft, 'SubnetIDInvalid', problem);
      }
      try {
        await deps.get(parsed.id, signal);
      } catch (thrown) {
        signal.throwIfAborted();
        const error = toArmError(thrown);
        // A subnet of the class itself is the same as long as the generation is.
        const isSame = own !== undefined || readOfCluster === undefined || sameResource(readOfCluster, text);
        if (isSame && saysNothing(error) && wasReady(draft)) return { requeueAfterMs: MINUTE_MS, error };
        return notThere(draft, text, error);
      }
      if (own === undefined) readOfCluster = text;
      draft.conditions.setTrue(Condition.subnets, undefined, missingLabel(parsed.id, deps.hasOverlay()));
      return { requeueAfterMs: SUBNET_REQUEUE_MS };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const SUBNET_TYPE = 'Microsoft.Network/virtualNetworks/subnets';

function outsideOfCluster(
  subnet: ResourceId,
  cluster: Sourced<string>,
  nodeResourceGroup: string,
): string | undefined {
  const parsed = parseResourceId(cluster.value, SUBNET_TYPE);
  if ('problem' in parsed) return `${cluster.path} ${parsed.problem}`;
  const wanted = networkOf(parsed.id);
  if (networkOf(subnet) !== wanted) {
    return `vnetSubnetID is in ${networkOf(subnet)}, but the cluster is in ${wanted}; subscription, resource group and virtual network must match`;
  }
  if (isManagedSubnet(cluster.value, nodeResourceGroup)) {
    return `vnetSubnetID is in ${wanted}, which AKS manages; a custom subnet requires a custom virtual network`;
  }
  return undefined;
}

function networkOf({ subscriptionId, resourceGroup, segments }: ResourceId): string {
  return `${subscriptionId}/${resourceGroup}/${segments[0]?.[1] ?? ''}`.toLowerCase();
}

/** A kubelet does not start with a label whose value is invalid, so the label is left out. */
function missingLabel(subnet: ResourceId, hasOverlay: boolean): string | undefined {
  const name = resourceName(subnet);
  if (!hasOverlay || isLabelValue(name)) return undefined;
  return `the name of subnet ${name} is not a valid label value, so nodes do not get the label ${AksLabel.networkSubnet}`;
}

/** No requeue: only another ID helps, and that is a change of the spec. */
function refuse(draft: Draft, reason: string, message: string): PartResult {
  draft.conditions.setFalse(Condition.subnets, reason, message);
  return {};
}

function wasReady({ conditions, nodeClass }: Draft): boolean {
  return isCurrent(conditions.get(Condition.subnets), nodeClass.metadata.generation);
}

/** Throttling, an outage, no connection or no token: not an answer about the subnet. */
function saysNothing({ code, status = 0 }: ArmError): boolean {
  return NOT_AN_ANSWER.has(code) || NOT_AN_ANSWER_STATUS.has(status) || status >= 500;
}

const NOT_AN_ANSWER: ReadonlySet<string> = new Set([HELD_BACK, NO_ANSWER, BAD_ANSWER, NO_TOKEN]);
const NOT_AN_ANSWER_STATUS: ReadonlySet<number> = new Set([401, 408, 429]);

function notThere(draft: Draft, id: string, error: ArmError): PartResult {
  if (isNotFound(error)) {
    draft.conditions.setFalse(Condition.subnets, 'SubnetNotFound', `subnet ${id} does not exist`);
  } else {
    const message = `subnet ${id} could not be read: ${error.code}: ${error.message}`;
    draft.conditions.setFalse(Condition.subnets, 'SubnetUnknownError', message);
  }
  return { requeueAfterMs: MINUTE_MS, error };
}
