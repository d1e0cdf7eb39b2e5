/** The config file from the disk: its text and mode, read by `flexnode/config`. What cannot be read is a failure of class config. */
import { readFile, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { FlexConfig } from '../../flexnode/config/config.ts';
import { DEFAULT_CONFIG_PATH } from '../../flexnode/config/default-path.ts';
import { type ConfigProblem, type ConfigReading, readConfig } from '../../flexnode/config/read.ts';
import { configMissing, configRefusal, problemLines } from '../../flexnode/config/refusal.ts';
import { FlexError } from '../../flexnode/flex-error.ts';
import type { Environment } from '../../settings/option-table.ts';

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
  const file = placeOf(place);
  try {
    const { mode } = await stat(file);
    const text = await readFile(file, 'utf8');
    return readConfig(
      { text, path: place.path, mode: mode & 0o777 },
      { hostname: await hostnameOf(place.root), env: place.env, readSecretFile },
    );
  } catch (error) {
    const words = WORDS[(error as NodeJS.ErrnoException).code ?? ''];
    if (words === undefined) throw error;
    throw configMissing(place.path, words);
  }
}

// ---------------------------------------------------------------------------------------------------

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'it may not be read; run this as root',
  ELOOP: 'it is a link that leads nowhere',
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

async function readSecretFile(path: string): Promise<{ text: string; mode: number } | undefined> {
  try {
    const { mode } = await stat(path);
    return { text: await readFile(path, 'utf8'), mode: mode & 0o777 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw configMissing(path, WORDS[code ?? ''] ?? `it cannot be read (${code})`);
  }
}
