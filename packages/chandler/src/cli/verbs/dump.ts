/** `chandler dump`: a support bundle, one file, without secrets, from which `why` answers on another machine. */
import { CLUSTER_OPTIONS, defineVerb } from '../verb.ts';
import { CLOUD } from '../why/clouds.ts';

const OPTIONS = {
  file: {
    flag: 'file',
    short: 'f',
    type: 'string',
    default: 'chandler-dump.json.gz',
    placeholder: 'FILE',
    doc: 'Where to write it; compressed when it ends in .gz; - is standard output',
  },
  namespace: {
    flag: 'namespace',
    short: 'n',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Namespaces whose pods go in even when they are well',
  },
  ...CLUSTER_OPTIONS,
  cloud: {
    flag: CLOUD.name,
    type: 'string',
    default: 'auto',
    choices: ['auto', 'on', 'off'],
    doc: `Read ${CLOUD.title} too; auto: if the environment holds credentials`,
  },
  maxSize: {
    flag: 'max-size',
    type: 'integer',
    default: 64,
    minimum: 1,
    maximum: 200,
    placeholder: 'MIB',
    doc: 'At most so many MiB before compression; logs are dropped first, then events, then pods',
  },
} as const;

export const dump = defineVerb({
  name: 'dump',
  summary: 'Write a support bundle that `why --dump` answers from',
  description:
    'Reads pools, claims, node classes, nodes, events, the controller and its settings, pods that are not well with their\n' +
    'logs, and with credentials what Azure shows of machines that have not joined; writes one JSON file. Secrets are\n' +
    'not read into it; values of environment variables, commands and whatever looks like a secret are taken out.\n' +
    'Look at the file before you give it away: names of objects, labels and messages are in it.',
  positionals: '',
  examples: [
    { command: 'chandler dump', does: 'chandler-dump.json.gz in this folder' },
    { command: 'chandler dump -n shop -f shop.json', does: 'with all pods of a namespace, readable' },
    { command: 'chandler why pod/web-1 -n shop --dump shop.json', does: 'elsewhere, from the file' },
  ],
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world }) {
    const { writeDump } = await import('../why/write-dump.ts');
    return writeDump({
      file: options.file.value,
      namespaces: options.namespace.value,
      maxBytes: options.maxSize.value * 1024 * 1024,
      source: { kubeconfig: options.kubeconfig.value, context: options.context.value },
      cloud: options.cloud.value as 'auto' | 'on' | 'off',
      env,
      terminal,
      interrupted,
      world,
    });
  },
});
