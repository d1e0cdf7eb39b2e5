/** Where machines in folders are made: in memory where there is such a place, since making and removing them is most of the work. */
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';

export const FAST_TMPDIR = isWritable('/dev/shm') ? '/dev/shm' : tmpdir();

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
