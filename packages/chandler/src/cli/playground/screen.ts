/**
 * The terminal as a screen: lines are drawn in place, in one write and only when they differ, on a page of their own,
 * so that nothing flickers and the page before is there again at the end, however the end comes.
 */
import process, { stdout } from 'node:process';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  draw(lines: readonly string[]): void;
  close(): void;
}

/** What a screen needs of standard output. */
export interface ScreenOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Undefined where standard output is no terminal. */
export function terminalOutput(): ScreenOutput | undefined {
  return stdout.isTTY === true ? stdout : undefined;
}

export function openScreen(output: ScreenOutput): Screen {
  let shown = '';
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    process.off('exit', close);
    output.write(`${SHOW_CURSOR}${MAIN_PAGE}`);
  };
  output.write(`${OWN_PAGE}${HIDE_CURSOR}`);
  process.on('exit', close);
  return {
    get columns() {
      return output.columns ?? 80;
    },
    get rows() {
      return output.rows ?? 24;
    },
    draw(lines) {
      const text = lines.map((line) => `${line}${REST_OF_LINE}`).join('\r\n');
      const at = `${output.columns}x${output.rows}\n${text}`;
      if (!open || at === shown) return;
      shown = at;
      output.write(`${BEGIN}${HOME}${text}${REST_OF_PAGE}${END}`);
    },
    close,
  };
}

// ---------------------------------------------------------------------------------------------------

const ESCAPE = '\u001b[';
const OWN_PAGE = `${ESCAPE}?1049h`;
const MAIN_PAGE = `${ESCAPE}?1049l`;
const HIDE_CURSOR = `${ESCAPE}?25l`;
const SHOW_CURSOR = `${ESCAPE}?25h`;
const HOME = `${ESCAPE}H`;
const REST_OF_LINE = `${ESCAPE}K`;
const REST_OF_PAGE = `${ESCAPE}J`;
/** Terminals that know these show what is between at once. */
const BEGIN = `${ESCAPE}?2026h`;
const END = `${ESCAPE}?2026l`;
