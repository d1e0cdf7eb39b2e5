/** `flexnode bundle`: collects every program that a machine with this config needs in one directory or file. */
import { resolve } from 'node:path';
import type { Architecture } from '../../flexnode/index.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS } from './options.ts';

const ARCHITECTURES: readonly Architecture[] = ['amd64', 'arm64'];

export const bundle = defineVerb({
  name: 'bundle',
  summary: 'Collect all programs in one directory or archive, for machines without internet access',
  description:
    'Downloads runc, containerd, the Kubernetes binaries and the CNI plugins in the versions of the config, and the Arc\n' +
    'agent if the config contains its hash. Verifies them and writes them with a manifest of hashes to a directory, or to\n' +
    'one archive if the name ends in .tar. Requires neither root nor access to Azure.\n' +
    'To use the bundle, set "downloads": {"bundle": "/path/to/bundle"} in the config of the machine.',
  positionals: '',
  examples: [
    {
      command: 'chandler flexnode bundle -c config.json --out flexnode.tar',
      does: 'Write one archive for amd64',
    },
    {
      command: 'chandler flexnode bundle -c config.json --out ./bundle --arch amd64,arm64',
      does: 'Write a directory for both architectures; it can also be served as a mirror',
    },
  ],
  whenOutputCloses: () => 'finish',
  options: {
    ...COMMON_OPTIONS,
    out: {
      flag: 'out',
      type: 'string',
      default: 'flexnode-bundle.tar',
      placeholder: 'PATH',
      doc: 'The directory to write, or an archive if the name ends in .tar',
    },
    arch: {
      flag: 'arch',
      type: 'list',
      default: ['amd64'] as readonly string[],
      placeholder: 'LIST',
      doc: 'The architectures of the machines: amd64, arm64',
    },
  },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const architectures = ARCHITECTURES.filter((each) => options.arch.value.includes(each));
    const unknown = options.arch.value.find((each) => !(ARCHITECTURES as readonly string[]).includes(each));
    if (unknown !== undefined)
      throw new UsageError([{ where: '--arch', message: `must be amd64 or arm64, not "${unknown}"` }]);
    if (architectures.length === 0)
      throw new UsageError([{ where: '--arch', message: 'must name amd64, arm64 or both' }]);
    const json = options.output.value === 'json';
    return guarded(call, 'bundle', async () => {
      const [{ openAgent }, { makeBundle }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
      ]);
      const { parts, fetch } = await openAgent(call);
      const { bundle: _bundle, ...downloads } = parts.config.downloads;
      const config = { ...parts.config, downloads };
      const say = (message: string) => {
        if (!json) terminal.err(`${message}\n`);
      };
      const out = options.root.value === undefined ? resolve(options.out.value) : options.out.value;
      const { world, host } = parts;
      const made = await makeBundle({ config, architectures, out }, { world, host, fetch, signal, say });
      terminal.out(
        json
          ? `${JSON.stringify({ out, ...made })}\n`
          : `${out}: ${made.files.length} files\n${made.files.map((file) => `  ${file.sha256}  ${file.path}\n`).join('')}`,
      );
      return EXIT_OK;
    });
  },
});
