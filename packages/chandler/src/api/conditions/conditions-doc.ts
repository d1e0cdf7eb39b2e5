/** Writes docs/conditions.md from the table of conditions. `npm run generate` puts it in place. */
import {
  CONDITIONS,
  type ConditionedKind,
  type ConditionRow,
  type ConditionTable,
} from './conditions.table.ts';

export function renderConditionsDoc(): string {
  const kinds = Object.entries(CONDITIONS) as [ConditionedKind, ConditionTable][];
  return `${[INTRODUCTION, ...kinds.map(([kind, table]) => renderKind(kind, table))].join('\n\n')}\n`;
}

// ---------------------------------------------------------------------------------------------

const INTRODUCTION = `<!-- Generated from packages/chandler/src/api/conditions/conditions.table.ts; change that, then run \`npm run generate\`. -->

# Conditions

What \`kubectl get … -o yaml\` shows under \`status.conditions\`, for every kind: which conditions there are,
the reasons they carry, and the moves they make. Controllers write them; where none runs, there are none.

The rules are the same everywhere:

- \`Ready\` and the conditions it depends on are there from the first look at the object, as Unknown with the
  reason \`AwaitingReconciliation\`, and as old as the object.
- \`lastTransitionTime\` moves only when the status does. So a condition that has been Unknown from the start
  carries the time of creation, whatever its reason says by now.
- Every change stamps \`observedGeneration\`. A condition that was True for an older generation does not count.
- \`Ready\` is True when all it depends on is True, False (\`UnhealthyDependents\`) when something is False, and
  Unknown (\`ReconcilingDependents\`) otherwise; the message lists what is missing.
- True carries the name of the condition as its reason, unless the table says otherwise.
- The oldest move comes first in the list, \`Ready\` last.`;

function renderKind(kind: ConditionedKind, table: ConditionTable): string {
  const lines = [
    `## ${kind}`,
    '',
    table.root === undefined
      ? 'No condition sums up the others; they are kept in the order in which they appeared.'
      : `\`${table.root}\` depends on ${names(table.rows.filter((row) => row.dependent))}.`,
    '',
    '| Condition | Meaning | Status and reasons | Moves |',
    '| --- | --- | --- | --- |',
    ...table.rows.map(renderRow),
  ];
  return lines.join('\n');
}

function names(rows: readonly ConditionRow[]): string {
  return rows.map((row) => `\`${row.type}\``).join(', ');
}

function renderRow(row: ConditionRow): string {
  return `| \`${row.type}\` | ${row.meaning} | ${renderReasons(row)} | ${renderMoves(row)} |`;
}

function renderReasons(row: ConditionRow): string {
  const statuses = (['True', 'False', 'Unknown'] as const).filter(
    (status) => row.reasons[status] !== undefined,
  );
  const parts = statuses.map((status) => {
    const reasons = row.reasons[status]!.map((reason) => `\`${reason}\``);
    const borrowed = row.borrowed?.[status];
    return `${status}: ${[...reasons, ...(borrowed === undefined ? [] : [borrowed])].join(', ')}`;
  });
  return parts.length > 0 ? parts.join('<br>') : 'none';
}

function renderMoves(row: ConditionRow): string {
  return row.moves.length > 0 ? row.moves.map((move) => move.replace('>', ' → ')).join('<br>') : 'none';
}
