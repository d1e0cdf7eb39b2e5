/**
 * Why a healthy node is not disrupted, by a plan of disruption for the live cluster. Without the permission to read what the
 * plan needs there is none, and the events of the controller are the answer.
 */
import { type NonDisruptionReason, type Subject, stayingFrom } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';
import type { WhyRequest } from './question.ts';

export async function plannedStaying(
  { source, env, world: openWorld, interrupted }: WhyRequest,
  subject: Subject,
): Promise<readonly NonDisruptionReason[]> {
  if (subject.kind === 'pod' || 'dump' in source) return [];
  const world = await openWorld();
  const { runPlan } = await import('../plan/run-plan.ts');
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
      scheduling: {},
      disruption: {},
      // The flag of the controller's scheduler is not known here.
      defaultConstraints: [],
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(world);
      },
      complain: () => undefined,
    });
    return stayingFrom(subject, report);
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
