/** Layer 7: a container does not start, or does not keep running. `L7.2` says so; the others say why. */
import {
  type Cause,
  type ContainerEnd,
  type ContainerEvidence,
  type EvidenceSet,
  isLost,
  lastEnd,
  lastLine,
  type Match,
  seen,
} from '../../causes/index.ts';
import { endText, failingContainer, hasCrashed, SHOW_LAST_LOG, SHOW_LOG, SHOW_POD } from './container-row.ts';

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
      const match = failingContainer(evidence, (container, atMs) => {
        const end = lastEnd(container, atMs);
        if (!hasCrashed(container, atMs)) return undefined;
        return end === undefined ? (container.waiting?.message ?? 'CrashLoopBackOff') : endText(end);
      });
      return match === undefined
        ? undefined
        : { ...match, seen: [...match.seen, ...lastWords(evidence, match)] };
    },
  },
  row(
    'out-of-memory',
    'The container ran out of memory',
    'The container was OOMKilled.',
    'Raise its memory limit, or find out why it needs so much memory. Set memory requests, so that a node is not overcommitted.',
    (container, atMs) => crashed(container, atMs, ({ reason }) => reason === 'OOMKilled'),
  ),
  row(
    'command-not-found',
    'The command of the container does not exist',
    'Exit code 127, or the runtime cannot start the command: "executable file not found".',
    'Correct command and args. The image must contain the program.',
    (container, atMs) =>
      crashed(
        container,
        atMs,
        (end) =>
          end.exitCode === 127 ||
          (neverRan(end) && /executable file not found|no such file or directory/.test(end.message)),
      ) ?? waits(container, /executable file not found|exec: .*no such file/),
  ),
  row(
    'wrong-architecture',
    'The program is built for another architecture',
    '"exec format error".',
    'Build the image for this architecture, or require kubernetes.io/arch in the pod.',
    (container, atMs) =>
      crashed(container, atMs, ({ message }) => /exec format error/.test(message)) ??
      waits(container, /exec format error/),
  ),
  row(
    'not-executable',
    'The command is not executable',
    'Exit code 126, or the runtime cannot start the command: "permission denied".',
    'Make the file executable in the image, or check securityContext and mounts (noexec).',
    (container, atMs) =>
      crashed(
        container,
        atMs,
        (end) => end.exitCode === 126 || (neverRan(end) && /permission denied/.test(end.message)),
      ) ?? waits(container, /exec: .*permission denied/),
  ),
  row(
    'config-missing',
    'A ConfigMap or Secret of the container is missing',
    'The container is waiting (CreateContainerConfigError).',
    'Create the object that the message names, or correct its name or key.',
    ({ waiting }) => (waiting?.reason === 'CreateContainerConfigError' ? waiting.message : undefined),
  ),
  row(
    'not-created',
    'The runtime cannot create the container',
    'The container is waiting (CreateContainerError or RunContainerError).',
    'Correct what the runtime rejects according to the message: the command, mounts, devices or security settings.',
    (container) =>
      ['CreateContainerError', 'RunContainerError', 'StartError', 'PostStartHookError'].includes(
        container.waiting?.reason ?? '',
      )
        ? container.waiting!.message || container.waiting!.reason
        : undefined,
    'particular',
  ),
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
];

// ---------------------------------------------------------------------------------------------------

type Test = (container: ContainerEvidence, atMs: number) => string | undefined;

function row(
  name: string,
  title: string,
  symptom: string,
  fix: string,
  test: Test,
  specificity: Cause['specificity'] = 'exact',
): Cause {
  return {
    id: `containers.${name}`,
    layer: 'readiness',
    specificity,
    point: 'L7.2',
    title,
    symptom,
    summary: `${title} (container {container} of {pod}): {problem}`,
    fix,
    confirm: [SHOW_POD, SHOW_LAST_LOG, SHOW_LOG],
    recognise: (evidence) => failingContainer(evidence, test),
  };
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

const BETWEEN_STARTS: ReadonlySet<string> = new Set(['CrashLoopBackOff', 'RunContainerError', 'StartError']);

function isStoppedByProbes({ probes }: ContainerEvidence): boolean {
  return probes.includes('liveness') || probes.includes('startup');
}

/** The runtime could not start the command, and the message is its own. A program writes what it wants into its message. */
function neverRan({ reason, exitCode }: ContainerEnd): boolean {
  return START_REASONS.has(reason) || START_CODES.has(exitCode);
}

const START_REASONS: ReadonlySet<string> = new Set(['StartError', 'ContainerCannotRun']);
const START_CODES: ReadonlySet<number> = new Set([126, 127, 128]);

function waits({ waiting }: ContainerEvidence, says: RegExp): string | undefined {
  return waiting !== undefined && says.test(waiting.message) ? waiting.message : undefined;
}
