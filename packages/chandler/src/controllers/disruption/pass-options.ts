/** The options of a plan of disruption, from the settings, the policies of the cloud and the freezes of now. */
import type { DisruptionOptions } from '../../disruption/index.ts';
import type { ControllerContext } from '../context.ts';

export function passOptions({
  settings,
  cloud,
  freezes,
}: Pick<ControllerContext, 'settings' | 'cloud' | 'freezes'>): DisruptionOptions {
  const { gates, legacyNodeRepair, maxReplacements, saving } = settings;
  const repairs = gates.NodeRepair && !legacyNodeRepair && cloud.repairPolicies.length > 0;
  return {
    spotToSpot: gates.SpotToSpotConsolidation,
    terminateFirst: { drift: gates.TerminateFirstDrift, repair: gates.TerminateFirstRepair },
    saving,
    podDeletionCostManagement: gates.PodDeletionCostManagement,
    surge: settings.disruptionSurge,
    freezes: freezes.current(),
    ...(repairs ? { repair: { policies: cloud.repairPolicies } } : {}),
    ...(maxReplacements === 0 ? {} : { maxReplacements }),
  };
}
