/**
 * Draws lines in place on the alternate screen of the terminal, in one write and only when they have changed, so that
 * nothing flickers. The previous content of the terminal is restored when the process exits, for any reason.
 */
import process, { stdout } from 'node:process';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  draw(lines: readonly string[]): void;
  close(): void;
}

/** The part of standard output that a screen uses. */
export interface ScreenOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Undefined when standard output is not a terminal. */
export function terminalOutput(): ScreenOutput | undefined {
  return stdout.isTTY === true ? stdout : undefined;
}

/**
 * Runs it at once, or, while a screen is open, after that has been closed: what is written to the terminal before is lost with the
 * alternate screen.
 */
export function afterScreen(write: () => void): void {
  if (held === undefined) write();
  else held.push(write);
}

export function openScreen(output: ScreenOutput): Screen {
  let shown = '';
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    process.off('exit', close);
    output.write(`${SHOW_CURSOR}${MAIN_SCREEN}`);
    const writes = held ?? [];
    held = undefined;
    for (const write of writes) write();
  };
  output.write(`${ALTERNATE_SCREEN}${HIDE_CURSOR}`);
  held ??= [];
  process.on('exit', close);
  return {
    get columns() {
      return columnsOf(output);
    },
    get rows() {
      return output.rows || 24;
    },
    draw(lines) {
      const text = drawn(lines, columnsOf(output));
      const at = `${output.columns}x${output.rows}\n${text}`;
      if (!open || at === shown) return;
      shown = at;
      output.write(`${BEGIN}${HOME}${text}${CLEAR_TO_END_OF_SCREEN}${END}`);
    },
    close,
  };
}

/** A terminal that does not know its size reports none, or 0. */
function columnsOf({ columns }: ScreenOutput): number {
  return columns || 80;
}

/**
 * At the end of a row that the next row continues. The terminal wraps there by itself, so that copying both rows gives one
 * line.
 */
export const CONTINUED = '\u2060';

// ---------------------------------------------------------------------------------------------------

/** What is written when the screen is closed; undefined: none is open. The process has one terminal. */
let held: (() => void)[] | undefined;

function drawn(lines: readonly string[], columns: number): string {
  return lines
    .map((line, at) => {
      const last = at === lines.length - 1;
      if (line.endsWith(CONTINUED) && !last) return line.slice(0, -CONTINUED.length);
      // At the end of a full row the cursor is still on the last character, which clearing would remove.
      const clear = widthOf(line) < columns ? CLEAR_TO_END_OF_LINE : '';
      return `${line.replace(CONTINUED, '')}${clear}${last ? '' : '\r\n'}`;
    })
    .join('');
}

function widthOf(line: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours have no width
  return [...line.replace(/\u001b\[\d+m/g, '').replace(CONTINUED, '')].length;
}

const ESCAPE = '\u001b[';
const ALTERNATE_SCREEN = `${ESCAPE}?1049h`;
const MAIN_SCREEN = `${ESCAPE}?1049l`;
const HIDE_CURSOR = `${ESCAPE}?25l`;
const SHOW_CURSOR = `${ESCAPE}?25h`;
const HOME = `${ESCAPE}H`;
const CLEAR_TO_END_OF_LINE = `${ESCAPE}K`;
const CLEAR_TO_END_OF_SCREEN = `${ESCAPE}J`;
/** Synchronized output: terminals that support it show everything in between at once. */
const BEGIN = `${ESCAPE}?2026h`;
const END = `${ESCAPE}?2026l`;
