/**
 * Reports the do-not-disrupt annotation of a pod as an event: until when it holds, that it has elapsed, or that it is
 * invalid.
 */
import { PODS, type Pod, type Stored } from '@chandler/kube';
import { doNotDisruptOf } from '../../disruption/index.ts';
import type { ControllerContext } from '../context.ts';

/** A pod without the annotation, or with one that never elapses, gets no event. */
export function reportDoNotDisrupt({ events, world }: ControllerContext, pod: Stored<Pod>): void {
  const doNotDisrupt = doNotDisruptOf(pod);
  const uid = pod.metadata.uid;
  const report = (type: 'Normal' | 'Warning', reason: string, message: string, ...values: string[]) =>
    events.publish({ resource: PODS, object: pod, type, reason, message, dedupeValues: [uid, ...values] });
  if (doNotDisrupt.state === 'invalid') {
    const message = `Invalid karpenter.sh/do-not-disrupt annotation: "${doNotDisrupt.text}" is neither true nor a duration, ignoring annotation`;
    report('Warning', 'InvalidDoNotDisruptAnnotation', message, doNotDisrupt.text);
    return;
  }
  if (doNotDisrupt.state !== 'until' || doNotDisrupt.untilMs === undefined) return;
  if (doNotDisrupt.untilMs > world.clock.now()) {
    const when = new Date(doNotDisrupt.untilMs).toISOString().replace(/\.\d+Z$/, 'Z');
    report(
      'Normal',
      'DoNotDisruptUntil',
      `The karpenter.sh/do-not-disrupt grace period will elapse at ${when}`,
      when,
    );
  } else {
    const message = 'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable';
    report('Normal', 'DoNotDisruptGracePeriodElapsed', message);
  }
}
