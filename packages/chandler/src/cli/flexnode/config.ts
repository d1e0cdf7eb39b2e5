/** `flexnode config check`: everything that is wrong with a config file, without touching the machine or Azure. */
import { EXIT_CODES } from '../../flexnode/index.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS } from './options.ts';

export const config = defineVerb({
  name: 'config',
  summary: 'Check a config file: config check',
  description:
    'Reads the config file and says everything that is wrong with it, with line and suggestion; then what is odd about it.\n' +
    'Asks neither the machine nor Azure anything. A secret file that the config names is looked at, not shown.\n' +
    'Exit code 3 when it is wrong.',
  positionals: 'check [FILE]',
  examples: [
    { command: 'chandler flexnode config check', does: '/etc/aks-flex-node/config.json' },
    { command: 'chandler flexnode config check ./edge-01.json -o json', does: 'another file, for scripts' },
  ],
  options: COMMON_OPTIONS,
  async run(call) {
    const { options, positionals, terminal, env } = call;
    const [action, file, ...more] = positionals;
    if (action !== 'check' || more.length > 0)
      throw new UsageError([{ where: action ?? 'config', message: 'wants: config check [FILE]' }]);
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
        `${path} is right: node ${read.agent.nodeName} of cluster ${read.azure.targetCluster.name}, Kubernetes ${read.kubernetes.version}\n`,
      );
      return EXIT_OK;
    });
  },
});
