/**
 * The table of causes for failed provisioning: one row for each exit code, one for each way in which a code misleads,
 * and two for what has no name. The failure is read from every source: the extension, the operation's error,
 * the serial log, the journey or the condition of the claim.
 */
import {
  type Cause,
  type CauseTable,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type Match,
  type Reading,
  type Seen,
  seen,
  withoutLogSecrets,
} from '../../causes/index.ts';
import type { CseGroup } from './codes.table.ts';
import { type CseDescription, confirmOf, describeCseFailure } from './describe.ts';
import { NO_CODE_HINT, UNKNOWN_HINT } from './hints.table.ts';
import { MISLEADING } from './misleading.table.ts';
import { allCodes, type CseOs, hintOf } from './name-code.ts';
import { type CseFailure, parseConsoleFailure, parseCseFailure, parseOwnMessage } from './parse.ts';

/** A failure in the evidence, with its meaning. */
export interface ReportedFailure {
  readonly claim: string;
  readonly failure: CseFailure;
  readonly description: CseDescription;
  readonly seen: Seen;
}

/** All of them, the best witness of each claim. Worked out once for a set of evidence. */
export function reportedFailures(evidence: EvidenceSet): readonly ReportedFailure[] {
  const known = CACHE.get(evidence);
  if (known !== undefined) return known;
  const failures = readFailures(evidence);
  CACHE.set(evidence, failures);
  return failures;
}

const CACHE = new WeakMap<EvidenceSet, readonly ReportedFailure[]>();

const KNOWN: Readonly<Record<CseOs, ReadonlySet<number>>> = {
  linux: new Set(allCodes('linux').map(([code]) => code)),
  windows: new Set(allCodes('windows').map(([code]) => code)),
};

/** Groups of codes that are a case of a failure point of layer 5. */
const POINTS: Readonly<Partial<Record<CseGroup, string>>> = {
  egress: 'L5.5',
  apiServer: 'L5.5',
  dns: 'L5.5',
  network: 'L5.5',
  tlsBootstrap: 'L5.4',
};

/** When the log of a claim shows better, its code is not the point. */
const MISLEADING_IDS: ReadonlySet<string> = new Set(MISLEADING.map(({ id }) => id));

const CODE_ROWS: readonly Cause[] = (['linux', 'windows'] as const).flatMap((os) =>
  [...Map.groupBy(allCodes(os), ([code]) => code)].map(([code, rows]) => codeRow(code, os, rows.at(-1)!)),
);

export const CSE_CAUSES: CauseTable = {
  name: 'provisioning of AKS nodes',
  about:
    'exit codes of the custom script extension and of cloud-init; [cse-codes.md](cse-codes.md) has all names and dates.',
  brief: ({ id }) => /^cse\.(?:windows\.)?\d+$/.test(id),
  causes: [
    ...MISLEADING.filter(({ sameAs }) => sameAs === undefined).map(misleadingCause),
    ...CODE_ROWS,
    {
      id: 'cse.unknown-code',
      layer: 'bootstrap',
      specificity: 'particular',
      title: 'The provisioning of the node failed with an unknown code',
      symptom: 'CSEProvisioned is False with a code that has no name.',
      summary: 'The provisioning of {claim} failed with code {code}.',
      fix: UNKNOWN_HINT.hint,
      confirm: UNKNOWN_HINT.confirm,
      recognise: (evidence) => {
        const failures = reportedFailures(evidence).find(
          ({ failure: { exitCode, os } }) => exitCode !== undefined && !KNOWN[os].has(exitCode),
        );
        return failures === undefined ? undefined : matchOf(failures, evidence);
      },
    },
    {
      id: 'cse.no-code',
      layer: 'bootstrap',
      specificity: 'particular',
      title: 'The provisioning of the node failed without a code',
      symptom: 'The extension failed or timed out, and no exit code was reported.',
      summary: 'The extension of {claim} did not report the exit code of its script.',
      fix: NO_CODE_HINT.hint,
      confirm: NO_CODE_HINT.confirm,
      recognise: (evidence) => {
        const failures = reportedFailures(evidence).find(({ failure }) => failure.exitCode === undefined);
        return failures === undefined ? undefined : matchOf(failures, evidence);
      },
    },
  ],
};

