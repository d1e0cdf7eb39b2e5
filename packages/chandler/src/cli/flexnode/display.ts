/**
 * What a person sees of a run: a line per step as it ends, and in a terminal one more below them that changes as the step
 * goes on. Made of events alone; what is printed as JSON is the same events and nothing of this.
 */
import type { FlexEvent } from '../../flexnode/index.ts';

export interface DisplayOutput {
  write(text: string): void;
  /** Of a terminal; nothing where lines are only appended. */
  readonly columns?: () => number;
}

export interface Display {
  show(event: FlexEvent): void;
  /** The line that changes is gone, the lines above it stay. */
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
    output.write(`${line}\n`);
  };
  const draw = (line: string) => {
    if (!live) return;
    current = cut(line, output.columns!());
    output.write(`${CLEAR_LINE}${current}`);
  };
  let title = '';
  return {
    show(event) {
      switch (event.type) {
        case 'run-started':
          return say(`${event.verb}: ${event.steps.length} steps`);
        case 'step-started':
          if (event.phase !== heading) say(`${PHASE_WORDS[event.phase]}:`);
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
export function durationWords(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

// ---------------------------------------------------------------------------------------------------

const CLEAR_LINE = '\r\u001b[K';

const PHASE_WORDS = {
  identity: 'Identity setup',
  installation: 'Installation',
  activation: 'Activation',
} as const;

const SKIP_WORDS = {
  completed: 'is as it should be',
  'not-selected': 'was not asked for',
  'never-begun': 'was never begun here',
} as const;

function lineOf(event: FlexEvent): string | undefined {
  switch (event.type) {
    case 'step-skipped':
      return `  ${place(event)} ${event.title}: ${SKIP_WORDS[event.reason]}`;
    case 'step-completed':
      return `  ${place(event)} ${event.title}: done (${durationWords(event.durationMs)})`;
    case 'step-undone':
      return `  ${place(event)} ${event.title}: taken back${event.leftovers === 0 ? '' : `, ${event.leftovers} left over`} (${durationWords(event.durationMs)})`;
    case 'step-failed':
      return `  ${place(event)} ${event.title}: FAILED (${durationWords(event.durationMs)})`;
    case 'kept':
      return `        ${event.path} had been changed by somebody; the changed file is kept as ${event.copy}`;
    case 'leftover':
      return [
        `  left over: ${event.leftover.what}: ${event.leftover.why}`,
        ...(event.leftover.finish ?? []).map((command) => `      ${command}`),
      ].join('\n');
    case 'run-completed':
      return event.success ? `${event.verb}: ${endWords(event)}` : undefined;
    default:
      return undefined;
  }
}

function endWords(event: Extract<FlexEvent, { type: 'run-completed' }>): string {
  return event.changed
    ? `done in ${durationWords(event.durationMs)}`
    : `nothing to do (${durationWords(event.durationMs)})`;
}

function place({ index, count }: { readonly index: number; readonly count: number }): string {
  return `${String(index).padStart(String(count).length)}/${count}`;
}

function fieldsOf(fields: Readonly<Record<string, string | number>> | undefined): string {
  const pairs = Object.entries(fields ?? {}).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? '' : ` (${pairs.join(', ')})`;
}

/** What is longer than the terminal is wide would not be cleared. */
function cut(line: string, columns: number): string {
  const plain = line.replaceAll('\n', ' ');
  return plain.length < columns ? plain : `${plain.slice(0, Math.max(0, columns - 2))}…`;
}
