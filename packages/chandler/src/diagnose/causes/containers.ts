/** Layer 7: a container does not start, or does not keep running. `L7.2` says so; the others say why. */
import {
  type Cause,
  type ContainerEnd,
  type ContainerEvidence,
  type EvidenceSet,
  failingPod,
  isAtEnd,
  isLost,
  lastEnd,
  lastLine,
  logsOf,
  type Match,
  recentEnd,
  seen,
} from '../../causes/index.ts';
import {
  containerFacts,
  ENDS_BY_SIGNAL,
  endText,
  failingContainer,
  failingContainers,
  hasCrashed,
  logOfEnd,
  SHOW_LAST_LOG,
  SHOW_LOG,
  SHOW_POD,
  stoppedContainers,
} from './container-row.ts';
import { POST_START_HOOK } from './post-start-hook.ts';
import {
  START_ADVICE,
  START_ERRORS,
  type StartAdvice,
  type StartError,
  startErrorOf,
} from './start-errors.ts';

export const CONTAINERS: readonly Cause[] = [
  {
    id: 'L7.2',
    layer: 'readiness',
    specificity: 'general',
    title: 'The container does not keep running',
    symptom: 'The pod is in CrashLoopBackOff or Error.',
    summary: 'Container {container} of {pod} terminated after {restarts} restarts: {problem}',
    fix: 'Read the last lines of the log of the container.',
    confirm: [SHOW_LAST_LOG, SHOW_POD],
    recognise: (evidence) => {
      const [match, ...others] = failingContainers(evidence, (container, atMs) => {
        const end = lastEnd(container, atMs);
        if (!hasCrashed(container, atMs)) return undefined;
        return end === undefined ? (container.waiting?.message ?? 'CrashLoopBackOff') : endText(end);
      }).map((each) => ({ ...each, ...logOfEnd(each), seen: [...each.seen, ...lastWords(evidence, each)] }));
      return match === undefined ? undefined : { ...match, others };
    },
  },
  withRecentOom(
    advised(
      row(
        'out-of-memory',
        'The container ran out of memory',
        'The container was OOMKilled, or the runtime says that its memory limit is too low to start it.',
        'Raise its memory limit, or find out why it needs so much memory. Set memory requests, so that a node is not overcommitted.',
        (container, atMs) =>
          crashed(container, atMs, ({ reason }) => reason === 'OOMKilled') ??
          startError(container, atMs, 'memory'),
      ),
      [
        {
          says: START_ERRORS.memory,
          title: 'The memory limit of the container is too low to start it',
          fix: 'Raise limits.memory of the container to at least some tens of MiB. The unit m is thousandths of a byte: 128m is less than one byte, 128Mi is meant.',
        },
      ],
    ),
  ),
  row(
    'gpu-driver',
    'The GPU driver of the node is missing or does not fit',
    'The runtime cannot start the container: nvidia-container-cli fails, or libnvidia-ml or libcuda is missing.',
    'Check the GPU driver of the node and what installs it: the node image, or the GPU operator and its pods on this node. A driver that is too old must be updated, or the image needs an older CUDA. Pods that need no GPU should not use this runtime.',
    (container, atMs) => startError(container, atMs, 'gpuDriver'),
  ),
  row(
    'library-missing',
    'The program lacks a shared library',
    'Exit code 127, and the log says: error while loading shared libraries.',
    'Add the library to the image, or build the program for the base image: a program for glibc does not run on musl (Alpine).',
    libraryMissing,
  ),
  row(
    'command-not-found',
    'The command of the container does not exist',
    'Exit code 127, or the runtime cannot start the command: "executable file not found".',
    'Correct command and args. The image must contain the program.',
    (container, atMs, evidence) =>
      startError(container, atMs, 'command') ??
      (libraryMissing(container, atMs, evidence) === undefined
        ? crashed(container, atMs, (end) => end.exitCode === 127 && !isSaidByRuntime(end))
        : undefined),
  ),
  row(
    'wrong-architecture',
    'The program is built for another architecture',
    '"exec format error".',
    'Build the image for this architecture, or require kubernetes.io/arch in the pod.',
    (container, atMs, evidence) =>
      crashed(container, atMs, ({ message }) => START_ERRORS.architecture.test(message)) ??
      startError(container, atMs, 'architecture') ??
      crashLine(container, atMs, evidence, () => true, /exec format error\s*$/),
  ),
  row(
    'not-executable',
    'The command is not executable',
    'Exit code 126, or the runtime cannot start the command: "permission denied".',
    'Make the file executable in the image, or check securityContext and mounts (noexec).',
    (container, atMs) =>
      startError(container, atMs, 'permission') ??
      crashed(container, atMs, (end) => end.exitCode === 126 && !isSaidByRuntime(end)),
  ),
  row(
    'run-as-root',
    'The pod forbids root, and the image runs as root or as a user that is no number',
    'The container is waiting (CreateContainerConfigError), and the message names runAsNonRoot.',
    'Set securityContext.runAsUser to a number other than 0, or build the image with such a number as its USER: the kubelet cannot tell whether a name is root. Or remove runAsNonRoot if the program needs root.',
    (container) => configError(container, 'root'),
  ),
  row(
    'config-missing',
    'A ConfigMap or Secret of the container is missing',
    'The container is waiting (CreateContainerConfigError), and the message says that an object or a key was not found.',
    'Create the object that the message names, or correct its name or key.',
    (container) => configError(container, 'config'),
  ),
  advised(
    row(
      'not-created',
      'The runtime cannot create the container',
      'The container is waiting (CreateContainerError or RunContainerError), or ended with StartError; or it is waiting (CreateContainerConfigError) and lacks no ConfigMap or Secret.',
      'Correct what the message names: the command, workingDir, mounts, subPath, devices or security settings.',
      notCreated,
      'particular',
    ),
    START_ADVICE,
  ),
  POST_START_HOOK,
  row(
    'init-failed',
    'An init container fails',
    'The pod is in Init:Error or Init:CrashLoopBackOff.',
    'Read the log of the init container. The other containers start only after it succeeds.',
    (container, atMs) =>
      container.init && hasCrashed(container, atMs) && lastEnd(container, atMs)?.exitCode !== 0
        ? endText(
            lastEnd(container, atMs) ?? {
              reason: 'CrashLoopBackOff',
              exitCode: 1,
              signal: undefined,
              message: '',
            },
          )
        : undefined,
    'particular',
  ),
  row(
    'ends-at-once',
    'The container exits without an error',
    'CrashLoopBackOff with exit code 0.',
    'If the container has a liveness or startup probe, check that first: a program that the kubelet stops may exit with code 0, and the event that says so is kept for an hour. Otherwise run the main process in the foreground; if it is meant to complete, use a Job.',
    (container, atMs) =>
      container.waiting?.reason === 'CrashLoopBackOff' && lastEnd(container, atMs)?.exitCode === 0
        ? 'it exits with code 0 and is restarted'
        : undefined,
  ),
  withoutProbes(
    row(
      'shut-down',
      'The container is stopped by a signal',
      'The container exits repeatedly with code 143 (SIGTERM), or with code 137 (SIGKILL) and it has a liveness or startup probe.',
      'Check whether a liveness or startup probe stops the container, or whether the program stops itself.',
      (container, atMs) =>
        crashed(
          container,
          atMs,
          (end) =>
            end.exitCode === 143 ||
            (end.exitCode === 137 &&
              end.reason !== 'OOMKilled' &&
              !isLost(end) &&
              isStoppedByProbes(container)),
        ),
      'particular',
    ),
  ),
];

