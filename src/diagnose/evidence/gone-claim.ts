/** A claim that is gone, by what it left: events on itself and on its pool. Tells whether there was anything. */
import { NODE_POOLS } from '../../kube/index.ts';
import { listOr } from '../reader/reader.ts';
import { type Subject, subjectText } from '../subject.ts';
import type { Ask } from './ask.ts';
import { claimErrors, readPoolErrors } from './cloud-errors.ts';
import { readCseEvents } from './cse-events.ts';
import { type ReadEvent, readEvents } from './events.ts';

const LATELY_MS = 24 * 3600_000;

export async function goneClaim(ask: Ask, subject: Subject): Promise<boolean> {
  const { ledger, reader } = ask;
  const events = await readEvents(ask, { kind: 'NodeClaim', name: subject.name });
  const pool = poolOfName(
    subject.name,
    listOr(await reader.list(NODE_POOLS)).map(({ metadata }) => metadata.name ?? ''),
  );
  const onPool = pool === undefined ? [] : await readEvents(ask, { kind: 'NodePool', name: pool });
  const about = onPool.filter(isAbout(subject.name));
  if (events.length + about.length === 0) return false;
  ledger.add({
    kind: 'question',
    reading: ledger.reading(subjectText(subject)),
    subject: subjectText(subject),
    expectsDiskEncryptionSet: false,
  });
  ledger.missed('nodeClaim', `NodeClaim ${subject.name}`, {
    why: 'notFound',
    message: 'it is gone; this is what it left in events',
  });
  claimErrors(ask, subject.name, events);
  await readCseEvents(ask, [...about, ...events], ledger.atMs - LATELY_MS);
  if (pool !== undefined && ledger.evidence().first('cloudError') === undefined)
    readPoolErrors(ask, pool, about, ledger.atMs - LATELY_MS);
  return true;
}

/** Claims are named after their pool. */
export function poolOfName(claim: string, pools: readonly string[]): string | undefined {
  return pools
    .filter((pool) => claim.startsWith(`${pool}-`))
    .sort((one, other) => other.length - one.length)[0];
}

// ---------------------------------------------------------------------------------------------------

/** `NodeClaim x event: …` and `NodeClaim x: …`. */
function isAbout(claim: string): (event: ReadEvent) => boolean {
  return ({ message }) =>
    message.startsWith(`NodeClaim ${claim} `) || message.startsWith(`NodeClaim ${claim}:`);
}
