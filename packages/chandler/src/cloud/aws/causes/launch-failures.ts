/** Layer 4 on AWS: which row explains a refused launch. The rows are in the two tables. */
import { type Cause, type CloudErrorEvidence, type Match, seen } from '../../../causes/index.ts';

import { controllerFacts, errorText, hasCode, SHOW_CLAIM } from './aws-row.ts';
import { ACCESS_ROWS, CAPACITY_ROWS, type LaunchRow } from './launch-rows.table.ts';
import { REPAIR_ROWS } from './launch-rows-repair.table.ts';

/** Reasons that say no more than that it failed. */
const VAGUE: ReadonlySet<string> = new Set(['LaunchFailed', 'CreateInstanceFailed']);

export const LAUNCH_ROWS: readonly LaunchRow[] = [...ACCESS_ROWS, ...REPAIR_ROWS, ...CAPACITY_ROWS];

export const LAUNCH_FAILURES: readonly Cause[] = LAUNCH_ROWS.map((row) => ({
  id: `aws.${row.name}`,
  layer: row.layer ?? 'cloudApi',
  specificity: row.specificity ?? 'exact',
  title: row.title,
  symptom: symptomOf(row),
  summary: '{what}: {problem}',
  fix: row.fix,
  confirm: [SHOW_CLAIM, ...(row.confirm ?? [])],
  ...(row.explains === undefined ? {} : { explains: row.explains }),
  recognise: (evidence) => {
    const error = evidence.all('cloudError').find((each) => fits(row, each));
    if (error === undefined) return undefined;
    const match = matchOf(row, error);
    return { ...match, facts: { ...controllerFacts(evidence), ...match.facts } };
  },
}));

/** Whether the row explains a text of AWS that was classified with this reason. */
export function fitsText(row: LaunchRow, reason: string, text: string): boolean {
  const { reasons, codes = [], says } = row;
  if (codes.some((code) => hasCode(text, code))) return true;
  if (!reasons.includes(reason)) return false;
  // After a reason that says nothing, only the words decide.
  return says === undefined ? codes.length === 0 || !VAGUE.has(reason) : says.test(text);
}

// ---------------------------------------------------------------------------------------------------------------

function symptomOf({ reasons, codes = [] }: LaunchRow): string {
  const named = reasons.filter((reason) => !VAGUE.has(reason));
  if (named.length > 0) return `A launch fails with the reason ${named.join(' or ')}.`;
  return codes.length > 0 ? `A launch fails with ${codes.join(' or ')} of EC2.` : 'A launch fails.';
}

function fits(row: LaunchRow, { reason, code, message }: CloudErrorEvidence): boolean {
  return fitsText(row, reason, code === undefined ? message : `${message} (${code})`);
}

function matchOf(row: LaunchRow, error: CloudErrorEvidence): Match {
  const { claim, reason, code, message } = error;
  const parts = Object.entries(row.facts ?? {}).flatMap(([name, pattern]) => {
    const value = pattern.exec(message)?.[1];
    return value === undefined ? [] : [[name, value] as const];
  });
  const where = soldOut(message);
  const title = row.name === 'sold-out' && where !== '' ? `${row.title} (${where})` : row.title;
  return {
    title,
    facts: {
      claim,
      reason,
      what: claim === '' ? title : `${title} (${claim})`,
      problem: message,
      ...(code === undefined ? {} : { code }),
      ...Object.fromEntries(parts),
    },
    seen: [seen(error, errorText(error))],
  };
}

const MAX_NAMED = 6;

/** `m5.large in eu-west-1a, c5.large in eu-west-1b`, as EC2's sentences name them. */
function soldOut(message: string): string {
  const found = [
    ...message.matchAll(
      /sufficient ([a-z0-9-]+\.[a-z0-9-]+) capacity in the Availability Zone you requested \(([\w-]+)\)/g,
    ),
  ].map(([, type, zone]) => `${type} in ${zone}`);
  const named = [...new Set(found)];
  const rest = named.length > MAX_NAMED ? `, and ${named.length - MAX_NAMED} more` : '';
  return `${named.slice(0, MAX_NAMED).join(', ')}${rest}`;
}
