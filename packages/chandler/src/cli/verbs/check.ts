/** `chandler check`: judges Terraform, Helm values and manifests before an installation, and says what to do next. */
import { stat } from 'node:fs/promises';
import type {
  CheckRow,
  ConfigMapKey,
  Inputs,
  Output,
  RenderOptions,
  Report,
  Severity,
} from '../../readiness/index.ts';
import { BUILD, closestName, type OptionProblem } from '../../settings/index.ts';
import { openBaseline } from '../check/baseline.ts';
import { refuseContradictions } from '../check/contradictions.ts';
import { fixText, isHarmless } from '../check/fix-text.ts';
import { iamPolicyText, withLiveAws } from '../check/live-aws.ts';
import { withLiveAzure } from '../check/live-azure.ts';
import { type LiveSource, NOT_ASKED } from '../check/live-source.ts';
import { CHECK_OPTIONS, SEVERITIES } from '../check/options.ts';
import { outputFilesOf, refuseUnwritable, writeOutputFiles } from '../check/output-files.ts';
import { withPlainErrors } from '../check/plain-errors.ts';
import { type Call, defineVerb, EXIT_OK, Failure, type Terminal, UsageError } from '../verb.ts';

/** A cluster without access is a missing input. As in `readiness/`, which is loaded later. */
const EXIT_MISSING_INPUTS = 3;

