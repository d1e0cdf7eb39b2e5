/**
 * Text for a screen: cleaned of control characters, cut to the width of the terminal, and coloured. Which text is shown
 * is decided elsewhere; screen.ts draws the rows.
 */
import { CONTINUED } from './screen.ts';

export interface ViewSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

export interface Paint {
  readonly columns: number;
  /** Truncates to the width, then colours. */
  readonly plain: (text: string) => string;
  readonly bold: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly warn: (text: string) => string;
  /** The whole text, on as many rows as it needs. */
  readonly whole: (text: string, style?: Style) => readonly string[];
}

export type Style = 'bold' | 'faint' | 'warn';

export function painter({ columns, color }: Pick<ViewSize, 'columns' | 'color'>): Paint {
  const styled = (text: string, style: Style | undefined) => {
    if (style === undefined || !color || text === '') return text;
    const [open, close] = STYLES[style];
    return `\u001b[${open}m${text}\u001b[${close}m`;
  };
  return {
    columns,
    plain: (text) => truncate(text, columns),
    bold: (text) => styled(truncate(text, columns), 'bold'),
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

/** Names and messages come from objects: control characters, which could move the cursor, are removed. */
export function cleaned(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this removes
  const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;
  return text.replace(controls, ' ').replaceAll(CONTINUED, '');
}

export function truncate(text: string, width: number): string {
  const clean = cleaned(text);
  const points = [...clean];
  return points.length <= width
    ? clean
    : `${points.slice(0, Math.max(0, width - 1)).join('')}…`.slice(0, width * 2);
}

/** `██████░░░░`; more than all of it is all of it. */
export function barText(share: number, width: number): string {
  const full = Math.max(0, Math.min(width, Math.round(share * width)));
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
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

const STYLES: Readonly<Record<Style, readonly [open: number, close: number]>> = {
  bold: [1, 22],
  faint: [2, 22],
  warn: [33, 39],
};
