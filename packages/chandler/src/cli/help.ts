/** Help pages, rendered from the tables of the commands. */
import { optionHelp } from '../settings/index.ts';
import type { Example, Verb } from './verb.ts';

export function overview(verbs: readonly Verb[], program = 'chandler'): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  const examples = OVERVIEW_EXAMPLES.filter(({ command }) =>
    verbs.some(({ name }) => command.startsWith(`chandler ${name}`)),
  );
  return [
    'chandler provisions Kubernetes nodes, removes them when they are no longer needed, and explains why a node does not become Ready.',
    '',
    `Usage: ${program} COMMAND [flags]`,
    '',
    'Commands:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    ...exampleLines(examples, program),
    `Use "${program} COMMAND --help" for more information about a command.`,
    'Exit codes: 0 success, 1 failure, 2 usage error. Some commands document further codes.',
    '',
  ].join('\n');
}

/** The help page of a command that has subcommands. */
export function familyHelp(family: Verb, program = `chandler ${family.name}`): string {
  const verbs = family.verbs ?? [];
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    family.description,
    '',
    `Usage: ${program} COMMAND [flags]`,
    '',
    'Commands:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    ...exampleLines(family.examples, program),
    `Use "${program} COMMAND --help" for more information about a command.`,
    '',
  ].join('\n');
}

export function verbHelp(verb: Verb, program = 'chandler'): string {
  const usage = [program, verb.name, verb.positionals, '[flags]'].filter((part) => part !== '').join(' ');
  return [
    verb.description,
    '',
    `Usage: ${usage}`,
    '',
    'Examples:',
    ...exampleLines(verb.examples, program),
    'Flags:',
    ...optionHelp(verb.options),
    '  -h, --help  Print this help',
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

const OVERVIEW_EXAMPLES: readonly Example[] = [
  { command: 'chandler playground', does: 'run a simulated cluster on this machine' },
  {
    command: 'chandler crds | kubectl apply --server-side -f -',
    does: 'install the CustomResourceDefinitions',
  },
  { command: 'chandler top', does: 'show nodes with what they cost and why they stay' },
  { command: 'chandler why pod/web-0', does: 'explain why a pod is pending' },
];

/** @param program whose examples begin with `chandler`, however it was started. */
function exampleLines(examples: readonly Example[], program: string): string[] {
  const root = program.startsWith('kubectl ') ? 'kubectl chandler' : 'chandler';
  return examples.map(({ command, does }) => `  # ${does}\n  ${command.replace(/^chandler\b/, root)}\n`);
}
