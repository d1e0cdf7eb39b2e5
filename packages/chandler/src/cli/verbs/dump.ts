/** `chandler dump`: a support bundle, one file without secrets, from which `why` answers elsewhere. */
import { CLUSTER_OPTIONS, defineVerb, namedKubeconfig } from '../verb.ts';
import { CLOUD_OPTIONS, cloudChoice } from './cloud-options.ts';

const OPTIONS = {
  file: {
    flag: 'file',
    short: 'f',
    type: 'string',
    default: 'chandler-dump.json.gz',
    placeholder: 'FILE',
    doc: 'File to write, or - for standard output. The file is compressed if its name ends in .gz',
  },
  namespace: {
    flag: 'namespace',
    short: 'n',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Include all pods of these namespaces. By default, only unhealthy pods are included',
  },
  ...CLUSTER_OPTIONS,
  ...CLOUD_OPTIONS,
  maxSize: {
    flag: 'max-size',
    type: 'integer',
    default: 64,
    minimum: 1,
    maximum: 200,
    placeholder: 'MIB',
    doc: 'Maximum size in MiB before compression. Healthy nodes are left out first, then events, logs, and objects of the largest kinds',
  },
} as const;

export const dump = defineVerb({
  name: 'dump',
  summary: 'Write a support bundle that `chandler why --dump` can read',
  description:
    'Writes one JSON file with NodePools, NodeClaims, node classes, nodes, events, the controller and its settings, and\n' +
    'unhealthy pods with their logs. With credentials for its cloud, it includes the VMs that have not joined the cluster.\n' +
    'The file never contains Secrets. The values of environment variables, the commands of containers, and text that looks\n' +
    'like a secret are removed. The file contains names, labels and messages: review it before you share it.',
  positionals: '',
  examples: [
    { command: 'chandler dump', does: 'write chandler-dump.json.gz to this folder' },
    { command: 'chandler dump -n shop -f shop.json', does: 'include all pods of a namespace, uncompressed' },
    { command: 'chandler why pod/web-1 -n shop --dump shop.json', does: 'answer from the file' },
  ],
  whenOutputCloses: ({ file }) => (file.value === '-' ? 'stop' : 'finish'),
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world }) {
    const { writeDump } = await import('../why/write-dump.ts');
    return writeDump({
      file: options.file.value,
      namespaces: options.namespace.value,
      maxBytes: options.maxSize.value * 1024 * 1024,
      source: { kubeconfig: namedKubeconfig(options.kubeconfig), context: options.context.value },
      cloud: cloudChoice(options),
      warn: (line) => terminal.err(`chandler dump: ${line}\n`),
      env,
      terminal,
      interrupted,
      world,
    });
  },
});
