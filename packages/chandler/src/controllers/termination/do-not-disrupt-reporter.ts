/** What becomes of a pod's wish not to be disrupted, said on the pod: until when it holds, that it has ended, or that it cannot be read. */
import { PODS } from '@chandler/kube';
import { doNotDisruptOf, type PodObject } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';

/** A wish for ever, or none, is nothing to talk about. */
export function reportDoNotDisrupt({ events, world }: ControllerContext, pod: PodObject): void {
  const wish = doNotDisruptOf(pod);
  const uid = pod.metadata.uid ?? '';
  const tell = (type: 'Normal' | 'Warning', reason: string, message: string, ...values: string[]) =>
    events.publish({ resource: PODS, object: pod, type, reason, message, dedupeValues: [uid, ...values] });
  if (wish.state === 'invalid') {
    const message = `Invalid karpenter.sh/do-not-disrupt annotation: "${wish.text}" is neither true nor a duration, ignoring annotation`;
    tell('Warning', 'InvalidDoNotDisruptAnnotation', message, wish.text);
    return;
  }
  if (wish.state !== 'until' || wish.untilMs === undefined) return;
  if (wish.untilMs > world.clock.now()) {
    const when = new Date(wish.untilMs).toISOString().replace(/\.\d+Z$/, 'Z');
    tell(
      'Normal',
      'DoNotDisruptUntil',
      `The karpenter.sh/do-not-disrupt grace period will elapse at ${when}`,
      when,
    );
  } else {
    const message = 'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable';
    tell('Normal', 'DoNotDisruptGracePeriodElapsed', message);
  }
}
