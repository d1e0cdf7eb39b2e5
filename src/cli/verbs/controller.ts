/**
 * `chandler controller`: for now the door only. It reads and checks all options out of their layers and shows them;
 * what it would then run is not part of this version, and it says so.
 */
import { readFileSync } from 'node:fs';
import { AZURE_CONTROLLER_OPTIONS, AZURE_RULES } from '../../settings/azure-options.ts';
import { type Environment, inputsOf, layered } from '../../settings/option-table.ts';
import { type PrintableOption, printable } from '../../settings/printable.ts';
import { type OptionWarning, type ResolvedOptions, resolveOptions } from '../../settings/resolve-options.ts';
import { GLOBAL_SETTINGS_NAME, type SettingsData } from '../../settings/settings-layer.ts';
import type { World } from '../../world.ts';
import { CLUSTER_OPTIONS, defineVerb, EXIT_OK, Failure, OUTPUT_OPTION, UsageError } from '../verb.ts';

const OPTIONS = layered({
  printOptions: {
    flag: 'print-options',
    type: 'boolean',
    default: false,
    doc: 'Show every option with its value and where it came from, then end',
  },
  settingsFile: {
    flag: 'settings-file',
    type: 'string',
    default: '',
    placeholder: 'FILE',
    doc: 'The ConfigMap karpenter-global-settings as a manifest, instead of asking the cluster',
  },
  output: OUTPUT_OPTION,
  ...CLUSTER_OPTIONS,
  ...AZURE_CONTROLLER_OPTIONS,
});

export const controller = defineVerb({
  name: 'controller',
  summary: "Check and show the controller's options",
  description:
    'Reads all options from flags, the environment and the global-settings ConfigMap, and checks them.\n' +
    'With --print-options it shows each with its value and source; secrets are masked. All that is wrong is told at once.\n' +
    'The ConfigMap is read where a cluster is named: by --kubeconfig, by KUBECONFIG, or by running in a pod.\n' +
    'The control loop itself is not part of this version.',
  positionals: '',
  examples: [
    { command: 'chandler controller --print-options', does: 'what would be in force, and from where' },
    {
      command: 'chandler controller --print-options --settings-file settings.yaml -o json',
      does: 'with a ConfigMap that is not in the cluster yet, for scripts',
    },
  ],
  options: OPTIONS,
  async run({ options, terminal, world, interrupted }) {
    const { args, env } = inputsOf(options);
    const file = options.settingsFile.value;
    const { kubeconfig, context } = options;
    const isNamed = (kubeconfig.value ?? '') !== '' || env['KUBERNETES_SERVICE_HOST'] !== undefined;
    let configMap: SettingsData | undefined;
    if (file !== '') configMap = await readSettingsFile(file);
    else if (isNamed) {
      configMap = await readFromCluster({
        kubeconfig: kubeconfig.value,
        context: context.value,
        namespace: options.systemNamespace.value,
        env,
        world: await world(),
        signal: interrupted,
      });
    }
    const resolved = resolveOptions(OPTIONS, { args, env, configMap, readFile }, AZURE_RULES);
    if (resolved.problems.length > 0) throw new UsageError(resolved.problems);
    if (!options.printOptions.value) {
      throw new Failure(
        'the options are good, but the control loop is not part of this version; use --print-options to see them',
      );
    }
    if (resolved.values.output.value === 'json') terminal.out(asJson(resolved));
    else terminal.out(asText(resolved));
    for (const { where, message } of resolved.warnings) terminal.err(`warning: ${where}: ${message}\n`);
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------

const readFile = (path: string) => readFileSync(path, 'utf8');

async function readSettingsFile(file: string): Promise<SettingsData> {
  let parsed: unknown;
  try {
    const { parse } = await import('yaml');
    parsed = parse(readFile(file));
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return dataOf(parsed, file);
}

function dataOf(parsed: unknown, file: string): SettingsData {
  const { kind, data = {} } = (parsed ?? {}) as { readonly kind?: unknown; readonly data?: unknown };
  if (kind !== 'ConfigMap' || typeof data !== 'object' || data === null) {
    throw new Failure(`${file} does not hold a ConfigMap`);
  }
  const entries = Object.entries(data);
  const wrong = entries.find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) {
    throw new Failure(`${file}: data.${wrong[0]} is not a text; put it in quotes, as Kubernetes wants it`);
  }
  return Object.fromEntries(entries) as SettingsData;
}

interface ClusterRequest {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Empty: that of the credentials. */
  readonly namespace: string;
  readonly env: Environment;
  readonly world: World;
  readonly signal: AbortSignal;
}

async function readFromCluster(request: ClusterRequest): Promise<SettingsData | undefined> {
  const { kubeconfig, context, env, world, signal } = request;
  const kube = await import('../../kube/index.ts');
  try {
    const credentials = await kube.loadCredentials({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      env,
      clock: world.clock,
    });
    const wire = kube.undiciTransport(credentials);
    try {
      const host = new URL(credentials.server).host;
      const client = new kube.KubeClient({ transport: kube.shapedTransport(wire.send, { world, host }) });
      const key = { namespace: request.namespace || credentials.namespace, name: GLOBAL_SETTINGS_NAME };
      const found = await client.find(kube.CONFIG_MAPS, key, { signal });
      return found === undefined ? undefined : ((found['data'] ?? {}) as SettingsData);
    } finally {
      await wire.close();
    }
  } catch (error) {
    const known =
      error instanceof kube.CredentialsError ||
      error instanceof kube.TransportError ||
      kube.isApiError(error);
    if (!known) throw error;
    throw new Failure(
      `the ConfigMap ${GLOBAL_SETTINGS_NAME} cannot be read: ${error.message}; --settings-file reads it from a file`,
    );
  }
}

function asJson(resolved: ResolvedOptions<typeof OPTIONS>): string {
  const options = printable(OPTIONS, resolved.values);
  const warnings = resolved.warnings.map(({ code, where, message }: OptionWarning) => ({
    code,
    where,
    message,
  }));
  return `${JSON.stringify({ options, warnings }, null, 2)}\n`;
}

function asText(resolved: ResolvedOptions<typeof OPTIONS>): string {
  const options = printable(OPTIONS, resolved.values);
  const width = Math.max(...options.map(({ name }) => name.length));
  const lines: string[] = [];
  let group = '';
  for (const option of options) {
    if (option.group !== group) lines.push(...(group === '' ? [] : ['']), option.group);
    group = option.group;
    lines.push(`  ${option.name.padEnd(width)}  ${shownValue(option)}  (${originOf(option)})`);
  }
  return `${lines.join('\n')}\n`;
}

/** One line each: a key or a bundle may be long and have line ends. */
function shownValue({ value }: PrintableOption): string {
  if (value === '') return '""';
  const line = value.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function originOf({ source, path }: PrintableOption): string {
  return source === 'hardcoded' ? 'default' : `${source} ${path}`;
}
