/**
 * Renders the events of a run as text: one line per completed step and, in a terminal, a line below them that shows the
 * progress of the current step. JSON output prints the same events and does not use this file.
 */
import { CLEAR_LINE, escapeControls } from '../../causes/index.ts';
import type { FlexEvent } from '../../flexnode/index.ts';

export interface DisplayOutput {
  write(text: string): void;
  /** The width of the terminal; undefined if the output is not a terminal, and lines are only appended. */
  readonly columns?: () => number;
}

export interface Display {
  show(event: FlexEvent): void;
  /** Clears the progress line; the lines above it remain. */
  close(): void;
}

export function createDisplay(output: DisplayOutput): Display {
  let current = '';
  let heading = '';
  const live = output.columns !== undefined;
  const clear = () => {
    if (live && current !== '') output.write(CLEAR_LINE);
    current = '';
  };
  const say = (line: string) => {
    clear();
    output.write(`${escapeControls(line)}\n`);
  };
  const draw = (line: string) => {
    if (!live) return;
    current = cut(escapeControls(line), output.columns!());
    output.write(`${CLEAR_LINE}${current}`);
  };
  let title = '';
  return {
    show(event) {
      switch (event.type) {
        case 'run-started':
          return say(`${event.verb}: ${event.steps.length} steps`);
        case 'step-started':
          if (event.phase !== heading) say(`${PHASE_TITLES[event.phase]}:`);
          heading = event.phase;
          title = `  ${place(event)} ${event.title}`;
          return live ? draw(`${title} …`) : say(`${title} …`);
        case 'progress':
          return live
            ? draw(`${title}: ${event.message}`)
            : say(`        ${event.message}${fieldsOf(event.fields)}`);
        default: {
          const line = lineOf(event);
          if (line !== undefined) say(line);
        }
      }
    },
    close: clear,
  };
}

/** `1.2 s`, `3 min 05 s`. */
export function durationText(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

// ---------------------------------------------------------------------------------------------------

const PHASE_TITLES = {
  identity: 'Identity setup',
  installation: 'Installation',
  activation: 'Activation',
} as const;

const SKIP_REASONS = {
  completed: 'unchanged',
  'not-selected': 'not selected',
  'never-begun': 'never started',
} as const;

function lineOf(event: FlexEvent): string | undefined {
  switch (event.type) {
    case 'step-skipped':
      return `  ${place(event)} ${event.title}: ${SKIP_REASONS[event.reason]}`;
    case 'step-completed':
      return `  ${place(event)} ${event.title}: done (${durationText(event.durationMs)})`;
    case 'step-undone':
      return `  ${place(event)} ${event.title}: undone${event.leftovers === 0 ? '' : `, ${event.leftovers} left over`} (${durationText(event.durationMs)})`;
    case 'step-failed':
      return `  ${place(event)} ${event.title}: FAILED (${durationText(event.durationMs)})`;
    case 'kept':
      return `        ${event.path} was modified after bootstrap; the modified file is saved as ${event.copy}`;
    case 'leftover':
      return [
        `  left over: ${event.leftover.what}: ${event.leftover.why}`,
        ...(event.leftover.finish ?? []).map((command) => `      ${command}`),
      ].join('\n');
    case 'run-completed':
      return event.success ? `${event.verb}: ${endText(event)}` : undefined;
    default:
      return undefined;
  }
}

function endText(event: Extract<FlexEvent, { type: 'run-completed' }>): string {
  return event.changed
    ? `done in ${durationText(event.durationMs)}`
    : `nothing to do (${durationText(event.durationMs)})`;
}

function place({ index, count }: { readonly index: number; readonly count: number }): string {
  return `${String(index).padStart(String(count).length)}/${count}`;
}

function fieldsOf(fields: Readonly<Record<string, string | number>> | undefined): string {
  const pairs = Object.entries(fields ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '' : ` (${pairs.join(', ')})`;
}

/** For a terminal that does not report its width, such as a serial console. */
const DEFAULT_COLUMNS = 80;

/** A line that wraps could not be cleared. */
function cut(line: string, reported: number): string {
  const columns = reported > 0 ? reported : DEFAULT_COLUMNS;
  const plain = line.replaceAll('\n', ' ');
  return plain.length < columns ? plain : `${plain.slice(0, Math.max(0, columns - 2))}…`;
}
