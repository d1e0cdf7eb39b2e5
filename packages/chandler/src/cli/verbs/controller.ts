/**
 * `chandler controller`: resolves and validates all options, then prints them (--print-options), runs the controller, or
 * runs it as an observer (--observe). `cli/controller/` and `operator/` run it.
 */
import { readFileSync } from 'node:fs';
import type { CloudOptions } from '../../cloud/index.ts';
import {
  CLOUD_FLAG,
  CLOUD_NAMES,
  CLOUD_VARIABLE,
  type CloudName,
  cloudNamed,
  DEFAULT_CLOUD,
  loadCloudOptions,
} from '../../cloud/registry.ts';
import {
  type Environment,
  GlobalSettings,
  inputsOf,
  layered,
  OPERATOR_OPTIONS,
  type OptionWarning,
  parseOptions,
  readLayers,
  resolveOptions,
  type SettingsData,
} from '../../settings/index.ts';

import type { ClusterConnection } from '../controller/cluster.ts';
import { restartWithMemoryLimit } from '../controller/memory-limit.ts';
import { PAGE_OPTIONS, type PageRequest, pageRequest } from '../controller/page-options.ts';
import { optionsAsJson, optionsAsText } from '../controller/print-options.ts';
import {
  type Call,
  CLUSTER_OPTIONS,
  defineVerb,
  EXIT_OK,
  namedKubeconfig,
  OUTPUT_OPTION,
  type Terminal,
  UsageError,
  type Verb,
} from '../verb.ts';

const OWN_OPTIONS = {
  cloud: {
    flag: CLOUD_FLAG,
    env: CLOUD_VARIABLE,
    type: 'string',
    choices: CLOUD_NAMES,
    default: DEFAULT_CLOUD as CloudName,
    doc: 'The cloud in which nodes are provisioned; its options are listed with --cloud NAME --help',
  },
  printOptions: {
    flag: 'print-options',
    type: 'boolean',
    default: false,
    doc: 'Print every option with its value and its source, then exit',
  },
  observe: {
    flag: 'observe',
    type: 'boolean',
    default: false,
    doc: 'Only log and measure what the controller would do; take no lease, write nothing',
  },
  settingsFile: {
    flag: 'settings-file',
    type: 'string',
    default: '',
    placeholder: 'FILE',
    doc: 'Manifest of the ConfigMap karpenter-global-settings, used instead of the ConfigMap in the cluster',
  },
  readinessCheckInterval: {
    flag: 'readiness-check-interval',
    env: 'READINESS_CHECK_INTERVAL',
    type: 'duration',
    default: 0,
    check: (ms: number) => (ms === 0 || ms >= 60_000 ? undefined : 'at least 1m, or 0'),
    doc: 'Check the cluster at this interval, at least 1m, as `chandler check --live-cluster` does, with the result as a ConfigMap and metrics; 0 is off. Needs deploy/rbac-readiness-check.yaml',
  },
  ...PAGE_OPTIONS,
  output: OUTPUT_OPTION,
  ...CLUSTER_OPTIONS,
} as const;

const optionsFor = ({ table }: CloudOptions) => layered({ ...OWN_OPTIONS, ...OPERATOR_OPTIONS, ...table });

type ControllerOptions = ReturnType<typeof optionsFor>;

interface ControllerCall extends Call<ControllerOptions> {
  readonly cloud: CloudOptions;
  readonly table: ControllerOptions;
  readonly page: PageRequest | undefined;
}

const TEXTS = {
  name: 'controller',
  summary: 'Run the controller, which provisions nodes for pending pods',
  description:
    'Runs the controller until it receives SIGTERM or Ctrl-C. It provisions nodes for unschedulable pods. It drains\n' +
    'and terminates nodes that have expired or that are being deleted.\n' +
    '\n' +
    'Options come from flags, environment variables and the ConfigMap karpenter-global-settings. All invalid options are\n' +
    'reported together. In a pod, the controller uses its service account; otherwise, it uses a kubeconfig.\n' +
    'Metrics are served on port 8080, /healthz and /readyz on port 8081. See docs/operations.md.\n' +
    '\n' +
    '--print-options prints each option with its value and its source, with secrets masked, and then exits.\n' +
    '--observe runs next to Karpenter: it plans, and reports in logs and metrics what it would do, but changes nothing.',
  positionals: '',
  examples: [
    { command: 'chandler controller --print-options', does: 'print the options in effect and their sources' },
    {
      command: 'chandler controller --print-options --settings-file settings.yaml -o json',
      does: 'print them as JSON, with the settings of a ConfigMap that is not in the cluster yet',
    },
    {
      command: 'chandler controller --observe',
      does: 'see what the controller would do, without changing anything',
    },
  ],
};

export const controller: Verb = await controllerOn(DEFAULT_CLOUD);

