/**
 * Finds the exit code of a node's provisioning in whatever carries it: the error of an ARM operation, the message of an
 * instance view, a serial log, the status file itself, on Linux and on Windows. A text may be cut at either end and
 * wrapped in JSON several times. Better no code than a wrong one: a number counts only if its end can be seen. The code
 * of the script goes before that of its wrappers. What a code means, `describe.ts` says.
 */
import { withoutLogSecrets } from '../../causes/index.ts';
import { AKS_NAMES } from './codes.table.ts';
import { CUT, type MessageText, readMessageText } from './message-text.ts';
import { type CseOs, codeOfConstant } from './name-code.ts';
import { ofNodeExtension } from './other-extensions.ts';
import { type CseTimes, type NodeStatus, readStatus } from './status-json.ts';

export type { CseTimes } from './status-json.ts';

/** How the code was found, the surest first. */
export type CseForm =
  /** The status as whole JSON. */
  | 'status'
  /** What is left of the status. */
  | 'fragment'
  /** `ExitCode: |5|, Output: |…|` of Windows nodes. */
  | 'windows'
  /** `exit status=50`, of the extension. */
  | 'exitStatus'
  /** `Failed running …/scripts/part-001 [50]`, of cloud-init. */
  | 'cloudInit'
  /** `ProvisioningState/failed/50`, of the instance view. */
  | 'stateCode'
  /** `VMExtensionError_OutboundConnFail`, of AKS. */
  | 'aksName'
  /** `+ exit 50`, in the trace of the script. */
  | 'trace'
  /** `CSE exited with code 50`, of our own condition or event. */
  | 'ownMessage'
  /** It failed, and no source names the code. */
  | 'none';

export interface CseFailure {
  /** Of the provisioning script; undefined where none is known. */
  readonly exitCode: number | undefined;
  /** Of what ran the script, where it is another number or the only one. */
  readonly outerCode: number | undefined;
  readonly form: CseForm;
  readonly os: CseOs;
  /** Azure stopped waiting before there was an answer. */
  readonly timedOut: boolean;
  /** The trace of the script, its last lines. Without secrets, like all texts here. */
  readonly output: string;
  readonly error: string;
  readonly stderr: string;
  readonly execDurationSeconds: number | undefined;
  readonly times: CseTimes;
  readonly systemdSummary: string | undefined;
  /** Some of the message is missing. */
  readonly truncated: boolean;
}

/** Undefined if the text contains no provisioning failure of a node. */
export function parseCseFailure(raw: string): CseFailure | undefined {
  const own = ofNodeExtension(raw);
  if (own === undefined) return undefined;
  const message = readMessageText(own);
  return parseWindows(message) ?? parseLinux(message);
}