// ---------------------------------------------------------------------------------------------------

type Test = (container: ContainerEvidence, atMs: number, evidence: EvidenceSet) => string | undefined;

function row(
  name: string,
  title: string,
  symptom: string,
  fix: string,
  test: Test,
  specificity: Cause['specificity'] = 'exact',
): Cause {
  const id = `containers.${name}`;
  const find = ENDS_BY_SIGNAL.includes(id) ? stoppedContainers : failingContainer;
  return {
    id,
    layer: 'readiness',
    specificity,
    point: 'L7.2',
    title,
    symptom,
    summary: summaryOf(title),
    fix,
    confirm: [SHOW_POD, SHOW_LAST_LOG, SHOW_LOG],
    recognise: (evidence) => find(evidence, (container, atMs) => test(container, atMs, evidence)),
  };
}

/** With other words where the message says more. */
function advised(cause: Cause, advice: readonly StartAdvice[]): Cause {
  return {
    ...cause,
    recognise: (evidence) => {
      const match = cause.recognise(evidence);
      const row = advice.find(({ says }) => says.test(match?.facts['problem'] ?? ''));
      return match === undefined || row === undefined
        ? match
        : { ...match, title: row.title, summary: summaryOf(row.title), fix: row.fix };
    },
  };
}

/** The kubelet stops no container that has no liveness or startup probe. */
function withoutProbes(cause: Cause): Cause {
  return {
    ...cause,
    recognise: (evidence) => {
      const match = cause.recognise(evidence);
      const { containers = [] } = failingPod(evidence) ?? {};
      const isProbed = ({ facts }: Match) =>
        containers.some((each) => each.name === facts['container'] && isStoppedByProbes(each));
      const advise = (each: Match) => (isProbed(each) ? each : { ...each, fix: SELF_STOPPED });
      return match === undefined ? undefined : { ...advise(match), others: match.others?.map(advise) ?? [] };
    },
  };
}

const SELF_STOPPED =
  'No probe stops this container. Check whether the program stops itself, and what else sends signals to it.';

/** Of a container that runs now: one that was OOMKilled again and again probably will be. */
function withRecentOom(cause: Cause): Cause {
  return { ...cause, recognise: (evidence) => cause.recognise(evidence) ?? recentOom(evidence) };
}

function recentOom(evidence: EvidenceSet): Match | undefined {
  const pod = evidence.first('pod');
  if (pod === undefined) return undefined;
  for (const container of pod.containers) {
    const end = recentEnd(container, evidence.atMs);
    if (end?.reason !== 'OOMKilled') continue;
    return {
      weight: 'suspicious',
      facts: { ...containerFacts(pod, container), problem: endText(end) },
      summary:
        'Container {container} of {pod} was restarted {restarts} times, the last time for lack of memory: {problem}',
      seen: [
        seen(pod, `${container.name}: last terminated: ${endText(end)}; ${container.restarts} restarts`),
      ],
    };
  }
  return undefined;
}

