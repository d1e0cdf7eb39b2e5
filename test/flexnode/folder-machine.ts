/**
 * A whole machine in a folder: the tree of a plain Ubuntu, its programs and services in process, Azure, the cluster and a
 * mirror beside it. The real steps and the real engine run on it without any privilege, and can be ended at every point.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Fetch } from '@chandler/kube';
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
import { fakeNode } from './fake-node.ts';
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

export interface MachineFaults {
  /** The kubelet runs and is healthy, but its reports do not arrive. */
  isKubeletSilent?: () => boolean;
  /** containerd of this version responds when it starts, and fails 10 s later. */
  failingContainerd?: string;
}

export interface FolderMachine {
  readonly root: string;
  readonly azure: AzureState;
  readonly systemd: FakeSystemd;
  /** May be changed at any time. */
  readonly faults: MachineFaults;
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
  /** Between two runs. */
  wait(durationMs: number): void;
  tree(without?: readonly string[]): string[];
  dispose(): void;
}

const START_MS = Date.UTC(2026, 0, 1);
const CONTAINERD_FAILS_AFTER_MS = 10_000;

export function createFolderMachine(): FolderMachine {
  const root = mkdtempSync(join(FAST_TMPDIR, 'flexnode-machine-'));
  layPlainTree(root);
  const azure = azureState();
  const kubelet = fakeKubelet(root, () =>
    ['request', 'approval'].every((each) =>
      [...azure.bindings.keys()].some((name) => name.endsWith(`:${each}`)),
    ),
  );
  const systemd = fakeSystemd(root, {
    before: () => node.settle(),
    onStart: (unit) => {
      if (unit === 'containerd.service') containerdStartedMs = nowMs();
      if (unit !== 'kubelet.service') return;
      kubelet.start();
      node.started();
    },
  });
  const commands: Command[] = [];
  const namespaces = new Map<string, readonly string[]>();
  const fetched: string[] = [];
  let mirror: FakeMirror | undefined;
  let pid = 1000;
  let nodeName = '';

  const configOf: FolderMachine['configOf'] = async (overrides) => {
    mirror = await fakeMirror(sampleConfig(overrides), 'amd64');
    return mirror.config;
  };
  const faults: MachineFaults = {};
  // One time for all runs: each of them has a clock of its own, which begins where the one before has ended.
  let clocks: Clock[] = [];
  let containerdStartedMs = 0;
  let waitedMs = START_MS;
  const nowMs = () => Math.max(waitedMs, ...clocks.map((clock) => clock.now()));
  const versionOf = (program: string) => {
    const path = `${root}/usr/local/bin/${program}`;
    return existsSync(path) ? (/ v(\d\S+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? '') : '';
  };
  const isContainerdUp = () => {
    if (!systemd.active.has('containerd.service')) return false;
    const dies = versionOf('containerd') === faults.failingContainerd;
    return !dies || nowMs() - containerdStartedMs < CONTAINERD_FAILS_AFTER_MS;
  };
  const isKubeletRunning = () => systemd.active.has('kubelet.service') && kubelet.hasCredentials();
  const isKubeletUp = () => isKubeletRunning() && systemd.active.has('containerd.service');
  const node = fakeNode({
    nowMs,
    isKubeletRunning: () => isKubeletRunning() && kubelet.isOfCluster(),
    isRuntimeUp: isContainerdUp,
    kubeletVersion: () => versionOf('kubelet'),
    isSilent: () => faults.isKubeletSilent?.() === true,
    onReport: () => {
      azure.nodes.add(nodeName);
      azure.nodeInfo.set(nodeName, machineOf());
    },
  });
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
    const world = instantWorld({ fetch, startMs: nowMs() });
    clocks = [...clocks.slice(-3), world.clock];
    nodeName = config.agent.nodeName;
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
      cluster: fakeCluster(azure, config, kill, node),
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
    faults,
    namespaces,
    commands,
    fetched,
    configOf,
    parts,
    bootstrap: (choices = {}) => asProcess(async () => runBootstrap(await parts(choices), options(choices))),
    unbootstrap: (choices = {}) =>
      asProcess(async () => runUnbootstrap(await parts(choices), options(choices))),
    wait: (durationMs) => {
      node.settle();
      waitedMs = nowMs() + durationMs;
    },
    tree: (without = []) => treeOf(root, { without }),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}
