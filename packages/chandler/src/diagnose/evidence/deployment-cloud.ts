/**
 * The cloud that a Deployment of a controller serves, because a cluster can have one for each cloud: as its flag or variable
 * says, otherwise the one whose options it sets most of.
 */
import { CLOUD_FLAG, CLOUD_NAMES, CLOUD_VARIABLE, loadCloudOptions } from '../../cloud/registry.ts';
import { envNames, type OptionRow, type OptionTable } from '../../settings/index.ts';

import type { DeploymentShape } from './shapes.ts';

/** Undefined: it does not say. */
export function namedCloud(deployment: DeploymentShape): string | undefined {
  const { args, env } = inputsOf(deployment);
  const flag = `--${CLOUD_FLAG}`;
  const index = args.findIndex((text) => text === flag || text.startsWith(`${flag}=`));
  if (index === -1) return env.find(({ name }) => name === CLOUD_VARIABLE)?.value;
  return args[index] === flag ? args[index + 1] : args[index]!.slice(flag.length + 1);
}

/** Whether it sets more options of another cloud than of this one. */
export async function isLikelyOfAnother(deployment: DeploymentShape, cloud: string): Promise<boolean> {
  const counts = new Map<string, number>();
  for (const name of CLOUD_NAMES)
    counts.set(name, countSet(deployment, (await loadCloudOptions(name)).table));
  const own = counts.get(cloud);
  return own !== undefined && own < Math.max(...counts.values());
}

// ---------------------------------------------------------------------------------------------------

function countSet(deployment: DeploymentShape, table: OptionTable): number {
  const { args, env } = inputsOf(deployment);
  const flags = new Set(args.map((text) => text.split('=')[0]));
  const variables = new Set(env.map(({ name }) => name));
  return (Object.values(table) as readonly OptionRow[]).filter(
    (row) => flags.has(`--${row.flag}`) || envNames(row).some((name) => variables.has(name)),
  ).length;
}

function inputsOf({ spec }: DeploymentShape) {
  const { args = [], env = [] } = spec?.template?.spec?.containers?.[0] ?? {};
  return { args, env };
}