function summaryOf(title: string): string {
  return `${title} (container {container} of {pod}): {problem}`;
}

/** The last line that it logged, without the stack below. */
function lastWords(evidence: EvidenceSet, { facts }: Match): Match['seen'] {
  const ofContainer = evidence
    .all('containerLog')
    .filter((log) => log.pod === facts['pod'] && log.container === facts['container']);
  const log = ofContainer.find(({ previous }) => previous) ?? ofContainer[0];
  const words = log?.text.split(/^goroutine \d+ \[/m)[0] ?? '';
  const line = lastLine(words, /^\S.*\w/);
  return log === undefined || line === undefined ? [] : [seen(log, line)];
}

function crashed(
  container: ContainerEvidence,
  atMs: number,
  test: (end: ContainerEnd) => boolean,
): string | undefined {
  const { waiting } = container;
  // What keeps it from being started again comes after its end, and is the cause now.
  if (waiting !== undefined && !BETWEEN_STARTS.has(waiting.reason)) return undefined;
  const end = lastEnd(container, atMs);
  return end !== undefined && hasCrashed(container, atMs) && test(end) ? endText(end) : undefined;
}

const BETWEEN_STARTS: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'RunContainerError',
  'StartError',
  'PostStartHookError',
]);

function isStoppedByProbes({ probes }: ContainerEvidence): boolean {
  return probes.includes('liveness') || probes.includes('startup');
}

/** The runtime could not start the container, and this is why. A program writes what it wants into its message. */
function startError(container: ContainerEvidence, atMs: number, name: StartError): string | undefined {
  const { waiting } = container;
  const isIt = (message: string) => startErrorOf(message) === name;
  return (
    crashed(container, atMs, (end) => neverRan(end) && isIt(end.message)) ??
    (waiting !== undefined && NOT_CREATED.has(waiting.reason) && isIt(waiting.message)
      ? waiting.message
      : undefined)
  );
}

function configError({ waiting }: ContainerEvidence, name: 'root' | 'config'): string | undefined {
  if (waiting?.reason !== CONFIG_ERROR) return undefined;
  // Without a message, the most frequent.
  const error = waiting.message === '' ? 'config' : startErrorOf(waiting.message);
  return error === name ? waiting.message : undefined;
}

/** For a reason that no other row has. A container that is started again and again has it as the end of the last try. */
function notCreated(container: ContainerEvidence, atMs: number): string | undefined {
  const { waiting } = container;
  if (waiting?.reason === CONFIG_ERROR)
    return configError(container, 'root') === undefined && configError(container, 'config') === undefined
      ? waiting.message
      : undefined;
  if (waiting !== undefined && NOT_CREATED.has(waiting.reason))
    return isOfOtherRow(waiting.message) ? undefined : waiting.message || waiting.reason;
  return crashed(container, atMs, (end) => isSaidByRuntime(end) && !isOfOtherRow(end.message));
}

/** Those of CreateContainerConfigError are of it alone. */
function isOfOtherRow(message: string): boolean {
  const error = startErrorOf(message);
  return error !== undefined && error !== 'root' && error !== 'config';
}

/** Of a program that a loader could not load. */
function libraryMissing(
  container: ContainerEvidence,
  atMs: number,
  evidence: EvidenceSet,
): string | undefined {
  return crashLine(container, atMs, evidence, ({ exitCode }) => exitCode === 127, LIBRARY_MISSING);
}

/** Of a container that ends so: the last line of its message or of its logs that says this. */
function crashLine(
  container: ContainerEvidence,
  atMs: number,
  evidence: EvidenceSet,
  test: (end: ContainerEnd) => boolean,
  says: RegExp,
): string | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined || crashed(container, atMs, test) === undefined) return undefined;
  const texts = logsOf(evidence, pod, container).map(({ text }) => text);
  // What it reports and goes on after is not why it ends.
  return [lastEnd(container, atMs)?.message ?? '', ...texts]
    .map((text) => ({ text, line: lastLine(text, says) }))
    .find(({ text, line }) => line !== undefined && isAtEnd(text, line))?.line;
}

/** Of glibc, and of musl. */
const LIBRARY_MISSING = /error while loading shared libraries:|Error loading shared library /;

function neverRan({ reason, exitCode }: ContainerEnd): boolean {
  return START_REASONS.has(reason) || START_CODES.has(exitCode);
}

/** The message is that of the runtime, and says why. */
function isSaidByRuntime({ reason, message }: ContainerEnd): boolean {
  return START_REASONS.has(reason) && message !== '';
}

const CONFIG_ERROR = 'CreateContainerConfigError';
const NOT_CREATED: ReadonlySet<string> = new Set(['CreateContainerError', 'RunContainerError', 'StartError']);
const START_REASONS: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);
const START_CODES: ReadonlySet<number> = new Set([126, 127, 128]);
