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

What \`kubectl get … -o yaml\` shows under \`status.conditions\`, for every kind: the conditions, their
reasons and their transitions. The controllers set them.

The rules are the same everywhere:

- \`Ready\` and the conditions it depends on are set when the object is first reconciled, as Unknown with the
  reason \`AwaitingReconciliation\` and the creation time of the object.
- \`lastTransitionTime\` changes only when the status changes. A condition that has always been Unknown has the
  creation time of the object, even if its reason has changed.
- Every change sets \`observedGeneration\`. A condition that is True for an older generation is ignored.
- \`Ready\` is True if all conditions that it depends on are True, False (\`UnhealthyDependents\`) if one of them is
  False, and Unknown (\`ReconcilingDependents\`) otherwise. The message lists the conditions that are not True.
- The reason of a condition that is True is its name, unless the table lists another reason.
- Conditions are sorted by the time of their last transition; \`Ready\` is last.`;

function renderKind(kind: ConditionedKind, table: ConditionTable): string {
  const lines = [
    `## ${kind}`,
    '',
    table.root === undefined
      ? 'No condition depends on the others. They are listed in the order in which they were set.'
      : `\`${table.root}\` depends on ${names(table.rows.filter((row) => row.dependent))}.`,
    '',
    '| Condition | Meaning | Status and reasons | Transitions |',
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
