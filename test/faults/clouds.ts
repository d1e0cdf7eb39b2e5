/** The clouds of the simulation: the only shared file that names them. One is loaded when it is asked for. */
import type { DeliberateBug } from './deliberate-bug.ts';
import type { Personality } from './personality.ts';

interface CloudRow {
  personality(): Promise<Personality>;
  /** Nothing else of it is loaded. */
  bugs(): Promise<readonly DeliberateBug[]>;
}

const CLOUDS = {
  azure: {
    personality: async () => (await import('./azure/index.ts')).azure,
    bugs: async () => (await import('./azure/deliberate-bugs.ts')).AZURE_BUGS,
  },
  aws: {
    personality: async () => (await import('./aws/index.ts')).aws,
    bugs: async () => (await import('./aws/deliberate-bugs.ts')).AWS_BUGS,
  },
} satisfies Record<string, CloudRow>;

export type CloudName = keyof typeof CLOUDS;

export const CLOUD_NAMES: readonly CloudName[] = Object.keys(CLOUDS) as CloudName[];

export const DEFAULT_CLOUD: CloudName = 'azure';

export function loadCloud(name: CloudName = DEFAULT_CLOUD): Promise<Personality> {
  return CLOUDS[name].personality();
}

/** @throws where none has this name. */
export function cloudNamed(text: string): CloudName {
  const found = CLOUD_NAMES.find((name) => name === text);
  if (found === undefined) throw new Error(`there is no cloud ${text}; clouds: ${CLOUD_NAMES.join(', ')}`);
  return found;
}

/** Deliberate bugs, each with the cloud that it is run on. */
export async function cloudBugs(): Promise<readonly CloudBug[]> {
  const all = CLOUD_NAMES.map(async (cloud) =>
    (await CLOUDS[cloud].bugs()).map((bug) => ({ ...bug, cloud })),
  );
  return (await Promise.all(all)).flat();
}

export interface CloudBug extends DeliberateBug {
  readonly cloud: CloudName;
}
