/** `chandler bootstrap`: the custom data or user data of a new node, and the source of every value in it. */
import { readFileSync } from 'node:fs';
import { closestName, inputsOf, type OptionProblem, readLayers } from '../../settings/index.ts';
import {
  BOOTSTRAP_VERB_OPTIONS,
  type BootstrapVerbValues,
  FLAGS_OF_ONE_CLOUD,
} from '../bootstrap/options.ts';
import type { BootstrapOutput } from '../bootstrap/output.ts';
import type { Source } from '../simulate/documents.ts';
import { readStandardInput } from '../standard-input.ts';
import { type Call, defineVerb, EXIT_OK, UsageError } from '../verb.ts';

const ACTIONS = ['render', 'explain'] as const;

export const bootstrap = defineVerb({
  name: 'bootstrap',
  summary: 'Show the bootstrap data of a new node, and the source of every value',
  description:
    'Renders the bootstrap data of a new node, as the controller does: on Azure the custom data of provision mode aksscriptless, on\n' +
    'AWS the user data of the image family. It works offline.\n' +
    '"bootstrap render" prints the text. "bootstrap explain" prints each variable with its value, its source and the flag\n' +
    'or field that set it. If you name variables, it prints only these, in full.\n' +
    'Without -f, a built-in example NodeClaim is used. If the file has a NodePool but no NodeClaim, the NodeClaim that the\n' +
    'controller would create is used. The command takes the flags and environment variables of the controller.\n' +
    'The bootstrap token is masked, except by "bootstrap render --show-secrets".',
  positionals: '[render|explain] [VARIABLE…]',
  examples: [
    { command: 'chandler bootstrap explain', does: 'show every variable of the example with its source' },
    { command: 'chandler bootstrap explain KUBELET_FLAGS', does: 'show one variable in full' },
    {
      command: 'chandler bootstrap render -f node-class.yaml',
      does: 'print the script for nodes of a NodeClass',
    },
    {
      command: 'chandler bootstrap render --instance-type Standard_NC24ads_A100_v4 | less',
      does: 'print the script for a GPU size',
    },
    { command: 'chandler bootstrap explain -f pool.yaml -o json', does: 'print JSON for scripts' },
    {
      command: 'chandler bootstrap render --cloud aws -f ec2nodeclass.yaml --max-pods 58',
      does: 'print the user data of nodes of an EC2NodeClass',
    },
  ],
  options: BOOTSTRAP_VERB_OPTIONS,
  async run({ options: parsed, positionals, terminal, interrupted, world }) {
    const { options, problemsOfAzure } = withSecretFiles(parsed);
    const [action = 'explain', ...names] = positionals;
    checkCall(action, names, options.output.value, options.showSecrets.value);
    // Loaded here because catalogue and parsers are large, and other verbs do not need them.
    const { readSources } = await import('../simulate/sources.ts');
    const { variablesJson, variablesText, variableText } = await import('../bootstrap/print.ts');
    const sources = await readSources(options.filename.value, () => readStandardInput(interrupted));
    const cloud = await cloudOf(options, sources);
    if (cloud === 'azure') refuseAny(problemsOfAzure);
    const output = await explained(options, cloud, sources, world);
    const chosen = names.flatMap((name) => variablesNamed(name, output.variables));
    const variables = chosen.length === 0 ? output.variables : chosen;
    for (const warning of output.warnings) terminal.err(`warning: ${warning}\n`);
    if (options.output.value === 'json') {
      const script = action === 'render' ? { script: output.text, bytes: output.bytes } : {};
      terminal.out(`${JSON.stringify({ variables: variablesJson(variables), ...script }, null, 2)}\n`);
    } else if (options.output.value === 'base64') terminal.out(`${output.encoded}\n`);
    else if (action === 'render') terminal.out(output.text);
    else terminal.out(chosen.length === 0 ? variablesText(output) : chosen.map(variableText).join('\n'));
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------

interface ReadOptions {
  readonly options: BootstrapVerbValues;
  /** With environment variables that count only if the node is one of Azure. */
  readonly problemsOfAzure: readonly OptionProblem[];
}

/** The same options, with those that are in files. @throws {UsageError} for all that cannot be read. */
function withSecretFiles(parsed: BootstrapVerbValues): ReadOptions {
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const read = readLayers(BOOTSTRAP_VERB_OPTIONS, { ...inputsOf(parsed), readFile });
  const { values: options, problems } = read;
  const variables = FLAGS_OF_ONE_CLOUD.azure.filter((name) => options[name].source === 'env');
  const problemsOfAzure = problems.filter(({ where }) =>
    variables.some((name) => options[name].path === where),
  );
  const isAzure = options.cloud.value === 'azure';
  refuseAny(isAzure ? problems : problems.filter((problem) => !problemsOfAzure.includes(problem)));
  return { options, problemsOfAzure };
}

function refuseAny(problems: readonly OptionProblem[]): void {
  if (problems.length > 0) throw new UsageError(problems);
}

function checkCall(action: string, names: readonly string[], output: string, showSecrets: boolean): void {
  const refuse = (where: string, message: string) => {
    throw new UsageError([{ where, message }]);
  };
  if (!(ACTIONS as readonly string[]).includes(action)) {
    const guess = closestName(action, ACTIONS);
    refuse(action, `expects render or explain${guess === undefined ? '' : `; did you mean ${guess}?`}`);
  }
  if (action === 'render' && names.length > 0) refuse(names[0]!, 'only explain takes variables');
  if (action === 'explain' && showSecrets) refuse('--show-secrets', 'only works with render');
  if (action === 'explain' && output === 'base64')
    refuse('-o', 'base64 only works with render; explain prints text or json');
}

async function cloudOf(options: BootstrapVerbValues, sources: readonly Source[]): Promise<string> {
  const { isAboutAws } = await import('../bootstrap/aws-manifests.ts');
  return options.cloud.value ?? (isAboutAws(sources) ? 'aws' : 'azure');
}

async function explained(
  options: BootstrapVerbValues,
  cloud: string,
  sources: readonly Source[],
  world: Call['world'],
): Promise<BootstrapOutput> {
  refuseOtherFlags(options, cloud);
  if (cloud === 'aws') {
    const { awsManifestsOf } = await import('../bootstrap/aws-manifests.ts');
    const { explainAws } = await import('../bootstrap/aws-explain.ts');
    return explainAws(options, awsManifestsOf(sources));
  }
  const { explainBootstrap } = await import('../bootstrap/explain.ts');
  const { manifestsOf } = await import('../bootstrap/manifests.ts');
  const { azureOutput } = await import('../bootstrap/output.ts');
  const explanation = await explainBootstrap({
    world: await world(),
    options,
    manifests: manifestsOf(sources, options.instanceType.value !== undefined),
    masked: !options.showSecrets.value,
  });
  return azureOutput(explanation);
}

/** Environment variables are left alone: they may be there for another command. */
function refuseOtherFlags(options: BootstrapVerbValues, cloud: string): void {
  const others = FLAGS_OF_ONE_CLOUD[cloud === 'aws' ? 'azure' : 'aws'];
  const problems = others
    .filter((name) => options[name].source === 'flag')
    .map((name) => ({
      where: options[name].path,
      message: `has no effect on a node of ${cloud === 'aws' ? 'AWS' : 'Azure'}; remove it, or change --cloud`,
    }));
  refuseAny(problems);
}

/** By the whole name, or by its last part: `max-pods` for `kubelet --max-pods`. */
function variablesNamed<T extends { readonly name: string }>(
  name: string,
  variables: readonly T[],
): readonly T[] {
  const wanted = plain(name);
  const exact = variables.filter((variable) => plain(variable.name) === wanted);
  const found = exact.length > 0 ? exact : variables.filter((variable) => lastPart(variable.name) === wanted);
  if (found.length > 0) return found;
  const guess = closestName(
    wanted,
    variables.map((variable) => plain(variable.name)),
  );
  const meant = variables.find((variable) => plain(variable.name) === guess)?.name;
  throw new UsageError([
    { where: name, message: `no such variable${meant === undefined ? '' : `; did you mean ${meant}?`}` },
  ]);
}

function plain(name: string): string {
  return name.replace(/^-+/, '').toLowerCase();
}

function lastPart(name: string): string {
  return plain(name.split(/[ .]/).at(-1)!);
}