/** From the message of our own condition or event, which may be all that is left. */
export function parseOwnMessage(text: string): CseFailure | undefined {
  const match = /^CSE (?:exited with code (\d{1,3})\b|failed without an exit code)/.exec(text);
  if (match === null) return undefined;
  return {
    ...NOTHING,
    exitCode: match[1] === undefined ? undefined : Number(match[1]),
    form: 'ownMessage',
    os: /\(WINDOWS_CSE/.test(text) ? 'windows' : 'linux',
    // What was really found then is in the text, and is recognised again.
    stderr: withoutLogSecrets(text),
  };
}

/**
 * From the console of a Linux node, where everything on the machine prints: only the status of the node itself and
 * cloud-init's line about its script count. Words of an extension may be about another one.
 */
export function parseConsoleFailure(raw: string): CseFailure | undefined {
  const message = readMessageText(raw);
  const status = NODE_STATUS.test(message.text) ? readStatus(message.text) : undefined;
  const outer = firstIn([message.text], CLOUD_INIT, 'cloudInit');
  const found = chosen(status, outer);
  if (found === undefined) return undefined;
  const failure = failureOf(found, outer, status, message);
  return failure.output === '' ? { ...failure, output: withoutLogSecrets(printedByCloudInit(raw)) } : failure;
}

// ---------------------------------------------------------------------------------------------------

/** Of a failure of which nothing is known. */
const NOTHING: Omit<CseFailure, 'exitCode' | 'form' | 'os' | 'stderr'> = {
  outerCode: undefined,
  timedOut: false,
  output: '',
  error: '',
  execDurationSeconds: undefined,
  times: {},
  systemdSummary: undefined,
  truncated: false,
};

/** Its own words and those of the script, without those of the kernel and of other programs; the end of them. */
function printedByCloudInit(log: string): string {
  const lines = log.slice(-CONSOLE_END).split('\n');
  return lines
    .flatMap((line) => /cloud-init\[\d{1,8}\]: ?(.*)$/.exec(line)?.[1] ?? [])
    .filter((line) => !/Failed running |Running module /.test(line))
    .join('\n');
}

const CONSOLE_END = 64 * 1024;

interface Found {
  readonly code: number;
  readonly form: CseForm;
}

/** The biggest exit status there is: more digits cannot follow a number beyond a tenth of it. */
const MAX_CODE = 255;

const SENTENCE = /command terminated with exit status=(\d{1,3})(?!\d)/g;
const BARE_STATUS = /exit status[= ](\d{1,3})(?!\d)/g;
/** Also `Exit code: 178`, as the autoscaler and AKS repeat it. */
const PLAIN_CODE = /\bExit ?Code: {0,4}(\d{1,3})(?!\d)/gi;
const STATE_CODE = /ProvisioningState\/failed\/(\d{1,3})(?!\d)/g;
const CLOUD_INIT = /Failed running \S{0,256}\/scripts\/\S{1,128} \[(\d{1,3})\]/g;
/** On a line of its own: two plus signs are a subshell's, and one at the very beginning may be left of two. */
const TRACE = /(?<=\s)\+ exit (\d{1,3})(?!\d)/g;
/** As a node writes its own; any program may print an exit code. */
const NODE_STATUS = /"ExitCode"\s{0,64}:\s{0,64}"?\d{1,5}"?\s{0,64},\s{0,64}"Output"\s{0,64}:/;
/** In any case, and as pages of the documentation are named: `error-code-outboundconnfailvmextensionerror`. */
const AKS_NAME = /VMExtensionError[_-](\w{4,40})|(?:\b|_)([a-z0-9]{4,40}?)VMExtensionError\b/gi;
const FAILED =
  /VMExtensionProvisioning(?:Error|Timeout)|VMExtensionHandlerNonTransientError|Enable failed|failed to execute command|ProvisioningState\/failed\/|Malformed status file|VMAgentStatusCommunicationError|has not reported status for VM agent/;
/** The extension did not come to run the script: the code of its state is its own. */
const HANDLER_FAILED = /Enable failed: (?!failed to execute command)/;
const TIMED_OUT = /VMExtensionProvisioningTimeout|Provisioning of VM extension \S{1,128} has timed out/;

function parseLinux(message: MessageText): CseFailure | undefined {
  const status = message.keyed ? readStatus(message.stdout) : undefined;
  const outer = outerCode(message, status !== undefined);
  const inner = status?.exitCode;
  const found = chosen(status, outer) ?? (inner === 0 ? undefined : traced(message, status));
  const timedOut = TIMED_OUT.test(message.text);
  // Success, or a text about something else.
  if (found === undefined && inner === 0) return undefined;
  if (found === undefined && !timedOut && !FAILED.test(message.head) && !beheaded(message)) return undefined;
  return {
    ...failureOf(found, outer, status, message),
    timedOut: timedOut && found === undefined,
    output: withoutLogSecrets(
      status === undefined ? (message.marked ? endOf(message.stdout) : '') : printedIn(status),
    ),
    stderr: message.marked ? withoutLogSecrets(endOf(message.stderr)) : told(found, message).trim(),
  };
}

/**
 * Without a code, the sentences of Azure and of the extension are all there is. Redacted before they are cut: half of a
 * secret is not recognised.
 */
function told(found: Found | undefined, { text }: MessageText): string {
  if (found === undefined) return withoutLogSecrets(text).slice(0, TOLD_LENGTH);
  return found.form === 'trace' ? withoutLogSecrets(text).slice(-TRACE_END) : '';
}

const TOLD_LENGTH = 4096;

function failureOf(
  found: Found | undefined,
  outer: Found | undefined,
  status: NodeStatus | undefined,
  message: MessageText,
): CseFailure {
  return {
    ...NOTHING,
    exitCode: found?.code,
    outerCode: outer?.code,
    form: found?.form ?? 'none',
    os: 'linux',
    output: withoutLogSecrets(status === undefined ? '' : printedIn(status)),
    error: withoutLogSecrets(status?.error ?? ''),
    stderr: '',
    execDurationSeconds: status?.execDurationSeconds,
    times: status?.times ?? {},
    systemdSummary: status?.systemdSummary,
    truncated: isTruncated(message, status),
  };
}

/**
 * The node reports the last bytes of its log, and the extension the last bytes of that: the first word may be the end of a
 * secret, without the name that would show it.
 */
function printedIn({ output, whole }: NodeStatus): string {
  return whole ? endOf(output) : withoutFirstWord(output);
}

function endOf(text: string): string {
  const end = text.trim();
  return end.length < WHOLE_OUTPUT_LENGTH ? end : withoutFirstWord(end);
}

function withoutFirstWord(text: string): string {
  return text.replace(/^\S+/, '…');
}

/** A longer one has most likely lost its beginning. */
const WHOLE_OUTPUT_LENGTH = 2900;

/** The code of the script, unless it says that all went well while the outside says otherwise. */
function chosen(status: NodeStatus | undefined, outer: Found | undefined): Found | undefined {
  const inner = status?.exitCode;
  if (inner !== undefined && inner !== 0) return { code: inner, form: status!.whole ? 'status' : 'fragment' };
  return outer;
}

function outerCode(message: MessageText, hasStatus: boolean): Found | undefined {
  const around = message.marked ? [message.head, message.stderr] : [message.text];
  const plain = message.marked || hasStatus ? [] : [BARE_STATUS, PLAIN_CODE];
  const spoken = FAILED.test(message.text) || /CSE (?:failed|error)|VMExtension|vmssCSE/.test(message.text);
  return (
    firstIn(around, SENTENCE, 'exitStatus') ??
    firstIn([message.text], CLOUD_INIT, 'cloudInit') ??
    (spoken
      ? plain.map((pattern) => firstIn(around, pattern, 'exitStatus')).find((found) => found !== undefined)
      : undefined) ??
    (HANDLER_FAILED.test(message.text) ? undefined : firstIn(around, STATE_CODE, 'stateCode')) ??
    aksName(message.head)
  );
}

function firstIn(texts: readonly string[], pattern: RegExp, form: CseForm): Found | undefined {
  for (const text of texts)
    for (const match of text.matchAll(pattern)) {
      const code = certain(text, match);
      if (code !== undefined && code !== 0) return { code, form };
    }
  return undefined;
}

/** Nothing if the number may be truncated: it is at the end, and another digit could follow. */
function certain(text: string, match: RegExpExecArray): number | undefined {
  const code = Number(match[1]);
  if (code > MAX_CODE) return undefined;
  const next = text[match.index + match[0].length];
  const cut = match[0].endsWith(match[1]!) && (next === undefined || next === CUT);
  return cut && code * 10 <= MAX_CODE ? undefined : code;
}

function aksName(head: string): Found | undefined {
  for (const match of head.matchAll(AKS_NAME)) {
    const code = CODE_OF_AKS_NAME.get((match[1] ?? match[2] ?? '').toLowerCase());
    if (code !== undefined) return { code, form: 'aksName' };
  }
  return undefined;
}

const CODE_OF_AKS_NAME: ReadonlyMap<string, number> = new Map(
  Object.entries(AKS_NAMES).map(([name, code]) => [name.toLowerCase(), code]),
);

/** The last resort, and only in what is known to be the log of a provisioning. */
function traced(message: MessageText, status: NodeStatus | undefined): Found | undefined {
  const log = status?.output ?? (message.marked ? message.stdout : bareTrace(message));
  const text = status?.outputEnds === true ? `${log}\n` : log;
  let last: Found | undefined;
  for (const match of text.matchAll(TRACE)) {
    const code = certain(text, match);
    last = code === undefined || code === 0 ? undefined : { code, form: 'trace' };
  }
  return last;
}

/** A text that is nothing but the trace of a shell, and ends with its exit. */
function bareTrace({ text, keyed }: MessageText): string {
  const end = text.slice(-TRACE_END).trimEnd();
  if (keyed || !/\n\s{0,8}\+ exit \d{1,3}$/.test(end)) return '';
  const commands = end.split('\n').filter((line) => /^\s{0,8}\++ \S/.test(line)).length;
  return commands >= MIN_COMMANDS ? `\n${text.slice(-TRACE_END)}` : '';
}

const TRACE_END = 64 * 1024;
/** The exit, and at least two before it. */
const MIN_COMMANDS = 3;

/** Nothing is left before the output: it belongs to a failure, because the output of a success always has its head. */
function beheaded(message: MessageText): boolean {
  return message.marked && message.head.trim() === '' && !/Enable succeeded/.test(message.text);
}

function isTruncated(message: MessageText, status: NodeStatus | undefined): boolean {
  if (message.text.includes(CUT)) return true;
  if (status !== undefined) return !status.whole;
  return message.keyed;
}

/** The number is between bars, so it is complete or missing. */
function parseWindows({ text, head }: MessageText): CseFailure | undefined {
  const match =
    /ExitCode: {0,4}\|(\d{1,5})\|(?:,? {0,4}Output: {0,4}\|([^|]{0,4096}))?(\|)?(?:,? {0,4}Error: {0,4}\|([^|]{0,4096}))?(\|)?/.exec(
      text,
    );
  const quoted = /non-zero exit code of: {0,4}'(\d{1,5})'/.exec(text);
  const constant = /\|(WINDOWS_CSE_(?:ERROR|SUCCESS)\w{0,96})\|/.exec(text)?.[1];
  if (match === null && constant === undefined && !/non-zero exit code of/.test(text)) return undefined;
  const outerCode = quoted === null ? firstIn([head], SENTENCE, 'exitStatus')?.code : Number(quoted[1]);
  const exitCode = match === null ? (codeOfConstant(constant ?? '') ?? outerCode) : Number(match[1]);
  if (exitCode === 0 && (outerCode ?? 0) === 0) return undefined;
  return {
    ...NOTHING,
    exitCode: exitCode === 0 ? outerCode : exitCode,
    outerCode,
    form: match === null && constant === undefined ? 'exitStatus' : 'windows',
    os: 'windows',
    output: withoutLogSecrets((match?.[2] ?? constant ?? '').trim()),
    error: withoutLogSecrets((match?.[4] ?? '').trim()),
    stderr: '',
    truncated: match !== null && match[5] === undefined,
  };
}
