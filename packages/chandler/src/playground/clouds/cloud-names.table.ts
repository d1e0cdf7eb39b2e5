/** The clouds that a playground can simulate: names and titles alone, for help and completion. */

export const PLAYGROUND_CLOUDS = [
  { name: 'azure', title: 'Azure' },
  { name: 'aws', title: 'AWS' },
] as const;

export type PlaygroundCloudName = (typeof PLAYGROUND_CLOUDS)[number]['name'];
