/** Options of `chandler check` that contradict each other, or have no effect together: refused before anything is read. */
import type { OptionProblem } from '../../settings/index.ts';
import { type Call, UsageError } from '../verb.ts';
import { CHECK_OPTIONS } from './options.ts';
import { refuseSmoke } from './smoke-options.ts';

type CheckValues = Call<typeof CHECK_OPTIONS>['options'];

/** @throws {UsageError} */
export function refuseContradictions(options: CheckValues, paths: readonly string[]): void {
  const refuse = (where: string, message: string) => {
    throw new UsageError([{ where, message }]);
  };
  if (options.write.value && !options.fix.value) refuse('--write', 'is for --fix');
  if (options.updateBaseline.value && options.baseline.value === undefined)
    refuse('--update-baseline', 'name a file with --baseline');
  const key = options.configMap.value;
  if (key !== undefined && !/^[^/]+\/[^/]+$/.test(key)) refuse('--config-map', 'expected NAMESPACE/NAME');
  if (options.watch.value && key === undefined)
    refuse('--watch', 'name the ConfigMap for the results with --config-map');
  if (options.watch.value) refuseWithWatch(options, paths);
  if (key !== undefined && !options.watch.value && !options.liveCluster.value)
    refuse('--config-map', 'is for --live-cluster and --watch');
  if (!options.smoke.value) return;
  if (options.fix.value) refuse('--fix', 'does not work with --smoke');
  refuseSmoke(options);
}

// ---------------------------------------------------------------------------------------------------

const WITH_WATCH: ReadonlySet<string> = new Set<keyof CheckValues>([
  'watch',
  'watchInterval',
  'configMap',
  'liveCluster',
  'kubeconfig',
  'context',
  'only',
  'skip',
  'severity',
  'strict',
  'redact',
]);

/** It checks the cluster alone, and its result is the ConfigMap. */
function refuseWithWatch(options: CheckValues, paths: readonly string[]): void {
  const problems: OptionProblem[] = paths.map((where) => ({
    where,
    message: 'no files are read with --watch',
  }));
  for (const [name, { source }] of Object.entries(options))
    if (source === 'flag' && !WITH_WATCH.has(name))
      problems.push({
        where: `--${CHECK_OPTIONS[name as keyof typeof CHECK_OPTIONS].flag}`,
        message: 'does not work with --watch',
      });
  if (problems.length > 0) throw new UsageError(problems);
}
