/** Controllers that run only when their feature gate is on. */
import type { ControllerContext, MakeController } from './context.ts';
import { deletionCosts } from './disruption/deletion-costs.ts';
import { nodeHealth } from './nodes/health.ts';
import { nodeOverlays } from './overlays/node-overlays.ts';
import { staticDeprovisioning } from './static/deprovisioning.ts';
import { staticProvisioning } from './static/provisioning.ts';

export function gatedControllers({ settings, cloud }: ControllerContext): readonly MakeController[] {
  const { gates, legacyNodeRepair } = settings;
  return [
    ...(gates.NodeRepair && legacyNodeRepair && cloud.repairPolicies.length > 0 ? [nodeHealth] : []),
    ...(gates.StaticCapacity ? [staticProvisioning, staticDeprovisioning] : []),
    ...(gates.NodeOverlay ? [nodeOverlays] : []),
    ...(gates.PodDeletionCostManagement ? [deletionCosts] : []),
  ];
}
