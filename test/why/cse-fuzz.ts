/**
 * Throws random messages at the CSE parser: random codes, forms, truncations at both ends, wrappings, encodings, decoys
 * and secrets in the log. It must never throw and never name a code that is not in the message; where nothing was cut it
 * must find the right one. What is shown of it has no secrets (`cse-outputs.ts`). A seed repeats a run.
 * `node test/why/cse-fuzz.ts --count 100000 --seed 1` runs it by itself.
 */
import { parseCseFailure } from '../../packages/chandler/src/bootstrap/index.ts';
import { outputProblem, SECRET_LINES } from './cse-outputs.ts';

export interface FuzzReport {
  readonly inputs: number;
  /** With a code, and it is right. */
  readonly right: number;
  /** Cut so far that no code is left to see, and none was named. */
  readonly silent: number;
  readonly failures: readonly FuzzFailure[];
}

export interface FuzzFailure {
  readonly index: number;
  readonly problem: 'threw' | 'wrong code' | 'missed' | 'wrong output';
  readonly detail: string;
  readonly input: string;
}

const KEPT_FAILURES = 20;

export function fuzzCse(count: number, seed: number): FuzzReport {
  const failures: FuzzFailure[] = [];
  let right = 0;
  let silent = 0;
  for (let index = 0; index < count; index++) {
    const chance = new Chance(seed * 1_000_003 + index);
    const made = chance.is(0.05) ? makeGarbage(chance) : makeInput(chance);
    const outcome = judge(made);
    if (outcome === 'right') right++;
    else if (outcome === 'silent') silent++;
    else if (failures.length < KEPT_FAILURES) failures.push({ index, input: made.text, ...outcome });
  }
  return { inputs: count, right, silent, failures };
}

// ---------------------------------------------------------------------------------------------------

/** mulberry32. */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let value = this.#state;
    value = Math.imul(value ^ (value >>> 15), value | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  is(probability: number): boolean {
    return this.next() < probability;
  }
}

interface Input {
  readonly text: string;
  /** Codes that may be named: the script's, and the wrapper's where the script's is lost. */
  readonly code: number;
  readonly outer: number;
  readonly cut: boolean;
}

const WORDS = [
  '+ retrycmd_if_failure 100 5 30 curl -fsS https://mcr.microsoft.com/v2/',
  '+ echo "quoted words" and \\back\\slashes\\',
  '++ exit 3',
  'status=7/FAILURE code=exited',
  'curl: (28) Failed to connect to mcr.microsoft.com port 443',
  '[stdout] is a word here',
  'ünïcödé ✓ 😀',
  '{"ExitCode": "9", "Output": "of a helper", "Error": ""}',
  'helper: exit status 8',
  ...SECRET_LINES,
  '+ ls *',
  '',
];

const STDERR_WORDS = [...WORDS.slice(0, 6), ...SECRET_LINES];

function makeInput(chance: Chance): Input {
  const code = chance.is(0.1) ? chance.pick([1, 2, 9, 124, 137, 255]) : 1 + chance.below(255);
  const outer = chance.is(0.3) ? chance.pick([1, 124, 137]) : code;
  const windows = chance.is(0.1);
  const message = windows ? windowsMessage(chance, code) : linuxMessage(chance, code, outer);
  const whole = encode(chance, wrap(chance, message.text));
  const text = chance.is(0.5) ? cut(chance, whole) : whole;
  return { text, code, outer: message.outer, cut: text.length !== whole.length };
}

/** Pieces of messages in any order: nothing can be expected of them but that nobody throws. */
const PIECES = [
  '"ExitCode"',
  '"Output": "',
  '"',
  ':',
  '{',
  '}',
  '\\',
  '\\\\\\"',
  '\n',
  '[stdout]',
  '\n[stderr]\n',
  'exit status=',
  '7',
  ' ',
  '&quot;',
  '\u0000',
  '\ufffd',
  'ExitCode: |',
  '|',
  'VMExtensionError_',
  '+ exit ',
];

function makeGarbage(chance: Chance): Input {
  const text = Array.from({ length: chance.below(200) }, () => chance.pick(PIECES)).join('');
  return { text, code: -1, outer: -1, cut: true };
}

function windowsMessage(chance: Chance, code: number) {
  const text = `ExitCode: |${code}|, Output: |WORDS OF WINDOWS|, Error: |${chance.pick(['', 'it failed', 'no answer'])}|`;
  const outer = chance.is(0.5);
  return {
    text: outer
      ? `Command execution finished, but failed because it returned a non-zero exit code of: '1'. ${text}`
      : text,
    outer: outer ? 1 : code,
  };
}

