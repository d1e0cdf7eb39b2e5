/** From which zones an answer of ARC says that the cluster is shifted away. An answer that does not say it for sure is none. */
import { AwsError, BAD_ANSWER } from '../errors/index.ts';
import type { GetManagedResourceOutput } from '../wire/index.ts';

/** When each shift ends, since the epoch, by ID of the zone. */
export type ShiftedZones = ReadonlyMap<string, number>;

/**
 * Those that apply: of a person, of a practice run, or of AWS itself (an autoshift has no end of its own).
 * What ARC says holds until the next answer, also when our clock is ahead of its own.
 * @throws {AwsError} BAD_ANSWER
 */
export function shiftedZones(answer: GetManagedResourceOutput, arn: string, nowMs: number): ShiftedZones {
  if (answer.arn !== undefined && answer.arn !== arn) throw bad(`it is about ${String(answer.arn)}`);
  if (!Array.isArray(answer.zonalShifts)) throw bad('it has no list zonalShifts');
  if (answer.autoshifts !== undefined && answer.autoshifts !== null && !Array.isArray(answer.autoshifts))
    throw bad('autoshifts is no list');
  const zones = new Map<string, number>();
  const add = (shift: Shift, endMs: number) => {
    const { awayFrom, appliedStatus } = shift;
    if (typeof awayFrom !== 'string' || awayFrom === '') throw bad('a shift names no zone');
    if (!STATUSES.has(String(appliedStatus)))
      throw bad(`a shift has the status ${String(appliedStatus).slice(0, 40)}`);
    if (appliedStatus !== 'APPLIED') return;
    zones.set(awayFrom, Math.max(endMs, nowMs + HELD_MS, zones.get(awayFrom) ?? 0));
  };
  for (const shift of answer.zonalShifts as readonly (TimedShift | null)[]) {
    const expiryTime = shift?.expiryTime;
    if (typeof expiryTime !== 'number' || !(expiryTime > 0)) throw bad('a shift has no time of expiry');
    add(shift!, expiryTime * 1000);
  }
  for (const shift of (answer.autoshifts ?? []) as readonly (Shift | null)[])
    add(shift ?? {}, Number.POSITIVE_INFINITY);
  return zones;
}

// ---------------------------------------------------------------------------------------------------------------

type TimedShift = NonNullable<GetManagedResourceOutput['zonalShifts']>[number];
type Shift = Pick<TimedShift, 'awayFrom' | 'appliedStatus'>;

/** Two reads. */
const HELD_MS = 60_000;

const STATUSES: ReadonlySet<string> = new Set(['APPLIED', 'NOT_APPLIED']);

function bad(what: string): AwsError {
  return new AwsError({
    code: BAD_ANSWER,
    message: `arc-zonal-shift:GetManagedResource: the answer is not usable: ${what}`,
  });
}
