/**
 * `chandler controller`: reads and checks all options out of their layers, then shows them (--print-options), runs the
 * controller, or runs it as an observer (--observe). The running itself is in `cli/controller/` and `operator/`.
 */
import { readFileSync } from 'node:fs';
import { loadCloudOptions } from '../../cloud/registry.ts';
import { OPERATOR_OPTIONS } from '../../operator/index.ts';
import {
  GlobalSettings,
  inputsOf,
  layered,
  type OptionWarning,
  readLayers,
  resolveOptions,
  type SettingsData,
} from '../../settings/index.ts';

import type { ClusterDoor } from '../controller/cluster.ts';
import { startOverWithLimit } from '../controller/memory-limit.ts';
import { optionsAsJson, optionsAsText } from '../controller/print-options.ts';
import { readSettingsFile } from '../controller/settings-file.ts';
import {
  type Call,
  CLUSTER_OPTIONS,
  defineVerb,
  EXIT_OK,
  OUTPUT_OPTION,
  type Terminal,
  UsageError,
} from '../verb.ts';

const CLOUD_OPTIONS = await loadCloudOptions();

const OPTIONS = layered({
  printOptions: {
    flag: 'print-options',
    type: 'boolean',
    default: false,
    doc: 'Show every option with its value and where it came from, then end',
  },
  observe: {
    flag: 'observe',
    type: 'boolean',
    default: false,
    doc: 'Read, plan and report by log and metrics what would be done; take no lease, write nothing',
  },
  settingsFile: {
    flag: 'settings-file',
    type: 'string',
    default: '',
    placeholder: 'FILE',
    doc: 'The ConfigMap karpenter-global-settings as a manifest, instead of the one in the cluster',
  },
  output: OUTPUT_OPTION,
  ...CLUSTER_OPTIONS,
  ...OPERATOR_OPTIONS,
  ...CLOUD_OPTIONS.table,
});

type ControllerCall = Call<typeof OPTIONS>;

export const controller = defineVerb({
  name: 'controller',
  summary: 'Run the controller: nodes for pods that wait',
  description:
    'Reads all options from flags, the environment and the global-settings ConfigMap, checks them, and runs until it is\n' +
    'told to stop. All that is wrong is told at once. In a pod it uses its service account, elsewhere a kubeconfig.\n' +
    'With --print-options it only shows each option with its value and source; secrets are masked.\n' +
    'With --observe it runs beside Karpenter: it reads, plans, and reports by log and metrics what it would do.\n' +
    'Metrics are on port 8080, /healthz and /readyz on 8081. docs/operations.md tells the rest.',
  positionals: '',
  examples: [
    { command: 'chandler controller --print-options', does: 'what would be in force, and from where' },
    {
      command: 'chandler controller --print-options --settings-file settings.yaml -o json',
      does: 'with a ConfigMap that is not in the cluster yet, for scripts',
    },
    { command: 'chandler controller --observe', does: 'see what it would do, without letting it' },
  ],
  options: OPTIONS,
  async run(call) {
    return call.options.printOptions.value ? printOptions(call) : runVerb(call);
  },
});

// ---------------------------------------------------------------------------------------------------

const readFile = (path: string) => readFileSync(path, 'utf8');

async function printOptions(call: ControllerCall): Promise<number> {
  const { options, terminal } = call;
  const { env } = inputsOf(options);
  const isNamed = (options.kubeconfig.value ?? '') !== '' || env['KUBERNETES_SERVICE_HOST'] !== undefined;
  let configMap: SettingsData | undefined;
  if (options.settingsFile.value !== '') configMap = await readSettingsFile(options.settingsFile.value);
  else if (isNamed) {
    const door = await orUsageError(call, () => openDoor(call));
    try {
      configMap = await orUsageError(call, () => settingsOf(call, door));
    } finally {
      await door.close();
    }
  }
  const resolved = resolve(call, configMap);
  terminal.out(resolved.values.output.value === 'json' ? optionsAsJson(resolved) : optionsAsText(resolved));
  tellWarnings(terminal, resolved.warnings);
  return EXIT_OK;
}

async function runVerb(call: ControllerCall): Promise<number> {
  const { options, terminal, interrupted } = call;
  const file = options.settingsFile.value;
  // Where the cluster need not be asked, what is wrong with the options is told before it is.
  const early = file === '' ? undefined : resolve(call, await readSettingsFile(file));
  const door = await orUsageError(call, () => openDoor(call));
  try {
    const resolved = early ?? resolve(call, await orUsageError(call, () => settingsOf(call, door)));
    const { args, env } = inputsOf(options);
    const limitBytes = resolved.values.memoryLimit.value;
    await startOverWithLimit({ limitBytes, args, env, close: () => door.close() });
    const { runController } = await import('../controller/run-controller.ts');
    return await runController({
      world: await call.world(),
      terminal,
      interrupted,
      door,
      settings: new GlobalSettings(resolved),
      warnings: resolved.warnings,
      observe: options.observe.value,
      watchSettings: file === '',
    });
  } finally {
    await door.close();
  }
}

/** @throws {UsageError} with all that is wrong. */
function resolve({ options, terminal }: ControllerCall, configMap: SettingsData | undefined) {
  const { args, env } = inputsOf(options);
  const resolved = resolveOptions(OPTIONS, { args, env, configMap, readFile }, CLOUD_OPTIONS.rules);
  if (resolved.problems.length === 0) return resolved;
  // What was not taken may be why something is missing: a secret in the ConfigMap, a key with a slip in it.
  tellWarnings(terminal, resolved.warnings);
  throw new UsageError(resolved.problems);
}

/**
 * Where the cluster cannot be asked for its settings, what is wrong with flags and variables comes first: no setting would
 * cure it.
 * @throws {UsageError} with these.
 */
async function orUsageError<T>({ options }: ControllerCall, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { args, env } = inputsOf(options);
    const { problems } = readLayers(OPTIONS, { args, env, readFile });
    throw problems.length === 0 ? error : new UsageError(problems);
  }
}

function tellWarnings(terminal: Terminal, warnings: readonly OptionWarning[]): void {
  for (const { where, message } of warnings) terminal.err(`warning: ${where}: ${message}\n`);
}

async function openDoor({ options, world }: ControllerCall): Promise<ClusterDoor> {
  const { openCluster } = await import('../controller/cluster.ts');
  const { env } = inputsOf(options);
  const { kubeconfig, context } = options;
  return openCluster({ kubeconfig: kubeconfig.value, context: context.value, env, world: await world() });
}

async function settingsOf(
  { options, world, interrupted }: ControllerCall,
  door: ClusterDoor,
): Promise<SettingsData | undefined> {
  const { homeNamespace, readSettings } = await import('../controller/cluster.ts');
  const namespace = homeNamespace(options.systemNamespace.value, door.credentials);
  return readSettings(door, namespace, await world(), interrupted);
}
