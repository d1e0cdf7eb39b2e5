/** `chandler check`: judges Terraform, Helm values and manifests before an installation, and says what to do next. */
import { readFile, stat } from 'node:fs/promises';
import type { Baseline, Inputs, Output, RenderOptions, Report, Severity } from '../../readiness/index.ts';
import { BUILD, closestName, type OptionProblem } from '../../settings/index.ts';
import { fixText } from '../check/fix-text.ts';
import { iamPolicyText, withLiveAws } from '../check/live-aws.ts';
import { withLiveAzure } from '../check/live-azure.ts';
import { CHECK_OPTIONS, SEVERITIES } from '../check/options.ts';
import { outputFilesOf, writeOutput, writeOutputFiles } from '../check/output-files.ts';
import { withPlainErrors } from '../check/plain-errors.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';

export const check = defineVerb({
  name: 'check',
  summary: 'Check Terraform, Helm values and manifests for an installation, and say what to do next',
  description:
    'Reads files: Terraform (*.tf, plans, states), Helm values, Argo CD Applications, Flux HelmReleases, kustomize overlays, NodePools,\n' +
    'node classes and workloads. Compares what they say with each other, and prints what is wrong with file and line, a score, and\n' +
    'what to do next. With --live-aws or --live-azure it also reads the account; without them, it calls nobody. It changes nothing but what --fix --write shows. A file that is broken is reported, and the rest is judged.\n' +
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
    {
      command: 'chandler check . --output-file check.sarif --output-file check.html',
      does: 'print text, and write two files for others',
    },
    { command: 'chandler check . --fix', does: 'show what can be fixed, as a diff' },
    { command: 'chandler check . --live-aws', does: 'also compare the files with the account' },
    { command: 'chandler check explain A-05', does: 'explain a check' },
  ],
  options: CHECK_OPTIONS,
  run: withPlainErrors(async ({ options, positionals, terminal, world, env, interrupted }) => {
    if (options.iamPolicy.value) {
      refuseMore(positionals);
      terminal.out(await iamPolicyText(options.clusterName.value, options.region.value));
      return EXIT_OK;
    }
    // Loaded here because parsers and tables are large, and other verbs do not need them.
    const readiness = await import('../../readiness/index.ts');
    const { CHECKS } = readiness;
    if (options.armActions.value) {
      refuseMore(positionals);
      terminal.out(readiness.armActionsText());
      return EXIT_OK;
    }
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
    const limit = SEVERITIES.indexOf(options.severity.value as Severity);
    const chosen = CHECKS.filter(
      ({ severity }, index) =>
        (only.size === 0 || only.has(index)) && !skipped.has(index) && SEVERITIES.indexOf(severity) <= limit,
    );
    refuseWriteAlone(options.write.value, options.fix.value);
    const outputFiles = outputFilesOf(options.outputFile.value);
    const paths = positionals.length === 0 ? ['.'] : positionals;
    const config = options.config.value;
    await refuseMissing([
      ...paths,
      ...options.plan.value,
      ...options.state.value,
      ...options.varFile.value,
      ...(config === undefined ? [] : [config]),
    ]);
    const reading = {
      paths,
      terraformJson: [...options.plan.value, ...options.state.value],
      variableFiles: options.varFile.value,
      ...(config === undefined ? {} : { config }),
    };
    const files = await readiness.withGitState(await readiness.readInputs(reading), paths);
    if (config !== undefined && files.expectations?.kind !== 'map') refuseConfig(config, files.problems);
    const accepted = readiness.ofExpectations(files.expectations);
    if (typeof accepted === 'string')
      throw new UsageError([{ where: config ?? '--config', message: accepted }]);
    const nowMs = (await world()).clock.now();
    const live = { inputs: files, options, env, world, signal: interrupted };
    const withAzure = await withLiveAzure(readiness, live);
    const withAws = await withLiveAws(readiness, live);
    const complete = (read: Inputs) => withAws(withAzure(read));
    const inputs = complete(files);
    const judgeInputs = async (read: Inputs, texts?: ReadonlyMap<string, string>): Promise<Report> => {
      const { suppressions, problems } = await readiness.collectSuppressions(read, texts);
      const judged = readiness.judge({ ...read, problems: [...read.problems, ...problems] }, chosen, {
        strict: options.strict.value,
      });
      return readiness.applySuppressions(judged, [...accepted, ...suppressions], nowMs);
    };
    const found = await judgeInputs(inputs);
    const cwd = process.cwd();
    const baseline = options.baseline.value;
    if (options.updateBaseline.value) {
      if (baseline === undefined)
        throw new UsageError([{ where: '--update-baseline', message: 'name a file with --baseline' }]);
      await writeOutput(baseline, readiness.writeBaseline(found, cwd));
    }
    const before = baseline === undefined ? undefined : await baselineOf(baseline, readiness.readBaseline);
    const compared = (each: Report) =>
      before === undefined ? each : readiness.compareWithBaseline(each, before, cwd);
    const judged = compared(found);
    const report = options.redact.value ? readiness.redactAccounts(judged) : judged;
    const rendering: RenderOptions = {
      color: terminal.color && !options.noColor.value,
      verbose: options.verbose.value,
      cwd,
      version: BUILD.version,
      checks: chosen,
    };
    const fixes = options.fix.value
      ? await readiness.prepareFixes(inputs, judged, async (texts) =>
          judgeInputs(complete(await readiness.readInputs({ ...reading, texts })), texts),
        )
      : undefined;
    const isWritten = fixes !== undefined && options.write.value && fixes.caused.length === 0;
    if (isWritten) await readiness.writeFixes(fixes.texts).catch(refuseUnwritable);
    const text =
      fixes === undefined
        ? readiness.render(report, options.output.value as Output, rendering)
        : fixText(fixes, judged, options.write.value);
    terminal.out(fixes !== undefined && options.redact.value ? readiness.redactAccounts(text) : text);
    await writeOutputFiles(outputFiles, (output) =>
      readiness.render(report, output, { ...rendering, color: false }),
    );
    return readiness.exitCodeOf(isWritten ? compared(fixes.after) : judged, {
      failOn: options.failOn.value as Severity,
      warnAsError: options.warnAsError.value,
      requireInputs: options.requireInputs.value,
      exitZero: options.exitZero.value,
    });
  }),
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

function refuseUnwritable(error: NodeJS.ErrnoException): never {
  throw new UsageError([
    { where: error.path ?? '--write', message: `cannot be written (${error.code ?? error.message})` },
  ]);
}

async function baselineOf(path: string, read: (text: string) => Baseline | undefined): Promise<Baseline> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError([
      { where: path, message: 'the baseline cannot be read; --update-baseline writes it' },
    ]);
  });
  const baseline = read(text);
  if (baseline === undefined)
    throw new UsageError([{ where: path, message: 'is no baseline of chandler check' }]);
  return baseline;
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

function refuseWriteAlone(write: boolean, fix: boolean): void {
  if (write && !fix) throw new UsageError([{ where: '--write', message: 'is for --fix' }]);
}

function refuseMore([first]: readonly string[]): void {
  if (first !== undefined) throw new UsageError([{ where: first, message: 'unexpected argument' }]);
}
