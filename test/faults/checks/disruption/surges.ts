/**
 * A pod that moves by a rolling update ends only when another one of its workload is Ready, and its workload is restarted once
 * for each command that removes its node.
 */
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { type Check, conditionOf, type MakeCheck } from '../check.ts';
import { asksForSurge, isActive } from './facts.ts';

export const surgingPodsHaveSuccessors: MakeCheck = (view): Check => {
  const ready = (app: string | undefined) =>
    view.kube.list('pods').filter((pod) => appOf(pod) === app && isActive(pod) && isReady(pod));
  /** Commands whose nodes run pods of the workload. */
  const commands = new Map<string, Set<string>>();
  const restarts = new Map<string, Set<string>>();
  const noted = (all: Map<string, Set<string>>, app: string, what: string) => {
    all.set(app, (all.get(app) ?? new Set()).add(what));
  };
  return {
    name: 'surging pods have successors',
    onMark({ node, command }) {
      for (const pod of view.kube.list('pods'))
        if (asksForSurge(pod) && pod.spec.nodeName === node)
          noted(commands, appOf(pod) ?? '', command?.id ?? '');
    },
    onKube({ kind, type, object, before }) {
      if (kind !== 'pods' || !asksForSurge(object)) return;
      const { name } = object.metadata;
      const app = appOf(object) ?? '';
      const restarted = object.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'];
      if (restarted !== undefined) noted(restarts, app, restarted);
      const times = restarts.get(app)?.size ?? 0;
      if (times > (commands.get(app)?.size ?? 0))
        view.violated(this.name, `${app} was restarted ${times} times by fewer commands`);
      const ends = before !== undefined && isActive(before) && (type === 'DELETED' || !isActive(object));
      if (ends && isReady(before) && ready(app).length === 0)
        view.violated(this.name, `${name} ends, and no other pod of ${app} is ready`);
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function appOf({ metadata }: ObservedObject): string | undefined {
  return metadata.labels?.['app'];
}

function isReady(pod: ObservedObject): boolean {
  return conditionOf(pod, 'Ready')?.status === 'True';
}
