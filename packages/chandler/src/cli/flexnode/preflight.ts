/** `flexnode preflight` and `flexnode debug`: checks before, and a wider look after. Both only look. */
import {
  EXIT_CODES,
  type PreflightOptions,
  type PreflightParts,
  type PreflightReport,
} from '../../flexnode/index.ts';
import { type Call, defineVerb, EXIT_OK } from '../verb.ts';
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
  run: (call) =>
    look(call, 'preflight', async () => {
      const [{ runPreflight }, { reportJson, reportText }] = await Promise.all([
        import('../../flexnode/index.ts'),
        import('../../flexnode/index.ts'),
      ]);
      return { take: runPreflight, json: reportJson, text: reportText };
    }),
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
  run: (call) =>
    look(call, 'debug', async () => {
      const { debugJson, debugText, runDebug } = await import('../../flexnode/index.ts');
      return { take: runDebug, json: debugJson, text: debugText };
    }),
});

// ---------------------------------------------------------------------------------------------------

/** How one of them looks, and how it tells what it saw. */
interface Way<R extends PreflightReport> {
  readonly take: (parts: PreflightParts, options: PreflightOptions) => Promise<R>;
  readonly json: (report: R) => string;
  readonly text: (report: R) => string;
}

function look<R extends PreflightReport>(
  call: Call<typeof OPTIONS>,
  name: string,
  way: () => Promise<Way<R>>,
): Promise<number> {
  const { options, terminal, interrupted: signal } = call;
  return guarded(call, name, async () => {
    const [{ openAgent }, { knownChecks }, { take, json, text }] = await Promise.all([
      import('./open-agent.ts'),
      import('./before-bootstrap.ts'),
      way(),
    ]);
    knownChecks(options.ignore.value);
    const { parts, fetch } = await openAgent(call);
    const report = await take(
      { ...parts, fetch },
      {
        signal,
        ignore: options.ignore.value,
        failOnWarnings: options.failOnWarnings.value,
        allowUnsupportedOs: options.allowUnsupportedOs.value,
      },
    );
    terminal.out(options.output.value === 'json' ? json(report) : text(report));
    return report.status === 'ok' ? EXIT_OK : EXIT_CODES.preflight;
  });
}
