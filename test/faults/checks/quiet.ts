/** In a quiet world nothing is written: leases are renewed, and who waits in vain is told so again. */
import { type Check, changesAzure, isBesides, isWrite, type MakeCheck } from './check.ts';

export const nothingIsWrittenInQuiet: MakeCheck = (view): Check => ({
  name: 'nothing is written in a quiet world',
  onSend(traffic) {
    if (view.phase !== 'quiet') return;
    const written =
      traffic.server === 'arm' ? changesAzure(traffic) : isWrite(traffic) && !isLease(traffic.path);
    if (!written || (isBesides(traffic) && somebodyWaits(view))) return;
    view.violated(
      this.name,
      `${traffic.method} ${traffic.path} ${JSON.stringify(traffic.body)?.slice(0, 1500)}`,
    );
  },
});

// ---------------------------------------------------------------------------------------------------

function isLease(path: string): boolean {
  return /\/leases(?:\/|$)/.test(path);
}

/** A pod for a place, or something that was deleted for those that hold it. */
function somebodyWaits({ kube }: Parameters<MakeCheck>[0]): boolean {
  const waits = kube.list('pods').some(({ spec, status }) => !spec.nodeName && status?.phase === 'Pending');
  return waits || kube.list('classes').some(({ metadata }) => metadata.deletionTimestamp !== undefined);
}
