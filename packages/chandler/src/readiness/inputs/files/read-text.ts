/**
 * Reads a text file that people wrote: with or without byte order mark, in UTF-8 or UTF-16, with the line ends of any
 * system, and with characters that an editor broke. Only what is no text at all is refused.
 */
import { readFile } from 'node:fs/promises';
import type { FoundFile } from './discover.ts';

export const MAX_TEXT_BYTES = 8 * 2 ** 20;

/** @returns the text with `\n` as line ends, or the sentence why there is none. */
export async function readText(
  file: FoundFile,
  maxBytes = MAX_TEXT_BYTES,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (file.sizeBytes > maxBytes)
    return { problem: `larger than ${Math.floor(maxBytes / 2 ** 20)} MiB; the file was not read` };
  const bytes = await readFile(file.path).catch((error: unknown) => {
    return `cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
  });
  return typeof bytes === 'string' ? { problem: bytes } : decode(bytes);
}

export function decode(bytes: Uint8Array): { readonly text: string } | { readonly problem: string } {
  const encoding = encodingOf(bytes);
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\0')) return { problem: 'is not a text file' };
  return { text: text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') };
}

/** By the byte order mark, which the decoder drops. */
export function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
