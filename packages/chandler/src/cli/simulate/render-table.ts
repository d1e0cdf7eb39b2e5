/** A report as text for a terminal. Nodes that look the same share a line. */
import { escapeStrings } from '../../causes/index.ts';
import { groupName, groupNodes, type NodeGroup } from './group-nodes.ts';
import { refusalLines } from './refusal-lines.ts';
import type { Report, ReportedNode } from './report.ts';
import { money, packingText, podSentence, preferenceSentence, priceSentence } from './words.ts';

export interface TableOptions {
  readonly color: boolean;
}

export function renderTable(given: Report, { color }: TableOptions): string {
  const report = escapeStrings(given);
  const bold = (text: string) => (color ? `\u001b[1m${text}\u001b[22m` : text);
  const sections = [
    [
      bold(podSentence(report.summary)),
      bold(priceSentence(report.summary)),
      ...listed(preferenceSentence(report.summary)),
    ],
    nodeSection(bold('New nodes'), report.nodes),
    nodeSection(bold('Existing nodes with new pods'), report.existingNodes),
    refusalSection(bold('Refused'), report),
    listSection(
      bold('Ignored because of invalid input'),
      report.inputErrors.map(({ object, field, problem }) => `${object}: ${field}: ${problem}`),
    ),
    listSection(bold('Notes'), report.notes),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

/** Columns as wide as their widest cell; `>` before a heading aligns to the right. */
export function columns(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const right = headings.map((heading) => heading.startsWith('>'));
  const titles = headings.map((heading) => heading.replace(/^>/, ''));
  const widths = titles.map((title, at) =>
    rows.reduce((width, row) => Math.max(width, row[at]!.length), title.length),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (right[at] ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd();
  return [line(titles), ...rows.map(line)];
}

// ---------------------------------------------------------------------------------------------------------------

/** Longer lists of workloads or pods are cut: JSON has them all. */
const MAX_WORKLOADS = 4;
const MAX_PODS = 3;

function listed(line: string | undefined): string[] {
  return line === undefined ? [] : [line];
}

function nodeSection(title: string, nodes: readonly ReportedNode[]): string[] {
  if (nodes.length === 0) return [];
  const groups = groupNodes(nodes);
  const extra = [...new Set(nodes.flatMap((node) => node.packing.map(({ resource }) => resource)))].slice(3);
  const rows = groups.map((group) => {
    const node = group.nodes[0]!;
    const packing = (resource: string) => {
      const found = node.packing.find((one) => one.resource === resource);
      return found === undefined ? '' : packingText(found);
    };
    return [
      `${group.nodes.length}`,
      groupName(group),
      node.instanceType ?? '-',
      node.zone ?? '-',
      node.capacityType ?? '-',
      node.pricePerHour === null ? '-' : money(node.pricePerHour),
      `${node.pods.length}`,
      ...['cpu', 'memory', ...extra].map(packing),
      workloadsText(group),
    ];
  });
  const resources = ['cpu', 'memory', ...extra].map((name) => `>${name.toUpperCase()}`);
  const headings = ['>N', 'NODE', 'TYPE', 'ZONE', 'CAPACITY', '>PRICE/H', '>PODS', ...resources, 'WORKLOADS'];
  return [title, ...columns(headings, rows)];
}

function workloadsText({ workloads }: NodeGroup): string {
  const shown = workloads
    .slice(0, MAX_WORKLOADS)
    .map(({ name, pods }) => (pods === 1 ? name : `${name} x${pods}`));
  const more = workloads.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function refusalSection(title: string, { refusals }: Report): string[] {
  if (refusals.length === 0) return [];
  return [
    title,
    ...refusals.flatMap((refusal) => [
      `  ${podNames(refusal.pods)}`,
      ...refusalLines(refusal).map(({ depth, text }) => `${' '.repeat(4 + depth * 2)}${text}`),
    ]),
  ];
}

function podNames(pods: readonly string[]): string {
  const shown = pods.slice(0, MAX_PODS).join(', ');
  return pods.length > MAX_PODS ? `${shown} and ${pods.length - MAX_PODS} more pods` : shown;
}

function listSection(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
}
