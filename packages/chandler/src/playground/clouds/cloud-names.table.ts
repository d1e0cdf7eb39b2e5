/** The clouds that a playground can simulate, as data: for help and completion, which load no cloud. */

export interface PlaygroundCloudRow {
  readonly name: string;
  readonly title: string;
  /** Whether the controller can provision nodes there. */
  readonly hasController: boolean;
}

export const PLAYGROUND_CLOUDS = [
  { name: 'azure', title: 'Azure', hasController: true },
  { name: 'aws', title: 'AWS', hasController: true },
] as const satisfies readonly PlaygroundCloudRow[];

export type PlaygroundCloudName = (typeof PLAYGROUND_CLOUDS)[number]['name'];

export function cloudRow(name: PlaygroundCloudName): PlaygroundCloudRow {
  return PLAYGROUND_CLOUDS.find((row) => row.name === name)!;
}
