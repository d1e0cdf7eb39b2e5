/**
 * A whole machine in a folder: the tree of a plain Ubuntu, its programs and services in process, Azure, the cluster and a
 * mirror beside it. The real steps and the real engine run on it without any privilege, and can be ended at every point.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fetch } from '@chandler/kube';
import {
  createArtifacts,
  createRealHost,
  createSteps,
  type FlexConfig,
  type FlexEvent,
  type Parts,
  type RunResult,
  runBootstrap,
  runUnbootstrap,
  type UndoResult,
} from '../../packages/chandler/src/flexnode/index.ts';
import {
  type Command,
  HEALTHZ_URL,
  type OnEffect,
  sampleConfig,
} from '../../packages/chandler/src/flexnode/testing.ts';

import { type AzureState, azureState, fakeAzure, fakeCluster, NODE_TOKEN } from './fake-azure.ts';
import { fakeKubelet } from './fake-kubelet.ts';
import { type FakeMirror, fakeMirror } from './fake-mirror.ts';
import { runFakeProgram } from './fake-programs.ts';
import { type FakeSystemd, fakeSystemd } from './fake-systemd.ts';
import { FAST_TMPDIR } from './fast-tmpdir.ts';
import { instantWorld } from './instant-world.ts';
import { type KillSwitch, killSwitch } from './kill-switch.ts';
import { treeOf } from './tree.ts';
import { layPlainTree } from './ubuntu-files.ts';

export interface RunChoices {
  readonly config?: FlexConfig;
  readonly kill?: KillSwitch;
  /** Besides the kill switch: for file systems that fail. */
  readonly onEffect?: OnEffect;
  readonly on?: (event: FlexEvent) => void;
  readonly signal?: AbortSignal;
  readonly only?: readonly string[];
}

export interface FolderMachine {
  readonly root: string;
  readonly azure: AzureState;
  readonly systemd: FakeSystemd;
  /** Images in other namespaces of containerd. */
  readonly namespaces: Map<string, readonly string[]>;
  /** What was run, as `systemctl start kubelet.service`. */
  readonly commands: Command[];
  /** Requested URLs. */
  readonly fetched: string[];
  /** The sample configuration, laid over, with the mirror in it. */
  configOf(overrides?: Parameters<typeof sampleConfig>[0]): Promise<FlexConfig>;
  parts(choices?: RunChoices): Promise<Parts>;
  bootstrap(choices?: RunChoices): Promise<RunResult>;
  unbootstrap(choices?: RunChoices): Promise<UndoResult>;
  tree(without?: readonly string[]): string[];
  dispose(): void;
}

export function createFolderMachine(): FolderMachine {
  const root = mkdtempSync(join(FAST_TMPDIR, 'flexnode-machine-'));
  layPlainTree(root);
  const azure = azureState();
  const kubelet = fakeKubelet(root, () =>
    ['request', 'approval'].every((each) =>
      [...azure.bindings.keys()].some((name) => name.endsWith(`:${each}`)),
    ),
  );
  const systemd = fakeSystemd(root, (unit) => {
    if (unit === 'kubelet.service') kubelet.start();
  });
  const commands: Command[] = [];
  const namespaces = new Map<string, readonly string[]>();
  const fetched: string[] = [];
  let mirror: FakeMirror | undefined;
  let pid = 1000;

  const configOf: FolderMachine['configOf'] = async (overrides) => {
    mirror = await fakeMirror(sampleConfig(overrides), 'amd64');
    return mirror.config;
  };
  const isKubeletUp = () =>
    systemd.active.has('kubelet.service') &&
    systemd.active.has('containerd.service') &&
    kubelet.hasCredentials();
  const machineOf = () => ({
    machineId: readFileSync(`${root}/etc/machine-id`, 'utf8').trim(),
    systemUuid: readFileSync(`${root}/sys/class/dmi/id/product_uuid`, 'utf8').trim(),
  });
  const answer: Fetch = async (input) => {
    const url = String(input instanceof Request ? input.url : input);
    if (url === HEALTHZ_URL) {
      if (!isKubeletUp()) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      return new Response('ok');
    }
    fetched.push(url);
    const content = mirror?.get(url);
    return content === undefined ? new Response('', { status: 404 }) : new Response(Buffer.from(content));
  };

  const parts = async (choices: RunChoices = {}): Promise<Parts> => {
    const config = choices.config ?? (await configOf());
    const kill = choices.kill ?? killSwitch();
    const fetch: Fetch = (input, init) => kill.call(`fetch ${String(input)}`, () => answer(input, init));
    const world = instantWorld({ fetch });
    const host = createRealHost(world, {
      root,
      fsync: false,
      onEffect: async (kind, what, moment) => {
        await kill.onEffect(kind, what, moment);
        await choices.onEffect?.(kind, what, moment);
      },
      commands: async (command) => {
        commands.push(command);
        const onConnect = (connect: Readonly<Record<string, string>>) =>
          void azure.machines.add(connect['resource-name'] ?? '');
        return runFakeProgram({ root, systemd, namespaces, onConnect }, command);
      },
    });
    return {
      world,
      host,
      config,
      artifacts: createArtifacts(world, { config, architecture: 'amd64', fetch, say: () => undefined, host }),
      azure: fakeAzure(azure, config, kill),
      cluster: fakeCluster(azure, config, kill, isKubeletUp, machineOf),
      architecture: 'amd64',
      self: { argv: ['/usr/bin/node', '/opt/chandler/chandler.js', 'flexnode'] },
      steps: createSteps({ nodeToken: async () => NODE_TOKEN }),
      pid,
    };
  };

  /** Each run is a process of its own, alive as long as it runs. */
  const asProcess = async <T>(act: () => Promise<T>): Promise<T> => {
    pid += 1;
    const folder = `${root}/proc/${pid}`;
    mkdirSync(folder);
    const zeros = Array.from({ length: 18 }, () => '0').join(' ');
    writeFileSync(`${folder}/stat`, `${pid} (chandler) S ${zeros} ${pid} 0`);
    try {
      return await act();
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const options = (choices: RunChoices) => ({
    signal: choices.signal ?? new AbortController().signal,
    on: choices.on ?? (() => undefined),
    ...(choices.only === undefined ? {} : { only: choices.only }),
  });
  return {
    root,
    azure,
    systemd,
    namespaces,
    commands,
    fetched,
    configOf,
    parts,
    bootstrap: (choices = {}) => asProcess(async () => runBootstrap(await parts(choices), options(choices))),
    unbootstrap: (choices = {}) =>
      asProcess(async () => runUnbootstrap(await parts(choices), options(choices))),
    tree: (without = []) => treeOf(root, { without }),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}
