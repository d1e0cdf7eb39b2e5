/**
 * The way of the disk encryption set of one claim: every source that could have named it and which won, every station
 * where it was seen up to the VM that Azure shows, and the first at which it is not what it was before.
 */
import {
  type EvidenceSet,
  firstLoss,
  type Sighting,
  type Unread,
  unreadText,
  VALUE_STATIONS,
  type ValueLoss,
  type ValueStation,
} from '../causes/index.ts';
import { DES_OPTION } from './evidence/values.ts';
import { timeText } from './text.ts';

export interface ValueWay {
  readonly name: 'diskEncryptionSetID';
  readonly claim: string;
  readonly sources: readonly ConsideredSource[];
  readonly stations: readonly Station[];
  readonly loss: ValueLoss | undefined;
  readonly unread: readonly Unread[];
}

export interface ConsideredSource {
  readonly source: string;
  readonly path: string;
  /** Empty: it names none. Undefined: it could not be seen. */
  readonly value: string | undefined;
  /** What new machines of the class use now. */
  readonly wins: boolean;
}

export interface Station {
  readonly station: ValueStation;
  readonly meaning: string;
  /** Absent: nobody looked. */
  readonly sighting: Sighting | undefined;
}

export function valueWay(evidence: EvidenceSet, claim: string): ValueWay {
  const value = evidence.all('value').find((each) => each.claim === claim);
  return {
    name: 'diskEncryptionSetID',
    claim,
    sources: sourcesOf(evidence),
    stations: VALUE_STATIONS.map((station) => ({
      station,
      meaning: MEANINGS[station],
      sighting: value?.sightings.find((each) => each.station === station),
    })),
    loss: value === undefined ? undefined : firstLoss(value),
    unread: evidence.unread.filter(({ kind }) => ABOUT_VALUE.has(kind)),
  };
}

export function valueWayText(way: ValueWay): string {
  const lines = [
    `diskEncryptionSetID of nodeclaim/${way.claim}`,
    '',
    'Sources, the strongest first:',
    ...way.sources.map(({ source, path, value, wins }) => {
      const shown = value === undefined ? 'not seen' : value === '' ? 'not set' : value;
      return `  ${wins ? '*' : ' '} ${source.padEnd(10)}  ${path.padEnd(44)}  ${shown}`;
    }),
    '',
    'Seen on its way:',
    ...way.stations.map(({ station, meaning, sighting }) => {
      const mark = way.loss?.at.station === station ? '!' : ' ';
      const shown = sighting === undefined ? unseenText(way, station) : shownSighting(sighting);
      return `  ${mark} ${station.padEnd(14)}  ${meaning.padEnd(38)}  ${shown}`;
    }),
    '',
    verdict(way),
    ...(way.unread.length === 0
      ? []
      : ['', 'Not read:', ...way.unread.map((each) => `  ${unreadText(each)}`)]),
  ];
  return `${lines.join('\n')}\n`;
}

export function valueWayJson({ loss, stations, ...way }: ValueWay): object {
  return {
    ...way,
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

const MEANINGS: Readonly<Record<ValueStation, string>> = {
  configured: 'what was asked for',
  options: 'options of the launch',
  nodeClass: 'resolved for the NodeClass',
  launchTemplate: 'launch template',
  plan: 'plan of the machine',
  vmObject: 'VM object',
  vmRequest: 'request to Azure',
  vm: 'VM that Azure shows',
};

const ABOUT_VALUE: ReadonlySet<string> = new Set([
  'vm',
  'cluster',
  'options',
  'controller',
  'nodeClass',
  'nodeClaim',
]);

const OPTION_SOURCES = ['flag', 'env', 'settings'];

/** The class says which source won; of the others is known what can be seen of them. */
function sourcesOf(evidence: EvidenceSet): readonly ConsideredSource[] {
  const nodeClass = evidence.all('nodeClass').find(({ found }) => found);
  const chosen = nodeClass?.diskEncryptionSet;
  const option = evidence.first('options')?.values[DES_OPTION];
  const cluster = evidence.first('cluster');
  const wonBy = (...sources: readonly string[]) => chosen !== undefined && sources.includes(chosen.source);
  const optionWins = wonBy(...OPTION_SOURCES);
  return [
    {
      source: 'NodeClass',
      path: 'spec.osDiskDiskEncryptionSetID',
      value: wonBy('NodeClass') ? chosen!.id : nodeClass === undefined ? undefined : '',
      wins: wonBy('NodeClass'),
    },
    {
      source: optionWins
        ? chosen!.source
        : option?.source === undefined
          ? 'option'
          : sourceWord(option.source),
      path: option?.path || 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
      value: option?.value ?? (optionWins ? chosen!.id : undefined),
      wins: optionWins,
    },
    {
      source: 'cluster',
      path: 'properties.diskEncryptionSetID',
      value:
        cluster === undefined
          ? wonBy('cluster')
            ? chosen!.id
            : undefined
          : (cluster.diskEncryptionSetId ?? ''),
      wins: wonBy('cluster'),
    },
  ];
}

function sourceWord(source: string): string {
  return source === 'hardcoded' ? 'option' : source;
}

function shownSighting({ value, source, seenIn, atMs }: Sighting): string {
  const from = source === undefined ? '' : ` (${source})`;
  const when = atMs === undefined ? '' : `, ${timeText(atMs)}`;
  return `${value === '' ? 'none' : value}${from}; ${seenIn}${when}`;
}

/** Options do not have what a node class names, and need not. */
function unseenText({ stations }: ValueWay, station: ValueStation): string {
  const resolved = stations.find((each) => each.station === 'nodeClass')?.sighting;
  const beside =
    station === 'options' && (resolved?.source === 'NodeClass' || resolved?.source === 'cluster');
  return beside ? `not needed: it comes from the ${resolved.source}` : 'nobody looked';
}

function verdict({ loss, stations }: ValueWay): string {
  if (loss !== undefined)
    return `Lost at ${loss.at.station}: it was ${loss.before.value} at ${loss.before.station}, and is ${loss.at.value === '' ? 'none' : loss.at.value} there.`;
  const seen = stations.flatMap(({ sighting }) => (sighting === undefined ? [] : [sighting]));
  if (seen.length === 0)
    return 'Nothing is known about its way: the claim keeps no journey, and Azure was not asked.';
  const last = seen.at(-1)!;
  if (last.value === '') return `No disk encryption set was named; at ${last.station} there is none.`;
  return `Handed on unchanged up to ${last.station}.`;
}
