/** Layer 7: a container does not start, or does not keep running. `L7.2` says so; the others say why. */
import type { Cause, ContainerEvidence } from '../../causes/index.ts';
import {
  endText,
  failingContainer,
  hasCrashed,
  lastEnd,
  SHOW_LAST_LOG,
  SHOW_LOG,
  SHOW_POD,
} from './container-row.ts';

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
    recognise: (evidence) =>
      failingContainer(evidence, (container) => {
        const end = lastEnd(container);
        if (!hasCrashed(container)) return undefined;
        return end === undefined ? (container.waiting?.message ?? 'CrashLoopBackOff') : endText(end);
      }),
  },
  row(
    'out-of-memory',
    'The container ran out of memory',
    'The container was OOMKilled.',
    'Raise its memory limit, or find out why it needs so much memory. Set memory requests, so that a node is not overcommitted.',
    (container) => crashed(container, ({ reason }) => reason === 'OOMKilled'),
  ),
  row(
    'command-not-found',
    'The command of the container does not exist',
    'Exit code 127, or "executable file not found".',
    'Correct command and args. The image must contain the program.',
    (container) =>
      crashed(
        container,
        ({ exitCode, message }) =>
          exitCode === 127 || /executable file not found|no such file or directory/.test(message),
      ) ?? waits(container, /executable file not found|exec: .*no such file/),
  ),
  row(
    'wrong-architecture',
    'The program is built for another architecture',
    '"exec format error".',
    'Build the image for this architecture, or require kubernetes.io/arch in the pod.',
    (container) =>
      crashed(container, ({ message }) => /exec format error/.test(message)) ??
      waits(container, /exec format error/),
  ),
  row(
    'not-executable',
    'The command is not executable',
    'Exit code 126, or "permission denied".',
    'Make the file executable in the image, or check securityContext and mounts (noexec).',
    (container) =>
      crashed(container, ({ exitCode, message }) => exitCode === 126 || /permission denied/.test(message)) ??
      waits(container, /exec: .*permission denied/),
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
    (container) =>
      container.init && hasCrashed(container) && lastEnd(container)?.exitCode !== 0
        ? endText(
            lastEnd(container) ?? { reason: 'CrashLoopBackOff', exitCode: 1, signal: undefined, message: '' },
          )
        : undefined,
    'particular',
  ),
  row(
    'ends-at-once',
    'The container exits without an error',
    'CrashLoopBackOff with exit code 0.',
    'Run the main process in the foreground. If it is meant to complete, use a Job.',
    (container) =>
      container.waiting?.reason === 'CrashLoopBackOff' && lastEnd(container)?.exitCode === 0
        ? 'it exits with code 0 and is restarted'
        : undefined,
  ),
  row(
    'shut-down',
    'The container is stopped by a signal',
    'The container exits repeatedly with code 143 (SIGTERM).',
    'Check whether a liveness or startup probe stops the container, or whether the program stops itself.',
    (container) => crashed(container, ({ exitCode }) => exitCode === 143),
    'particular',
  ),
];

// ---------------------------------------------------------------------------------------------------

type Test = (container: ContainerEvidence) => string | undefined;

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

function crashed(
  container: ContainerEvidence,
  test: (end: NonNullable<ReturnType<typeof lastEnd>>) => boolean,
): string | undefined {
  const end = lastEnd(container);
  return end !== undefined && hasCrashed(container) && test(end) ? endText(end) : undefined;
}

function waits({ waiting }: ContainerEvidence, says: RegExp): string | undefined {
  return waiting !== undefined && says.test(waiting.message) ? waiting.message : undefined;
}
