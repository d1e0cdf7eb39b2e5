/**
 * The execution of a command: its nodes stay until every replacement is a ready node; it is neither forgotten nor
 * executed twice, whatever happens to the process.
 */
import type { CommandText } from '../../server-state/disruption-marks.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { type Check, isTrue, type MakeCheck, type Traffic, type View } from '../check.ts';
import { hasToEnd, isTainted, nodeOfClaim, Since } from './facts.ts';

export const replacementBeforeRemoval: MakeCheck = (view): Check => {
  /** Nodes that were ready at some time. */
  const ready = new Set<string>();
  return {
    name: 'replacement before removal',
    onKube({ kind, object }) {
      if (kind === 'nodes' && isTrue(object, 'Ready')) ready.add(object.metadata.name!);
    },
    onArrival(traffic) {
      const removed = removedClaim(view, traffic);
      if (removed === undefined) return undefined;
      for (const name of removed.command.launches) {
        const claim = view.kube.get('claims', name);
        const node = claim?.status?.nodeName as string | undefined;
        if (node !== undefined && ready.has(node) && isTrue(claim!, 'Initialized')) continue;
        view.violated(
          this.name,
          `${traffic.process} deletes ${removed.claim.metadata.name} before its replacement ${name} is a ready node`,
        );
      }
      return undefined;
    },
  };
};

export const commandsAreFinished: MakeCheck = (view): Check => {
  const launched = new Map<string, Set<string>>();
  const forgotten = new Since();
  const nowMs = () => view.servers.world.clock.monotonic();
  const judge = (check: Check, key: string, holds: boolean, boundMs: number, what: string) => {
    // While faults interrupt it, nothing can be expected within a time.
    forgotten.note(key, holds && (isCertain(view) || view.phase !== 'story'), nowMs());
    if (holds && forgotten.forMs(key, nowMs()) > boundMs) view.violated(check.name, what);
  };
  return {
    name: 'commands are finished',
    onKube({ kind, type, object }) {
      const id = kind === 'claims' && type === 'ADDED' ? replacementFor(object) : undefined;
      if (id === undefined) return;
      const { name } = object.metadata;
      const launches = view.marks.command(id)?.launches;
      const names = launched.get(id) ?? new Set();
      launched.set(id, names.add(name!));
      if (launches === undefined)
        view.violated(this.name, `${name} was launched for ${id}, which no node names`);
      else if (!launches.includes(name!) || names.size > launches.length)
        view.violated(
          this.name,
          `${name} was launched for ${id}, besides ${launches.join(', ')}: a second set of replacements`,
        );
    },
    periodically() {
      const present = new Set<string>();
      for (const claim of view.kube.list('claims')) {
        const { uid, name, deletionTimestamp } = claim.metadata;
        const node = nodeOfClaim(view, claim);
        const mark = deletionTimestamp === undefined ? view.marks.get(uid!) : undefined;
        const tainted =
          node !== undefined && isTainted(node) && node.metadata.deletionTimestamp === undefined;
        present.add(`lost ${uid}`).add(`late ${uid}`).add(`tainted ${uid}`);
        judge(
          this,
          `lost ${uid}`,
          mark !== undefined && mark.command === undefined,
          LOST_MS,
          `${name} is marked, and names no command`,
        );
        judge(this, `late ${uid}`, mark !== undefined, LATE_MS, `the command of ${name} is not finished`);
        const left = tainted && deletionTimestamp === undefined && mark === undefined;
        judge(
          this,
          `tainted ${uid}`,
          left,
          LOST_MS,
          `${node?.metadata.name} has the taint of a command that has ended`,
        );
      }
      for (const key of forgotten.keys()) if (!present.has(key)) forgotten.note(key, false, nowMs());
    },
  };
};

/** A claim that a process deletes as part of its command, and for no other reason that is visible. */
export function removedClaim(
  view: View,
  { server, method, path }: Traffic,
): { readonly claim: ObservedObject; readonly command: CommandText } | undefined {
  if (server !== 'kube' || method !== 'DELETE') return undefined;
  const [, name] = /\/nodeclaims\/([^/]+)$/.exec(path) ?? [];
  const claim = name === undefined ? undefined : view.kube.get('claims', name);
  const command = claim === undefined ? undefined : view.marks.get(claim.metadata.uid!)?.command;
  if (claim === undefined || command === undefined || claim.metadata.deletionTimestamp !== undefined)
    return undefined;
  const node = nodeOfClaim(view, claim);
  const lost = node === undefined || node.metadata.deletionTimestamp !== undefined;
  return lost || hasToEnd(view, claim) ? undefined : { claim, command };
}

/** Processes know the state of the servers, apart from the last moments. */
export function isCertain({ unseenMs }: View): boolean {
  return unseenMs <= CERTAIN_MS;
}

// ---------------------------------------------------------------------------------------------------

const CERTAIN_MS = 5_000;
/** Marks of no command are removed by the next pass; a restart and an election may come before. */
const LOST_MS = 2 * 60_000;
/** The timeout of a command is ten minutes. */
const LATE_MS = 13 * 60_000;

function replacementFor({ metadata }: ObservedObject): string | undefined {
  return metadata.annotations?.['chandler.sh/replacement-for'];
}
