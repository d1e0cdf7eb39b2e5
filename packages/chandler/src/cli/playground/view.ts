/**
 * The picture as lines of a terminal: as many as fit, none wider than it is. Pure; putting them on the screen is
 * screen.ts. Columns that do not fit are left out, the least important first.
 */
import type { Activity, MachineRow, Picture } from '../../playground/index.ts';

export interface ViewSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

export function renderView(picture: Picture, size: ViewSize): readonly string[] {
  const paint = painter(size);
  const head = [...headLines(picture, paint), ''];
  const foot = ['', paint.faint(`export KUBECONFIG=${picture.kubeconfig}   Ctrl-C stops it`)];
  const room = Math.max(0, size.rows - head.length - foot.length);
  const shares = shareOut(room, [
    picture.machines.length + 2,
    picture.workloads.length + 2,
    picture.news.length + 1,
  ]);
  const lines = [
    ...head,
    ...machineLines(picture, shares[0]!, paint),
    ...workloadLines(picture, shares[1]!, paint),
    ...newsLines(picture.news, shares[2]!, paint),
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

// ---------------------------------------------------------------------------------------------------

interface Paint {
  readonly columns: number;
  /** Cut to the width, then painted. */
  readonly plain: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly warn: (text: string) => string;
}

function painter({ columns, color }: ViewSize): Paint {
  const with_ = (open: number, close: number) => (text: string) => {
    const short = cut(text, columns);
    return color && short !== '' ? `\u001b[${open}m${short}\u001b[${close}m` : short;
  };
  return {
    columns,
    plain: (text) => cut(text, columns),
    bold: with_(1, 22),
    faint: with_(2, 22),
    warn: with_(33, 39),
  };
}

/** Names and messages come from objects: what would move the cursor is not let through. */
function cut(text: string, width: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
  const points = [...clean];
  return points.length <= width
    ? clean
    : `${points.slice(0, Math.max(0, width - 1)).join('')}…`.slice(0, width * 2);
}

function headLines(picture: Picture, paint: Paint): readonly string[] {
  const { nowMs, speed, controller, bill, pods, story } = picture;
  const faster = speed === 1 ? '' : `  time ×${speed}`;
  const machines = `${bill.machines} machine${bill.machines === 1 ? '' : 's'}`;
  return [
    paint.bold(`chandler playground  ${clockTime(nowMs)}${faster}  controller ${controller}`),
    paint.plain(
      `${machines} bought, $${bill.perHour.toFixed(3)} per hour; pods: ${pods.running} running, ${pods.pending} pending`,
    ),
    ...(story === undefined ? [] : [paint.warn(story)]),
  ];
}

interface Column {
  readonly title: string;
  readonly right?: boolean;
  /** 1 stays longest. */
  readonly rank: number;
  readonly of: (row: MachineRow) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'CLAIM', rank: 1, of: ({ name }) => name },
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

function machineLines({ machines, systemNodes }: Picture, room: number, paint: Paint): readonly string[] {
  if (room < 2) return [];
  const system = systemNodes === 0 ? '' : `, and ${systemNodes} system nodes`;
  if (machines.length === 0) return [paint.faint(`no machine is bought${system}`), ''];
  const shown = machines.slice(-Math.max(1, room - (machines.length > room - 2 ? 3 : 2)));
  const columns = fitting(shown, paint.columns);
  const line = (cells: readonly string[]) => cells.join('  ').trimEnd();
  const more = machines.length - shown.length;
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
  ].slice(0, room);
}

function fitting(rows: readonly MachineRow[], columns: number): readonly Column[] {
  let kept = [...COLUMNS];
  const total = () => widths(rows, kept).reduce((sum, width) => sum + width + 2, -2);
  while (kept.length > 1 && total() > columns) {
    const last = Math.max(...kept.map(({ rank }) => rank));
    kept = kept.filter(({ rank }) => rank !== last);
  }
  return kept;
}

function widths(rows: readonly MachineRow[], columns: readonly Column[]): readonly number[] {
  return columns.map(({ title, of }) => Math.max(title.length, ...rows.map((row) => of(row).length)));
}

function padded(text: string, width: number, right = false): string {
  return right ? text.padStart(width) : text.padEnd(width);
}

const BAR = 20;

function workloadLines({ workloads }: Picture, room: number, paint: Paint): readonly string[] {
  if (room < 2 || workloads.length === 0 || (room < 3 && workloads.length > 1)) return [];
  const shown = workloads.slice(0, room - 1 - (workloads.length > room - 1 ? 1 : 0));
  const width = Math.min(24, Math.max(...shown.map(({ name }) => name.length)));
  const more = workloads.length - shown.length;
  return [
    ...shown.map(({ name, running, pending, other }) => {
      const all = Math.max(1, running + pending + other);
      const full = Math.round((running / all) * BAR);
      const bar = paint.columns < 60 ? '' : `${'█'.repeat(full)}${'░'.repeat(BAR - full)}  `;
      const text = `${cut(name, width).padEnd(width)}  ${bar}${running}/${running + pending} running`;
      return pending > 0 ? paint.warn(text) : paint.plain(text);
    }),
    ...(more > 0 ? [paint.faint(`and ${more} more`)] : []),
    '',
  ].slice(0, room);
}

function newsLines(news: readonly Activity[], room: number, paint: Paint): readonly string[] {
  return news.slice(-Math.max(0, room)).map(({ atMs, topic, text, warning }) => {
    const line = `${clockTime(atMs)}  ${topic.padEnd(10)}  ${text}`;
    return warning === true ? paint.warn(line) : paint.plain(line);
  });
}

/** Everybody gets what it needs, as long as the others get a third of the room. */
function shareOut(room: number, needs: readonly number[]): readonly number[] {
  const shares = needs.map((need) => Math.min(need, Math.floor(room / needs.length)));
  let left = room - shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share, at) => {
    const more = Math.min(left, needs[at]! - share);
    left -= more;
    return share + more;
  });
}
