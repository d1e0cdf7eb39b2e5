/**
 * Runs checks over inputs and makes a report of their judgements: a check whose inputs are missing is skipped and says which
 * input would help; one that fails itself is an error, and the others are judged all the same.
 */
import type { CheckContext, CheckPolicy, CheckRow } from './checks/check.ts';
import { type Estate, estateOfCheck, estatesOf } from './checks/estate.ts';
import { LIVE_CALLS } from './checks/live-calls.table.ts';
import { type FactName, type Facts, knownValues } from './facts/facts.ts';
import { gatherFacts } from './facts/gather.ts';
import { type InputProblem, type Inputs, inputKinds } from './inputs/inputs.ts';
import {
  type Finding,
  type InputKind,
  type Judgement,
  SEVERITIES,
  STATUSES,
  type Status,
} from './model/finding.ts';
import { comparePlaces, compareTexts } from './model/place.ts';
import { type NextAction, nextActionOf, type Phase, phasesOf } from './phases.ts';
import { type Score, scoreOf } from './score.ts';
import type { SmokeResult } from './smoke/smoke-result.ts';

export interface Report {
  readonly score: Score;
  readonly phases: readonly Phase[];
  /** What to do first; undefined when nothing fails or warns. */
  readonly nextAction?: NextAction;
  readonly findings: readonly Finding[];
  readonly problems: readonly InputProblem[];
  /** What the inputs are an installation on, where they tell it, and how many checks of others were left out. */
  readonly estate: { readonly clusters: readonly Estate[]; readonly leftOut: number };
  readonly inputs: { readonly kinds: readonly InputKind[]; readonly files: number };
  /** The smoke test that S-61 judged. */
  readonly smoke?: SmokeResult;
  /** How the findings compare with those of the baseline, where there is one. */
  readonly baseline?: { readonly known: number; readonly new: number; readonly gone: number };
  /** Of which installation, where the inputs agree on it. */
  readonly installation: {
    readonly clusterName?: string;
    readonly region?: string;
    readonly namespace?: string;
  };
}

export function judge(inputs: Inputs, checks: readonly CheckRow[], policy: CheckPolicy): Report {
  const kinds = inputKinds(inputs);
  const facts = gatherFacts(inputs);
  const context: CheckContext = { inputs, facts, policy };
  const fromFiles = contextOfFiles(context);
  const clusters = estatesOf(inputs);
  const applying = checks.filter((check) => {
    const own = estateOfCheck(check);
    return own === undefined || clusters.length === 0 || clusters.includes(own);
  });
  return {
    ...summaryOf(applying.flatMap((check) => findingsOf(check, context, kinds, fromFiles))),
    estate: { clusters, leftOut: checks.length - applying.length },
    problems: inputs.problems.toSorted((a, b) => comparePlaces(a.at, b.at)),
    inputs: { kinds: [...kinds], files: inputs.files.length },
    ...(inputs.smoke === undefined ? {} : { smoke: inputs.smoke }),
    installation: {
      ...agreed(facts, 'clusterName'),
      ...agreed(facts, 'region'),
      ...agreed(facts, 'namespace'),
    },
  };
}

/** The same report with other findings: score, phases and the next action are made again. */
export function withFindings({ nextAction: _, ...report }: Report, findings: readonly Finding[]): Report {
  return { ...report, ...summaryOf(findings) };
}

// ---------------------------------------------------------------------------------------------------------------

function summaryOf(
  findings: readonly Finding[],
): Pick<Report, 'score' | 'phases' | 'nextAction' | 'findings'> {
  const sorted = findings.toSorted(compareFindings);
  const phases = phasesOf(sorted);
  const nextAction = nextActionOf(sorted, phases);
  return {
    score: scoreOf(sorted),
    phases,
    ...(nextAction === undefined ? {} : { nextAction }),
    findings: sorted,
  };
}

function agreed<N extends FactName>(facts: Facts, name: N): { readonly [P in N]?: string } {
  const [value, ...others] = knownValues(facts.all(name));
  return (value === undefined || others.length > 0 ? {} : { [name]: value }) as { [P in N]?: string };
}

