/** Options of verbs that read the cloud of a cluster: which cloud it is, and whether it is queried. */
import {
  CLOUD_FLAG,
  CLOUD_NAMES,
  CLOUD_VARIABLE,
  type CloudName,
  DIAGNOSES,
  diagnosisOf,
} from '../../cloud/registry.ts';
import type { Sourced } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';
import type { CloudChoice, QueryMode } from '../why/source.ts';

/** `Azure or AWS`. */
export const CLOUD_TITLES: string = DIAGNOSES.map(({ title }) => title).join(' or ');

export const CLOUD_OPTIONS = {
  cloud: {
    flag: CLOUD_FLAG,
    env: CLOUD_VARIABLE,
    type: 'string',
    choices: CLOUD_NAMES,
    default: undefined as string | undefined,
    doc: 'The cloud of the cluster. Default: that of the node class of the object, otherwise of the NodePools, node classes and nodes',
  },
  ...(Object.fromEntries(CLOUD_NAMES.map((name) => [name, queryOption(name)])) as Readonly<
    Record<CloudName, ReturnType<typeof queryOption>>
  >),
} as const;

type CloudValues = { readonly cloud: Sourced<string | undefined> } & Readonly<
  Record<CloudName, Sourced<string>>
>;

/** @throws {UsageError} for flags that contradict each other. */
export function cloudChoice(options: CloudValues): CloudChoice {
  const required = CLOUD_NAMES.filter((name) => options[name].value === 'on');
  const name = CLOUD_NAMES.find((known) => known === options.cloud.value) ?? required[0];
  const other = required.find((each) => each !== name);
  if (other !== undefined)
    throw new UsageError([
      {
        where: `--${other}`,
        message: `a cluster has one cloud; this cannot be used with ${named(options, name)}`,
      },
    ]);
  return { name, query: (cloud) => options[cloud as CloudName].value as QueryMode };
}

// ---------------------------------------------------------------------------------------------------------------

function queryOption(name: CloudName) {
  const { title } = diagnosisOf(name);
  return {
    flag: name,
    type: 'string',
    default: 'auto',
    choices: ['auto', 'on', 'off'],
    doc: `Whether to query ${title} if the cluster is one of ${title}; auto queries it if the environment has credentials`,
  } as const;
}

function named({ cloud }: CloudValues, name: CloudName | undefined): string {
  return cloud.value === undefined ? `--${name} on` : `--cloud ${cloud.value}`;
}
