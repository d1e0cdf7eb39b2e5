/** The cloud of a cluster, by the node classes of its NodePools, else by the container of Chandler. */
import type { Deployment } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import {
  CLOUD_FLAG,
  CLOUD_NAMES,
  CLOUD_VARIABLE,
  type CloudName,
  cloudNamed,
  DEFAULT_CLOUD,
  diagnosisOf,
} from '../../cloud/registry.ts';
import { parseOptions } from '../../settings/index.ts';

export function cloudOf(pools: readonly NodePool[], chandler: Deployment | undefined): CloudName {
  const groups = new Set(pools.map(({ spec }) => spec?.template?.spec?.nodeClassRef?.group));
  const byPools = CLOUD_NAMES.find((name) =>
    diagnosisOf(name).nodeClasses.some(({ group }) => groups.has(group)),
  );
  if (byPools !== undefined) return byPools;
  const [container] = chandler?.spec.template.spec.containers ?? [];
  const env = Object.fromEntries((container?.env ?? []).map(({ name, value }) => [name, value]));
  const { values } = parseOptions({ cloud: CLOUD }, container?.args ?? [], env);
  return cloudNamed(String(values.cloud.value)) ?? DEFAULT_CLOUD;
}

// ---------------------------------------------------------------------------------------------------

const CLOUD = {
  flag: CLOUD_FLAG,
  env: CLOUD_VARIABLE,
  type: 'string',
  default: DEFAULT_CLOUD as string,
  doc: '',
} as const;