function findingsOf(
  check: CheckRow,
  context: CheckContext,
  kinds: ReadonlySet<InputKind>,
  fromFiles?: () => CheckContext,
): readonly Finding[] {
  const { id, title, severity, phase, docs } = check;
  const own = { id, title, severity, phase, docs };
  const unread = fromFiles === undefined ? undefined : unreadCall(id, context.inputs);
  if (unread !== undefined && fromFiles !== undefined) {
    const without = fromFiles();
    // What the files alone show to be wrong is wrong; that they are right is not what was asked.
    const wrong = findingsOf(check, without, inputKinds(without.inputs)).filter(
      ({ status }) => status === 'fail' || status === 'warn' || status === 'error',
    );
    if (wrong.length > 0) return wrong;
    const skipped = { status: 'skip', message: unread, unread: true, evidence: [], needs: [] } as const;
    return [{ ...own, ...skipped, fix: check.fix }];
  }
  const missing = missingInputs(check, kinds);
  if (missing.length > 0)
    return [
      {
        ...own,
        status: 'skip',
        message: 'its inputs are missing',
        evidence: [],
        needs: missing.flat(),
        missing,
        fix: check.fix,
      },
    ];
  const notRead = unreadKind(check, context.inputs);
  if (notRead !== undefined)
    return [{ ...own, status: 'skip', message: notRead, evidence: [], needs: [], fix: check.fix }];
  try {
    const judgements = check.judge(context);
    if (judgements.length === 0)
      return [{ ...own, status: 'skip', message: NOTHING, evidence: [], needs: [], fix: check.fix }];
    return judgements.map((judgement) => ({ ...own, needs: [], fix: check.fix, ...certain(judgement) }));
  } catch (error) {
    const message = `The check itself failed: ${error instanceof Error ? error.message : String(error)}`;
    return [{ ...own, status: 'error', message, evidence: [], needs: [], fix: check.fix }];
  }
}

/** Why a kind that the check needs was not read in the cluster: what it would say without it may be wrong. */
function unreadKind({ inputs, reads = [] }: CheckRow, { cluster }: Inputs): string | undefined {
  if (cluster === undefined || cluster.unread.length === 0) return undefined;
  const kinds = new Set([...inputs.flat().flatMap((input) => KINDS_OF_INPUT[input] ?? []), ...reads]);
  return cluster.unread.find(({ kind }) => kinds.has(kind))?.reason;
}

const KINDS_OF_INPUT: Readonly<Partial<Record<InputKind, readonly string[]>>> = {
  nodeClasses: ['EC2NodeClass', 'AKSNodeClass'],
  nodePools: ['NodePool'],
  values: ['Deployment', 'ServiceAccount'],
  workloads: ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'PodDisruptionBudget'],
};

/** Why a call of the account that the check needs has no answer. */
function unreadCall(id: string, { live }: Inputs): string | undefined {
  const action = LIVE_CALLS[id]?.find((each) => live?.unread.has(each));
  return action === undefined ? undefined : live?.unread.get(action);
}

/** The same without the live account; made once, when it is needed. */
function contextOfFiles({ inputs, policy }: CheckContext): () => CheckContext {
  let made: CheckContext | undefined;
  return () => {
    const { live: _, ...rest } = inputs;
    const files = { ...rest, resources: inputs.resources.filter(({ source }) => source !== 'live') };
    made ??= { inputs: files, facts: gatherFacts(files), policy };
    return made;
  };
}

/** What rests on a value that is not known is no pass, and no warning either; a failure needs other evidence. */
function certain(judgement: Judgement): Judgement {
  const { status, evidence } = judgement;
  const unknown = evidence.filter((each) => each.unknown === true).length;
  if (status === 'skip' || unknown === 0 || (status === 'fail' && unknown < evidence.length))
    return judgement;
  return { ...judgement, status: 'skip', message: 'A value is not known.', needs: ['plan', 'state'] };
}

/** Of inputs of which one is enough, all are named. */
function missingInputs(
  { inputs }: CheckRow,
  kinds: ReadonlySet<InputKind>,
): readonly (readonly InputKind[])[] {
  return inputs
    .map((input): readonly InputKind[] => (typeof input === 'string' ? [input] : input))
    .filter((choices) => !choices.some((choice) => kinds.has(choice)));
}

/** Silence is never a pass. */
const NOTHING = 'there is nothing that it is about';

const compareStatuses = (a: Status, b: Status) => STATUSES.indexOf(a) - STATUSES.indexOf(b);

function compareFindings(a: Finding, b: Finding): number {
  return (
    a.phase - b.phase ||
    compareStatuses(a.status, b.status) ||
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    compareTexts(a.id, b.id) ||
    compareTexts(a.object ?? '', b.object ?? '')
  );
}