// ---------------------------------------------------------------------------------------------------

function codeRow(code: number, os: CseOs, row: ReturnType<typeof allCodes>[number]): Cause {
  const [, constant, , , group, , meaning] = row;
  const point = POINTS[group];
  const hint = hintOf(group, constant);
  return {
    id: os === 'windows' ? `cse.windows.${code}` : `cse.${code}`,
    layer: 'bootstrap',
    specificity: group === 'script' ? 'particular' : 'exact',
    ...(point === undefined ? {} : { point }),
    title: `Provisioning failed with code ${code}${constant === '' ? '' : ` (${constant})`}${os === 'windows' ? ' on Windows' : ''}`,
    symptom: `The extension or cloud-init reports exit code ${code}.`,
    summary: `The provisioning of {claim} failed: ${meaning}.`,
    fix: hint.hint,
    confirm: hint.confirm,
    recognise: (evidence) => {
      const failures = reportedFailures(evidence).find(
        ({ failure, description }) =>
          failure.exitCode === code &&
          failure.os === os &&
          !MISLEADING_IDS.has(description.misleading?.id ?? ''),
      );
      return failures === undefined ? undefined : matchOf(failures, evidence);
    },
  };
}

/** Rows that find the same thing by different signs are one cause. */
function misleadingCause({ id, really, because, hint, look, os }: (typeof MISLEADING)[number]): Cause {
  const same = new Set(MISLEADING.filter((row) => row.id === id || row.sameAs === id).map((row) => row.id));
  return {
    id: `cse.really.${id}`,
    layer: 'bootstrap',
    specificity: 'exact',
    title: `The exit code is misleading: ${really}`,
    symptom: `Provisioning failed. ${because.charAt(0).toUpperCase()}${because.slice(1)}.`,
    summary: 'The provisioning of {claim} failed with code {code}, but the actual cause is: {problem}.',
    fix: hint,
    confirm: confirmOf({ look, os }),
    recognise: (evidence) => {
      const failures = reportedFailures(evidence).find(({ description }) =>
        same.has(description.misleading?.id ?? ''),
      );
      if (failures === undefined) return undefined;
      const { code, misleading, line } = failures.description;
      const problem = `${misleading!.really}; ${misleading!.because}`;
      const { title: _, ...match } = matchOf(failures, evidence);
      const summary = `The provisioning of ${failures.claim} failed with code ${code}, but the actual cause is: ${problem}.`;
      return { ...match, facts: { ...match.facts, problem }, summary: withQuote(summary, line) };
    },
  };
}

function matchOf({ claim, failure, description, seen }: ReportedFailure, evidence: EvidenceSet): Match {
  const { code, constant, ambiguous, summary, hint, confirm, page } = description;
  const { validity, lastCommand, misleading, line } = description;
  const names = ambiguous?.map((name) => name.constant || 'no name').join(' or ') ?? constant;
  const ended =
    code === undefined
      ? 'without an exit code'
      : `with code ${code}${names === undefined ? '' : ` (${names})`}`;
  const facts = {
    claim,
    code: String(code ?? ''),
    ...(constant === undefined ? {} : { constant }),
    ...(failure.outerCode === undefined ? {} : { outerCode: String(failure.outerCode) }),
    ...(lastCommand === undefined ? {} : { lastCommand }),
    ...(line === undefined ? {} : { line }),
  };
  const stopped = misleading?.id === 'stopped-at' ? `; ${misleading.really}` : '';
  const doubt =
    validity !== '' && (ambiguous !== undefined || constant === undefined) ? ` (${validity})` : '';
  return {
    facts,
    seen: [seen],
    title: `Provisioning of the node failed ${ended}`,
    summary: withQuote(`The provisioning of ${claim} failed: ${summary}${stopped}${doubt}.`, line),
    fix: page === undefined ? hint : `${hint} See ${page}`,
    confirm: machineIsGone(evidence, claim) ? [DESCRIBE, MACHINE_GONE, ...confirm] : confirm,
  };
}