async function controllerOn(name: CloudName): Promise<Verb> {
  const cloud = await loadCloudOptions(name);
  const table = optionsFor(cloud);
  return defineVerb({
    ...TEXTS,
    options: table,
    whenOutputCloses: ({ printOptions: { value } }) => (value ? 'stop' : 'fail'),
    forArguments: (args, env) => controllerOn(cloudIn(args, env)),
    async run(call) {
      const own = { ...call, cloud, table, page: pageRequest(call.options) };
      return call.options.printOptions.value ? printOptions(own) : runVerb(own);
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Of the flag, else of the variable. A name that is none is reported with the other options. */
function cloudIn(args: readonly string[], env: Environment): CloudName {
  const { values } = parseOptions({ cloud: OWN_OPTIONS.cloud }, args, env);
  return cloudNamed(String(values.cloud.value)) ?? DEFAULT_CLOUD;
}

const readFile = (path: string) => readFileSync(path, 'utf8');

async function printOptions(call: ControllerCall): Promise<number> {
  const { options, terminal } = call;
  const { env } = inputsOf(options);
  const isNamed = (options.kubeconfig.value ?? '') !== '' || env['KUBERNETES_SERVICE_HOST'] !== undefined;
  let configMap: SettingsData | undefined;
  if (options.settingsFile.value !== '') configMap = await settingsFrom(options.settingsFile.value);
  else if (isNamed) {
    const connection = await orUsageError(call, () => connect(call));
    try {
      configMap = await orUsageError(call, () => settingsOf(call, connection));
    } finally {
      await connection.close();
    }
  }
  const resolved = resolve(call, configMap);
  terminal.out(resolved.values.output.value === 'json' ? optionsAsJson(resolved) : optionsAsText(resolved));
  printWarnings(terminal, resolved.warnings);
  return EXIT_OK;
}

async function runVerb(call: ControllerCall): Promise<number> {
  const { options, terminal, interrupted } = call;
  const file = options.settingsFile.value;
  // With a settings file, invalid options are reported before the cluster is contacted.
  const early = file === '' ? undefined : resolve(call, await settingsFrom(file));
  const connection = await orUsageError(call, () => connect(call));
  try {
    const resolved = early ?? resolve(call, await orUsageError(call, () => settingsOf(call, connection)));
    const { args, env } = inputsOf(options);
    const limitBytes = resolved.values.memoryLimit.value;
    await restartWithMemoryLimit({ limitBytes, args, env, close: () => connection.close() });
    const { runController } = await import('../controller/run-controller.ts');
    return await runController({
      cloud: cloudNamed(String(resolved.values.cloud.value)) ?? DEFAULT_CLOUD,
      world: await call.world(),
      terminal,
      interrupted,
      connection,
      settings: new GlobalSettings(resolved),
      warnings: resolved.warnings,
      observe: options.observe.value,
      readinessIntervalMs: options.readinessCheckInterval.value,
      page: call.page,
      watchSettings: file === '',
    });
  } finally {
    await connection.close();
  }
}

/** @throws {UsageError} with all problems. */
function resolve({ options, terminal, cloud, table }: ControllerCall, configMap: SettingsData | undefined) {
  const { args, env } = inputsOf(options);
  const resolved = resolveOptions(table, { args, env, configMap, readFile }, cloud.rules);
  if (resolved.problems.length === 0) return resolved;
  // A warning may explain why an option is missing: a secret in the ConfigMap, or a misspelled key.
  printWarnings(terminal, resolved.warnings);
  throw new UsageError(resolved.problems);
}

/**
 * When the settings cannot be read from the cluster, problems with flags and variables are reported instead: no setting
 * would fix them.
 * @throws {UsageError} with these problems.
 */
async function orUsageError<T>({ options, table }: ControllerCall, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { args, env } = inputsOf(options);
    const { problems } = readLayers(table, { args, env, readFile });
    throw problems.length === 0 ? error : new UsageError(problems);
  }
}

function printWarnings(terminal: Terminal, warnings: readonly OptionWarning[]): void {
  for (const { where, message } of warnings) terminal.err(`warning: ${where}: ${message}\n`);
}

async function connect({ options, world }: ControllerCall): Promise<ClusterConnection> {
  const { connectToCluster } = await import('../controller/cluster.ts');
  const { env } = inputsOf(options);
  const { kubeconfig, context } = options;
  return connectToCluster({
    kubeconfig: namedKubeconfig(kubeconfig),
    context: context.value,
    env,
    world: await world(),
  });
}

/** Loaded when a file is named: other verbs need no YAML parser. */
async function settingsFrom(file: string): Promise<SettingsData> {
  const { readSettingsFile } = await import('../controller/settings-file.ts');
  return readSettingsFile(file);
}

async function settingsOf(
  { options, world, interrupted }: ControllerCall,
  connection: ClusterConnection,
): Promise<SettingsData | undefined> {
  const { homeNamespace, readSettings } = await import('../controller/cluster.ts');
  const namespace = homeNamespace(options.systemNamespace.value, connection.credentials);
  return readSettings(connection, namespace, await world(), interrupted);
}
