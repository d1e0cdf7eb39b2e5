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

export interface FlexCause extends Omit<Cause, 'recognise' | 'layer' | 'point' | 'evenIfWell'> {
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
  /** Also looked for in what the API server says of the node, and in the failure at hand. */
  readonly alsoInMessages?: boolean;
}

/** A row that is recognised by a line. */
export function logRow({ pattern, in: sources, groups = [], alsoInMessages, ...row }: LogRow): FlexCause {
  return {
    ...row,
    recognise: (evidence) => {
      for (const source of sources ?? (['kubelet', 'containerd'] as const)) {
        const line = lastLine(evidence.logs[source], pattern);
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
  const facts: Facts = { node: evidence.nodeName, ...match.facts };
  return {
    id: cause.id,
    title: filled(match.title ?? cause.title, facts),
    summary: filled(match.summary ?? cause.summary, facts),
    fix: filled(match.fix ?? cause.fix, facts),
    commands: (match.confirm ?? cause.confirm).map((command) => filled(command, facts)),
    seen: match.seen.map(({ where, what }) => ({ where, what })),
  };
}
