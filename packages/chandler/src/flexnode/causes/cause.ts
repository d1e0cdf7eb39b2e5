/**
 * The type of a cause on a flex node, which is matched against the evidence of the machine. This file decides which causes
 * explain a failure, and their order.
 */
import {
  type Cause,
  type Facts,
  filled,
  lastLine,
  type Match,
  type Specificity,
} from '../../causes/index.ts';
import type { FlexEvidence, LogSource } from './evidence.ts';

export interface FlexCause
  extends Omit<Cause, 'recognise' | 'layer' | 'point' | 'evenIfWell' | 'breaksNodes'> {
  readonly recognise: (evidence: FlexEvidence) => Match | undefined;
}

/** A cause that was found, its texts filled in. */
export interface FoundCause {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly fix: string;
  readonly commands: readonly string[];
  /** The line or state it was recognised by. */
  readonly seen: readonly { readonly where: string; readonly what: string }[];
}

/** The most specific causes first, in the order of the table, without causes that another match explains. */
export function findFlexCauses(causes: readonly FlexCause[], evidence: FlexEvidence): readonly FoundCause[] {
  const plain = withPlainQuotes(evidence);
  const found = causes.flatMap((cause) => {
    const match = cause.recognise(plain);
    return match === undefined ? [] : [{ cause, match }];
  });
  const ids = new Set(found.map(({ cause }) => cause.id));
  const onlyGeneral = found.every(({ cause }) => cause.specificity === 'general');
  return found
    .filter(({ cause }) => !(cause.explainedBy ?? []).some((id) => ids.has(id)))
    .filter(({ cause }) => onlyGeneral || cause.specificity !== 'general')
    .map((each, index) => ({ ...each, index }))
    .sort((one, other) => rank(one.cause) - rank(other.cause) || one.index - other.index)
    .map(({ cause, match }) => explanation(cause, match, evidence));
}

export interface LogRow extends Omit<FlexCause, 'recognise'> {
  readonly pattern: RegExp;
  readonly in?: readonly LogSource[];
  /** Names for the pattern's groups, in order. */
  readonly groups?: readonly string[];
  /** Lines that match the pattern but mean something else. */
  readonly except?: RegExp;
  /** Only lines about requests to the API server: not those about pods, images, probes and other servers. */
  readonly ofServer?: boolean;
  /** Only if containerd does not respond, or was restarted by systemd. */
  readonly ofRuntime?: boolean;
  /** Only if the node authenticates with a token of the Arc agent. */
  readonly ofToken?: boolean;
  /** Also looked for in what the API server says of the node, and in the failure at hand. */
  readonly alsoInMessages?: boolean;
}

/** A row that is recognised by a line. */
export function logRow(options: LogRow): FlexCause {
  const {
    pattern,
    in: sources,
    groups = [],
    except,
    ofServer,
    ofToken,
    ofRuntime,
    alsoInMessages,
    ...row
  } = options;
  return {
    ...row,
    recognise: (evidence) => {
      if (ofToken === true && evidence.usesCertificate === true) return undefined;
      if (ofRuntime === true && evidence.containerdStable === true) return undefined;
      for (const source of sources ?? (['kubelet', 'containerd'] as const)) {
        const log = withoutLines(
          evidence.logs[source],
          (line) =>
            except?.test(line) === true ||
            (ofServer === true && !isAboutServer(line, evidence.cluster?.host)),
        );
        const line = lastLine(log, pattern);
        if (line !== undefined) return matched(line, `journal of ${source}.service`, pattern, groups);
      }
      if (alsoInMessages !== true) return undefined;
      const words = [evidence.node?.message ?? '', evidence.failure?.message ?? ''].join('\n');
      const line = lastLine(words, pattern);
      return line === undefined ? undefined : matched(line, 'answer', pattern, groups);
    },
  };
}

/** A row that is recognised by a state. */
export function stateRow(
  row: Omit<FlexCause, 'recognise'>,
  state: (
    evidence: FlexEvidence,
  ) => { readonly where: string; readonly what: string; readonly facts?: Facts } | undefined,
): FlexCause {
  return {
    ...row,
    recognise: (evidence) => {
      const found = state(evidence);
      return found === undefined
        ? undefined
        : { facts: found.facts ?? {}, seen: [{ where: found.where, what: found.what }] };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Errors are printed as values of a field, their own quotes escaped; rows are written without. */
function withPlainQuotes(evidence: FlexEvidence): FlexEvidence {
  const plain = (log: string) => log.replaceAll('\\"', '"');
  return {
    ...evidence,
    logs: { kubelet: plain(evidence.logs.kubelet), containerd: plain(evidence.logs.containerd) },
  };
}

function withoutLines(log: string, isLeftOut: (line: string) => boolean): string {
  return log
    .split('\n')
    .filter((line) => !isLeftOut(line))
    .join('\n');
}

/** Fields of the kubelet's lines about a pod, one of its probes or its image. */
const ABOUT_POD = /\b(?:pod|pods|podUID|probeType|image|imageRef)="|"PullImage|\bErrImagePull\b/;
const URLS = /\bhttps?:\/\/(\[[^\]\s]{1,60}\]|[^/:"'\s]{1,253})/g;

/** Errors of the API server itself (`Unauthorized`) have no URL. */
function isAboutServer(line: string, host: string | undefined): boolean {
  if (ABOUT_POD.test(line)) return false;
  const hosts = [...line.matchAll(URLS)].map((url) => url[1]!.toLowerCase());
  return host === undefined || hosts.length === 0 || hosts.includes(host);
}

const RANKS: Readonly<Record<Specificity, number>> = { exact: 0, particular: 1, general: 2 };

function rank({ specificity }: FlexCause): number {
  return RANKS[specificity];
}

function matched(line: string, where: string, pattern: RegExp, groups: readonly string[]): Match {
  const found = pattern.exec(line) ?? [];
  const facts: Record<string, string> = { problem: line };
  groups.forEach((name, index) => {
    const value = found[index + 1];
    if (value !== undefined) facts[name] = value;
  });
  return { facts, seen: [{ where, what: line }] };
}

function explanation(cause: FlexCause, match: Match, evidence: FlexEvidence): FoundCause {
  const { cluster } = evidence;
  const facts: Facts = {
    node: evidence.nodeName,
    ...(cluster === undefined ? {} : { cluster: cluster.name, group: cluster.group }),
    ...match.facts,
  };
  return {
    id: cause.id,
    title: filled(match.title ?? cause.title, facts),
    summary: filled(match.summary ?? cause.summary, facts),
    fix: filled(match.fix ?? cause.fix, facts),
    commands: (match.confirm ?? cause.confirm).map((command) => filled(command, facts)),
    seen: match.seen.map(({ where, what }) => ({ where, what })),
  };
}
