/** What the rest of the controller must know of a command in execution: which nodes go, and where their pods go. */
import type { Pod, Stored } from '@chandler/kube';
import type { ControllerContext } from '../context.ts';
import { nominationMs } from '../provisioning/provisioner.ts';
import type { CandidateRecord } from './command-record.ts';
import type { RunningCommand } from './running-command.ts';

type Context = Pick<ControllerContext, 'cluster' | 'settings' | 'stores'>;

export function markForDeletion({ cluster }: Context, { record, released }: RunningCommand): void {
  const going = record.candidates.filter(({ claim }) => !released.has(claim));
  cluster.mark(going.flatMap(({ claim }) => cluster.nodeOfClaim(claim)?.key ?? []));
}

export function unmarkForDeletion({ cluster }: Context, { claim }: CandidateRecord): void {
  const key = cluster.nodeOfClaim(claim)?.key;
  if (key !== undefined) cluster.unmark([key]);
}

/** Until its pods have arrived: nodes that are to get pods of the command are not empty. */
export function keepNominated({ cluster, settings }: Context, { planned, record }: RunningCommand): void {
  const forMs = nominationMs(settings);
  for (const { node } of planned?.destinations ?? []) cluster.nominate(node, forMs);
  for (const { metadata } of record.replacements) cluster.nominate(metadata.name, forMs);
}

/** Capacity is reserved for the pods, and nodes that get pods are not disrupted next. */
export function expectPods({ cluster, settings, stores }: Context, command: RunningCommand): void {
  const { planned, record } = command;
  const podNamed = (key: string): readonly Stored<Pod>[] => {
    const [namespace = '', name = ''] = key.split('/');
    const pod = stores.pods.store.get({ namespace, name });
    return pod === undefined ? [] : [pod];
  };
  keepNominated({ cluster, settings, stores }, command);
  for (const [index, { metadata }] of record.replacements.entries())
    cluster.reserve(metadata.name, (planned?.replacements[index]?.pods ?? []).flatMap(podNamed));
}
