/**
 * The line of a serial log that shows why an operating system did not start, and how a message quotes it: bounded, on one
 * line, without secrets. A log in which a later line shows that the boot went on, or that a later boot came further,
 * decides nothing. Which lines count, `boot-lines.table.ts` says.
 */
import { isFollowedBy, lastFound, withoutLogSecrets } from '../../causes/index.ts';

import { clipped, withoutControls } from '../quoted-line.ts';
import { BOOT_LINES, type BootLineKind, type BootLineRow, USERSPACE } from './boot-lines.table.ts';
import { isOfNode, ownDisks } from './own-disks.ts';

export interface DecisiveBootLine {
  readonly kind: BootLineKind;
  /** Without secrets and double quotes, at most `MAX_LINE_LENGTH` characters. */
  readonly line: string;
}

export interface QuotedBootLine extends DecisiveBootLine {
  /** It is about a disk that was requested with a customer-managed key. */
  readonly hasCustomerKey: boolean;
}

/** Of the raw log of a VM of which the cloud says that its operating system did not start. */
export function decisiveBootLine(raw: string): DecisiveBootLine | undefined {
  const text = withoutLogSecrets(raw.slice(-SEARCHED).replaceAll('\u0000', ''));
  const own = ownDisks(text);
  for (const [kind, row] of ROWS) {
    const found = lastFound(text, (line) => signIn(row, own, line));
    if (found === undefined || isOver(text, found.line, row)) continue;
    const { sign, line } = found.found;
    if (sign < 0) continue;
    return { kind, line: clipped(withoutControls(line).replaceAll('"', "'"), sign - BEFORE_SIGN) };
  }
  return undefined;
}

/** Between what happened and the words of the cloud, so that no limit of an event or a condition cuts it off. */
export function quotingBootLine(
  happened: string,
  { kind, line, hasCustomerKey }: QuotedBootLine,
  said: string,
): string {
  const shows = `${BOOT_LINES[kind].shows}${hasCustomerKey && ENCRYPTED.has(kind) ? CUSTOMER_KEY : ''}`;
  return `${happened} (${shows}). ${QUOTED}"${line}". ${said}`;
}

/** The quote of such a message, and the message without it. */
export function quotedBootLine(
  message: string,
): { readonly quoted: QuotedBootLine; readonly rest: string } | undefined {
  const [whole = '', happened, shows, key, line = ''] = QUOTE.exec(message) ?? [];
  const kind = ROWS.find(([, row]) => row.shows === shows)?.[0];
  if (kind === undefined) return undefined;
  const hasCustomerKey = key !== undefined;
  return { quoted: { kind, line, hasCustomerKey }, rest: `${happened}: ${message.slice(whole.length)}` };
}

// ---------------------------------------------------------------------------------------------------

/** A boot writes less. */
const SEARCHED = 128 * 1024;
/** Of a long line, what it is about comes before what went wrong. */
const BEFORE_SIGN = 80;

const ROWS = Object.entries(BOOT_LINES) as unknown as readonly (readonly [BootLineKind, BootLineRow])[];

/** About what a customer-managed key encrypts. */
const ENCRYPTED: ReadonlySet<BootLineKind> = new Set(['readOnlyDisk', 'disk']);

const QUOTED = 'Boot log: ';
const CUSTOMER_KEY = ', customer-managed key';
/** At the beginning only: what the cloud or the log says has no place there. */
const QUOTE = new RegExp(
  `^([^"():]{1,80}) \\(([a-z -]{1,40})(${CUSTOMER_KEY})?\\)\\. ${QUOTED}"([^"\\n]{1,210})"\\. `,
);

/** Where the sign ends; negative where the line ends the search without one. */
function signIn(
  { says, isOfNodeDisk, isLast }: BootLineRow,
  own: ReadonlySet<string>,
  line: string,
): { readonly sign: number; readonly line: string } | undefined {
  const match = says.exec(line);
  const isWanted = match !== null && (isOfNodeDisk !== true || isOfNode(own, line));
  if (isWanted) return { sign: match.index + match[0].length, line };
  return isLast === true && /\S/.test(line) ? { sign: -1, line } : undefined;
}

function isOver(text: string, line: string, { overAfter }: BootLineRow): boolean {
  return isFollowedBy(text, line, overAfter) || isFollowedByBoot(text, line);
}

/** The VM was started again since, and came further than its kernel. One that fails in its kernel repeats the line. */
function isFollowedByBoot(text: string, line: string): boolean {
  const after = text.slice(text.lastIndexOf(line) + line.length);
  const boot = after.indexOf('Linux version ');
  return boot >= 0 && USERSPACE.test(after.slice(boot));
}