/** With the line of the log that decided it, which is filled in from the facts. */
function withQuote(sentence: string, line: string | undefined): string {
  return line === undefined ? sentence : `${sentence} The log says: {line}`;
}

const DESCRIBE = 'kubectl describe nodeclaim {claim}';
const MACHINE_GONE =
  '# a failed VM is deleted immediately; with KEEP_FAILED_VM=true the next one is kept, and then:';

/** The NodeClaim reports a failure, and its VM is not visible. */
function machineIsGone(evidence: EvidenceSet, name: string): boolean {
  const claim = evidence.all('nodeClaim').find((each) => each.name === name);
  if (claim === undefined || conditionOf(claim, 'CSEProvisioned')?.status !== 'False') return false;
  return !evidence.all('vm').some((vm) => vm.claim === name && vm.found);
}

interface Witness {
  readonly claim: string;
  readonly text: string;
  readonly reading: Reading;
  readonly imageId: string | undefined;
  readonly parse: (text: string) => CseFailure | undefined;
}

/** The best witness of a claim first; a claim that registered was provisioned, whatever its log says. */
function readFailures(evidence: EvidenceSet): readonly ReportedFailure[] {
  const joined = new Set(
    evidence
      .all('nodeClaim')
      .filter((claim) => isTrue(claim, 'Registered'))
      .map(({ name }) => name),
  );
  const failures = new Map<string, ReportedFailure>();
  for (const witness of witnesses(evidence)) {
    if (joined.has(witness.claim)) continue;
    const failure = witness.parse(witness.text);
    const before = failures.get(witness.claim);
    if (failure === undefined || (before !== undefined && before.failure.exitCode !== undefined)) continue;
    const imageId =
      witness.imageId ?? evidence.all('nodeClaim').find(({ name }) => name === witness.claim)?.imageId;
    const { claim } = witness;
    const kept = failure.form === 'ownMessage' ? keptLog(evidence, claim) : undefined;
    const said = [failure.output, failure.error, failure.stderr].filter((text) => text !== '').join('\n');
    const what = kept ?? said;
    failures.set(claim, {
      claim,
      failure,
      description: describeCseFailure(failure, { imageId }),
      seen: seen(witness, what === '' ? withoutLogSecrets(witness.text).slice(0, 1000) : what),
    });
  }
  return [...failures.values()].sort((one, other) => (one.claim < other.claim ? -1 : 1));
}

/** What the script printed last, if the VM that printed it is gone. */
function keptLog(evidence: EvidenceSet, name: string): string | undefined {
  return evidence.all('journey').find(({ claim }) => claim === name)?.bootstrapLog;
}

function witnesses(evidence: EvidenceSet): readonly Witness[] {
  return [
    ...evidence
      .all('extension')
      .filter(({ state }) => state === 'failed')
      .map(({ claim, message, imageId, reading }) => witness(claim, message, reading, imageId)),
    ...evidence
      .all('cloudError')
      .filter(({ reason }) => reason === 'ExtensionFailed')
      .map(({ claim, code = '', message, reading }) => witness(claim, `${code}\n${message}`, reading)),
    ...evidence.all('serialLog').map(({ claim, text, imageId, reading }) => ({
      ...witness(claim, text, reading, imageId),
      parse: parseConsoleFailure,
    })),
    ...evidence
      .all('journey')
      .flatMap(({ claim, stages, reading }) =>
        stages
          .filter(({ name, outcome }) => name === 'extension' && outcome === 'failed')
          .map(({ message = '' }) => witness(claim, message, reading)),
      ),
    ...evidence.all('nodeClaim').flatMap((claim) => {
      const condition = conditionOf(claim, 'CSEProvisioned');
      return condition?.status === 'False'
        ? [witness(claim.name, condition.message ?? '', claim.reading, claim.imageId)]
        : [];
    }),
  ];
}

function witness(claim: string, text: string, reading: Reading, imageId?: string): Witness {
  return { claim, text, reading, imageId, parse: parseMessage };
}

function parseMessage(text: string): CseFailure | undefined {
  return parseOwnMessage(text) ?? parseCseFailure(text);
}
