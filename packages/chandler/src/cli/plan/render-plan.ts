/** A report of `chandler plan` as text for a terminal. */
import { escapeStrings } from '../../causes/index.ts';
import { ownerText } from '../../disruption/index.ts';
import { columns } from '../simulate/render-table.ts';
import { count, money } from '../simulate/words.ts';
import { isUnmanaged, type PlanReport, type ReportedBudget, type ReportedCommand } from './plan-report.ts';

export function renderPlan(given: PlanReport, { color }: { readonly color: boolean }): string {
  const report = escapeStrings(given);
  const bold = (text: string) => (color ? `\u001b[1m${text}\u001b[22m` : text);
  const sections = [
    [bold(headline(report))],
    section(
      bold('Frozen'),
      report.freezes.map(({ text }) => text),
    ),
    section(bold('Commands'), report.commands.flatMap(commandLines)),
    section(bold('Nodes that stay'), stayingLines(report)),
    section(bold('Budgets that allow no disruption'), report.budgets.filter(isWorthTelling).map(budgetLine)),
    section(bold('Notes'), [...unmanagedLine(report), ...report.notes]),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

// ---------------------------------------------------------------------------------------------------------------

/** Longer lists of keeps are cut: JSON has them all. */
const MAX_KEEPS = 4;

function headline({ summary }: PlanReport): string {
  const { nodes, removed, launched, podsMoved, pricePerHour, priceAfterPerHour, savingPerMonth } = summary;
  if (removed === 0) return `Nothing to disrupt: ${count(nodes, 'node')} for ${money(pricePerHour)}/h`;
  return (
    `${removed} of ${count(nodes, 'node')} would be removed, ${launched} launched, ${count(podsMoved, 'pod')} moved: ` +
    `${money(priceAfterPerHour)}/h instead of ${money(pricePerHour)}/h, ${savingText(savingPerMonth)}`
  );
}

function savingText(perMonth: number): string {
  if (perMonth === 0) return 'at the same price';
  return perMonth > 0
    ? `which saves ${money(perMonth)} a month`
    : `which costs ${money(-perMonth)} more a month`;
}

function commandLines(command: ReportedCommand): string[] {
  const { reason, text, candidates, replacements, destinations, savingPerMonth, podsMoved, approvals } =
    command;
  const { surges = [] } = command;
  const removed = candidates.map(
    ({ name, instanceType, capacityType, price }) =>
      `${name} (${[instanceType, capacityType].filter(Boolean).join(', ')}, ${money(price)}/h)`,
  );
  return [
    `${reason}: ${text}`,
    `  removes   ${removed.join(', ')}`,
    ...replacements.map(({ cheapest, nodePool, instanceTypes, pods }) => {
      const others = instanceTypes.length - 1;
      const choice = others > 0 ? ` or one of ${count(others, 'other type')}` : '';
      const { instanceType, capacityType, zone, price } = cheapest;
      const what = [instanceType, capacityType, zone].filter(Boolean).join(', ');
      return `  launches  ${what}${choice} in NodePool ${nodePool}, ${money(price)}/h, for ${count(pods.length, 'pod')}`;
    }),
    ...destinations.map(({ node, pods }) => `  moves     ${count(pods.length, 'pod')} to ${node}`),
    ...(surges.length === 0 ? [] : [`  rolls     ${surges.map(ownerText).join(', ')}`]),
    `  ${savingPerMonth >= 0 ? 'saves    ' : 'costs    '} ${money(Math.abs(savingPerMonth))} a month, ${count(podsMoved, 'pod')} moved`,
    ...approvals.map((approval) => `  approved  ${approval}`),
  ];
}

function unmanagedLine({ summary }: PlanReport): string[] {
  const { unmanaged } = summary;
  if (unmanaged === 0) return [];
  return [`${count(unmanaged, 'node')} without a NodeClaim ${unmanaged === 1 ? 'is' : 'are'} left alone.`];
}

function stayingLines({ nodes }: PlanReport): string[] {
  const rows = nodes
    .filter((node) => node.command === undefined && !isUnmanaged(node))
    .flatMap(({ name, nodePool, instanceType, price, pods, keeps }) => {
      const shown = keeps.slice(0, MAX_KEEPS).map(({ text }) => text);
      const more = keeps.length - shown.length;
      const [first = '', ...others] = more > 0 ? [...shown, `and ${more} more`] : shown;
      const cells = [name, nodePool || '-', instanceType || '-', money(price), `${pods}`, first];
      return [cells, ...others.map((text) => ['', '', '', '', '', text])];
    });
  return rows.length === 0
    ? []
    : columns(['NODE', 'NODEPOOL', 'TYPE', '>PRICE/H', '>PODS', 'KEPT BECAUSE'], rows);
}

/** Unhealthy is for node repair, which this plan does not contain. */
function isWorthTelling({ blocking, reason }: ReportedBudget): boolean {
  return blocking && reason !== 'Unhealthy';
}

function budgetLine({ nodePool, reason, index, problem }: ReportedBudget): string {
  return problem === undefined
    ? `NodePool ${nodePool}, ${reason}: spec.disruption.budgets[${index}]`
    : `NodePool ${nodePool}, ${reason}: ${problem.field}: "${problem.value}": ${problem.message}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
