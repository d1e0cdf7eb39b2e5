/**
 * One controller process: the whole operator with its cloud, on a World that can be killed and on
 * connections that lose requests. It consists of production code; a deliberate bug is injected from outside,
 * at the seams defined here.
 */
import type { Controller, Fetch } from '@chandler/kube';
import type { CloudParts } from '../../packages/chandler/src/cloud/index.ts';
import type { ControllerContext } from '../../packages/chandler/src/controllers/index.ts';
import type { CreateOperator, Operator, OperatorEnd } from '../../packages/chandler/src/operator/index.ts';
import type { Environment } from '../../packages/chandler/src/settings/index.ts';
import type { KillableWorld } from './killable-world.ts';
import { code } from './operator-code.ts';
import type { Personality } from './personality.ts';
import type { Servers } from './servers.ts';

const {
  cloudContext,
  coreControllers,
  createOperator,
  fetchTransport,
  GlobalSettings,
  OPERATOR_OPTIONS,
  resolveOptions,
} = code;

/** The seams at which a bug can be injected. */
export interface Seams {
  readonly env?: Environment;
  readonly kubeFetch?: (fetch: Fetch, world: KillableWorld) => Fetch;
  readonly cloudFetch?: (fetch: Fetch, world: KillableWorld) => Fetch;
  readonly parts?: (parts: CloudParts, world: KillableWorld) => CloudParts;
  readonly context?: (context: ControllerContext) => ControllerContext;
  readonly controllers?: (all: readonly Controller[], context: ControllerContext) => readonly Controller[];
}

export interface Process {
  readonly world: KillableWorld;
  readonly operator: Operator;
  /** Resolves when the process exits by itself; never when it is killed. */
  readonly ended: Promise<OperatorEnd | Error>;
}

export interface ProcessOptions {
  readonly personality: Personality;
  readonly servers: Servers;
  readonly world: KillableWorld;
  /** Through the simulated network. */
  readonly kubeFetch: Fetch;
  readonly cloudFetch: Fetch;
  /** The interval of lease renewals. */
  readonly renewalMs?: number;
  readonly seams?: Seams;
}

export function startProcess(options: ProcessOptions): Process {
  const { world, seams = {} } = options;
  const settings = settingsOf(options);
  const kube = world.wire('kube', seams.kubeFetch?.(options.kubeFetch, world) ?? options.kubeFetch);
  const operator = createOperator({
    world,
    kube: { transport: fetchTransport(kube), host: 'kubernetes' },
    settings,
    namespace: 'kube-system',
    identity: world.name,
    build: BUILD,
    electionTimes: electionTimes(options.renewalMs),
    ...cloudOf(options),
    ...brokenControllers(seams),
  });
  const ended = operator.start().then(
    () => operator.ended,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  return { world, operator, ended };
}

// ---------------------------------------------------------------------------------------------------

const BUILD = { version: '1.2.3', commit: 'abc', runtime: 'v24.0.0', arch: 'x64' };

function cloudOf({
  personality,
  servers,
  world,
  cloudFetch,
  seams = {},
}: ProcessOptions): Pick<CreateOperator, 'provider' | 'wires'> {
  const { provider, wire, readCall } = personality;
  return {
    provider: {
      ...provider,
      async createParts(request) {
        const parts = await provider.createParts(request);
        return seams.parts?.(parts, world) ?? parts;
      },
    },
    wires: {
      fetch: world.wire(wire, seams.cloudFetch?.(cloudFetch, world) ?? cloudFetch, readCall),
      readFile: (path) => servers.cloud.readFile(path),
      version: BUILD.version,
    },
  };
}

function brokenControllers({ controllers, context }: Seams): Pick<CreateOperator, 'controllers'> {
  if (controllers === undefined && context === undefined) return {};
  return {
    controllers(given, parts) {
      const broken = context?.(given) ?? given;
      const all = [
        ...coreControllers(broken, { observability: false }),
        ...(parts.controllers?.(cloudContext(broken)) ?? []),
      ];
      return controllers?.(all, broken) ?? all;
    },
  };
}

/** In the proportions of the real ones. */
function electionTimes(renewalMs = 2_000): NonNullable<CreateOperator['electionTimes']> {
  return { retryPeriodMs: renewalMs, renewDeadlineMs: 5 * renewalMs, leaseDurationMs: 7.5 * renewalMs };
}

function settingsOf({ personality, servers, seams = {} }: ProcessOptions) {
  const { table, rules } = personality.provider.options;
  const { cloud } = servers;
  const resolved = resolveOptions(
    { ...OPERATOR_OPTIONS, ...table },
    {
      args: [],
      env: { ...cloud.environment(), ...seams.env },
      readFile: (path) => cloud.readFile(path),
    },
    rules,
  );
  if (resolved.problems.length > 0) throw new Error(JSON.stringify(resolved.problems));
  return new GlobalSettings(resolved);
}
