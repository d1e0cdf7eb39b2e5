/** The stations of the disk encryption set on its path into a VM, in order. */
export const VALUE_STATIONS = [
  'configured',
  'options',
  'nodeClass',
  'launchTemplate',
  'plan',
  'vmObject',
  'vmRequest',
  'vm',
] as const;

export type ValueStation = (typeof VALUE_STATIONS)[number];
