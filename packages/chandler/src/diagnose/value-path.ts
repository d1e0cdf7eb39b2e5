/**
 * The path of a value of one claim: every source that could have set it and which one won, every station up to the
 * instance where it was seen, and the first station at which it differs from the one before.
 */
import {
  type ConsideredSource,
  type EvidenceSet,
  firstLoss,
  redacted,
  type Sighting,
  type Unread,
  unreadText,
  type ValueLoss,
} from '../causes/index.ts';
import type { ValuePath } from '../cloud/index.ts';

import { timeText } from './text.ts';

export interface ValuePathReport {
  readonly name: string;
  readonly title: string;
  readonly claim: string;
  readonly sources: readonly ConsideredSource[];
  readonly stations: readonly Station[];
  readonly loss: ValueLoss | undefined;
  readonly unread: readonly Unread[];
}

export interface Station {
  readonly station: string;
  readonly meaning: string;
  /** Absent: it was not read. */
  readonly sighting: Sighting | undefined;
  /** Why it need not have the value. */
  readonly notNeeded: string | undefined;
}

/** The path, without secrets. */
export function valuePath(path: ValuePath, evidence: EvidenceSet, claim: string): ValuePathReport {
  const value = evidence.all('value').find((each) => each.claim === claim);
  return redacted({
    name: path.name,
    title: path.title,
    claim,
    sources: path.sources(evidence),
    stations: path.stations.map(({ station, meaning }) => ({
      station,
      meaning,
      sighting: value?.sightings.find((each) => each.station === station),
      notNeeded: path.notNeededAt(station, value),
    })),
    loss: value === undefined ? undefined : firstLoss(value),
    unread: evidence.unread.filter(({ kind }) => ABOUT_VALUE.has(kind)),
  });
}

export function valuePathText(path: ValuePathReport): string {
  const lines = [
    `${path.name} of nodeclaim/${path.claim}`,
    '',
    'Sources, highest precedence first:',
    ...path.sources.map(({ source, path, value, wins }) => {
      const shown = value === undefined ? 'not read' : value === '' ? 'not set' : value;
      return `  ${wins ? '*' : ' '} ${source.padEnd(10)}  ${path.padEnd(44)}  ${shown}`;
    }),
    '',
    'Seen on its path:',
    ...path.stations.map(({ station, meaning, sighting, notNeeded }) => {
      const mark = path.loss?.at.station === station ? '!' : ' ';
      const shown = sighting === undefined ? (notNeeded ?? 'not read') : shownSighting(sighting);
      return `  ${mark} ${station.padEnd(14)}  ${meaning.padEnd(38)}  ${shown}`;
    }),
    '',
    verdict(path),
    ...(path.unread.length === 0
      ? []
      : ['', 'Not read:', ...path.unread.map((each) => `  ${unreadText(each)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

export function valuePathJson({ loss, stations, title: _, ...path }: ValuePathReport): object {
  return {
    ...path,
    stations: stations.map(({ station, meaning, sighting }) => ({
      station,
      meaning,
      ...(sighting === undefined
        ? { seen: false }
        : {
            seen: true,
            value: sighting.value,
            ...(sighting.source === undefined ? {} : { source: sighting.source }),
            seenIn: sighting.seenIn,
            ...(sighting.atMs === undefined ? {} : { at: timeText(sighting.atMs) }),
          }),
    })),
    lostAt: loss === undefined ? null : { before: loss.before.station, at: loss.at.station },
  };
}

// ---------------------------------------------------------------------------------------------------

const ABOUT_VALUE: ReadonlySet<string> = new Set([
  'vm',
  'cluster',
  'options',
  'controller',
  'nodeClass',
  'nodeClaim',
]);

function shownSighting({ value, source, seenIn, atMs }: Sighting): string {
  const from = source === undefined ? '' : ` (${source})`;
  const when = atMs === undefined ? '' : `, ${timeText(atMs)}`;
  return `${value === '' ? 'none' : value}${from}; ${seenIn}${when}`;
}

function verdict({ loss, stations, title }: ValuePathReport): string {
  if (loss !== undefined)
    return `Lost at ${loss.at.station}: the value is ${loss.before.value} at ${loss.before.station} and ${loss.at.value === '' ? 'absent' : loss.at.value} at ${loss.at.station}.`;
  const seen = stations.flatMap(({ sighting }) => (sighting === undefined ? [] : [sighting]));
  if (seen.length === 0)
    return 'Nothing is known about its path: the NodeClaim has no launch record, and the cloud was not queried.';
  const last = seen.at(-1)!;
  if (last.value === '') return `No ${title} is configured, and ${last.station} has none.`;
  return `The value is unchanged up to ${last.station}.`;
}
