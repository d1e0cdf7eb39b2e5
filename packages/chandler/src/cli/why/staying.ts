/**
 * Why a healthy node is not disrupted, by a plan of disruption for the live cluster, with the options of its controller. Where
 * objects that the plan needs cannot be read, the events of the controller are the answer.
 */
import { readDurationMs } from '@chandler/kube';
import type { OptionsEvidence } from '../../causes/index.ts';
import {
  defaultConstraints,
  isGateOn,
  isNamespaced,
  type NonDisruptionReason,
  planOptions,
  type Subject,
  stayingFrom,
} from '../../diagnose/index.ts';
import type { DisruptionNode } from '../../disruption/index.ts';
import type { FeatureGate } from '../../settings/index.ts';
import { Failure } from '../verb.ts';
import type { OpenRequest } from './source.ts';

/** A plan is made of a live cluster, about its nodes. */
export function canPlanStaying({ source }: OpenRequest, { kind }: Subject): boolean {
  return !isNamespaced(kind) && !('dump' in source);
}

/** Reads the whole cluster. */
export async function plannedStaying(
  { source, env, world: openWorld, interrupted }: OpenRequest,
  subject: Subject,
  options: OptionsEvidence | undefined,
): Promise<readonly NonDisruptionReason[]> {
  if ('dump' in source) return [];
  const textOf = (name: string) => options?.values[name]?.value ?? '';
  const isOn = (gate: FeatureGate) => isGateOn(options, gate) === true;
  const overlays = isGateOn(options, 'NodeOverlay');
  const maxReplacements = Number(textOf('consolidationMaxReplacements'));
  const world = await openWorld();
  const { runPlan } = await import('../plan/run-plan.ts');
  const { FREEZE_CONFIG_MAP } = await import('../../disruption/index.ts');
  const { FREEZES } = await import('../simulate/live-freezes.ts');
  try {
    const report = await runPlan({
      files: [],
      readStandardInput: async () => '',
      live: {
        ...(source.kubeconfig === undefined ? {} : { kubeconfig: source.kubeconfig }),
        ...(source.context === undefined ? {} : { context: source.context }),
        env,
        world,
        signal: interrupted,
      },
      catalogue: undefined,
      zones: [],
      atMs: world.clock.now(),
      about: (node) => isAbout(subject, node),
      scheduling: planOptions(options),
      disruption: {
        spotToSpot: isOn('SpotToSpotConsolidation'),
        surge: textOf('disruptionSurge') === 'true',
        saving: {
          minSavingPerMonth: Number(textOf('consolidationMinSavingPerMonth')) || 0,
          minSavingPercent: Number(textOf('consolidationMinSavingPercent')) || 0,
          costPerEvictedPod: Number(textOf('consolidationCostPerEvictedPod')) || 0,
          minNodeAgeMs: readDurationMs(textOf('consolidationMinNodeAge') || '0s') ?? 0,
        },
        terminateFirst: { drift: isOn('TerminateFirstDrift'), repair: isOn('TerminateFirstRepair') },
        ...(maxReplacements > 0 ? { maxReplacements } : {}),
      },
      // Not known: as far as the conditions of the overlays show.
      ...(overlays === undefined ? {} : { overlays }),
      repair: isOn('NodeRepair') && textOf('legacyNodeRepair') !== 'true',
      defaultConstraints: defaultConstraints(options),
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(world);
      },
      complain: () => undefined,
    });
    // A plan without a kind of objects is a plan for another cluster.
    if (report.unread.some((kind) => kind !== FREEZES)) return [];
    const unreadFreezes = report.unread.includes(FREEZES) ? FREEZE_CONFIG_MAP : undefined;
    return stayingFrom(subject, { ...report, unreadFreezes });
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

function isAbout({ kind, name }: Subject, { name: node, nodePool, claim }: DisruptionNode): boolean {
  if (kind === 'nodepool') return nodePool === name;
  return (kind === 'node' ? node : claim?.metadata.name) === name;
}
