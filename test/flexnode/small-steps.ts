/** Four small steps with the habits of the real ones: folders, a file over an existing one, a link, a service by command. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRealHost,
  type FlexConfig,
  type FlexEvent,
  type Parts,
} from '../../packages/chandler/src/flexnode/index.ts';
import {
  type Command,
  type CommandResult,
  type RealHostOptions,
  type Step,
  sampleConfig,
} from '../../packages/chandler/src/flexnode/testing.ts';
import { FAST_TMPDIR } from './fast-tmpdir.ts';
import { instantWorld } from './instant-world.ts';
import { layPlainTree } from './ubuntu-files.ts';

export interface SmallMachine {
  readonly root: string;
  /** Names of the steps that were executed, in order, over all runs. */
  readonly executed: string[];
  readonly undone: string[];
  readonly commands: string[];
  service: 'stopped' | 'running';
  parts(options?: {
    config?: FlexConfig;
    host?: RealHostOptions;
    pid?: number;
    steps?: readonly Step[];
  }): Parts;
  dispose(): void;
}

export function smallMachine(): SmallMachine {
  const root = mkdtempSync(join(FAST_TMPDIR, 'flexnode-'));
  layPlainTree(root);
  const machine: SmallMachine = {
    root,
    executed: [],
    undone: [],
    commands: [],
    service: 'stopped',
    parts: (options = {}) => {
      const world = instantWorld();
      return {
        world,
        host: createRealHost(world, {
          root,
          fsync: false,
          commands: (command) => answer(machine, command),
          ...options.host,
        }),
        config: options.config ?? sampleConfig(),
        artifacts: { prefetch: () => undefined, obtain: nobody, discard: async () => undefined },
        azure: absent(),
        cluster: absent(),
        architecture: 'amd64',
        self: { argv: ['/usr/bin/chandler', 'flexnode'] },
        steps: options.steps ?? smallSteps(machine),
        pid: options.pid ?? process.pid,
      };
    },
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
  return machine;
}

export function collected(): { readonly events: FlexEvent[]; readonly on: (event: FlexEvent) => void } {
  const events: FlexEvent[] = [];
  return { events, on: (event) => void events.push(event) };
}

export const never = new AbortController().signal;

export function smallSteps(machine: SmallMachine): Step[] {
  return [
    {
      ...aStep('directories', 'DirectoriesCreated', machine),
      inputs: () => ({ folders: ['/etc/cni/net.d'] }),
      isCompleted: async ({ host }) => (await host.lstat('/etc/cni/net.d')) !== undefined,
      execute: async ({ host }) => {
        machine.executed.push('directories');
        await host.makeDirectory('/etc/cni/net.d', 0o755);
        await host.claim('/var/lib/containerd');
        await host.claim('/var/lib/kubelet');
        await host.makeDirectory('/var/lib/kubelet', 0o750);
      },
    },
    {
      ...aStep('containerd', 'ContainerdInstaller', machine),
      inputs: ({ config }) => ({ version: config.containerd.version }),
      isCompleted: async ({ host, config }) =>
        (await text(host.readFile('/usr/bin/tool'))) === config.containerd.version,
      execute: async ({ host, config }) => {
        machine.executed.push('containerd');
        await host.writeFile('/usr/bin/tool', config.containerd.version, { mode: 0o755 });
        await host.symlink('/run/systemd/resolve/resolv.conf', '/etc/resolv.conf');
        await host.remove('/etc/old.conf');
      },
    },
    {
      ...aStep('kubelet', 'KubeletInstaller', machine),
      inputs: ({ config }) => ({ labels: config.node.labels }),
      isCompleted: async ({ host, config }) =>
        (await text(host.readFile('/etc/default/kubelet'))) === JSON.stringify(config.node.labels),
      execute: async ({ host, config, facts }) => {
        machine.executed.push('kubelet');
        await facts.set('kubelet.seen', 'yes');
        await host.writeFile('/etc/default/kubelet', JSON.stringify(config.node.labels), { mode: 0o644 });
        await host.writeFile('/etc/fstab', '# no swap\n', { mode: 0o644 });
      },
    },
    {
      ...aStep('start-services', 'ServicesEnabled', machine),
      inputs: ({ config }) => ({ labels: config.node.labels, version: config.containerd.version }),
      isCompleted: async ({ host }) =>
        (await host.run({ argv: ['service', 'state'], changes: false })).stdout === 'running',
      execute: async ({ host }) => {
        machine.executed.push('start-services');
        await host.run({ argv: ['service', 'restart'], changes: true });
      },
      undo: async ({ host }) => {
        machine.undone.push('start-services');
        await host.run({ argv: ['service', 'stop'], changes: true });
        return [];
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

type Bare = Pick<Step, 'id' | 'name' | 'title' | 'phase' | 'validate' | 'undo'>;

function aStep(id: Step['id'], name: string, machine: SmallMachine): Bare {
  return {
    id,
    name,
    title: `Do ${id}`,
    phase: id === 'start-services' || id === 'kubelet' ? 'activation' : 'installation',
    validate: async () => undefined,
    undo: async () => {
      machine.undone.push(id);
      return [];
    },
  };
}

async function answer(machine: SmallMachine, { argv }: Command): Promise<CommandResult | undefined> {
  machine.commands.push(argv.join(' '));
  if (argv[0] === 'findmnt') return { exitCode: 0, stdout: '', stderr: '' };
  if (argv[0] !== 'service') return undefined;
  if (argv[1] === 'restart') machine.service = 'running';
  if (argv[1] === 'stop') machine.service = 'stopped';
  return { exitCode: 0, stdout: machine.service, stderr: '' };
}

async function text(content: Promise<Uint8Array | undefined>): Promise<string | undefined> {
  const bytes = await content;
  return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8');
}

async function nobody(): Promise<never> {
  throw new Error('these steps obtain nothing');
}

/** For parts that the small steps never ask. */
function absent<T extends object>(): T {
  return new Proxy({} as T, {
    get: (_, name) => () => Promise.reject(new Error(`nobody should ask for ${String(name)}`)),
  });
}
