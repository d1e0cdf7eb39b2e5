/**
 * In a quiet world nothing is written: leases are renewed, and who waits in vain is told so again. And nothing fails: what
 * still does without any trouble around will do so for ever.
 */
import {
  type Check,
  changesAzure,
  conditionOf,
  isBesides,
  isWrite,
  type MakeCheck,
  type Traffic,
  type View,
} from './check.ts';

export const nothingIsWrittenInQuiet: MakeCheck = (view): Check => ({
  name: 'nothing is written in a quiet world',
  onSend(traffic) {
    if (view.phase !== 'quiet') return;
    const written =
      traffic.server === 'arm' ? changesAzure(traffic) : isWrite(traffic) && !isLease(traffic.path);
    if (!written || (isBesides(traffic) && somebodyWaits(view)) || isFirstLook(view, traffic)) return;
    view.violated(
      this.name,
      `${traffic.method} ${traffic.path} ${JSON.stringify(traffic.body)?.slice(0, 1500)}`,
    );
  },
});

export const nothingFailsInQuiet: MakeCheck = (view): Check => {
  const { lines } = view.servers.world;
  let from: number | undefined;
  return {
    name: 'nothing fails in a quiet world',
    sometimes() {
      if (view.phase !== 'quiet') return;
      // What was on its way when the quiet began may still fail.
      from ??= lines.length;
      for (; from < lines.length; from++) {
        const { level, message, fields } = lines[from]!;
        if (level === 'error') view.violated(this.name, `${message} ${textOf(fields)}`);
      }
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function textOf({ controller, name, error, ...rest }: Readonly<Record<string, unknown>>): string {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : error;
  return JSON.stringify({ controller, name, why, ...('process' in rest ? {} : rest) }).slice(0, 400);
}

const LOOKED = 'ConsistentStateFound';

function isLease(path: string): boolean {
  return /\/leases(?:\/|$)/.test(path);
}

/** Ten minutes after its claim a node is compared with what was bought, and that is written once. */
function isFirstLook({ kube }: View, { path, body }: Traffic): boolean {
  const [, name] = /\/nodeclaims\/([^/]+)\/status$/.exec(path) ?? [];
  const claim = name === undefined ? undefined : kube.get('claims', name);
  if (claim === undefined || conditionOf(claim, LOOKED) !== undefined) return false;
  const types = (body?.status?.conditions ?? []).map(({ type }: { type: string }) => type);
  return types.length === (claim.status?.conditions ?? []).length + 1 && types.includes(LOOKED);
}

/** A pod for a place, or something that was deleted for those that hold it. */
function somebodyWaits({ kube }: View): boolean {
  const waits = kube.list('pods').some(({ spec, status }) => !spec.nodeName && status?.phase === 'Pending');
  return waits || kube.list('classes').some(({ metadata }) => metadata.deletionTimestamp !== undefined);
}
