/** Converts errors of the file system to a `FlexError` with path, reason and remedy. One row per errno. */
import { FlexError } from '../flex-error.ts';

interface Row {
  readonly code: string;
  readonly says: string;
  readonly remedy: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  ENOSPC: {
    code: 'host.disk-full',
    says: 'no space is left on the disk',
    remedy:
      'Free disk space on that file system (`df -h`, `df -i`), then run the same command again. It resumes where it stopped.',
  },
  EDQUOT: {
    code: 'host.disk-full',
    says: 'the disk quota is exceeded',
    remedy: 'Raise the quota or free disk space, then run the same command again.',
  },
  EROFS: {
    code: 'host.read-only',
    says: 'the file system is read-only',
    remedy: 'Mount it writable (`mount -o remount,rw`), or check `dmesg` for the reason.',
  },
  EACCES: {
    code: 'host.permission',
    says: 'permission was denied',
    remedy:
      'Run the command as root. If it runs as root, check for an immutable flag (`lsattr`) or a security module.',
  },
  EPERM: {
    code: 'host.permission',
    says: 'the operation is not permitted',
    remedy:
      'Run the command as root. If it runs as root, check for an immutable flag (`lsattr`) or a security module.',
  },
  ENOENT: {
    code: 'host.no-such-path',
    says: 'part of the path does not exist',
    remedy: 'Create the directory, or choose another path.',
  },
  ENOTDIR: {
    code: 'host.not-a-directory',
    says: 'part of the path is not a directory',
    remedy: 'Move the file that has the name of the directory, or choose another path in the config.',
  },
  EISDIR: {
    code: 'host.is-a-directory',
    says: 'the path is a directory, not a file',
    remedy: 'Move the directory, then run the same command again.',
  },
  ENOTEMPTY: {
    code: 'host.not-empty',
    says: 'the directory is not empty',
    remedy: 'Move its content elsewhere.',
  },
  ELOOP: {
    code: 'host.link-loop',
    says: 'the path contains a loop of symbolic links',
    remedy: 'Correct the links of this path.',
  },
  EMFILE: {
    code: 'host.too-many-files',
    says: 'too many files are open',
    remedy: 'Raise the limit (`ulimit -n`) and run the same command again.',
  },
  ETXTBSY: {
    code: 'host.busy',
    says: 'the program is running and cannot be modified',
    remedy: 'Stop the program first.',
  },
  EBUSY: {
    code: 'host.busy',
    says: 'it is in use',
    remedy: 'Find the process that uses it (`findmnt`, `fuser`), stop it, then run the same command again.',
  },
  EIO: {
    code: 'host.io',
    says: 'the device reported an input/output error',
    remedy: 'Check `dmesg`. The disk may be failing.',
  },
};

const OTHER: Row = {
  code: 'host.io',
  says: 'the file system returned an error',
  remedy: 'Check the error code.',
};

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
