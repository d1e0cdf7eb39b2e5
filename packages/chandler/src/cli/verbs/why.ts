/** `chandler why`: the layers from the configuration to a running pod, the first broken one, the evidence, the fix. */

import { DIAGNOSES } from '../../cloud/registry.ts';
import { closestName } from '../../settings/index.ts';
import { CLUSTER_OPTIONS, defineVerb, namedKubeconfig, OUTPUT_OPTION, UsageError } from '../verb.ts';
import type { Question } from '../why/question.ts';
import type { SourceChoice } from '../why/source.ts';
import { CLOUD_OPTIONS, CLOUD_TITLES, cloudChoice } from './cloud-options.ts';

/** Exit code with `--fail-on-broken` when something is broken. */
export const EXIT_BROKEN = 3;

const CHECKLISTS = DIAGNOSES.flatMap(({ checklists }) => checklists);
const VALUES = DIAGNOSES.flatMap(({ values }) => values);

const OPTIONS = {
  namespace: {
    flag: 'namespace',
    short: 'n',
    type: 'string',
    default: undefined as string | undefined,
    doc: 'Namespace of the pod or workload. Default: the namespace of the context, or the only namespace that has an object of this name',
  },
  output: OUTPUT_OPTION,
  ...CLUSTER_OPTIONS,
  dump: {
    flag: 'dump',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Answer from a file that `chandler dump` wrote, instead of a cluster',
  },
  nodeclaim: {
    flag: 'nodeclaim',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'For `why value`: the NodeClaim whose VM should have the value',
  },
  checklist: {
    flag: 'checklist',
    type: 'string',
    default: undefined as string | undefined,
    choices: CHECKLISTS,
    doc: 'Run a checklist. byok: disks with a customer-managed key',
  },
  byok: {
    flag: 'byok',
    type: 'boolean',
    default: false,
    doc: 'Expect disks with a customer-managed key, and report nodes without one',
  },
  ...CLOUD_OPTIONS,
  watch: {
    flag: 'watch',
    short: 'w',
    type: 'boolean',
    default: false,
    doc: 'Print the answer again whenever it changes, until the object is healthy or you stop it',
  },
  verbose: {
    flag: 'verbose',
    type: 'boolean',
    default: false,
    doc: 'Also list what was read, from where and when',
  },
  failOnBroken: {
    flag: 'fail-on-broken',
    type: 'boolean',
    default: false,
    doc: `Exit with ${EXIT_BROKEN} when something is broken`,
  },
} as const;

export const why = defineVerb({
  name: 'why',
  summary: 'Explain why a pod, workload, NodeClaim, node or NodePool is not healthy',
  description:
    `Reads the object and what belongs to it from the cluster and, with credentials, from its cloud (${CLOUD_TITLES}).\n` +
    'Checks the seven layers from configuration to readiness, and prints the first broken one with the evidence, the fix and\n' +
    'commands to confirm. It changes nothing. If it lacks credentials, or permission to read an object, it lists what is missing\n' +
    'and how to provide it, and answers without it.\n' +
    'With --dump it answers from a support bundle, without access to the cluster.\n' +
    `Exit codes: 0 answered, 1 no answer, 2 usage error, ${EXIT_BROKEN} broken (with --fail-on-broken).`,
  positionals:
    'pod/NAME | nodeclaim/NAME | node/NAME | nodepool/NAME | deployment/NAME | statefulset/NAME | daemonset/NAME | job/NAME | cronjob/NAME | value NAME',
  examples: [
    { command: 'chandler why pod/web-1 -n shop', does: 'why this pod does not run' },
    {
      command: 'chandler why deployment/web -n shop',
      does: 'why it has no pods, or why the worst of them does not run',
    },
    { command: 'chandler why nodeclaim/default-x7k2p', does: 'why this NodeClaim has no Node' },
    { command: 'chandler why nodepool/default --watch', does: 'print the answer whenever it changes' },
    ...DIAGNOSES.flatMap(({ examples }) => examples),
    {
      command: 'chandler why value diskEncryptionSetID --nodeclaim default-x7k2p',
      does: 'show the value of an option at each stage from the configuration to the VM, and the first stage where it differs',
    },
    { command: 'chandler why --checklist byok', does: 'check disks with a customer-managed key' },
    { command: 'chandler why pod/web-1 --dump cluster.json.gz', does: 'answer from a support bundle' },
  ],
  options: OPTIONS,
  async run({ options, positionals, terminal, env, interrupted, world }) {
    const question = questionOf(positionals, options.checklist.value, options.nodeclaim.value);
    if (options.watch.value && (options.dump.value !== undefined || question.kind !== 'object'))
      throw new UsageError([{ where: '--watch', message: 'only works with an object of a live cluster' }]);
    const source = await sourceOf(
      options.dump.value,
      namedKubeconfig(options.kubeconfig),
      options.context.value,
    );
    // Loaded here because planner, catalogue and SDKs are large, and other verbs do not need them.
    const { answer } = await import('../why/answer.ts');
    return answer({
      question,
      namespace: options.namespace.value,
      json: options.output.value === 'json',
      byok: options.byok.value || options.checklist.value === 'byok',
      verbose: options.verbose.value,
      watch: options.watch.value,
      failCode: options.failOnBroken.value ? EXIT_BROKEN : 0,
      source,
      cloud: cloudChoice(options),
      warn: (line) => terminal.err(`chandler why: ${line}\n`),
      env,
      terminal,
      interrupted,
      world,
    });
  },
});

// ---------------------------------------------------------------------------------------------------

/** A dump is read while what answers from it is still loading. */
async function sourceOf(
  dump: string | undefined,
  kubeconfig: string | undefined,
  context: string | undefined,
): Promise<SourceChoice> {
  if (dump === undefined) return { kubeconfig, context };
  const { readDumpFile } = await import('../why/dump-file.ts');
  const text = readDumpFile(dump);
  // The caller that awaits it reports the error.
  text.catch(() => undefined);
  return { dump, text };
}

function questionOf(
  positionals: readonly string[],
  checklist: string | undefined,
  nodeclaim: string | undefined,
): Question {
  const refuse = (where: string, message: string): never => {
    throw new UsageError([{ where, message }]);
  };
  if (checklist !== undefined) {
    if (positionals.length > 0) refuse(positionals[0]!, '--checklist takes no object');
    return { kind: 'checklist', name: checklist };
  }
  const [first, name, ...more] = positionals;
  if (first === undefined)
    return refuse(
      'no object',
      'name pod/NAME, nodeclaim/NAME, node/NAME, nodepool/NAME, or a workload such as deployment/NAME',
    );
  if (first !== 'value') {
    if (nodeclaim !== undefined) refuse('--nodeclaim', 'only works with `why value`');
    return { kind: 'object', words: positionals };
  }
  if (name === undefined || more.length > 0) return refuse('value', `name one value: ${VALUES.join(', ')}`);
  const known = VALUES.find((each) => each.toLowerCase() === name.toLowerCase());
  if (known === undefined) {
    const guess = closestName(name, VALUES);
    return refuse(
      name,
      `no such value; ${guess === undefined ? `known values: ${VALUES.join(', ')}` : `did you mean ${guess}?`}`,
    );
  }
  if (nodeclaim === undefined)
    return refuse('--nodeclaim', 'name the NodeClaim whose VM should have the value');
  return { kind: 'value', name: known, nodeclaim };
}