export const check = defineVerb({
  name: 'check',
  summary: 'Check Terraform, Helm values and manifests for an installation, and say what to do next',
  description:
    'Reads files: Terraform (*.tf, plans, states), Helm values, Argo CD Applications, Flux HelmReleases, kustomize overlays, NodePools,\n' +
    'node classes and workloads. Compares what they say with each other, and prints what is wrong with file and line, a score, and\n' +
    'what to do next. It calls nobody, and changes nothing but what --fix --write shows. A file that is broken is reported, and the rest is judged.\n' +
    'With --live-cluster it also reads the cluster of the kubeconfig, with --live-aws the account, with --live-azure the subscription, and only reads.\n' +
    '--smoke changes something: it creates pods in the cluster of the kubeconfig, follows them until they run on new nodes, and deletes\n' +
    'everything again. Without PATH it is all that is judged; with PATH it runs if no phase before it fails critically.\n' +
    'list-checks prints all checks; explain ID prints what one of them judges. A folder of such a name is ./list-checks.\n' +
    'Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage error, 3 missing inputs (with --require-inputs), or nothing could be read\n' +
    'with --live-cluster, --live-aws or --live-azure, or the test of --smoke could not be run, 4 a check failed itself, 130 interrupted.',
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
    { command: 'chandler check . --live-cluster', does: 'also compare the files with the cluster' },
    {
      command: 'chandler check --smoke --yes -o json',
      does: 'see whether pods get nodes in the cluster of the kubeconfig, and how soon',
    },
  ],
  options: CHECK_OPTIONS,
  whenOutputCloses: ({ smoke }) => (smoke.value ? 'finish' : 'stop'),
  run: withPlainErrors(async (call) => {
    const { options, positionals, terminal, world, env, interrupted } = call;
    if (options.iamPolicy.value) {
      refuseMore(positionals);
      terminal.out(await iamPolicyText(options.clusterName.value, options.region.value));
      return EXIT_OK;
    }
    // Loaded here because parsers and tables are large, and other verbs do not need them.
    const readiness = await import('../../readiness/index.ts');
    const { CHECKS } = readiness;
    const about = textAbout(call, readiness);
    if (about !== undefined) {
      terminal.out(about);
      return EXIT_OK;
    }
    refuseContradictions(options, positionals);
    const chosen = chosenChecks(call, CHECKS);
    if (options.watch.value) return watch(call, chosen);
    const outputFiles = outputFilesOf(options.outputFile.value);
    const cwd = process.cwd();
    const baseline = await openBaseline(readiness, options, cwd);
    await refuseUnwritable([...outputFiles.map(({ path }) => path), ...baseline.written]);
    const paths = pathsOf(call);
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
    const cluster = await clusterOrFailure(call);
    if (cluster instanceof Failure) return unreachable(terminal, cluster);
    const files = await readiness.withGitState(await readiness.readInputs(reading), paths);
    if (config !== undefined && files.expectations?.kind !== 'map') refuseConfig(config, files.problems);
    const accepted = readiness.ofExpectations(files.expectations);
    if (typeof accepted === 'string')
      throw new UsageError([{ where: config ?? '--config', message: accepted }]);
    const nowMs = (await world()).clock.now();
    const live = { inputs: cluster.add(files), options, env, world, signal: interrupted };
    const azure = await withLiveAzure(readiness, live);
    const aws = await withLiveAws(readiness, live);
    const complete = (read: Inputs) => cluster.add(aws.add(azure.add(read)));
    const inputs = complete(files);
    const redacted = <T>(value: T): T => (options.redact.value ? readiness.redactAccounts(value) : value);
    const unread = [cluster, azure, aws].flatMap((source) => source.unread ?? []);
    for (const message of unread) unreachable(terminal, new Failure(redacted(message)));
    const policy = { strict: options.strict.value };
    const judgeInputs = (read: Inputs, texts: ReadonlyMap<string, string> = new Map()) =>
      readiness.judgeAccepted(read, { checks: chosen, policy, nowMs, accepted, texts });
    const { found, failure, isSmokeBlocked = false } = await withSmoke(call, inputs, judgeInputs);
    if (found === undefined) return failure === undefined ? EXIT_OK : EXIT_MISSING_INPUTS;
    const withKnown = await baseline.over(found);
    const judged = withKnown(found);
    const report = redacted(judged);
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
    const isWritten = fixes !== undefined && options.write.value && isHarmless(fixes);
    if (isWritten) await readiness.writeFixes(fixes.texts, (await world()).random).catch(refuseUnwritten);
    const text =
      fixes === undefined
        ? readiness.render(report, options.output.value as Output, rendering)
        : fixText(fixes, judged, options.write.value);
    terminal.out(fixes === undefined ? text : redacted(text));
    await writeOutputFiles(outputFiles, (output) =>
      readiness.render(report, output, { ...rendering, color: false }),
    );
    const unpublished = cluster.unread === undefined ? await publishedOrFailure(call, report) : undefined;
    if (unpublished !== undefined) return unreachable(terminal, unpublished);
    return readiness.exitCodeOf(isWritten ? withKnown(fixes.after) : judged, {
      failOn: options.failOn.value as Severity,
      warnAsError: options.warnAsError.value,
      requireInputs: options.requireInputs.value,
      exitZero: options.exitZero.value,
      isSourceUnread: unread.length > 0 || failure !== undefined,
      isSmokeBlocked,
    });
  }),
});

// ---------------------------------------------------------------------------------------------------

type CheckCall = Call<typeof CHECK_OPTIONS>;

/** What is printed without judging anything: all checks, one of them, or the role that reads the cluster. */
function textAbout(
  { options, positionals }: CheckCall,
  { CHECKS, armActionsText, explainCheck, listChecks, renderRbac }: typeof import('../../readiness/index.ts'),
): string | undefined {
  const [first, ...rest] = positionals;
  if (options.rbac.value) {
    refuseMore(positionals);
    return renderRbac();
  }
  if (options.armActions.value) {
    refuseMore(positionals);
    return armActionsText();
  }
  if (first === 'list-checks') {
    refuseMore(rest);
    return listChecks(CHECKS);
  }
  if (first !== 'explain') return undefined;
  const [id = '', ...more] = rest;
  refuseMore(more);
  return explainCheck(CHECKS[known([id], CHECKS)[0]!]!);
}

function isSmokeAlone({ options, positionals }: CheckCall): boolean {
  return options.smoke.value && !options.liveCluster.value && positionals.length === 0;
}

