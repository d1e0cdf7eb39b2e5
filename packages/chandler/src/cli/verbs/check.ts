/** `chandler check`: judges Terraform, Helm values and manifests before an installation, and says what to do next. */
import { stat } from 'node:fs/promises';
import { closestName, type OptionProblem } from '../../settings/index.ts';
import { defineVerb, EXIT_OK, OUTPUT_OPTION, UsageError } from '../verb.ts';

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

const OPTIONS = {
  plan: {
    flag: 'plan',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'Plans in JSON (terraform show -json PLAN), wherever they are',
  },
  state: {
    flag: 'state',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'States (terraform show -json, or .tfstate), wherever they are',
  },
  varFile: {
    flag: 'var-file',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'Files of Terraform variables besides terraform.tfvars and *.auto.tfvars',
  },
  config: {
    flag: 'config',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'What you expect of NodePools and node classes',
  },
  only: {
    flag: 'only',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'ID',
    doc: 'Only these checks',
  },
  skip: {
    flag: 'skip',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'ID',
    doc: 'Not these checks',
  },
  severity: {
    flag: 'severity',
    type: 'string',
    default: 'info',
    choices: SEVERITIES,
    doc: 'Only checks of this severity and worse',
  },
  failOn: {
    flag: 'fail-on',
    type: 'string',
    default: 'high',
    choices: SEVERITIES,
    doc: 'Exit with 1 when a check of this severity or worse fails',
  },
  warnAsError: {
    flag: 'warn-as-error',
    type: 'boolean',
    default: false,
    doc: 'Warnings count for the exit code as failures do',
  },
  exitZero: {
    flag: 'exit-zero',
    type: 'boolean',
    default: false,
    doc: 'Exit with 0 whatever the checks found',
  },
  requireInputs: {
    flag: 'require-inputs',
    type: 'boolean',
    default: false,
    doc: 'Exit with 3 when a file cannot be read, or nothing can be judged',
  },
  strict: {
    flag: 'strict',
    type: 'boolean',
    default: false,
    doc: 'Habits that are risky in production fail instead of warning',
  },
  redact: {
    flag: 'redact',
    type: 'boolean',
    default: false,
    doc: 'Hide account ids',
  },
  verbose: {
    flag: 'verbose',
    type: 'boolean',
    default: false,
    doc: 'Also print the evidence of checks that pass, and why others were skipped',
  },
  output: OUTPUT_OPTION,
} as const;

export const check = defineVerb({
  name: 'check',
  summary: 'Check Terraform, Helm values and manifests for an installation, and say what to do next',
  description:
    'Reads files: Terraform (*.tf, plans, states), Helm values, Argo CD Applications, Flux HelmReleases, kustomize overlays, NodePools,\n' +
    'node classes and workloads. Compares what they say with each other, and prints what is wrong with file and line, a score, and\n' +
    'what to do next. It changes nothing and calls nobody. A file that is broken is reported, and the rest is judged.\n' +
    'list-checks prints all checks; explain ID prints what one of them judges. A folder of such a name is ./list-checks.\n' +
    'Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage error, 3 missing inputs (with --require-inputs), 4 a check failed itself.',
  positionals: '[PATH…] | list-checks | explain ID',
  examples: [
    { command: 'chandler check .', does: 'check everything in this folder' },
    {
      command: 'chandler check infra gitops --plan plan.json -o json',
      does: 'check two folders and a plan, for a program',
    },
    { command: 'chandler check . --fail-on medium --warn-as-error', does: 'be strict in CI' },
    { command: 'chandler check explain S-32', does: 'explain a check' },
  ],
  options: OPTIONS,
  async run({ options, positionals, terminal }) {
    // Loaded here because parsers and tables are large, and other verbs do not need them.
    const readiness = await import('../../readiness/index.ts');
    const { CHECKS } = readiness;
    const [first, ...rest] = positionals;
    if (first === 'list-checks') {
      refuseMore(rest);
      terminal.out(readiness.listChecks(CHECKS));
      return EXIT_OK;
    }
    if (first === 'explain') {
      const [id = '', ...more] = rest;
      refuseMore(more);
      terminal.out(readiness.explainCheck(CHECKS[known([id], CHECKS)[0]!]!));
      return EXIT_OK;
    }
    const only = new Set(known(options.only.value, CHECKS));
    const skipped = new Set(known(options.skip.value, CHECKS));
    const limit = SEVERITIES.indexOf(options.severity.value as (typeof SEVERITIES)[number]);
    const chosen = CHECKS.filter(
      ({ severity }, index) =>
        (only.size === 0 || only.has(index)) && !skipped.has(index) && SEVERITIES.indexOf(severity) <= limit,
    );
    const paths = positionals.length === 0 ? ['.'] : positionals;
    const config = options.config.value;
    await refuseMissing([
      ...paths,
      ...options.plan.value,
      ...options.state.value,
      ...options.varFile.value,
      ...(config === undefined ? [] : [config]),
    ]);
    const inputs = await readiness.readInputs({
      paths,
      terraformJson: [...options.plan.value, ...options.state.value],
      variableFiles: options.varFile.value,
      ...(config === undefined ? {} : { config }),
    });
    if (config !== undefined && inputs.expectations?.kind !== 'map') refuseConfig(config, inputs.problems);
    const judged = readiness.judge(inputs, chosen, { strict: options.strict.value });
    const report = options.redact.value ? readiness.redactAccounts(judged) : judged;
    terminal.out(
      options.output.value === 'json'
        ? readiness.renderJson(report)
        : readiness.renderText(report, { color: terminal.color, verbose: options.verbose.value }),
    );
    return readiness.exitCodeOf(judged, {
      failOn: options.failOn.value as (typeof SEVERITIES)[number],
      warnAsError: options.warnAsError.value,
      requireInputs: options.requireInputs.value,
      exitZero: options.exitZero.value,
    });
  },
});

// ---------------------------------------------------------------------------------------------------

/** The places of checks in the table. */
function known(ids: readonly string[], checks: readonly { readonly id: string }[]): readonly number[] {
  const names = checks.map(({ id }) => id);
  return ids.map((id) => {
    const place = names.indexOf(id.toUpperCase());
    if (place >= 0) return place;
    const guess = closestName(id.toUpperCase(), names);
    const hint = guess === undefined ? '"chandler check list-checks" lists them' : `did you mean ${guess}?`;
    throw new UsageError([
      { where: id === '' ? 'explain' : id, message: id === '' ? 'name a check' : `no such check; ${hint}` },
    ]);
  });
}

/** What the user names and is not there would otherwise be a green run. */
async function refuseMissing(paths: readonly string[]): Promise<void> {
  const missing: OptionProblem[] = [];
  for (const path of paths) {
    const code = await stat(path).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code === 'ENOENT' || code === 'ENOTDIR')
      missing.push({ where: path, message: 'there is no such file or folder' });
  }
  if (missing.length > 0) throw new UsageError(missing);
}

function refuseConfig(
  config: string,
  problems: readonly { readonly at: object; readonly message: string }[],
): never {
  const own = problems.find(({ at }) => 'file' in at && at.file === config);
  throw new UsageError([{ where: config, message: own?.message ?? 'expected a map of expectations' }]);
}

function refuseMore([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError([{ where: first, message: 'unexpected argument' }]);
}
