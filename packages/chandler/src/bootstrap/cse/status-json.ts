/**
 * Reads the status that a node prints at the end of its provisioning, whole or what is left of it. All its values are
 * texts and its keys begin with a capital. Where the JSON is broken or cut, fields are read one by one, and a number
 * counts only if its end can be seen.
 */
import { CUT } from './message-text.ts';

export interface NodeStatus {
  readonly exitCode: number | undefined;
  readonly output: string;
  /** Its last character is there, whatever is missing before. */
  readonly outputEnds: boolean;
  readonly error: string;
  readonly execDurationSeconds: number | undefined;
  readonly times: CseTimes;
  readonly systemdSummary: string | undefined;
  /** The JSON was there from its first to its last character. */
  readonly whole: boolean;
}

/** As the node prints them: `Mon 2026-01-27 14:30:02 UTC` and the like. */
export interface CseTimes {
  readonly kernelStart?: string;
  readonly cloudInitLocalStart?: string;
  readonly cloudInitStart?: string;
  readonly cloudFinalStart?: string;
  readonly networkdStart?: string;
  readonly cseStart?: string;
  readonly guestAgentStart?: string;
  readonly kubeletStart?: string;
}

/** The last status in the text; undefined where there is no trace of one. */
export function readStatus(text: string): NodeStatus | undefined {
  const start = lastMatch(text, /\{\s{0,256}"ExitCode"\s{0,64}:/g);
  const whole = start === undefined ? undefined : parseFrom(text, start);
  return whole ?? readFragment(text, start);
}

// ---------------------------------------------------------------------------------------------------

type Fields = Readonly<Record<string, unknown>>;

const TIME_KEYS: Readonly<Record<keyof CseTimes, string>> = {
  kernelStart: 'KernelStartTime',
  cloudInitLocalStart: 'CloudInitLocalStartTime',
  cloudInitStart: 'CloudInitStartTime',
  cloudFinalStart: 'CloudFinalStartTime',
  networkdStart: 'NetworkdStartTime',
  cseStart: 'CSEStartTime',
  guestAgentStart: 'GuestAgentStartTime',
  kubeletStart: 'KubeletStartTime',
};

function lastMatch(text: string, pattern: RegExp): number | undefined {
  let last: number | undefined;
  for (const match of text.matchAll(pattern)) last = match.index;
  return last;
}

function parseFrom(text: string, start: number): NodeStatus | undefined {
  const end = endOfObject(text, start);
  if (end === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(withoutRawBreaks(text.slice(start, end)));
    if (typeof value !== 'object' || value === null) return undefined;
    const fields = value as Fields;
    const boot = fields['BootDatapoints'];
    return statusOf(
      (key) => fields[key] ?? (typeof boot === 'object' && boot !== null ? (boot as Fields)[key] : undefined),
      true,
    );
  } catch {
    return undefined;
  }
}

/** Where the object that begins at `start` ends; braces within texts do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inText = false;
  for (let index = start; index < text.length; index++) {
    const character = text[index]!;
    if (character === CUT) return undefined;
    if (inText) {
      if (character === '\\') index++;
      else if (character === '"') inText = false;
    } else if (character === '"') inText = true;
    else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return index + 1;
  }
  return undefined;
}

/** Some shells turn the escapes of line breaks into line breaks, which JSON forbids within texts. */
function withoutRawBreaks(json: string): string {
  return json.replaceAll('\n', ' ').replaceAll('\t', ' ');
}

function readFragment(text: string, start: number | undefined): NodeStatus | undefined {
  const from = start === undefined ? text : text.slice(start);
  const status = statusOf((key) => fieldOf(from, key), false);
  const exitCode = status.exitCode ?? beheadedCode(from);
  const output = status.output === '' && start === undefined ? beheadedOutput(from) : status.output;
  if (exitCode === undefined && output === '' && Object.keys(status.times).length === 0) return undefined;
  return { ...status, exitCode, output, outputEnds: /(?<!\\)"\s{0,64},\s{0,64}"Error"/.test(from) };
}

/** What the extension leaves when it sends only the end of the output: `itCode": "211", "Output": …`. */
function beheadedCode(text: string): number | undefined {
  const match = /^\s{0,64}"?E?x?i?t?C?o?d?e?"\s{0,64}:\s{0,64}"(\d{1,5})"\s{0,64},\s{0,64}"Output"/.exec(
    text,
  );
  return match === null ? undefined : codeIn(match[1]);
}

/** The same, later: `…timed out\n+ exit 50", "Error": …`, or all of it where no end can be seen. */
function beheadedOutput(text: string): string {
  const end = endOfText(text, 0);
  return end === undefined || /^"\s{0,64},\s{0,64}"Error"/.test(text.slice(end, end + 200))
    ? decoded(text.slice(0, end))
    : '';
}

/** The last value of this key: a text that may lack its end, or a number that must show it. */
function fieldOf(text: string, key: string): string | undefined {
  const pattern = new RegExp(`(?<!\\\\)"${key}"\\s{0,64}:\\s{0,64}`, 'g');
  let found: string | undefined;
  for (const match of text.matchAll(pattern)) {
    const at = match.index + match[0].length;
    const value = text[at] === '"' ? textAt(text, at + 1, key !== 'ExitCode') : numberAt(text, at);
    if (value !== undefined) found = value;
  }
  return found;
}

function numberAt(text: string, at: number): string | undefined {
  const match = /^-?\d{1,10}(?=[\s,}])/.exec(text.slice(at, at + 16));
  return match?.[0];
}

function textAt(text: string, from: number, mayBeCut: boolean): string | undefined {
  const end = endOfText(text, from);
  if (end !== undefined) return decoded(text.slice(from, end));
  const cut = text.indexOf(CUT, from);
  return mayBeCut ? decoded(text.slice(from, cut < 0 ? undefined : cut)) : undefined;
}

/** Where the text that has begun ends: at a quote that is not escaped. */
function endOfText(text: string, from: number): number | undefined {
  for (let index = from; index < text.length; index++) {
    const character = text[index];
    if (character === '\\') index++;
    else if (character === '"') return index;
    else if (character === CUT) return undefined;
  }
  return undefined;
}

function decoded(json: string): string {
  return json.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex?: string, short?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return short === 'n' ? '\n' : short === 't' ? '\t' : short === 'r' ? '' : short!;
  });
}

function statusOf(field: (key: string) => unknown, whole: boolean): NodeStatus {
  const text = (key: string) => {
    const value = field(key);
    return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
  };
  const times = Object.entries(TIME_KEYS).flatMap(([name, key]) => {
    const value = text(key);
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const seconds = Number(text('ExecDuration') ?? Number.NaN);
  return {
    exitCode: codeIn(text('ExitCode')),
    output: text('Output') ?? '',
    outputEnds: whole,
    error: text('Error') ?? '',
    execDurationSeconds: Number.isFinite(seconds) && text('ExecDuration') !== '' ? seconds : undefined,
    times: Object.fromEntries(times),
    systemdSummary: text('SystemdSummary'),
    whole,
  };
}

/** An exit status of a process, and nothing else. */
function codeIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,5}$/.test(text)) return undefined;
  const code = Number(text);
  return code <= 255 ? code : undefined;
}
