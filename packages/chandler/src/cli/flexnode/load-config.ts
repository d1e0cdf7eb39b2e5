/** Reads the config file from disk; `flexnode/config` validates it. A file that cannot be read fails with class config. */
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

/** Carries the problems as lines of text in addition to the one-sentence message. */
export class InvalidConfigError extends FlexError {
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
  if (!reading.ok) throw new InvalidConfigError(place.path, reading.problems);
  return { config: reading.config, warnings: reading.warnings };
}

export async function readConfigFile(place: ConfigPlace): Promise<ConfigReading> {
  const file = await readSmallFile(placeOf(place), place.path);
  if (file === undefined) throw configMissing(place.path, 'the file does not exist');
  return readConfig(
    { ...file, path: place.path },
    { hostname: await hostnameOf(place.root), env: place.env, readSecretFile },
  );
}

// ---------------------------------------------------------------------------------------------------

/** Real config files have a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

const ERRNO_MESSAGES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; run the command as root',
  ELOOP: 'it is a symbolic link that cannot be resolved',
  ENAMETOOLONG: 'its name is too long',
};

/** Only the default path is relative to `--root`; a path given by the user is used as it is. */
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

/** Returns `undefined` if the file does not exist. Checks the type before opening: reading a pipe or device may never end. */
async function readSmallFile(file: string, name: string): Promise<SmallFile | undefined> {
  try {
    const info = await stat(file);
    if (info.isDirectory()) throw configMissing(name, 'it is a directory');
    if (!info.isFile()) throw configMissing(name, 'it is not a regular file');
    if (info.size > MAX_BYTES)
      throw configMissing(name, `its size is ${info.size} bytes; the maximum is ${MAX_BYTES}`);
    return { text: await readFile(file, 'utf8'), mode: info.mode & 0o777 };
  } catch (error) {
    if (error instanceof FlexError) throw error;
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw configMissing(name, ERRNO_MESSAGES[code] ?? `it cannot be read (${code})`);
  }
}
