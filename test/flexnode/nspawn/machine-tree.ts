/** A machine's files as a list of lines, so that before and after can be compared file by file. */
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** What a running system writes by itself, and what is no file system of the machine's own. */
const VOLATILE_PATHS = [
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/tmp',
  '/var/tmp',
  '/var/log/journal',
  '/var/log/wtmp',
  '/var/log/btmp',
  '/var/log/lastlog',
  '/var/lib/systemd',
  '/var/cache/ldconfig',
  '/etc/machine-id',
  '/root/.cache',
];

/** `path kind mode uid:gid content`, sorted. */
export function treeOf(root: string, leaveOut: readonly string[] = []): readonly string[] {
  const lines: string[] = [];
  const skipped = new Set([...VOLATILE_PATHS, ...leaveOut]);
  const walk = (path: string) => {
    for (const name of readdirSync(join(root, path)).sort()) {
      const inner = `${path === '/' ? '' : path}/${name}`;
      if (skipped.has(inner)) continue;
      lines.push(lineOf(root, inner));
      if (lstatSync(join(root, inner)).isDirectory()) walk(inner);
    }
  };
  walk('/');
  return lines;
}

/** Lines of one and not of the other, marked. */
export function differences(before: readonly string[], after: readonly string[]): readonly string[] {
  const [was, is] = [new Set(before), new Set(after)];
  return [
    ...before.filter((line) => !is.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !was.has(line)).map((line) => `+ ${line}`),
  ].sort((one, other) => (one.slice(2) < other.slice(2) ? -1 : 1));
}

// ---------------------------------------------------------------------------------------------------

function lineOf(root: string, path: string): string {
  const file = join(root, path);
  const info = lstatSync(file);
  const mode = (info.mode & 0o7777).toString(8).padStart(4, '0');
  const owner = `${info.uid}:${info.gid}`;
  if (info.isSymbolicLink()) return `${path} link ${owner} ${readlinkSync(file)}`;
  if (info.isDirectory()) return `${path} directory ${mode} ${owner}`;
  if (!info.isFile()) return `${path} other ${mode} ${owner}`;
  return `${path} file ${mode} ${owner} ${createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16)}`;
}
