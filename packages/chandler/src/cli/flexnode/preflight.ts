/** `flexnode preflight` and `flexnode debug`: read-only checks before bootstrap, and a diagnosis afterwards. */
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
    doc: 'Exit with code 4 on warnings, too',
  },
} as const;

export const preflight = defineVerb({
  name: 'preflight',
  summary: 'Check the machine, the config and the network before bootstrap',
  description:
    'Checks privileges, operating system, memory, disk, cgroups, kernel modules, ports, DNS, clock, proxies, endpoints,\n' +
    'Arc, an existing kubelet and the config. Each failed check prints a remedy. Changes nothing.\n' +
    'Exit code 4 if a check fails.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode preflight', does: 'Check whether bootstrap can succeed' },
    {
      command: 'sudo chandler flexnode preflight --ignore-preflight-errors disk-space -o json',
      does: 'Report errors of one check as warnings, and print JSON',
    },
  ],
  options: OPTIONS,
  run: (call) =>
    runReport(call, 'preflight', async () => {
      const [{ runPreflight }, { reportJson, reportText }] = await Promise.all([
        import('../../flexnode/index.ts'),
        import('../../flexnode/index.ts'),
      ]);
      return { run: runPreflight, json: reportJson, text: reportText };
    }),
});

export const debug = defineVerb({
  name: 'debug',
  summary: 'Diagnose why this node does not work',
  description:
    'Runs all preflight checks, then checks the services, the identity that the API server sees, and the conditions of the\n' +
    'Node. Names the probable cause found in the logs of kubelet and containerd, with its remedy. Changes nothing.\n' +
    'Exit code 4 if a check fails.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode debug', does: 'Show failures and remedies' },
    {
      command: 'sudo chandler flexnode debug -o json > debug.json',
      does: 'Save the report for a support ticket',
    },
  ],
  options: OPTIONS,
  run: (call) =>
    runReport(call, 'debug', async () => {
      const { debugJson, debugText, runDebug } = await import('../../flexnode/index.ts');
      return { run: runDebug, json: debugJson, text: debugText };
    }),
});

// ---------------------------------------------------------------------------------------------------

/** How a verb creates its report, and how it renders it. */
interface ReportCommand<R extends PreflightReport> {
  readonly run: (parts: PreflightParts, options: PreflightOptions) => Promise<R>;
  readonly json: (report: R) => string;
  readonly text: (report: R) => string;
}

function runReport<R extends PreflightReport>(
  call: Call<typeof OPTIONS>,
  name: string,
  load: () => Promise<ReportCommand<R>>,
): Promise<number> {
  const { options, terminal, interrupted: signal } = call;
  return guarded(call, name, async () => {
    const [{ openAgent }, { knownChecks }, { run, json, text }] = await Promise.all([
      import('./open-agent.ts'),
      import('./before-bootstrap.ts'),
      load(),
    ]);
    knownChecks(options.ignore.value);
    const { parts, fetch } = await openAgent(call);
    const report = await run(
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
