/**
 * A directory that represents a machine, and a step's context on it: programs under the folder really run, systemd and the
 * kernel's tools are played. For tests of one step; whole runs go through the engine.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import {
  createRealHost,
  type FlexConfig,
  type MachineHost,
} from '../../../packages/chandler/src/flexnode/index.ts';
import {
  type Artifacts,
  type Command,
  type CommandResult,
  type DeepPartial,
  type OwningHost,
  type StepContext,
  sampleConfig,
} from '../../../packages/chandler/src/flexnode/testing.ts';

import { FAST_TMPDIR } from '../fast-tmpdir.ts';

export interface PlayedUnit {
  active: boolean;
  enabled: boolean;
}

export interface FolderMachine {
  readonly root: string;
  readonly machine: MachineHost;
  readonly host: OwningHost;
  /** Every command that changes something, as one line. */
  readonly changes: string[];
  /** Every write, link, removal, as `write /etc/…`. */
  readonly effects: string[];
  readonly claims: string[];
  readonly units: Record<string, PlayedUnit>;
  readonly facts: Map<string, string>;
  readonly said: string[];
  /** Another answer than the played one: `undefined` goes on to it. */
  answers: (command: Command) => Partial<CommandResult> | undefined;
  put(path: string, text: string, mode?: number): Promise<void>;
  read(path: string): Promise<string | undefined>;
  context(over?: DeepPartial<FlexConfig>, more?: Partial<StepContext>): StepContext;
  close(): Promise<void>;
}

export async function folderMachine(): Promise<FolderMachine> {
  const root = await mkdtemp(join(FAST_TMPDIR, 'flexnode-'));
  const world = virtualWorld();
  const parts = {
    changes: [] as string[],
    effects: [] as string[],
    claims: [] as string[],
    said: [] as string[],
    units: {} as Record<string, PlayedUnit>,
    facts: new Map<string, string>(),
  };
  const machine = createRealHost(world, {
    root,
    fsync: false,
    mountPoints: async () => [],
    onEffect: (kind, what, moment) => {
      if (moment === 'after' && kind !== 'command') parts.effects.push(`${kind} ${what}`);
    },
    commands: async (command) => {
      if (command.changes) parts.changes.push(command.argv.join(' '));
      const own = folder.answers(command);
      if (own !== undefined) return { exitCode: 0, stdout: '', stderr: '', ...own };
      return await played(root, command, parts.units);
    },
  });
  const host: OwningHost = {
    ...machine,
    claim: async (path) => void parts.claims.push(path),
    leave: async () => undefined,
  };
  const folder: FolderMachine = {
    root,
    machine,
    host,
    ...parts,
    answers: () => undefined,
    async put(path, text, mode = 0o644) {
      await mkdir(dirname(root + path), { recursive: true });
      await writeFile(root + path, text, { mode });
    },
    read: async (path) => await readFile(root + path, 'utf8').catch(() => undefined),
    context: (over = {}, more = {}) => ({
      world,
      config: sampleConfig(over),
      host,
      artifacts: NO_ARTIFACTS,
      azure: undefined as never,
      cluster: undefined as never,
      facts: {
        get: (key) => parts.facts.get(key),
        set: async (key, value) => void parts.facts.set(key, value),
        delete: async (key) => void parts.facts.delete(key),
      },
      architecture: 'amd64',
      self: { argv: ['chandler-flexnode'] },
      signal: new AbortController().signal,
      dryRun: false,
      say: (message) => void parts.said.push(message),
      ...more,
    }),
    close: () => rm(root, { recursive: true, force: true }),
  };
  return folder;
}

// ---------------------------------------------------------------------------------------------------

const NO_ARTIFACTS: Artifacts = {
  prefetch: () => undefined,
  obtain: (request) => Promise.reject(new Error(`nobody expected ${request.kind} to be fetched`)),
  discard: async () => undefined,
};

async function played(
  root: string,
  { argv }: Command,
  units: Record<string, PlayedUnit>,
): Promise<CommandResult | undefined> {
  const [program] = argv;
  const [, verb, unit] = argv.filter((word) => !word.startsWith('--'));
  if (program === 'systemctl') return systemctl(verb ?? '', (unit ?? '').replace(/\.service$/, ''), units);
  if (program.startsWith('/')) return await reallyRun(join(root, program), argv.slice(1));
  return PLAYED.has(program) ? { exitCode: 0, stdout: '', stderr: '' } : undefined;
}

const PLAYED = new Set(['modprobe', 'sysctl', 'swapoff', 'swapon']);

function systemctl(verb: string, name: string, units: Record<string, PlayedUnit>): CommandResult {
  const unit = units[name];
  const said = (exitCode: number, stdout: string, stderr = '') => ({
    exitCode,
    stdout: `${stdout}\n`,
    stderr,
  });
  if (verb === 'daemon-reload' || verb === 'reset-failed') return said(0, '');
  if (verb === 'is-active') return unit?.active ? said(0, 'active') : said(3, unit ? 'inactive' : 'unknown');
  if (verb === 'is-enabled')
    return unit?.enabled ? said(0, 'enabled') : said(1, unit ? 'disabled' : 'not-found');
  if (unit === undefined)
    return said(5, '', `Failed to ${verb} ${name}.service: Unit ${name}.service not found.`);
  if (verb === 'stop') unit.active = false;
  if (verb === 'start' || verb === 'restart') unit.active = true;
  if (verb === 'enable') unit.enabled = true;
  if (verb === 'disable') unit.enabled = false;
  return said(0, '');
}

function reallyRun(path: string, args: readonly string[]): Promise<CommandResult | undefined> {
  return new Promise((resolve) => {
    execFile(path, args, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 127;
      resolve({ exitCode: code, stdout, stderr });
    });
  });
}
