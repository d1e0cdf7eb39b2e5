/** Makes a dump of a cluster and writes it to a file that only its owner may read. */

import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Dump, type DumpedKind, encodeDump, makeDump } from '../../diagnose/index.ts';
import { BUILD } from '../../settings/index.ts';
import { EXIT_FAILURE, EXIT_OK, Failure, type Terminal } from '../verb.ts';
import { asFailure } from './as-failure.ts';
import { openSource } from './open-source.ts';
import type { OpenRequest } from './source.ts';

export interface DumpRequest extends OpenRequest {
  readonly file: string;
  readonly namespaces: readonly string[];
  readonly maxBytes: number;
  readonly terminal: Terminal;
}

/** @throws {Failure} */
export async function writeDump(request: DumpRequest): Promise<number> {
  const { file, namespaces, maxBytes, terminal } = request;
  const source = await openSource(request);
  try {
    const dump = await makeDump({
      reader: source.reader(),
      cloud: source.cloud,
      madeBy: `chandler ${BUILD.version}`,
      namespaces,
      maxBytes,
    });
    if (Object.values(dump.kinds).every(({ objects, cut }) => objects.length === 0 && cut === undefined))
      throw new Failure(nothing(dump));
    write(file, dump, terminal);
    for (const line of shortcomings(dump)) terminal.err(`chandler dump: ${line}\n`);
    return NEEDED.some((name) => isMissing(dump.kinds[name])) ? EXIT_FAILURE : EXIT_OK;
  } catch (error) {
    throw await asFailure(error);
  } finally {
    await source.close();
  }
}

// ---------------------------------------------------------------------------------------------------

/** Without these, `why` answers hardly any question. */
const NEEDED = ['nodes', 'pods'] as const;

function isMissing(kind: DumpedKind | undefined): boolean {
  return isUnread(kind) || (kind?.cut !== undefined && kind.objects.length === 0);
}

function isUnread(kind: DumpedKind | undefined): boolean {
  return kind?.unread !== undefined && kind.unread.why !== 'notFound';
}

function write(file: string, dump: Dump, terminal: Terminal): void {
  if (file === '-') {
    terminal.out(`${Buffer.from(encodeDump(dump, false)).toString('utf8')}\n`);
    return;
  }
  const bytes = encodeDump(dump, file.endsWith('.gz'));
  try {
    replaceFile(file, bytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`${file} cannot be written (${code})`);
  }
  const objects = Object.values(dump.kinds).reduce((sum, kind) => sum + kind.objects.length, 0);
  terminal.err(`${file}: ${objects} objects, ${Math.ceil(bytes.length / 1024)} KiB\n`);
}

/**
 * A new file that only its owner may read takes the place of whatever has the name: neither the mode of an existing file
 * is kept nor a link followed. Devices and pipes are not replaced. @throws {Failure}
 */
function replaceFile(file: string, bytes: Uint8Array): void {
  const existing = statSync(file, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile())
    throw new Failure(`${file} is not a regular file; name another, or - for standard output`);
  // A folder of its own, which others cannot enter, on the same file system.
  const folder = mkdtempSync(join(dirname(file), '.chandler-dump-'));
  try {
    const temporary = join(folder, basename(file));
    writeFileSync(temporary, bytes, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What could not be read, each with the permission that is missing. */
function shortcomings({ kinds, cutLogs, unread }: Dump): readonly string[] {
  const objects = Object.entries(kinds).flatMap(([name, kind]) => {
    const cut = kind.cut === undefined ? [] : [kind.cut];
    if (!isUnread(kind)) return cut;
    const { permission, message = '' } = kind.unread!;
    const some = kind.objects.length === 0 ? '' : ` except for ${kind.objects.length}`;
    const why = permission === undefined ? `: ${message}` : `; reading them requires ${permission}`;
    return [`${name} are missing${some}${why}`, ...cut];
  });
  const rest = unread
    .filter(({ why }) => why === 'forbidden')
    .map(
      ({ what, permission }) =>
        `${what} is missing; reading it requires ${permission ?? 'credentials that the API server accepts'}`,
    );
  return [...objects, ...(cutLogs === undefined ? [] : [cutLogs]), ...rest];
}

function nothing({ kinds }: Dump): string {
  const why = Object.values(kinds)
    .map(({ unread }) => unread?.message ?? unread?.permission)
    .find((text) => text !== undefined);
  return `nothing could be read from the cluster${why === undefined ? '' : `: ${why}`}`;
}
