/**
 * MIME multipart messages as cloud-init reads them: parts in, text out, and the other way round. Bodies are never decoded:
 * a part that says base64 keeps its header and its text. Carriage returns are removed everywhere, as cloud-init would run a
 * script with them and fail.
 */
import { UserDataError } from './user-data.ts';

export interface MimePart {
  /** Names as written, in their order. Every part has a `Content-Type`. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export const SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"';
export const CLOUD_CONFIG = 'text/cloud-config; charset="us-ascii"';
export const NODE_CONFIG = 'application/node.eks.aws';

export function partOf(contentType: string, body: string): MimePart {
  return { headers: [['Content-Type', contentType]], body: withoutCarriageReturns(body) };
}

/** Without parameters, in lower case: `text/x-shellscript`. */
export function mediaTypeOf(part: MimePart): string {
  return headerOf(part.headers, 'content-type').split(';')[0]!.trim().toLowerCase();
}

export function looksLikeMime(text: string): boolean {
  return /^\s*(MIME-Version|Content-Type):/i.test(text);
}

/** @throws {UserDataError} `malformedUserData`. */
export function parseMime(text: string, path: string): readonly MimePart[] {
  const refuse = (message: string): never => {
    throw new UserDataError('malformedUserData', path, message);
  };
  const { headers, body } = splitHeaders(withoutCarriageReturns(text).trimStart(), refuse);
  const contentType = headerOf(headers, 'content-type');
  if (!/^\s*multipart\//i.test(contentType)) {
    return refuse(
      'it starts like a MIME message, but its Content-Type is not multipart/mixed; add the header, or give the script alone',
    );
  }
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) return refuse('the Content-Type of the MIME message has no boundary');
  return splitParts(body, boundary, refuse).map((part) => {
    const { headers, body } = splitHeaders(part, refuse);
    return headerOf(headers, 'content-type') === ''
      ? { headers: [...headers, ['Content-Type', 'text/plain'] as const], body }
      : { headers, body };
  });
}

/** The same parts always give the same text. */
export function writeMime(parts: readonly MimePart[]): string {
  const boundary = freeBoundary(parts);
  const written = parts.map(({ headers, body }) =>
    [`--${boundary}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', body, ''].join('\n'),
  );
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    `${written.join('')}--${boundary}--`,
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

type Refuse = (message: string) => never;

/** The boundary that nodes of Karpenter have; a longer one where a part has a line that starts like it. */
function freeBoundary(parts: readonly MimePart[]): string {
  let boundary = '//';
  while (parts.some(({ body }) => `\n${body}`.includes(`\n--${boundary}`))) boundary += 'x';
  return boundary;
}

function withoutCarriageReturns(text: string): string {
  return text.replaceAll('\r', '');
}

function headerOf(headers: MimePart['headers'], name: string): string {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

function boundaryOf(contentType: string): string | undefined {
  const found = /;\s*boundary\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]+))/i.exec(contentType);
  const boundary = found?.[1]?.replace(/\\(.)/g, '$1') ?? found?.[2];
  return boundary === '' ? undefined : boundary;
}

/** Headers up to the first empty line; a line that starts with a blank continues the header before it. */
function splitHeaders(text: string, refuse: Refuse): MimePart {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  if (end < 0) return refuse('a MIME part has no empty line between its headers and its text');
  const headers: [string, string][] = [];
  for (const line of lines.slice(0, end)) {
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) last[1] += ` ${line.trim()}`;
    else headers.push(readHeader(line, refuse));
  }
  return { headers, body: lines.slice(end + 1).join('\n') };
}

function readHeader(line: string, refuse: Refuse): [string, string] {
  const colon = line.indexOf(':');
  if (colon <= 0 || /\s/.test(line.slice(0, colon))) {
    return refuse('a header of the MIME message is not of the form Name: value');
  }
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** The text before the first boundary and after the last is not part of the message. */
function splitParts(body: string, boundary: string, refuse: Refuse): readonly string[] {
  const parts: string[][] = [];
  for (const line of body.split('\n')) {
    const trimmed = line.trimEnd();
    if (trimmed === `--${boundary}--`) return parts.map((lines) => lines.join('\n'));
    if (trimmed === `--${boundary}`) parts.push([]);
    else parts.at(-1)?.push(line);
  }
  return refuse(`the MIME message does not end with the line --${boundary}--`);
}