function chosenChecks(call: CheckCall, checks: readonly CheckRow[]): readonly CheckRow[] {
  const { options } = call;
  const only = new Set(known(options.only.value, checks));
  const skipped = new Set(known(options.skip.value, checks));
  const limit = SEVERITIES.indexOf(options.severity.value as Severity);
  // Without files, the smoke test is all there is.
  if (isSmokeAlone(call) && only.size === 0) only.add(known(['S-61'], checks)[0]!);
  return checks.filter(
    ({ severity }, index) =>
      (only.size === 0 || only.has(index)) && !skipped.has(index) && SEVERITIES.indexOf(severity) <= limit,
  );
}

/** What is live needs no files; otherwise they are those of this folder. */
function pathsOf({ options, positionals }: CheckCall): readonly string[] {
  const isLive = options.smoke.value || options.liveCluster.value;
  return positionals.length === 0 && !isLive ? ['.'] : positionals;
}

interface SmokeOutcome {
  /** Of the inputs, and of the smoke test where it ran. Undefined: the test was all there is, and did not run. */
  readonly found: Report | undefined;
  /** The smoke test could not be done. */
  readonly failure?: Failure;
  /** It was not run, because a phase before it fails critically. */
  readonly isSmokeBlocked?: true;
}

async function withSmoke(
  call: CheckCall,
  inputs: Inputs,
  judgeInputs: (inputs: Inputs) => Promise<Report>,
): Promise<SmokeOutcome> {
  const { options, terminal } = call;
  const found = await judgeInputs(inputs);
  if (!options.smoke.value) return { found };
  const blocking = found.phases.at(-1)?.blockedBy;
  if (blocking !== undefined) {
    terminal.err(`smoke test: not run, because phase ${blocking} fails critically\n`);
    return { found, isSmokeBlocked: true };
  }
  const smoke = await orFailure(async () => {
    const { runSmokeTest } = await import('../check/run-smoke.ts');
    return runSmokeTest(call, options);
  });
  const files = isSmokeAlone(call) ? undefined : found;
  if (smoke instanceof Failure) {
    unreachable(terminal, smoke);
    return { found: files, failure: smoke };
  }
  if (smoke !== undefined) return { found: await judgeInputs({ ...inputs, smoke }) };
  terminal.err('canceled; nothing was changed\n');
  return { found: files };
}

async function watch(call: CheckCall, checks: readonly CheckRow[]): Promise<number> {
  const { watchCluster } = await import('../check/live-cluster.ts');
  const { options, terminal } = call;
  const given = {
    configMap: configMapOf(options)!,
    intervalMs: options.watchInterval.value,
    checks,
    strict: options.strict.value,
    redact: options.redact.value,
  };
  const ended = await orFailure(() => watchCluster(call, options, given));
  return ended instanceof Failure ? unreachable(terminal, ended) : EXIT_OK;
}

/** Undefined: the result is in the ConfigMap, or need not be. */
async function publishedOrFailure(call: CheckCall, report: Report): Promise<Failure | undefined> {
  const key = configMapOf(call.options);
  if (key === undefined) return undefined;
  const { publish } = await import('../check/live-cluster.ts');
  return (await orFailure(() => publish(call, call.options, key, report))) ?? undefined;
}

function configMapOf({ configMap }: CheckCall['options']): ConfigMapKey | undefined {
  const [namespace, name] = configMap.value?.split('/') ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

async function clusterOrFailure(call: CheckCall): Promise<LiveSource | Failure> {
  if (!call.options.liveCluster.value) return NOT_ASKED;
  const { liveCluster } = await import('../check/live-cluster.ts');
  return orFailure(() => liveCluster(call, call.options));
}

async function orFailure<T>(work: () => Promise<T>): Promise<T | Failure> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function unreachable(terminal: Terminal, { message }: Failure): number {
  terminal.err(`chandler check: ${message}\n`);
  return EXIT_MISSING_INPUTS;
}

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

function refuseUnwritten(error: NodeJS.ErrnoException): never {
  throw new UsageError([
    { where: error.path ?? '--write', message: `cannot be written (${error.code ?? error.message})` },
  ]);
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