function linuxMessage(chance: Chance, code: number, outer: number) {
  const status = statusText(chance, code);
  const stderr = chance.is(0.3) ? `${chance.pick(STDERR_WORDS)}\n` : '';
  const sentence = `failed to execute command: command terminated with exit status=${outer}`;
  const message = `${sentence}\n[stdout]\n${status}\n[stderr]\n${stderr}`;
  switch (chance.below(5)) {
    case 0:
      return { text: `Enable failed: ${message}`, outer };
    case 1:
      return { text: `${message}${sentence}`, outer };
    case 2:
      return {
        text: `VM has reported a failure when processing extension 'cse-agent-karpenter' (publisher 'Microsoft.Azure.Extensions' and type 'CustomScript'). Error message: 'Enable failed: ${message}'. More information`,
        outer,
      };
    case 3:
      return { text: serialLog(chance, status, code), outer: code };
    default:
      return { text: status, outer: code };
  }
}

function statusText(chance: Chance, code: number): string {
  const lines = Array.from({ length: chance.below(12) }, () => chance.pick(WORDS));
  const json = JSON.stringify(
    {
      ExitCode: String(code),
      Output: [...lines, ...(chance.is(0.7) ? [`+ exit ${code}`] : [])].join('\n'),
      Error: '',
      ExecDuration: String(chance.below(900)),
      KernelStartTime: 'Tue 2026-01-27 14:28:02 UTC',
      CSEStartTime: 'Tue 2026-01-27 14:28:31 UTC',
      SystemdSummary: 'Startup finished in 2.1s (kernel) + 11.9s (userspace)',
      BootDatapoints: { KernelStartTime: 'a', KubeletStartTime: '' },
    },
    undefined,
    chance.is(0.2) ? 2 : undefined,
  );
  return chance.is(0.2) ? json.replace(/\s+/g, ' ') : json;
}

function serialLog(chance: Chance, status: string, code: number): string {
  const noise = Array.from(
    { length: chance.below(20) },
    (_, at) => `[${String(at).padStart(5)}.${at}00000] kernel: noise ${at}`,
  );
  return [
    ...noise,
    `[   75.911233] cloud-init[1016]: ${status}`,
    ...(chance.is(0.5)
      ? [`[   75.99] cloud-init[1016]: Failed running /var/lib/cloud/instance/scripts/part-001 [${code}]`]
      : []),
    '',
  ].join(chance.is(0.5) ? '\r\n' : '\n');
}

/** JSON in JSON in JSON; only what has the marks of a wrapper is ever wrapped. */
function wrap(chance: Chance, text: string): string {
  let wrapped = text;
  if (!/exit status=/.test(text)) return wrapped;
  for (let level = chance.pick([0, 0, 1, 2, 3]); level > 0; level--)
    wrapped = JSON.stringify({ error: { code: 'VMExtensionProvisioningError', message: wrapped } });
  return wrapped;
}

function encode(chance: Chance, text: string): string {
  switch (chance.below(12)) {
    case 0:
      return text.replaceAll('\n', '\r\n');
    case 1:
      return `\ufeff${text}`;
    case 2:
      return [...text].join('\u0000');
    case 3:
      return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    case 4:
      return `\u001b[0;31m${text}\u001b[0m`;
    case 5:
      // Bytes that are no UTF-8 become the sign for that.
      return Buffer.from(text, 'utf8').toString('latin1');
    default:
      return text;
  }
}

function cut(chance: Chance, text: string): string {
  const from = chance.is(0.6) ? chance.below(text.length) : 0;
  const to = chance.is(0.6) ? from + 1 + chance.below(text.length - from) : text.length;
  return text.slice(from, to);
}

type Judgement = 'right' | 'silent' | Pick<FuzzFailure, 'problem' | 'detail'>;

function judge({ text, code, outer, cut: wasCut }: Input): Judgement {
  try {
    const failure = parseCseFailure(text);
    const found = failure?.exitCode;
    const allowed = wasCut ? [code, outer] : [code];
    if (code < 0) return 'silent';
    if (found !== undefined && !allowed.includes(found))
      return {
        problem: 'wrong code',
        detail: `${found} (${failure?.form}) instead of ${allowed.join(' or ')}`,
      };
    if (!wasCut && found === undefined) return { problem: 'missed', detail: `nothing instead of ${code}` };
    const detail = failure === undefined ? undefined : outputProblem(failure, text, wasCut);
    if (detail !== undefined) return { problem: 'wrong output', detail };
    return found === undefined ? 'silent' : 'right';
  } catch (error) {
    return { problem: 'threw', detail: String(error) };
  }
}

if (process.argv[1] === import.meta.filename) {
  const option = (name: string, fallback: number) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? fallback : Number(process.argv[at + 1]);
  };
  const report = fuzzCse(option('--count', 100_000), option('--seed', 1));
  console.log(
    `${report.inputs} inputs: ${report.right} right, ${report.silent} without a code to see, ${report.failures.length} failures`,
  );
  for (const failure of report.failures) console.log(JSON.stringify(failure));
  process.exitCode = report.failures.length === 0 ? 0 : 1;
}
