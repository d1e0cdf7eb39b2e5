/** `chandler bootstrap`: the custom data of a new node, and the source of every value in it. */
import { stdin } from 'node:process';
import { text } from 'node:stream/consumers';
import { closestName } from '../../settings/index.ts';
import { BOOTSTRAP_VERB_OPTIONS } from '../bootstrap/options.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';

const ACTIONS = ['render', 'explain'] as const;

export const bootstrap = defineVerb({
  name: 'bootstrap',
  summary: 'Show the custom data of a new node, and the source of every value',
  description:
    'Renders the custom data of one node as the controller does in provision mode aksscriptless. It works offline.\n' +
    '"bootstrap render" prints the script. "bootstrap explain" prints each variable with its value, its source and the flag\n' +
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
  ],
  options: BOOTSTRAP_VERB_OPTIONS,
  async run({ options, positionals, terminal, world }) {
    const [action = 'explain', ...names] = positionals;
    checkCall(action, names, options.output.value, options.showSecrets.value);
    // Loaded here because catalogue and parsers are large, and other verbs do not need them.
    const { explainBootstrap } = await import('../bootstrap/explain.ts');
    const { manifestsOf } = await import('../bootstrap/manifests.ts');
    const { readSources } = await import('../simulate/sources.ts');
    const { variablesJson, variablesText, variableText } = await import('../bootstrap/print.ts');
    const sources = await readSources(options.filename.value, () => text(stdin));
    const explanation = await explainBootstrap({
      world: await world(),
      options,
      manifests: manifestsOf(sources, options.instanceType.value !== undefined),
      masked: !options.showSecrets.value,
    });
    const { rendered } = explanation;
    const chosen = names.map((name) => variableNamed(name, rendered.variables));
    const variables = chosen.length === 0 ? rendered.variables : chosen;
    if (options.output.value === 'json') {
      const script = action === 'render' ? { script: rendered.script, bytes: rendered.bytes } : {};
      terminal.out(`${JSON.stringify({ variables: variablesJson(variables), ...script }, null, 2)}\n`);
    } else if (options.output.value === 'base64') terminal.out(`${rendered.customData}\n`);
    else if (action === 'render') terminal.out(rendered.script);
    else terminal.out(chosen.length === 0 ? variablesText(explanation) : chosen.map(variableText).join('\n'));
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------

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

function variableNamed<T extends { readonly name: string }>(name: string, variables: readonly T[]): T {
  const found = variables.find((variable) => variable.name === name.toUpperCase());
  if (found !== undefined) return found;
  const guess = closestName(
    name.toUpperCase(),
    variables.map((variable) => variable.name),
  );
  throw new UsageError([
    { where: name, message: `no such variable${guess === undefined ? '' : `; did you mean ${guess}?`}` },
  ]);
}
