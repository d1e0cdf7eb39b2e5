/** Compares two files in chunks, so that neither is read into memory as a whole. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Host } from './host.ts';

/** On any host; a file that is not there is like no other. */
export async function sameContent(
  host: Pick<Host, 'readFile' | 'sameContent'>,
  one: string,
  other: string,
): Promise<boolean> {
  if (host.sameContent !== undefined) return host.sameContent(one, other);
  const [left, right] = await Promise.all([host.readFile(one), host.readFile(other)]);
  return left !== undefined && right !== undefined && Buffer.compare(left, right) === 0;
}

/** Files of the disk. */
export async function sameBytes(one: string, other: string): Promise<boolean> {
  const left = await open(one);
  try {
    const right = await open(other);
    try {
      return await comparePieces(left, right);
    } finally {
      await right.close();
    }
  } finally {
    await left.close();
  }
}

// ---------------------------------------------------------------------------------------------------

/** Reuses two buffers: for a program of 100 MB, allocating new ones would cost more than reading. */
const PIECE_BYTES = 1024 * 1024;

async function comparePieces(left: FileHandle, right: FileHandle): Promise<boolean> {
  const [a, b] = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)];
  for (let position = 0; ; ) {
    const [inLeft, inRight] = await Promise.all([
      left.read(a, 0, PIECE_BYTES, position),
      right.read(b, 0, PIECE_BYTES, position),
    ]);
    const bytes = Math.min(inLeft.bytesRead, inRight.bytesRead);
    if (bytes === 0) return inLeft.bytesRead === inRight.bytesRead;
    if (a.compare(b, 0, bytes, 0, bytes) !== 0) return false;
    position += bytes;
  }
}
