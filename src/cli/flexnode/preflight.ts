/** `flexnode preflight` and `flexnode debug`: checks before, and a wider look after. Both only look. */
import { EXIT_CODES } from '../../flexnode/flex-error.ts';
import { defineVerb, EXIT_OK } from '../verb.ts';
import { guarded } from './guarded.ts';
import { COMMON_OPTIONS, PREFLIGHT_OPTIONS } from './options.ts';

const OPTIONS = {
  ...COMMON_OPTIONS,
  ...PREFLIGHT_OPTIONS,
  failOnWarnings: {
    flag: 'fail-on-warnings',
    type: 'boolean',
    default: false,
    doc: 'Exit code 4 for warnings too',
  },
} as const;

export const preflight = defineVerb({
  name: 'preflight',
  summary: 'Check the machine, the config and the network before bootstrap',
  description:
    'Checks root, system, memory, disk, cgroups, modules, ports, DNS, clock, proxies, endpoints, Arc, an existing kubelet\n' +
    'and the config, each with what to do when it fails. Changes nothing. Exit code 4 when a check fails.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode preflight', does: 'will bootstrap work?' },
    {
      command: 'sudo chandler flexnode preflight --ignore-preflight-errors disk-space -o json',
      does: 'without one check, for programs',
    },
  ],
  options: OPTIONS,
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    return guarded(call, 'preflight', async () => {
      const [{ openAgent }, { knownChecks }, { runPreflight }, { reportJson, reportText }] =
        await Promise.all([
          import('./open-agent.ts'),
          import('./before-bootstrap.ts'),
          import('../../flexnode/preflight/preflight.ts'),
          import('../../flexnode/preflight/report.ts'),
        ]);
      knownChecks(options.ignore.value);
      const { parts, fetch } = await openAgent(call);
      const report = await runPreflight(
        { ...parts, fetch },
        {
          signal,
          ignore: options.ignore.value,
          failOnWarnings: options.failOnWarnings.value,
          allowUnsupportedOs: options.allowUnsupportedOs.value,
        },
      );
      terminal.out(options.output.value === 'json' ? reportJson(report) : reportText(report));
      return report.status === 'ok' ? EXIT_OK : EXIT_CODES.preflight;
    });
  },
});

export const debug = defineVerb({
  name: 'debug',
  summary: 'Why does this node not do what it should?',
  description:
    'Everything preflight checks, then what runs now, whom the API server takes the machine for, what it says of the Node,\n' +
    'and the cause that the logs of kubelet and containerd tell, with its cure. Changes nothing.\n' +
    'Exit code 4 when something is wrong.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode debug', does: 'what is wrong, and what to do' },
    { command: 'sudo chandler flexnode debug -o json > debug.json', does: 'for a ticket' },
  ],
  options: OPTIONS,
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    return guarded(call, 'debug', async () => {
      const [{ openAgent }, { knownChecks }, { debugJson, debugText, runDebug }] = await Promise.all([
        import('./open-agent.ts'),
        import('./before-bootstrap.ts'),
        import('../../flexnode/preflight/debug.ts'),
      ]);
      knownChecks(options.ignore.value);
      const { parts, fetch } = await openAgent(call);
      const report = await runDebug(
        { ...parts, fetch },
        {
          signal,
          ignore: options.ignore.value,
          failOnWarnings: options.failOnWarnings.value,
          allowUnsupportedOs: options.allowUnsupportedOs.value,
        },
      );
      terminal.out(options.output.value === 'json' ? debugJson(report) : debugText(report));
      return report.status === 'ok' ? EXIT_OK : EXIT_CODES.preflight;
    });
  },
});
