/** The config file from the disk: its text and mode, read by `flexnode/config`. What cannot be read is a failure of class config. */
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  type ConfigProblem,
  type ConfigReading,
  configMissing,
  configRefusal,
  DEFAULT_CONFIG_PATH,
  type FlexConfig,
  FlexError,
  problemLines,
  readConfig,
} from '../../flexnode/index.ts';
import type { Environment } from '../../settings/index.ts';

export interface ConfigPlace {
  readonly path: string;
  readonly root?: string;
  readonly env: Environment;
}

export interface LoadedConfig {
  readonly config: FlexConfig;
  readonly warnings: readonly ConfigProblem[];
}

/** Its problems, one by one, for people; what comes with it is the one sentence for programs. */
export class ConfigRefused extends FlexError {
  readonly lines: string;
  readonly problems: readonly ConfigProblem[];

  constructor(path: string, problems: readonly ConfigProblem[]) {
    super(configRefusal(path, problems).facts);
    this.lines = problemLines(path, problems);
    this.problems = problems;
  }
}

export async function loadConfig(place: ConfigPlace): Promise<LoadedConfig> {
  const reading = await readConfigFile(place);
  if (!reading.ok) throw new ConfigRefused(place.path, reading.problems);
  return { config: reading.config, warnings: reading.warnings };
}

export async function readConfigFile(place: ConfigPlace): Promise<ConfigReading> {
  const file = await readSmallFile(placeOf(place), place.path);
  if (file === undefined) throw configMissing(place.path, 'there is no such file');
  return readConfig(
    { ...file, path: place.path },
    { hostname: await hostnameOf(place.root), env: place.env, readSecretFile },
  );
}

// ---------------------------------------------------------------------------------------------------

/** The largest real ones have a few kilobytes. */
const MOST_BYTES = 1024 * 1024;

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'it may not be read; run this as root',
  ELOOP: 'it is a link that leads nowhere',
  ENAMETOOLONG: 'its name is too long',
};

/** A file that was named is where it was named; only the default belongs to the machine under the root. */
function placeOf({ path, root }: ConfigPlace): string {
  return root !== undefined && path === DEFAULT_CONFIG_PATH ? join(root, path) : path;
}

async function hostnameOf(root: string | undefined): Promise<string> {
  if (root === undefined) return hostname();
  try {
    return (await readFile(join(root, 'etc/hostname'), 'utf8')).trim();
  } catch {
    return hostname();
  }
}

function readSecretFile(path: string): Promise<SmallFile | undefined> {
  return readSmallFile(path, path);
}

interface SmallFile {
  readonly text: string;
  readonly mode: number;
}

/** `undefined`: it is not there. Looked at before it is opened: a pipe or a device would never end. */
async function readSmallFile(file: string, name: string): Promise<SmallFile | undefined> {
  try {
    const info = await stat(file);
    if (info.isDirectory()) throw configMissing(name, 'it is a directory');
    if (!info.isFile()) throw configMissing(name, 'it is not a regular file');
    if (info.size > MOST_BYTES)
      throw configMissing(name, `it has ${info.size} bytes, and ${MOST_BYTES} are the most that is read`);
    return { text: await readFile(file, 'utf8'), mode: info.mode & 0o777 };
  } catch (error) {
    if (error instanceof FlexError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw configMissing(name, WORDS[code] ?? `it cannot be read (${code})`);
  }
}
