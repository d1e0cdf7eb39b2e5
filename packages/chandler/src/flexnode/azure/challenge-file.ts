/**
 * The challenge file of HIMDS, which only root can read. Any program that listens on the port of HIMDS could name another
 * path, so only paths in the directory of the real agent are read: otherwise a secret of the machine could leak.
 */
import { constants, open } from 'node:fs/promises';
import { FlexError } from '../flex-error.ts';
import type { FileInfo, Host } from '../host/host.ts';

export const TOKENS_DIR = '/var/opt/azcmagent/tokens';
export const MAX_CHALLENGE_BYTES = 4096;

/** Opens the file without following links; `undefined` if it does not exist. */
export interface ChallengeFiles {
  open(path: string): Promise<{ readonly info: FileInfo; readonly content: Uint8Array } | undefined>;
  /** The users that may own the file, in addition to root. */
  owners(): Promise<readonly number[]>;
}

export async function readChallenge(files: ChallengeFiles, header: string | undefined): Promise<string> {
  const path = challengePath(header);
  const opened = await files.open(path);
  if (opened === undefined) throw refused(`the challenge file ${path} does not exist`);
  const { info, content } = opened;
  if (info.kind !== 'file') throw refused(`${path} is a ${info.kind}, not a file`);
  if (info.size > MAX_CHALLENGE_BYTES || content.length > MAX_CHALLENGE_BYTES) {
    throw refused(`${path} is larger than ${MAX_CHALLENGE_BYTES} bytes`);
  }
  if ((info.mode & 0o007) !== 0) throw refused(`${path} is readable by all users`);
  if (info.uid !== 0 && !(await files.owners()).includes(info.uid)) {
    throw refused(`${path} is owned by user ${info.uid}, not by root or himds`);
  }
  const key = Buffer.from(content)
    .toString('utf8')
    .replace(/\r?\n$/, '');
  // The key is sent in a header and must not contain line breaks.
  if (!/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key))
    throw refused(`${path} does not contain a valid key`);
  return key;
}

/** From `Basic realm=/var/opt/azcmagent/tokens/….key`, quoted or not. */
export function challengePath(header: string | undefined): string {
  const match = /^\s*basic\s+(?:.*,\s*)?realm\s*=\s*(?:"([^"]*)"|([^",\s]+))\s*(?:,.*)?$/i.exec(header ?? '');
  const path = match?.[1] ?? match?.[2];
  if (path === undefined) throw refused('the response has no Basic challenge with a realm');
  const name = path.startsWith(`${TOKENS_DIR}/`) ? path.slice(TOKENS_DIR.length + 1) : '';
  if (!/^[\w-][\w.-]*\.key$/.test(name) || name.includes('..')) {
    throw refused(`the challenge names ${shown(path)}, which is not a key file in ${TOKENS_DIR}`);
  }
  return path;
}

/** Reads through the host of the steps; `lstat` detects links in place of the directory or the file. */
export function challengeFilesOf(host: Pick<Host, 'lstat' | 'readFile'>): ChallengeFiles {
  return {
    async open(path) {
      if ((await host.lstat(TOKENS_DIR))?.kind !== 'directory') return undefined;
      const info = await host.lstat(path);
      if (info === undefined) return undefined;
      const readable = info.kind === 'file' && info.size <= MAX_CHALLENGE_BYTES;
      const content = readable ? await host.readFile(path) : new Uint8Array();
      return content === undefined ? undefined : { info, content };
    },
    owners: async () => allowedOwners(await host.readFile('/etc/passwd')),
  };
}

/** For the exec plugin, without a host: opens the file without following links, then checks it. */
export function realChallengeFiles(): ChallengeFiles {
  return {
    async open(path) {
      try {
        const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
        try {
          const stat = await file.stat();
          const info: FileInfo = {
            kind: stat.isFile() ? 'file' : 'other',
            mode: stat.mode & 0o7777,
            uid: stat.uid,
            gid: stat.gid,
            size: stat.size,
          };
          const buffer = new Uint8Array(MAX_CHALLENGE_BYTES + 1);
          if (info.kind !== 'file') return { info, content: new Uint8Array() };
          const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
          return { info, content: buffer.subarray(0, bytesRead) };
        } finally {
          await file.close();
        }
      } catch (error) {
        return missingOrRefused(error, path);
      }
    },
    async owners() {
      try {
        const file = await open('/etc/passwd', constants.O_RDONLY);
        try {
          return allowedOwners(await file.readFile());
        } finally {
          await file.close();
        }
      } catch {
        return allowedOwners(undefined);
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function missingOrRefused(error: unknown, path: string): undefined {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  if (code === 'ELOOP') throw refused(`${path} is a symlink, not a file`);
  if (code === 'EACCES' || code === 'EPERM') {
    throw new FlexError({
      class: 'auth',
      code: 'himds.not-root',
      message: `permission denied: ${path}`,
      remedy: 'Run the command as root.',
    });
  }
  throw error;
}

/** himds and the current user, who can read its own files anyway. */
function allowedOwners(passwd: Uint8Array | undefined): readonly number[] {
  const text = passwd === undefined ? '' : Buffer.from(passwd).toString('utf8');
  const himds = /^himds:[^:]*:(\d+):/m.exec(text)?.[1];
  const own = process.getuid?.();
  return [...(himds === undefined ? [] : [Number(himds)]), ...(own === undefined ? [] : [own])];
}

function refused(message: string): FlexError {
  return new FlexError({
    class: 'auth',
    code: 'himds.challenge-refused',
    message: `HIMDS: ${message}`,
    remedy: 'Check which program listens on the port of HIMDS (ss -ltnp), and that azcmagent is up to date.',
  });
}

function shown(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
