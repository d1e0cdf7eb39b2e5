/** Help pages, made from the verbs' own tables. */
import { optionHelp } from '../settings/index.ts';
import type { Verb } from './verb.ts';

export function overview(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    'chandler gets Kubernetes nodes from a wish to Ready, and says why when one does not get there.',
    '',
    'Usage: chandler VERB [flags]',
    '',
    'Verbs:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    '  chandler playground                                a cluster on this machine, nothing else needed',
    '  chandler crds | kubectl apply --server-side -f -   install the kinds',
    '',
    'chandler VERB --help tells more. Exit codes: 0 done, 1 failed, 2 not understood.',
    '',
  ].join('\n');
}

/** Of a verb that is a family: its members, and how to go on. */
export function familyHelp(family: Verb, program = `chandler ${family.name}`): string {
  const verbs = family.verbs ?? [];
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    family.description,
    '',
    `Usage: ${program} VERB [flags]`,
    '',
    'Verbs:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    'Examples:',
    ...family.examples.map((example) => `  # ${example.does}\n  ${example.command}\n`),
    `${program} VERB --help tells more.`,
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
    ...verb.examples.map((example) => `  # ${example.does}\n  ${example.command}\n`),
    'Flags:',
    ...optionHelp(verb.options),
    '  -h, --help  This page',
    '',
  ].join('\n');
}
