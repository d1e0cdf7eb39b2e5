/**
 * What the verbs of `flexnode` run with, put together from the flags: the machine (or a folder that stands for one), the
 * config, Azure, the cluster, downloads, and how this program is started again.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { arch, argv, execPath, geteuid, pid } from 'node:process';
import { isSea } from 'node:sea';
import type { Fetch, World } from '@chandler/kube';
import {
  type Architecture,
  createArtifacts,
  createAzureSide,
  createClusterSide,
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
} from '../../flexnode/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { BUILD } from '../../settings/index.ts';

import { UsageError } from '../verb.ts';
import type { AnyCall } from './guarded.ts';
import { loadConfig } from './load-config.ts';
import { inSession, isInteractive, type Outcome } from './session.ts';

export interface AgentCall extends AnyCall {
  readonly options: {
    readonly config: Sourced<string>;
    readonly output: Sourced<string>;
    readonly root: Sourced<string | undefined>;
  };
}

export interface Agent {
  readonly parts: Parts;
  /** Through the proxies of the config. */
  readonly fetch: Fetch;
  /** Shows and logs a run; gives its exit code. */
  session(name: string, work: (on: (event: FlexEvent) => void) => Promise<Outcome>): Promise<number>;
}

export async function openAgent(call: AgentCall): Promise<Agent> {
  const { options, terminal, env } = call;
  checkRoot(call);
  const path = options.config.value;
  const root = options.root.value;
  const { config, warnings } = await loadConfig({ path, env, ...(root === undefined ? {} : { root }) });
  if (options.output.value === 'json') {
    for (const warning of warnings)
      terminal.out(`${JSON.stringify({ type: 'config-warning', ...warning })}\n`);
  } else if (warnings.length > 0) terminal.err(`warnings:\n${problemLines(path, warnings)}`);
  return agentWith(call, config);
}

/** With a config that is known already. */
export async function agentWith(call: AgentCall, config: FlexConfig): Promise<Agent> {
  const { options, terminal, env, interrupted: signal } = call;
  const json = options.output.value === 'json';
  const world = await call.world();
  const host = await openHost(call, world);
  const fetch = proxiedFetch(config.proxy, world.fetch);
  const architecture = architectureOf(arch);
  const news = new News(world);
  const artifacts = createArtifacts(world, { config, architecture, fetch, say: news.say, host, signal });
  const azure = createAzureSide(world, {
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
    cluster: createClusterSide(world, { proxy: config.proxy }),
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
          work(news.through(on)),
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

/** Before a verb that changes the machine and has no preflight of its own. */
export function mustBeRoot(call: AgentCall, name: string): void {
  if (call.options.root.value !== undefined || geteuid?.() === 0) return;
  throw new FlexError({
    class: 'preflight',
    code: 'machine.not-root',
    message: 'this changes the machine and needs root',
    remedy: `sudo ${isSea() ? 'chandler-flexnode' : 'chandler flexnode'} ${name}`,
  });
}

// ---------------------------------------------------------------------------------------------------

/** An empty name would be the folder one happens to be in. */
function checkRoot({ options: { root } }: AgentCall): void {
  if (root.value === undefined) return;
  const isFolder =
    root.value !== '' && statSync(root.value, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) throw new UsageError([{ where: '--root', message: `there is no folder "${root.value}"` }]);
}

/** Downloads belong to no step: what they tell is told as progress of the step that runs. */
class News {
  readonly #world: World;
  #on: ((event: FlexEvent) => void) | undefined;
  #step: StepId | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  through(on: (event: FlexEvent) => void): (event: FlexEvent) => void {
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
    message: `there are no programs for ${machine}: only for amd64 and arm64`,
  });
}

function selfExecutable(): SelfExecutable {
  return isSea()
    ? { copyFrom: execPath, argv: [execPath] }
    : { argv: [execPath, resolve(argv[1] ?? ''), 'flexnode'] };
}
