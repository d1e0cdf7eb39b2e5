/** A value on its path from the configuration to an instance: where it was seen, and where it was lost. */
import type { Sighting, ValueEvidence } from './evidence.ts';

/** A source that could have named a value. */
export interface ConsideredSource {
  readonly source: string;
  readonly path: string;
  /** Empty: it names none. Undefined: it could not be read. */
  readonly value: string | undefined;
  /** New instances of the node class use it. */
  readonly wins: boolean;
}

export interface ValueLoss {
  readonly evidence: ValueEvidence;
  /** The last sighting before it. */
  readonly before: Sighting;
  readonly at: Sighting;
}

/** The first station where the value differs from the one before. A value that appears only later is not lost. */
export function firstLoss(evidence: ValueEvidence): ValueLoss | undefined {
  for (let index = 1; index < evidence.sightings.length; index++) {
    const before = evidence.sightings[index - 1]!;
    const at = evidence.sightings[index]!;
    if (before.value !== '' && before.value.toLowerCase() !== at.value.toLowerCase())
      return { evidence, before, at };
  }
  return undefined;
}
