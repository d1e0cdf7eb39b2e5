/**
 * Renders the cluster view as rows that fit the terminal in number and width. Columns that do not fit are left out, the
 * least important first. What has to be copied, and warnings, continue on further rows. Pure; screen.ts draws the rows.
 */
import type { Activity, ClusterView, InstanceRow } from '../../playground/index.ts';
import { shellQuote } from '../../settings/index.ts';
import { CONTINUED } from './screen.ts';

export interface ViewSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

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

/** `12s`, `4m`, `2h5m`, `3d`. */
export function shortAge(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48
    ? `${hours}h${minutes % 60 === 0 ? '' : `${minutes % 60}m`}`
    : `${Math.floor(hours / 24)}d`;
}

export function clockTime(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

export function costText({ instances, noun, perHour }: ClusterView['cost']): string {
  return `${instances} ${noun}${instances === 1 ? '' : 's'}, $${perHour.toFixed(3)} per hour`;
}

// ---------------------------------------------------------------------------------------------------

interface Paint {
  readonly columns: number;
  /** Truncates to the width, then colours. */
  readonly plain: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly warn: (text: string) => string;
  /** The whole text, on as many rows as it needs. */
  readonly whole: (text: string, style?: Style) => readonly string[];
}

type Style = 'bold' | 'faint' | 'warn';

const STYLES: Readonly<Record<Style, readonly [open: number, close: number]>> = {
  bold: [1, 22],
  faint: [2, 22],
  warn: [33, 39],
};

function painter({ columns, color }: ViewSize): Paint {
  const styled = (text: string, style: Style | undefined) => {
    if (style === undefined || !color || text === '') return text;
    const [open, close] = STYLES[style];
    return `\u001b[${open}m${text}\u001b[${close}m`;
  };
  return {
    columns,
    plain: (text) => truncate(text, columns),
    faint: (text) => styled(truncate(text, columns), 'faint'),
    warn: (text) => styled(truncate(text, columns), 'warn'),
    whole: (text, style) => {
      const points = [...cleaned(text)];
      const rows = Math.max(1, Math.ceil(points.length / Math.max(1, columns)));
      return Array.from({ length: rows }, (_, at) => {
        const row = styled(points.slice(at * columns, (at + 1) * columns).join(''), style);
        return at === rows - 1 ? row : `${row}${CONTINUED}`;
      });
    },
  };
}

/** What has to be copied has a row of its own where both do not fit. */
function footRows({ kubeconfig }: ClusterView, paint: Paint): readonly string[] {
  const command = `export KUBECONFIG=${shellQuote(kubeconfig)}`;
  const hint = 'press Ctrl-C to stop';
  const both = `${command}   ${hint}`;
  if ([...both].length <= paint.columns) return [paint.faint(both)];
  return [...paint.whole(command, 'faint'), paint.faint(hint)];
}

/** Names and messages come from objects: control characters, which could move the cursor, are removed. */
function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;
  return text.replace(controls, ' ').replaceAll(CONTINUED, '');
}

function truncate(text: string, width: number): string {
  const clean = cleaned(text);
  const points = [...clean];
  return points.length <= width
    ? clean
    : `${points.slice(0, Math.max(0, width - 1)).join('')}…`.slice(0, width * 2);
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

interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** The column with the highest rank is left out first. */
  readonly rank: number;
  readonly of: (row: InstanceRow) => string;
}

const COLUMNS: readonly Column[] = [
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
  const columns = fitting(shown, paint.columns);
  const line = (cells: readonly string[]) => cells.join('  ').trimEnd();
  const more = instances.length - shown.length;
  return [
    paint.faint(
      line(columns.map(({ title, right }, at) => padded(title, widths(shown, columns)[at]!, right))),
    ),
    ...shown.map((row) => {
      const text = line(
        columns.map(({ of, right }, at) => padded(of(row), widths(shown, columns)[at]!, right)),
      );
      return row.warning ? paint.warn(text) : paint.plain(text);
    }),
    ...(more > 0 ? [paint.faint(`and ${more} more${system}`)] : []),
    '',
  ].slice(0, maxLines);
}

function fitting(rows: readonly InstanceRow[], columns: number): readonly Column[] {
  let kept = [...COLUMNS];
  const total = () => widths(rows, kept).reduce((sum, width) => sum + width + 2, -2);
  while (kept.length > 1 && total() > columns) {
    const last = Math.max(...kept.map(({ rank }) => rank));
    kept = kept.filter(({ rank }) => rank !== last);
  }
  return kept;
}

function widths(rows: readonly InstanceRow[], columns: readonly Column[]): readonly number[] {
  return columns.map(({ title, of }) => Math.max(title.length, ...rows.map((row) => of(row).length)));
}

function padded(text: string, width: number, right = false): string {
  return right ? text.padStart(width) : text.padEnd(width);
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
      const full = Math.round((running / all) * BAR);
      const bar = paint.columns < 60 ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR - full)}  `;
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
