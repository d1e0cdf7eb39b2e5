/** `flexnode config check`: reports every error in a config file, without access to the machine or to Azure. */
import { EXIT_CODES } from '../../flexnode/index.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS } from './options.ts';

export const config = defineVerb({
  name: 'config',
  summary: 'Validate a config file (with `config check`)',
  description:
    'Validates the config file. Prints every error with its line and a suggestion, then the warnings. Does not access the\n' +
    'machine or Azure. A secret file that the config names is read, but its content is never printed.\n' +
    'Exit code 3 if the config is invalid.',
  positionals: 'check [FILE]',
  examples: [
    { command: 'chandler flexnode config check', does: 'Validate /etc/aks-flex-node/config.json' },
    {
      command: 'chandler flexnode config check ./edge-01.json -o json',
      does: 'Validate another file and print JSON',
    },
  ],
  options: COMMON_OPTIONS,
  async run(call) {
    const { options, positionals, terminal, env } = call;
    const [action, file, ...more] = positionals;
    if (action !== 'check' || more.length > 0)
      throw new UsageError([{ where: action ?? 'config', message: 'usage: config check [FILE]' }]);
    return guarded(call, 'config check', async () => {
      const { loadConfig, readConfigFile } = await import('./load-config.ts');
      const { problemLines } = await import('../../flexnode/index.ts');
      const path = file ?? options.config.value;
      const root = options.root.value;
      const place = { path, env, ...(root === undefined ? {} : { root }) };
      if (options.output.value === 'json') {
        const reading = await readConfigFile(place);
        const { warnings } = reading;
        const problems = reading.ok ? [] : reading.problems;
        terminal.out(`${JSON.stringify({ ok: reading.ok, path, problems, warnings }, null, 2)}\n`);
        return reading.ok ? EXIT_OK : EXIT_CODES.config;
      }
      const { config: read, warnings } = await loadConfig(place);
      await read.azure.servicePrincipal?.clientSecret.read();
      if (warnings.length > 0) terminal.err(`warnings:\n${problemLines(path, warnings)}`);
      terminal.out(
        `${path} is valid: node ${read.agent.nodeName} of cluster ${read.azure.targetCluster.name}, Kubernetes ${read.kubernetes.version}\n`,
      );
      return EXIT_OK;
    });
  },
});
