/** What a file system refuses, told as a `FlexError`: which path, why, and what to do. One row per reason. */
import { FlexError } from '../flex-error.ts';

interface Row {
  readonly code: string;
  readonly says: string;
  readonly remedy: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  ENOSPC: {
    code: 'host.disk-full',
    says: 'the disk is full',
    remedy:
      'Free some space on that file system (`df -h`, `df -i`), then run the same command again: it goes on where it stopped.',
  },
  EDQUOT: {
    code: 'host.disk-full',
    says: 'the disk quota is used up',
    remedy: 'Raise the quota or free some space, then run the same command again.',
  },
  EROFS: {
    code: 'host.read-only',
    says: 'the file system is read-only',
    remedy: 'Mount it writable (`mount -o remount,rw`), or look in `dmesg` why the kernel made it read-only.',
  },
  EACCES: {
    code: 'host.permission',
    says: 'permission was denied',
    remedy: 'Run as root. If it is root already, look for an immutable flag (`lsattr`) or a security module.',
  },
  EPERM: {
    code: 'host.permission',
    says: 'the operation is not permitted',
    remedy: 'Run as root. If it is root already, look for an immutable flag (`lsattr`) or a security module.',
  },
  ENOENT: {
    code: 'host.no-such-path',
    says: 'part of the path is not there',
    remedy: 'Make the folder first, or choose another path.',
  },
  ENOTDIR: {
    code: 'host.not-a-directory',
    says: 'part of the path is not a directory',
    remedy: 'Move the file that is in the way, or choose another path in the configuration.',
  },
  EISDIR: {
    code: 'host.is-a-directory',
    says: 'a directory is where a file should be',
    remedy: 'Move the directory out of the way, then run the same command again.',
  },
  ENOTEMPTY: {
    code: 'host.not-empty',
    says: 'the directory is not empty',
    remedy: 'Look at what is in it and move it elsewhere.',
  },
  ELOOP: {
    code: 'host.link-loop',
    says: 'symbolic links lead in a circle',
    remedy: 'Correct the links along this path.',
  },
  EMFILE: {
    code: 'host.too-many-files',
    says: 'too many files are open',
    remedy: 'Raise the limit (`ulimit -n`) and run the same command again.',
  },
  ETXTBSY: {
    code: 'host.busy',
    says: 'the program is running and cannot be changed in place',
    remedy: 'Stop it first.',
  },
  EBUSY: {
    code: 'host.busy',
    says: 'it is in use',
    remedy: 'See what uses it (`findmnt`, `fuser`), stop that, then run the same command again.',
  },
  EIO: {
    code: 'host.io',
    says: 'the device reported an input/output error',
    remedy: 'Look in `dmesg`: the disk may be failing.',
  },
};

const OTHER: Row = { code: 'host.io', says: 'the file system refused', remedy: 'See the reason given.' };

/** `doing`: `write`, `read`, `make the directory`. */
export function ioError(error: unknown, doing: string, path: string): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const row = ROWS[errno] ?? OTHER;
  return new FlexError({
    class: 'step',
    code: row.code,
    message: `Could not ${doing} ${path}: ${row.says} (${errno}).`,
    where: path,
    remedy: row.remedy,
    cause: error,
  });
}

/** Nothing is there: not the file, or what should be one of its folders is none. */
export function isAbsence(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof FlexError) return undefined;
  const code = (error as NodeJS.ErrnoException).code;
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
