/**
 * Makes a text readable before anything is read out of it: limits its size, takes away what consoles and wrappers add,
 * and undoes the escaping of the JSON it was wrapped in, level by level. Which code it holds, `parse.ts` decides.
 */

/** Marks an omission; a value next to it may be truncated. */
export const CUT = '\uffff';

/** The keys of the status that a node prints at the end of its provisioning. */
export const STATUS_KEYS = [
  'ExitCode',
  'Output',
  'Error',
  'ExecDuration',
  'KernelStartTime',
  'CloudInitLocalStartTime',
  'CloudInitStartTime',
  'CloudFinalStartTime',
  'NetworkdStartTime',
  'CSEStartTime',
  'GuestAgentStartTime',
  'SystemdSummary',
  'BootDatapoints',
] as const;

export interface MessageText {
  /** Readable: real line breaks, one kind of quote, no escapes of wrappers. */
  readonly text: string;
  /** The text before `[stdout]`, or all of it without that mark. */
  readonly head: string;
  /** Between `[stdout]` and `[stderr]`; all of it where there is neither. */
  readonly stdout: string;
  /** After `[stderr]`. */
  readonly stderr: string;
  /** Whether `[stdout]` or `[stderr]` is there. */
  readonly marked: boolean;
  /** Whether keys of the status are there, at the level of the message itself and not within its output. */
  readonly keyed: boolean;
}

export function readMessageText(raw: string): MessageText {
  const cleaned = withoutConsole(limited(raw));
  const { level, keyed } = levelOf(cleaned);
  let text = cleaned;
  for (let undone = 0; undone < level; undone++) text = unescaped(text);
  return { text, keyed, ...sections(text) };
}

// ---------------------------------------------------------------------------------------------------

const HEAD_LIMIT = 256 * 1024;
const TAIL_LIMIT = 1024 * 1024;
/** More wrappers than ever observed. */
const MAX_LEVEL = 5;

/** A serial log can be huge: its end shows the result, the head of a message contains the code. */
function limited(raw: string): string {
  const safe = raw.replaceAll(CUT, ' ');
  if (safe.length <= HEAD_LIMIT + TAIL_LIMIT) return safe;
  return `${safe.slice(0, HEAD_LIMIT)}${CUT}${safe.slice(-TAIL_LIMIT)}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#x22;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

function withoutConsole(text: string): string {
  // Zero bytes: UTF-16 that was read byte by byte. Escape sequences: colours of a console.
  let plain = text.replaceAll('\u0000', '').replaceAll('\ufeff', '').replaceAll('\r', '');
  if (plain.includes('\u001b')) plain = plain.replace(ANSI, '');
  if (plain.includes('&quot;') || plain.includes('&#34;') || plain.includes('&#x22;'))
    plain = plain.replace(
      /&(?:quot|lt|gt|amp|#34|#39|#x22|#x27);/gi,
      (entity) => ENTITIES[entity.toLowerCase()]!,
    );
  return plain.replace(CONSOLE_PREFIX, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
const ANSI = /\u001b\[[0-9;?]{0,16}[A-Za-z]/g;

/** `[   45.123456] cloud-init[1234]: `, with or without either part. */
const CONSOLE_PREFIX = /^(?:<\d{1,3}>)?(?:\[ {0,8}\d{1,8}\.\d{1,9}\] ?)?(?:cloud-init\[\d{1,8}\]: ?)?/gm;

const KEY = new RegExp(`(?<!\\\\)(\\\\*)"(?:${STATUS_KEYS.join('|')})(\\\\*)"\\s{0,64}:`, 'g');
/** On a line of its own, where the line breaks are such or escaped ones: the words may also stand in a log. */
const MARK =
  /(?<!\\)(\\*)n\[std(?:out|err)\](?=\\|$)|(?:^|\n)[ \t]{0,8}\[std(?:out|err)\][ \t]{0,8}(?=\n|$)/g;
/** What only a wrapper says, never a node's log. */
const WRAPPER =
  /command terminated with exit status|VMExtensionProvisioning|Error message|\\n\[std(?:out|err)\]\\/;

/**
 * How often the message was escaped: once gives one backslash before a quote, twice three, three times seven. Keys that
 * are escaped deeper than the marks of the message belong to a log within it and say nothing.
 */
function levelOf(text: string): { readonly level: number; readonly keyed: boolean } {
  let keys = Number.POSITIVE_INFINITY;
  for (const [, before = '', after = ''] of text.matchAll(KEY))
    if (before.length === after.length) keys = Math.min(keys, Math.log2(before.length + 1));
  let marks = Number.POSITIVE_INFINITY;
  for (const [, slashes] of text.matchAll(MARK)) {
    if (slashes === undefined) marks = 0;
    else if (slashes.length > 0) marks = Math.min(marks, 1 + Math.log2(slashes.length));
  }
  const level = Math.min(keys, marks);
  if (!Number.isInteger(level) || level > MAX_LEVEL) return { level: 0, keyed: false };
  if (level > 0 && !WRAPPER.test(text)) return { level: 0, keyed: false };
  return { level, keyed: keys === level };
}

const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '', t: '\t' };

function unescaped(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g, (_, hex?: string, short?: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return SHORT[short!] ?? short!;
  });
}

function sections(text: string): Pick<MessageText, 'head' | 'stdout' | 'stderr' | 'marked'> {
  const out = markAt(text, 0, 'stdout') ?? afterSentence(text);
  const err = markAt(text, out?.to ?? 0, 'stderr') ?? lastMark(text, out);
  return {
    head: out === undefined ? (err === undefined ? text : '') : text.slice(0, out.from),
    stdout: text.slice(out?.to ?? 0, err?.from),
    stderr: err === undefined ? '' : text.slice(err.to),
    marked: out !== undefined || err !== undefined,
  };
}

interface Mark {
  readonly from: number;
  readonly to: number;
}

/** The first on a line of its own. */
function markAt(text: string, after: number, name: 'stdout' | 'stderr'): Mark | undefined {
  const pattern = new RegExp(`(?:^|\\n)[ \\t]{0,8}\\[${name}\\][ \\t]{0,8}(?=\\n|$)`, 'g');
  pattern.lastIndex = after;
  const match = pattern.exec(text);
  if (match === null) return undefined;
  // The line break before it stays with the preceding text: it shows that a number there is complete.
  return { from: match.index + match[0].indexOf('['), to: match.index + match[0].length };
}

/** Where somebody put the message on one line. */
function afterSentence(text: string): Mark | undefined {
  const match = /(?<=exit status=\d{1,3} {0,8})\[stdout\]/.exec(text);
  return match === null ? undefined : { from: match.index, to: match.index + match[0].length };
}

function lastMark(text: string, out: Mark | undefined): Mark | undefined {
  const last = out === undefined ? -1 : text.lastIndexOf('[stderr]');
  return last < (out?.to ?? 0) ? undefined : { from: last, to: last + '[stderr]'.length };
}
