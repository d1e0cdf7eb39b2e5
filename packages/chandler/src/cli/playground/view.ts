/**
 * Renders the cluster view as rows that fit the terminal in number and width. Columns that do not fit are left out, the
 * least important first. What has to be copied, and warnings, continue on further rows. Pure; screen.ts draws the rows.
 */
import type { Activity, ClusterView, InstanceRow } from '../../playground/index.ts';
import { shellQuote } from '../../settings/index.ts';
import {
  barText,
  clockTime,
  type Paint,
  painter,
  shortAge,
  truncate,
  type ViewSize,
} from '../terminal/paint.ts';
import { type Column, fittingTable } from '../terminal/table.ts';

export function renderView(view: ClusterView, size: ViewSize): readonly string[] {
  const paint = painter(size);
  const head = [...headLines(view, paint), ''];
  const foot = ['', ...footRows(view, paint)];
  const available = Math.max(0, size.rows - head.length - foot.length);
  const shares = shareLines(available, [
    view.instances.length + 2,
    view.workloads.length + 2,
    activityLines(view.activities, size.rows, paint).length + 1,
  ]);
  const lines = [
    ...head,
    ...instanceLines(view, shares[0]!, paint),
    ...workloadLines(view, shares[1]!, paint),
    ...activityLines(view.activities, shares[2]!, paint),
    ...foot,
  ];
  return lines.slice(0, Math.max(0, size.rows));
}

export function costText({ instances, noun, perHour }: ClusterView['cost']): string {
  return `${instances} ${noun}${instances === 1 ? '' : 's'}, $${perHour.toFixed(3)} per hour`;
}

// ---------------------------------------------------------------------------------------------------

/** What has to be copied has a row of its own where both do not fit. */
function footRows({ kubeconfig, page }: ClusterView, paint: Paint): readonly string[] {
  const address = page === undefined ? [] : paint.whole(`page: ${page}`, 'faint');
  const command = `export KUBECONFIG=${shellQuote(kubeconfig)}`;
  const hint = 'press Ctrl-C to stop';
  const both = `${command}   ${hint}`;
  if ([...both].length <= paint.columns) return [...address, paint.faint(both)];
  return [...address, ...paint.whole(command, 'faint'), paint.faint(hint)];
}

function headLines(view: ClusterView, paint: Paint): readonly string[] {
  const { nowMs, speed, controller, cost, pods, scenario } = view;
  const faster = speed === 1 ? '' : `  time ×${speed}`;
  return [
    ...paint.whole(`chandler playground  ${clockTime(nowMs)}${faster}  controller ${controller}`, 'bold'),
    ...paint.whole(`${costText(cost)}; pods: ${pods.running} running, ${pods.pending} pending`),
    ...(scenario === undefined ? [] : paint.whole(scenario, 'warn')),
  ];
}

const COLUMNS: readonly Column<InstanceRow>[] = [
  { title: 'NODECLAIM', rank: 1, of: ({ name }) => name },
  { title: 'SIZE', rank: 3, of: ({ size }) => size },
  { title: 'ZONE', rank: 5, of: ({ zone }) => zone },
  { title: 'CAPACITY', rank: 8, of: ({ capacity }) => capacity },
  { title: 'PODS', rank: 4, right: true, of: ({ pods, state }) => (state === 'Ready' ? String(pods) : '') },
  {
    title: 'CPU',
    rank: 7,
    right: true,
    of: ({ cpu }) => (cpu === undefined ? '' : `${Math.round(cpu * 100)}%`),
  },
  {
    title: '$/H',
    rank: 6,
    right: true,
    of: ({ pricePerHour }) => (pricePerHour === undefined ? '' : pricePerHour.toFixed(3)),
  },
  { title: 'AGE', rank: 7.5, right: true, of: ({ ageMs }) => shortAge(ageMs) },
  { title: 'STATE', rank: 2, of: ({ state }) => state },
];

function instanceLines(
  { instances, systemNodes }: ClusterView,
  maxLines: number,
  paint: Paint,
): readonly string[] {
  if (maxLines < 2) return [];
  const system = systemNodes === 0 ? '' : `, and ${systemNodes} system nodes`;
  if (instances.length === 0) return [paint.faint(`no NodeClaims${system}`), ''];
  const shown = instances.slice(-Math.max(1, maxLines - (instances.length > maxLines - 2 ? 3 : 2)));
  const { head, lines } = fittingTable(COLUMNS, shown, paint.columns);
  const more = instances.length - shown.length;
  return [
    paint.faint(head),
    ...shown.map(({ warning }, at) => (warning ? paint.warn : paint.plain)(lines[at]!)),
    ...(more > 0 ? [paint.faint(`and ${more} more${system}`)] : []),
    '',
  ].slice(0, maxLines);
}

const BAR = 20;

function workloadLines({ workloads }: ClusterView, maxLines: number, paint: Paint): readonly string[] {
  if (maxLines < 2 || workloads.length === 0 || (maxLines < 3 && workloads.length > 1)) return [];
  const shown = workloads.slice(0, maxLines - 1 - (workloads.length > maxLines - 1 ? 1 : 0));
  const width = Math.min(24, Math.max(...shown.map(({ name }) => name.length)));
  const more = workloads.length - shown.length;
  return [
    ...shown.map(({ name, running, pending, other }) => {
      const all = Math.max(1, running + pending + other);
      const bar = paint.columns < 60 ? '' : `${barText(running / all, BAR)}  `;
      const text = `${truncate(name, width).padEnd(width)}  ${bar}${running}/${running + pending} running`;
      return pending > 0 ? paint.warn(text) : paint.plain(text);
    }),
    ...(more > 0 ? [paint.faint(`and ${more} more`)] : []),
    '',
  ].slice(0, maxLines);
}

function activityLines(activities: readonly Activity[], maxLines: number, paint: Paint): readonly string[] {
  const rows: string[] = [];
  // Newest first, until the rows are used up; a warning is shown whole or not at all.
  for (const { atMs, topic, text, warning } of activities.toReversed()) {
    const line = `${clockTime(atMs)}  ${topic.padEnd(10)}  ${text}`;
    const needed = warning === true ? paint.whole(line, 'warn') : [paint.plain(line)];
    if (rows.length + needed.length > maxLines) break;
    rows.unshift(...needed);
  }
  return rows;
}

/** Each section gets the lines it needs, as long as the others get a third of the available lines. */
function shareLines(available: number, needs: readonly number[]): readonly number[] {
  const shares = needs.map((need) => Math.min(need, Math.floor(available / needs.length)));
  let left = available - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, at) => {
    const more = Math.min(left, needs[at]! - share);
    left -= more;
    return share + more;
  });
}
