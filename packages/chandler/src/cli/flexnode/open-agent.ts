/**
 * Builds the dependencies of the `flexnode` verbs from the flags: the host (or a directory in its place), the config, the
 * clients for Azure and the cluster, the artifacts, and the command that starts this program again.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { arch, argv, execPath, geteuid, pid } from 'node:process';
import { isSea } from 'node:sea';
import type { Fetch, World } from '@chandler/kube';
import {
  type Architecture,
  createArtifacts,
  createAzureClient,
  createClusterClient,
  createRealHost,
  createSteps,
  type FlexConfig,
  FlexError,
  type FlexEvent,
  type MachineHost,
  type Parts,
  problemLines,
  proxiedFetch,
  type SelfExecutable,
  type StepId,
  targetConfig,
  type UpgradeTarget,
} from '../../flexnode/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { BUILD } from '../../settings/index.ts';

import { isInteractive } from '../confirm.ts';
import { UsageError } from '../verb.ts';
import type { AnyCall } from './guarded.ts';
import { loadConfig } from './load-config.ts';
import { inSession, type Outcome } from './session.ts';

export interface AgentCall extends AnyCall {
  readonly options: {
    readonly config: Sourced<string>;
    readonly output: Sourced<string>;
    readonly root: Sourced<string | undefined>;
  };
}

export interface Agent {
  readonly parts: Parts;
  /** Uses the proxies of the config. */
  readonly fetch: Fetch;
  /** Displays and logs a run; returns its exit code. */
  session(name: string, work: (on: (event: FlexEvent) => void) => Promise<Outcome>): Promise<number>;
}

/** @param target the versions of an upgrade: files are obtained for them. */
export async function openAgent(call: AgentCall, target: UpgradeTarget = {}): Promise<Agent> {
  const { options, terminal, env } = call;
  checkRoot(call);
  const path = options.config.value;
  const root = options.root.value;
  const { config, warnings } = await loadConfig({ path, env, ...(root === undefined ? {} : { root }) });
  if (options.output.value === 'json') {
    for (const warning of warnings)
      terminal.out(`${JSON.stringify({ type: 'config-warning', ...warning })}\n`);
  } else if (warnings.length > 0) terminal.err(`warnings:\n${problemLines(path, warnings)}`);
  return agentWith(call, config, target);
}

/** Like `openAgent`, with a config that is already loaded. */
export async function agentWith(
  call: AgentCall,
  config: FlexConfig,
  target: UpgradeTarget = {},
): Promise<Agent> {
  const { options, terminal, env, interrupted: signal } = call;
  const json = options.output.value === 'json';
  const world = await call.world();
  const host = await openHost(call, world);
  const fetch = proxiedFetch(config.proxy, world.fetch);
  const architecture = architectureOf(arch);
  const reporter = new DownloadReporter(world);
  const artifacts = createArtifacts(world, {
    config: targetConfig(config, target),
    architecture,
    fetch,
    say: reporter.say,
    host,
    signal,
  });
  const azure = createAzureClient(world, {
    config,
    host,
    fetch,
    interactive: isInteractive() && !json,
    version: BUILD.version,
  });
  const parts: Parts = {
    world,
    host,
    config,
    artifacts,
    azure,
    cluster: createClusterClient(world, { proxy: config.proxy }),
    architecture,
    self: selfExecutable(),
    steps: createSteps(),
    pid,
  };
  return {
    parts,
    fetch,
    session: async (name, work) => {
      try {
        return await inSession({ name, terminal, json, env, host, agent: config.agent }, (on) =>
          work(reporter.attach(on)),
        );
      } finally {
        await artifacts.stop();
      }
    },
  };
}

export async function openHost(call: AgentCall, world: World): Promise<MachineHost> {
  checkRoot(call);
  const root = call.options.root.value;
  return createRealHost(world, {
    signal: call.interrupted,
    ...(root === undefined ? {} : { root: resolve(root) }),
  });
}

/** For verbs that change the machine and do not run preflight. */
export function mustBeRoot(call: AgentCall, name: string): void {
  if (call.options.root.value !== undefined || geteuid?.() === 0) return;
  throw new FlexError({
    class: 'preflight',
    code: 'machine.not-root',
    message: 'root privileges are required to change the machine',
    remedy: `Run: sudo ${isSea() ? 'chandler-flexnode' : 'chandler flexnode'} ${name}`,
  });
}

// ---------------------------------------------------------------------------------------------------

/** An empty value would mean the current directory. */
function checkRoot({ options: { root } }: AgentCall): void {
  if (root.value === undefined) return;
  const isFolder =
    root.value !== '' && statSync(root.value, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new UsageError([{ where: '--root', message: `no such directory: "${root.value}"` }]);
}

/** Downloads are shared by all steps: their messages are reported as progress of the running step. */
class DownloadReporter {
  readonly #world: World;
  #on: ((event: FlexEvent) => void) | undefined;
  #step: StepId | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  attach(on: (event: FlexEvent) => void): (event: FlexEvent) => void {
    this.#on = on;
    return (event) => {
      if (event.type === 'step-started') this.#step = event.step;
      on(event);
    };
  }

  readonly say = (message: string, fields?: Readonly<Record<string, string | number>>): void => {
    if (this.#step === undefined) return;
    this.#on?.({
      at: new Date(this.#world.clock.now()).toISOString(),
      type: 'progress',
      step: this.#step,
      message,
      ...(fields === undefined ? {} : { fields }),
    });
  };
}

function architectureOf(machine: string): Architecture {
  const known: Readonly<Record<string, Architecture>> = { x64: 'amd64', arm64: 'arm64' };
  const architecture = known[machine];
  if (architecture !== undefined) return architecture;
  throw new FlexError({
    class: 'preflight',
    code: 'machine.architecture',
    message: `unsupported architecture ${machine}: only amd64 and arm64 are supported`,
  });
}

function selfExecutable(): SelfExecutable {
  return isSea()
    ? { copyFrom: execPath, argv: [execPath] }
    : { argv: [execPath, resolve(argv[1] ?? ''), 'flexnode'] };
}
